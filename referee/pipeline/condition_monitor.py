"""The board's passport while a match is played: measured from what is seen anyway, kept, and held against the last."""

from __future__ import annotations

from pathlib import Path

from calibration.meters.lighting import LightReading, light_of
from referee.board_condition.condition import PASSPORT_NAME, Matter, Passport, as_dict, changes, load, save
from referee.board_condition.traits import Survey, of_light, of_profile
from referee.facts import AlertKind
from referee.pipeline.camera_side import Eyes
from referee.replay.tracks import Tracks
from referee.replay.worker import JobWorker
from referee.strokes.stroke_machine import Phase

LIGHT_S, SURVEY_EVERY_S = 2.0, 0.02
"""The light is watched for so long once a match begins, at most so often."""
ALERTS = {Matter.POWDER: AlertKind.POWDER_CHANGED, Matter.LIGHT: AlertKind.LIGHT_DIFFERS,
          Matter.CAMERA: AlertKind.CAMERA_DIFFERS}  # fmt: skip


class Surveyor:
    """Follows one start of a match. Only a live camera is held against the last match: recordings are of anywhere."""

    def __init__(self, eyes: Eyes, log: Path, errands: JobWorker, live: bool) -> None:
        self._eyes, self._errands = eyes, errands
        self._path = log.parent / PASSPORT_NAME if live else None
        self._before: Passport = load(self._path) if self._path else {}
        self._survey = Survey(eyes.seeing.profile.board)
        self._lights: list[LightReading] | None = []
        self._strokes, self._next = 0, 1
        self._reported: set[Matter] = set()
        self._now: Passport = {}
        self._learn(of_profile(eyes.seeing.profile))

    def saw(self) -> None:
        """A frame has been taken in."""
        eyes, lights = self._eyes, self._lights
        if lights is None or eyes.picture is None or eyes.seeing.phase is not Phase.WAITING:
            return
        if lights and eyes.t < lights[-1].t + SURVEY_EVERY_S:
            return
        lights.append(light_of(eyes.picture, eyes.t))
        if eyes.t - lights[0].t >= LIGHT_S:
            self._lights = None
            self._learn(of_light(lights))

    def stroke(self, tracks: Tracks, t_strike: float) -> None:
        """What moved in a stroke that began at `t_strike`; the log is told after the 1st, 2nd, 4th, 8th ... of them."""
        self._survey.add(tracks, t_strike)
        self._strokes += 1
        if self._strokes < self._next:
            return
        self._next *= 2
        self._learn(self._survey.passport())
        self._eyes.session.write({"type": "passport", "t": round(self._eyes.t, 4), "traits": as_dict(self._now)})
        if self._path is not None:
            path, passport = self._path, {**self._before, **self._now}
            self._errands.send(lambda: save(path, passport))

    def _learn(self, traits: Passport) -> None:
        self._now = self._eyes.passport = {**self._now, **traits}
        for change in changes(self._before, self._now):
            if change.matter not in self._reported:
                self._reported.add(change.matter)
                self._eyes.alert(ALERTS[change.matter], f"{change.text[0].upper()}{change.text[1:]}.")
