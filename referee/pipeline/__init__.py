"""The wiring: the one place that knows every stage, from a source's frames to the match log and the link."""

from referee.pipeline.act import Outcome, referee
from referee.pipeline.ready import Setting

__all__ = ["Outcome", "Setting", "referee"]
