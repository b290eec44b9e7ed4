"""What the network counts: a logistic regression on samples of pictures (`stills.py`) that the network never learned.

    python weigh.py FIT.npz... [--judge OTHER.npz...]

Prints the weights of `referee.pieces.disc_set`, of circles off the board's middle and of those there, and how often
what was told with some probability was so, with the 95 % interval of that (Wilson, 1927).
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


def learned(x: np.ndarray) -> np.ndarray:
    """Log odds (n,) of any disc, as the network has them."""
    told = [patch_log_odds(x[first : first + CHUNK].astype(np.float32)) for first in range(0, len(x), CHUNK)]
    return np.logaddexp(*np.concatenate(told).T)


def asked(path: Path, middle: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Log odds by the network and a one (n, 2), in the middle the light about it between them (n, 3), and what is there
    (n,).
    """
    data = np.load(path)
    own = data["middle"] == middle
    odds, one = learned(data["x"][own]), np.ones(own.sum())
    return np.column_stack([odds, data["light"][own], one] if middle else [odds, one]), data["label"][own] > 0


def regression(x: np.ndarray, there: np.ndarray) -> np.ndarray:
    """Weights, one a column, by Newton's method."""
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
    print(f"{name}: {there.sum()} there, {(~there).sum()} not; missed {(odds[there] < 0).sum()}, "
          f"invented {(odds[~there] > 0).sum()}, loss {loss:.4f}")  # fmt: skip
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
    for middle, names in (
        (False, "NETWORK_WEIGHT, NETWORK_BIAS"),
        (True, "MIDDLE_NETWORK_WEIGHT, MIDDLE_SHADE_WEIGHT, MIDDLE_BIAS"),
    ):
        x, there = (np.concatenate(p) for p in zip(*(asked(path, middle) for path in a.fit), strict=True))
        weights = regression(x, there)
        print(names, "=", np.round(weights, 3).tolist())
        for path in (*a.fit, *a.judge):
            own, is_there = asked(path, middle)
            report(path.stem, own @ weights, is_there)


if __name__ == "__main__":
    main()
