"""The wiring: the one place that knows every stage, from a source's frames to the match log and the link."""

from referee.pipeline.run_match import MatchOutcome, referee
from referee.pipeline.startup import MatchSettings

__all__ = ["MatchOutcome", "MatchSettings", "referee"]
