"""The scorecard of a board in SoL, the carrom world's tournament manager: read and filled in by the address of its
printed label.

SoL (GPL) is a program of its own at an address of its own; nothing of it is imported. The forms are those of SoL 5.26.
"""

from __future__ import annotations

import re
import urllib.error
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from http import HTTPStatus
from http.client import HTTPException
from json import JSONDecodeError, loads
from typing import Any
from urllib.parse import urlencode

from referee.hub.scorecard import CardBoard

SOL_PATH = re.compile(r"https?://[^/\s]+(/[^\s?#]*)?/lit/match/[\w.-]+", re.ASCII)
"""Address of a board's label."""
SOL_TURN = re.compile(r"[0-9]{1,4}")
SOL_WAIT_S = 10.0
SOL_PAGE_BYTES = 1 << 20
SOL_POINTS = 25
"""Greatest score that SoL takes."""
SIDE_COLUMNS = "4"
"""Columns that the name of a side takes in the card's table."""


class SolError(Exception):
    """SoL does not do what is asked; the message is one sentence."""


class SolClosed(SolError):
    """The card of this round takes nothing any more: its result is entered, or a new round has begun."""


@dataclass(frozen=True, slots=True)
class SolCard:
    """The card of the round that is being played."""

    tourney: str
    round: int
    names: tuple[str, str]
    boards: int
    """Number of boards that were entered."""


def read_card(url: str) -> SolCard:
    """Returns the card of a label's address. Raises SolError, and SolClosed if its result is entered."""
    status, text = _ask(url, None)
    if status in (HTTPStatus.FOUND, HTTPStatus.SEE_OTHER):
        raise SolClosed("SoL has the result of this round already")
    page = _CardPage()
    page.feed(text)
    if page.turn is None or len(page.names) != 2 or not all(page.names):
        raise SolError("SoL shows no scorecard at this address: take it from the board's label")
    return SolCard(page.tourney, page.turn, (page.names[0], page.names[1]), page.boards)


def write_card(url: str, turn: int, boards: Sequence[CardBoard], score: tuple[int, int] | None) -> None:
    """Enters all boards of a round, and with a score its result, after which the card is closed.

    Raises SolError, and SolClosed if the card takes nothing any more.
    """
    form = {"turn": str(turn)}
    for i, board in enumerate(boards, 1):
        form |= {f"coins_{i}_1": str(board.coins[0]), f"coins_{i}_2": str(board.coins[1])}
        if board.queen is not None:
            form[f"queen_{i}"] = str(board.queen + 1)
    if score is not None:
        form |= {"end_match": "1"} | {f"score{i}": str(min(max(p, 0), SOL_POINTS)) for i, p in enumerate(score, 1)}
    status, text = _ask(url, form)
    if status in (HTTPStatus.FOUND, HTTPStatus.SEE_OTHER):
        if score is None:
            raise SolClosed("SoL has the result of this round already")
        return
    try:
        answer: dict[str, Any] = loads(text)
        done, why, closed = bool(answer["success"]), str(answer["message"]), "location" in answer
    except (JSONDecodeError, LookupError, TypeError):
        raise SolError("SoL answers something else than a scorecard does") from None
    if not done:
        raise (SolClosed if closed else SolError)(f"SoL does not take it: {why[:200]}")


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        """Where SoL leads says what became of the card, and is no page to read."""


OPENER = urllib.request.build_opener(_NoRedirect)


def _ask(url: str, form: dict[str, str] | None) -> tuple[int, str]:
    """Returns status and text of SoL's answer; with a form it is sent as SoL's own page sends it."""
    if not SOL_PATH.fullmatch(url):
        raise SolError("this is no address of SoL's label: it holds /lit/match/ and a signature")
    data = None if form is None else urlencode(form).encode()
    request = urllib.request.Request(url, data, {"X-Requested-With": "XMLHttpRequest"} if form else {})
    try:
        with OPENER.open(request, timeout=SOL_WAIT_S) as answer:
            return answer.status, answer.read(SOL_PAGE_BYTES).decode("utf-8", "replace")
    except urllib.error.HTTPError as e:
        with e:
            if e.code in (HTTPStatus.FOUND, HTTPStatus.SEE_OTHER):
                return e.code, ""
            if e.code in (HTTPStatus.BAD_REQUEST, HTTPStatus.NOT_FOUND):
                raise SolError("SoL has no match at this board now, or the address is not its own") from None
            raise SolError(f"SoL answers with error {e.code}") from None
    except (OSError, ValueError, HTTPException) as e:
        raise SolError(f"SoL does not answer: {getattr(e, 'reason', e)}") from None


@dataclass
class _CardPage(HTMLParser):
    """Reads the few things of SoL's page that are needed."""

    turn: int | None = None
    tourney: str = ""
    names: list[str] = field(default_factory=list)
    boards: int = 0
    _into: str = ""

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "input" and given.get("name") == "turn":
            value = given.get("value") or ""
            self.turn = int(value) if SOL_TURN.fullmatch(value) else None
        elif tag == "th" and given.get("colspan") == SIDE_COLUMNS:
            self.names.append("")
        elif tag == "tr" and (given.get("id") or "").startswith("board_"):
            self.boards += 1
        elif tag == "span" and self.names:
            self._into = "name"
        elif tag == "h1":
            self._into = "tourney"

    def handle_endtag(self, tag: str) -> None:
        if tag in ("h1", "span"):
            self._into = ""

    def handle_data(self, data: str) -> None:
        if self._into == "tourney":
            self.tourney = " ".join([*self.tourney.split(), *data.split()])
        elif self._into == "name":
            self.names[-1] = " ".join([*self.names[-1].split(), *data.split()])
