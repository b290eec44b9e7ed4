"""Who won against whom, over stored matches, and a rating by Glicko-2 (M. Glickman, "Example of the Glicko-2 system",
2012): a number with its deviation, so that few matches say little.

A match counts once it is won by a side that has names. Partners are each rated against the mean of the other side; of
three or four who play each for himself the winner is rated against each of the others.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby

from glicko2.math import UpdatedRating, mu_to_rating, phi_to_rd, rating_to_mu, rd_to_phi, update_rating

from referee.log.index import MatchRow

PERIOD_S = 7 * 86_400
"""A rating period: matches of one week are taken together, as the paper asks for."""
FORM_LENGTH = 10
"""So many of the last matches are told as form."""
UNRATED = UpdatedRating(rating_to_mu(1500.0), rd_to_phi(350.0), 0.06)
"""Where everybody begins (section 3, step 1)."""

TeamNames = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """A match that was won, as one player sees it."""

    path: str
    """Of its log."""
    number: int
    """Which match of its log."""
    started: float
    """Unix seconds."""
    won: bool
    against: TeamNames
    score: tuple[int, int]
    """His points and the best of the others, of the last game; games where more than one was won."""


@dataclass(frozen=True, slots=True)
class RatingPoint:
    """A rating at the end of a period in which the player played."""

    until: float
    """Unix seconds."""
    rating: float
    deviation: float


@dataclass(frozen=True, slots=True)
class PlayerStanding:
    """A player among all."""

    player: str
    rating: float
    deviation: float
    """Standard deviation of the rating: it grows while he does not play."""
    wins: int
    losses: int
    boards_won: int
    boards: int
    against: Mapping[str, tuple[int, int]]
    """Matches won and lost against each opponent."""
    form: tuple[PlayedMatch, ...]
    """The last matches, newest last."""
    history: tuple[RatingPoint, ...]


@dataclass(frozen=True, slots=True)
class _Won:
    """A match that counts: the names of its sides, the winner's first."""

    row: MatchRow
    started: float
    sides: tuple[TeamNames, ...]
    seats: tuple[tuple[str, ...], ...]


def standings(rows: Iterable[MatchRow]) -> tuple[PlayerStanding, ...]:
    """Every named player of these matches, the best rating first."""
    won = sorted(filter(None, map(_won, rows)), key=lambda w: (w.started, w.row.path, w.row.number))
    histories = _histories(won)
    players = sorted({name for w in won for side in w.sides for name in side})
    return tuple(
        sorted((_standing(name, won, histories[name]) for name in players), key=lambda s: (-s.rating, s.player))
    )


def _won(row: MatchRow) -> _Won | None:
    """The match if it was won and everybody who counts has a name."""
    if not row.winner or row.started is None:
        return None
    losers = [seat for seat in row.score if seat not in row.winner]
    # Of two sides the losers sit together; of three or four single players each is a side of his own.
    sides = [tuple(row.winner), tuple(losers)] if len(losers) <= len(row.winner) else [tuple(row.winner), *zip(losers)]
    names = tuple(tuple(row.players.get(seat, "") for seat in side) for side in sides)
    if not all(name for side in names for name in side) or len(names) < 2:
        return None
    return _Won(row, row.started, names, tuple(sides))


def _histories(won: list[_Won]) -> dict[str, tuple[list[RatingPoint], UpdatedRating]]:
    """Each player's ratings over the periods, and the last one with its deviation grown until the last period."""
    now: dict[str, UpdatedRating] = {}
    points: dict[str, list[RatingPoint]] = defaultdict(list)
    last = None
    for period, matches in groupby(won, key=lambda w: int(w.started // PERIOD_S)):
        for _ in range(0 if last is None else period - last - 1):
            now = {name: update_rating(*rating, []) for name, rating in now.items()}
        last, games = period, _games(list(matches), now)
        now = {name: update_rating(*now.get(name, UNRATED), games.get(name, [])) for name in now.keys() | games.keys()}
        for name in games:
            rating = now[name]
            point = RatingPoint(
                (period + 1) * PERIOD_S, round(mu_to_rating(rating.mu), 1), round(phi_to_rd(rating.phi), 1)
            )
            points[name].append(point)
    return {name: (points[name], rating) for name, rating in now.items()}


def _games(matches: list[_Won], now: Mapping[str, UpdatedRating]) -> dict[str, list[tuple[float, float, float]]]:
    """Of each player of a period his opponents as they stood before it, with the outcomes."""
    games: dict[str, list[tuple[float, float, float]]] = defaultdict(list)
    for won in matches:
        winners, *others = won.sides
        for losers in others:
            for side, other, outcome in ((winners, losers, 1.0), (losers, winners, 0.0)):
                for name in side:
                    games[name].append((*_mean(other, now), outcome))
    return games


def _mean(side: TeamNames, now: Mapping[str, UpdatedRating]) -> tuple[float, float]:
    """The rating of a side, and its deviation: partners' mean, their deviations as of independent values."""
    ratings = [now.get(name, UNRATED) for name in side]
    return sum(r.mu for r in ratings) / len(side), math.sqrt(sum(r.phi**2 for r in ratings)) / len(side)


def _standing(name: str, won: list[_Won], history: tuple[list[RatingPoint], UpdatedRating]) -> PlayerStanding:
    mine = [w for w in won if any(name in side for side in w.sides)]
    played = [_as_seen_by(name, w) for w in mine]
    against: dict[str, tuple[int, int]] = {}
    for match in played:
        for other in match.against:
            wins, losses = against.get(other, (0, 0))
            against[other] = (wins + match.won, losses + (not match.won))
    points, rating = history
    seats = [next(seats[0] for side, seats in zip(w.sides, w.seats, strict=True) if name in side) for w in mine]
    return PlayerStanding(
        player=name,
        rating=round(mu_to_rating(rating.mu), 1),
        deviation=round(phi_to_rd(rating.phi), 1),
        wins=sum(match.won for match in played),
        losses=sum(not match.won for match in played),
        boards_won=sum(w.row.boards_won.get(seat, 0) for w, seat in zip(mine, seats, strict=True)),
        boards=sum(w.row.boards for w in mine),
        against=dict(sorted(against.items(), key=lambda item: (-sum(item[1]), item[0]))),
        form=tuple(played[-FORM_LENGTH:]),
        history=tuple(points),
    )


def _as_seen_by(name: str, won: _Won) -> PlayedMatch:
    winners, *others = won.sides
    is_winner = name in winners
    against = tuple(n for side in others for n in side) if is_winner else winners
    seat = next(seats[0] for side, seats in zip(won.sides, won.seats, strict=True) if name in side)
    numbers = won.row.games if any(n > 1 for n in won.row.games.values()) else won.row.score
    other = max(numbers.get(seats[0], 0) for side, seats in zip(won.sides, won.seats, strict=True) if name not in side)
    score = (numbers.get(seat, 0), other)
    return PlayedMatch(won.row.path, won.row.number, won.started, is_winner, against, score)
