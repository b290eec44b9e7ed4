"""Scales a profile to a measured surface size, since pictures give proportions only."""

from __future__ import annotations

from dataclasses import replace

from calibration.profile import Point, Profile

RESCALE_LEAST_MM, RESCALE_MOST_MM = 400.0, 1200.0
"""Least and greatest side of a playing surface, from children's boards to the largest made."""
PIECES = frozenset({"coin_radius", "coin_height", "striker_radius", "striker_height"})
"""Lengths of pieces, which stay unscaled: they follow the book on any board."""


def rescaled(profile: Profile, surface_mm: float) -> Profile:
    """Returns `profile` with a playing surface of side `surface_mm` and everything printed on it in proportion.

    The camera moves in proportion too, so the picture is unchanged. The background is dropped and must be learned
    again. Raises ValueError for a side that no board has.
    """
    if not RESCALE_LEAST_MM <= surface_mm <= RESCALE_MOST_MM:
        raise ValueError(f"no board's playing surface is {surface_mm:g} mm wide: measure between opposite cushions")
    ratio = surface_mm / profile.board.surface
    board = profile.board
    lengths = {name: getattr(board, name) * ratio for name in board.__slots__ if name not in PIECES | {"name"}}
    r = profile.residuals

    def farther(point: Point) -> Point:
        return point[0] * ratio, point[1] * ratio

    return replace(
        profile,
        board=replace(board, **lengths),
        camera=profile.camera.farther(ratio),
        doubt=profile.doubt.farther(ratio),
        sides={seat: marks.moved(farther, ratio) for seat, marks in profile.sides.items()},
        pockets={pocket: hole.moved(farther, ratio) for pocket, hole in profile.pockets.items()},
        middle=farther(profile.middle),
        residuals=replace(r, rms_mm=r.rms_mm * ratio, worst_mm=r.worst_mm * ratio, model_sure=True),
        background=None,
    )
