"""Statistics: what strokes were like, told by player, with nothing where nothing was seen."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from match_logs import played, write

from models.pieces import Seat
from referee.log import read_log
from referee.replay.match_folder import MatchFolder
from referee.replay.statistics import statistics
from referee.replay.store import Replay
from referee.replay.stroke_figures import figures
from referee.replay.tracks import DISC


@pytest.fixture
def match(tmp_path: Path) -> Replay:
    """South breaks with two white coins, pockets one more with a push, misses; north pockets one and its striker."""
    write(tmp_path / "a.jsonl", played())
    return Replay(tmp_path / "a.jsonl")


def test_each_stroke_is_its_players(match: Replay) -> None:
    told = figures(match)
    assert [f.player for f in told] == ["Asha Rao", "Asha Rao", "Asha Rao", "Jürg Müller", "Jürg Müller"]
    assert [f.coins for f in told] == [2, 1, 0, 1, 0]
    assert [f.own for f in told] == [2, 1, 0, 1, 0]
    assert [f.is_break for f in told] == [True, False, False, False, False]
    strokes = list(match.strokes.values())
    between = [b.line["t_strike"] - a.line["t_rest"] for a, b in pairwise(strokes)]
    assert told[0].time_s is None
    assert [f.time_s for f in told[1:]] == pytest.approx(between)


def test_a_player_is_told_in_numbers(match: Replay) -> None:
    asha, jurg = statistics([figures(match)])
    assert (asha.player, asha.strokes, asha.pocketing, asha.coins, asha.boards) == ("Asha Rao", 3, 2, 3, 1)
    assert asha.pocketing_rate == pytest.approx(2 / 3)
    assert (asha.breaks, asha.breaks_pocketing) == (1, 1)
    assert asha.pockets == {"NE": 3}
    assert asha.total_s == 22.0
    assert jurg.strokes_per_board == 2
    assert jurg.speed_mm_s is None
    assert jurg.breaks == 0


def test_players_are_followed_over_matches(match: Replay, tmp_path: Path) -> None:
    write(tmp_path / "b.jsonl", played("m2", ((Seat.SOUTH, "Jürg Müller"), (Seat.NORTH, "Asha Rao"))))
    told = statistics([figures(match), figures(Replay(tmp_path / "b.jsonl"))])
    assert {s.player: (s.strokes, s.boards) for s in told} == {"Asha Rao": (5, 2), "Jürg Müller": (5, 2)}


def test_without_names_seats_are_told(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", played(players=()))
    assert [s.player for s in statistics([figures(Replay(tmp_path / "a.jsonl"))])] == ["south", "north"]


def test_a_stroke_that_was_taken_back_does_not_count(match: Replay) -> None:
    from referee.log import LogWriter

    with LogWriter(match.log) as log:
        log.write({"type": "correction", "t": 1.0, "action": "undo", "stroke": 5})
    assert [f.stroke for f in figures(Replay(match.log))] == [1, 2, 3, 4]


def test_of_a_recorded_stroke_place_and_way_are_told_and_no_speed_that_was_not_seen(kept: MatchFolder) -> None:
    (stroke,) = figures(Replay(kept.log))
    assert stroke.player == "Asha"
    assert stroke.is_break
    assert stroke.speed_mm_s is None
    assert stroke.placed is not None
    assert stroke.placed[1] < -200
    *_, table = (line for line in read_log(kept.log).lines if line["type"] == "table")
    striker = next(p for p in table["pieces"] if p["kind"] == "striker")
    assert math.dist(stroke.path[-1], (striker["x_mm"], striker["y_mm"])) < 10.0
    (told,) = statistics([[stroke]])
    assert told.speeds == 0
    assert sum(told.placed.values()) == 1


def test_the_speed_is_that_of_the_disc_that_leaves_the_strikers_place(kept: MatchFolder, tmp_path: Path) -> None:
    folder = MatchFolder(tmp_path / "a.jsonl")
    folder.log.write_bytes(kept.log.read_bytes())
    replay = Replay(kept.log)
    line, tracks = replay.strokes[1].line, replay.tracks(1)
    x, y, t = line["placement"]["x_mm"], line["placement"]["y_mm"], line["t_strike"]
    flying = [(t + i / 60, 1, b"?", x + 10 * i, y + 30 * i, 0.0) for i in range(1, 5)]
    turned = [(t + i / 60, 1, b"?", x - 50 * i, y + 60, 0.0) for i in range(5, 20)]
    beside = [(t + i / 60, 2, b"S", x + 100 - 20 * i, y, 0.0) for i in range(1, 40)]
    replace(tracks, discs=np.array(sorted([*flying, *turned, *beside]), DISC)).save(folder.tracks(1))
    (stroke,) = figures(Replay(folder.log))
    assert stroke.speed_mm_s == pytest.approx(np.hypot(10, 30) * 60, abs=1)
    assert stroke.path[0] == pytest.approx((x + 10, y + 30), abs=0.1)
