"""Errors at the command line: one sentence on what to do, exit code 1."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

from calibration.calibrate import CalibrationError
from calibration.geometry.lens import LensError
from calibration.profile import ProfileError
from models.rules import RulesError
from referee.frames.frame import SourceError
from referee.link import LinkError
from referee.log import LogError
from referee.match import MatchError

OTHER_MODEL = "the board may be of another model, which would make it another size: name it with --board"
"""Message if marks and coins fit two models nearly equally well."""
OTHER_LENS = ("the picture contradicts the focal length that the camera's datasheet or the photograph states: it is "
              "measured as another lens's; measure the lens with the sheet (--lens) if it was exchanged")  # fmt: skip
"""Message if a stated focal length is not used."""


@contextmanager
def as_click_errors() -> Iterator[None]:
    """Ends the command with one sentence on expected errors."""
    try:
        yield
    except CalibrationError as e:
        raise click.ClickException("not calibrated:\n" + "\n".join(f"  - {r}" for r in e.reasons)) from None
    except (SourceError, LensError, ProfileError, RulesError, LogError, MatchError, LinkError) as e:
        raise click.ClickException(str(e)) from None
