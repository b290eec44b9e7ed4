"""The eyes while a set-up runs: the source's frames go to it alone, pages' wishes come in between two of them."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from referee.frames.frame import Source, SourceError
from referee.pipeline.publisher import Broadcast
from referee.pipeline.startup import Setting
from referee.pipeline.vitals import CameraState
from referee.setup.documents import progress_document
from referee.setup.meters import exposure_of
from referee.setup.progress import Kept
from referee.setup.wizard import SetUp

AWAY_S = 2.0
"""A camera that gives nothing is tried again after this pause."""
WORDS_S = 0.1
"""How often pages are listened to meanwhile."""
UNDER_WAY = "a set-up is under way"


def tell_kept(audience: Broadcast, kept: Kept) -> None:
    """Lets pages know how far a set-up has come that is not under way."""
    audience.publish(progress_document(kept.progress(), is_open=False))


def set_up(opened: Callable[[], Source], setting: Setting, kept: Kept, audience: Broadcast,
           stopped: Callable[[], bool]) -> tuple[Setting, dict[str, Any] | None]:  # fmt: skip
    """Runs until the page closes it; the setting with the board set up, and the match that is to begin, if any.

    A source that ends begins anew, so that a recording or a photograph serves as a camera.
    """
    with SetUp(kept, opened().name, audience.publish) as desk:
        for wish in audience.setup_asked:
            desk.ask(wish)
        audience.setup_asked.clear()
        while not (desk.closed or stopped()):
            try:
                _watch(opened(), desk, audience, stopped)
            except SourceError as e:
                audience.vitals.waits(CameraState.AWAY, str(e))
                _pause(desk, audience, stopped)
    tell_kept(audience, kept)
    if desk.profile is None:
        return setting, None
    return replace(setting, profile=desk.profile, board=None, lens=None), desk.wish


def _watch(source: Source, desk: SetUp, audience: Broadcast, stopped: Callable[[], bool]) -> None:
    """One run of the source; it may end, or the set-up before it."""
    desk.reopened()
    with source:
        audience.vitals.waits(CameraState.SET_UP, UNDER_WAY)
        for frame in source:
            _listen(desk, audience)
            desk.see(frame, partial(exposure_of, source))
            if desk.closed or stopped():
                return


def _pause(desk: SetUp, audience: Broadcast, stopped: Callable[[], bool]) -> None:
    until = time.monotonic() + AWAY_S
    while time.monotonic() < until and not (desk.closed or stopped()):
        _listen(desk, audience)
        desk.rest()
        time.sleep(WORDS_S)


def _listen(desk: SetUp, audience: Broadcast) -> None:
    """Other wishes than the set-up's wait until it is over."""
    for message in audience.poll():
        match message.get("type"):
            case "setup":
                desk.ask(message)
            case "setup_wanted":
                desk.looked_at()
            case "preview_wanted":
                continue
            case _:
                audience.hold(message)
