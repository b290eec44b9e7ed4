"""A match as a story: how it stood after each stroke, and what of it is worth being seen again."""

from __future__ import annotations

from pathlib import Path

from match_logs import NAMES, write
from match_play import Play

from models.pieces import Seat
from referee.match import Start
from referee.replay.store import Replay
from referee.replay.story import Story, StoryQueen, StoryRun, story
from referee.replay.stroke_figures import figures


def told(log: Path, number: int | None = None) -> Story:
    replay = Replay(log)
    return story(replay, figures(replay), number)


def test_a_won_match_is_told_stroke_by_stroke_with_its_longest_run_and_its_queen(tmp_path: Path) -> None:
    play = Play(Start("m1", rules="masters+target=3+boards=1", players=NAMES))
    play.formation("south")
    for seat, text in (("south", "W,W"), ("south", "-"), ("north", "B"), ("north", "-"), ("south", "W,W,W"),
                       ("south", "W,W,W"), ("south", "Q,W")):  # fmt: skip
        play.stroke(seat, text)
    write(tmp_path / "a.jsonl", play.match)
    match = told(tmp_path / "a.jsonl")
    assert [step.left for step in match.steps] == [(7, 9), (7, 9), (7, 8), (7, 8), (4, 8), (1, 8), (0, 8)]
    assert [step.score for step in match.steps][-2:] == [(0, 0), tuple(match.boards[0]["score"])]
    assert match.run == StoryRun("Asha Rao", 7, (5, 6, 7))
    assert match.queens == (StoryQueen(1, "Asha Rao", 7),)
    assert match.winner == 0
    assert (match.fastest, match.best, match.reel) == (None, None, ())


def test_sides_keep_their_place_when_their_colours_change(tmp_path: Path) -> None:
    play = Play(Start("m1", players=((Seat.SOUTH, "Asha"), (Seat.NORTH, "Ravi"))))
    play.formation("south")
    play.stroke("south", "W,W,W,W,W,W,W,W")
    play.stroke("south", "Q,W")
    play.formation("north")
    play.stroke("north", "W")
    write(tmp_path / "a.jsonl", play.match)
    before, after = told(tmp_path / "a.jsonl").steps[-2:]
    assert before.score == after.score
    assert before.score[0] > before.score[1] == 0
    assert after.left == (9, 8)
