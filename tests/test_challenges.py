"""Challenges: asked by a side, answered by the umpire, counted when the call stands."""

from __future__ import annotations

from pathlib import Path

import pytest
from match_logs import write
from match_play import Play

from referee.log.stored_match import stored_match
from referee.match import Correction, MatchError, correction_of


def ask(play: Play, stroke: int, seat: str, name: str) -> None:
    play.match.add(correction_of({"action": "challenge", "stroke": stroke, "seat": seat, "id": name}))


def answer(play: Play, name: str, upheld: bool) -> None:
    play.match.add(correction_of({"action": "answer", "target": name, "upheld": upheld, "id": f"to {name}"}))


@pytest.fixture
def play() -> Play:
    play = Play()
    play.formation("south")
    play.stroke("south", "W")
    play.stroke("south", "-")
    return play


def test_a_lost_challenge_is_counted_and_a_right_one_is_not(play: Play) -> None:
    assert play.match.view()["challenges"] == {"allowed": 2, "left": [2, 2], "open": None}
    ask(play, 2, "north", "a")
    assert play.match.view()["challenges"]["open"] == {"target": "a", "stroke": 2, "seat": "north"}
    with pytest.raises(MatchError, match="another challenge waits"):
        ask(play, 1, "south", "b")
    answer(play, "a", upheld=True)
    assert play.match.view()["challenges"]["left"] == [2, 2]
    for name in ("c", "d"):
        ask(play, 1, "north", name)
        answer(play, name, upheld=False)
    assert play.match.view()["challenges"] == {"allowed": 2, "left": [2, 0], "open": None}
    with pytest.raises(MatchError, match="no challenge left"):
        ask(play, 2, "north", "e")
    with pytest.raises(MatchError, match="no such challenge"):
        answer(play, "c", upheld=True)
    with pytest.raises(MatchError, match="no stroke 9"):
        ask(play, 9, "south", "f")


def test_a_challenge_changes_no_ruling_can_be_taken_back_and_is_read_from_the_log(play: Play, tmp_path: Path) -> None:
    before = dict(play.match.rulings)
    ask(play, 2, "north", "a")
    answer(play, "a", upheld=False)
    assert play.match.rulings == before
    again = write(tmp_path / "a.jsonl", play.match)
    assert stored_match(tmp_path / "a.jsonl").match.view()["challenges"] == again.view()["challenges"]
    assert again.view()["challenges"]["left"] == [2, 1]
    play.match.add(correction_of({"action": "undo", "target": "a"}))
    assert play.match.view()["challenges"]["left"] == [2, 2]
    assert isinstance(play.match.events[-1], Correction)
