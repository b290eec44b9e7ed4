"""What the network and what is drawn of a circle count: a logistic regression on samples the network never learned.

    python weigh.py FIT.npz... [--judge OTHER.npz...]

Prints the three weights of `referee.pieces.disc_set`, and how often what was told with some probability was so, with
the 95 % interval of that (Wilson, 1927).
"""

from __future__ import annotations

import argparse
import itertools
from pathlib import Path

import cv2
import numpy as np

FIRM = 1e-3
ROUNDS, CHUNK = 30, 256
BINS = (0.0, 0.02, 0.1, 0.5, 0.9, 0.98, 0.995, 1.0)
NETWORK = Path(__file__).parents[2] / "models" / "presence.onnx"


def learned(x: np.ndarray) -> np.ndarray:
    """Log odds (n,) of any disc, as the network has them."""
    net = cv2.dnn.readNetFromONNX(str(NETWORK))
    told = []
    for first in range(0, len(x), CHUNK):
        net.setInput(x[first : first + CHUNK].astype(np.float32))
        told.append(net.forward().copy())
    score = np.concatenate(told)
    return np.logaddexp(score[:, 1], score[:, 2]) - score[:, 0]


def asked(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Log odds by the network, what is drawn, a one (n, 3), and what is there (n,), of circles found."""
    data = np.load(path)
    found = data["from_search"] > 0
    columns = learned(data["x"][found]), data["drawn"][found], np.ones(found.sum())
    return np.column_stack(columns), data["label"][found] > 0


def regression(x: np.ndarray, there: np.ndarray) -> np.ndarray:
    """Weights (3,) by Newton's method."""
    weights = np.zeros(x.shape[1])
    for _ in range(ROUNDS):
        p = 1 / (1 + np.exp(-(x @ weights)))
        slope = x.T @ (there - p) - FIRM * weights
        weights += np.linalg.solve((x * (p * (1 - p))[:, None]).T @ x + FIRM * np.eye(len(weights)), slope)
    return weights


def interval(hits: int, of: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share."""
    share, z = hits / of, 1.96
    middle, half = share + z * z / (2 * of), z * np.sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    return float((middle - half) / (1 + z * z / of)), float((middle + half) / (1 + z * z / of))


def report(name: str, odds: np.ndarray, there: np.ndarray) -> None:
    p = 1 / (1 + np.exp(-odds))
    loss = np.logaddexp(0, np.where(there, -odds, odds)).mean()
    print(f"{name}: {there.sum()} there, {(~there).sum()} not; missed {np.mean(odds[there] < 0):.4f}, "
          f"invented {np.mean(odds[~there] > 0):.4f}, loss {loss:.4f}")  # fmt: skip
    for low, high in itertools.pairwise(BINS):
        own = (p >= low) & (p < high) if high < 1 else p >= low
        if own.any():
            least, most = interval(int(there[own].sum()), int(own.sum()))
            print(f"  {low:.2f}-{high:.2f}: {own.sum():5d}, told {p[own].mean():.4f}, so {there[own].mean():.4f} "
                  f"({least:.4f} to {most:.4f})")  # fmt: skip


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
