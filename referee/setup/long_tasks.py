"""Tasks of a set-up that take long, each a function of a few pictures, run in a thread beside the frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import numpy as np

from calibration.calibrate import CalibrationError, calibrate
from calibration.geometry.lens import LENS_LEAST_CORNERS, Lens, LensError, StatedLens, lens_from_charuco, sheet_corners
from calibration.geometry.picture import Picture
from calibration.profile import Profile
from calibration.rescale import rescaled
from referee.setup.piece_colours import Coins, Striker, learn_coin_colours, learn_striker_colour
from referee.setup.progress import SetUpFiles
from referee.setup.steps import Choices, Step


class SetUpProblem(StrEnum):
    """Why a task could not be done."""

    NO_BOARD = "no_board"
    """A board must be found and saved first."""
    NO_ROOM = "no_room"
    """The result cannot be written to disk."""
    NO_SHEET = "no_sheet"
    NO_STRIKER = "no_striker"


@dataclass(frozen=True, slots=True, eq=False)
class TaskResult:
    """Result of a task; None for what it does not concern."""

    found: Profile | None = None
    lens: Lens | None = None
    coins: Coins | None = None
    striker: Striker | None = None
    reasons: tuple[str, ...] = ()
    """Why no board or no lens was found; `CalibrationReason`s where they have a name."""
    problem: SetUpProblem | None = None

    def measured(self, step: Step) -> Profile | None:
        """Returns the profile that this result gives to a step; None if it gives none."""
        match step:
            case Step.BOARD | Step.LENS:
                return self.found
            case Step.COLOURS:
                return self.coins.profile if self.coins else None
            case Step.STRIKER:
                return self.striker.profile if self.striker else None
            case _:
                return None


def find_board(pictures: Sequence[Picture], choices: Choices, lens: Lens | None,
               stated_lens: StatedLens | None = None) -> TaskResult:  # fmt: skip
    """Calibrates the board with the user's choices; tells why where that fails."""
    try:
        return TaskResult(calibrated(pictures, choices, lens, stated_lens), lens)
    except CalibrationError as e:
        return TaskResult(lens=lens, reasons=e.reasons)
    except LensError as e:
        return TaskResult(reasons=e.args)


def calibrated(pictures: Sequence[Picture], choices: Choices, lens: Lens | None,
               stated_lens: StatedLens | None = None) -> Profile:  # fmt: skip
    """Returns the board as calibrated with the user's choices. Raises CalibrationError or LensError."""
    corners = None if choices.corners is None else np.array(choices.corners)

    def fit(height_mm: float | None) -> Profile:
        return calibrate(pictures, choices.board, lens, choices.turn, choices.mirror, corners, height_mm,
                         stated_lens)  # fmt: skip

    profile = fit(choices.height_mm)
    if choices.surface_mm is None:
        return profile
    if choices.height_mm is not None:
        # A board of another size than the model's is measured in the model's scale first.
        profile = fit(choices.height_mm * profile.board.surface / choices.surface_mm)
    return rescaled(profile, choices.surface_mm)


def find_board_with_sheet(pictures: Sequence[Picture], choices: Choices, sheet: Path) -> TaskResult:
    """Calibrates the board with the lens measured from a folder of pictures of the sheet."""
    try:
        lens = lens_from_charuco(sheet)
    except LensError as e:
        return TaskResult(reasons=e.args)
    return find_board(pictures, choices, lens)


def shoot_sheet(pictures: Sequence[Picture], files: SetUpFiles) -> TaskResult:
    """Stores the last picture if the sheet is detected in it."""
    grey = np.ascontiguousarray(pictures[-1].y)
    if len(sheet_corners(grey)[1]) < LENS_LEAST_CORNERS:
        return TaskResult(problem=SetUpProblem.NO_SHEET)
    try:
        files.add_shot(grey)
    except OSError:
        return TaskResult(problem=SetUpProblem.NO_ROOM)
    return TaskResult()


def learn_coins(pictures: Sequence[Picture], profile: Profile | None) -> TaskResult:
    """Learns the coins' colours from the opening formation."""
    if profile is None:
        return TaskResult(problem=SetUpProblem.NO_BOARD)
    return TaskResult(coins=learn_coin_colours(profile, pictures))


def learn_striker(pictures: Sequence[Picture], profile: Profile | None) -> TaskResult:
    """Learns the striker's colour and size from a striker on the middle of the board."""
    if profile is None:
        return TaskResult(problem=SetUpProblem.NO_BOARD)
    striker = learn_striker_colour(profile, pictures)
    return TaskResult(striker=striker, problem=None if striker else SetUpProblem.NO_STRIKER)
