"""What the camera saw, as the laws read it."""

from __future__ import annotations

import pytest

from models.pieces import Kind, Pocket, Seat
from models.rulebook import Limit
from models.rules import load_rules
from referee.facts import Clearances, Foul, OffBoard, Placement, PlacementReason, Pocketed, Stroke
from referee.laws import FoulName, State
from referee.laws.match_rules import first_board
from referee.laws.observed import PlacementVerdict, proposals_of, standing, tokens_of

ICF = load_rules("icf")
BROKEN = State.parse("W4 B2 Q=board mv W")


def stroke(pocketed: tuple[Pocketed, ...] = (), off: tuple[OffBoard, ...] = (), fouls: tuple[Foul, ...] = (),
           first_contact: Kind | None = Kind.WHITE, placement: Placement | None = None,
           confidence: dict[Foul, float] | None = None) -> Stroke:  # fmt: skip
    return Stroke(1, Seat.SOUTH, 1.0, 2.0, 4.0, 4.1, placement, first_contact, pocketed, off, fouls, confidence or {})


def placed(legal: bool | None, sigma: float = 0.3, **clearances: float) -> Placement:
    margin = min(clearances.values())
    reason = None if legal else PlacementReason.CUTTING_MOON
    return Placement(0.0, -252.0, legal, reason, margin, sigma, Clearances(**clearances))


def test_tokens_come_in_the_order_of_their_time() -> None:
    fallen = (Pocketed(Kind.BLACK, Pocket.NE, 3.0), Pocketed(Kind.STRIKER, None, 2.2))
    seen = stroke(fallen, (OffBoard(Kind.QUEEN, 2.5),), (Foul.STRIKER_POCKETED, Foul.COIN_OFF_BOARD))
    assert str(tokens_of(seen, BROKEN, ICF)) == "S,off:Q,B@NE"


@pytest.mark.parametrize("limit", ["front_line", "rear_line", "moon", "arrow", "ends"])
def test_a_missed_limit_is_an_infringement(limit: str) -> None:
    names = {"moon": "cut_moon", "arrow": "touching_arrow"}
    seen = stroke(placement=placed(False, **{"front_line": 4.0, "rear_line": 4.0, limit: -2.0}))
    assert str(tokens_of(seen, BROKEN, ICF)) == f"foul:{names.get(limit, 'placement')}"
    assert proposals_of(seen, ICF) == ()


def test_a_legal_placement_is_none() -> None:
    seen = stroke(placement=placed(True, front_line=2.0, rear_line=2.0, moon=1.0, arrow=30.0, ends=40.0))
    assert str(tokens_of(seen, BROKEN, ICF)) == "-"
    assert proposals_of(seen, ICF) == ()


def test_a_placement_too_close_to_call_is_proposed() -> None:
    for margin in (-0.2, 0.2):
        seen = stroke(placement=placed(None, moon=margin))
        assert str(tokens_of(seen, BROKEN, ICF)) == "-"
        assert [p.foul for p in proposals_of(seen, ICF)] == [FoulName.CUT_MOON]


def test_an_accepted_proposal_counts() -> None:
    seen = stroke(placement=placed(None, moon=-0.2), fouls=(Foul.PUSH,))
    accepted = frozenset({FoulName.CUT_MOON})
    assert str(tokens_of(seen, BROKEN, ICF, accepted)) == "foul:cut_moon"
    assert [p.foul for p in proposals_of(seen, ICF, accepted)] == [FoulName.PUSH]


def test_a_placement_foul_seen_with_little_confidence_is_proposed() -> None:
    seen = stroke(placement=placed(False, moon=-2.0), fouls=(Foul.CUTTING_MOON,), confidence={Foul.CUTTING_MOON: 0.6})
    assert str(tokens_of(seen, BROKEN, ICF)) == "-"
    assert [p.foul for p in proposals_of(seen, ICF)] == [FoulName.CUT_MOON]


def test_push_and_touch_are_proposed_with_their_confidence() -> None:
    seen = stroke(fouls=(Foul.PUSH, Foul.TOUCHED_COIN), confidence={Foul.PUSH: 0.7})
    assert str(tokens_of(seen, BROKEN, ICF)) == "-"
    assert {p.foul: p.confidence for p in proposals_of(seen, ICF)} == {FoulName.PUSH: 0.7, FoulName.TOUCH: 1.0}


def test_an_arm_over_the_diagonal_is_proposed_though_the_icf_laws_let_the_hand_cross() -> None:
    seen = stroke(fouls=(Foul.HAND_OVER_DIAGONAL,), confidence={Foul.HAND_OVER_DIAGONAL: 0.8})
    proposals = proposals_of(seen, ICF)
    assert [(p.foul, p.observed, p.confidence) for p in proposals] == [
        (FoulName.ELBOW, FoulName.HAND_OVER_DIAGONAL, 0.8)
    ]
    accepted = frozenset({FoulName.HAND_OVER_DIAGONAL})
    assert str(tokens_of(seen, BROKEN, ICF, accepted)) == "foul:elbow"
    assert proposals_of(seen, ICF, accepted) == ()


def test_a_placement_that_sight_calls_legal_is_never_a_certain_infringement() -> None:
    seen = stroke(placement=placed(True, moon=-2.0))
    assert str(tokens_of(seen, BROKEN, ICF)) == "-"
    assert [p.foul for p in proposals_of(seen, ICF)] == [FoulName.CUT_MOON]


def test_a_striker_that_stayed_is_no_stroke() -> None:
    seen = stroke(fouls=(Foul.NO_LEAVE,), first_contact=None)
    assert str(tokens_of(seen, first_board(), ICF)) == "foul:no_leave"


def test_a_break_that_touches_nothing_is_an_attempt() -> None:
    assert str(tokens_of(stroke(first_contact=None), first_board(), ICF)) == "foul:no_break"
    fallen = (Pocketed(Kind.STRIKER, Pocket.NW, 3.0),)
    assert str(tokens_of(stroke(fallen, first_contact=None), first_board(), ICF)) == "S@NW,foul:no_break"


def test_a_break_is_made_by_any_contact_or_coin() -> None:
    assert str(tokens_of(stroke(), first_board(), ICF)) == "-"
    fallen = (Pocketed(Kind.WHITE, Pocket.NW, 3.0),)
    assert str(tokens_of(stroke(fallen, first_contact=None), first_board(), ICF)) == "W@NW"


def test_a_mark_that_the_board_lacks_is_not_judged() -> None:
    assert str(tokens_of(stroke(placement=Placement(0, 0, True, None, 0.0, 0.3, Clearances())), BROKEN, ICF)) == "-"


def test_an_infringement_without_a_penalty_is_proposed_however_clearly_it_was_seen() -> None:
    seen = stroke(placement=placed(False, moon=-2.0), fouls=(Foul.CUTTING_MOON,))
    book = load_rules("ch_de")
    assert str(tokens_of(seen, BROKEN, book)) == "-"
    assert [(p.foul, p.confidence) for p in proposals_of(seen, book)] == [(FoulName.CUT_MOON, 1.0)]


def test_a_covered_end_circle_is_forbidden_where_the_book_says_never() -> None:
    """X13: the ICF reading calls it legal."""
    covering = stroke(placement=placed(True, moon=4.0, circle=-36.0))
    assert [p.foul for p in proposals_of(covering, load_rules("short_de"))] == [FoulName.PLACEMENT]
    for name in ("icf", "ch_de", "masters", "booklet"):
        assert proposals_of(covering, load_rules(name)) == ()
    clear = stroke(placement=placed(True, moon=60.0, circle=60.0))
    assert proposals_of(clear, load_rules("short_de")) == ()


def test_an_arrow_is_only_judged_by_books_that_forbid_it() -> None:
    touching = stroke(placement=placed(False, arrow=-2.0), fouls=(Foul.TOUCHING_ARROW,))
    assert str(tokens_of(touching, BROKEN, ICF)) == "foul:touching_arrow"
    assert [p.foul for p in proposals_of(touching, load_rules("booklet"))] == [FoulName.TOUCHING_ARROW]
    for name in ("ch_de", "short_de", "masters", "mix25"):
        assert str(tokens_of(touching, BROKEN, load_rules(name))) == "-"
        assert proposals_of(touching, load_rules(name)) == ()


def test_a_striker_that_stands_on_its_lines_is_read_by_the_books_own_limits_before_the_stroke() -> None:
    well = standing(placed(None, front_line=6.0, rear_line=5.0, moon=2.0), ICF)
    assert well == PlacementVerdict(Limit.MOON, 2.0, True)
    missed = standing(placed(None, front_line=6.0, rear_line=-1.0, moon=2.0), ICF)
    assert missed == PlacementVerdict(Limit.REAR_LINE, -1.0, False)
    close = standing(placed(None, sigma=0.6, front_line=6.0, moon=-1.0), ICF)
    assert close == PlacementVerdict(Limit.MOON, -1.0, None)
    assert standing(placed(None, circle=-3.0), ICF) is None
