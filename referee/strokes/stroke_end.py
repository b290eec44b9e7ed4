"""The ending of a stroke: when all rests the census tells what became of every piece, and the stroke is told."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from calibration.geometry.picture import Picture
from models.board import BoardModel
from models.pieces import Kind, Piece
from referee.board_state.motion import LAG_S, REST_S
from referee.board_state.occupancy import Occupancy, Presence, RestingPiece
from referee.census.between_strokes import shift_of
from referee.census.ledger import Ledger, accounts_for, all_known
from referee.census.reconcile import Surface, is_nudged
from referee.facts import Foul, Seen, Stroke, Table
from referee.foreground.background import ForegroundFrame
from referee.foreground.hand_history import HandHistory
from referee.foreground.segmentation import Segmentation
from referee.fouls.push import AFTER_S, began, flight_of, pushed
from referee.fouls.touched_coin import TOUCH_SURE, touches
from referee.outcome.fates import FATE_PLAIN, FATE_UNSEEN, CensusFate, Missing, assign, contradicted, plainly
from referee.outcome.missing_pieces import SEARCH_S, Reckoning
from referee.outcome.resting_tracks import fallen_for_good
from referee.outcome.striker_swap import correct_striker
from referee.outcome.stroke_in_progress import Play
from referee.outcome.undetected_pieces import faint_on, never_left
from referee.outcome.unknown_discs import stranger_flew, turned_up
from referee.outcome.unknown_impacts import stumbles
from referee.pieces.colour_classes import evidence
from referee.pieces.current_profile import CurrentProfile
from referee.pieces.disc_fit import Disc
from referee.striker.baseline_search import StrikerSighting
from referee.striker.placement_rules import between_lines
from referee.striker.placement_tracker import PlacementTracker
from referee.strokes.observe import Called, Observer, Witness
from referee.strokes.report import StrokeDraft, report_stroke
from referee.strokes.weak_stroke import STAY_LEAST_MM
from referee.tracking.flight import travelled
from referee.tracking.tracker import Track, Tracker

CENSUS_EVERY_S = 0.1
END_HIDDEN_S = 0.5
"""For no longer a pushing hand hides that the striker has left its place."""
END_FAR_MM = 250.0
"""No patch of a hand flies so far free of it."""
TAKEN_SEEN, TAKEN_UNSEEN = 0.97, 0.85
"""How sure it is that a hand has taken the striker that is found nowhere: where a hand was seen to come, and else."""


@dataclass(frozen=True, slots=True, eq=False)
class Recount:
    """A census held against the pieces that have left their places."""

    gone: list[RestingPiece]
    moved: list[tuple[Piece, Track | None]]
    """What is sought: the pieces gone, in their order, and last the striker if it was never known to lie anywhere."""
    found: list[tuple[Kind, Disc]]
    pairs: list[tuple[int, int]]
    """Which of `moved` is which of `found`."""
    overlooked: list[Piece]
    """Found pieces that nobody knew of before."""
    missing: list[Missing]
    """What became of the others."""
    astray: int = 0
    """How many of `pairs` were seen to fall, though not without a lapse: another may have been overlooked before."""

    @property
    def extra(self) -> list[Disc]:
        """The discs that are found and are nobody's."""
        used = {j for _, j in self.pairs}
        return [disc for j, (_, disc) in enumerate(self.found) if j not in used]

    @property
    def hidden(self) -> bool:
        """Whether a piece may lie where nobody can see."""
        return any(m.fate is CensusFate.HIDDEN for m in self.missing)

    @property
    def lost(self) -> bool:
        """Whether a coin is found nowhere and was not seen to go: a pale one may be overlooked in a frame's noise."""
        return any(
            m.fate in (CensusFate.POCKETED, CensusFate.OFF_BOARD) and m.confidence <= FATE_UNSEEN for m in self.missing
        )

    def is_none(self, flew: bool, stands: bool) -> bool:
        """Whether it was no stroke: nothing has gone, and nothing `flew` or the striker `stands` where it stood.

        A hand's shape was taken for a striker, its patches for coins that lie where they lay.
        """
        fell = any(m.fate is CensusFate.POCKETED or m.piece.kind is not Kind.STRIKER for m in self.missing)
        return not fell and (stands or not flew)

    def flew(self, play: Play) -> bool:
        """Whether anything is found elsewhere that cannot have been carried there unseen."""
        if any(m.fate is CensusFate.LIES and play.led_to(m.piece.x_mm, m.piece.y_mm) for m in self.missing):
            return True
        return any(self.moved[i][0].kind is not Kind.STRIKER or self.found[j][0] is Kind.STRIKER
                   or play.led_to(self.found[j][1].x, self.found[j][1].y) for i, j in self.pairs)  # fmt: skip

    def stands(self, board: BoardModel, stood: StrikerSighting | None) -> bool:
        """Whether the striker lies where it `stood`, what seemed to fly being the hand that left it; where it was not
        seen to stand, whether it lies where a hand may just have placed it.
        """
        lying = [(d.x, d.y) for k, d in self.found if k is Kind.STRIKER]
        lying += [(m.piece.x_mm, m.piece.y_mm) for m in self.missing
                  if m.fate is CensusFate.LIES and m.piece.kind is Kind.STRIKER]  # fmt: skip
        if stood is None:
            return any(between_lines(board, *at) for at in lying)
        return any(math.dist(at, (stood.x, stood.y)) < STAY_LEAST_MM for at in lying)

    def arrived(self) -> list[Piece]:
        """The pieces where they lie now."""
        new = [replace(self.moved[i][0], x_mm=self.found[j][1].x, y_mm=self.found[j][1].y) for i, j in self.pairs]
        return new + self.overlooked + [m.piece for m in self.missing if m.fate is CensusFate.LIES]


class StrokeEndDetector:
    """Call `see` for each frame of a stroke; `Play.over` when it is told or was none."""

    def __init__(
        self,
        known: CurrentProfile,
        ledger: Ledger,
        table: Occupancy,
        tracker: Tracker,
        striker: PlacementTracker,
        surface: Surface,
        reckoning: Reckoning,
        hands: HandHistory,
    ) -> None:
        self._known, self._ledger, self._table, self._tracker = known, ledger, table, tracker
        self._striker, self._surface, self._reckoning, self._hands = striker, surface, reckoning, hands
        self._next_census = 0.0
        self._witness = Witness(known, reckoning.background, tracker, hands)
        self.observer: Observer | None = None
        """Who is given each census of a stroke with what was made of it."""

    def see(
        self, play: Play, picture: Picture, foreground: ForegroundFrame, scene: Segmentation, moving: bool
    ) -> Iterable[Seen]:
        """Takes in a frame; the stroke and the table after it once nothing is left open."""
        if Foul.PUSH not in play.fouls and foreground.t > play.t_strike + AFTER_S:
            self._look_for_push(play)
        if moving:
            play.last_motion, play.t_rest, play.seen_since_rest = foreground.t, None, None
        elif foreground.t - play.last_motion >= REST_S:
            self._settle(play, foreground, scene)
            if foreground.t >= self._next_census:
                self._next_census = foreground.t + CENSUS_EVERY_S
                return self._close(play, picture, foreground, scene)
        return ()

    def _settle(self, play: Play, foreground: ForegroundFrame, scene: Segmentation) -> None:
        """All rests: notes where no hand has been since."""
        if play.t_rest is None:
            play.t_rest = max(play.t_strike, play.last_motion - LAG_S / 2)
            play.seen_since_rest = np.zeros_like(scene.hand)
            self._next_census = foreground.t
        assert play.seen_since_rest is not None
        seen = cv2.bitwise_or(play.seen_since_rest, cv2.bitwise_not(scene.near_hand))
        play.seen_since_rest = np.asarray(seen, np.uint8)

    def _look_for_push(self, play: Play) -> None:
        """Whether the hand went with the striker; known once the striker is free of it."""
        stood = self._striker.placement(play.t_strike)
        if stood is not None and play.striker is not None:
            board = self._known.profile.board
            play.fouls[Foul.PUSH] = pushed(self._hands, stood[0], play.striker, board, play.lay, play.t_strike)

    def _close(self, play: Play, picture: Picture, foreground: ForegroundFrame, scene: Segmentation) -> Iterable[Seen]:
        """Takes the census; tells the stroke if nothing is left open."""
        count = self._count(play, picture, foreground, scene)
        if self.observer is None:
            return self._concluded(play, count, picture, foreground, scene)
        stood, out = self._striker.placement(play.t_strike), dict(self._ledger.surely_out)
        observation = self._witness.observation(play, self._table.lying, out, foreground, stood[0] if stood else None,
                                                count.found, self._surface.search.found)  # fmt: skip
        facts = tuple(self._concluded(play, count, picture, foreground, scene))
        stroke = next((fact for fact in facts if isinstance(fact, Stroke)), None)
        self.observer(observation, Called(play.over, stroke))
        return facts

    def _concluded(
        self, play: Play, count: Recount, picture: Picture, foreground: ForegroundFrame, scene: Segmentation
    ) -> Iterable[Seen]:
        """The stroke of a census if nothing is left open."""
        if count.hidden and not play.gives_up(foreground.t):
            return ()
        if count.lost and play.t_rest is not None and foreground.t < play.t_rest + SEARCH_S:
            return ()
        play.over = True
        stood = self._striker.placement(play.t_strike)
        stands = count.stands(self._known.profile.board, stood[0] if stood else None)
        stands &= stood is not None or not play.contacts()
        if count.is_none(count.flew(play) or self._vanished(play, count.missing), stands):
            return ()
        self._ledger.shifts += [shift_of(count.gone[i], count.found[j][1], foreground.t)
                                for i, j in count.pairs if i < len(count.gone)]  # fmt: skip
        self._surface.settle([*self._surface.measured(picture), *count.arrived()], foreground, scene)
        return self._called(play, count, stood, foreground)

    def _count(self, play: Play, picture: Picture, foreground: ForegroundFrame, scene: Segmentation) -> Recount:
        seen = self._surface.found(picture, foreground, scene, struck=True, colour=play.striker_colour)
        self._correct_striker(play, seen)
        hidden = [p for kind, d in seen if self._ledger.never_away(p := Piece(kind, d.x, d.y))]
        found = [(k, d) for k, d in seen if Piece(k, d.x, d.y) not in hidden]
        gone, moved = self._sought(play)
        strays = [k for k in self._tracker.all if play.is_stray(k)]
        fallen = fallen_for_good(play.fallen, strays, found)
        paired = assign(self._known.profile, moved, found, fallen)
        play.elsewhere = [gone[i] for i, j in paired if i < len(gone) and is_nudged(gone[i].piece, found[j][1])]
        denied = self._denied(play, moved, found, paired, plainly(fallen))
        pairs = [p for p in paired if p not in denied]
        astray = len(self._denied(play, moved, found, pairs, fallen))
        overlooked = hidden + [Piece(found[j][0], found[j][1].x, found[j][1].y) for _, j in denied]
        left = [m for i, m in enumerate(moved) if i not in {i for i, _ in pairs}]
        taken = [(d.x, d.y) for _, d in seen] + [(p.x_mm, p.y_mm) for p in self._table.pieces()]
        missing = self._reckoning.missing(play, left, foreground, taken)
        unknown = [k.piece for k in gone if not self._surface.knows(k.piece)]
        rest = [each for each in self._surface.search.found if all(each[1] is not d for _, d in seen)]
        return Recount(gone, moved, found, pairs, overlooked, never_left(missing, faint_on(unknown, rest)), astray)

    def _sought(self, play: Play) -> tuple[list[RestingPiece], list[tuple[Piece, Track | None]]]:
        """The pieces that have left their places; and these with their tracks, and last the striker if it was never
        known to lie anywhere.
        """
        gone = [k for k in self._table.lying if k.presence is Presence.GONE and not _was_taken(k, play)]
        tracks = {id(k): track for k, track in play.moved}
        play.unfollowed = [k for k in gone if id(k) not in tracks]
        moved = [(k.piece, tracks.get(id(k))) for k in gone]
        if not play.striker_known and play.striker is not None:
            moved.append((Piece(Kind.STRIKER, *play.striker.places[0]), play.striker))
        return gone, moved

    def _denied(self, play: Play, moved: Sequence[tuple[Piece, Track | None]], found: Sequence[tuple[Kind, Disc]],
                pairs: Sequence[tuple[int, int]], fell: Sequence[Track]) -> list[tuple[int, int]]:  # fmt: skip
        """Those of `pairs` that a track which `fell` contradicts, where a coin may have been overlooked before."""
        full_set, out = self._known.profile.full_set, self._ledger.surely_out
        return [(i, j) for i, j in contradicted(moved, found, pairs, fell)
                if not all_known(found[j][0], full_set, play.lay, out)]  # fmt: skip

    def _correct_striker(self, play: Play, found: Sequence[tuple[Kind, Disc]]) -> None:
        """What was followed for the striker may have been another's; whether it was pushed is then open again, if its
        own flight was seen.
        """
        at = next(((d.x, d.y) for kind, d in found if kind is Kind.STRIKER), None)
        if at is None or not correct_striker(play, self._tracker.all, at):
            return
        if play.striker is not None and flight_of(play.striker, play.t_strike):
            play.fouls.pop(Foul.PUSH, None)

    def _unexplained(self, play: Play, count: Recount) -> int:
        """How many discs are found, or were seen to fall, that are nobody's.

        Where every coin of the set is accounted for, seen to lie or known to be out, only discs that are plainly there
        are counted: prints draw weak circles, and no coin is left to have fallen.
        """
        plain = sum(evidence(d) > FATE_PLAIN for d in count.extra)
        full_set, out = self._known.profile.full_set, self._ledger.surely_out
        known = accounts_for(full_set, self._table.pieces(), count.missing, out)
        return plain if known and not self._surface.unseen else len(count.extra) + play.stray_falls

    def _turned_up(self, play: Play, count: Recount) -> int:
        """How many coins are found that may be others of their kind, which nobody saw go, than the missed ones."""
        coins = [(*count.moved[i], (count.found[j][1].x, count.found[j][1].y)) for i, j in count.pairs]
        lost = [(track, at) for piece, track, at in coins if track is not None and self._ledger.unseen[piece.kind] > 0]
        return turned_up(lost, self._tracker.all, play.t_strike, self._known.profile)

    def _met_stranger(self, play: Play) -> bool:
        """Whether the striker struck a coin that nobody knew of: where it stumbled on one unseen, or one flew away.

        There is none where the whole set was known to lie or to be out.
        """
        profile = self._known.profile
        if play.striker is None or self._ledger.knows_all(profile.full_set, play.lay):
            return False
        others = [k for k in self._tracker.all if k is not play.striker]
        if stumbles(play.striker, play.t_strike, play.lay, others, profile):
            return True
        lying = [(p.x_mm, p.y_mm) for p in self._table.pieces()]
        return stranger_flew(play, others, lying, self._hands.was_free, profile.board)

    def _taken(self, play: Play, striker: Missing) -> Missing:
        """How sure it is that a hand took the striker that is found nowhere: one came where it was seen last."""
        track = play.striker
        seen = track is not None and self._hands.comes_to(track.place, track.t)
        return replace(striker, confidence=TAKEN_SEEN if seen else TAKEN_UNSEEN)

    def _vanished(self, play: Play, missing: Sequence[Missing]) -> bool:
        """Whether the striker flew far and was lost where no hand came: it was struck, whatever became of it."""
        track = play.striker
        taken = any(m.fate is CensusFate.TAKEN for m in missing)
        return (
            taken
            and track is not None
            and travelled(track) > END_FAR_MM
            and not self._hands.comes_to(track.place, track.t)
        )

    def _called(
        self,
        play: Play,
        count: Recount,
        stood: tuple[StrikerSighting, float] | None,
        foreground: ForegroundFrame,
    ) -> Iterable[Seen]:
        """The stroke and the table, which has been brought up to date."""
        ledger = self._ledger
        missing = tuple(self._taken(play, m) if m.fate is CensusFate.TAKEN else m for m in count.missing)
        ledger.call(foreground.t)
        if Foul.PUSH not in play.fouls:
            self._look_for_push(play)
        if stood is not None:
            until = min(play.t_strike, stood[0].until)
            hidden = ((stood[0].x, stood[0].y), play.striker.places[0]) if play.striker is not None else ()
            touched = touches(ledger.shifts, self._tracker.all, play.lay, stood[1], until, hidden)
            play.fouls[Foul.TOUCHED_COIN] = max((sure for _, sure in touched), default=0.0)
            # What the hand moved under itself the striker did not strike.
            dragged = [shift.was for shift, sure in touched if sure >= TOUCH_SURE]
            play.unfollowed = [k for k in play.unfollowed if k.piece not in dragged]
            # A hand that pushes hides for a while that the striker goes.
            if play.striker is not None and play.fouls.get(Foul.PUSH, 0.0) > 0.5:
                went = min(play.t_strike, began((stood[0].x, stood[0].y), play.striker, play.t_strike))
                play.t_strike = max(until, play.t_strike - END_HIDDEN_S, went)
        strange = self._met_stranger(play) or ledger.overlooks
        overlooked = max(int(strange), self._turned_up(play, count), count.astray)
        unexplained = max(self._unexplained(play, count), overlooked) + play.bumps
        rested = next((p for p in self._table.pieces() if p.kind is Kind.STRIKER), None)
        draft = StrokeDraft(ledger.strokes, play.t_strike, play.t_rest or foreground.t, foreground.t, play.striker,
                            play.contacts(), missing, unexplained, play.lay, play.fouls, rested)  # fmt: skip
        ledger.leave(missing)
        ledger.spent = tuple(p for p in count.arrived() if p.kind is Kind.STRIKER)
        return report_stroke(self._known.profile, draft, stood), Table(foreground.t, self._table.pieces())


def _was_taken(k: RestingPiece, play: Play) -> bool:
    """Whether a striker that is gone lay elsewhere than the one that was played: a hand had taken it from there."""
    return k.piece.kind is Kind.STRIKER and play.striker is not None and not play.striker_known
