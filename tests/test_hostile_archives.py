"""Archives made to harm: each is refused, or taken without what harms, in one sentence; no page fails afterwards."""

from __future__ import annotations

import hashlib
import io
import json
import resource
import subprocess
import sys
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from match_logs import played, write
from web_shelf import served, sign_in

from referee.log import encode
from referee.log.line import LogError
from referee.replay.archive import ArchiveError, import_archive
from referee.replay.tracks import Tracks, TracksError, load_tracks

Files = dict[str, bytes]
MEGABYTE = 1 << 20


def packed(path: Path, files: Files, method: int = zipfile.ZIP_DEFLATED, name: str = "evil") -> Path:
    """An archive of these files whose manifest tells the truth of them."""
    told = {name: {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()} for name, data in files.items()}
    manifest = {"type": "carrom-match", "version": 1, "name": name, "files": told}
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, data in (files | {"manifest.json": json.dumps(manifest).encode()}).items():
            archive.writestr(name, data)
    return path


@pytest.fixture
def log(tmp_path: Path) -> bytes:
    """A good log."""
    write(tmp_path / "good.jsonl", played())
    return (tmp_path / "good.jsonl").read_bytes()


def changed(log: bytes, kind: str, change: Callable[[dict], None]) -> bytes:
    """The log with the first line of a type changed, its check made anew."""
    rows = []
    for row in log.splitlines():
        line = json.loads(row)
        for key in ("check", "line", "after"):
            line.pop(key, None)
        if kind and line["type"] == kind:
            change(line)
            kind = ""
        try:
            text = encode(line)
        except ValueError:
            text = json.dumps(line)
        rows.append(text.encode() + b"\n")
    return b"".join(rows)


def tracks_of(**changes: object) -> bytes:
    """A file of tracks with some arrays replaced."""
    disc = np.dtype([("t", "<f8"), ("track", "<u4"), ("kind", "S1"), ("x", "<f4"), ("y", "<f4"), ("sigma", "<f4")])
    lying = np.dtype([("change", "<u4"), ("kind", "S1"), ("x", "<f4"), ("y", "<f4")])
    placed = np.dtype([("t", "<f8"), ("x", "<f4"), ("y", "<f4"), ("sigma", "<f4")])
    hand = np.dtype([("t", "<f8"), ("outline", "<u4"), ("x", "<i2"), ("y", "<i2")])
    arrays = {"version": np.array(2), "span": np.array([0.0, 1.0]), "discs": np.zeros(3, disc),
              "changes": np.array([0.0]), "lying": np.zeros(2, lying), "placed": np.zeros(1, placed),
              "hands": np.zeros(1, hand)}  # fmt: skip
    file = io.BytesIO()
    np.savez_compressed(file, **(arrays | changes))
    return file.getvalue()


def list_of_matches(folder: Path) -> tuple[int, list[str], list[str]]:
    """What everybody is told: status, the matches' names, and problems."""
    with served(folder) as client:
        sign_in(client)
        answer = client.get("/api/matches")
        names = [row["id"] for row in answer.json()["matches"]]
        for name in names:
            for what in (
                "",
                "/match.json",
                "/strokes.csv",
                "/rulings.csv",
                "/sheet",
                "/strokes/1",
                "/strokes/1/tracks",
            ):
                assert client.get(f"/api/matches/{name}{what}").status_code in (200, 404), what
        assert client.get("/api/statistics").status_code == 200
        return answer.status_code, names, answer.json()["problems"]


BAD_LINES: list[tuple[str, Callable[[dict], None]]] = [
    ("header", lambda d: d.update(wall=10**400)),
    ("header", lambda d: d.update(players=["x"])),
    ("header", lambda d: d.update(rules="/dev/zero")),
    ("header", lambda d: d.update(uid="../x", station=7, people={"attic": {"id": 3}}, event=[], word=[])),
    ("header", lambda d: d.update(calibration={"K": [[1, 2], [3]]})),
    ("header", lambda d: d.update(board={"pockets": 7, "lines": [[1]]})),
    ("stroke", lambda d: d.pop("seat")),
    ("stroke", lambda d: d["pocketed"].append({"pocket": "SW"})),
    ("stroke", lambda d: d.update(n=10**15)),
    ("stroke", lambda d: d.update(t_strike=float("inf"))),
    ("stroke", lambda d: d.update(foul_confidence=[1])),
    ("ruling", lambda d: d.update(decisions={"kind": 1})),
    ("ruling", lambda d: d.pop("stroke")),
    ("ruling", lambda d: d.pop("decisions")),
    ("ruling", lambda d: d.update(score=3)),
    ("table", lambda d: d.update(pieces=[{}] * 10)),
    ("formation", lambda d: d.update(breaker=["south"])),
]


def test_a_log_that_says_what_no_match_can_be_closes_no_page(log: bytes, tmp_path: Path) -> None:
    """All of them lie in one folder: a page that one of them closed would show none."""
    there = tmp_path / "there"
    there.mkdir()
    (there / "good.jsonl").write_bytes(log)
    for n, (kind, change) in enumerate(BAD_LINES):
        evil = changed(log, kind, change)
        with suppress(ArchiveError, LogError):
            import_archive(packed(tmp_path / f"evil-{n}.zip", {"match.jsonl": evil}, name=f"evil-{n}"), there)
        # Nobody is kept from copying a log there by hand.
        (there / f"copied-{n}-{kind}.jsonl").write_bytes(evil)
    status, names, _ = list_of_matches(there)
    assert status == 200
    assert "good" in names


BAD_TRACKS: list[dict[str, object]] = [
    {"span": np.zeros(3)}, {"discs": np.zeros((2, 2))}, {"lying": np.zeros(3)}, {"changes": np.array([np.nan])},
    {"changes": np.zeros(0)}, {"span": np.array([0.0, np.inf])}, {"version": np.array([2, 2])},
    {"version": np.array("2")}, {"hands": np.array(["x"])}, {"discs": np.zeros(0)},
    {"discs": np.array([{}], dtype=object)},
]  # fmt: skip


@pytest.mark.parametrize("changes", BAD_TRACKS)
def test_tracks_of_wrong_shapes_are_damaged_tracks(tmp_path: Path, changes: dict[str, object]) -> None:
    (tmp_path / "0001.npz").write_bytes(tracks_of(**changes))
    with pytest.raises(TracksError, match="damaged"):
        load_tracks(tmp_path / "0001.npz")


def test_damaged_tracks_in_an_archive_close_no_page(log: bytes, tmp_path: Path) -> None:
    there = tmp_path / "there"
    for n, changes in enumerate(BAD_TRACKS):
        mine = changed(log, "header", lambda d, n=n: d.update(match=f"m{n}"))
        files = {"match.jsonl": mine, "replay/0001.npz": tracks_of(**changes)}
        import_archive(packed(tmp_path / f"evil-{n}.zip", files, name=f"evil-{n}"), there)
    assert sorted(list_of_matches(there)[1]) == sorted(f"evil-{n}" for n in range(len(BAD_TRACKS)))


def test_good_tracks_are_read(log: bytes, tmp_path: Path) -> None:
    (tmp_path / "0001.npz").write_bytes(tracks_of())
    assert isinstance(load_tracks(tmp_path / "0001.npz"), Tracks)


def lying_header(name: str, shape: str) -> bytes:
    """A file of tracks one of whose arrays says that it is larger than it is."""
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    array = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode()
    file = io.BytesIO(tracks_of())
    with zipfile.ZipFile(file, "a") as npz:
        names = {n: npz.read(n) for n in npz.namelist()}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as npz:
        for n, data in (names | {f"{name}.npy": array}).items():
            npz.writestr(n, data)
    return out.getvalue()


MEMORY = """
import resource, sys, tracemalloc
from pathlib import Path
from referee.log import LogError, read_log
from referee.replay.archive import ArchiveError, import_archive
from referee.replay.tracks import TracksError, load_tracks
from calibration.profile import ProfileError, load_profile
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
what, path = sys.argv[1], Path(sys.argv[2])
try:
    {"archive": lambda: import_archive(path, path.parent / "there"), "tracks": lambda: load_tracks(path),
     "profile": lambda: load_profile(path), "log": lambda: read_log(path)}[what]()
except (ArchiveError, LogError, TracksError, ProfileError) as e:
    print(str(e)[:200])
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
child = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print("MB", max(grown, child - 0) // 1024)
"""


def memory_mb(what: str, path: Path) -> int:
    """What reading it takes (MB), in a process of its own and those that it starts."""
    done = subprocess.run([sys.executable, "-c", MEMORY, what, str(path)], capture_output=True, text=True, timeout=100)
    assert "Traceback" not in done.stderr, done.stderr
    return int(done.stdout.split()[-1])


def test_bombs_take_little_memory(log: bytes, tmp_path: Path) -> None:
    """Newlines by the ten million, arrays of nothing, a picture of a gigabyte."""
    rows = packed(tmp_path / "rows.zip", {"match.jsonl": log + b"\n" * (50 * MEGABYTE)})
    assert rows.stat().st_size < 200_000
    assert memory_mb("archive", rows) < 300
    for n, data in enumerate((tracks_of(hands=np.zeros(40 * MEGABYTE, "u1")), lying_header("span", "(10000000000,)"),
                              lying_header("changes", "(1000000, 1000000, 1000000)"))):  # fmt: skip
        (tmp_path / f"{n}.npz").write_bytes(data)
        assert memory_mb("tracks", tmp_path / f"{n}.npz") < 100
    deep = tmp_path / "deep.jsonl"
    deep.write_bytes(log + b'{"type":"x","y":' + b"[" * MEGABYTE + b"\n")
    assert memory_mb("log", deep) < 100


def test_passwords_methods_and_nonsense_are_told_in_a_sentence(log: bytes, tmp_path: Path) -> None:
    whole = packed(tmp_path / "good.zip", {"match.jsonl": log}).read_bytes()
    central = whole.rindex(b"PK\x01\x02")
    for at, value in ((8, 1), (10, 99), (24, 0xFF), (42, 0xFF)):
        evil = bytearray(whole)
        evil[central + at] = value
        path = tmp_path / "evil.zip"
        path.write_bytes(evil)
        with suppress(ArchiveError, LogError):
            import_archive(path, tmp_path / "there")
    for manifest in (b"[" * 100_000, b'{"files":{"match.jsonl":{"bytes":1e999,"sha256":"x"}}}', b"9" * 10_000, b"\xff",
                     b'{"type":"carrom-match","version":1,"name":"x","files":[]}',
                     b'{"type":"carrom-match","version":1,"name":"x","files":{"match.jsonl":{"bytes":1%s,"sha256":"x"}}}'
                     % (b"0" * 400)):  # fmt: skip
        with zipfile.ZipFile(tmp_path / "evil.zip", "w") as archive:
            archive.writestr("match.jsonl", log)
            archive.writestr("manifest.json", manifest)
        with pytest.raises(ArchiveError):
            import_archive(tmp_path / "evil.zip", tmp_path / "there")


def test_the_trial_bounds_itself(log: bytes, tmp_path: Path) -> None:
    from referee.web import trial

    assert trial.MEMORY_BYTES < 500 << 20
    assert resource.RLIMIT_DATA is not None
    (tmp_path / "a.jsonl").write_bytes(log)
    done = subprocess.run([sys.executable, "-m", "referee.web.trial", str(tmp_path / "a.jsonl")], capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")
