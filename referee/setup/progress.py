"""Files of a set-up: the profile so far, the progress, and pictures of the sheet, each written at once."""

from __future__ import annotations

import logging
from pathlib import Path

import cv2

from calibration.geometry.lens import LENS_SUFFIXES
from calibration.geometry.picture import U8
from calibration.profile import Profile, ProfileError, load_profile
from referee.atomic_files import written
from referee.setup.steps import Progress, Step

logger = logging.getLogger(__name__)

PROFILE_NAME = "board.json"
"""File name of the profile in the data folder, unless another file is given."""
MOST_SHOTS = 40
"""Greatest number of pictures of the sheet. More do not improve the lens, and slow its solution."""


class SetUpFiles:
    """Files of the set-up with the profile `profile`. Nothing is written before there is a result."""

    def __init__(self, profile: Path) -> None:
        self.profile_file = profile
        self.progress_file = profile.with_name(f"{profile.stem}.setup.json")
        self.sheet_folder = profile.with_name(f"{profile.stem}-sheet")

    def progress(self) -> Progress:
        """Returns the progress. An unreadable file loses the choices in it and nothing else."""
        try:
            return Progress.from_json(self.progress_file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return Progress()
        except (OSError, ValueError) as e:
            logger.warning("the set-up in %s cannot be read and begins anew: %s", self.progress_file, e)
            return Progress()

    def profile(self) -> Profile | None:
        """Returns the profile so far; None before a board was found, or if it is unreadable."""
        if not self.profile_file.exists():
            return None
        try:
            return load_profile(self.profile_file)
        except ProfileError as e:
            logger.warning("%s", e)
            return None

    def profile_for(self, source: str) -> Profile | None:
        """Returns the profile that was set up with this source; None before its board was saved."""
        progress = self.progress()
        return self.profile() if Step.BOARD in progress.done and progress.source == source else None

    def save(self, progress: Progress) -> None:
        _keep(self.progress_file, progress.to_json().encode())

    def save_profile(self, profile: Profile) -> None:
        _keep(self.profile_file, profile.to_json().encode())

    def shots(self) -> list[Path]:
        """Returns the pictures of the sheet."""
        if not self.sheet_folder.is_dir():
            return []
        return sorted(f for f in self.sheet_folder.iterdir() if f.suffix.lower() in LENS_SUFFIXES)

    def add_shot(self, grey: U8) -> None:
        """Stores a picture (h, w) of the sheet; the oldest is deleted where there are too many."""
        self.sheet_folder.mkdir(parents=True, exist_ok=True)
        shots = self.shots()
        for old in shots[: len(shots) + 1 - MOST_SHOTS]:
            old.unlink()
        last = int(shots[-1].stem.rpartition("_")[2]) if shots else 0
        _keep(self.sheet_folder / f"shot_{last + 1:04}.png", cv2.imencode(".png", grey)[1].tobytes())

    def drop_shots(self) -> None:
        for shot in self.shots():
            shot.unlink()


def _keep(path: Path, data: bytes) -> None:
    with written(path) as part:
        part.write_bytes(data)
