"""Calibrates the network's log odds: logistic regression on samples of pictures (`stills.py`) it was not trained on.

    python weigh.py FIT.npz... [--judge OTHER.npz...]

Prints the weights of `referee.pieces.disc_set`, of circles off the board's middle, of unclear ones and of those in the
middle, and the share of predictions that were true by predicted probability, with the 95 % interval of that share
(Wilson, 1927).
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Callable
from pathlib import Path

import numpy as np

from referee.pieces.disc_place import Answer, answers
from referee.pieces.disc_set import CLEAR_LOG_ODDS, NETWORK_WEIGHTS
from referee.pieces.presence import patch_log_odds

FIRM = 1e-3
ROUNDS, CHUNK = 30, 256
NAMES = {
    "all": "NETWORK_WEIGHTS",
    "unclear": "UNCLEAR_WEIGHTS",
    "middle": "MIDDLE_WEIGHTS",
}
WIDTHS = {"all": 2, "unclear": 3, "middle": 5}
BINS = (0.0, 0.02, 0.1, 0.5, 0.9, 0.98, 0.995, 1.0)


def in_chunks(ask: Callable[[np.ndarray], np.ndarray], x: np.ndarray) -> np.ndarray:
    """Returns a network's answers to many patches."""
    return np.concatenate([ask(x[i : i + CHUNK].astype(np.float32)) for i in range(0, len(x), CHUNK)])


def load_features(path: Path, circles: str) -> tuple[np.ndarray, np.ndarray]:
    """Returns features (n, k) and whether a disc is there (n,): the network's log odds and 1; of circles in the
    `middle` and of `unclear` ones also what the second network says; of the former also how likely the
    place is a piece's, and the shade.
    """
    data = np.load(path)
    chosen = data["middle"] == (circles == "middle")
    if not chosen.any():
        return np.zeros((0, WIDTHS[circles])), np.zeros(0, bool)
    odds = np.logaddexp(*in_chunks(patch_log_odds, data["x"][chosen]).T)
    columns, there = [odds, np.ones(len(odds))], data["label"][chosen] > 0
    if circles != "all":
        columns[1:1] = [in_chunks(answers, data["rim"][chosen])[:, Answer.PRESENCE]]
    if circles == "middle":
        columns[2:2] = [data["laid"][chosen], data["shade"][chosen]]
    elif circles == "unclear":
        unclear = np.abs(NETWORK_WEIGHTS[0] * odds + NETWORK_WEIGHTS[1]) < CLEAR_LOG_ODDS
        columns, there = [column[unclear] for column in columns], there[unclear]
    return np.column_stack(columns), there


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
    for circles, names in NAMES.items():
        x, there = (np.concatenate(p) for p in zip(*(load_features(path, circles) for path in a.fit), strict=True))
        if not len(there):
            continue
        weights = regression(x, there)
        print(names, "=", np.round(weights, 3).tolist())
        for path in (*a.fit, *a.judge):
            features, is_there = load_features(path, circles)
            if len(is_there):
                report(path.stem, features @ weights, is_there)


if __name__ == "__main__":
    main()
