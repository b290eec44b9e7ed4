"""Trains the network of `referee.pieces.presence` and writes it as ONNX.

    python train.py OUT.onnx TRAIN.npz... [--held HELD.npz...] [--epochs N] [--start FROM.onnx --rate R] [--device cuda]

Fixed seeds and deterministic algorithms: the same samples give the same weights on the same machine. Everything is on
the device of `--device`; on a processor one thread works.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import nn

SIDE = 48
SEED, BATCH, RATE, DECAY = 49, 128, 2e-3, 1e-3
SMOOTHING = 0.01
"""Label smoothing. Some labels are wrong: a disc all in the dark, one that a print hides."""


class Net(nn.Sequential):
    """Network from patches (n, 8, 48, 48) to scores (n, 3) of nothing, a coin, a striker.

    `folded`: without normalisation, as an exported network has it folded into its convolutions.
    """

    def __init__(self, folded: bool = False) -> None:
        def stage(*shape: int) -> list[nn.Module]:
            norm = [] if folded else [nn.BatchNorm2d(shape[1])]
            return [nn.Conv2d(*shape), *norm, nn.ReLU()]

        super().__init__(
            *stage(8, 16, 5, 2, 2), *stage(16, 32, 3, 2, 1), *stage(32, 48, 3, 2, 1), *stage(48, 64, 3, 1, 1),
            *stage(64, 64, 3, 1, 1), nn.MaxPool2d(2),
            nn.Flatten(), nn.Dropout(0.2), nn.Linear(64 * 9, 64), nn.ReLU(), nn.Linear(64, 3))  # fmt: skip

    @classmethod
    def of(cls, path: Path) -> Net:
        """Returns the network of an exported file."""
        net = cls(folded=True)
        graph = onnx.load(path).graph
        named = {w.name: numpy_helper.to_array(w) for w in graph.initializer}
        weights = [named[name] for node in graph.node for name in node.input if name in named]
        with torch.no_grad():
            for parameter, value in zip(net.parameters(), weights, strict=True):
                parameter.copy_(torch.tensor(value))
        return net


class Augmentation:
    """Varies patches as of other boards under other light: turned, mirrored, with other hues and other contrast."""

    def __init__(self, device: torch.device) -> None:
        self.whole = np.random.default_rng(SEED)
        self.patch_rng = torch.Generator(device).manual_seed(SEED)
        self.device = device

    def normal(self, *shape: int) -> torch.Tensor:
        return torch.randn(*shape, generator=self.patch_rng, device=self.device)

    def uniform(self, *shape: int) -> torch.Tensor:
        return torch.rand(*shape, generator=self.patch_rng, device=self.device)

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        n = len(x)
        x = torch.rot90(x, int(self.whole.integers(4)), (2, 3))
        if self.whole.random() < 0.5:
            x = x.flip(3)
        x = x.clone()
        turn, gain = self.uniform(n) * 2 * torch.pi, torch.exp(self.normal(n) * 0.3)
        c, s = (turn.cos() * gain)[:, None, None], (turn.sin() * gain)[:, None, None]
        for blue in (1, 4):
            u, v = x[:, blue].clone(), x[:, blue + 1].clone()
            x[:, blue], x[:, blue + 1] = c * u - s * v, s * u + c * v
        light = torch.exp(self.normal(n) * 0.25)[:, None, None]
        x[:, 0] *= light
        x[:, 3] *= light
        x[:, :3] += self.normal(n, 3, 1, 1) * 0.05
        x[:, :3] += self.normal(n, 3, SIDE, SIDE) * self.uniform(n, 1, 1, 1) * 0.06
        x[:, 6] *= (self.uniform(n) > 0.15).float()[:, None, None]
        return torch.roll(x, self.whole.integers(-1, 2, 2).tolist(), (2, 3))


def train(net: Net, x: np.ndarray, label: np.ndarray, weight: np.ndarray, epochs: int, rate: float,
            held: list[tuple[str, np.ndarray, np.ndarray]], device: torch.device) -> None:  # fmt: skip
    """Trains the network in place and prints its loss and its scores on the `held` samples after each epoch."""
    augment, order = Augmentation(device), torch.Generator().manual_seed(SEED)
    steps = -(-len(label) // BATCH)
    optimizer = torch.optim.AdamW(net.parameters(), rate, weight_decay=DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, epochs * steps)
    loss_of = nn.CrossEntropyLoss(reduction="none", label_smoothing=SMOOTHING)
    data, labels, weights = (torch.from_numpy(a).to(device) for a in (x, label.astype(np.int64), weight))
    for epoch in range(epochs):
        net.train()
        start, total = time.time(), torch.zeros((), device=device)
        for part in torch.randperm(len(label), generator=order).to(device).split(BATCH):
            loss = (loss_of(net(augment(data[part].float())), labels[part]) * weights[part]).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            total += loss.detach() * len(part)
        held_report = "  ".join(f"{name}: {report(scores(net, a, device), b)}" for name, a, b in held)
        print(
            f"epoch {epoch}: loss {float(total) / len(label):.4f}, {time.time() - start:.0f} s  {held_report}",
            flush=True,
        )
    net.eval()


@torch.no_grad()
def scores(net: Net, x: np.ndarray, device: torch.device) -> np.ndarray:
    """Returns the network's scores (n, 3)."""
    net.eval()
    return np.concatenate(
        [net(torch.from_numpy(x[i : i + 512]).to(device).float()).cpu().numpy() for i in range(0, len(x), 512)]
    )


def report(score: np.ndarray, label: np.ndarray) -> str:
    """Returns, in words, the shares of missed and invented discs at even odds, and the mean loss (nats) of presence."""
    odds = np.logaddexp(score[:, 1], score[:, 2]) - score[:, 0]
    there = label > 0
    loss = np.logaddexp(0, np.where(there, -odds, odds)).mean()
    kind = (score[there, 1:].argmax(1) + 1 != label[there]).mean() if there.any() else 0
    return (f"missed {np.mean(odds[there] < 0):.4f} invented {np.mean(odds[~there] > 0):.4f} loss {loss:.4f} "
            f"size {kind:.4f} ({there.sum()}/{(~there).sum()})")  # fmt: skip


def load_samples(paths: list[Path]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Returns patches, labels and weights of several files; circles that the search did not find weigh a half."""
    parts = [np.load(p) for p in paths]
    x, label, found = (np.concatenate([p[k] for p in parts]) for k in ("x", "label", "from_search"))
    return x, label, np.where(found > 0, 1.0, 0.5).astype(np.float32)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("train", type=Path, nargs="+")
    parser.add_argument("--held", type=Path, nargs="*", default=[])
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--start", type=Path, help="exported network from which to go on")
    parser.add_argument("--rate", type=float, default=RATE)
    parser.add_argument("--device", type=torch.device, default=torch.device("cpu"))
    a = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    torch.use_deterministic_algorithms(True)
    held = [(p.stem, *(np.load(p)[k] for k in ("x", "label"))) for p in a.held]
    net = (Net.of(a.start) if a.start else Net()).to(a.device)
    train(net, *load_samples(a.train), a.epochs, a.rate, held, a.device)
    net.cpu()
    torch.onnx.export(net, (torch.zeros(2, 8, 48, 48),), a.out, input_names=["patches"], output_names=["scores"],
                      dynamic_axes={"patches": {0: "n"}, "scores": {0: "n"}}, dynamo=False)  # fmt: skip


if __name__ == "__main__":
    main()
