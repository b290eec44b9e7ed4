"""Base of sources that pass another source's frames on: watched, paced, or in another light."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from calibration.geometry.lens import StatedLens
from referee.frames.frame import Source, stated_lens_of


class ForwardingSource:
    """Source with the name, rate and liveness of another one; subclasses yield the frames."""

    def __init__(self, source: Source) -> None:
        self._source = source

    @property
    def name(self) -> str:
        return self._source.name

    @property
    def fps(self) -> float | None:
        return self._source.fps

    @property
    def live(self) -> bool:
        return self._source.live

    @property
    def stated_lens(self) -> StatedLens | None:
        return stated_lens_of(self._source)

    def __enter__(self) -> Self:
        self._source.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:  # fmt: skip
        self._source.__exit__(kind, error, trace)
