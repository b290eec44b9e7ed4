"""What a log is credited with: every row of the score sheet, on facts made by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from bench_truth import BOARD, CAMERA, MARKS, PLAY, REST, STROKE, TABLE, log, truth

from calibration.geometry.camera import Camera
from models.pieces import Kind, Piece, Pocket
from referee.bench.measure import calibration_error, logged, score_clip
from referee.bench.reliability import bins, wilson
from referee.bench.score import Call, Error, ScoreFault, ScoreRow, total
from referee.facts import Foul, Pocketed
from referee.web.board_json import geometry_of_model


def test_a_log_that_says_the_truth_is_wholly_right() -> None:
    sheet = score_clip(truth(PLAY), log(STROKE, TABLE))
    assert {row for row in ScoreRow if sheet.right[row] != sheet.of[row]} == set()
    assert sheet.faults.total() == 0
    assert sheet.wrong == []
    assert sheet.of[ScoreRow.POCKET] == 2
    assert sheet.of[ScoreRow.KINDS] == 2
    assert sheet.errors[Error.REST_MM] == pytest.approx([0.2, 0.2])
    assert sheet.errors[Error.PLACEMENT_Z] == pytest.approx([1.0, 0.0])
    assert sheet.errors[Error.CALIBRATION_MM] == pytest.approx([0.0], abs=1e-9)


def test_base_circles_are_held_against_the_nearest_of_the_eight() -> None:
    x, y = MARKS.base_circle_x, MARKS.base_circle_y
    found = replace(log(STROKE), circles=((x + 2.6, -y), (-y - 0.3, x + 0.4)))
    assert score_clip(truth(PLAY), found).errors[Error.CIRCLES_MM] == pytest.approx([2.6, 0.5])


def test_only_a_measured_board_says_where_its_circles_are() -> None:
    board = geometry_of_model(BOARD)
    for measured, count in ((False, 0), (True, 8)):
        assert len(logged([{"type": "header", "board": board | {"measured": measured}}], (728, 544)).circles) == count


def test_a_wrong_call_that_is_sure_is_the_worst_fault() -> None:
    sheet = score_clip(truth(PLAY), log(replace(STROKE, pocketed=()), TABLE))
    assert sheet.faults[ScoreFault.WRONG_CERTAIN] == 1
    assert sheet.of[ScoreRow.POCKET] == 0
    assert "white in NE + black in NW, logged nothing" in sheet.wrong[0]


def test_a_wrong_call_in_doubt_is_wrong_but_not_certain() -> None:
    sheet = score_clip(truth(PLAY), log(replace(STROKE, pocketed=(), confidence=0.6)))
    assert sheet.faults[ScoreFault.WRONG_CERTAIN] == 0
    assert sheet.share(ScoreRow.POCKETED) == 0


def test_pockets_and_order_are_judged_apart_from_the_set() -> None:
    swapped = (Pocketed(Kind.BLACK, Pocket.NW, 2.5), Pocketed(Kind.WHITE, Pocket.SW, 2.8))
    sheet = score_clip(truth(PLAY), log(replace(STROKE, pocketed=swapped)))
    assert sheet.share(ScoreRow.POCKETED) == 1
    assert (sheet.right[ScoreRow.POCKET], sheet.of[ScoreRow.POCKET]) == (1, 2)
    assert sheet.share(ScoreRow.ORDER) == 0


def test_falls_within_two_frames_have_no_order() -> None:
    sheet = score_clip(truth(PLAY, fps=5.0), log(STROKE))
    assert sheet.of[ScoreRow.ORDER] == 0
    assert sheet.of[ScoreRow.CONTACT_FAST] == 0


def test_strokes_far_apart_in_time_are_missed_and_invented() -> None:
    sheet = score_clip(truth(PLAY), log(replace(STROKE, t_strike=5.0)))
    assert (sheet.faults[ScoreFault.MISSED], sheet.faults[ScoreFault.INVENTED]) == (1, 1)


def test_a_stroke_cut_by_the_end_is_neither_missed_nor_invented() -> None:
    sheet = score_clip(truth(replace(PLAY, t_rest=11.0)), log(STROKE))
    assert sheet.of[ScoreRow.FOUND] == 0
    assert sheet.faults.total() == 0


def test_a_striker_that_stayed_may_be_logged_as_such() -> None:
    stayed = replace(PLAY, left_base_line=False)
    sheet = score_clip(truth(stayed), log(replace(STROKE, fouls=(Foul.NO_LEAVE,))))
    assert sheet.share(ScoreRow.NO_LEAVE_OF_TRUE) == sheet.share(ScoreRow.NO_LEAVE_OF_LOGGED) == 1
    assert sheet.faults[ScoreFault.INVENTED] == 0
    assert score_clip(truth(stayed), log(STROKE)).faults[ScoreFault.INVENTED] == 1


def test_a_placement_called_the_wrong_way_is_a_fault() -> None:
    assert STROKE.placement is not None
    wrong = replace(STROKE.placement, legal=False)
    sheet = score_clip(truth(PLAY), log(replace(STROKE, placement=wrong)))
    assert sheet.faults[ScoreFault.PLACEMENT_WRONG] == 1
    assert sheet.share(ScoreRow.PLAIN) == 1
    open_one = score_clip(truth(PLAY), log(replace(STROKE, placement=replace(STROKE.placement, legal=None))))
    assert open_one.faults[ScoreFault.PLACEMENT_WRONG] == 0
    assert open_one.share(ScoreRow.PLAIN) == 0


def test_pieces_missed_invented_and_taken_for_others_are_counted() -> None:
    seen = (Piece(Kind.BLACK, 10.0, 20.0), Piece(Kind.WHITE, 300.0, 300.0), *REST[2:])
    sheet = score_clip(truth(PLAY), log(STROKE, replace(TABLE, pieces=seen)))
    assert (sheet.faults[ScoreFault.PIECES_MISSED], sheet.faults[ScoreFault.PIECES_INVENTED]) == (1, 1)
    assert sheet.share(ScoreRow.KINDS) == 0


def test_a_camera_believed_elsewhere_is_that_much_off() -> None:
    shifted = Camera.of(CAMERA.width, CAMERA.height, CAMERA.k, CAMERA.dist, CAMERA.r, CAMERA.t + CAMERA.r @ [1.0, 0, 0])
    assert calibration_error(CAMERA, shifted, MARKS) == pytest.approx(1.0, abs=0.03)


def test_sheets_add_up() -> None:
    sheets = [score_clip(truth(PLAY), log(STROKE, TABLE)), score_clip(truth(PLAY), log())]
    whole = total(sheets)
    assert (whole.right[ScoreRow.FOUND], whole.of[ScoreRow.FOUND]) == (1, 2)
    assert len(whole.calls) == 1


@pytest.mark.parametrize(
    ("right", "of", "low", "high"), [(50, 50, 0.929, 1.0), (9, 10, 0.596, 0.982), (0, 0, 0.0, 1.0)]
)
def test_intervals_are_those_of_wilson(right: int, of: int, low: float, high: float) -> None:
    assert wilson(right, of) == pytest.approx((low, high), abs=1e-3)


def test_calls_are_sorted_by_how_sure_they_were() -> None:
    calls = [Call("a", 0.0, c, right, "") for c, right in ((0.95, True), (0.96, False), (1.0, True), (0.3, False))]
    filled = {b.low: (b.calls, b.right) for b in bins(calls) if b.calls}
    assert filled == {0.0: (1, 0), 0.9: (2, 1), 0.99: (1, 1)}
