"""Standings: who won against whom, and Glicko-2 ratings that agree with the paper."""

from __future__ import annotations

from pathlib import Path

import pytest
from glicko2.math import mu_to_rating, phi_to_rd, rating_to_mu, rd_to_phi, update_rating
from match_logs import write
from match_play import Play

from models.pieces import Seat
from referee.log.index import MatchIndex
from referee.match import Start
from referee.replay.standings import PlayerStanding, standings

WEEK_S = 7 * 86_400


def won(folder: Path, name: str, wall: float, south: str = "Asha", north: str = "Ravi", by: str = "south") -> None:
    """A match of one board that the player of `by` wins."""
    play = Play(Start(name, "masters+target=3+boards=1", players=((Seat.SOUTH, south), (Seat.NORTH, north))))
    play.formation(by)
    play.stroke(by, "W,W,W,W,W,W,W,W")
    play.stroke(by, "Q,W")
    write(folder / f"{name}.jsonl", play.match, wall)


def told(folder: Path) -> dict[str, PlayerStanding]:
    index = MatchIndex(folder)
    assert index.refresh() == []
    return {s.player: s for s in standings(index.find())}


def test_the_library_agrees_with_the_papers_example() -> None:
    others = [(rating_to_mu(r), rd_to_phi(d), s) for r, d, s in ((1400, 30, 1.0), (1550, 100, 0.0), (1700, 300, 0.0))]
    after = update_rating(rating_to_mu(1500), rd_to_phi(200), 0.06, others)
    assert mu_to_rating(after.mu) == pytest.approx(1464.06, abs=0.02)
    assert phi_to_rd(after.phi) == pytest.approx(151.52, abs=0.01)
    assert after.sigma == pytest.approx(0.059996, abs=1e-6)


def test_wins_boards_and_head_to_head_are_counted_and_the_winner_rated_higher(tmp_path: Path) -> None:
    won(tmp_path, "a", 1_700_000_000.0)
    won(tmp_path, "b", 1_700_000_600.0)
    won(tmp_path, "c", 1_700_001_200.0, by="north")
    won(tmp_path, "d", 1_700_001_800.0, north="Mira")
    found = told(tmp_path)
    asha, ravi = found["Asha"], found["Ravi"]
    assert next(iter(found)) == "Asha"
    assert (asha.wins, asha.losses, asha.boards_won, asha.boards) == (3, 1, 3, 4)
    assert dict(asha.against) == {"Ravi": (2, 1), "Mira": (1, 0)}
    assert [match.won for match in ravi.form] == [False, False, True]
    assert ravi.form[-1].score[0] > ravi.form[-1].score[1] == 0
    assert asha.rating > 1500 > found["Mira"].rating
    assert asha.deviation < 350


def test_who_stays_away_is_less_sure_and_what_was_not_won_does_not_count(tmp_path: Path) -> None:
    won(tmp_path, "a", 1_700_000_000.0)
    before = told(tmp_path)["Ravi"]
    won(tmp_path, "b", 1_700_000_000.0 + 10 * WEEK_S, north="Mira")
    play = Play(Start("x", players=((Seat.SOUTH, "Asha"), (Seat.NORTH, "Ravi"))))
    play.formation("south")
    play.stroke("south", "W")
    write(tmp_path / "x.jsonl", play.match, 1_700_000_000.0 + 11 * WEEK_S)
    after = told(tmp_path)["Ravi"]
    assert (after.rating, after.wins + after.losses) == (before.rating, 1)
    assert after.deviation > before.deviation
    assert len(told(tmp_path)["Asha"].history) == 2
