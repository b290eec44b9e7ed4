"""Records the observation of a stroke: census, tracks, hands and table state, without the picture.

The observation is the input of the explanation that decides the fate of every piece, and can be stored and evaluated
again."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from models.pieces import Kind, Pocket
from referee.board_state.occupancy import RestingPiece
from referee.facts import Foul, Stroke
from referee.foreground.background import BackgroundModel, ForegroundFrame
from referee.foreground.hand_history import HandHistory
from referee.foreground.pocket_appearance import PocketAppearance
from referee.outcome.cells import Cells
from referee.outcome.observation import Detection, HandSeen, Observation, ObservedTable, Remembered, Sighted
from referee.outcome.stroke_in_progress import Play
from referee.pieces.colour_classes import tint_distance
from referee.pieces.current_profile import CurrentProfile
from referee.pieces.disc import Disc
from referee.striker.baseline_search import StrikerSighting
from referee.tracking.tracker import Track, Tracker

SINCE_S = 1.0
"""Time before the strike, in seconds, from which tracks and sightings are recorded."""
HANDS_EVERY_S = 0.1
CELL_MM = 10.0
"""Grid width, in mm, in which hidden places and hands are recorded."""


@dataclass(frozen=True, slots=True)
class Called:
    """The decision of the stroke detection about an observation."""

    is_over: bool
    """False if the decision was postponed."""
    stroke: Stroke | None
    """None if the decision was postponed, or if there was no stroke."""
    measured: Mapping[Foul, float]
    """Measure of each foul of the hand that was looked for."""


Observer = Callable[[Observation, Called], None]


@dataclass(frozen=True, slots=True, eq=False)
class Witness:
    """Records observations from the profile, the background, the tracks and the history of hands."""

    known: CurrentProfile
    background: BackgroundModel
    tracker: Tracker
    hands: HandHistory
    pockets: PocketAppearance

    def observation(self, play: Play, lay: Sequence[RestingPiece], out: Mapping[Kind, int], foreground: ForegroundFrame,
                    stood: StrikerSighting | None, found: Sequence[tuple[Kind, Disc]]) -> Observation:  # fmt: skip
        """Returns the observation of a stroke at a census.

        The census has `found` discs where no known piece lies. `lay` is the table before that census settles it. `out`
        counts the coins off the board before the stroke. `stood` is the sighting of the placed striker.
        """
        assert play.t_rest is not None
        assert play.seen_since_rest is not None
        numbers = {id(k): track.number for k, track in play.moved}
        reach = self.background.lattice.step * (self.background.lattice.shape[0] - 1) / 2
        hidden, since = 255 - play.seen_since_rest, play.t_strike - SINCE_S
        profile, board = self.known.profile, self.known.profile.board
        table = ObservedTable(board.half, board.coin_radius, board.striker_radius, profile.pockets,
                              dict(profile.full_set), out)  # fmt: skip
        return Observation(
            table, foreground.t, play.t_strike, play.t_rest, (stood.x, stood.y) if stood else None,
            tuple(Remembered(k.piece, k.presence, k.seen, numbers.get(id(k))) for k in lay),
            play.striker.number if play.striker else None,
            tuple(self._detection(play, *each) for each in found),
            tuple(self._sighted(k, since) for k in self.tracker.all if k.t > since),
            Cells.of(hidden, reach, round(2 * reach / CELL_MM)),
            tuple(self._hands_seen(foreground.t, reach)), play.bumps,
            self._changed(play, foreground), self.pockets.nets,
        )  # fmt: skip

    def _changed(self, play: Play, foreground: ForegroundFrame) -> dict[Pocket, float]:
        arms = self.hands.arms_lately(foreground.t, np.zeros_like(self.background.known))
        return self.pockets.changed(foreground, arms, play.t_strike)

    def _detection(self, play: Play, kind: Kind, disc: Disc) -> Detection:
        colours = self.known.with_striker(play.striker_colour).colours
        return Detection(
            kind, disc.x, disc.y, disc.presence, {k: tint_distance(disc.tint, c) for k, c in colours.items()},
            self._handled(play, disc),
        )  # fmt: skip

    def _handled(self, play: Play, disc: Disc) -> float:
        """Returns the share (0 to 1) of a disc's place that was bare after the strike and that a hand then covered."""
        if play.handled is None:
            return 0.0
        cells = play.handled[self.background.lattice.disc_cells(disc.x, disc.y, disc.radius)]
        return float(np.mean(cells > 0)) if len(cells) else 0.0

    def _sighted(self, k: Track, since: float) -> Sighted:
        seen_since = [(t, p) for t, p in k.sightings if t > since]
        kinds = list(self.tracker.colours) if k.tints else []
        return Sighted(
            k.number, k.kind, k.home.place if k.home else None, tuple(t for t, _ in seen_since),
            tuple(p for _, p in seen_since), {kind: self.tracker.unlike(kind, k) for kind in kinds},
            k in self.tracker.live,
        )  # fmt: skip

    def _hands_seen(self, t: float, reach: float) -> list[HandSeen]:
        out: list[HandSeen] = []
        for seen_since in self.hands.during(-math.inf, t):
            if seen_since.arms.any() and (not out or seen_since.t - out[-1].t >= HANDS_EVERY_S):
                out.append(HandSeen(seen_since.t, Cells.of(seen_since.arms, reach, round(2 * reach / CELL_MM))))
        return out
