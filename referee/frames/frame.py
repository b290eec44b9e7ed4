"""The frame, one picture with its time, and the contract of every source of frames."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self, runtime_checkable

from calibration.geometry.lens import StatedLens
from calibration.geometry.picture import Picture

SIMULATOR = "simulator"
"""Name of the simulator as a source. Nobody can hang its camera lower."""


class SourceError(Exception):
    """A source cannot be opened or read on; the message is one sentence that says what to do."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture of the stream.

    The planes are read-only views into the memory of the decoder, camera or simulator. They are valid until the next
    frame is read; copy pixels that are needed longer. Some sources promise more: frames of files and folders stay valid
    as long as they are referenced. So do those of a camera, but it lends from a pool of a few buffers, and loses
    pictures while its frames are held.
    """

    picture: Picture
    t: float
    """Seconds on the source's own clock, first frame at 0: exposure of the middle row if the source knows it."""
    index: int
    """Number of this frame since the source was opened, lost frames not counted."""
    row_s: float | None
    """Seconds from one row's readout to the next; 0 for a global shutter, None when unknown."""
    dropped: int = 0
    """Frames lost directly before this one, as far as the source can tell."""
    lasts: bool = False
    """True if its pixels stay valid as long as it is referenced, at no cost to the source."""


class Source(Protocol):
    """Yields frames in order until it ends; opens on `with`, releases in `__exit__`.

    Times strictly increase. Iteration ends without an error at the source's end. A source that breaks in the middle
    raises SourceError after the last good frame, so that everything refereed so far stays.
    """

    @property
    def name(self) -> str:
        """Name of the source for people: a path, a device, "simulator"."""

    @property
    def fps(self) -> float | None:
        """Nominal rate in frames per second, None if unknown or variable; cameras and files know it once opened."""

    @property
    def live(self) -> bool:
        """True if frames come at their own pace and are lost when they are not read in time."""

    def __enter__(self) -> Self: ...

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None: ...  # fmt: skip

    def __iter__(self) -> Iterator[Frame]: ...


@runtime_checkable
class ReportsCondition(Protocol):
    """Source that reports the condition of its camera."""

    @property
    def condition(self) -> dict[str, float]:
        """`exposure_s`, `gain` and `temperature_c`, as far as the camera reports them."""


@runtime_checkable
class StatesLens(Protocol):
    """Source whose camera or pictures state the focal length."""

    @property
    def stated_lens(self) -> StatedLens | None:
        """Focal length in its pictures; None if it is not known. A camera knows it once opened."""


def stated_lens_of(source: Source) -> StatedLens | None:
    """Returns the focal length that an open source states; None if it states none."""
    return source.stated_lens if isinstance(source, StatesLens) else None
