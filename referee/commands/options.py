"""Options that several commands share: what people say of the board, the rules and the match."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from calibration.lens import lens_from_charuco
from calibration.profile import FULL_SET, load_profile
from models.board import board_names
from models.pieces import Kind, Seat
from models.rules import load_rules
from referee.laws import NotationError, Side, State
from referee.match.seating import seating_from
from referee.pipeline import Setting

MOST_COINS = 12
"""More of a kind is a slip of the finger, not a set of carrom coins."""

Command = TypeVar("Command", bound=Callable[..., Any])


class StateOption(click.ParamType[State]):
    """A state in the notation, such as "W4 B2 Q=board due 0/0 score 0:0 mv W"."""

    name = "state"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> State:
        try:
            return State.parse(str(value))
        except NotationError as e:
            self.fail(str(e), param, ctx)


class SeatsOption(click.ParamType[tuple[tuple[Seat, Side], ...]]):
    """Who plays which colour, such as south=white,north=black."""

    name = "seats"

    def convert(self, value: Any, param: click.Parameter | None,
                ctx: click.Context | None) -> tuple[tuple[Seat, Side], ...]:  # fmt: skip
        try:
            told = (pair.strip().split("=") for pair in str(value).split(","))
            seats = tuple((Seat(seat.strip()), Side(side.strip())) for seat, side in told)
            seating_from(seats)
        except ValueError as e:
            self.fail(f"{e}; write it as south=white,north=black", param, ctx)
        return seats


class CoinsOption(click.ParamType[dict[Kind, int]]):
    """How many coins this set has, such as white=8,black=9; a kind left out has as many as the law says."""

    name = "coins"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> dict[Kind, int]:
        full = dict(FULL_SET)
        for pair in str(value).split(","):
            kind, _, number = pair.strip().partition("=")
            if kind not in full or not number.isdigit() or int(number) > MOST_COINS:
                self.fail(f"{pair.strip()!r} is no number of coins; write it as white=8,black=9,queen=1", param, ctx)
            full[Kind(kind)] = int(number)
        return full


class SizeOption(click.ParamType[tuple[int, int]]):
    """Width and height in pixels, such as 1280x720."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int]:
        width, _, height = str(value).partition("x")
        if not (width.isdigit() and height.isdigit()):
            self.fail(f"{value} is no picture size; write it as 1280x720", param, ctx)
        return int(width), int(height)


def camera_options(command: Command) -> Command:
    """--profile, --board and --lens."""
    for option in (
        click.option("--lens", "lens_dir", type=click.Path(exists=True, file_okay=False, path_type=Path),
                     help="A folder with pictures of the ChArUco sheet taken by this camera."),
        click.option("--board", type=click.Choice(board_names()), help="The board model; recognised when left out."),
        click.option("--profile", type=click.Path(path_type=Path),
                     help="A profile made by referee calibrate; without it the first pictures are calibrated from."),
    ):  # fmt: skip
        command = option(command)
    return command


def match_options(command: Command) -> Command:
    """--rules, --state, --seats and --coins."""
    for option in (
        click.option("--seats", type=SeatsOption(), help="Who plays which colour: south=white,north=black."),
        click.option("--state", type=StateOption(), help="The board's state at the start, see referee rule --help."),
        click.option("--rules", help="Rule book, modifiers after a plus. [icf]"),
        click.option(
            "--coins", type=CoinsOption(), help="Coins of a set that lacks some or has more: white=8,black=9."
        ),
    ):
        command = option(command)
    return command


def setting(profile: Path | None, board: str | None, lens_dir: Path | None, rules: str | None = None,
            state: State | None = None, seats: tuple[tuple[Seat, Side], ...] | None = None,
            coins: dict[Kind, int] | None = None) -> Setting:  # fmt: skip
    """The options' values; raises ProfileError, LensError or RulesError when one of them is no good."""
    if rules is not None:
        load_rules(rules)
    return Setting(
        profile=load_profile(profile) if profile else None,
        board=board,
        lens=lens_from_charuco(lens_dir) if lens_dir else None,
        rules=rules,
        state=state,
        seats=seats or (),
        coins=coins,
    )
