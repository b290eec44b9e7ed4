"""Options shared by several commands: board, rules, match and recording."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from calibration.fit_board.solve import HEIGHTS_MM
from calibration.geometry.lens import lens_from_charuco
from calibration.profile import MOST_PX, load_profile
from models.board import board_names
from models.pieces import FULL_SET, Kind, Seat
from models.rules import DEFAULT_RULES, load_book
from referee.commands.number_range import NumberRange
from referee.laws import AnyState, NotationError, Side, parse_state
from referee.log.identity import MOST_EVENT_DIGITS, MOST_EVENT_TEXT, TournamentPlace
from referee.match import Match, MatchError, Start
from referee.match.seating import DeclaredSeats
from referee.pipeline import MatchSettings
from referee.replay.recording_settings import RecordedMedia, Recording

MOST_COINS = 12
"""Greatest number of coins of a kind. More is a typing error."""

OPPOSITE = (Seat.SOUTH, Seat.NORTH)
"""Seats of two players."""

NOT_RECORDED = Recording()
"""Default: nothing is recorded."""

Command = TypeVar("Command", bound=Callable[..., Any])
PlayerNames = tuple[tuple[Seat, str], ...]
"""Players' names by seat."""


class StateOption(click.ParamType[AnyState]):
    """A state in text notation, such as "W4 B2 Q=board due 0/0 score 0:0 mv W"."""

    name = "state"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> AnyState:
        try:
            return parse_state(str(value))
        except NotationError as e:
            self.fail(str(e), param, ctx)


class SeatsOption(click.ParamType[DeclaredSeats]):
    """Seats, with the colours of a race game: south=white,north=black, or south,west,north."""

    name = "seats"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> DeclaredSeats:
        try:
            pairs = [_pair(each) for each in str(value).split(",")]
            return tuple((_seat(seat), _side(side) if side else None) for seat, side in pairs)
        except ValueError as e:
            self.fail(f"{e}; write it as south=white,north=black or south,west,north", param, ctx)


class PlayersOption(click.ParamType[PlayerNames]):
    """The players' names by seat: south=Asha,north=Ravi."""

    name = "players"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> PlayerNames:
        try:
            pairs = [_pair(each) for each in str(value).split(",")]
            names = tuple((_seat(seat), name) for seat, name in pairs)
            if not all(name for _, name in names):
                self.fail(f"{value} leaves a name out; write it as south=Asha,north=Ravi", param, ctx)
            if len({seat for seat, _ in names}) < len(names):
                self.fail(f"{value} names one seat twice; write it as south=Asha,north=Ravi", param, ctx)
            return names
        except ValueError as e:
            self.fail(f"{e}; write it as south=Asha,north=Ravi", param, ctx)


EVENT_NUMBERS, EVENT_TEXTS = frozenset({"round", "board"}), frozenset({"tourney"})


class EventOption(click.ParamType[TournamentPlace]):
    """What a match belongs to: tourney=Club cup,round=3,board=7, each of which may be left out."""

    name = "event"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> TournamentPlace:
        event: dict[str, str | int] = {}
        for pair in str(value).split(","):
            key, what = _pair(pair)
            if key in EVENT_NUMBERS and what.isascii() and what.isdigit() and len(what) <= MOST_EVENT_DIGITS:
                event[key] = int(what)
            elif key in EVENT_TEXTS and 0 < len(what) <= MOST_EVENT_TEXT:
                event[key] = what
            else:
                self.fail(f"{pair.strip()!r} is no event; write it as tourney=Club cup,round=3,board=7", param, ctx)
        return event


def _seat(text: str) -> Seat:
    """Returns the seat of that name; raises ValueError with the valid words."""
    try:
        return Seat(text)
    except ValueError:
        raise ValueError(f"{text or 'nothing'} is no seat: choose {', '.join(Seat)}") from None


def _side(text: str) -> Side:
    """Returns the colour of that name; raises ValueError with the valid words."""
    try:
        return Side(text)
    except ValueError:
        raise ValueError(f"{text} is no colour: choose {' or '.join(Side)}") from None


def check_players(names: PlayerNames, seats: DeclaredSeats, rules: str) -> None:
    """Raises MatchError if a name is for a seat at which nobody plays by these rules."""
    players = load_book(rules).seating.players
    if len(OPPOSITE) < players == len(seats):
        check_among([seat for seat, _ in seats], names, "the seats declared are")
    if players != len(OPPOSITE) or not names:
        return
    first = (seats or names)[0][0]
    strangers = [seat for seat, _ in names if seat not in (first, first.opposite)]
    if strangers:
        raise MatchError(
            f"nobody plays at {strangers[0]}: two play, who sit opposite each other, here {first} and {first.opposite}"
        )


def check_among(seats: Sequence[Seat], named: Iterable[tuple[Seat, object]], who: str) -> None:
    """Raises MatchError if one `named` is none of the `seats`, which are those `who` play."""
    for seat, _ in named:
        if seat not in seats:
            raise MatchError(f"nobody plays at {seat}: {who} {', '.join(seats[:-1])} and {seats[-1]}")


def _pair(text: str) -> tuple[str, str]:
    seat, _, what = text.partition("=")
    return seat.strip(), what.strip()


class CoinsOption(click.ParamType[dict[Kind, int]]):
    """Number of coins in this set, such as white=8,black=9; a kind left out has the law's number."""

    name = "coins"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> dict[Kind, int]:
        full = dict(FULL_SET)
        for pair in str(value).split(","):
            kind, _, number = pair.strip().partition("=")
            if kind not in full or not number.isdigit() or int(number) > MOST_COINS:
                self.fail(f"{pair.strip()!r} is no number of coins; write it as white=8,black=9,queen=1", param, ctx)
            full[Kind(kind)] = int(number)
        return full


class CornersOption(click.ParamType[list[tuple[float, float]]]):
    """Four corners in pixels, from the picture's top left clockwise: x,y,x,y,x,y,x,y."""

    name = "corners"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> list[tuple[float, float]]:
        try:
            numbers = [float(each) for each in str(value).split(",")]
        except ValueError:
            numbers = []
        if len(numbers) != 8:
            self.fail(f"{value} are no four corners; write them as 10,20,700,18,705,530,8,528", param, ctx)
        return list(zip(numbers[::2], numbers[1::2], strict=True))


LEAST_PX, DIGITS = 64, 5
"""Least side of a camera's picture, px, and the digits of the greatest."""


class SizeOption(click.ParamType[tuple[int, int]]):
    """Width and height in pixels, such as 1280x720."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int]:
        width, _, height = str(value).partition("x")
        if not (width.isdigit() and height.isdigit()):
            self.fail(f"{value} is no picture size; write it as 1280x720", param, ctx)
        if (
            len(width) > DIGITS
            or len(height) > DIGITS
            or not all(LEAST_PX <= int(n) <= MOST_PX for n in (width, height))
        ):
            self.fail(
                f"{value[:40]} is no size of a camera's picture: {LEAST_PX} to {MOST_PX} pixels a side", param, ctx
            )
        return int(width), int(height)


height_option = click.option(
    "--height", "height_mm", type=NumberRange(*HEIGHTS_MM), metavar="MM",
    help="Height of the lens above the playing surface by a tape measure, mm; makes positions more accurate.",
)  # fmt: skip


def camera_options(command: Command) -> Command:
    """Adds --profile, --board, --lens and --height."""
    for option in (
        height_option,
        click.option("--lens", "lens_dir", type=click.Path(exists=True, file_okay=False, path_type=Path),
                     help="Folder with this camera's pictures of the ChArUco sheet."),
        click.option("--board", type=click.Choice(board_names()), help="Board model; by default it is recognised."),
        click.option("--profile", type=click.Path(path_type=Path),
                     help="Profile from `referee calibrate`; by default the first pictures are used to calibrate."),
    ):  # fmt: skip
        command = option(command)
    return command


def match_options(command: Command) -> Command:
    """Adds --rules, --state, --seats, --players and --coins."""
    for option in (
        click.option("--players", type=PlayersOption(), help="Players' names by seat: south=Asha,north=Ravi."),
        click.option("--seats", type=SeatsOption(), help="Who plays which colour, the first to play first: "
                     "south=white,north=black; in games without colours south,west,north."),
        click.option("--state", type=StateOption(), help="State of the board at the start; see `referee rule --help`."),
        click.option("--rules", help="Rule book, with modifiers after plus signs. [icf]"),
        click.option("--coins", type=CoinsOption(),
                     help="Numbers of coins of a set with missing or spare ones: white=8,black=9."),
    ):  # fmt: skip
        command = option(command)
    return command


def record_options(command: Command, default: RecordedMedia = RecordedMedia.NOTHING) -> Command:
    """Adds --record, --record-board-only, --record-every-frame, --keep-days and --keep-gb, gathered as `recording`.

    `default`: what is kept where nothing is asked for.
    """

    @wraps(command)
    def gathered(*args: Any, record: str, record_board_only: bool, record_every_frame: bool, keep_days: float,
                 keep_gb: float, **options: Any) -> Any:  # fmt: skip
        chosen = Recording(
            RecordedMedia(record), record_board_only, record_every_frame, keep_days or None, keep_gb or None
        )
        return command(*args, recording=chosen, **options)

    for option in (
        click.option("--keep-gb", type=NumberRange(0), default=20.0, show_default=True, envvar="CARROM_KEEP_GB",
                     help="Delete the oldest clips and pictures beyond this many gigabytes; 0: never."),
        click.option("--keep-days", type=NumberRange(0), default=30.0, show_default=True,
                     envvar="CARROM_KEEP_DAYS", help="Delete clips and pictures older than this many days; 0: never."),
        click.option("--record-every-frame", is_flag=True, envvar="CARROM_RECORD_EVERY_FRAME",
                     help="Record all frames also while nothing moves; by default 30 a second then."),
        click.option("--record-board-only", is_flag=True, envvar="CARROM_RECORD_BOARD_ONLY",
                     help="Black out everything beyond the board's frame in recordings."),
        click.option("--record", type=click.Choice([keeps.value for keeps in RecordedMedia]), default=default.value,
                     show_default=True, envvar="CARROM_RECORD",
                     help="Store the key pictures of each stroke, or these and a video clip."),
    ):  # fmt: skip
        gathered = option(gathered)
    return cast(Command, gathered)


def setting(profile: Path | None, board: str | None, lens_dir: Path | None, rules: str | None = None,
            state: AnyState | None = None, seats: DeclaredSeats | None = None, players: PlayerNames | None = None,
            coins: dict[Kind, int] | None = None, recording: Recording = NOT_RECORDED,
            height_mm: float | None = None) -> MatchSettings:  # fmt: skip
    """Returns the options' values. Raises ProfileError, LensError or MatchError if one of them is invalid."""
    if rules is not None or seats:
        Match(Start("", rules or DEFAULT_RULES, seats or (), state=state))
    check_players(players or (), seats or (), rules or DEFAULT_RULES)
    return MatchSettings(
        profile=load_profile(profile) if profile else None,
        board=board,
        lens=lens_from_charuco(lens_dir) if lens_dir else None,
        height_mm=height_mm,
        rules=rules,
        state=state,
        seats=seats or (),
        players=players or (),
        coins=coins,
        recording=recording,
    )
