"""The words that rule books are written in: outcomes of a stroke, fates of coins and queen, places, who does what."""

from __future__ import annotations

from enum import StrEnum


class FoulName(StrEnum):
    """Infringements by their name in the text form of strokes."""

    CUT_MOON = "cut_moon"
    PLACEMENT = "placement"
    """Any other illegal placement."""
    TOUCHING_ARROW = "touching_arrow"
    BACKWARD = "backward"
    BEHIND_LINE = "behind_line"
    """A coin on or behind the front base line was struck before the striker crossed it."""
    NO_LEAVE = "no_leave"
    """The striker stayed on the base lines and touched nothing."""
    NO_BREAK = "no_break"
    """A break attempt that touched nothing."""
    PUSH = "push"
    HAND_OVER_DIAGONAL = "hand_over_diagonal"
    ELBOW = "elbow"
    TOUCH = "touch"
    """A coin was touched by hand."""
    TIME = "time"
    DIRECT = "direct"
    """An own coin was played directly where it must be indirect."""
    OUT_OF_TURN = "out_of_turn"


SPECIAL_FOULS = frozenset({FoulName.NO_LEAVE, FoulName.NO_BREAK, FoulName.OUT_OF_TURN})
"""Those with sections of their own; every other infringement is in a book's `fouls`."""


class Verdict(StrEnum):
    """What a book thinks of an infringement."""

    FOUL = "foul"
    """Counts: the stroke is judged by `improper`."""
    ASK = "ask"
    """Forbidden, but the book names no consequence: judged by `improper` and put to the operator."""
    WARN = "warn"
    """Forbidden; the players put right what they can and nothing follows."""
    ALLOWED = "allowed"


COINS_PER_SIDE = 9
"""Coins of each colour where a book does not say otherwise (R14)."""
MOST_COINS_PER_SIDE = 15
"""More coins of a colour than any board is played with."""


class Turn(StrEnum):
    """Who plays next."""

    KEEP = "keep"
    PASS = "pass"


class Fate(StrEnum):
    """What becomes of the coins pocketed by this stroke."""

    STAY = "stay"
    BACK = "back"
    LAST = "last"
    """One goes back, the last of its colour: the board must not end."""


class QueenFate(StrEnum):
    """What becomes of the queen after this stroke."""

    NONE = "none"
    """Nothing changes."""
    BACK = "back"
    PENDING = "pending"
    COVERED = "covered"
    VOID = "void"
    """Stays off the board until the turn ends, then goes back."""
    GIVEN = "given"
    """Covered for the opponent, whose coin fell."""
    PROPER = "proper"
    """As if the stroke had been proper and no last coin had fallen."""


class QueenCase(StrEnum):
    """How the queen is concerned by a stroke."""

    REST = "rest"
    """Not at all: it lies on the board and stays there, or has been covered."""
    FALLS = "falls"
    """Pocketed by a player who may."""
    FIRST = "first"
    """Pocketed with own coins that do not cover it: too few while all own coins were on the board, or all of them in
    the queen's own pocket where that is forbidden."""
    EARLY = "early"
    """Pocketed without any own coin, before any."""
    DUE = "due"
    """Pocketed while the player owed a penalty coin and the book forbids that."""
    COVER = "cover"
    """Pocketed by an earlier stroke of this player and waiting to be covered."""
    SAME_POCKET = "same_pocket"
    """Waiting to be covered, and the own coins fell into the queen's pocket where that is forbidden."""


class WhatFell(StrEnum):
    """Which kinds a stroke pocketed, the queen apart."""

    NOTHING = "nothing"
    OWN = "own"
    OPPONENT = "opponent"
    OWN_OPPONENT = "own_opponent"
    STRIKER = "striker"
    STRIKER_OWN = "striker_own"
    STRIKER_OPPONENT = "striker_opponent"
    STRIKER_OWN_OPPONENT = "striker_own_opponent"


class Endgame(StrEnum):
    """The queen's place, and whether the striker fell, when somebody's last coin is pocketed."""

    MINE = "mine"
    """Covered before by the player of the stroke."""
    THEIRS = "theirs"
    """Covered before by his opponent."""
    BOARD = "board"
    FALLS = "falls"
    """Pocketed by the same stroke."""
    COVER = "cover"
    """Waiting to be covered by this stroke."""
    MINE_STRIKER = "mine_striker"
    THEIRS_STRIKER = "theirs_striker"
    BOARD_STRIKER = "board_striker"
    FALLS_STRIKER = "falls_striker"
    COVER_STRIKER = "cover_striker"


class Winner(StrEnum):
    """Who wins the board, seen from the player of the stroke."""

    MOVER = "mover"
    OPPONENT = "opponent"
    NOBODY = "nobody"
    """The board goes on; the stroke is judged like any other."""


class Points(StrEnum):
    """How many points the winner of a board gets."""

    NONE = "none"
    BOARD = "board"
    """The loser's coins left, and the queen's value if the winner covered it and was below the cap."""
    LEFT_AND_QUEEN = "left_and_queen"
    """The loser's coins left, and the queen's value whoever had it, if the winner was below the cap."""
    QUEEN = "queen"
    """The queen's value, or `Queen.at_cap` from the cap on."""
    QUEEN_UNCAPPED = "queen_uncapped"
    """The queen's value whatever the score."""
    ONE = "one"
    LEFT = "left"
    """The loser's coins left, without the queen."""
    WINNER_LEFT = "winner_left"
    """The winner's own coins left: what the loser is charged for in short rules."""


class WhenPaid(StrEnum):
    """When owed penalty coins are taken out."""

    AFTER_STROKE = "after_stroke"
    END_OF_TURN = "end_of_turn"


class Placer(StrEnum):
    """Who puts a piece back."""

    OPPONENT = "opponent"
    """The opponent of the coin's owner."""
    SELF = "self"
    """The coin's owner."""
    UMPIRE = "umpire"
    MOVER = "mover"
    """The player of the stroke, whoever owns the coin."""
    NEXT = "next"
    """The player whose turn follows."""


class PutBackPlace(StrEnum):
    """Where a piece is put back."""

    CENTRE = "centre"
    OUTER_CIRCLE = "outer_circle"
    """Within the large circle, not over the centre circle."""
    MAIN_CIRCLE = "main_circle"
    """Anywhere within the large circle."""
    MIDDLE = "middle"
    """On the centre circle or near it."""
    ANYWHERE = "anywhere"
    AS_BEFORE = "as_before"
    """Where it lay before a stroke that is played again."""


class Occupied(StrEnum):
    """Where a queen goes whose centre spot is taken."""

    COVER_MOST = "cover_most"
    """As much of the free centre as possible, else beside, not easy for the player in turn."""
    BESIDE = "beside"
    ON_TOP = "on_top"
    NEAR = "near"
    """As near as possible; may lie on top of other coins."""
    FAR_SIDE = "far_side"
    """Touching the centre, on the side far from the next player."""


class Direction(StrEnum):
    """Who plays after whom with three or four players, seen from above."""

    RIGHT = "right"
    """The right-hand neighbour: counter-clockwise."""
    CLOCKWISE = "clockwise"


class Limit(StrEnum):
    """A limit of the striker's placement, by its name in the log's `clearance_mm`."""

    FRONT_LINE = "front_line"
    REAR_LINE = "rear_line"
    MOON = "moon"
    ARROW = "arrow"
    ENDS = "ends"
    CIRCLE = "circle"
    """Clear of the end circles altogether; covering them is no way out."""
