"""The broadcast: full state first, then differences; whoever is slow skips values and holds up nobody."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator

import pytest

from referee.web.broadcast import Broadcast, Section


class Clock:
    """A clock that a test sets."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


async def take(messages: AsyncGenerator[str], n: int) -> list[dict[str, object]]:
    return [json.loads(await anext(messages)) for _ in range(n)]


def test_the_first_message_is_the_whole_state_with_ages() -> None:
    async def scene() -> None:
        clock = Clock()
        broadcast = Broadcast(clock)
        broadcast.publish(Section.VIEW, {"board": 3})
        clock.now += 2.5
        broadcast.publish(Section.LIVE, {"t": 1.0})
        [state] = await take(broadcast.messages(), 1)
        assert state["type"] == "state"
        assert state["sections"] == {"view": {"board": 3}, "live": {"t": 1.0}}
        assert state["age_s"] == {"view": 2.5, "live": 0.0}

    asyncio.run(scene())


def test_a_change_reaches_every_viewer_as_one_section_with_a_rising_number() -> None:
    async def scene() -> None:
        broadcast = Broadcast()
        viewers = [broadcast.messages() for _ in range(3)]
        for viewer in viewers:
            await take(viewer, 1)
        broadcast.publish(Section.VIEW, {"board": 4})
        for viewer in viewers:
            [diff] = await take(viewer, 1)
            assert diff == {"type": "diff", "seq": 1, "section": "view", "value": {"board": 4}}

    asyncio.run(scene())


def test_a_viewer_who_reads_late_gets_only_the_newest_value_of_each_section() -> None:
    async def scene() -> None:
        broadcast = Broadcast()
        viewer = broadcast.messages()
        await take(viewer, 1)
        for t in range(1000):
            broadcast.publish(Section.LIVE, {"t": t})
        broadcast.publish(Section.VIEW, {"board": 5})
        got = await take(viewer, 2)
        assert {str(d["section"]): d["value"] for d in got} == {"live": {"t": 999}, "view": {"board": 5}}

    asyncio.run(scene())


def test_a_quiet_hub_gives_signs_of_life() -> None:
    async def scene() -> None:
        broadcast = Broadcast(beat_s=0.01)
        _, beat = await take(broadcast.messages(), 2)
        assert beat == {"type": "beat", "seq": 0}

    asyncio.run(scene())


def test_a_viewer_who_leaves_is_forgotten() -> None:
    async def scene() -> None:
        broadcast = Broadcast()
        viewer = broadcast.messages()
        await take(viewer, 1)
        assert broadcast.viewers == 1
        await viewer.aclose()
        assert broadcast.viewers == 0

    asyncio.run(scene())


def test_update_is_silent_when_nothing_differs() -> None:
    broadcast = Broadcast()
    broadcast.update(Section.LOG, {"lines": 1})
    before = broadcast.state()
    broadcast.update(Section.LOG, {"lines": 1})
    assert json.loads(broadcast.state())["seq"] == json.loads(before)["seq"] == 1


def test_what_browsers_cannot_read_is_refused_and_changes_nothing() -> None:
    broadcast = Broadcast()
    with pytest.raises(ValueError, match="JSON compliant"):
        broadcast.publish(Section.LIVE, {"x_mm": float("nan")})
    assert broadcast.value(Section.LIVE) is None


def test_a_section_with_words_reads_in_each_viewers_language_and_is_encoded_once_a_language() -> None:
    async def scene() -> None:
        broadcast = Broadcast()
        broadcast.publish_worded(Section.VIEW, {"en": {"say": "own coin"}, "de": {"say": "eigener Stein"}}, "en")
        viewers = {language: broadcast.messages(language) for language in ("de", "en", "pt")}
        said = {language: (await take(viewer, 1))[0]["sections"] for language, viewer in viewers.items()}
        assert {language: s["view"]["say"] for language, s in said.items()} == {  # type: ignore[index]
            "de": "eigener Stein", "en": "own coin", "pt": "own coin"}  # fmt: skip

    asyncio.run(scene())
