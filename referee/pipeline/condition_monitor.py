"""Measures the board's condition (its passport) during a match, stores it, and compares it with the last match's."""

from __future__ import annotations

from pathlib import Path

from calibration.meters.lighting import LightReading, light_of
from referee.board_condition.condition import PASSPORT_NAME, Matter, Passport, as_dict, changes, load, save
from referee.board_condition.traits import Survey, of_light, of_profile
from referee.facts import AlertKind
from referee.pipeline.frame_referee import FrameReferee
from referee.replay.tracks import Tracks
from referee.replay.worker import JobWorker
from referee.strokes.stroke_machine import Phase

LIGHT_S, SURVEY_EVERY_S = 2.0, 0.02
"""Time for which the light is measured once a match begins, and least time between two measurements, in seconds."""
ALERTS = {Matter.POWDER: AlertKind.POWDER_CHANGED, Matter.LIGHT: AlertKind.LIGHT_DIFFERS,
          Matter.CAMERA: AlertKind.CAMERA_DIFFERS}  # fmt: skip


class ConditionMonitor:
    """Measures the board during one start of a match.

    Only a live camera is compared with the last match: a recording may be of any board.
    """

    def __init__(self, frame_referee: FrameReferee, log: Path, worker: JobWorker, live: bool) -> None:
        self._frame_referee, self._worker = frame_referee, worker
        self._path = log.parent / PASSPORT_NAME if live else None
        self._before: Passport = load(self._path) if self._path else {}
        self._survey = Survey(frame_referee.seeing.profile.board)
        self._lights: list[LightReading] | None = []
        self._strokes, self._next = 0, 1
        self._reported: set[Matter] = set()
        self._now: Passport = {}
        self._learn(of_profile(frame_referee.seeing.profile))

    def on_frame(self) -> None:
        """Measures the light in the frame just processed."""
        frame_referee, lights = self._frame_referee, self._lights
        if lights is None or frame_referee.picture is None or frame_referee.seeing.phase is not Phase.WAITING:
            return
        if lights and frame_referee.t < lights[-1].t + SURVEY_EVERY_S:
            return
        lights.append(light_of(frame_referee.picture, frame_referee.t))
        if frame_referee.t - lights[0].t >= LIGHT_S:
            self._lights = None
            self._learn(of_light(lights))

    def stroke(self, tracks: Tracks, t_strike: float) -> None:
        """Adds the tracks of a stroke that began at `t_strike`.

        Writes the passport to the log after the 1st, 2nd, 4th, 8th ... stroke.
        """
        self._survey.add(tracks, t_strike)
        self._strokes += 1
        if self._strokes < self._next:
            return
        self._next *= 2
        self._learn(self._survey.passport())
        self._frame_referee.session.write(
            {"type": "passport", "t": round(self._frame_referee.t, 4), "traits": as_dict(self._now)}
        )
        if self._path is not None:
            path, passport = self._path, {**self._before, **self._now}
            self._worker.send(lambda: save(path, passport))

    def _learn(self, traits: Passport) -> None:
        self._now = self._frame_referee.passport = {**self._now, **traits}
        for change in changes(self._before, self._now):
            if change.matter not in self._reported:
                self._reported.add(change.matter)
                self._frame_referee.alert(ALERTS[change.matter], f"{change.text[0].upper()}{change.text[1:]}.")
