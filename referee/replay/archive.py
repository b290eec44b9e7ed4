"""A whole match in one file: a zip archive with log, tracks, clips and evidence, which another installation imports."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import IO, Any

from calibration.profile import ProfileError, load_profile
from referee.atomic_files import PART, written
from referee.log import read_log
from referee.log.reader import READER_LOG_BYTES
from referee.replay.match_folder import MATCH_FOLDER_SUFFIX, MatchFolder
from referee.replay.retention import LEAST_FREE_BYTES, clips_of, keep_clip

KIND, VERSION = "carrom-match", 1
MANIFEST, LOG = "manifest.json", "match.jsonl"
KEPT_NAME = re.compile(
    r"replay/(profile\.json|\d{4,}(_tail\d+)?\.npz|\d{4,}\.(mp4|times\.json|evidence\.json)|\d{4,}_\w+\.jpg)"
)
"""Names of what an archive may hold besides these two; nothing else is ever taken out."""
ARCHIVE_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,80}")
"""What a match may be called on the disk."""
STORED = frozenset({".mp4", ".jpg", ".npz"})
"""Compressed by themselves."""
MANIFEST_BYTES = 8 << 20
"""A longer list of files is none of ours."""
CHUNK_BYTES = 1 << 20
ARCHIVE_BYTES = 1 << 40
"""No manifest promises a terabyte."""
ARCHIVE_MOST_TOLD = 20
"""Foreign files named one by one."""
MOST_FILES = 20_000
"""Of five thousand strokes: more is no match."""
ARCHIVE_MOST_BYTES = {".jsonl": READER_LOG_BYTES, ".npz": 16 << 20, ".jpg": 8 << 20, ".json": 16 << 20, ".mp4": 4 << 30}
"""Of one file by its ending, unpacked."""
TRIAL = "referee.web.trial"
"""The program that shows a match to nobody."""
TRIAL_S = 300.0
ARCHIVE_UNREADABLE = (
    KeyError,
    TypeError,
    ValueError,
    AttributeError,
    OverflowError,
    RuntimeError,
    EOFError,
    zlib.error,
    zipfile.BadZipFile,
)
"""What comes of a foreign or damaged archive: passwords and unknown methods are RuntimeErrors."""


class ArchiveError(Exception):
    """An archive cannot be written or read; the message is one sentence, and nothing was changed."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of an archive."""

    log: Path
    is_new: bool
    """False when this very match was here already."""
    problems: tuple[str, ...]
    """What could not be taken over, in sentences."""


def export_archive(log: Path, path: Path) -> int:
    """Writes the match of `log` with all that was kept of it to the zip file `path`; gives the number of its files.

    Its clips are never deleted by retention from now on. Raises ArchiveError or LogError.
    """
    read_log(log)
    folder = MatchFolder(log)
    found = sorted(folder.path.iterdir()) if folder.path.is_dir() else []
    files = {f"replay/{p.name}": p for p in found if KEPT_NAME.fullmatch(f"replay/{p.name}")}
    try:
        with written(path) as part, zipfile.ZipFile(part, "w") as archive:
            data = log.read_bytes()
            # A line under way while the match runs is left out.
            described = {LOG: _digest(data[: data.rfind(b"\n") + 1] or data)}
            archive.writestr(LOG, data[: data.rfind(b"\n") + 1] or data, zipfile.ZIP_DEFLATED)
            for name, file in files.items():
                described[name] = _digest(file.read_bytes())
                archive.write(file, name, zipfile.ZIP_STORED if file.suffix in STORED else zipfile.ZIP_DEFLATED)
            manifest = {"type": KIND, "version": VERSION, "name": log.stem, "files": described}
            archive.writestr(MANIFEST, json.dumps(manifest, indent=1), zipfile.ZIP_DEFLATED)
        for clip in clips_of(folder):
            keep_clip(folder, clip.stroke)
    except OSError as e:
        raise ArchiveError(f"{path} cannot be written ({e.strerror}); choose a disk with more space") from None
    return len(described) + 1


def _digest(data: bytes) -> dict[str, Any]:
    return {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def import_archive(path: Path, data: Path) -> Imported:
    """Takes the match of an archive into the folder `data`. Raises ArchiveError or LogError, `data` untouched then.

    A file of the archive that is damaged or missing is left out and told, but for the log. Nothing is written outside
    of `data`; what is there already is never overwritten.
    """
    with _opened(path) as archive:
        manifest = _manifest(archive, path)
        _check_room(manifest, data)
        work = Path(mkdtemp(prefix=".import-", suffix=PART, dir=data))
        try:
            return _taken(archive, manifest, work, data)
        finally:
            shutil.rmtree(work, ignore_errors=True)


@contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except (zipfile.BadZipFile, NotImplementedError):
        raise ArchiveError(f"{path} is torn or is no archive; copy it again from where it was made") from None
    except OSError as e:
        raise ArchiveError(f"{path} cannot be imported: {e.strerror or e}") from None


def _manifest(archive: zipfile.ZipFile, path: Path) -> dict[str, Any]:
    foreign = ArchiveError(f"{path} is no archive of a match; make one with: referee export MATCH --archive FILE")
    try:
        if archive.getinfo(MANIFEST).file_size > MANIFEST_BYTES:
            raise foreign
        with archive.open(MANIFEST) as file:
            described = json.loads(file.read(MANIFEST_BYTES))
        files = {str(name): (int(f["bytes"]), str(f["sha256"])) for name, f in described["files"].items()}
        kind, version, name = described["type"], described["version"], described["name"]
    except ARCHIVE_UNREADABLE:
        raise foreign from None
    if kind != KIND or LOG not in files or not isinstance(name, str) or len(files) > MOST_FILES:
        raise foreign
    if any(not 0 <= size <= ARCHIVE_BYTES for size, _ in files.values()):
        raise foreign
    if version != VERSION:
        raise ArchiveError(
            f"{path} is an archive of version {version}, this program reads {VERSION}: use a newer program"
        )
    return {"name": name if ARCHIVE_NAME.fullmatch(name) else "imported", "files": files}


def _check_room(manifest: dict[str, Any], data: Path) -> None:
    try:
        data.mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(data).free
    except OSError as e:
        raise ArchiveError(f"{data} cannot be used: {e.strerror}; choose another folder with --data") from None
    wanted = sum(size for size, _ in manifest["files"].values())
    if wanted + LEAST_FREE_BYTES > free:
        raise ArchiveError(f"the match takes {wanted / 1e6:.0f} MB, for which {data} has no room; free some space")


def _taken(archive: zipfile.ZipFile, manifest: dict[str, Any], work: Path, data: Path) -> Imported:
    """Unpacks beside the matches, looks at it, and moves it to its place: the log last, since it makes the match."""
    files, problems, foreign = manifest["files"], [], 0
    for name, (size, digest) in files.items():
        if name != LOG and not KEPT_NAME.fullmatch(name):
            foreign += 1
            if foreign <= ARCHIVE_MOST_TOLD:
                problems.append(f"{name[:80]!r} is nothing that belongs to a match and was left out")
        elif size > ARCHIVE_MOST_BYTES[Path(name).suffix]:
            if name == LOG:
                raise ArchiveError("the match log in the archive is longer than any match")
            problems.append(f"{name} takes more room than any such file and was left out")
        elif not _unpacked(archive, name, size, digest, work):
            if name == LOG:
                raise ArchiveError("the match log in the archive is damaged; copy the archive again")
            problems.append(f"{name} is damaged or missing in the archive and was left out")
    if foreign > ARCHIVE_MOST_TOLD:
        problems.append(
            f"{foreign - ARCHIVE_MOST_TOLD} more files are nothing that belongs to a match and were left out"
        )
    _try(work, problems)
    here = _same_match(files[LOG][1], data)
    if here is not None:
        return Imported(here, False, tuple(problems))
    log = _free_name(manifest["name"], data)
    if (work / "replay").is_dir():
        os.replace(work / "replay", log.with_suffix(MATCH_FOLDER_SUFFIX))
    os.replace(work / LOG, log)
    return Imported(log, True, tuple(problems))


def _try(work: Path, problems: list[str]) -> None:
    """Has the match shown to nobody, and raises ArchiveError where that fails: every page would fail on it later."""
    log = work / LOG
    read_log(log)
    replay, beside = work / "replay", log.with_suffix(MATCH_FOLDER_SUFFIX)
    if replay.is_dir():
        os.replace(replay, beside)
    command = [sys.executable, "-m", TRIAL, str(log)]
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    try:
        done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=TRIAL_S, check=False)
    except subprocess.TimeoutExpired:
        raise ArchiveError("the match in the archive takes too long to be shown") from None
    if done.returncode:
        why = (done.stderr.strip().splitlines() or ["it takes more memory or time than any match"])[-1]
        raise ArchiveError(f"the match in the archive cannot be shown: {why[:200].replace(str(log), 'its log')}")
    if (profile := MatchFolder(log).profile).is_file():
        try:
            load_profile(profile)
        except ProfileError as e:
            profile.unlink()
            problems.append(f"the profile in the archive was left out: {str(e)[:200]}")
    if beside.is_dir():
        os.replace(beside, replay)


def _unpacked(archive: zipfile.ZipFile, name: str, size: int, digest: str, work: Path) -> bool:
    """Whether the file came out whole; a damaged one leaves nothing."""
    target = work / name
    target.parent.mkdir(exist_ok=True)
    try:
        with archive.open(name) as packed, target.open("wb") as file:
            whole = _copied(packed, file, size) == digest
    except ARCHIVE_UNREADABLE:
        whole = False
    if not whole:
        target.unlink(missing_ok=True)
    return whole


def _copied(packed: IO[bytes], file: IO[bytes], size: int) -> str:
    """Copies as much as was promised and a byte more at most; the digest of what came."""
    digest, left = hashlib.sha256(), size + 1
    while left > 0 and (chunk := packed.read(min(CHUNK_BYTES, left))):
        digest.update(chunk)
        file.write(chunk)
        left -= len(chunk)
    return digest.hexdigest()


def _same_match(digest: str, data: Path) -> Path | None:
    """The log in the folder that is the same to the last byte, if there is one."""
    for log in sorted(data.rglob("*.jsonl")):
        if log.parent.name.endswith(PART):
            continue
        with suppress(OSError), log.open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() == digest:
                return log
    return None


def _free_name(name: str, data: Path) -> Path:
    names = [name, *(f"{name}_{n}" for n in range(2, 1000))]
    free = (data / f"{n}.jsonl" for n in names)
    return next(log for log in free if not log.exists() and not log.with_suffix(MATCH_FOLDER_SUFFIX).exists())
