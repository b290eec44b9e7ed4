"""Stores the replays of a match while it is refereed: tracks always, pictures and clips if chosen."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Self

from calibration.geometry.picture import Picture
from calibration.profile import Profile
from referee.atomic_files import written
from referee.facts import AlertKind
from referee.frames.frame import Source
from referee.log import Line
from referee.pipeline.condition_monitor import ConditionMonitor
from referee.pipeline.frame_referee import FrameReferee
from referee.replay.build_tracks import StrokeObservations, build_tracks, unmeasured_tracks
from referee.replay.camera_poses import CameraPoses
from referee.replay.clip import write_clip
from referee.replay.encoder import EncoderError
from referee.replay.evidence_pictures import keep_evidence
from referee.replay.key_frames import KeyFrame, decisive, late_fall_picture
from referee.replay.match_folder import MatchFolder, tidy_match
from referee.replay.pace import OutOfTime, Pace, TimeLeft, never_ends
from referee.replay.recorder import Recorder
from referee.replay.recording_settings import RecordedMedia, Recording
from referee.replay.retention import leave_room, make_room
from referee.replay.track_collector import MOVING, TrackCollector
from referee.replay.tracks import Tracks
from referee.replay.worker import JobWorker

PRE_ROLL_S, POST_ROLL_S = 2.0, 2.0
"""Least length of a clip before the strike and after the rest, in seconds."""
LONGEST_AIM_S = 45.0
"""Greatest length of a clip before the strike, in seconds; else it begins when the striker was placed."""
RECORD_LOG_BYTES = 20_000_000
"""Free space in bytes below which no tracks are written: it is left to the log, for some forty matches."""
RECORD_MOST_LEFT = 1
"""Greatest number of strokes still to be measured, beyond which a source that is not live waits: each holds up to 64 MB
of pictures, and the vision is faster than the measuring on a busy computer."""
LIVE_REST = 3.0
"""Pause of the measuring of tracks with a live camera, in multiples of its working time."""
NO_DISK = "Replays are no longer kept ({why}); the score goes on: free some space on the disk."
NO_TIME = "The end was requested before this was done: {what}; the score has everything."
NO_VIDEO = "Video is no longer recorded ({why}); the score and the tracks go on."


class ReplayRecorder:
    """Audience that stores the replays of the match logged at `log`; use it in a `with`, within which the log is open.

    A log that is no file of its own, such as a device, gets no replays. At the end replays under way are finished as
    far as `time_left` allows: tracks that cannot be measured in time are stored as the vision followed them, with
    infinite sigma, other replays are left out, and an alert in the log names them.
    """

    def __init__(self, log: Path, recording: Recording, time_left: TimeLeft = never_ends) -> None:
        self._folder, self._recording, self._time_left = MatchFolder(log), recording, time_left
        self._worker = JobWorker("replays", time_left)
        self._pace = Pace(0.0, time_left)
        self._trail, self._poses = TrackCollector(), CameraPoses()
        self._frame_referee: FrameReferee | None = None
        self._recorder: Recorder | None = None
        self._surveyor: ConditionMonitor | None = None
        self._patient, self._is_to_record = True, False
        self._stroke_line: Line | None = None
        """Line of a stroke that was called in the present frame."""
        self._last, self._start = 0, 1
        self._disk_reported = False
        self._unfinished: list[str] = []
        """What could not be stored, or not as it should be, before the end."""

    def __enter__(self) -> Self:
        self._worker.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:  # fmt: skip
        if self._frame_referee is not None and self._frame_referee.picture is not None and self._trail.has_moves:
            tail = self._trail.cut(self._frame_referee.seeing, self._frame_referee.picture, None)
            self._save(tail, self._folder.tail(self._last, self._start), f"the tracks after stroke {self._last}")
        self._pace.hurry()
        self._stop_recording()
        self._unfinished += self._worker.finish()
        if self._stroke_line is not None:
            self._unfinished.append(f"the replay of stroke {self._stroke_line['n']}")
        if self._unfinished and self._frame_referee is not None:
            what = ", ".join(dict.fromkeys(self._unfinished))
            self._frame_referee.alert(AlertKind.RECORDING_STOPPED, NO_TIME.format(what=what))

    def began(self, source: Source, frame_referee: FrameReferee, log: Path) -> None:
        """Prepares the storage, once the board is known and the log is open."""
        if not log.is_file():
            return
        before = frame_referee.session.log.before
        self._frame_referee, self._last, self._start = frame_referee, before.last_stroke, len(before.headers) + 1
        self._patient = not source.live
        self._pace = Pace(0.0 if self._patient else LIVE_REST, self._time_left)
        self._worker.send(lambda: tidy_match(self._folder))
        self._surveyor = ConditionMonitor(frame_referee, log, self._worker, source.live)
        self._is_to_record = self._recording.keeps is not RecordedMedia.NOTHING

    def on_line(self, line: Line) -> None:
        """Notes the line of a stroke; has the picture cut of a coin that fell after the call."""
        if line["type"] == "stroke":
            self._stroke_line = line
        elif line["type"] == "fell" and self._frame_referee is not None:
            picture = late_fall_picture(line, self._frame_referee.seeing.watch.profile)
            self._show(self._last, [picture] if picture else [], self._frame_referee.seeing.watch.profile)

    def on_frame(self, frame_referee: FrameReferee) -> None:
        """Collects the frame just processed; stores the replay of a stroke that was called in it."""
        if self._frame_referee is None or frame_referee.picture is None:
            return
        watch = frame_referee.seeing.watch
        self._trail.update(frame_referee.seeing, frame_referee.picture, frame_referee.t)
        self._poses.update(frame_referee.t, watch.profile.camera, watch.guard.since)
        if self._surveyor is not None:
            self._surveyor.on_frame()
        self._record(frame_referee, frame_referee.picture)
        if self._stroke_line is not None:
            self._keep(frame_referee, frame_referee.picture, self._stroke_line, watch.profile)
            self._stroke_line = None
        self._report_trouble(frame_referee)

    def ended(self, frame_referee: FrameReferee, whole: bool) -> None:
        """Finishes the replays under way, so that people can look at them; no frame follows."""
        if self._frame_referee is not None:
            self._pace.hurry()
            self._stop_recording()
            self._worker.leave()
            self._report_trouble(frame_referee)

    def _keep(self, frame_referee: FrameReferee, picture: Picture, stroke: Line, profile: Profile) -> None:
        n = self._last = stroke["n"]
        gathered = self._trail.cut(frame_referee.seeing, picture, stroke["t_strike"])
        folder, poses = self._folder, self._poses
        self._save(gathered, folder.tracks(n), f"the tracks of stroke {n}")
        if self._surveyor is not None:
            self._surveyor.stroke(unmeasured_tracks(gathered), stroke["t_strike"])
        if self._recorder is None:
            return
        stood = [t for t, *_ in gathered.placed if t < stroke["t_strike"]]
        wanted = decisive(stroke, stood[-1] if stood else None, profile)
        self._show(n, wanted, profile)
        if self._recording.keeps is RecordedMedia.VIDEO:
            self._recorder.ask(
                *clip_span(stroke),
                lambda coded, shape: write_clip(folder, n, coded, shape, profile, poses),
                f"the clip of stroke {n}",
            )
            self._worker.send(lambda: make_room(folder.log, self._recording))

    def _save(self, gathered: StrokeObservations, path: Path, about: str) -> None:
        """Queues the measuring and writing of the tracks; `about` names them.

        They are not written when the log needs the disk's last space.
        """
        if self._patient:
            self._worker.leave(RECORD_MOST_LEFT)

        def job() -> None:
            leave_room(path.parent.parent, RECORD_LOG_BYTES)
            self._tracks(gathered, about).save(path)

        self._worker.send(job, about, is_long=True)

    def _tracks(self, gathered: StrokeObservations, about: str) -> Tracks:
        try:
            return build_tracks(gathered, self._pace)
        except OutOfTime:
            self._unfinished.append(f"the measuring of {about}")
            return unmeasured_tracks(gathered)

    def _show(self, stroke: int, wanted: list[KeyFrame], profile: Profile) -> None:
        """Queues the cutting of the wanted pictures for when their frames have come."""
        folder = self._folder
        if wanted and self._recorder is not None:
            self._recorder.ask(
                wanted[0].t,
                wanted[-1].t,
                lambda coded, _: keep_evidence(folder, stroke, wanted, coded, profile),
                f"the pictures of stroke {stroke}",
            )

    def _record(self, frame_referee: FrameReferee, picture: Picture) -> None:
        if self._is_to_record:
            self._is_to_record = False
            self._start_recording(frame_referee, picture)
        if self._recorder is not None:
            moving, lost = frame_referee.seeing.phase in MOVING, self._recorder.lost
            self._recorder.offer(
                picture, frame_referee.t, frame_referee.seeing.watch.profile, moving=moving, patient=self._patient
            )
            frame_referee.unrecorded += self._recorder.lost - lost

    def _start_recording(self, frame_referee: FrameReferee, picture: Picture) -> None:
        try:
            wish = self._recording
            self._recorder = Recorder(self._worker, picture, masked=wish.masked, every_frame=wish.every_frame)
        except EncoderError as e:
            frame_referee.alert(AlertKind.RECORDING_STOPPED, f"{e}.")
            return
        self._recorder.__enter__()
        self._worker.send(lambda: make_room(self._folder.log, self._recording))
        frame_referee.recording = self._recording.keeps.value
        self._worker.send(lambda: self._keep_profile(frame_referee.seeing.profile))

    def _keep_profile(self, profile: Profile) -> None:
        with written(self._folder.profile) as part:
            part.write_text(profile.to_json(), encoding="utf-8")

    def _stop_recording(self) -> None:
        recorder, self._recorder = self._recorder, None
        if recorder is not None:
            self._unfinished += recorder.finish(self._time_left)
        if self._frame_referee is not None:
            self._frame_referee.recording = RecordedMedia.NOTHING.value

    def _report_trouble(self, frame_referee: FrameReferee) -> None:
        """Raises an alert and stops the recording, never the match, when an encoder or a disk fails."""
        trouble = self._worker.trouble
        if trouble is not None and not self._disk_reported:
            self._disk_reported = True
            self._stop_recording()
            frame_referee.alert(AlertKind.RECORDING_STOPPED, NO_DISK.format(why=trouble.strerror or trouble))
        if self._recorder is not None and self._recorder.trouble is not None:
            why = self._recorder.trouble
            self._stop_recording()
            frame_referee.alert(AlertKind.RECORDING_STOPPED, NO_VIDEO.format(why=why))


def clip_span(stroke: Line) -> tuple[float, float]:
    """Returns start and end (s) of a stroke's clip."""
    strike, placed = stroke["t_strike"], stroke["t_placed"]
    start = strike - PRE_ROLL_S if placed is None else min(placed, strike - PRE_ROLL_S)
    return max(start, strike - LONGEST_AIM_S), max(stroke["t_rest"] + POST_ROLL_S, stroke["t_called"])
