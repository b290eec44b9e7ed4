"""Nothing keeps the referee silent: what spoils a picture for good is told, and strokes are told all the same."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import cv2
import numpy as np
import pytest
from click.testing import CliRunner
from film import STRUCK_S, Film
from sim_clips import FPS, one_stroke
from sim_scenes import BOARD, SCATTERED, learned, lit, studio
from watching import BEGINNING, facts_of

from calibration.geometry.picture import Picture
from models.pieces import Kind, Piece, Pocket, Seat
from referee.cli import main
from referee.facts import Alert, AlertKind, Fact, Pocketed, Stroke, Table
from referee.frames.frame import Frame
from referee.log import read_log
from referee.pipeline import MatchSettings, referee
from referee.pipeline.picture_verdict import picture_faults
from referee.seeing import Seeing
from referee.strokes.queen_doubt import in_doubt_of_queen
from referee.strokes.stroke_machine import Phase

FIELD = Path(os.environ.get("CARROM_SHARED", "/nowhere")) / "field"
needs_field = pytest.mark.skipif(not FIELD.is_dir(), reason="CARROM_SHARED names no folder with cases of the field")
CALM_S, RING_LEVEL = 3.0, 235


class Recorded:
    """A camera of these pictures."""

    name, fps, live = "recorded", float(FPS), False

    def __init__(self, pictures: Iterable[Picture]) -> None:
        self._pictures = tuple(pictures)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return

    def __iter__(self) -> Iterator[Frame]:
        return (Frame(p, i / FPS, i, None, lasts=True) for i, p in enumerate(self._pictures))


def logged(pictures: Iterable[Picture], tmp_path: Path) -> list[dict[str, Any]]:
    """The alerts that the log has after these pictures."""
    log = tmp_path / "match.jsonl"
    referee(Recorded(pictures), MatchSettings(), log, "match")
    return [line for line in read_log(log).lines if line["type"] == "alert"]


def ringed(picture: Picture, drawn: Iterable[Piece]) -> Picture:
    """The picture with a thin white ring burnt in around each of these pieces."""
    luma, at = picture.y.copy(), studio()
    for piece in drawn:
        (x, y), (x2, _) = at.camera.to_pixels([(piece.x_mm, piece.y_mm), (piece.x_mm + 20.0, piece.y_mm)])
        cv2.circle(luma, (round(x), round(y)), round(abs(x2 - x)), RING_LEVEL, 2)
    return Picture(luma, picture.u, picture.v)


def seen_of(pictures: Iterable[Picture]) -> list[Fact]:
    """Everything that is told of pictures at 30 frames a second."""
    return facts_of(learned(), [Frame(p, i / FPS, i, None, lasts=True) for i, p in enumerate(pictures)])


def alerts(facts: Iterable[Fact]) -> list[tuple[AlertKind, float]]:
    return [(fact.kind, fact.t) for fact in facts if isinstance(fact, Alert)]


def test_marks_that_blink_without_end_are_told_within_seconds_and_so_is_their_end() -> None:
    still = [studio().picture(SCATTERED, grain=i) for i in range(3)]
    rng = np.random.default_rng(3)
    marked = [ringed(still[i % 3], [p for p in SCATTERED if rng.random() < 0.5]) for i in range(12)]
    blinking = [marked[i % 12] for i in range(round(7 * FPS))]
    calm = [still[i % 3] for i in range(round(7 * FPS))]
    told = alerts(seen_of([*still, *still, *still, *blinking, *calm]))
    assert [kind for kind, _ in told] == [AlertKind.PICTURE_RESTLESS, AlertKind.PICTURE_SOUND]
    assert told[0][1] < 6.0


def test_a_board_at_rest_is_not_told_as_restless() -> None:
    still = [studio().picture(SCATTERED, grain=i) for i in range(3)]
    assert alerts(seen_of([still[i % 3] for i in range(round(8 * FPS))])) == []


def test_a_disc_that_jumps_about_without_end_hides_no_coin_that_is_taken_away() -> None:
    """No search finds the discs of the last one, so that looks alone would never tell that the board rests."""
    rng, pieces = np.random.default_rng(5), SCATTERED[:4]
    marks = [Piece(Kind.BLACK, *rng.uniform(-300.0, 300.0, 2)) for _ in range(20)]
    before, after = ([studio().picture([*lay, mark]) for mark in marks] for lay in (pieces, pieces[1:]))
    jumps = [(before if i < 5 * FPS else after)[i // 6 % len(marks)] for i in range(10, round(9 * FPS))]
    told = seen_of([*[studio().picture(pieces)] * 10, *jumps])
    tables = [fact for fact in told if isinstance(fact, Table) and fact.t > 5.0]
    assert tables
    assert tables[0].t < 8.0
    assert all(math.dist((p.x_mm, p.y_mm), (pieces[0].x_mm, pieces[0].y_mm)) > 5.0 for p in tables[-1].pieces)
    assert AlertKind.PICTURE_RESTLESS in [kind for kind, _ in alerts(told)]


def test_a_stroke_that_does_not_end_is_given_up_after_twenty_seconds() -> None:
    """Nothing lies still, a black jumps elsewhere ten times a second, and the striker is seen no more."""
    film, rng = Film(SCATTERED[:4]), np.random.default_rng(5)
    film.stroke(0.0, -BOARD.base_y, (0.0, 100.0), 900.0)
    seen = [film.at.shot(scene, i) for i, scene in enumerate(film.scenes(1.9))]
    jumps = [film.at.picture([*SCATTERED[:4], Piece(Kind.BLACK, *rng.uniform(-300.0, 300.0, 2))]) for _ in range(70)]
    pictures = [*seen, *(jumps[i // 3 % len(jumps)] for i in range(round(20.8 * FPS)))]
    seeing, told = Seeing(film.at.profile, seen[:BEGINNING]), []
    phases = {}
    for i, picture in enumerate(pictures):
        told += seeing.process(Frame(picture, i / FPS, i, None, lasts=True))
        phases[seeing.watch.phase] = i / FPS
    assert phases[Phase.MOVING] == pytest.approx(STRUCK_S + 20.0, abs=0.2)
    assert seeing.watch.phase is Phase.WAITING
    assert not any(isinstance(fact, Stroke) and fact.confidence >= 0.9 for fact in told)


def analysed(case: str, tmp_path: Path) -> list[dict[str, Any]]:
    """The lines of the log of a recording of the field."""
    log = tmp_path / "match.jsonl"
    done = CliRunner().invoke(main, ["analyse", str(FIELD / case / "clip.mp4"), "--log", str(log)])
    assert done.exit_code == 0, done.output
    return list(read_log(log).lines)


@needs_field
def test_a_stroke_under_a_fans_shadow_is_told_in_doubt_and_the_shadow_within_seconds(tmp_path: Path) -> None:
    lines = analysed("fan_shadow", tmp_path)
    strokes = [line for line in lines if line["type"] == "stroke"]
    restless = [line for line in lines if line.get("kind") == "picture_restless"]
    assert [stroke["seat"] for stroke in strokes] == ["south"]
    assert [(p["kind"], p["pocket"]) for p in strokes[0]["pocketed"]] == [("white", "NW")]
    assert strokes[0]["confidence"] < 0.9
    assert strokes[0]["t_called"] < 7.0
    assert [line["t"] < 7.0 for line in restless] == [True]


@needs_field
@pytest.mark.parametrize(
    ("case", "kind"), [("blinking_marks", "picture_restless"), ("frozen_picture", "picture_frozen")]
)
def test_what_spoils_a_recording_of_the_field_is_told(case: str, kind: str, tmp_path: Path) -> None:
    assert [line["kind"] for line in analysed(case, tmp_path) if line["type"] == "alert"] == [kind, "source_ended"]


def test_a_camera_that_repeats_one_picture_is_told_and_so_is_its_recovery(tmp_path: Path) -> None:
    pictures = one_stroke(90)
    lines = logged([*pictures[:20], *[pictures[20]] * round(7 * FPS), *pictures[20:]], tmp_path)
    kinds = [line["kind"] for line in lines]
    assert kinds == ["picture_frozen", "picture_sound", "source_ended"]
    assert 4.0 < lines[0]["t"] < 8.0


def grey(picture: Picture) -> Picture:
    return Picture(picture.y, np.full_like(picture.u, 128), np.full_like(picture.v, 128))


def test_a_camera_without_colour_is_named_once(tmp_path: Path) -> None:
    lines = logged([grey(p) for p in one_stroke(80)], tmp_path)
    assert [line["kind"] for line in lines].count("no_colour") == 1
    assert "queen" in next(line["text"] for line in lines if line["kind"] == "no_colour")


LYING = (Piece(Kind.QUEEN, 0.0, 0.0), Piece(Kind.WHITE, 90.0, 0.0))


@pytest.mark.parametrize(
    ("gone", "lying", "is_sure"),
    [
        ((Kind.QUEEN,), LYING[1:], False),
        ((Kind.BLACK,), LYING, False),
        ((Kind.BLACK,), LYING[1:], True),
        ((), LYING, True),
        ((Kind.STRIKER,), LYING, True),
    ],
)
def test_without_colour_no_stroke_is_sure_that_may_have_taken_the_queen(
    gone: tuple[Kind, ...], lying: tuple[Piece, ...], is_sure: bool
) -> None:
    fallen = tuple(Pocketed(kind, Pocket.NW, 2.0) for kind in gone)
    stroke = Stroke(1, Seat.SOUTH, None, 1.0, 3.0, 3.2, None, None, fallen, (), (), confidence=0.97)
    told = in_doubt_of_queen(stroke, lying)
    assert told == (stroke if is_sure else replace(stroke, confidence=0.5))


def test_a_picture_that_calibrate_would_refuse_is_said_to_be_poor_with_what_to_do() -> None:
    picture = studio().picture(SCATTERED)
    assert picture_faults(picture, learned()) is None
    dark = picture_faults(lit(picture, 0.12), learned())
    assert dark is not None
    assert "too dark" in dark


def test_a_call_that_waits_when_the_recording_ends_is_made_by_its_last_picture() -> None:
    """A coin that nobody saw fall may be found yet, so that the call waits for 0.6 s; the recording ended before."""
    coin = SCATTERED[0]
    film = Film(SCATTERED[:4])
    film.stroke(0.0, -BOARD.base_y, (0.0, 0.0), 700.0)
    film.goes(film.disc(coin), STRUCK_S + 0.2, lambda t: (400.0, 400.0, -200.0))
    facts, seeing = (
        list[Fact](),
        Seeing(film.at.profile, [film.at.picture(SCATTERED[:4], (), -i - 1) for i in range(BEGINNING)]),
    )
    settling = 0
    for i, scene in enumerate(film.scenes(6.0)):
        facts += seeing.process(Frame(film.at.shot(scene, i), scene.t, i, 0.0))
        settling += seeing.phase is Phase.SETTLING
        if settling == 5:
            break
    assert not [f for f in facts if isinstance(f, Stroke)]
    (stroke,) = (f for f in seeing.conclude() if isinstance(f, Stroke))
    assert [p.kind for p in stroke.pocketed] == [coin.kind]
    assert list(seeing.conclude()) == []
