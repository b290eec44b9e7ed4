"""Runs a set-up in the vision process: gives it the source's frames, and the pages' requests between two of them."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from referee.frames.frame import Source, SourceError, stated_lens_of
from referee.pipeline.publisher import WORDS_EVERY_S, Publisher
from referee.pipeline.startup import MatchSettings
from referee.pipeline.vitals import CameraState
from referee.setup.documents import progress_document
from referee.setup.meters import exposure_of
from referee.setup.progress import SetUpFiles
from referee.setup.wizard import SetUpWizard

REOPEN_PAUSE_S = 2.0
"""Pause after which a camera that failed is opened again, in seconds."""
UNDER_WAY = "a set-up is under way"


def publish_progress(audience: Publisher, files: SetUpFiles) -> None:
    """Publishes the progress of a set-up that is not under way."""
    audience.publish(progress_document(files.progress(), is_open=False))


def set_up(opened: Callable[[], Source], setting: MatchSettings, files: SetUpFiles, audience: Publisher,
           stopped: Callable[[], bool]) -> tuple[MatchSettings, dict[str, Any] | None]:  # fmt: skip
    """Runs until the page closes it; returns the setting with the new profile, and the match that is to begin, if any.

    A source that ends is opened again, so that a recording or a photograph serves as a camera.
    """
    with SetUpWizard(files, opened().name, audience.publish) as wizard:
        for wish in audience.setup_asked:
            wizard.ask(wish)
        audience.setup_asked.clear()
        while not (wizard.closed or stopped()):
            try:
                _watch(opened(), wizard, audience, stopped)
            except SourceError as e:
                audience.vitals.waits(CameraState.AWAY, str(e))
                _pause(wizard, audience, stopped)
    publish_progress(audience, files)
    if wizard.profile is None:
        return setting, None
    return replace(setting, profile=wizard.profile, board=None, lens=None), wizard.wish


def _watch(source: Source, wizard: SetUpWizard, audience: Publisher, stopped: Callable[[], bool]) -> None:
    """Gives the wizard one run of the source, until that or the set-up ends."""
    with source:
        wizard.reopened(stated_lens_of(source))
        audience.vitals.waits(CameraState.SET_UP, UNDER_WAY)
        for frame in source:
            _listen(wizard, audience)
            wizard.update(frame, partial(exposure_of, source))
            if wizard.closed or stopped():
                return


def _pause(wizard: SetUpWizard, audience: Publisher, stopped: Callable[[], bool]) -> None:
    until = time.monotonic() + REOPEN_PAUSE_S
    while time.monotonic() < until and not (wizard.closed or stopped()):
        _listen(wizard, audience)
        wizard.close_if_unwatched()
        time.sleep(WORDS_EVERY_S)


def _listen(wizard: SetUpWizard, audience: Publisher) -> None:
    """Passes on the requests to the set-up; holds others back until it is over."""
    for message in audience.poll():
        match message.get("type"):
            case "setup":
                wizard.ask(message)
            case "setup_wanted":
                wizard.looked_at()
            case "preview_wanted":
                continue
            case _:
                audience.hold(message)
