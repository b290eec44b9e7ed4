"""Damaged logs, hostile files and fuzzing: nothing false is accepted, every loss is reported, no fault is a
traceback.
"""

from __future__ import annotations

import io
import json
import random
import resource
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from calibration.profile import Profile, ProfileError
from campaign.cuts import Result, facts
from referee.log import LogError, LogWriter, encode, read_log
from referee.log.session import Session
from referee.match import Start
from referee.replay.archive import ArchiveError, import_archive
from referee.replay.match_folder import MatchFolder
from referee.replay.tracks import TracksError, load_tracks
from referee.web.trial import show

NUMBERS: list[Any] = [0, -1, 1, 1e308, -1e308, 2**63, 10**400, 0.5, float("inf"), True]
LENS = [[500.0, 0.0, 320.0], [0.0, 500.0, 240.0], [0.0, 0.0, 1.0]]
OTHERS: list[Any] = [None, "", "x" * 5000, [], {}, [[]], ["south"], {"south": 1}, "\ud800", "=1+1", "../x", "\x00"]


def good_log(path: Path) -> bytes:
    """Returns the log of a played match."""
    with LogWriter(path) as writer:
        session = Session(writer, Start("m1"))
        session.begin(1_700_000_000.0, fps=30.0, source="sim")
        for fact in facts():
            session.add(fact)
    return path.read_bytes()


def damaged_logs(folder: Path, tries: int, seed: int = 1) -> Result:
    """Reads `tries` logs with one to three faults each."""
    rng, result = random.Random(seed), Result()
    whole = good_log(folder / "good.jsonl")
    lines = list(read_log(folder / "good.jsonl").lines)
    path = folder / "damaged.jsonl"
    for n in range(tries):
        data, ends_short = whole, False
        for _ in range(rng.randint(1, 3)):
            data, cut = harmed(data, rng)
            ends_short = ends_short or cut
        path.write_bytes(data)
        result.tries += 1
        try:
            contents = read_log(path)
        except LogError:
            continue
        foreign = [line for line in contents.lines if line not in lines]
        if foreign or any(contents.lines.count(line) > lines.count(line) for line in contents.lines):
            result.lost.append(f"damage {n} of seed {seed}: a line was accepted falsely")
        if len(contents.lines) < len(lines) and not contents.problems and not ends_short:
            result.lost.append(f"damage {n} of seed {seed}: a loss was not told")
    return result


def harmed(data: bytes, rng: random.Random) -> tuple[bytes, bool]:
    """Returns the log with one more fault, and whether it may now end early at the end of a line, which no reader can
    detect.
    """
    rows = data.splitlines(keepends=True)
    at = rng.randrange(len(data)) if data else 0
    i, j = (rng.randrange(len(rows)) if rows else 0 for _ in range(2))
    match rng.randrange(8):
        case 0:
            return data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :], False
        case 1:
            return data[:at], True
        case 2:
            return b"".join(rows[:i] + rows[i + 1 :]), i == len(rows) - 1
        case 3:
            return b"".join(rows[: i + 1] + rows[i:]), False
        case 4 if rows:
            rows[i], rows[j] = rows[j], rows[i]
            return b"".join(rows), len(rows) - 1 in (i, j)
        case 5:
            return data[:at] + b"\0" * 512 + data[at + 512 :], at + 512 >= len(data)
        case 6:
            return data[:at] + b"\n" + data[at:], False
        case _:
            return data[:at] + data[at + rng.randint(1, 400) :], True
    return data, False


def fuzzed(folder: Path, target: str, seconds: float, seed: int = 1) -> Result:
    """Feeds random input for some time. Only the expected error messages may result, and no memory may leak."""
    rng, result = random.Random(seed), Result()
    attack = {"log": _log, "tracks": _tracks, "profile": _profile, "manifest": _manifest, "beside": _beside}[target]
    whole = good_log(folder / "good.jsonl") if not (folder / "good.jsonl").exists() else (
        folder / "good.jsonl").read_bytes()  # fmt: skip
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        result.tries += 1
        state = rng.getstate()
        try:
            attack(folder, whole, rng)
        except (LogError, TracksError, ProfileError, ArchiveError):
            continue
        except Exception as e:  # noqa: BLE001 - whatever it is, it is what we look for
            result.lost.append(f"{target} {result.tries} of seed {seed}: {type(e).__name__} {str(e)[:100]}")
            rng.setstate(state)
            rng.random()
            if len(result.lost) > 20:
                break
    result.figures["MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return result


def _changed(value: Any, rng: random.Random) -> Any:
    """Returns a JSON value with one change in it."""
    if isinstance(value, dict) and value and rng.random() < 0.85:
        key = rng.choice(list(value))
        if rng.random() < 0.15:
            return {k: v for k, v in value.items() if k != key}
        return value | {key: _changed(value[key], rng)}
    if isinstance(value, list) and value and rng.random() < 0.8:
        i = rng.randrange(len(value))
        return [*value[:i], _changed(value[i], rng), *value[i + 1 :]]
    return rng.choice(NUMBERS + OTHERS)


def _log(folder: Path, whole: bytes, rng: random.Random) -> None:
    lines = [json.loads(row) for row in whole.splitlines()]
    for line in lines:
        for key in ("line", "after", "check"):
            line.pop(key)
    for _ in range(rng.randint(1, 3)):
        i = rng.randrange(len(lines))
        kind = lines[i].get("type") if isinstance(lines[i], dict) else None
        changed = _changed(lines[i], rng)
        lines[i] = changed | {"type": kind} if isinstance(changed, dict) and rng.random() < 0.9 else changed
    rows = []
    for line in lines:
        try:
            rows.append(encode(line))
        except (ValueError, AttributeError):
            rows.append(json.dumps(line))
    path = folder / "fuzzed.jsonl"
    path.write_bytes("\n".join(rows).encode() + b"\n")
    show(path)


def _tracks(folder: Path, _whole: bytes, rng: random.Random) -> None:
    from test_hostile_archives import tracks_of

    arrays = [np.zeros(0), np.zeros((3, 3)), np.array(rng.random()), np.array([np.nan] * 2), np.array(["x"]),
              np.zeros(2, "i8"), np.zeros(1, "V7")]  # fmt: skip
    name = rng.choice(["span", "discs", "changes", "lying", "placed", "hands", "version"])
    data = bytearray(tracks_of(**({name: rng.choice(arrays)} if rng.random() < 0.5 else {})))
    for _ in range(rng.randint(0, 6)):
        data[rng.randrange(len(data))] = rng.randrange(256)
    path = folder / "fuzzed.npz"
    path.write_bytes(data)
    load_tracks(path)


def _profile(_folder: Path, _whole: bytes, rng: random.Random) -> None:
    value = {"type": "carrom-profile", "version": 1, "camera": {"width": 640, "height": 480, "K": LENS,
             "dist": [0.0] * 5, "R": np.eye(3).tolist(), "t_mm": [0.0, 0.0, 1000.0], "mirror": False}, "board": {},
             "sides": {}, "pockets": {}, "residuals": {"rms_mm": 1.0, "worst_mm": 1.0, "marks": 3}, "colours": {},
             "full_set": {"white": 9}, "turn": 0, "lens": "x", "background": None}  # fmt: skip
    from dataclasses import asdict

    from models.board import load_board

    value["board"] = asdict(load_board())
    for _ in range(rng.randint(1, 3)):
        value = _changed(value, rng)
    Profile.from_json(json.dumps(value))


def _manifest(folder: Path, whole: bytes, rng: random.Random) -> None:
    """Imports archives with random faults, all of which must be refused."""
    manifest: Any = {"type": "carrom-match", "version": 1, "name": "x",
                     "files": {"match.jsonl": {"bytes": len(whole), "sha256": "0" * 64}}}  # fmt: skip
    for _ in range(rng.randint(0, 2)):
        manifest = _changed(manifest, rng)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("match.jsonl", whole)
        archive.writestr("manifest.json", json.dumps(manifest))
    data = bytearray(file.getvalue())
    for _ in range(rng.randint(0, 4)):
        data[rng.randrange(len(data))] = rng.randrange(256)
    path = folder / "fuzzed.zip"
    path.write_bytes(data)
    import_archive(path, folder / "imported")


def _beside(folder: Path, whole: bytes, rng: random.Random) -> None:
    """Reads random times and evidence beside a good log."""
    log = folder / "beside.jsonl"
    if not log.exists():
        log.write_bytes(whole)
    kept = MatchFolder(log)
    kept.path.mkdir(exist_ok=True)
    times: Any = {"version": 1, "stroke": 1, "width": 640, "height": 480, "masked": False, "camera": {"K": []},
                  "top_mm": 8.0, "striker_top_mm": 8.0, "stays": [], "times": [0.0, 0.1]}  # fmt: skip
    picture = {"name": "after", "shows": "after", "t": 1.0, "x_mm": 0.0, "y_mm": 0.0, "reach_mm": 1.0, "size_px": 10,
               "piece": None, "file": "0001_after.jpg"}  # fmt: skip
    evidence: Any = {"version": 1, "stroke": 1, "pictures": [picture]}
    kept.clip(1).write_bytes((8).to_bytes(4, "big") + b"ftyp")
    kept.picture(1, "after").write_bytes(b"jpeg")
    kept.clip_times(1).write_text(json.dumps(_changed(times, rng)))
    kept.evidence(1).write_text(json.dumps(_changed(evidence, rng)))
    show(log)


TARGETS: tuple[str, ...] = ("log", "tracks", "profile", "manifest", "beside")
Attack = Callable[[Path, bytes, random.Random], None]
