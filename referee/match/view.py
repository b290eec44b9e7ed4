"""Document that a scoreboard shows of a match: one JSON object, replaced as a whole after each event."""

from __future__ import annotations

from typing import TypedDict


class SentenceView(TypedDict):
    """One decision of a ruling, in words."""

    kind: str
    reason: str
    law: str
    """Number of the law, "" if there is none."""
    text: str
    certain: bool


class ProposalView(TypedDict):
    """Question for the umpire, such as a proposed infringement.

    `stroke_text` is the correction to send to make it count.
    """

    stroke: int
    reason: str
    text: str
    """What was detected and what would change."""
    stroke_text: str


class RulingView(TypedDict):
    """One stroke and its ruling."""

    stroke: int
    board: int
    """Number of the board within the match, from 1; 0 before any is known."""
    seat: str
    stroke_text: str
    """The stroke in the notation, after the umpire's correction if there was one; "-" for nothing."""
    seen_text: str
    """The stroke in the notation as detected by the camera."""
    call: str
    """The ruling in as few words as an umpire uses; `sentences` give all of it."""
    sentences: list[SentenceView]
    turn: str | None
    certain: bool
    annulled: bool
    """True if the umpire has undone the stroke."""
    corrected: bool
    """True if the umpire has corrected or decided the stroke."""
    match: int
    """Number of the match in its log, from 1."""
    board_over: bool
    """True if the board ended with this stroke, or had ended before."""


class AlertView(TypedDict):
    """Something that people should know."""

    t: float
    kind: str
    text: str


class SideView(TypedDict):
    """One side of the match: a player, or two partners."""

    seats: list[str]
    players: list[str]
    """Names in the order of `seats`, "" if none was given."""
    colour: str | None
    """"white", "black", or None while unknown and in collecting games."""
    score: int
    games: int
    """Games won of the match."""
    coins_left: int | None
    """Coins of this side's colour still to be pocketed; None while unknown and in collecting games."""
    due: int


class QueenView(TypedDict):
    """The queen. `status`: "board", "pending", "void" or "covered"; None if unknown."""

    status: str | None
    side: str | None
    """Colour of the side that pocketed or covered her; P1, P2 and so on in collecting games."""
    seats: list[str]
    """Seats of that side; empty while unknown."""


class StepView(TypedDict):
    """Step that undo takes back or redo brings back."""

    what: str
    """"stroke", "correction" or "decision" (about a stroke), "policy" or "event"."""
    stroke: int | None
    """Number of the stroke that it is, or is about."""
    event: str
    """The operator's event in its text form; "" for other steps."""
    target: str
    """Target to send for undo or redo."""
    text: str
    """The stroke in the notation, as it was or was corrected; "" for other steps."""
    seat: str | None
    """Seat that played the stroke."""


class BoardView(TypedDict):
    """Board that is over. Points are in the order of the match's `sides`."""

    game: int
    board: int
    points: list[int]
    """Points that each side won in it."""
    score: list[int]
    """Points of the game after it."""


class WonView(TypedDict):
    """Match of this log that was won."""

    number: int
    winner: str
    """A seat of the winning side, as everybody sat in the last board."""
    sides: list[SideView]
    boards: list[BoardView]


class OpenChallengeView(TypedDict):
    """A challenge that waits for the umpire's answer."""

    target: str
    """Name of the challenge, for the answer."""
    stroke: int
    seat: str
    """Seat of the player who asked."""


class ChallengesView(TypedDict):
    """Reviews that the sides may ask for."""

    allowed: int
    """Number that a side may lose in a game."""
    left: list[int]
    """Number left in this game, in the order of the match's `sides`."""
    open: OpenChallengeView | None


class MatchView(TypedDict):
    """The whole scoreboard. Seats are "south", "west", "north", "east"; colours "white" and "black"."""

    match: str
    """Identity of the match, stable over restarts."""
    rules: str
    collecting: bool
    """True for a collecting game: every coin counts for the player who pockets it, and nobody plays a colour."""
    board: int
    """Number of the present board within the game, from 1; 0 before any is known."""
    game: int
    sides: list[SideView]
    """Sides of the match, the one that broke first leading: two in a race game; in a collecting game two with partners,
    else one for each player."""
    players: dict[str, str]
    """Name by seat, for the seats that play."""
    turn: str | None
    change_seats: bool
    """True between boards if by the rule book the players change seats before the next one."""
    breaks_next: str | None
    """Seat that breaks the next board by turn, between boards only; None if unknown or decided by a toss."""
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
    """Step that undo would take back; None if there is none."""
    redo: StepView | None
    """Step that redo would bring back; None if there is none."""
    policy: dict[str, str]
    """Treatment of each kind of infringement that the camera reports: "accept", "propose", "log" or "ignore"."""
    board_over: bool
    match_over: bool
    winner: str | None
    """Seat of the winning side once the match is over."""
    number: int
    """Number of the match in its log, from 1: the next break after a match that was won begins another one."""
    boards: list[BoardView]
    """Boards of this match that are over."""
    finished: list[WonView]
    """Matches of this log that were won before, with their results."""
    needs_operator: list[ProposalView]
    """Open proposals of the present board, oldest first."""
    challenges: ChallengesView
    certain: bool
    """False while anything shown depends on something unknown or doubtful."""
    strokes: int
    """Number of strokes in the whole log."""
