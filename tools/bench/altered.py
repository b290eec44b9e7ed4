"""Clips shown in another light, from a camera hung elsewhere or from one that sways."""

from __future__ import annotations

from dataclasses import dataclass

from referee.bench.clips import AsFilmed
from referee.bench.truth import Truth
from referee.frames.frame import Source
from tools.bench.rehung import Rehung, hanging, rehung
from tools.bench.relit import Relit, light
from tools.bench.swayed import Swayed, swaying


@dataclass(frozen=True, slots=True)
class Altered(AsFilmed):
    """Each change by the seed that draws it, a clip's own; None leaves it out."""

    relit: int | None = None
    swayed: int | None = None
    rehung: int | None = None

    def truth(self, truth: Truth) -> Truth:
        return truth if self.rehung is None else rehung(truth, hanging(self.rehung, truth.name))

    def source(self, truth: Truth) -> Source:
        # A class with slots is made twice, so `super()` without arguments finds the wrong one.
        source = AsFilmed.source(self, truth)
        source = source if self.rehung is None else Rehung(source, hanging(self.rehung, truth.name))
        source = source if self.relit is None else Relit(source, light(self.relit, truth.name))
        return source if self.swayed is None else Swayed(source, swaying(self.swayed, truth.name))
