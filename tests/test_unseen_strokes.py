"""A stroke that nobody saw fly: which coins fell in it."""

from __future__ import annotations

import pytest
from sim_scenes import BOARD, studio

from models.pieces import Kind, Piece, Pocket
from referee.outcome.fates import FATE_UNSEEN, CensusFate
from referee.outcome.unseen_strokes import UNSEEN_FOLLOWED, fallen
from referee.tracking.tracker import Track

PROFILE = studio().profile
BLACK, WHITE = Piece(Kind.BLACK, 283.0, 272.0), Piece(Kind.WHITE, -60.0, 10.0)
STRIKE, REST = 19.07, 19.57
AT = BOARD.half - BOARD.pocket_inset


def track(to: tuple[float, float], t0: float = 19.2) -> Track:
    """What was first seen beside the hand and followed `to` a place."""
    found = Track(7, None, None)
    for i in range(5):
        share = i / 4
        found.add(t0 + 0.05 * i, 290.0 + share * (to[0] - 290.0), 282.0 + share * (to[1] - 282.0))
    return found


def alike(kind: Kind, track: Track) -> float:
    return 0.0 if kind is Kind.BLACK else 9.0


def told(lost: list[Piece], *tracks: Track) -> list[tuple[Kind, Pocket | None, float]]:
    missing = fallen(PROFILE, lost, tracks, STRIKE, REST, alike)
    assert all(m.fate is CensusFate.POCKETED for m in missing)
    return [(m.piece.kind, m.pocket, m.confidence) for m in missing]


def test_a_coin_found_gone_fell_where_a_track_of_its_look_ended() -> None:
    """A hand that pushed the striker hid that it flew; the coin was told as nowhere (slipping world 11618)."""
    assert told([BLACK], track((AT, AT))) == [(Kind.BLACK, Pocket.NE, UNSEEN_FOLLOWED)]
    assert fallen(PROFILE, [BLACK], [track((AT, AT))], STRIKE, REST, alike)[0].t == pytest.approx(19.4, abs=0.051)


def test_a_track_that_went_on_with_the_hand_s_patch_ended_before_it() -> None:
    went_on = track((AT, AT))
    went_on.add(19.7, 351.0, 222.0)
    assert told([BLACK], went_on) == [(Kind.BLACK, Pocket.NE, UNSEEN_FOLLOWED)]


def test_one_that_no_track_explains_fell_nobody_knows_where() -> None:
    nowhere = [(Kind.BLACK, None, FATE_UNSEEN)]
    assert told([BLACK]) == nowhere
    assert told([BLACK], track((100.0, 100.0))) == nowhere
    assert told([BLACK], track((AT, AT), t0=STRIKE - 1.0)) == nowhere
    assert told([WHITE, BLACK], track((AT, AT))) == [
        (Kind.WHITE, None, FATE_UNSEEN),
        (Kind.BLACK, Pocket.NE, UNSEEN_FOLLOWED),
    ]


def test_where_nothing_is_gone_nothing_fell() -> None:
    assert told([], track((AT, AT))) == []
