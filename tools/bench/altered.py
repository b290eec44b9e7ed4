"""Clips in another light, from another camera pose, or from a shaking camera."""

from __future__ import annotations

from dataclasses import dataclass

from referee.bench.clips import ClipPlayer
from referee.bench.truth import Truth
from referee.frames.frame import Source
from tools.bench.rehung import Rehung, hanging, rehung
from tools.bench.relit import Relit, light
from tools.bench.swayed import Swayed, swaying


@dataclass(frozen=True, slots=True)
class Altered(ClipPlayer):
    """Changes of a clip, each by the seed from which it is drawn; None leaves it out."""

    relit: int | None = None
    swayed: int | None = None
    rehung: int | None = None

    def truth(self, truth: Truth) -> Truth:
        return truth if self.rehung is None else rehung(truth, hanging(self.rehung, truth.name))

    def source(self, truth: Truth) -> Source:
        # A dataclass with slots is created twice, so `super()` without arguments finds the wrong class.
        source = ClipPlayer.source(self, truth)
        source = source if self.rehung is None else Rehung(source, hanging(self.rehung, truth.name))
        source = source if self.relit is None else Relit(source, light(self.relit, truth.name))
        return source if self.swayed is None else Swayed(source, swaying(self.swayed, truth.name))
