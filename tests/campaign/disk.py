"""A disk whose power is cut: an ext4 on a loop device whose backing file knows what the drive has flushed.

The backing file is served over FUSE by a process of its own, so that it sees each write and each flush that ext4 sends
to the loop device, in their order. At a cut, the disk holds all that a completed flush covers, and of the later writes
any sectors, for a drive writes its cache in any order. From then on every request fails. A flush may take time, as on
a slow card, and may fail, upon which ext4 writes no more, as on a broken disk.

`python -m campaign.disk IMAGE DISK` serves IMAGE as the file DISK. A line on standard input is a command: `slow MS`,
`failing N` (one flush in N), `spoil N WORD` (the next N writes with that word in them fail, as on a worn card), and
`cut SHARE SEED FILE`, which writes to FILE what the disk holds.
"""

from __future__ import annotations

import gc
import os
import random
import select
import shutil
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum
from errno import EINTR, EIO, ENODEV, ENOENT, ENOSYS
from pathlib import Path

SECTOR = 512
IMAGE_BYTES = 24 << 20
MOST_WRITE = 128 << 10
"""Greatest write of the kernel, bytes."""


class Code(IntEnum):
    """Requests of FUSE, version 7.31, that a file alone gets."""

    FORGET = 2
    GETATTR = 3
    OPEN = 14
    READ = 15
    WRITE = 16
    RELEASE = 18
    FSYNC = 20
    FLUSH = 25
    INIT = 26
    INTERRUPT = 36
    BATCH_FORGET = 42


SILENT = frozenset({Code.FORGET, Code.INTERRUPT, Code.BATCH_FORGET})
"""Requests that have no answer."""
HEAD, PLACE = struct.Struct("<IIQQIIIHH"), struct.Struct("<QQIIQII")
ATTRIBUTES, FEATURES = struct.Struct("<QII6Q10I"), struct.Struct("<4I2H2I2H2I24x")
BIG_WRITES, DIRECT_IO = 1 << 5, 1
LET_GO_S = 10.0
"""Longest wait for processes that were killed, s."""


class NoDisk(Exception):
    """Such a disk cannot be had here; the message says why."""


class Medium:
    """What a drive holds: its platter, and its cache, which a power cut empties."""

    def __init__(self, data: bytes) -> None:
        self.seen = bytearray(data)
        """What is read: the platter under the cache."""
        self._platter = bytearray(data)
        self._cache: list[tuple[int, bytes]] = []

    def write(self, offset: int, data: bytes) -> None:
        self.seen[offset : offset + len(data)] = data
        self._cache.append((offset, data))

    def flush(self) -> None:
        for offset, data in self._cache:
            self._platter[offset : offset + len(data)] = data
        self._cache.clear()

    def after_cut(self, share: float, rng: random.Random) -> bytes:
        """Returns what is left: each sector of the cache was written with the probability `share`."""
        left = bytearray(self._platter)
        for offset, data in self._cache:
            for at in range(0, len(data), SECTOR):
                if rng.random() < share:
                    sector = data[at : at + SECTOR]
                    left[offset + at : offset + at + len(sector)] = sector
        return bytes(left)


class Server:
    """Answers the kernel's requests for the one file, one after the other."""

    def __init__(self, medium: Medium) -> None:
        self._medium = medium
        self._flushes, self._delay_s, self._failing, self._is_dead = 0, 0.0, 0, False
        self._spoiled, self._spoiled_word = 0, b""

    def serve(self, fd: int) -> None:
        """Answers until the file is unmounted."""
        while True:
            ready, _, _ = select.select([fd, sys.stdin], [], [])
            if sys.stdin in ready:
                self._command()
            if fd not in ready:
                continue
            try:
                request = os.read(fd, MOST_WRITE + 4096)
                if (answer := self._answer(request)) is not None:
                    os.write(fd, answer)
            except OSError as e:
                if e.errno == ENODEV:
                    return
                if e.errno not in (EINTR, ENOENT):
                    raise

    def _command(self) -> None:
        match sys.stdin.readline().split():
            case ["slow", ms]:
                self._delay_s = int(ms) / 1000
            case ["failing", n]:
                self._failing = int(n)
            case ["spoil", n, word]:
                self._spoiled, self._spoiled_word = int(n), word.encode()
            case ["cut", share, seed, file]:
                self._is_dead = True
                Path(file).write_bytes(self._medium.after_cut(float(share), random.Random(seed)))
            case _:
                sys.exit("the disk's owner is gone")
        print("done", flush=True)

    def _answer(self, request: bytes) -> bytes | None:
        _, code, unique, *_ = HEAD.unpack_from(request)
        if code in SILENT:
            return None
        error, body = 0, b""
        try:
            body = self._body(code, request[HEAD.size :])
        except OSError as e:
            error = e.errno or EIO
        return struct.pack("<IiQ", 16 + len(body), -error, unique) + body

    def _body(self, code: int, request: bytes) -> bytes:
        if self._is_dead and code in (Code.READ, Code.WRITE, Code.FSYNC):
            raise OSError(EIO, "the power is cut")
        match code:
            case Code.INIT:
                return FEATURES.pack(7, 31, MOST_WRITE, BIG_WRITES, 8, 6, MOST_WRITE, 1, 0, 0, 0, 0)
            case Code.GETATTR:
                size = len(self._medium.seen)
                times, owner = (0,) * 6, (0,) * 3
                return ATTRIBUTES.pack(3600, 0, 0, 1, size, size // SECTOR, *times, 0o100600, 1, *owner, 4096, 0)
            case Code.OPEN:
                return struct.pack("<QIi", 1, DIRECT_IO, 0)
            case Code.READ:
                _, offset, size, *_ = PLACE.unpack_from(request)
                return bytes(self._medium.seen[offset : offset + size])
            case Code.WRITE:
                _, offset, size, *_ = PLACE.unpack_from(request)
                self._write(offset, request[PLACE.size : PLACE.size + size])
                return struct.pack("<II", size, 0)
            case Code.FSYNC:
                self._flush()
                return b""
            case Code.RELEASE | Code.FLUSH:
                return b""
        raise OSError(ENOSYS, "a request that the file does not know")

    def _write(self, offset: int, data: bytes) -> None:
        if self._spoiled and self._spoiled_word in data:
            self._spoiled -= 1
            raise OSError(EIO, "the write failed")
        self._medium.write(offset, data)

    def _flush(self) -> None:
        """Empties the cache; a cut may come in the middle."""
        self._flushes += 1
        if select.select([sys.stdin], [], [], self._delay_s)[0]:
            self._command()
        if self._is_dead or (self._failing and self._flushes % self._failing == 0):
            raise OSError(EIO, "the flush failed")
        self._medium.flush()


def main(image: str, disk: str) -> None:
    """Serves `image` as the file `disk`, which is there and is hidden meanwhile."""
    fd = os.open("/dev/fuse", os.O_RDWR)
    wishes = f"fd={fd},rootmode=100000,user_id=0,group_id=0"
    subprocess.run(["mount", "-i", "-t", "fuse", "-o", wishes, "carrom-campaign", disk], check=True, pass_fds=[fd])
    print("ready", flush=True)
    Server(Medium(Path(image).read_bytes())).serve(fd)


class Disk:
    """The disk as its user sees it: a mounted ext4, and the commands."""

    def __init__(self, folder: Path, process: subprocess.Popen[str]) -> None:
        self.folder = folder
        """Where the ext4 is mounted."""
        self._process = process

    def slow(self, ms: int) -> None:
        """Makes every flush take so long; an fsync of ext4 takes two or three."""
        self._say(f"slow {ms}")

    def failing(self, n: int) -> None:
        """Makes one flush in `n` fail; 0: none."""
        self._say(f"failing {n}")

    def spoil(self, n: int, word: str) -> None:
        """Makes the next `n` writes fail that hold the word."""
        self._say(f"spoil {n} {word}")

    def cut(self, image: Path, share: float, seed: str) -> None:
        """Cuts the power; `image` is then what the disk holds."""
        self._say(f"cut {share} {seed} {image}")

    def _say(self, words: str) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{words}\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if answer != "done\n":
            raise NoDisk(f"the disk answered {answer!r} to {words!r}")


def formatted(image: Path) -> None:
    """Makes a file with an empty ext4. Raises NoDisk with the reason where such disks cannot be had."""
    if sys.platform != "linux" or os.geteuid() != 0:
        raise NoDisk("only root may mount a disk")
    for tool in ("mkfs.ext4", "mount", "umount"):
        if shutil.which(tool) is None:
            raise NoDisk(f"there is no {tool}")
    for device in ("/dev/fuse", "/dev/loop-control"):
        if not Path(device).exists():
            raise NoDisk(f"there is no {device}")
    with image.open("wb") as file:
        file.truncate(IMAGE_BYTES)
    wishes = "lazy_itable_init=0,lazy_journal_init=0,nodiscard"
    subprocess.run(["mkfs.ext4", "-q", "-F", "-J", "size=4", "-E", wishes, image], check=True, capture_output=True)


@contextmanager
def mounted(image: Path, place: Path) -> Iterator[Disk]:
    """Mounts a disk that holds `image`, which replays the journal, in a folder below `place`. Raises NoDisk."""
    place.mkdir()
    disk, folder = place / "disk", place / "mounted"
    disk.touch()
    folder.mkdir()
    command = [sys.executable, "-m", "campaign.disk", str(image), str(disk)]
    path = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=os.environ | {"PYTHONPATH": path}) as process:  # fmt: skip
        try:
            assert process.stdout is not None
            assert process.stderr is not None
            if process.stdout.readline() != "ready\n":
                raise NoDisk(f"FUSE cannot be mounted: {process.stderr.read().splitlines()[-1:]}")
            _run("mount", "-t", "ext4", "-o", "loop,errors=remount-ro", str(disk), str(folder))
            try:
                yield Disk(folder, process)
            finally:
                _unmount(folder)
        finally:
            if os.path.ismount(disk):
                _unmount(disk)
            process.kill()


def _unmount(folder: Path) -> None:
    """Unmounts as soon as the last process that was killed has let go of its files, and so have our tracebacks."""
    gc.collect()
    until = time.monotonic() + LET_GO_S
    while subprocess.run(["umount", folder], check=False, capture_output=True).returncode:
        if time.monotonic() > until:
            _run("umount", "--lazy", str(folder))
            return
        time.sleep(0.02)


def _run(*command: str) -> None:
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        raise NoDisk(f"{command[0]}: {done.stderr.strip()}")


if __name__ == "__main__":
    main(*sys.argv[1:])
