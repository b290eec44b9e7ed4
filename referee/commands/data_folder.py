"""The folder in which `referee run` keeps matches where no log is named."""

from __future__ import annotations

import os
from pathlib import Path


def data_folder() -> Path:
    """Returns the folder for matches in the user's data folder. It may not exist yet."""
    home = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(home) / "carrom-referee" / "matches"
