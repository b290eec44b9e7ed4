"""The link between two real processes: restarts of either, slow houses, nonsense on the wire."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import time
from contextlib import aclosing
from pathlib import Path

import pytest

from referee.link import LinkError, VisionEnd, WebEnd
from referee.link.message import SOCKET_NAME

EYES_PROGRAM = """
import sys
from pathlib import Path
from referee.link import VisionEnd
with VisionEnd(Path(sys.argv[1])) as link:
    link.publish({"type": "match", "match": {"eyes": sys.argv[2]}})
    print("up", flush=True)
    for order in sys.stdin:
        if order == "stop\\n":
            break
        if order == "poll\\n":
            print(link.poll(), flush=True)
        else:
            link.publish({"type": "line", "line": {"text": order.strip()}})
"""
PATIENCE_S = 20


class Eyes:
    """A process that owns the vision process's end and does what it is told."""

    def __init__(self, folder: Path, name: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", EYES_PROGRAM, str(folder), name],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)  # fmt: skip
        assert self.process.stdout.readline() == "up\n"

    def tell(self, order: str) -> None:
        self.process.stdin.write(order + "\n")
        self.process.stdin.flush()

    def stop(self) -> None:
        self.tell("stop")
        self.end()

    def kill(self) -> None:
        self.process.kill()
        self.end()

    def end(self) -> None:
        self.process.wait(PATIENCE_S)
        self.process.stdin.close()
        self.process.stdout.close()


def run(coroutine) -> None:
    asyncio.run(asyncio.wait_for(coroutine, PATIENCE_S))


async def expect(messages, **fields):
    """The next message that has these fields."""
    async for message in messages:
        if all(message.body.get(k) == v for k, v in fields.items()):
            return message
    raise AssertionError("the link ended")


def wait_for(claim) -> None:
    """Returns when `claim()` holds; the other end works in a thread or process of its own."""
    end = time.monotonic() + PATIENCE_S
    while not claim():
        assert time.monotonic() < end
        os.sched_yield()


@pytest.mark.parametrize("how", ["stop", "kill"])
def test_the_house_outlives_the_eyes_and_finds_them_again(tmp_path, how):
    async def house() -> None:
        first = Eyes(tmp_path, "first")
        async with aclosing(aiter(WebEnd(tmp_path, retry_s=0.02))) as messages:
            await expect(messages, type="link", connected=True)
            await expect(messages, type="match", match={"eyes": "first"})
            first.tell("stroke 1")
            await expect(messages, type="line", line={"text": "stroke 1"})
            getattr(first, how)()
            await expect(messages, type="link", connected=False)
            second = Eyes(tmp_path, "second")
            await expect(messages, type="link", connected=True)
            await expect(messages, type="match", match={"eyes": "second"})
            second.stop()

    run(house())


def test_the_house_may_come_first(tmp_path):
    async def house() -> None:
        async with aclosing(aiter(WebEnd(tmp_path, retry_s=0.02))) as messages:
            waiting = asyncio.create_task(anext(messages))
            await asyncio.sleep(0.05)
            eyes = Eyes(tmp_path, "late")
            assert (await waiting).body == {"type": "link", "connected": True}
            eyes.stop()

    run(house())


def test_the_umpires_events_reach_the_eyes_in_order(tmp_path):
    async def house() -> None:
        eyes = Eyes(tmp_path, "only")
        link = WebEnd(tmp_path)
        async with aclosing(aiter(link)) as messages:
            await expect(messages, type="match")
            for n in (1, 2, 3):
                await link.send({"type": "correction", "action": "undo", "stroke": n})
            seen = ""
            while seen.count("undo") < 3:
                eyes.tell("poll")
                seen += await asyncio.to_thread(eyes.process.stdout.readline)
            assert [seen.index(f"'stroke': {n}") for n in (1, 2, 3)] == sorted(
                seen.index(f"'stroke': {n}") for n in (1, 2, 3)
            )
            eyes.stop()

    run(house())


def test_an_umpire_is_told_when_the_eyes_are_away(tmp_path):
    async def house() -> None:
        with pytest.raises(LinkError, match="not running"):
            await WebEnd(tmp_path).send({"type": "correction"})

    run(house())


def test_a_house_that_comes_back_gets_the_last_match_and_pictures_come_with_their_bytes(tmp_path):
    async def house(link: VisionEnd, n: int) -> None:
        async with aclosing(aiter(WebEnd(tmp_path))) as messages:
            await expect(messages, type="match", match=3)
            link.publish({"type": "preview", "n": n}, b"\x00jpeg\xff" * n)
            assert (await expect(messages, type="preview")).blob == b"\x00jpeg\xff" * n

    with VisionEnd(tmp_path) as link:
        for n in (1, 2, 3):
            link.publish({"type": "match", "match": n})
        for n in (1, 5):
            run(house(link, n))


def test_a_house_that_does_not_read_never_blocks_the_eyes_and_loses_live_frames_only(tmp_path):
    big = "x" * 5000
    with VisionEnd(tmp_path) as link:

        async def house() -> None:
            async with aclosing(aiter(WebEnd(tmp_path))) as messages:
                await expect(messages, type="link")
                wait_for(lambda: link.listeners == 1)
                start = time.monotonic()
                for i in range(1000):
                    link.publish({"type": "live", "t": i, "pieces": big})
                    if i % 10 == 0:
                        link.publish({"type": "line", "line": i})
                assert time.monotonic() - start < 2.0
                lines, lives = [], []
                while not lives or lives[-1] != 999:
                    body = (await anext(messages)).body
                    (lines if body["type"] == "line" else lives).append(body.get("line", body.get("t")))
                while len(lines) < 100:
                    lines.append((await expect(messages, type="line")).body["line"])
                assert lines == list(range(0, 1000, 10))
                assert lives == sorted(lives)
                assert len(lives) < 1000

        run(house())


def test_a_house_that_sleeps_too_long_is_cut_off_while_others_go_on(tmp_path):
    with VisionEnd(tmp_path) as link:
        sleeper = socket.socket(socket.AF_UNIX)
        sleeper.connect(str(tmp_path / SOCKET_NAME))
        wait_for(lambda: link.listeners == 1)
        for _ in range(6000):
            link.publish({"type": "line", "line": "x" * 500})
        wait_for(lambda: link.listeners == 0)
        sleeper.close()


@pytest.mark.parametrize("nonsense", [b"GET / HTTP/1.1\r\n\r\n", b"\x00\x00\x00\x02\x00\x00\x00\x00[]", b"\x00"])
def test_nonsense_on_the_socket_disturbs_nobody(tmp_path, nonsense):
    with VisionEnd(tmp_path) as link:
        intruder = socket.socket(socket.AF_UNIX)
        intruder.connect(str(tmp_path / SOCKET_NAME))
        intruder.sendall(nonsense)
        intruder.shutdown(socket.SHUT_WR)
        assert intruder.recv(1) == b""
        intruder.close()
        assert link.poll() == []


def test_a_house_that_arrives_as_the_eyes_close_is_let_go(tmp_path):
    for _ in range(20):
        with VisionEnd(tmp_path), socket.socket(socket.AF_UNIX) as late:
            late.connect(str(tmp_path / SOCKET_NAME))


def test_only_one_pair_of_eyes_works_in_a_folder(tmp_path):
    with VisionEnd(tmp_path), pytest.raises(LinkError, match="already running"), VisionEnd(tmp_path):
        pass


def test_a_folder_that_is_missing_says_so(tmp_path):
    with pytest.raises(LinkError, match="there is no folder"), VisionEnd(tmp_path / "none"):
        pass


def test_the_socket_is_for_its_owner_alone_and_goes_with_the_eyes(tmp_path):
    with VisionEnd(tmp_path):
        assert (tmp_path / SOCKET_NAME).stat().st_mode & 0o077 == 0
    assert list(tmp_path.iterdir()) == []


def test_a_folder_too_deep_for_a_socket_uses_the_loopback_with_a_token(tmp_path):
    deep = tmp_path / ("d" * 100)
    deep.mkdir()

    async def house(link: VisionEnd) -> None:
        async with aclosing(aiter(WebEnd(deep))) as messages:
            await expect(messages, type="link", connected=True)
            await expect(messages, type="match", match=1)
        port, _token = (deep / "eyes.port").read_text().split()
        reader, writer = await asyncio.open_connection("127.0.0.1", int(port))
        writer.write(b"\x00\x00\x00\x13\x00\x00\x00\x00" + b'{"token":"guessed"}')
        assert await reader.read() == b""
        writer.close()

    with VisionEnd(deep) as link:
        assert (deep / "eyes.port").stat().st_mode & 0o077 == 0
        link.publish({"type": "match", "match": 1})
        run(house(link))
