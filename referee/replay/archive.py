"""Exports a whole match as one zip archive (log, tracks, clips, evidence), and imports those of other installations."""

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
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import IO, Any

from calibration.profile import ProfileError, load_profile
from referee.atomic_files import PART, written
from referee.log import read_log
from referee.log.identity import match_uid
from referee.log.reader import READER_LOG_BYTES
from referee.replay.match_folder import MATCH_FOLDER_SUFFIX, MatchFolder
from referee.replay.retention import LEAST_FREE_BYTES, clips_of, protect_clip
from referee.replay.same_match import Extent, extent, first_difference, logs_of, replace_shorter

KIND, VERSION = "carrom-match", 1
MANIFEST, LOG = "manifest.json", "match.jsonl"
ARCHIVED_NAME = re.compile(
    r"replay/(profile\.json|\d{4,}(_tail\d+)?\.npz|\d{4,}\.(mp4|times\.json|evidence\.json)|\d{4,}_\w+\.jpg)"
)
"""Pattern of the files that an archive may hold besides MANIFEST and LOG; no other file is ever extracted."""
ARCHIVE_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,80}")
"""Pattern of the names that a match may have on the disk."""
PRECOMPRESSED = frozenset({".mp4", ".jpg", ".npz"})
"""Suffixes of files that are compressed already and are stored as they are."""
MANIFEST_BYTES = 8 << 20
"""Greatest size of a manifest, in bytes; a longer one was not written by this program."""
CHUNK_BYTES = 1 << 20
ARCHIVE_BYTES = 1 << 40
"""Greatest size of one file that a manifest may state, in bytes."""
MOST_REPORTED = 20
"""Greatest number of foreign files reported by name; further ones are only counted."""
ARCHIVE_MOST_FILES = 20_000
"""Greatest number of files in an archive; a match of 5,000 strokes has that many."""
ARCHIVE_MOST_BYTES = {".jsonl": READER_LOG_BYTES, ".npz": 16 << 20, ".jpg": 8 << 20, ".json": 16 << 20, ".mp4": 4 << 30}
"""Greatest unpacked size of one file by its suffix, in bytes."""
RENDER_CHECK_MODULE = "referee.web.trial"
"""Module that renders the pages of a match once, run in a process of its own."""
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
"""Exceptions raised by a foreign or damaged archive; RuntimeError stands for a password or an unknown method."""


class ArchiveError(Exception):
    """An archive cannot be written or read; the message is one sentence, and nothing was changed."""


@dataclass(frozen=True, slots=True)
class Imported:
    """Result of an import."""

    log: Path
    is_new: bool
    """False if the same match was in the folder already."""
    problems: tuple[str, ...]
    """Sentences on the files that were left out."""
    is_longer: bool = False
    """True if its log replaced a shorter one of the same match."""


def export_archive(log: Path, path: Path) -> int:
    """Writes the match of `log` and its replay files to the zip file `path`; returns the number of files in it.

    Protects its clips from retention. Raises ArchiveError or LogError.
    """
    read_log(log)
    folder = MatchFolder(log)
    found = sorted(folder.path.iterdir()) if folder.path.is_dir() else []
    files = {f"replay/{p.name}": p for p in found if ARCHIVED_NAME.fullmatch(f"replay/{p.name}")}
    try:
        with written(path) as part, zipfile.ZipFile(part, "w") as archive:
            data = log.read_bytes()
            # A line that is just being written is left out.
            described = {LOG: _digest(data[: data.rfind(b"\n") + 1] or data)}
            archive.writestr(LOG, data[: data.rfind(b"\n") + 1] or data, zipfile.ZIP_DEFLATED)
            for name, file in files.items():
                described[name] = _digest(file.read_bytes())
                archive.write(file, name, zipfile.ZIP_STORED if file.suffix in PRECOMPRESSED else zipfile.ZIP_DEFLATED)
            manifest = {"type": KIND, "version": VERSION, "name": log.stem, "uid": match_uid(log), "files": described}
            archive.writestr(MANIFEST, json.dumps(manifest, indent=1), zipfile.ZIP_DEFLATED)
        for clip in clips_of(folder):
            protect_clip(folder, clip.stroke)
    except OSError as e:
        raise ArchiveError(f"{path} cannot be written ({e.strerror}); choose a disk with more space") from None
    return len(described) + 1


def _digest(data: bytes) -> dict[str, Any]:
    return {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def import_archive(path: Path, data: Path) -> Imported:
    """Imports the match of an archive into the folder `data`.

    Raises ArchiveError or LogError and then leaves `data` as it was. A file other than the log that is damaged or
    missing is left out and reported. Nothing is written outside of `data`. Of a match that is there already nothing is
    taken, or its log is replaced by a longer one that begins with the same lines and missing files are added; no other
    file is overwritten. One that goes on otherwise is refused.
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
    if kind != KIND or LOG not in files or not isinstance(name, str) or len(files) > ARCHIVE_MOST_FILES:
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
    """Unpacks the files into `work`, checks the match, and moves it to its place.

    The log goes last: it makes the match.
    """
    files, problems, foreign = manifest["files"], [], 0
    for name, (size, digest) in files.items():
        if name != LOG and not ARCHIVED_NAME.fullmatch(name):
            foreign += 1
            if foreign <= MOST_REPORTED:
                problems.append(f"{name[:80]!r} is nothing that belongs to a match and was left out")
        elif size > ARCHIVE_MOST_BYTES[Path(name).suffix]:
            if name == LOG:
                raise ArchiveError("the match log in the archive is longer than any match")
            problems.append(f"{name} takes more room than any such file and was left out")
        elif not _unpacked(archive, name, size, digest, work):
            if name == LOG:
                raise ArchiveError("the match log in the archive is damaged; copy the archive again")
            problems.append(f"{name} is damaged or missing in the archive and was left out")
    if foreign > MOST_REPORTED:
        problems.append(f"{foreign - MOST_REPORTED} more files are nothing that belongs to a match and were left out")
    new = work / LOG
    read_log(new)
    here = {extent(new, log): log for log in logs_of(match_uid(new), data)}
    if Extent.KNOWN in here:
        return Imported(here[Extent.KNOWN], False, tuple(problems))
    if here and Extent.LONGER not in here:
        raise _differing(new, here[Extent.DIFFERS])
    _try(work, problems)
    if here:
        replace_shorter(new, work / "replay", here[Extent.LONGER])
        return Imported(here[Extent.LONGER], False, tuple(problems), is_longer=True)
    log = _free_name(manifest["name"], data)
    if (work / "replay").is_dir():
        os.replace(work / "replay", log.with_suffix(MATCH_FOLDER_SUFFIX))
    os.replace(new, log)
    return Imported(log, True, tuple(problems))


def _differing(new: Path, here: Path) -> ArchiveError:
    return ArchiveError(
        f"{here.name} is the same match but differs from line {first_difference(new, here)} on, so nothing was "
        f"imported: move that file elsewhere first to have the match of the archive"
    )


def _try(work: Path, problems: list[str]) -> None:
    """Renders the match once and raises ArchiveError if that fails, as every page would later.

    Drops a damaged profile.
    """
    log = work / LOG
    replay, beside = work / "replay", log.with_suffix(MATCH_FOLDER_SUFFIX)
    if replay.is_dir():
        os.replace(replay, beside)
    command = [sys.executable, "-m", RENDER_CHECK_MODULE, str(log)]
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
    """Tells whether the file was extracted undamaged; a damaged one is removed."""
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
    """Copies at most `size` + 1 bytes; returns the SHA-256 of the bytes copied."""
    digest, left = hashlib.sha256(), size + 1
    while left > 0 and (chunk := packed.read(min(CHUNK_BYTES, left))):
        digest.update(chunk)
        file.write(chunk)
        left -= len(chunk)
    return digest.hexdigest()


def _free_name(name: str, data: Path) -> Path:
    names = [name, *(f"{name}_{n}" for n in range(2, 1000))]
    free = (data / f"{n}.jsonl" for n in names)
    return next(log for log in free if not log.exists() and not log.with_suffix(MATCH_FOLDER_SUFFIX).exists())
