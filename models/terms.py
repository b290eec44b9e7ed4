"""The terms of rule books: outcomes of a stroke, fates of coins and queen, places, and who does what."""

from __future__ import annotations

from enum import StrEnum


class FoulName(StrEnum):
    """Infringements, by their names in the text form of strokes."""

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
    """A break attempt touched nothing."""
    PUSH = "push"
    HAND_OVER_DIAGONAL = "hand_over_diagonal"
    ELBOW = "elbow"
    TOUCH = "touch"
    """A coin was touched by hand."""
    TIME = "time"
    DIRECT = "direct"
    """An own coin was played directly although it had to be indirect."""
    OUT_OF_TURN = "out_of_turn"


SPECIAL_FOULS = frozenset({FoulName.NO_LEAVE, FoulName.NO_BREAK, FoulName.OUT_OF_TURN})
"""Infringements with their own sections. Every other one is in a book's `fouls`."""


class Verdict(StrEnum):
    """Verdict of a book on an infringement."""

    FOUL = "foul"
    """It counts: the stroke is judged by `improper`."""
    ASK = "ask"
    """Forbidden, but the book names no consequence: judged by `improper`, and the operator is asked."""
    WARN = "warn"
    """Forbidden. The players correct what they can, and nothing follows."""
    ALLOWED = "allowed"


COINS_PER_SIDE = 9
"""Coins of each colour if a book does not set another number (R14)."""
MOST_COINS_PER_SIDE = 15
"""Greatest number of coins of a colour. No board has more."""


class Turn(StrEnum):
    """Who plays next."""

    KEEP = "keep"
    PASS = "pass"


class Fate(StrEnum):
    """Fate of the coins pocketed by this stroke."""

    STAY = "stay"
    BACK = "back"
    LAST = "last"
    """One coin goes back, the last of its colour, because the board must not end."""


class QueenFate(StrEnum):
    """Fate of the queen after this stroke."""

    NONE = "none"
    """Nothing changes."""
    BACK = "back"
    PENDING = "pending"
    COVERED = "covered"
    VOID = "void"
    """It stays off the board until the turn ends, then goes back."""
    GIVEN = "given"
    """Covered for the opponent, whose coin fell."""
    PROPER = "proper"
    """As if the stroke had been proper and no last coin had fallen."""


class QueenCase(StrEnum):
    """The queen's part in a stroke."""

    REST = "rest"
    """None: it lies on the board and stays there, or has been covered."""
    FALLS = "falls"
    """Pocketed by a player who is allowed to."""
    FIRST = "first"
    """Pocketed with own coins that do not cover it: too few while all own coins were on the board, or all of them in
    the queen's own pocket where that is forbidden."""
    EARLY = "early"
    """Pocketed without any own coin, and before any."""
    DUE = "due"
    """Pocketed while the player owed a penalty coin and the book forbids that."""
    COVER = "cover"
    """Pocketed by an earlier stroke of this player and waiting to be covered."""
    SAME_POCKET = "same_pocket"
    """Waiting to be covered, and the own coins fell into the queen's pocket where that is forbidden."""


class WhatFell(StrEnum):
    """Kinds that a stroke pocketed, without the queen."""

    NOTHING = "nothing"
    OWN = "own"
    OPPONENT = "opponent"
    OWN_OPPONENT = "own_opponent"
    STRIKER = "striker"
    STRIKER_OWN = "striker_own"
    STRIKER_OPPONENT = "striker_opponent"
    STRIKER_OWN_OPPONENT = "striker_own_opponent"


class Endgame(StrEnum):
    """Position of the queen, and whether the striker fell, when a last coin is pocketed."""

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
    """Winner of the board, relative to the player of the stroke."""

    MOVER = "mover"
    OPPONENT = "opponent"
    NOBODY = "nobody"
    """The board goes on; the stroke is judged like any other."""


class Points(StrEnum):
    """Points of the winner of a board."""

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
    """The winner's own coins left, which short rules charge to the loser."""


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
    """Where a queen goes if its centre spot is taken."""

    COVER_MOST = "cover_most"
    """Over as much of the free centre as possible, otherwise beside it, not easy for the next player."""
    BESIDE = "beside"
    ON_TOP = "on_top"
    NEAR = "near"
    """As near as possible; may lie on top of other coins."""
    FAR_SIDE = "far_side"
    """Touching the centre, on the side far from the next player."""


class Direction(StrEnum):
    """Order of play with three or four players, seen from above."""

    RIGHT = "right"
    """The right-hand neighbour: counter-clockwise."""
    CLOCKWISE = "clockwise"


class Limit(StrEnum):
    """Limit of the striker's placement, by its name in the log's `clearance_mm`."""

    FRONT_LINE = "front_line"
    REAR_LINE = "rear_line"
    MOON = "moon"
    ARROW = "arrow"
    ENDS = "ends"
    CIRCLE = "circle"
    """The striker must not touch the end circles at all, not even cover them."""
