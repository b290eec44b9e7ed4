"""Cuts the decisive pictures of a stroke from the encoded frames, rectifies them and stores them as its evidence."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from calibration.geometry.picture import Picture
from calibration.profile import Profile
from referee.atomic_files import written
from referee.frames.planes import PlaneReader
from referee.replay.clip import pictures
from referee.replay.encoder import EncodedFrame
from referee.replay.key_frames import KeyFrame, KeyFrameSubject, stored_pictures
from referee.replay.match_folder import MatchFolder
from referee.replay.rectify import RectifiedView

EVIDENCE_PICTURES_QUALITY = 85


def keep_evidence(folder: MatchFolder, stroke: int, wanted: Sequence[KeyFrame], coded: Sequence[EncodedFrame],
                  profile: Profile) -> None:  # fmt: skip
    """Cuts the wanted pictures from the encoded frames and stores them beside the match, with those stored before.

    Raises OSError.
    """
    if not coded:
        return
    frames = [(t, PlaneReader().picture(frame)) for t, frame in pictures(coded, [d.t for d in wanted])]
    names = {d.name for d in wanted}
    before = [asdict(d) for d in stored_pictures(folder, stroke) if d.name not in names]
    for d in wanted:
        t, picture = min(frames, key=lambda f: abs(f[0] - d.t))
        path = folder.picture(stroke, d.name)
        with written(path) as part:
            part.write_bytes(_cut(picture, d, profile))
        before.append(asdict(d) | {"t": round(t, 5), "file": path.name})
    with written(folder.evidence(stroke)) as part:
        part.write_text(json.dumps({"version": 1, "stroke": stroke, "pictures": before}, indent=1), encoding="ascii")


def _cut(picture: Picture, d: KeyFrame, profile: Profile) -> bytes:
    board, placed = profile.board, d.shows is KeyFrameSubject.PLACEMENT
    squared = RectifiedView(
        profile.camera, (d.x_mm, d.y_mm), d.reach_mm, d.size_px, 0.0 if placed else board.coin_height
    )
    if placed:
        squared.raise_disc(d.x_mm, d.y_mm, board.striker_radius, board.striker_height)
    return squared.jpeg(picture, EVIDENCE_PICTURES_QUALITY)
