"""Detects the end of a stroke: when all rests, the census decides the fate of every piece, and the stroke is
reported."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import cv2
import numpy as np

from calibration.geometry.picture import Picture
from models.pieces import Kind, Piece
from referee.board_state.motion import are_at_rest, moment_of
from referee.board_state.occupancy import Presence
from referee.census.between_strokes import shift_of
from referee.census.ledger import Ledger
from referee.census.reconcile import Reconciler, has_moved
from referee.facts import Fact, Foul, Returned, Stroke, Table
from referee.foreground.background import ForegroundFrame
from referee.foreground.segmentation import Segmentation
from referee.fouls.push import advanced, began, flight_of, is_over
from referee.fouls.stories import fitted as stories
from referee.fouls.touched_coin import touches
from referee.outcome.evidence import evidence_of
from referee.outcome.explanation import explain
from referee.outcome.observation import Observation
from referee.outcome.odds import fitted
from referee.outcome.readings import Extra
from referee.outcome.stroke_in_progress import Play, correct_striker
from referee.pieces.disc import Disc
from referee.striker.baseline_search import StrikerSighting
from referee.striker.placement_tracker import PlacementTracker
from referee.strokes.observe import Called, Observer, Witness
from referee.strokes.recount import Recount
from referee.strokes.report import StrokeDraft, report_stroke

CENSUS_EVERY_S = 0.1
SEARCH_S = 0.6
"""Time after the rest, in seconds, for which a missing coin that was not seen to leave is sought again."""


class StrokeEndDetector:
    """Ends strokes; call `update` for each frame of one. `Play.over` is set when it is reported or was none."""

    def __init__(self, ledger: Ledger, striker: PlacementTracker, surface: Reconciler, witness: Witness) -> None:
        self._known, self._tracker, self._hands = witness.known, witness.tracker, witness.hands
        self._ledger, self._striker, self._surface, self._table = ledger, striker, surface, surface.table
        self._witness, self._next_census = witness, 0.0
        self.observer: Observer | None = None
        """Receives each census of a stroke with its result."""

    def update(
        self, play: Play, picture: Picture, foreground: ForegroundFrame, scene: Segmentation, moving: bool
    ) -> Iterable[Fact]:
        """Processes a frame; returns the stroke and the table after it once nothing is left open."""
        if Foul.PUSH not in play.measured and is_over(play.t_strike, foreground.t):
            self._measure_push(play)
        if play.vacant is not None and play.handled is not None:
            cv2.bitwise_or(play.handled, cv2.bitwise_and(play.vacant, scene.near_hand), play.handled)
        if moving:
            play.last_motion, play.t_rest, play.seen_since_rest = foreground.t, None, None
        elif are_at_rest(play.last_motion, foreground.t):
            self._settle(play, foreground, scene)
            if foreground.t >= self._next_census:
                self._next_census = foreground.t + CENSUS_EVERY_S
                return self._close(play, picture, foreground, scene)
        return ()

    def _settle(self, play: Play, foreground: ForegroundFrame, scene: Segmentation) -> None:
        """Records the time of the rest and the places that no hand has covered since."""
        if play.t_rest is None:
            play.t_rest = max(play.t_strike, moment_of(play.last_motion))
            play.seen_since_rest = np.zeros_like(scene.hand)
            self._next_census = foreground.t
        assert play.seen_since_rest is not None
        uncovered = cv2.bitwise_or(play.seen_since_rest, cv2.bitwise_not(scene.near_hand))
        play.seen_since_rest = np.asarray(uncovered, np.uint8)

    def _measure_push(self, play: Play) -> None:
        """Measures how far the hand went along if the striker was seen to stand and is tracked."""
        stood = self._striker.placement(play.t_strike)
        if stood is not None and play.striker is not None:
            board = self._known.profile.board
            advance = advanced(self._hands, stood[0], play.striker, board, play.lay, play.t_strike)
            play.measured[Foul.PUSH] = advance

    def conclude(
        self, play: Play, picture: Picture, foreground: ForegroundFrame, scene: Segmentation
    ) -> Iterable[Fact]:
        """Returns the stroke and the table by the last frame if the pieces rest: what is still open stays open."""
        return () if play.t_rest is None else self._close(play, picture, foreground, scene, may_wait=False)

    def _close(self, play: Play, picture: Picture, foreground: ForegroundFrame, scene: Segmentation,
               may_wait: bool = True) -> Iterable[Fact]:  # fmt: skip
        """Takes the census; returns the stroke and the table if nothing is left open or none may wait."""
        found, uncovered = self._find_discs(play, picture, foreground, scene)
        observation = self._observed(play, found, foreground)
        count = Recount(explain(evidence_of(observation), fitted()), tuple(self._table.lying), found, uncovered)
        play.elsewhere = [k for k, disc in count.moved() if has_moved(k.piece.place, (disc.x, disc.y))]
        facts: tuple[Fact, ...] = ()
        if may_wait and self._waits(play, count, foreground.t):
            self._note_vacant(play, foreground, scene)
        else:
            facts = tuple(self._concluded(play, count, picture, foreground, scene))
        if self.observer is not None:
            stroke = next((fact for fact in facts if isinstance(fact, Stroke)), None)
            self.observer(observation, Called(play.over, stroke, play.measured))
        return facts

    @staticmethod
    def _note_vacant(play: Play, foreground: ForegroundFrame, scene: Segmentation) -> None:
        """Notes which cells show the bare board now: a disc found there after a hand has come was put there by it."""
        covered = cv2.bitwise_or(cv2.bitwise_or(foreground.solid, foreground.shade), scene.near_hand)
        if play.vacant is None or play.handled is None:
            play.vacant, play.handled = np.zeros_like(scene.near_hand), np.zeros_like(scene.near_hand)
        cv2.bitwise_or(play.vacant, cv2.bitwise_not(covered), play.vacant)

    def _find_discs(self, play: Play, picture: Picture, foreground: ForegroundFrame,
               scene: Segmentation) -> tuple[list[tuple[Kind, Disc]], list[Piece]]:  # fmt: skip
        """Returns the discs found where no known piece lies, and the pieces that had been covered since before the
        stroke.
        """
        discs = self._surface.find_new(picture, foreground, scene, struck=True, colour=play.striker_colour)
        self._correct_striker(play, discs)
        uncovered = [p for kind, d in discs if self._ledger.never_away(p := Piece(kind, d.x, d.y))]
        return [(k, d) for k, d in discs if Piece(k, d.x, d.y) not in uncovered], uncovered

    def _observed(self, play: Play, found: Sequence[tuple[Kind, Disc]], foreground: ForegroundFrame) -> Observation:
        """Returns the observation of the stroke; it must be recorded before the table is settled."""
        stood, out = self._striker.placement(play.t_strike), dict(self._ledger.surely_out)
        tracks = {id(k) for k, _ in play.moved}
        play.unfollowed = [k for k in self._table.lying if k.presence is Presence.GONE and id(k) not in tracks]
        return self._witness.observation(play, self._table.lying, out, foreground, stood[0] if stood else None, found)

    @staticmethod
    def _waits(play: Play, count: Recount, t: float) -> bool:
        """Tells whether something is left open that another census may decide."""
        if count.hidden and not play.gives_up(t):
            return True
        return count.lost and play.t_rest is not None and t < play.t_rest + SEARCH_S

    def _concluded(self, play: Play, count: Recount, picture: Picture, foreground: ForegroundFrame,
                   scene: Segmentation) -> Iterable[Fact]:  # fmt: skip
        """Ends the stroke; returns the stroke and the table, or nothing if there was no stroke."""
        play.over = True
        stood = self._striker.placement(play.t_strike)
        stands = count.is_striker_unmoved(self._known.profile.board, stood[0] if stood else None)
        stands &= stood is not None or not play.contacts()
        if count.is_none(count.flew(play), stands):
            return ()
        beside = self._surface.beside(picture)
        for k in (*count.left(), *(k for k, _ in beside)):
            k.presence = Presence.GONE
        nudged = [shift_of(k, disc, foreground.t, nudged=True) for k, disc in beside]
        self._ledger.shifts += [*nudged, *(shift_of(k, disc, foreground.t) for k, disc in count.moved())]
        pieces = [*self._table.pieces(), *(shift.piece for shift in nudged), *count.arrived()]
        self._surface.settle(pieces, foreground, scene)
        return self._called(play, count, stood, foreground)

    def _correct_striker(self, play: Play, found: Sequence[tuple[Kind, Disc]]) -> None:
        """Corrects the striker's track if it followed another disc.

        The push is then judged again if the striker's own flight was tracked.
        """
        at = next(((d.x, d.y) for kind, d in found if kind is Kind.STRIKER), None)
        if at is None or not correct_striker(play, self._tracker.all, at):
            return
        if play.striker is not None and flight_of(play.striker, play.t_strike):
            play.measured.pop(Foul.PUSH, None)

    def _called(
        self, play: Play, count: Recount, stood: tuple[StrikerSighting, float] | None, foreground: ForegroundFrame
    ) -> Iterable[Fact]:
        """Returns the stroke and the table, which must be up to date."""
        ledger = self._ledger
        ledger.call(foreground.t)
        if Foul.PUSH not in play.measured:
            self._measure_push(play)
        if stood is not None:
            until = min(play.t_strike, stood[0].until)
            hidden = ((stood[0].x, stood[0].y), play.striker.places[0]) if play.striker is not None else ()
            touched = touches(ledger.shifts, self._tracker.all, play.lay, stood[1], until, hidden)
            if touched:
                play.measured[Foul.TOUCHED_COIN] = float(all(may_be_struck for _, may_be_struck in touched))
            # The striker did not strike what the hand moved beneath itself.
            dragged = [shift.was for shift, may_be_struck in touched if not may_be_struck]
            play.unfollowed = [k for k in play.unfollowed if k.piece not in dragged]
            # A pushing hand hides for a while that the striker moves.
            fouls = stories().probabilities(play.measured)
            if play.striker is not None and fouls.get(Foul.PUSH, 0.0) > 0.5:
                went = began((stood[0].x, stood[0].y), play.striker, play.t_strike)
                play.t_strike = until if went is None else max(until, min(play.t_strike, went))
        rested = next((p for p in self._table.pieces() if p.kind is Kind.STRIKER), None)
        draft = StrokeDraft(ledger.strokes, play.t_strike, play.t_rest or foreground.t, foreground.t, play.striker,
                            play.contacts() or count.unknown(), count.missing, play.lay,
                            stories().probabilities(play.measured), rested, count.explanation.call.weight,
                            count.explanation.other)  # fmt: skip
        self._witness.pockets.nets += count.explanation.nets
        ledger.leave(count.missing)
        ledger.spent = tuple(p for p in count.arrived() if p.kind is Kind.STRIKER)
        stroke = report_stroke(self._known.profile, draft, stood)
        return stroke, *self._returned(count, foreground.t), Table(foreground.t, self._table.pieces())

    def _returned(self, count: Recount, t: float) -> Iterator[Returned]:
        """Yields the coins that hands put back while the call waited."""
        for coin in (p for p in count.extra(Extra.PUT_BACK) if p.kind is not Kind.STRIKER):
            self._ledger.comes_back(coin.kind)
            place = coin.place
            laid = self._hands.laid_at(place, t)
            yield Returned(laid, coin.kind, *place, self._hands.seat_at(place, laid))
