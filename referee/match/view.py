"""What a scoreboard shows of a match: one JSON document, replaced as a whole after each event."""

from __future__ import annotations

from typing import TypedDict


class SentenceView(TypedDict):
    """One decision of a ruling, in words."""

    kind: str
    reason: str
    law: str
    """Number of the law, "" where no law speaks."""
    text: str
    certain: bool


class ProposalView(TypedDict):
    """Something the camera saw but does not decide; `stroke_text` is what to send as a correction to make it count."""

    stroke: int
    reason: str
    text: str
    """What was seen and what would change."""
    stroke_text: str


class RulingView(TypedDict):
    """One stroke and what the laws made of it."""

    stroke: int
    board: int
    """Number of the board within the match, from 1; 0 before any is known."""
    seat: str
    stroke_text: str
    """The stroke in the notation, after the umpire's correction if there was one; "-" for nothing."""
    seen_text: str
    """The stroke in the notation as the camera saw it."""
    call: str
    """The ruling in as few words as an umpire uses; `sentences` say all of it."""
    sentences: list[SentenceView]
    turn: str | None
    certain: bool
    annulled: bool
    """The umpire took the stroke back."""
    corrected: bool
    """The umpire changed what the stroke was."""
    match: int
    """Number of the match in its log, from 1."""
    board_over: bool
    """The board ended with this stroke, or had ended before."""


class AlertView(TypedDict):
    """Something people should know."""

    t: float
    kind: str
    text: str


class SideView(TypedDict):
    """One side of the match: a player, or two partners."""

    seats: list[str]
    players: list[str]
    """Names in the order of `seats`, "" where nobody said."""
    colour: str | None
    """"white", "black", or None while unknown and in collecting games."""
    score: int
    games: int
    """Games won of the match."""
    coins_left: int | None
    """Coins of this side's colour still to be pocketed; None while unknown and in collecting games."""
    due: int


class QueenView(TypedDict):
    """Where the queen stands: "board", "pending", "void" or "covered"; None when it is not known."""

    status: str | None
    side: str | None
    """Colour of the side that pocketed or covered her; P1, P2 and so on in collecting games."""
    seats: list[str]
    """Where that side sits; nobody while it is not known."""


class StepView(TypedDict):
    """Something that undo takes back."""

    what: str
    """"stroke", "correction" or "decision" (about a stroke), "policy" or "event"."""
    stroke: int | None
    """The stroke that it is, or is about."""
    event: str
    """The operator's event in its text form; "" for other things that people declare."""
    target: str
    """What to send as the target of undo or redo."""
    text: str
    """The stroke in the notation, as it was or was corrected; "" for others."""
    seat: str | None
    """Who played the stroke."""


class BoardView(TypedDict):
    """A board that is over. Numbers stand in the order of the match's `sides`."""

    game: int
    board: int
    points: list[int]
    """What each side won in it."""
    score: list[int]
    """Points of the game after it."""


class WonView(TypedDict):
    """A match that was won before the present one, in the same log."""

    number: int
    winner: str
    """A seat of the winning side, as everybody sat in the last board."""
    sides: list[SideView]
    boards: list[BoardView]


class MatchView(TypedDict):
    """The whole scoreboard. Seats are "south", "west", "north", "east"; colours "white" and "black"."""

    match: str
    """Identity of the match, stable over restarts."""
    rules: str
    collecting: bool
    """Every coin counts for whoever pockets it; nobody plays a colour."""
    board: int
    """Number of the present board within the game, from 1; 0 before any is known."""
    game: int
    sides: list[SideView]
    """The first is the side that broke first. Two in a race game, each player by himself in a collecting game."""
    players: dict[str, str]
    """Name by seat, for the seats that play."""
    turn: str | None
    change_seats: bool
    """Between boards: by the book the players change seats before the next one."""
    breaks_next: str | None
    """Seat that breaks the next board by turn, told between boards only; None when nobody knows or a toss decides."""
    colours: dict[str, str | None]
    score: dict[str, int]
    """Match points by colour of the present board; by P1, P2 and so on in collecting games."""
    score_by_seat: dict[str, int]
    coins_left: dict[str, int | None]
    """By "white", "black" and "queen": how many are still to be pocketed."""
    queen: QueenView
    dues: dict[str, int]
    rulings: list[RulingView]
    """The last ones, newest last."""
    alerts: list[AlertView]
    """The last ones, newest last."""
    undo: StepView | None
    """What undo would take back; None when there is nothing."""
    redo: StepView | None
    """What redo would bring back."""
    policy: dict[str, str]
    """What becomes of each kind of infringement that the camera sees: "accept", "propose", "log" or "ignore"."""
    board_over: bool
    match_over: bool
    winner: str | None
    """Seat of the winning side once the match is over."""
    number: int
    """Number of the match in its log, from 1: the next break after a match that was won begins another one."""
    boards: list[BoardView]
    """The boards of this match that are over."""
    finished: list[WonView]
    """The matches of this log that were won before, with their results."""
    needs_operator: list[ProposalView]
    """Open proposals of the present board, oldest first."""
    certain: bool
    """False while anything shown rests on something unknown or doubtful."""
    strokes: int
    """Strokes seen in the whole match."""
