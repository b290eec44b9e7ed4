"""Weighs the two witnesses of `referee.pieces.witnesses`: logistic regression on samples that the network never saw.

    python weigh.py FIT.npz... [--judge OTHER.npz...]

Prints the three weights, and how often calls of a given probability were right.
"""

from __future__ import annotations

import argparse
import itertools
from pathlib import Path

import cv2
import numpy as np

CONTRAST = 0.4
FIRM = 1e-3
ROUNDS, CHUNK = 30, 256
BINS = (0.0, 0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98, 1.0)
NETWORK = Path(__file__).parents[2] / "models" / "presence.onnx"


def learned(x: np.ndarray) -> np.ndarray:
    """Returns the network's log odds (n,) of any disc."""
    net = cv2.dnn.readNetFromONNX(str(NETWORK))
    told = []
    for first in range(0, len(x), CHUNK):
        net.setInput(x[first : first + CHUNK].astype(np.float32))
        told.append(net.forward().copy())
    score = np.concatenate(told)
    return np.logaddexp(score[:, 1], score[:, 2]) - score[:, 0]


def drawn(features: np.ndarray) -> np.ndarray:
    """Returns `referee.pieces.print_rejection.evidence` (n,) of `sample.features_of`."""
    return features[:, 0] + 0.35 * features[:, 1] + 0.35 * np.minimum(features[:, 3] / CONTRAST, 1.0) - 0.1


def asked(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Returns both witnesses and a constant (n, 3), and the truth (n,), of the circles that the search found."""
    data = np.load(path)
    found = data["from_search"] > 0
    columns = learned(data["x"][found]), drawn(data["features"][found]), np.ones(found.sum())
    return np.column_stack(columns), data["label"][found] > 0


def regression(x: np.ndarray, there: np.ndarray) -> np.ndarray:
    """Returns the weights (3,) by Newton's method."""
    weights = np.zeros(x.shape[1])
    for _ in range(ROUNDS):
        p = 1 / (1 + np.exp(-(x @ weights)))
        slope = x.T @ (there - p) - FIRM * weights
        weights += np.linalg.solve((x * (p * (1 - p))[:, None]).T @ x + FIRM * np.eye(len(weights)), slope)
    return weights


def report(name: str, odds: np.ndarray, there: np.ndarray) -> None:
    p = 1 / (1 + np.exp(-odds))
    loss = np.logaddexp(0, np.where(there, -odds, odds)).mean()
    print(f"{name}: {there.sum()} there, {(~there).sum()} not; missed {np.mean(odds[there] < 0):.4f}, "
          f"invented {np.mean(odds[~there] > 0):.4f}, loss {loss:.4f}")  # fmt: skip
    for low, high in itertools.pairwise(BINS):
        own = (p >= low) & (p < high) if high < 1 else p >= low
        if own.any():
            print(f"  {low:.2f}-{high:.2f}: {own.sum():5d}, told {p[own].mean():.4f}, so {there[own].mean():.4f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("fit", type=Path, nargs="+")
    parser.add_argument("--judge", type=Path, nargs="*", default=[])
    a = parser.parse_args()
    parts = [asked(path) for path in a.fit]
    x, there = (np.concatenate(p) for p in zip(*parts, strict=True))
    weights = regression(x, there)
    print("LEARNED, DRAWN, NEITHER =", np.round(weights, 2).tolist())
    for path in (*a.fit, *a.judge):
        own, is_there = asked(path)
        report(path.stem, own @ weights, is_there)
        report(f"{path.stem}, network alone", own[:, 0], is_there)


if __name__ == "__main__":
    main()
