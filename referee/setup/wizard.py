"""The set-up in progress: receives frames and requests, publishes its state, and stores each step at once."""

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

from calibration.geometry.lens import Lens, StatedLens
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
    SetUpProblem,
    TaskResult,
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
"""Interval at which a picture with its meters is published, s. A focus ring is turned slowly, and a Pi must not heat
up.
"""
WIZARD_AGAIN_S = 4.0
"""Pause before the board is searched again, s. A search occupies a Pi's core for some seconds."""
LIGHTS_S = 2.5
"""Time span of the pictures in which flicker is measured, s."""
WATCH = "watch"
"""Name of a search for the board that nobody requested."""
WIZARD_SAME_MM = 0.3
"""Greatest difference of two calibrations of one board, mm. A saved one is then not replaced."""
WIZARD_UNSEEN_S = 60.0
"""Time without a request by any page after which a set-up ends, s: the tablet was put away."""

Publish = Callable[[Document, bytes], None]
Work = Callable[[list[Picture]], TaskResult]


class SetUpWizard:
    """Runs a set-up: call `update` for each frame and `ask` for each request of a page; use it in a `with`.

    Long tasks run in a thread of their own; nothing here waits for them.
    """

    def __init__(
        self, files: SetUpFiles, source: str, publish: Publish, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`publish` receives the state and a JPEG picture a few times a second."""
        self._progress_files, self._publish, self._clock = files, publish, clock
        self.progress = _for(files.progress(), source)
        """Progress so far."""
        self.profile = files.profile() if self.progress.done else None
        """Profile as last saved."""
        self.closed = False
        """The page has left the set-up, or none has shown it for a minute."""
        self.wish: dict[str, Any] | None = None
        """The match to begin with this set-up."""
        self._last = TaskResult()
        """Result of the step's last task, not yet saved."""
        self._lens: Lens | None = None
        self._stated_lens: StatedLens | None = None
        self._problem: SetUpProblem | None = None
        self._pool = ThreadPoolExecutor(1, "set-up")
        self._job: tuple[str, Future[TaskResult]] | None = None
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

    def reopened(self, stated_lens: StatedLens | None = None) -> None:
        """Forgets the light so far: the source has restarted, and its clock with it. It may state its lens."""
        self._lights.clear()
        self._stated_lens = stated_lens

    def looked_at(self) -> None:
        """Notes that a page is showing the set-up."""
        self._asked_at = self._clock()

    def close_if_unwatched(self) -> None:
        """Closes the set-up if no page has shown it for a minute. Call it also where no frames arrive."""
        self.closed = self.closed or self._clock() - self._asked_at > WIZARD_UNSEEN_S

    def update(self, frame: Frame, exposure_s: Callable[[], float | None] = lambda: None) -> None:
        """Processes one frame. `exposure_s` is called now and then, and returns None if the source does not
        report it.
        """
        self._lights.append(light_of(frame.picture, frame.t))
        while self._lights[0].t < frame.t - LIGHTS_S:
            self._lights.popleft()
        self._collect(frame.picture)
        self._settle()
        self.close_if_unwatched()
        now = self._clock()
        if self._is_watching and self._busy is None and now >= self._retry:
            self._find(WATCH)
        if now >= self._next:
            self._next = now + WIZARD_EVERY_S
            self._publish(self._document(frame.picture, exposure_s()), jpeg(frame.picture))

    def ask(self, wish: Mapping[str, Any]) -> None:
        """Carries out a page's request, see `referee.web.setup_api.SetUpRequest`. On a full disk only its result is
        lost.
        """
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
                self._enter(Step(wish["step"]))
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
                self._enter(Step.CAMERA)

    @property
    def _is_watching(self) -> bool:
        """Tells whether the board is searched without a request: repeatedly while the camera is mounted, then until it
        is found.
        """
        at = self.progress.at
        return at is Step.CAMERA or (at is Step.BOARD and self._last.found is None)

    @property
    def _profile(self) -> Profile | None:
        """The board drawn over the picture."""
        return self._last.found or self.profile

    @property
    def _busy(self) -> str | None:
        """Name of the current task."""
        return self._job[0] if self._job else self._wanted[0] if self._wanted else None

    @property
    def _reported_task(self) -> str | None:
        """Name of the task that the page reports. Nobody waits for a board while the camera is being mounted."""
        if self._busy == WATCH:
            return None if self.progress.at is Step.CAMERA or self._profile else "board"
        return self._busy

    def _enter(self, step: Step) -> None:
        self._last, self._wanted = TaskResult(), None
        self._save(replace(self.progress, at=step))

    def _find(self, name: str = "board") -> None:
        choices, sheet = self.progress.choices, self._progress_files.sheet_folder
        if self._lens is None and self.progress.has_sheet:
            self._want(name, partial(find_board_with_sheet, choices=choices, sheet=sheet))
        else:
            self._want(name, partial(find_board, choices=choices, lens=self._lens,
                                     stated_lens=self._stated_lens))  # fmt: skip

    def _keep(self, step: Step) -> None:
        """Saves this step's last result."""
        last = self._last
        measured = last.measured(step)
        if step in (Step.BOARD, Step.LENS) and measured and self.profile and is_same_board(self.profile, measured):
            measured, self._last = None, TaskResult(lens=last.lens)
        if measured is None and self.profile is None and step is not Step.CAMERA:
            self._problem = SetUpProblem.NO_BOARD
            return
        if measured is not None:
            self._progress_files.save_profile(measured)
            self.profile, self._last = measured, TaskResult(coins=last.coins, striker=last.striker)
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
        """Schedules `work` for the next few pictures, in place of a task that has not begun."""
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
        """Takes over the thread's result."""
        if self._job is None or not self._job[1].done():
            return
        (_, future), self._job = self._job, None
        self._last = future.result()
        self._lens, self._problem = self._last.lens or self._lens, self._last.problem
        self._retry = self._clock() + WIZARD_AGAIN_S

    def _document(self, picture: Picture, exposure_s: float | None) -> Document:
        self._best = max(self._best, sharpness(picture))
        meters, last = readings(picture, self._lights, self._profile, self._best, exposure_s), self._last
        return {
            **progress_document(self.progress, is_open=True), "size": [picture.width, picture.height],
            "busy": self._reported_task, "problem": self._problem,
            "reasons": [reason_document(r) for r in last.reasons],
            "meters": [reading_document(r) for r in meters],
            "board": board_document(self._profile) if self._profile else None, "kept": last.found is None,
            "sheet": {"shots": len(self._progress_files.shots()), "rms_px": self._lens and round(self._lens.rms_px, 2)},
            "coins": coins_document(last.coins), "striker": striker_document(last.striker),
            "card": card_document(card(meters, self.profile, self.progress)),
        }  # fmt: skip


def is_same_board(files: Profile, found: Profile) -> bool:
    """Tells whether a newly calibrated board is the saved one: the same lens, size and place."""
    same = (files.board.name, files.lens, files.turn) == (found.board.name, found.lens, found.turn)
    size = abs(files.board.surface - found.board.surface)
    return same and size < WIZARD_SAME_MM and apart_mm(files, found) < WIZARD_SAME_MM


def _for(progress: Progress, source: str) -> Progress:
    """Returns the progress made with this source; with another source the set-up begins anew."""
    return replace(progress, finished=False) if progress.source == source else Progress(source)


def _choices(wish: Mapping[str, Any]) -> Choices:
    corners = wish.get("corners")
    files = None if corners is None else tuple((float(x), float(y)) for x, y in corners)
    turn, mirror = int(wish.get("turn") or 0), bool(wish.get("mirror"))
    return Choices(wish.get("board"), wish.get("surface_mm"), turn, mirror, wish.get("height_mm"), files)
