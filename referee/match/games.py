"""Functions on the state of a board that hide the kind of game from the match: race games, or collecting games."""

from __future__ import annotations

from dataclasses import dataclass, replace

from models.pieces import Seat
from models.rules import Book, CollectRules, Rules
from referee.laws import AnyState, CollectState, QueenStatus, Side, State
from referee.laws.collect_ruling import collect_result
from referee.laws.collect_ruling import name as player_name
from referee.laws.collect_state import fresh_board
from referee.laws.match_rules import change_sides, game_result, needs_toss, opening
from referee.match.coins import Counts
from referee.match.refusals import Refusal, Refused
from referee.match.seating import Seating, SidePoints


@dataclass(frozen=True, slots=True)
class GameWon:
    """Result of a game that is over."""

    side: int
    """Index of the side that won it."""


def opening_of(book: Book, seating: Seating, breaker: Seat, points: SidePoints, board: int) -> AnyState:
    """Returns the state of the board before `breaker` breaks it; `seating` already has the colours."""
    if isinstance(book, Rules):
        return opening(seating.by_colour(points), board, book.coins)
    return fresh_board(book, points, board, seating.order.index(breaker))


def unknown_board(book: Book) -> AnyState:
    """Returns the state of a board of which nothing is known: dues, points, queen."""
    if isinstance(book, Rules):
        return State(mover=None, coins=book.coins)
    none, coins = (0,) * book.sides, book.coins
    return CollectState(points=none, left=(coins, coins), dues=none, coins=coins, partners=book.seating.partners)


def points_of(state: AnyState, seating: Seating | None) -> SidePoints:
    """Returns points by side; by colour while it is unknown who plays which."""
    if isinstance(state, CollectState):
        return state.points
    return seating.by_side(state.score) if seating else state.score


def points_carried_over(ended: AnyState, seating: Seating, book: Book) -> SidePoints:
    """Returns the points at the start of the game's next board.

    A game of one board that ends even is played anew (A5).
    """
    if isinstance(ended, CollectState) and book.match.max_boards == 1:
        return (0,) * len(ended.points)
    return points_of(ended, seating)


def with_points(state: AnyState, seating: Seating, points: SidePoints) -> AnyState:
    """Returns the board with another score."""
    if isinstance(state, CollectState):
        return replace(state, points=points)
    return replace(state, score=seating.by_colour(points))


def player_of(state: AnyState, seating: Seating, after: Seat | None = None) -> Seat | None:
    """Returns the seat to play by the state; None if the board is over or the colours are unknown."""
    if isinstance(state, CollectState):
        return None if state.mover is None else seating.order[state.mover]
    return seating.seat_to_play(state.mover, after)


def played_by(state: AnyState, seating: Seating, seat: Seat) -> AnyState:
    """Returns the board with `seat` to play; unchanged if it is so already."""
    if isinstance(state, CollectState):
        player = seating.order.index(seat) if seat in seating.order else None
        return state if player == state.mover else replace(state, mover=player)
    colour = seating.colour_of(seat)
    return state if colour == state.mover else replace(state, mover=colour)


def seated_for(state: AnyState | None, seat: Seat, book: Book) -> Seating:
    """Returns the seating if `seat` plays the next stroke of `state`. Raises ValueError if it must be declared."""
    seating = Seating.of(seat, book)
    if isinstance(state, CollectState) and state.mover:
        return Seating.of(seating.order[-state.mover], book)
    return seating


def wrong_game(state: AnyState, book: Book) -> Refusal | None:
    """Returns why a declared state cannot be one of this match; None if it can."""
    if state.coins != book.coins:
        return Refusal(Refused.OTHER_COINS, told=state.coins, book=book.name, coins=book.coins)
    if isinstance(state, CollectState) is not isinstance(book, CollectRules):
        form = "W4 B2 Q=board mv W" if isinstance(book, Rules) else "P1=15 P2=10 left W7 B8 Q=board mv P2"
        return Refusal(Refused.OTHER_GAME, book=book.name, form=form)
    if isinstance(state, CollectState) and (state.players, state.partners) != (
        book.seating.players,
        book.seating.partners,
    ):
        return Refusal(Refused.OTHER_PLAYERS, told=state.players, book=book.name, players=book.seating.players)
    return None


def won_game(ended: AnyState, seating: Seating, book: Book) -> GameWon | None:
    """Returns who has won the game with the board `ended`; None while it goes on."""
    if isinstance(ended, CollectState) and isinstance(book, CollectRules):
        result = collect_result(ended, book)
        return GameWon(result.winner) if result.game_over and result.winner is not None else None
    if isinstance(ended, State) and isinstance(book, Rules):
        game = game_result(ended, book)
        side = seating.side_playing(game.winner) if game else None
        return None if side is None else GameWon(side)
    return None


def tossed(ended: AnyState, book: Book) -> bool:
    """Tells whether a toss decides who breaks the next board."""
    return isinstance(ended, State) and isinstance(book, Rules) and needs_toss(ended, book)


def seats_change(ended: AnyState, points: SidePoints, game: int, seating: Seating, book: Book) -> bool:
    """Tells whether by the rule book the players change seats after the board `ended`, begun with `points` by side."""
    if not isinstance(ended, State) or not isinstance(book, Rules):
        return False
    return change_sides(opening(seating.by_colour(points), ended.board, ended.coins), ended, game, book)


def queen_owner(state: AnyState) -> Side | int | None:
    """Returns the owner of the queen: a colour, or a player counted from 0."""
    return state.queen_player if isinstance(state, CollectState) else state.queen_side


def owner_name(state: AnyState) -> str | None:
    """Returns the owner of the queen as named in the log: a colour, or P1, P2 and so on."""
    owner = queen_owner(state)
    return player_name(owner) if isinstance(owner, int) else owner and owner.value


def with_queen_of(state: AnyState, owner: Side | int, cover_missed: bool) -> AnyState:
    """Returns the board with the queen still in the pocket of `owner`, although a ruling had her put back.

    The laws decide the consequence: some count a queen as covered whose missed cover went unnoticed.
    """
    if isinstance(state, State) and isinstance(owner, Side):
        waits = cover_missed and state.mover is not owner
        return replace(state, queen=QueenStatus.PENDING if waits else QueenStatus.VOID, queen_side=owner, qpocket=None)
    if isinstance(state, CollectState) and isinstance(owner, int) and state.mover != owner:
        return replace(state, queen=QueenStatus.PENDING, queen_player=owner)
    return state


def is_complete(state: AnyState) -> bool:
    """Tells whether the state holds everything that a ruling may need."""
    return isinstance(state, CollectState) or state.known


def names_of(book: Book) -> tuple[str, ...]:
    """Returns the names of the sides' numbers in the log: white and black, in collecting games P1, P2 and so on."""
    if isinstance(book, CollectRules):
        return tuple(player_name(n) for n in range(book.sides))
    return Side.WHITE.value, Side.BLACK.value


def expected_coins(state: AnyState) -> Counts:
    """Returns the coins on the board once all that must be put back are.

    The queen counts only if she is known to be there.
    """
    white, black = _left(state)
    return Counts(white, black, int(state.queen is QueenStatus.BOARD))


def followed(state: AnyState, counted: Counts) -> AnyState:
    """Returns `state` with the counts of the coins detected.

    A queen that is gone has no owner until one is declared.
    """
    state = _with_left(state, counted)
    if bool(counted.queen) is (state.queen is QueenStatus.BOARD):
        return state
    return with_queen(state, QueenStatus.BOARD if counted.queen else QueenStatus.UNKNOWN)


def with_queen(state: AnyState, status: QueenStatus) -> AnyState:
    """Returns the board with the queen on it, or gone without an owner."""
    if isinstance(state, State):
        return replace(state, queen=status, queen_side=None, qpocket=None)
    gone = QueenStatus.COVERED if status is QueenStatus.UNKNOWN else status
    return replace(state, queen=gone, queen_player=None)


def _left(state: AnyState) -> tuple[int, int]:
    return state.left if isinstance(state, CollectState) else (state.left(Side.WHITE), state.left(Side.BLACK))


def _with_left(state: AnyState, counted: Counts) -> AnyState:
    white, black = (min(max(n, 0), state.coins) for n in (counted.white, counted.black))
    if isinstance(state, State):
        return replace(state, pocketed=(state.coins - white, state.coins - black))
    # It is unknown who holds coins that the rulings do not explain.
    return state if state.left == (white, black) else replace(state, left=(white, black), held=None)


def coin_chosen(state: AnyState, payer: int | None, short: Counts, surplus: Counts, book: Book) -> AnyState | None:
    """Returns the board if a penalty was paid with coins of the other colour than proposed (row G1).

    It is None if it was not. `short`: coins missing on the board against the ruling; `surplus`: coins too many.
    """
    if not isinstance(state, CollectState) or not isinstance(book, CollectRules) or payer is None:
        return None
    count = short.white + short.black
    swapped = Counts(short.black, short.white)
    if short.queen or not count or surplus != swapped or (short.white and short.black):
        return None
    more = count if short.white else -count
    value = (book.values.white - book.values.black) * more
    points = tuple(p + value * (n == payer) for n, p in enumerate(state.points))
    held = state.held and tuple(
        (w + more * (n == payer), b - more * (n == payer)) for n, (w, b) in enumerate(state.held)
    )
    if held and min(held[payer]) < 0:
        return None
    return replace(state, points=points, held=held, left=(state.left[0] - more, state.left[1] + more))
