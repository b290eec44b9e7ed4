"""Trains the network of `referee.pieces.disc_place` and writes it as ONNX.

    python place_train.py OUT.onnx TRAIN.npz[:TIMES]... [--held HELD.npz...] [--epochs N]
                          [--start ONE.pt --rate R]

TIMES: how often a file's patches are seen in an epoch. Fixed seeds and one thread: the same samples give the same
weights on the same machine. Beside OUT.onnx stands OUT.pt, from which training can go on.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch
from torch import nn

SIDE, SEED, BATCH, RATE, DECAY = 48, 50, 128, 2e-3, 1e-3
LOG_SIGMA_RANGE = (-5.0, 3.0)
GROWTH_WEIGHT, GROWTH_MOST = 0.2, 4.0
"""Weight of the growth's squared error, and its greatest size."""
SMOOTHING, PRESENT = 0.01, 3
"""Label smoothing, and the column of a sample's answer that says whether a disc is there."""
COIN_MM = 1.55
"""A tenth of a coin's radius, mm: the unit of the answers."""
STEPS_A_UNIT = 1.4
"""Steps of a patch in that unit."""
NEAR = 0.8
"""Greatest distance of a start, in that unit, in the second round."""

Samples = list[tuple[torch.Tensor, torch.Tensor, float]]


def network() -> nn.Sequential:
    """Returns a network from patches (n, 4, 48, 48) to offset along and across, log sigma, growth, and
    log odds of presence (n, 5).
    """

    def stage(*shape: int) -> list[nn.Module]:
        return [nn.Conv2d(*shape), nn.BatchNorm2d(shape[1]), nn.ReLU()]

    return nn.Sequential(
        *stage(4, 16, 5, 2, 2), *stage(16, 32, 3, 2, 1), *stage(32, 32, 3, 1, 1), *stage(32, 48, 3, 2, 1),
        *stage(48, 48, 3, 1, 1), nn.Flatten(), nn.Dropout(0.15), nn.Linear(48 * 36, 64), nn.ReLU(),
        nn.Linear(64, 5))  # fmt: skip


def loss_of(answer: torch.Tensor, true: torch.Tensor) -> torch.Tensor:
    """Returns the mean loss (nats) of places, where they are known, and of presence."""
    known = ~torch.isnan(true[:, 0])
    wanted = true[:, PRESENT] * (1 - SMOOTHING) + SMOOTHING / 2
    presence = nn.functional.binary_cross_entropy_with_logits(answer[:, 4], wanted)
    return place_loss(answer[known], true[known]) * known.float().mean() + presence


def place_loss(answer: torch.Tensor, true: torch.Tensor) -> torch.Tensor:
    """Returns the mean negative log likelihood (nats) of the offset, a normal distribution of one sigma on each axis,
    and the growth's error.
    """
    sigma = answer[:, 2].clamp(*LOG_SIGMA_RANGE)
    off = ((answer[:, :2] - true[:, :2]) ** 2).sum(1)
    growth = ((answer[:, 3] - true[:, 2]) ** 2).clamp(max=GROWTH_MOST)
    return (2 * sigma + off / 2 * torch.exp(-2 * sigma)).mean() + GROWTH_WEIGHT * growth.mean()


def augment(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Returns patches as of other boards under other light: mirrored, with other hues, contrast and noise."""
    n = len(x)
    mirrored = torch.rand(n) < 0.5
    x = torch.where(mirrored[:, None, None, None], x.flip(2), x)
    y = y * torch.where(mirrored[:, None], torch.tensor([1.0, -1.0, 1.0, 1.0]), torch.ones(4))
    turn, gain = torch.rand(n) * 2 * torch.pi, torch.exp(torch.randn(n) * 0.3)
    c, s = (turn.cos() * gain)[:, None, None], (turn.sin() * gain)[:, None, None]
    u, v = x[:, 1].clone(), x[:, 2].clone()
    x[:, 1], x[:, 2] = c * u - s * v, s * u + c * v
    x[:, 0] *= torch.exp(torch.randn(n) * 0.25)[:, None, None]
    x[:, :3] += torch.randn(n, 3, 1, 1) * 0.05
    x[:, :3] += torch.randn(n, 3, SIDE, SIDE) * (torch.rand(n, 1, 1, 1) * 0.06)
    down, along = torch.randint(-1, 2, (2,)).tolist()
    x = torch.roll(x, (down, along), (2, 3))
    y[:, 0] += along / STEPS_A_UNIT
    y[:, 1] += down / STEPS_A_UNIT
    return x, y


def load(named: str) -> tuple[torch.Tensor, torch.Tensor, float]:
    path, _, times = named.partition(":")
    data = np.load(path)
    return torch.from_numpy(data["x"]), torch.from_numpy(data["y"]), float(times or 1)


def epoch_order(samples: Samples, generator: torch.Generator) -> torch.Tensor:
    """Returns the patches of an epoch in random order (n, 2): file and number."""
    rows = []
    for i, (x, _, times) in enumerate(samples):
        whole = torch.cat([torch.randperm(len(x), generator=generator) for _ in range(-int(-times // 1))])
        drawn = whole[: round(times * len(x))]
        rows.append(torch.stack([torch.full_like(drawn, i), drawn], 1))
    order = torch.cat(rows)
    return order[torch.randperm(len(order), generator=generator)]


def batch(samples: Samples, rows: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    parts = [(x[own].float(), y[own]) for i, (x, y, _) in enumerate(samples) if len(own := rows[rows[:, 0] == i, 1])]
    x, y = zip(*parts, strict=True)
    return torch.cat(x), torch.cat(y)


@torch.no_grad()
def report(net: nn.Module, named: str) -> str:
    """Returns, in words, how well a network answers a file's patches."""
    net.eval()
    x, y, _ = load(named)
    answer = torch.cat([net(x[i : i + 512].float()) for i in range(0, len(x), 512)])
    there, odds = y[:, PRESENT] > 0, answer[:, 4]
    if not there.all():
        return (f"{Path(named).name}: missed {int((odds[there] < 0).sum())} of {int(there.sum())}, "
                f"invented {int((odds[~there] > 0).sum())} of {int((~there).sum())}")  # fmt: skip
    off = (answer[:, :2] - y[:, :2]).numpy()
    mm, near = COIN_MM * np.hypot(*off.T), (y[:, :2].norm(dim=1) < NEAR).numpy()
    by_sigma = off / np.exp(answer[:, 2:3].numpy())
    far = " ".join(f"{q:.2f}" for q in np.quantile(mm[near], (0.5, 0.9, 0.99)))
    return (f"{Path(named).name}: loss {float(loss_of(answer, y)):.3f}, off {far} mm from beside, "
            f"by sigma {np.sqrt((by_sigma**2).mean()):.2f}")  # fmt: skip


def train(net: nn.Module, samples: Samples, held: list[str], epochs: int, rate: float) -> None:
    """Trains the network in place and prints how it does after each epoch."""
    generator = torch.Generator().manual_seed(SEED)
    steps = epochs * (len(epoch_order(samples, generator)) // BATCH + 1)
    optimizer = torch.optim.AdamW(net.parameters(), rate, weight_decay=DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, steps)
    for epoch in range(epochs):
        net.train()
        for rows in epoch_order(samples, generator).split(BATCH):
            x, y = augment(*batch(samples, rows))
            loss = loss_of(net(x), y)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 5.0)
            optimizer.step()
            schedule.step()
        print(f"epoch {epoch}:", "; ".join(report(net, path) for path in held), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("train", nargs="+")
    parser.add_argument("--held", nargs="*", default=[])
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--start", type=Path, help="weights (.pt) from which to go on")
    parser.add_argument("--rate", type=float, default=RATE)
    a = parser.parse_args()
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    net = network()
    if a.start:
        net.load_state_dict(torch.load(a.start))
    train(net, [load(named) for named in a.train], a.held, a.epochs, a.rate)
    net.eval()
    torch.save(net.state_dict(), a.out.with_suffix(".pt"))
    axes = {name: {0: "n"} for name in ("patches", "answers")}
    torch.onnx.export(net, (torch.zeros(2, 4, SIDE, SIDE),), a.out, input_names=["patches"],
                      output_names=["answers"], dynamic_axes=axes, dynamo=False)  # fmt: skip


if __name__ == "__main__":
    main()
