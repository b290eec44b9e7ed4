"""Scales a profile to a measured surface size, since pictures give proportions only."""

from __future__ import annotations

from dataclasses import replace

from calibration.profile import Circle, Profile, Segment, SideMarks

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
    return replace(
        profile,
        board=replace(board, **lengths),
        camera=profile.camera.farther(ratio),
        doubt=profile.doubt.farther(ratio),
        sides={seat: _side(marks, ratio) for seat, marks in profile.sides.items()},
        pockets={pocket: _grown(hole, ratio) for pocket, hole in profile.pockets.items()},
        middle=(profile.middle[0] * ratio, profile.middle[1] * ratio),
        residuals=replace(r, rms_mm=r.rms_mm * ratio, worst_mm=r.worst_mm * ratio, model_sure=True),
        background=None,
    )


def _side(m: SideMarks, ratio: float) -> SideMarks:
    return SideMarks(
        _segment(m.rear_line, ratio), _segment(m.front_line, ratio), _circle(m.left_circle, ratio),
        _circle(m.right_circle, ratio), _segment(m.left_arrow, ratio), _segment(m.right_arrow, ratio),
    )  # fmt: skip


def _segment(s: Segment | None, ratio: float) -> Segment | None:
    if s is None:
        return None
    return Segment((s.start[0] * ratio, s.start[1] * ratio), (s.end[0] * ratio, s.end[1] * ratio), s.thickness * ratio)


def _circle(c: Circle | None, ratio: float) -> Circle | None:
    return _grown(c, ratio) if c else None


def _grown(c: Circle, ratio: float) -> Circle:
    return Circle((c.centre[0] * ratio, c.centre[1] * ratio), c.radius * ratio)
