"""The stroke as it is told: which coin was touched first."""

from __future__ import annotations

import pytest
from sim_scenes import BOARD, SIZE, book_profile

from models.pieces import Kind, Piece, Pocket, Seat
from referee.facts import Foul
from referee.outcome.first_contact import Contact, on_the_way
from referee.outcome.readings import Claim, How, PieceFate
from referee.sim.viewpoint import Mount, camera_over
from referee.strokes.report import StrokeDraft, report_stroke
from referee.tracking.tracker import Track

PROFILE = book_profile(camera_over(BOARD, *SIZE, Mount()))
START = (0.0, -BOARD.base_y)
DT = 1 / 60


def first_contact(*contacts: Contact, course: tuple[tuple[float, float], ...] = (),
                  lay: tuple[Piece, ...] = ()) -> Kind | None:  # fmt: skip
    """What a stroke from the middle of south's lines is told to have touched first; `course` is seen from frame 1."""
    striker = Track(1, Kind.STRIKER, None)
    for i, place in enumerate((START, *course)):
        striker.add(i * DT, *place)
    return report_stroke(PROFILE, StrokeDraft(1, 0.0, 2.0, 2.2, striker, contacts, (), lay), None).first_contact


def test_the_first_coin_to_leave_its_place_was_touched_first() -> None:
    near, far = Piece(Kind.WHITE, 0.0, 0.0), Piece(Kind.BLACK, 40.0, 40.0)
    assert first_contact((2 * DT, far), (5 * DT, near)) is Kind.BLACK


def test_of_coins_that_leave_in_one_frame_the_first_on_the_strikers_course_was_touched() -> None:
    """Three coins touch each other; the striker comes from the left and meets the one that lies farther from it."""
    aside, met = Piece(Kind.WHITE, -45.0, -60.0), Piece(Kind.BLACK, 20.0, -55.0)
    course = ((6.0, -170.0), (12.0, -95.0))
    assert first_contact((2 * DT, aside), (2 * DT + 0.016, met), course=course) is Kind.BLACK
    assert first_contact((2 * DT, met), (2 * DT + 0.016, aside), course=course) is Kind.BLACK


def test_a_striker_off_a_cushion_touched_the_first_coin_on_its_last_course() -> None:
    """Seen from where it stood the other coin lies nearer; it came from the far cushion."""
    near, met = Piece(Kind.WHITE, 30.0, -60.0), Piece(Kind.BLACK, -10.0, 60.0)
    course = ((200.0, 100.0), (130.0, 330.0), (90.0, 240.0), (50.0, 150.0))
    assert first_contact((6 * DT, near), (6 * DT, met), course=course) is Kind.BLACK


def test_a_striker_seen_once_before_the_coins_left_came_straight_from_where_it_stood() -> None:
    """At 30 frames a second a break is seen no longer; nobody saw the tip leave (simulated world 2020)."""
    tip, beside, behind = Piece(Kind.WHITE, 0.0, 0.0), Piece(Kind.BLACK, 27.0, 15.0), Piece(Kind.BLACK, 0.0, 31.0)
    left = (DT, beside), (DT, behind)
    assert first_contact(*left, course=((0.0, -120.0),), lay=(tip, beside, behind)) is Kind.WHITE


def test_a_striker_seen_again_frames_after_a_break_did_not_come_straight_to_there() -> None:
    """Simulated world 13223: the tip turned it to the coin beside, near which it was seen next."""
    tip, beside, behind = Piece(Kind.WHITE, 0.0, -61.0), Piece(Kind.BLACK, -27.0, -46.0), Piece(Kind.BLACK, 27.0, -46.0)
    striker = Track(1, Kind.STRIKER, None)
    for frame, place in ((0, START), (4, (-45.0, -73.0)), (5, (-60.0, -65.0))):
        striker.add(frame * DT, *place)
    left = (DT, tip), (DT, behind), (2 * DT, beside)
    draft = StrokeDraft(1, 0.0, 2.0, 2.2, striker, left, (), (tip, beside, behind))
    assert report_stroke(PROFILE, draft, None).first_contact is Kind.WHITE


def test_a_striker_lost_before_a_cushion_touched_the_first_coin_on_its_way_back() -> None:
    """Simulated world 2002: seen last at its second sighting, it came back from the far cushion, slower across it."""
    met, behind = Piece(Kind.WHITE, 136.0, -259.0), Piece(Kind.BLACK, 122.0, -287.0)
    course = (-220.0, -253.0), (-210.0, -215.0), (-196.0, -156.0)
    assert first_contact((26 * DT, behind), (26 * DT, met), course=course) is Kind.WHITE
    assert first_contact((26 * DT, met), (26 * DT, behind), course=course) is Kind.WHITE


def test_of_touching_coins_that_leave_within_moments_the_first_on_the_course_was_touched() -> None:
    """The blow runs through a packed cluster faster than frames follow: a coin behind was seen to leave first."""
    met, behind, far = Piece(Kind.WHITE, 0.0, -62.0), Piece(Kind.BLACK, 0.0, -31.0), Piece(Kind.QUEEN, 45.0, -160.0)
    course = ((0.0, -190.0), (0.0, -140.0))
    assert first_contact((2 * DT, behind), (5 * DT, met), course=course) is Kind.WHITE
    assert first_contact((2 * DT, behind), (5 * DT, far), course=course) is Kind.BLACK


def test_a_coin_behind_where_the_striker_stood_is_not_touched_before_one_that_it_met() -> None:
    """The player's hand hid and moved it."""
    hidden, met = Piece(Kind.QUEEN, 50.0, -300.0), Piece(Kind.WHITE, 0.0, 100.0)
    course = (0.0, -252.0), (0.0, -150.0), (0.0, -60.0)
    assert first_contact((5 * DT, hidden), (5 * DT, met), course=course) is Kind.WHITE


@pytest.mark.parametrize("aside_mm", [20.0, 33.0])
def test_a_coin_that_the_striker_came_too_near_to_was_touched_first(
    aside_mm: float,
) -> None:
    """It was grazed, and went so little that it was seen to have left much later (simulated worlds 1915 and 1963)."""
    grazed, met = Piece(Kind.BLACK, aside_mm, -60.0), Piece(Kind.WHITE, 0.0, 60.0)
    course = (0.0, -150.0), (0.0, -100.0), (0.0, -50.0), (0.0, 0.0)
    assert first_contact((5 * DT, met), (30 * DT, grazed), course=course) is Kind.BLACK


def test_a_coin_that_the_striker_passed_and_that_left_later_was_not_touched_first() -> None:
    passed, met = Piece(Kind.BLACK, 40.0, -60.0), Piece(Kind.WHITE, 0.0, 60.0)
    course = (0.0, -150.0), (0.0, -100.0), (0.0, -50.0), (0.0, 0.0)
    assert first_contact((5 * DT, met), (30 * DT, passed), course=course) is Kind.WHITE


def test_a_last_sighting_together_with_a_coin_does_not_bend_the_course() -> None:
    """Simulated world 1905: the striker, seen as one with a black coin that it passed, seemed to turn to the queen."""
    passed, met = Piece(Kind.QUEEN, -38.0, 60.0), Piece(Kind.WHITE, 30.0, 60.0)
    course = (0.0, -150.0), (0.0, -100.0), (0.0, -60.0), (-9.0, -30.0)
    assert first_contact((5 * DT, passed), (5 * DT, met), course=course) is Kind.WHITE


def test_a_coin_full_in_the_way_was_touched_though_another_of_its_look_lies_in_its_place() -> None:
    """Simulated world 1965: in the broken formation nobody saw the coin at its tip leave."""
    tip, behind, beside = Piece(Kind.WHITE, 0.0, 62.0), Piece(Kind.BLACK, -27.0, 78.0), Piece(Kind.BLACK, 27.0, 78.0)
    course = (0.0, -150.0), (0.0, -60.0)
    left = (3 * DT, behind), (3 * DT, beside)
    assert first_contact(*left, course=course, lay=(tip, behind, beside)) is Kind.WHITE
    assert first_contact(*left, course=course, lay=(behind, beside)) is Kind.BLACK


def test_a_striker_seen_too_late_to_show_its_course_touched_the_nearer_coin() -> None:
    near, far = Piece(Kind.QUEEN, 0.0, -120.0), Piece(Kind.BLACK, 60.0, -60.0)
    assert first_contact((DT, far), (DT, near)) is Kind.QUEEN


def test_a_striker_not_seen_before_the_coins_left_had_come_to_those_on_its_way_to_where_it_was_seen_first() -> None:
    """Under the hand it glanced off a coin right beside it, which was seen there for two frames more (world 11305)."""
    glanced, met, behind = (Piece(kind, x, y - BOARD.base_y) for kind, x, y in (
        (Kind.BLACK, -52.0, 3.0), (Kind.WHITE, -38.0, 60.0), (Kind.WHITE, -44.0, 90.0)))  # fmt: skip
    left = (0.4 * DT, behind), (0.9 * DT, met), (2.4 * DT, glanced)
    course = ((-31.0, 27.0 - BOARD.base_y), (-38.0, 28.0 - BOARD.base_y))
    assert first_contact(*left, course=course, lay=(glanced, met, behind)) is Kind.BLACK


def test_a_stroke_that_moved_no_coin_touched_none() -> None:
    assert first_contact() is None


def test_a_striker_that_nobody_saw_fly_touched_the_first_coin_on_its_way() -> None:
    """Pushed under the hand it was turned by the white before it came to the black (slipping world 9871); a coin that
    the hand moved elsewhere meanwhile it did not touch.
    """
    white, black = Piece(Kind.WHITE, -21.0, -239.0), Piece(Kind.BLACK, -66.0, -155.0)
    elsewhere = Piece(Kind.BLACK, 90.0, -210.0)
    assert on_the_way(BOARD, (51.5, -253.2), (-38.8, -159.8), [black, elsewhere, white]) == [white, black]


def test_a_coin_that_passed_the_blow_on_and_stayed_was_touched_first() -> None:
    """The far coin of a row flies off, the near one stays with the striker against it (slipping world 11512); where
    nothing left its place the striker may as well have stopped short of it.
    """
    near, far = Piece(Kind.WHITE, 0.0, -60.0), Piece(Kind.BLACK, 0.0, 60.0)
    rested = (0.0, -60.0 - BOARD.striker_radius - BOARD.coin_radius - 0.5)
    assert on_the_way(BOARD, (0.0, -252.0), rested, [far], [near])[0] == near
    assert on_the_way(BOARD, (0.0, -252.0), rested, [], [near]) == []
    short = (0.0, rested[1] - 5.0)
    assert on_the_way(BOARD, (0.0, -252.0), short, [far], [near]) == []


def test_the_seat_is_told_by_the_course_when_nobody_saw_the_placement() -> None:
    striker = Track(1, Kind.STRIKER, None)
    striker.add(0.0, 240.0, 30.0)
    assert report_stroke(PROFILE, StrokeDraft(1, 0.0, 2.0, 2.2, striker, (), ()), None).seat is Seat.EAST


@pytest.mark.parametrize(("rested", "fouls"), [(Piece(Kind.STRIKER, -261.8, 301.3), ()), (None, (Foul.NO_LEAVE,))])
def test_a_striker_found_beyond_its_lines_has_left_them_though_nobody_saw_it_go(
    rested: Piece | None, fouls: tuple[Foul, ...]
) -> None:
    """Its track was lost at once, and it came to rest at the far side of the board (world 9804 with slips)."""
    striker = Track(1, Kind.STRIKER, None)
    for i, place in enumerate((START, (2.0, START[1] + 3.0))):
        striker.add(i * DT, *place)
    draft = StrokeDraft(1, 0.0, 2.0, 2.2, striker, (), (), rested=rested)
    assert report_stroke(PROFILE, draft, None).fouls == fouls


def test_a_striker_whose_track_began_with_a_hand_over_the_frame_has_not_left_its_lines() -> None:
    """Slipping world 13165."""
    striker = Track(1, Kind.STRIKER, None)
    for i, y in enumerate((-BOARD.half - 20.0, START[1] + 8.0, START[1] + 14.0, START[1] + 17.0)):
        striker.add(i * DT, START[0], y)
    assert report_stroke(PROFILE, StrokeDraft(1, 0.0, 2.0, 2.2, striker, (), ()), None).fouls == (Foul.NO_LEAVE,)


@pytest.mark.parametrize(
    ("rested", "fouls"), [((168.0, START[1] + 14.0), (Foul.NO_LEAVE,)), ((193.0, START[1] - 57.0), ())]
)
def test_a_track_that_went_on_with_the_hand_behind_the_lines_does_not_tell_that_the_striker_left_them(
    rested: tuple[float, float], fouls: tuple[Foul, ...]
) -> None:
    """A weak flick moved it 18 mm; the finger that withdrew was its track (simulated world 14487)."""
    striker = Track(1, Kind.STRIKER, None)
    for i, (x, ahead) in enumerate(((170.0, 0.0), (175.0, -40.0), (193.0, -57.0))):
        striker.add(i * DT, x, START[1] + ahead)
    draft = StrokeDraft(1, 0.0, 2.0, 2.2, striker, (), (), rested=Piece(Kind.STRIKER, *rested))
    assert report_stroke(PROFILE, draft, None).fouls == fouls


def test_a_striker_that_rolled_along_its_lines_into_a_pocket_did_not_stay() -> None:
    """It touched nothing and left its lines nowhere (slipping world 12013)."""
    striker = Track(1, Kind.STRIKER, None)
    for i, x in enumerate((182.0, 240.0, 300.0, 345.0)):
        striker.add(i * DT, x, START[1] - 8.0 * i)
    fell = Claim(None, Kind.STRIKER, PieceFate.FELL, How.SEEN, None, Pocket.SE, 0.4)
    assert report_stroke(PROFILE, StrokeDraft(1, 0.0, 2.0, 2.2, striker, (), (fell,)), None).fouls == (
        Foul.STRIKER_POCKETED,
    )
