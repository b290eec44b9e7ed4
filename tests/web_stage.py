"""A stage for web tests: the vision process's link, log and match, played from text, and real web servers for them."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import numpy as np
import pytest
from match_play import STROKE_S, stroke, table
from sim_clips import grey

from models.pieces import Kind, Seat, opening_formation
from referee.facts import Alert, AlertKind, Formation, Returned, Stroke, Table
from referee.laws import StrokeTokens
from referee.link import VisionEnd
from referee.log import LogWriter
from referee.log.session import Session
from referee.match import MatchError, Ruling, Start, correction_of
from referee.replay.clip import ClipFormat, mp4
from referee.replay.cliptimes import ClipTimes
from referee.replay.encoder import Encoder, frame_of
from referee.replay.match_folder import MatchFolder
from referee.replay.tracks import DISC, HAND, LYING, PLACED, VERSION, Tracks
from referee.web.process import WebProcess
from referee.web.serve import WebSettings

WAIT_S = 60.0
"""Longest wait for another process on a slow machine."""

LONGEST_PAUSE_S = 0.08

Json = dict[str, Any]

NAMES = ((Seat.SOUTH, "Asha"), (Seat.NORTH, "Ravi"))
FULL = {Kind.WHITE: 9, Kind.BLACK: 9, Kind.QUEEN: 1}


def formation() -> list[Json]:
    """Returns the nineteen coins as a board begins, and a striker placed by south."""
    coins = [{"kind": p.kind.value, "x_mm": p.x_mm, "y_mm": p.y_mm} for p in opening_formation(31.0)]
    return [*coins, {"kind": "striker", "x_mm": 40.0, "y_mm": -252.6}]


def live(t: float = 1.0, **changes: Any) -> Json:
    """Returns a live message of time `t`."""
    base = {"type": "live", "t": t, "phase": "waiting", "pieces": formation(), "hands": [], "placement": None}
    return base | {"fps": 30.0, "dropped": 0, "source": "test"} | changes


def placement(legal: bool | None = True, margin: float = 3.2, seat: str = "south", limit: str = "moon") -> Json:
    """Returns a striker at rest on a seat's base lines."""
    return {"seat": seat, "x_mm": 40.0, "y_mm": -252.6, "legal": legal, "limit": limit, "margin_mm": margin,
            "sigma_mm": 0.4}  # fmt: skip


class Stage:
    """The vision process's side in a folder: plays what a test says, and collects what the web server sends back."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = folder / "match.jsonl"
        self._matches = 0

    @contextmanager
    def eyes(self, header: Mapping[str, Any] | None = None, **start: Any) -> Iterator[Eyes]:
        """Runs the vision process's side. It may be left and entered again, as at a restart.

        `header`: further fields of the log's header.
        """
        with VisionEnd(self.folder) as link, LogWriter(self.log) as writer:
            yield Eyes(link, writer, Start("m1", **({"players": NAMES} | start)), header)

    @contextmanager
    def match(self, link: VisionEnd, header: Mapping[str, Any] | None = None, **start: Any) -> Iterator[Eyes]:
        """Begins another match of the same process in its own log, as when the umpire begins one.

        `header`: further fields of its header.
        """
        self._matches += 1
        self.log = self.folder / f"match-{self._matches}.jsonl"
        with LogWriter(self.log) as writer:
            link.publish({"type": "match", "log": str(self.log.resolve())})
            begun = Start(f"m{self._matches}", **({"players": NAMES} | start))
            yield Eyes(link, writer, begun, header)

    def settings(self, **changes: Any) -> WebSettings:
        """Returns settings of a web server on a free local port, without a PIN unless a test sets one."""
        return WebSettings(**({"log": self.log, "folder": self.folder, "host": "127.0.0.1", "port": 0} | changes))

    def house(self, **changes: Any) -> WebProcess:
        """Starts a real web server process."""
        return WebProcess(self.settings(**changes))


class Eyes:
    """The running vision side: a session that logs and judges what is played, and the link to the web servers."""

    def __init__(
        self, link: VisionEnd, writer: LogWriter, start: Start, header: Mapping[str, Any] | None = None
    ) -> None:
        self.link = link
        self.writer = writer
        self.session = Session(writer, start, lambda line: link.publish({"type": "line", "line": line}))
        self.session.begin(time.time(), **({"calibration": {}} | dict(header or {})))
        self.t = 0.0
        self.n = 0
        self.coins = dict(FULL)

    def connected(self) -> None:
        """Waits until a web server listens."""
        until(lambda: self.link.listeners > 0)

    def formation(self, breaker: str | None = "south") -> None:
        """Sets up the coins for a new board."""
        self.t += STROKE_S
        self.coins = dict(FULL)
        self.session.add(Formation(self.t, opening_formation(31.0), Seat(breaker) if breaker else None))
        self._settle()

    def stroke(self, seat: str, text: str, **changes: Any) -> Ruling:
        """Plays a stroke with the result `text`. The players put back what the ruling says."""
        self.t += STROKE_S
        self.n += 1
        (ruling,) = self.session.add(stroke(self.n, seat, text, self.t, **changes))
        for token in StrokeTokens.parse(text).tokens:
            if token.piece in self.coins:
                self.coins[token.piece] -= 1
        self._settle()
        for kind, count in ruling.to_return:
            for _ in range(count):
                self._put_back(kind)
        return ruling

    def play(self, *strokes: str, breaker: str = "south") -> None:
        """Plays a board from its formation on: `south W,W`, `north -`."""
        self.formation(breaker)
        for text in strokes:
            self.stroke(*text.split())

    def alert(self, kind: AlertKind, text: str) -> None:
        """Raises an alert."""
        self.session.add(Alert(self.t, kind, text))

    def see(self, **changes: Any) -> None:
        """Publishes the present pieces."""
        self.link.publish(live(**({"t": self.t + 3.0} | changes)))

    def picture(self, jpeg: bytes, reach_mm: float = 440.0, **seen: Any) -> None:
        """Publishes the camera's picture and the detections in it."""
        self.link.publish({"type": "preview", "reach_mm": reach_mm, "seen": live(**seen)}, jpeg)

    def asked(self, kind: str = "correction") -> Json:
        """Returns the next message of one type that a web server sent."""
        events: list[Json] = []
        until(lambda: bool(events.extend(e for e in self.link.poll() if e["type"] == kind) or events))
        assert len(events) == 1
        return events[0]

    def heard(self) -> list[Json]:
        """Everything that houses sent since it was asked last, but for their wish to see the camera's picture."""
        return [event for event in self.link.poll() if event["type"] != "preview_wanted"]

    def obey(self) -> Json:
        """Applies the next decision of the umpire to the match, as the vision process does, and returns it."""
        event = self.asked()
        self.take(event)
        return event

    def take(self, event: Mapping[str, Any]) -> None:
        """Applies a decision of the umpire to the match, or refuses it."""
        try:
            self.session.correct(correction_of(event, self.t), event.get("seen"))
        except MatchError as e:
            self.link.publish({"type": "refused", "id": event["id"], "texts": e.in_every_language()})

    def run(self, message: Mapping[str, Any]) -> None:
        """Pauses, resumes or ends the match, as the vision process does."""
        self.session.run(message, self._table())

    def _put_back(self, kind: Kind) -> None:
        self.coins[kind] += 1
        self.t += 0.1
        self.session.add(Returned(self.t, kind, 0.0, 0.0, None))
        self._settle()

    def _settle(self) -> None:
        self.t += 3.0
        self.session.add(self._table())

    def _table(self) -> Table:
        return table(self.t, *(self.coins[kind] for kind in FULL))


def film(stage: Stage, eyes: Eyes, camera: Json) -> None:
    """A clip of the last stroke, as the recorder keeps it: from two seconds before the strike to three after it."""
    strike = next(e.t_strike for e in reversed(eyes.session.match.events) if isinstance(e, Stroke))
    times = [strike - 2 + i / 30 for i in range(150)]
    encoder, folder = Encoder(480, 360, False), MatchFolder(stage.log)
    packets = [c for i, t in enumerate(times) for c in encoder.encode(frame_of(grey(20 + i)), t)] + encoder.flush()
    folder.path.mkdir(exist_ok=True)
    ClipTimes(480, 360, False, tuple(times), camera, 8.0, 9.0).save(folder, eyes.n)
    folder.clip(eyes.n).write_bytes(mp4(packets, ClipFormat(480, 360, encoder.name, False)))


def trace(stage: Stage, eyes: Eyes) -> None:
    """Tracks of the last stroke: the striker goes from south's base lines to the north west pocket in a second."""
    strike = next(e.t_strike for e in reversed(eyes.session.match.events) if isinstance(e, Stroke))
    way = [(strike + i / 30, 1, b"S", 40.0 - 13.0 * i, -252.6 + 20.0 * i, 0.1) for i in range(31)]
    folder = MatchFolder(stage.log)
    folder.path.mkdir(exist_ok=True)
    Tracks(
        version=np.array(VERSION), span=np.array([strike - 2.0, strike + 3.0]), discs=np.array(way, DISC),
        changes=np.array([strike - 2.0]), lying=np.array([(0, b"W", 100, 90), (0, b"B", -80, 150)], LYING),
        placed=np.array([(strike - 0.5, 40.0, -252.6, 0.1)], PLACED), hands=np.zeros(0, HAND),
    ).save(folder.tracks(eyes.n))  # fmt: skip


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    """Creates the vision side for all tests of a file."""
    return Stage(tmp_path_factory.mktemp("stage"))


@pytest.fixture(scope="module")
def house(stage: Stage) -> Iterator[WebProcess]:
    """Starts a web server for all tests of a file, without a PIN."""
    with stage.house() as running:
        yield running


@pytest.fixture(scope="module")
def link(stage: Stage, house: WebProcess) -> Iterator[VisionEnd]:
    """Creates the vision side's end of the link for all tests of a file."""
    with VisionEnd(stage.folder) as running:
        until(lambda: running.listeners > 0)
        yield running


@pytest.fixture
def eyes(stage: Stage, house: WebProcess, link: VisionEnd) -> Iterator[Eyes]:
    """Begins a new match for each test, which the web server shows already."""
    link.poll()
    with stage.match(link) as running:
        mine = running.session.match.start.match
        until(lambda: (state(house.urls[0]).get("view") or {}).get("match") == mine)
        yield running


def until(holds: Callable[[], bool], what: str = "", within_s: float = WAIT_S) -> None:
    """Waits until `holds()` is true. Separate processes cannot be awaited otherwise."""
    end, pause_s = time.monotonic() + within_s, 0.005
    while not holds():
        assert time.monotonic() < end, f"not within {within_s} s: {what or holds}"
        time.sleep(pause_s)
        # Who asks fifty times a second for seconds takes the machine from the process that is waited for.
        pause_s = min(LONGEST_PAUSE_S, 1.5 * pause_s)


def state(url: str) -> Json:
    """Returns the sections that a web server shows now."""
    # Polled while another process needs the machine: a new httpx client each time would cost more than the answer.
    with urlopen(f"{url}api/state", timeout=WAIT_S) as answer:
        sections: Json = json.loads(answer.read())["sections"]
    return sections
