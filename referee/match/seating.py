"""Seats, sides and colours: in race games the breaker's side plays white, so colours change between the seats."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from models.pieces import Seat
from models.rules import Book, CollectRules
from referee.laws import Side
from referee.laws.match_rules import breaker_of, order_of_play
from referee.match.refusals import MatchError, Refusal, Refused

SidePoints = tuple[int, ...]
"""One number for each of the match's sides, in the order of `Seating.sides`."""

DeclaredSeats = tuple[tuple[Seat, Side | None], ...]
"""Seats that play, in the order declared, with their colour if declared."""


@dataclass(frozen=True, slots=True)
class Seating:
    """Seats in the order of play, and the sides that they make: single players, or partners who sit opposite."""

    order: tuple[Seat, ...]
    """Seats in the order in which they play; the first one belongs to the first side, and in collecting games is P1."""
    teams: int = 2
    """Number of sides, which take the seats in turn: two in race games and with partners, else one for each player."""
    white: int | None = None
    """Index of the side that plays white in this board; None while unknown and in collecting games."""
    moved: int = 0
    """Clockwise quarter turns by which everybody has moved since the names were declared."""

    @classmethod
    def of(cls, first: Seat, book: Book) -> Seating:
        """Returns the seating of `book`, `first` leading, colours unknown.

        Raises MatchError if the seats must be declared.
        """
        players = book.seating.players
        if players == 3:
            raise MatchError(Refusal(Refused.WHO_SITS))
        return cls.among(first, (first, first.opposite) if players == 2 else tuple(Seat), book)

    @classmethod
    def among(cls, first: Seat, seats: Collection[Seat], book: Book) -> Seating:
        """Returns the seating on just these seats, `first` leading."""
        order = order_of_play(first, seats, book.seating.direction)
        return cls(order, book.sides if isinstance(book, CollectRules) else 2)

    @property
    def sides(self) -> tuple[tuple[Seat, ...], ...]:
        return tuple(self.order[i :: self.teams] for i in range(self.teams))

    @property
    def seats(self) -> tuple[Seat, ...]:
        """All seats, side by side."""
        return tuple(seat for side in self.sides for seat in side)

    def with_white(self, seat: Seat) -> Seating:
        """Returns the same seats with `seat` playing white."""
        return replace(self, white=self.side_of(seat))

    def turned(self, quarters: int) -> Seating:
        """Returns the seating after everybody moved by clockwise quarter turns.

        Sides, colours and points go with the players.
        """
        order = tuple(seat.turned(quarters) for seat in self.order)
        return replace(self, order=order, moved=(self.moved + quarters) % 4)

    @property
    def quarters_to_change(self) -> int:
        """Clockwise quarter turns by which everybody moves at a change of seats (R31-R33).

        Two opponents exchange seats; four players take the next one to their right.
        """
        return 2 if len(self.order) == 2 else -1 % 4

    def home(self, seat: Seat) -> Seat:
        """Returns the seat of this player when the names were declared."""
        return seat.turned(-self.moved)

    def side_of(self, seat: Seat) -> int | None:
        """Returns the index of the side that sits there; None for an empty seat."""
        return self.order.index(seat) % self.teams if seat in self.order else None

    def colour_of(self, seat: Seat) -> Side | None:
        """Returns the colour of `seat`; None while unknown."""
        return self.colour(self.side_of(seat))

    def colour(self, side: int | None) -> Side | None:
        """Returns the colour of a side; None while unknown."""
        if side is None or self.white is None:
            return None
        return Side.WHITE if side == self.white else Side.BLACK

    def side_playing(self, colour: Side) -> int | None:
        """Returns the index of the side that plays `colour`; None while unknown."""
        if self.white is None:
            return None
        return self.white if colour is Side.WHITE else 1 - self.white

    def seat_to_play(self, colour: Side | None, after: Seat | None = None) -> Seat | None:
        """Returns the first seat that plays `colour` in the order of play from `after`, which has the turn.

        Without `after` the search begins with the first seat of the order. It is None while colours are
        unknown.
        """
        if colour is None or self.white is None:
            return None
        return next(seat for seat in self.order_from(after or self.order[0]) if self.colour_of(seat) is colour)

    def next_seat(self, seat: Seat) -> Seat | None:
        """Returns the seat that plays when the turn of `seat` passes."""
        return self.order[(self.order.index(seat) + 1) % len(self.order)] if seat in self.order else None

    def order_from(self, seat: Seat) -> tuple[Seat, ...]:
        """Returns the order of play from another seat on."""
        at = self.order.index(seat)
        return self.order[at:] + self.order[:at]

    def breaker(self, first: Seat, board: int, game: int) -> Seat:
        """Returns the seat that breaks by turn if `first` broke the first board of the first game."""
        return breaker_of(self.order_from(first), board, game)

    def first_breaker(self, breaker: Seat, board: int, game: int) -> Seat:
        """Returns the seat that would have broken first if `breaker` breaks this board: inverse of `breaker`."""
        return next(seat for seat in self.order if self.breaker(seat, board, game) is breaker)

    def colours(self) -> dict[Seat, Side | None]:
        """Returns the colours by seat, in the order of the seats round the board."""
        return {seat: self.colour_of(seat) for seat in Seat if seat in self.order}

    def by_colour(self, numbers: SidePoints) -> tuple[int, int]:
        """Returns numbers of two sides as (white, black); the first side counts as white while colours are unknown."""
        white = self.white or 0
        return numbers[white], numbers[1 - white]

    def by_side(self, numbers: SidePoints) -> SidePoints:
        """Returns numbers as (white, black) by side: inverse of `by_colour`."""
        return self.by_colour(numbers)


def seating_from(seats: DeclaredSeats, book: Book) -> Seating | None:
    """Returns the declared seating; None if none was declared. Raises MatchError for an impossible one."""
    if not seats:
        return None
    first, players = seats[0][0], book.seating.players
    named = tuple(dict.fromkeys(seat for seat, _ in seats))
    if len(named) > players:
        raise MatchError(Refusal(Refused.PLAYERS_DIFFER, book=book.name, players=players, named=len(named)))
    whole = len(named) == players
    seating = Seating.among(first, named, book) if whole and players > 2 else Seating.of(first, book)
    strangers = [seat for seat in named if seat not in seating.order]
    if strangers:
        raise MatchError(Refusal(Refused.NOT_OPPOSITE, seat=strangers[0], first=first))
    return _coloured(seating, seats, book)


def _coloured(seating: Seating, seats: DeclaredSeats, book: Book) -> Seating:
    """Returns the seating with the declared colours. Raises MatchError if they contradict each other."""
    named = [(seat, colour) for seat, colour in seats if colour]
    if not named:
        return seating
    first, colour = named[0]
    if isinstance(book, CollectRules):
        raise MatchError(Refusal(Refused.NO_COLOURS, book=book.name))
    side = seating.side_of(first) or 0
    seating = replace(seating, white=side if colour is Side.WHITE else 1 - side)
    for seat, each in named[1:]:
        if seating.colour_of(seat) is not each:
            why = Refused.PARTNERS_SHARE if len(seating.order) > 2 else Refused.COLOURS_DIFFER
            raise MatchError(Refusal(why, seat=seat, colour=each, first=first, firsts=colour))
    return seating


def seats_of(d: Mapping[str, str | None]) -> DeclaredSeats:
    """Returns the seats that play, from `{"south": "white"}`, with null for an undeclared colour; raises ValueError."""
    return tuple((Seat(seat), None if side is None else Side(side)) for seat, side in d.items())


def seats_said(seats: DeclaredSeats) -> dict[str, str | None]:
    """Returns the JSON object that `seats_of` reads."""
    return {seat.value: side and side.value for seat, side in seats}
