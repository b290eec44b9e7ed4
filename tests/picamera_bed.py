"""Test bed for Raspberry Pi cameras: the real picamera2 over libcamera's virtual camera.

CARROM_PICAMERA names its folder: its `bin/python` runs picamera2, and its environment needs numpy and
opencv-python-headless.
"""

from __future__ import annotations

import os
import subprocess
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import pytest

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Bed:
    """The real picamera2 over a virtual camera."""

    python: Path
    config: Path
    """Configuration of the camera's pictures. Without this file there is no camera."""

    @classmethod
    def at(cls, config: Path) -> Self:
        """Returns the bed of this machine. Skips the test if there is none."""
        folder = os.environ.get("CARROM_PICAMERA")
        if not folder:
            pytest.skip("CARROM_PICAMERA does not name a picamera2 test bed")
        return cls(Path(folder) / "bin" / "python", config)

    def serve(self, pictures: Path, size: tuple[int, int]) -> None:
        """Sets the folder whose pictures the camera shows from its next start on, in the order of their numbers, again
        and again.
        """
        self.config.write_text(
            '%YAML 1.1\n---\n"VirtualCam":\n  supported_formats:\n'
            f"  - {{ width: {size[0]}, height: {size[1]}, frame_rates: [ 1, 60 ] }}\n"
            f'  frames: {{ path: "{pictures}/" }}\n  model: "virtual"\n'
        )

    def run(self, script: str, *words: str) -> subprocess.CompletedProcess[str]:
        """Runs a script with the bed's own libraries only."""
        return subprocess.run([self.python, "-c", script, *words], env=self._environment(str(ROOT)), check=False,
                              capture_output=True, text=True, timeout=60)  # fmt: skip

    @contextmanager
    def referee(self, words: list[str]) -> Iterator[subprocess.Popen[str]]:
        """Runs the command itself, with the libraries of this environment."""
        path = os.pathsep.join([str(ROOT), sysconfig.get_paths()["platlib"]])
        command = [self.python, "-c", "from referee.cli import main; main()", *words]
        with subprocess.Popen(command, env=self._environment(path), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True) as process:  # fmt: skip
            try:
                yield process
            finally:
                process.kill()

    def _environment(self, path: str) -> dict[str, str]:
        return {**os.environ, "PYTHONPATH": path, "LIBCAMERA_VIRTUAL_CONFIG_FILE": str(self.config)}
