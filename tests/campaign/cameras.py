"""Faults of cameras over a stroke whose truth is known: no traceback, a whole log, nothing called wrong and sure."""

from __future__ import annotations

import logging
import random
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
from sim_clips import FPS, grey, half_a_board, one_stroke

from calibration.calibrate import calibrate
from calibration.geometry.picture import Picture
from calibration.profile import Profile
from campaign.cuts import Result
from referee.frames.frame import Frame, SourceError
from referee.log import Line, read_log
from referee.pipeline import MatchSettings, referee

ERRORS: list[Exception] = [
    OSError(5, "Input/output error"), ValueError("bad planes"), RuntimeError("driver\nis gone"), IndexError(),
    MemoryError(), ZeroDivisionError("rate"), SourceError("unplugged"),
]  # fmt: skip


class Faulty:
    """Gives what a camera gives that has one to three faults."""

    name, fps, live = "a faulty camera", float(FPS), False

    def __init__(self, pictures: Sequence[Picture], rng: random.Random, most: int = 3) -> None:
        self.faults: list[str] = []
        self._error: tuple[int, Exception] | None = None
        frames = [Frame(p, i / FPS, i, 0.0, 0, True) for i, p in enumerate(pictures)]
        for _ in range(rng.randint(1, most) if most else 0):
            frames = self._harmed(frames, rng)
        times = np.maximum.accumulate([f.t for f in frames]) + np.arange(len(frames)) * 1e-6
        self._frames = [replace(f, t=float(t), index=i) for i, (f, t) in enumerate(zip(frames, times, strict=True))]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:  # fmt: skip
        pass

    def __iter__(self) -> Iterator[Frame]:
        for frame in self._frames:
            if self._error is not None and frame.index == self._error[0]:
                raise self._error[1]
            yield frame

    def _harmed(self, frames: list[Frame], rng: random.Random) -> list[Frame]:
        """The frames with one fault more, most of them for a while."""
        begin = rng.randrange(20, len(frames) - 5)
        end = min(len(frames), begin + rng.choice([1, 2, 4, 10, 30]))
        before, during, after = frames[:begin], frames[begin:end], frames[end:]
        kind = rng.choice(["lost", "repeated", "grey", "half", "jitter", "leap", "late", "noise", "error", "swapped"])
        self.faults.append(f"{kind} {begin}-{end}")
        match kind:
            case "lost":
                lost = replace(after[0], dropped=len(during)) if after and rng.random() < 0.5 else None
                return before + ([lost, *after[1:]] if lost else after)
            case "repeated":
                during = [replace(f, picture=during[0].picture) for f in during]
            case "grey":
                during = [replace(f, picture=grey(rng.choice([0, 128, 255]))) for f in during]
            case "half":
                during = [replace(f, picture=half_a_board(f.picture)) for f in during]
            case "jitter":
                during = [replace(f, t=f.t + rng.uniform(-0.04, 0.04)) for f in during]
            case "leap":
                leap = rng.choice([0.5, 5.0, 3600.0])
                after = [replace(f, t=f.t + leap) for f in after]
            case "late":
                during = [replace(f, t=during[-1].t) for f in during]
            case "noise":
                noise = np.random.default_rng(begin)
                during = [replace(f, picture=_noisy(f.picture, noise)) for f in during]
            case "error":
                self._error = begin, rng.choice(ERRORS)
            case "swapped":
                during = during[::-1]
        return before + during + after


def _noisy(picture: Picture, rng: np.random.Generator) -> Picture:
    y = np.clip(picture.y + rng.normal(0, 25, picture.y.shape), 0, 255).astype(np.uint8)
    return Picture(y, picture.u, picture.v, picture.full_range)


def camera_faults(folder: Path, tries: int, seed: int = 1) -> Result:
    """`tries` times the stroke is refereed by what a faulty camera gives of it."""
    result, pictures = Result(), one_stroke()
    profile = calibrate(pictures[:5])
    truth = _strokes(folder / "whole.jsonl", pictures, profile)[0][0]
    told = 0
    for n in range(tries):
        rng = random.Random(f"{seed} {n}")
        source, log = Faulty(pictures, rng), folder / f"{n}.jsonl"
        result.tries += 1
        try:
            with _listened() as faults:
                referee(source, MatchSettings(profile=profile), log, "a")
        except SourceError:
            pass
        except Exception as e:  # noqa: BLE001 - whatever it is, it is what we look for
            result.lost.append(f"{n} of seed {seed} ({', '.join(source.faults)}): {type(e).__name__} {str(e)[:100]}")
            continue
        result.lost += [f"{n} of seed {seed} ({', '.join(source.faults)}): {fault}" for fault in faults]
        for stroke, ruling in _pairs(log, result):
            told += 1
            if ruling["certain"] and _happened(stroke) != _happened(truth):
                result.lost.append(f"{n} of seed {seed} ({', '.join(source.faults)}): sure of {stroke['pocketed']}")
        log.unlink()
    result.figures["strokes"] = told
    return result


class _Faults(logging.Handler):
    """Collects faults of the program that were caught, such as a replay that could not be kept."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info:
            self.told.append(f"{record.getMessage()}: {record.exc_info[1]!r}"[:200])


@contextmanager
def _listened() -> Iterator[list[str]]:
    """Yields a list that has, in the end, the caught faults and the warnings of arithmetic."""
    handler = _Faults()
    logging.getLogger("referee").addHandler(handler)
    try:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always", RuntimeWarning)
            yield handler.told
        handler.told += [f"{w.filename} {w.lineno}: {w.message}" for w in warned if w.category is RuntimeWarning]
    finally:
        logging.getLogger("referee").removeHandler(handler)


def _strokes(log: Path, pictures: Sequence[Picture], profile: Profile) -> list[tuple[Line, Line]]:
    referee(Faulty(pictures, random.Random(0), most=0), MatchSettings(profile=profile), log, "a")
    return _pairs(log, Result())


def _happened(stroke: Line) -> tuple[object, ...]:
    """What the ruling rests on: who played, what was pocketed, what left the board."""
    return stroke["seat"], *([piece["kind"] for piece in stroke[key]] for key in ("pocketed", "off_board"))


def _pairs(log: Path, result: Result) -> list[tuple[Line, Line]]:
    """Strokes with their rulings."""
    contents = read_log(log)
    result.lost += [f"{log.name}: {problem.text}" for problem in contents.problems]
    rulings = {line["stroke"]: line for line in contents.lines if line["type"] == "ruling"}
    return [(line, rulings[line["n"]]) for line in contents.lines if line["type"] == "stroke" and line["n"] in rulings]
