"""Who sits where and plays which colour: the breaker's side plays white, so colours wander between the seats."""

from __future__ import annotations

from dataclasses import dataclass, replace

from models.pieces import Seat
from referee.laws import Side

SidePair = tuple[int, int]
"""A number for each of the match's two sides, in the order of `Seating.sides`."""


@dataclass(frozen=True, slots=True)
class Seating:
    """The two sides of a match. Singles only: one seat a side, opposite each other.

    Doubles will have two opposite seats a side; then `seat_to_play` must know who played last.
    """

    sides: tuple[tuple[Seat, ...], tuple[Seat, ...]]
    white: int | None = None
    """Which of the sides plays white in this board; None while nobody knows."""

    @classmethod
    def of(cls, first: Seat) -> Seating:
        """Singles with `first` on the first side, colours unknown."""
        return cls(((first,), (first.opposite,)))

    def with_white(self, seat: Seat) -> Seating:
        """The same seats, `seat` playing white."""
        return replace(self, white=self.side_of(seat))

    @property
    def seats(self) -> tuple[Seat, ...]:
        return self.sides[0] + self.sides[1]

    def side_of(self, seat: Seat) -> int | None:
        """Index of the side that sits there; None for an empty seat."""
        return next((i for i, seats in enumerate(self.sides) if seat in seats), None)

    def colour_of(self, seat: Seat) -> Side | None:
        """What `seat` plays; None while nobody knows."""
        return self.colour(self.side_of(seat))

    def colour(self, side: int | None) -> Side | None:
        """What a side of the match plays."""
        if side is None or self.white is None:
            return None
        return Side.WHITE if side == self.white else Side.BLACK

    def side_playing(self, colour: Side) -> int | None:
        """Index of the side that plays `colour`."""
        if self.white is None:
            return None
        return self.white if colour is Side.WHITE else 1 - self.white

    def seat_to_play(self, colour: Side | None) -> Seat | None:
        """Where the next stroke of `colour` comes from."""
        side = None if colour is None else self.side_playing(colour)
        return None if side is None else self.sides[side][0]

    def next_seat(self, seat: Seat) -> Seat | None:
        """Who plays when the turn of `seat` passes."""
        side = self.side_of(seat)
        return None if side is None else self.sides[1 - side][0]

    def colours(self) -> dict[Seat, Side | None]:
        """By seat, in the order of the seats round the board."""
        return {seat: self.colour_of(seat) for seat in Seat if seat in self.seats}

    def by_colour(self, numbers: SidePair) -> tuple[int, int]:
        """Numbers by side as (white, black); the first side counts as white while nobody knows."""
        white = self.white or 0
        return numbers[white], numbers[1 - white]

    def by_side(self, numbers: tuple[int, int]) -> SidePair:
        """Inverse of `by_colour`."""
        return self.by_colour(numbers)


def seating_from(seats: tuple[tuple[Seat, Side], ...]) -> Seating | None:
    """The seating that was told; None when it was not. Raises ValueError for one that cannot be."""
    if not seats:
        return None
    first, colour = seats[0]
    seating = Seating.of(first)
    seating = replace(seating, white=0 if colour is Side.WHITE else 1)
    for seat, side in seats[1:]:
        if seating.colour_of(seat) is not side:
            raise ValueError(
                f"{seat} cannot play {side} when {first} plays {colour}: name two opposite seats, one white, one black"
            )
    return seating
