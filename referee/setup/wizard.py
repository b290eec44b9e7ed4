"""A set-up at work: takes pictures and what people ask for, tells how it stands, keeps each step at once."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from types import TracebackType
from typing import Any, Self

from calibration.geometry.lens import Lens
from calibration.geometry.picture import Picture
from calibration.meters.focus import sharpness
from calibration.meters.lighting import LightReading, light_of
from calibration.profile import Profile
from calibration.reregister import apart_mm
from referee.frames.frame import Frame
from referee.setup.board_outline import board_document
from referee.setup.documents import (
    Document,
    card_document,
    coins_document,
    jpeg,
    progress_document,
    reading_document,
    reason_document,
    striker_document,
)  # fmt: skip
from referee.setup.long_tasks import (
    Done,
    SetUpProblem,
    find_board,
    find_board_with_sheet,
    learn_coins,
    learn_striker,
    shoot_sheet,
)  # fmt: skip
from referee.setup.meters import PICTURES, copied, readings
from referee.setup.progress import SetUpFiles
from referee.setup.steps import Choices, Progress, Step
from referee.setup.verdict import card

logger = logging.getLogger(__name__)

WIZARD_EVERY_S = 0.4
"""Pause between two pictures with their meters: a focus ring is turned slowly, and a Pi is not to get hot by it."""
WIZARD_AGAIN_S = 4.0
"""The board is looked for again after this pause: a search takes a Pi's core for some seconds."""
LIGHTS_S = 2.5
"""Flicker is told from the last pictures over so long."""
WATCH = "watch"
"""What a search is called that nobody asked for."""
WIZARD_SAME_MM = 0.3
"""A board measured twice differs by less; one that is kept is then not kept anew."""
WIZARD_UNSEEN_S = 60.0
"""A set-up that no page has asked about for so long is over: a tablet was put away."""

Publish = Callable[[Document, bytes], None]
Work = Callable[[list[Picture]], Done]


class SetUpWizard:
    """Call `see` for each frame and `ask` for each wish of a page; use it in a `with`.

    What takes long is done in a thread of its own; nothing here waits for it.
    """

    def __init__(
        self, files: SetUpFiles, source: str, publish: Publish, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`publish` is given the state and a JPEG picture a few times a second."""
        self._progress_files, self._publish, self._clock = files, publish, clock
        self.progress = _for(files.progress(), source)
        """How far it has come."""
        self.profile = files.profile() if self.progress.done else None
        """The board as it was last kept."""
        self.closed = False
        """The page has left it, or nobody has looked for a minute."""
        self.wish: dict[str, Any] | None = None
        """The match that is to begin with it."""
        self._last = Done()
        """What the step's last work came to, not yet kept."""
        self._lens: Lens | None = None
        self._problem: SetUpProblem | None = None
        self._pool = ThreadPoolExecutor(1, "set-up")
        self._job: tuple[str, Future[Done]] | None = None
        self._wanted: tuple[str, Work] | None = None
        self._pictures: list[Picture] = []
        self._lights: deque[LightReading] = deque()
        self._best = 0.0
        self._next = self._retry = float("-inf")
        self._asked_at = clock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:  # fmt: skip
        self._pool.shutdown(cancel_futures=True)

    def reopened(self) -> None:
        """The source begins anew, and its clock with it."""
        self._lights.clear()

    def looked_at(self) -> None:
        """A page shows it."""
        self._asked_at = self._clock()

    def rest(self) -> None:
        """Closes it when nobody has looked for a minute; to be asked where no frames come too."""
        self.closed = self.closed or self._clock() - self._asked_at > WIZARD_UNSEEN_S

    def see(self, frame: Frame, exposure_s: Callable[[], float | None] = lambda: None) -> None:
        """Takes in one frame; `exposure_s` is asked now and then, None where the source does not tell it."""
        self._lights.append(light_of(frame.picture, frame.t))
        while self._lights[0].t < frame.t - LIGHTS_S:
            self._lights.popleft()
        self._collect(frame.picture)
        self._settle()
        self.rest()
        now = self._clock()
        if self._is_watching and self._busy is None and now >= self._retry:
            self._find(WATCH)
        if now >= self._next:
            self._next = now + WIZARD_EVERY_S
            self._publish(self._document(frame.picture, exposure_s()), jpeg(frame.picture))

    def ask(self, wish: Mapping[str, Any]) -> None:
        """Does what a page asks for, see `referee.web.setup_api.SetUpRequest`; full disks cost what was to be kept."""
        self.looked_at()
        self._problem = None
        try:
            self._do(wish)
        except OSError as e:
            logger.warning("the set-up cannot be kept: %s", e)
            self._problem = SetUpProblem.NO_ROOM

    def _do(self, wish: Mapping[str, Any]) -> None:
        match wish["ask"]:
            case "go":
                self._go(Step(wish["step"]))
            case "find":
                self._save(replace(self.progress, choices=_choices(wish)))
                self._find()
            case "keep":
                self._keep(Step(wish["step"]))
            case "shoot":
                self._want("shoot", partial(shoot_sheet, files=self._progress_files))
            case "clear_sheet":
                self._progress_files.drop_shots()
            case "measure_lens":
                self._want("lens", partial(find_board_with_sheet, choices=self.progress.choices,
                                           sheet=self._progress_files.sheet_folder))  # fmt: skip
            case "own_lens":
                self._lens = None
                self._save(replace(self.progress, has_sheet=False))
                self._find()
            case "formation":
                self._want("formation", partial(learn_coins, profile=self.profile))
            case "striker":
                self._want("striker", partial(learn_striker, profile=self.profile))
            case "match":
                self._save(replace(self.progress, match=wish.get("match")).with_done(Step.MATCH))
            case "finish":
                self._finish(bool(wish.get("begin")))
            case "leave":
                self.closed = True
            case "restart":
                self.profile, self._lens = None, None
                self._save(Progress(self.progress.source))
                self._go(Step.CAMERA)

    @property
    def _is_watching(self) -> bool:
        """Whether the board is looked for unasked: again and again while the camera is hung, else until it is found."""
        at = self.progress.at
        return at is Step.CAMERA or (at is Step.BOARD and self._last.found is None)

    @property
    def _shown(self) -> Profile | None:
        """The board that is drawn over the picture."""
        return self._last.found or self.profile

    @property
    def _busy(self) -> str | None:
        """What is being worked on."""
        return self._job[0] if self._job else self._wanted[0] if self._wanted else None

    @property
    def _told_busy(self) -> str | None:
        """The same for the page, which need not wait for a board while the camera is hung."""
        if self._busy == WATCH:
            return None if self.progress.at is Step.CAMERA or self._shown else "board"
        return self._busy

    def _go(self, step: Step) -> None:
        self._last, self._wanted = Done(), None
        self._save(replace(self.progress, at=step))

    def _find(self, name: str = "board") -> None:
        choices, sheet = self.progress.choices, self._progress_files.sheet_folder
        if self._lens is None and self.progress.has_sheet:
            self._want(name, partial(find_board_with_sheet, choices=choices, sheet=sheet))
        else:
            self._want(name, partial(find_board, choices=choices, lens=self._lens))

    def _keep(self, step: Step) -> None:
        """What was last measured in this step holds."""
        last = self._last
        measured = last.measured(step)
        if step in (Step.BOARD, Step.LENS) and measured and self.profile and stands_there(self.profile, measured):
            measured, self._last = None, Done(lens=last.lens)
        if measured is None and self.profile is None and step is not Step.CAMERA:
            self._problem = SetUpProblem.NO_BOARD
            return
        if measured is not None:
            self._progress_files.save_profile(measured)
            self.profile, self._last = measured, Done(coins=last.coins, striker=last.striker)
        if step is Step.LENS and self.profile is not None:
            self.progress = replace(self.progress, has_sheet=self.profile.lens == "charuco")
        self._save(self.progress.with_done(step, anew=measured is not None))

    def _finish(self, begin: bool) -> None:
        if self.profile is None:
            self._problem = SetUpProblem.NO_BOARD
            return
        self._save(replace(self.progress.with_done(Step.CARD), finished=True))
        self.wish = self.progress.match if begin else None
        self.closed = True

    def _save(self, progress: Progress) -> None:
        self._progress_files.save(progress)
        self.progress = progress

    def _want(self, name: str, work: Work) -> None:
        """Has `work` done with the next few pictures; what was wanted before and has not begun is not done."""
        self._wanted, self._pictures = (name, work), []

    def _collect(self, picture: Picture) -> None:
        if self._wanted is None or self._job is not None:
            return
        if self._pictures and self._pictures[0].y.shape != picture.y.shape:
            self._pictures = []
        self._pictures.append(copied(picture))
        if len(self._pictures) == PICTURES:
            name, work = self._wanted
            self._job = name, self._pool.submit(work, self._pictures)
            self._wanted, self._pictures = None, []

    def _settle(self) -> None:
        """Takes what the thread has done."""
        if self._job is None or not self._job[1].done():
            return
        (_, future), self._job = self._job, None
        self._last = future.result()
        self._lens, self._problem = self._last.lens or self._lens, self._last.problem
        self._retry = self._clock() + WIZARD_AGAIN_S

    def _document(self, picture: Picture, exposure_s: float | None) -> Document:
        self._best = max(self._best, sharpness(picture))
        meters, last = readings(picture, self._lights, self._shown, self._best, exposure_s), self._last
        return {
            **progress_document(self.progress, is_open=True), "size": [picture.width, picture.height],
            "busy": self._told_busy, "problem": self._problem,
            "reasons": [reason_document(r) for r in last.reasons],
            "meters": [reading_document(r) for r in meters],
            "board": board_document(self._shown) if self._shown else None, "kept": last.found is None,
            "sheet": {"shots": len(self._progress_files.shots()), "rms_px": self._lens and round(self._lens.rms_px, 2)},
            "coins": coins_document(last.coins), "striker": striker_document(last.striker),
            "card": card_document(card(meters, self.profile, self.progress)),
        }  # fmt: skip


def stands_there(files: Profile, found: Profile) -> bool:
    """Whether a board found anew is the one that is kept, by the same lens and where it was."""
    same = (files.board.name, files.lens, files.turn) == (found.board.name, found.lens, found.turn)
    size = abs(files.board.surface - found.board.surface)
    return same and size < WIZARD_SAME_MM and apart_mm(files, found) < WIZARD_SAME_MM


def _for(progress: Progress, source: str) -> Progress:
    """What was begun with this source goes on; with another one a set-up begins."""
    return replace(progress, finished=False) if progress.source == source else Progress(source)


def _choices(wish: Mapping[str, Any]) -> Choices:
    corners = wish.get("corners")
    files = None if corners is None else tuple((float(x), float(y)) for x, y in corners)
    turn, mirror = int(wish.get("turn") or 0), bool(wish.get("mirror"))
    return Choices(wish.get("board"), wish.get("surface_mm"), turn, mirror, files)
