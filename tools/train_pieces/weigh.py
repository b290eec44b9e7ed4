"""Calibrates the network's log odds: logistic regression on samples of pictures (`stills.py`) it was not trained on.

    python weigh.py FIT.npz... [--judge OTHER.npz...]

Prints the weights of `referee.pieces.disc_set`, of circles off the board's middle and of those in it, and the share of
predictions that were true by predicted probability, with the 95 % interval of that share (Wilson, 1927).
"""

from __future__ import annotations

import argparse
import itertools
from pathlib import Path

import numpy as np

from referee.pieces.presence import patch_log_odds

FIRM = 1e-3
ROUNDS, CHUNK = 30, 256
BINS = (0.0, 0.02, 0.1, 0.5, 0.9, 0.98, 0.995, 1.0)


def network_log_odds(x: np.ndarray, upright: bool = False) -> np.ndarray:
    """Returns the network's log odds (n,) of any disc; `upright`: from each patch as it stands alone."""
    if not len(x):
        return np.zeros(0)
    chunks = [x[first : first + CHUNK].astype(np.float32) for first in range(0, len(x), CHUNK)]
    odds = [patch_log_odds(chunk, np.full(len(chunk), upright)) for chunk in chunks]
    return np.logaddexp(*np.concatenate(odds).T)


def load_features(path: Path, middle: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Returns features (n, k) and whether a disc is there (n,): the network's log odds, in the middle how clearly
    the circle is drawn and the luma around, and 1.
    """
    data = np.load(path)
    chosen = data["middle"] == middle
    own = [data["drawn"][chosen], data["light"][chosen]] if middle else []
    odds, one = network_log_odds(data["x"][chosen], middle), np.ones(chosen.sum())
    return np.column_stack([odds, *own, one]), data["label"][chosen] > 0


def regression(x: np.ndarray, there: np.ndarray) -> np.ndarray:
    """Returns weights, one a column, by Newton's method."""
    weights = np.zeros(x.shape[1])
    for _ in range(ROUNDS):
        p = 1 / (1 + np.exp(-(x @ weights)))
        slope = x.T @ (there - p) - FIRM * weights
        weights += np.linalg.solve((x * (p * (1 - p))[:, None]).T @ x + FIRM * np.eye(len(weights)), slope)
    return weights


def interval(hits: int, of: int) -> tuple[float, float]:
    """Returns Wilson's 95 % interval of a share."""
    share, z = hits / of, 1.96
    middle, half = share + z * z / (2 * of), z * np.sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    return float((middle - half) / (1 + z * z / of)), float((middle + half) / (1 + z * z / of))


def report(name: str, odds: np.ndarray, there: np.ndarray) -> None:
    """Prints errors, mean log loss, and the share of true predictions by predicted probability."""
    p = 1 / (1 + np.exp(-odds))
    loss = np.logaddexp(0, np.where(there, -odds, odds)).mean()
    print(f"{name}: {there.sum()} there, {(~there).sum()} not; missed {(odds[there] < 0).sum()}, "
          f"invented {(odds[~there] > 0).sum()}, loss {loss:.4f}")  # fmt: skip
    for low, high in itertools.pairwise(BINS):
        chosen = (p >= low) & (p < high) if high < 1 else p >= low
        if chosen.any():
            least, most = interval(int(there[chosen].sum()), int(chosen.sum()))
            print(f"  {low:.2f}-{high:.2f}: {chosen.sum():5d}, predicted {p[chosen].mean():.4f}, "
                  f"true {there[chosen].mean():.4f} ({least:.4f} to {most:.4f})")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("fit", type=Path, nargs="+")
    parser.add_argument("--judge", type=Path, nargs="*", default=[])
    a = parser.parse_args()
    for middle, names in (
        (False, "NETWORK_WEIGHT, NETWORK_BIAS"),
        (True, "MIDDLE_NETWORK_WEIGHT, MIDDLE_DRAWN_WEIGHT, MIDDLE_SHADE_WEIGHT, MIDDLE_BIAS"),
    ):
        x, there = (np.concatenate(p) for p in zip(*(load_features(path, middle) for path in a.fit), strict=True))
        weights = regression(x, there)
        print(names, "=", np.round(weights, 3).tolist())
        for path in (*a.fit, *a.judge):
            features, is_there = load_features(path, middle)
            if len(is_there):
                report(path.stem, features @ weights, is_there)


if __name__ == "__main__":
    main()
