"""Topics of the contract between boards and hub, in its version 1. Payloads are JSON in UTF-8 unless stated."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

ROOT = "carrom/1"
"""Root of all topics; a changed meaning is another number."""
HUB = f"{ROOT}/hub"
"""The hub, retained: `{"boot","session","program"}`, or `{"boot":null}` while it is away. Each new pair is a reason
for every courier to ask anew what the hub has."""


class Topic(StrEnum):
    """Last part of a topic below a station's id."""

    LOG = "log"
    """Rows of a log, see `referee.courier.chunk`; from the board."""
    ASK = "ask"
    """List of uids: the board asks how many bytes of these logs the hub has."""
    UP = "up"
    """Retained: `{"up":true,"station","program","pages"}`; the last will is `{"up":false}`."""
    STATE = "state"
    """Retained, twice a second at most: the match in view, in English, with `uid`, `eyes`, `running`."""
    HEALTH = "health"
    """Retained: last health message of the vision process, null while that is away, and `refused` logs."""
    ANSWER = "answer"
    """What became of a word: `{"id","done":true}` or `{"id","refused":{language:sentence}}`; and of a wish:
    `{"uid","stroke","files"}`, the number of files uploaded."""
    HAVE = "have"
    """From the hub: `{"uid","have"}`, bytes committed, which may go down; with `gap` if a message did not fit, and
    `refused` with a sentence if the hub has other bytes."""
    WORD = "word"
    """From the hub: a message to the vision process, with `id`, `by` and `wall`."""
    WANT = "want"
    """From the hub: `{"uid","stroke"}`; the board uploads what it keeps of this stroke."""


FROM_BOARD = (Topic.LOG, Topic.ASK, Topic.UP, Topic.STATE, Topic.HEALTH, Topic.ANSWER)
TO_BOARD = (Topic.HAVE, Topic.WORD, Topic.WANT)


@dataclass(frozen=True, slots=True)
class Address:
    """A topic taken apart."""

    station: str
    topic: Topic
    uid: str = ""
    """Match, for rows of a log."""


def topic_of(station: str, topic: Topic, uid: str = "") -> str:
    """Returns the whole topic."""
    return f"{ROOT}/{station}/{topic}" + (f"/{uid}" if uid else "")


def address_of(text: str) -> Address | None:
    """Returns a topic's parts; None if it is none of a station's."""
    parts = text.removeprefix(f"{ROOT}/").split("/")
    if not text.startswith(f"{ROOT}/") or not 2 <= len(parts) <= 3 or parts[1] not in set(Topic):
        return None
    return Address(parts[0], Topic(parts[1]), parts[2] if len(parts) > 2 else "")
