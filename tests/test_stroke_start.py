"""The strike: a stroke of a striker that nobody saw stand, and what is none."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
import pytest
from sim_scenes import BOARD, FORMATION, SCATTERED, compared, gate_over, studio

from calibration.profile import Colour
from models.pieces import Kind, Piece
from referee.board_state.occupancy import Occupancy
from referee.foreground.background import BackgroundModel, Mask
from referee.foreground.hand_history import HandDistance
from referee.foreground.segmentation import Blob, Segmentation
from referee.outcome.stroke_in_progress import Play
from referee.pieces.current_profile import CurrentProfile
from referee.striker.placement_tracker import PlacementTracker
from referee.strokes.in_flight import FlightTracking
from referee.strokes.stroke_start import FrameEvidence, StrokeStartDetector
from referee.tracking.tracker import Tracker

DT, TINT = 1 / 60, (120.0, 0.0, 0.0)
STEP_MM = 65.0
STANDING = Piece(Kind.STRIKER, 0.0, -BOARD.base_y)


def hand_at(background: BackgroundModel, x: float, y: float) -> Mask:
    mask = np.zeros(background.lattice.shape, np.uint8)
    mask[background.lattice.disc_cells(x, y, 15.0)] = 255
    return mask


def looked(hand_behind: float | None) -> Play | None:
    """What is told of a disc that comes from south's lines and of the queen that leaves her place when it gets there;
    a hand goes that far (mm) behind it or, None, stays where it struck.
    """
    background, profile = gate_over(), studio().profile
    known, tracker, table = CurrentProfile(profile), Tracker({}, BOARD.half), Occupancy(background, BOARD)
    table.settle(SCATTERED, compared(background, studio().picture(SCATTERED), 0.0))
    queen = next(k for k in table.lying if k.piece.kind is Kind.QUEEN)
    watch = StrokeStartDetector(
        known, background, tracker, PlacementTracker(known, background), FlightTracking(known, tracker)
    )
    x, moved = queen.piece.x_mm, np.full(background.lattice.shape, 255, np.uint8)
    blank = np.zeros_like(moved)
    for i in range(12):
        y, after = min(-270.0 + i * STEP_MM, queen.piece.y_mm - 40.0), max(0, i - 7)
        blobs = [Blob(x - after * 14.0, y, math.pi * BOARD.striker_radius**2, TINT)]
        if after:
            blobs.append(Blob(x + after * 20.0, queen.piece.y_mm, math.pi * BOARD.coin_radius**2, TINT))
        hand = hand_at(background, x, -330.0 if hand_behind is None else y - hand_behind)
        queen.seen = min(i, 7) * DT
        scene = Segmentation(
            hand, np.asarray(cv2.dilate(hand, np.ones((3, 3), np.uint8)), np.uint8), blank, tuple(blobs)
        )
        gaps = HandDistance(hand, background.lattice)
        now = FrameEvidence(i * DT, scene, gaps, gaps, moved, -math.inf)
        if play := watch.update(now, [queen] if after == 1 else []):
            return play
    return None


def test_a_striker_that_nobody_saw_stand_is_told_by_the_coin_that_it_struck() -> None:
    play = looked(None)
    assert play is not None
    assert play.striker is not None


@pytest.mark.parametrize("behind", [55.0, 75.0])
def test_a_hand_that_brings_a_coin_back_among_others_strikes_none(behind: float) -> None:
    """Its fingers stirred the coins beside it (simulated worlds 1740 and 1804)."""
    assert looked(behind) is None


PALE, SKIN = Colour((110.0, 2.0, -4.0), (6.0, 2.0, 2.5)), (72.0, -12.0, 15.0)
STRIKER_MM2 = math.pi * BOARD.striker_radius**2


def placed(standing: Piece = STANDING) -> tuple[StrokeStartDetector, BackgroundModel, Occupancy]:
    """A watch that has seen the striker stand on south's lines."""
    background, profile = gate_over(), studio().profile
    known, tracker = CurrentProfile(profile), Tracker({Kind.STRIKER: PALE}, BOARD.half)
    striker = PlacementTracker(known, background)
    picture = studio().picture([standing])
    foreground = compared(background, picture, 0.0)
    striker.update(picture, foreground, (), foreground.solid)
    table = Occupancy(background, BOARD)
    table.settle((*SCATTERED[:-1], standing), foreground)
    return StrokeStartDetector(known, background, tracker, striker, FlightTracking(known, tracker)), background, table


def glance(
    background: BackgroundModel, t: float, blobs: Sequence[Blob], hand: Mask | None = None, skin: Mask | None = None
) -> FrameEvidence:
    """A frame in which these blobs are seen, everything stirs, and no hand but `hand` and no `skin` beside it."""
    blank, stirred = np.zeros(background.lattice.shape, np.uint8), np.full(background.lattice.shape, 255, np.uint8)
    hand = blank if hand is None else hand
    gaps, arms = (
        HandDistance(m, background.lattice) for m in (hand, hand if skin is None else cv2.bitwise_or(hand, skin))
    )
    return FrameEvidence(t, Segmentation(hand, hand, blank, tuple(blobs)), gaps, arms, stirred, -math.inf)


@pytest.mark.parametrize(("hand_mm", "y", "told"), [(250.0, 256.0, True), (150.0, 256.0, False), (250.0, 340.0, False)])
def test_what_flies_far_from_any_hand_once_the_striker_stood_is_that(hand_mm: float, y: float, told: bool) -> None:
    """A striker of the board's look was first seen on the other side (simulated world 2056); one that a hand brought,
    which was none to the camera yet, came from beyond the frame (2472).
    """
    watch, background, _ = placed()
    plays = [watch.update(glance(background, 0.3 + i * DT, [Blob(-26.0 - 18.0 * i, y, 400.0, PALE.mean)],
                               hand_at(background, -26.0 - 18.0 * i + hand_mm, y)), []) for i in range(6)]  # fmt: skip
    assert any(plays) is told


@pytest.mark.parametrize(("steps", "hand_mm", "told"), [(12, 250.0, True), (7, 250.0, False), (12, 150.0, False)],
                         ids=["far", "not far", "near a hand"])  # fmt: skip
def test_a_striker_that_nobody_saw_stand_was_struck_if_it_flies_far_on_far_from_any_hand(
        steps: int, hand_mm: float, told: bool) -> None:  # fmt: skip
    """A brown striker on brown wood in dim light (world 12767)."""
    watch, background, _ = placed(Piece(Kind.STRIKER, 0.0, 0.0))
    way = [18.0 * i - 150.0 for i in range(steps)]
    seen = [(Blob(x, 190.0, 900.0, SKIN), hand_at(background, x - hand_mm, 190.0)) for x in way]
    plays = [watch.update(glance(background, 0.3 + i * DT, [disc], hand), []) for i, (disc, hand) in enumerate(seen)]
    assert any(plays) is told


@pytest.mark.parametrize(("far", "area", "shown", "hand_mm", "told"), [
    (100.0, 1.0, PALE.mean, 60.0, True),
    (25.0, 1.0, PALE.mean, 60.0, False),
    (100.0, 0.5, PALE.mean, 60.0, False),
    (100.0, 1.0, SKIN, 60.0, False),
    (100.0, 1.0, PALE.mean, 30.0, False),
], ids=["left behind", "where it stood", "half a disc", "as skin", "in the hand"])  # fmt: skip
def test_a_pushed_striker_that_a_hand_has_left_behind_was_struck_however_slow_it_is(
    far: float, area: float, shown: tuple[float, float, float], hand_mm: float, told: bool
) -> None:
    """It had been hidden while it was fast; the stroke was told in doubt once the hand had gone (slipping worlds 11512
    and 11648).
    """
    watch, background, _ = placed()
    play = None
    for i in range(6):
        x, y = 0.0, far + 2.2 * i - BOARD.base_y
        blob, hand = Blob(x, y, area * STRIKER_MM2, shown), hand_at(background, x, y - hand_mm - 15.0)
        play = play or watch.update(glance(background, 0.2 + i * DT, [blob], hand), [])
    assert (play is not None) is told
    if play is not None:
        assert play.striker is not None
        assert play.t_strike < 0.2


@pytest.mark.parametrize(("aside", "told"), [(0.0, True), (60.0, False)])
def test_a_striker_that_a_cushion_turns_as_soon_as_it_is_seen_free_leads_back_by_its_way_before(
    aside: float, told: bool
) -> None:
    """A hand pushed it 100 mm towards the cushion: it was seen twice before it turned (slipping world 11640)."""
    standing = replace(STANDING, x_mm=BOARD.base_circle_x)
    watch, background, _ = placed(standing)
    reach = BOARD.half - BOARD.striker_radius
    plays = []
    for i in range(8):
        x, y = (a + (140.0 + 30.0 * i) * math.sqrt(0.5) for a in (standing.x_mm, standing.y_mm))
        blob = Blob(reach - abs(x - reach), y + aside, STRIKER_MM2, PALE.mean)
        plays.append(watch.update(glance(background, 0.3 + i * DT, [blob]), []))
    assert any(plays) is told


@pytest.mark.parametrize("aside", [0.0, 80.0], ids=["its coin", "another coin"])
def test_a_striker_that_a_coin_turns_as_soon_as_it_is_seen_free_leads_back_by_its_way_before(aside: float) -> None:
    """An arm over the diagonal hid its first 90 mm and the coin that it struck right after (slipping world 12915)."""
    watch, background, table = placed()
    coin = next(k for k in table.lying if k.piece.kind is Kind.QUEEN)
    reach, (x, y) = BOARD.striker_radius + BOARD.coin_radius, (STANDING.x_mm, STANDING.y_mm + 130.0)
    coin.piece = replace(coin.piece, x_mm=x - 0.8 * reach - aside, y_mm=y + 0.6 * reach)
    places = [(x, y - 20.0), (x, y), *((x + 12.0 * i, y + 9.0 * i) for i in range(1, 8))]
    plays = []
    for i, (at, ahead) in enumerate(places):
        seen = glance(
            background, 0.3 + i * DT, [Blob(at, ahead, STRIKER_MM2, PALE.mean)], hand_at(background, at + 80.0, ahead)
        )
        plays.append(watch.update(seen, [coin] if i == 1 else []))
    assert any(plays) is (aside == 0.0)


@pytest.mark.parametrize(
    ("friction", "hand_mm", "told"), [(1100.0, 300.0, True), (1100.0, 120.0, False), (-500.0, 300.0, False)]
)
def test_what_coasts_far_from_any_hand_was_struck_wherever_it_comes_from(
    friction: float, hand_mm: float, told: bool
) -> None:
    """A coin that lay by a cushion had turned it before it was seen (slipping world 12960). Hands do not slow so."""
    watch, background, table = placed()
    coin = next(k for k in table.lying if k.piece.kind is Kind.QUEEN)
    x, y, plays = -160.0, -150.0, []
    for i in range(20):
        far = 1000.0 * i * DT - friction * (i * DT) ** 2 / 2
        blob = Blob(x + 0.6 * far, y + 0.8 * far, STRIKER_MM2, PALE.mean)
        seen = glance(background, 0.3 + i * DT, [blob], hand_at(background, min(blob.x + hand_mm, 330.0), blob.y))
        plays.append(watch.update(seen, [coin] if i == 0 else []))
    assert any(plays) is told


@pytest.mark.parametrize(("times", "told"), [(1.0, False), (3.0, True)])
def test_a_striker_that_a_hand_shifts_along_its_lines_is_not_struck_though_a_step_seems_fast(
    times: float, told: bool
) -> None:
    """Fingers that were no hand to the camera moved its patch by 20 mm in one frame (simulated world 2248)."""
    watch, background, _ = placed()
    way = [Blob(times * x, -BOARD.base_y, STRIKER_MM2, PALE.mean) for x in (7.0, 14.0, 21.0, 28.0, 35.0, 54.0, 60.0)]
    plays = [watch.update(glance(background, 0.1 + i * DT, [blob]), []) for i, blob in enumerate(way)]
    assert any(plays) is told


@pytest.mark.parametrize(("up_to", "told"), [(None, True), (0.0, True), (150.0, False)])
def test_what_moves_with_skin_of_the_boards_colour_is_not_struck(up_to: float | None, told: bool) -> None:
    """An arm that passes for shade carries the striker: once its outline broke, a blob of striker and fingers seemed to
    fly (slipping world 9289). `up_to` is how far beyond the striker's first place the skin reaches.
    """
    watch, background, _ = placed()
    skin = np.zeros(background.lattice.shape, np.uint8)
    if up_to is not None:
        skin[(np.abs(background.x) < 60.0) & (background.y < up_to - BOARD.base_y)] = 255
    way = [Blob(0.0, -BOARD.base_y + y, STRIKER_MM2, PALE.mean) for y in (0.0, 20.0, 40.0, 60.0, 80.0, 100.0)]
    plays = [watch.update(glance(background, 0.1 + i * DT, [blob], skin=skin), []) for i, blob in enumerate(way)]
    assert any(plays) is told


@pytest.mark.parametrize(("frames", "told"), [(7, False), (16, True)])
def test_coins_that_fly_apart_far_from_any_hand_were_broken_though_nobody_saw_the_striker(
    frames: int, told: bool
) -> None:
    """A white striker on white wood: a whole break went untold."""
    background, profile = gate_over(), studio().profile
    known, tracker, table = CurrentProfile(profile), Tracker({}, BOARD.half), Occupancy(background, BOARD)
    table.settle(FORMATION, compared(background, studio().picture(FORMATION), 0.0))
    watch = StrokeStartDetector(
        known, background, tracker, PlacementTracker(known, background), FlightTracking(known, tracker)
    )
    gone = [k for k in table.lying if k.piece.kind is not Kind.QUEEN][:10]
    plays = []
    for i in range(frames):
        blobs = []
        for n, k in enumerate(gone):
            k.seen = 0.1 - DT
            way = math.tau * n / len(gone)
            x, y = (i * 15.0 * f(way) for f in (math.cos, math.sin))
            blobs.append(Blob(k.piece.x_mm + x, k.piece.y_mm + y, math.pi * BOARD.coin_radius**2, TINT))
        plays.append(watch.update(glance(background, 0.1 + i * DT, blobs), gone if i == 0 else []))
    assert any(plays) is told
