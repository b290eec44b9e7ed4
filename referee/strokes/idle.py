"""Processes the frames between strokes.

Measures the placed striker, detects coins that hands put back, late falls and the opening formation, and infers strokes
whose striker was never tracked in flight."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import cv2

from calibration.geometry.picture import Picture
from calibration.profile import Profile
from models.pieces import COINS, Kind, Piece
from referee.board_state.motion import are_at_rest
from referee.board_state.occupancy import RestingPiece
from referee.census.between_strokes import BetweenStrokesCensus, CensusChanges
from referee.census.ledger import Ledger
from referee.census.reconcile import Reconciler
from referee.facts import Fact, Fell, Formation, Foul, Returned, Stroke, Table
from referee.foreground.background import ForegroundFrame
from referee.foreground.hand_history import HandDistance
from referee.foreground.segmentation import Segmentation
from referee.fouls.stories import fitted as stories
from referee.outcome.first_contact import on_the_way
from referee.outcome.matching import nearest_pocket
from referee.outcome.odds import fitted
from referee.outcome.readings import Claim, How, PieceFate
from referee.pieces.colour_classes import mean_colour
from referee.pieces.disc import Disc
from referee.pieces.opening_formation import FormationDiscs as Layout
from referee.pieces.opening_formation import find_formation
from referee.striker.placement_tracker import PlacementTracker
from referee.strokes.observe import Witness
from referee.strokes.report import StrokeDraft, report_stroke
from referee.strokes.weak_stroke import FOLLOWED_MM, WeakStroke, flown, stayed

REFRESH_S = 1.0
"""Interval of background updates in seconds while nothing moves: light drifts, and the video encoder sharpens."""
STRIKER_EVERY_S = 0.07
EXTRA_DOUBT = 0.8
"""Factor of the confidence for each coin gone, or moved without a contact, and for a change of light."""
MEASURE_S = 1.0
"""Greatest age, in seconds, of a new striker at which it is still to be measured: one free of hands is measured
sooner."""


class IdlePhase:
    """Detects events between strokes; call `update` for each frame."""

    def __init__(
        self,
        learn: Callable[[Profile], None],
        ledger: Ledger,
        striker: PlacementTracker,
        surface: Reconciler,
        census: BetweenStrokesCensus,
        witness: Witness,
    ) -> None:
        """Stores the parts; `learn` receives each updated profile."""
        self._known, self._learn, self._ledger = witness.known, learn, ledger
        self._table, self._striker, self._surface = surface.table, striker, surface
        self._census, self._witness, self._hands = census, witness, witness.hands
        self._next_measurement = self._quiet_since = 0.0
        self._next_refresh = REFRESH_S / 4
        self._drawn = math.inf if Kind.STRIKER in self._known.profile.colours else -math.inf

    def begin(self, foreground: ForegroundFrame, pieces: list[tuple[Kind, Disc]]) -> Fact:
        """Settles the first table from the detected `pieces`; returns it, as a formation if it is the opening
        formation.
        """
        self._table.settle([Piece(k, d.x, d.y) for k, d in pieces], foreground)
        layout = self._layout(pieces)
        self._ledger.formed = layout is not None
        return self._learned(layout, foreground) if layout else Table(foreground.t, self._table.pieces())

    def stir(self, t: float) -> None:
        """Restarts the waiting time for rest: something moves at t, or a stroke, real or apparent, ended then."""
        self._quiet_since = t

    def is_due(self, t: float, scene: Segmentation, gaps: HandDistance) -> bool:
        """Tells whether a measurement, a background update or a census is due at t though nothing has changed."""
        if t >= self._next_refresh or (t >= self._next_measurement and self._may_stand(t, scene, gaps)):
            return True
        return are_at_rest(self._quiet_since, t) and self._census.is_due(t, scene, gaps)

    def placed(self) -> list[RestingPiece]:
        """Returns the striker where it is placed to be struck, not where the last stroke left it."""
        return [k for k in self._table.lying if k.piece.kind is Kind.STRIKER and k.piece not in self._ledger.spent]

    def update(
        self, picture: Picture, foreground: ForegroundFrame, scene: Segmentation, gaps: HandDistance, moving: bool
    ) -> Iterator[Fact]:
        """Processes one frame: measures a placed striker, and updates the table when all is still."""
        t = foreground.t
        if t >= self._next_measurement and not moving and self._may_stand(t, scene, gaps):
            self._next_measurement = t + STRIKER_EVERY_S
            self._measure_striker(picture, foreground)
        if moving:
            self.stir(t)
        elif t >= self._next_refresh:
            self._next_refresh = t + REFRESH_S
            self._surface.refresh(foreground, scene)
        due = are_at_rest(self._quiet_since, t) and self._census.is_due(t, scene, gaps)
        if due and (tidied := self._census.tidy(picture, foreground, scene, gaps)) is not None:
            yield from self._report(foreground, scene, tidied)

    def _may_stand(self, t: float, scene: Segmentation, gaps: HandDistance) -> bool:
        """Tells whether a striker that is still to be measured may stand on its lines."""
        return gaps.any_hand or bool(scene.blobs) or bool(self._unmeasured(t))

    def _measure_striker(self, picture: Picture, foreground: ForegroundFrame) -> None:
        unexplained = cv2.bitwise_and(foreground.solid, cv2.bitwise_not(self._table.explained))
        for k in self._unmeasured(foreground.t):
            unexplained[k.ground] = foreground.solid[k.ground]
        # The striker may be placed again where the last stroke left it, once a hand has lifted it from there.
        spent = tuple(p for p in self._ledger.spent if p in self._table.pieces())
        lying = tuple(k.piece for k in self._table.lying if k.piece.kind is not Kind.STRIKER) + spent
        self._striker.update(picture, foreground, lying, unexplained, self._table.any_visible(spent))
        self._learn_striker()

    def _unmeasured(self, t: float) -> list[RestingPiece]:
        """Returns the striker that was recently put down, or lay there at first, and has not been measured yet."""
        return [k for k in self.placed() if t - k.since < MEASURE_S and not self._striker.is_measured(k.piece)]

    def _learn_striker(self) -> None:
        """Learns the striker's colour and size once they are measured, since both distinguish it from a coin.

        Learns them again when the striker is measured clearly better: fingers lay on it before.
        """
        profile = self._known.profile
        if (own := self._striker.learned(self._drawn)) is not None:
            self._drawn = own.drawn
            board = replace(profile.board, striker_radius=own.radius)
            self._learn(replace(profile, board=board, colours={**profile.colours, Kind.STRIKER: own.colour}))

    def _report(self, foreground: ForegroundFrame, scene: Segmentation, tidied: CensusChanges) -> Iterator[Fact]:
        """Yields the facts behind a change of the table: a formation, coins put back, late falls, a weak stroke."""
        ledger = self._ledger
        ledger.shifts += tidied.shifted
        ledger.lost += [(foreground.t, k.piece) for k in tidied.gone]
        ledger.handle(tidied.lifted, tidied.coins_down, sum(p.kind in COINS for p in self._table.pieces()))
        if (layout := self._formed(tidied)) is not None:
            standing = self._learned(layout, foreground)
            ledger.begin()
            self._census.settle_opening(standing.pieces, foreground, scene)
            yield standing
            return
        yield from self._stayed(foreground, tidied)
        if ledger.strokes:
            yield from self._returned(foreground, tidied)
            yield from self._late_falls(tidied)
        if tidied.changed:
            yield Table(foreground.t, self._table.pieces())

    def _returned(self, foreground: ForegroundFrame, tidied: CensusChanges) -> Iterator[Returned]:
        """Yields coins that hands put back, except overlooked ones that lay there when the last stroke was reported."""
        for p, since in tidied.put_down.items():
            if p.kind is not Kind.STRIKER and not self._ledger.rebuilding and not self._ledger.never_away(p):
                place = p.place
                by = self._hands.seat_at(place, since)
                # Hands forgotten with a change of light may have been there.
                if by is not None or self._ledger.out[p.kind] > 0 or not self._hands.was_free(place, since, since):
                    self._ledger.comes_back(p.kind)
                    if by is None and self._ledger.lay_there(since):
                        continue
                    yield Returned(self._hands.laid_at(place, since), p.kind, p.x_mm, p.y_mm, by)

    def _late_falls(self, tidied: CensusChanges) -> Iterator[Fell]:
        """Yields coins that fell by themselves: gone from a pocket's lip, with no hand near and no stroke to explain
        it.
        """
        open_still = self._ledger.gone(-math.inf)
        for k in (k for k in tidied.gone if k.piece in open_still):
            pocket, gap = nearest_pocket(self._known.profile.pockets, *k.piece.place)
            lay_over = gap < self._known.profile.board.coin_radius
            if lay_over and not self._hands.seat_at(k.piece.place, k.seen):
                self._ledger.out[k.piece.kind] += 1
                yield Fell(k.seen, k.piece.kind, pocket)

    def _stayed(self, foreground: ForegroundFrame, tidied: CensusChanges) -> Iterator[Stroke]:
        """Yields the stroke of a striker that was not tracked in flight: struck so weakly that it lies on or in front
        of its base lines, or pushed, or overlooked.
        """
        for p in (*tidied.put_down, *(s.piece for s in tidied.shifted)):
            if p.kind is not Kind.STRIKER:
                continue
            since = self._census.lay_since(p, foreground.t)
            stay = stayed(self._striker.sightings, self._known.profile, p, since) or self._flown(p, since)
            if stay is not None:
                self._ledger.call(foreground.t)
                followed = stay.moved_mm > FOLLOWED_MM and self._hands.comes_to(stay.later, stay.t_strike)
                fouls = {Foul.NO_LEAVE: stay.no_leave, Foul.PUSH: stories().pushed_unseen_if(followed)}
                moved = self._ledger.stirred(stay.t_strike)
                coins = [q for q in self._table.pieces() if q.kind is not Kind.STRIKER]
                met = on_the_way(self._known.profile.board, stay.stood, p.place, moved, coins)
                contacts = tuple((stay.t_strike, coin) for coin in met)
                lost = self._ledger.gone(stay.t_strike)
                fell = tuple(Claim(None, q.kind, PieceFate.FELL, How.UNSEEN) for q in lost)
                unexplained = self._ledger.unexplained(stay.t_strike, bool(met))
                unexplained += self._ledger.is_unlit(stay.t_strike)
                self._ledger.leave(fell)
                doubt = fitted().unmodelled_unplaced if stay.is_far else fitted().unmodelled
                draft = StrokeDraft(
                    self._ledger.strokes,
                    stay.t_strike,
                    stay.t_rest,
                    foreground.t,
                    None,
                    contacts,
                    fell,
                    handling=fouls,
                    confidence=(1.0 - doubt) * EXTRA_DOUBT**unexplained,
                )
                yield report_stroke(self._known.profile, draft, self._striker.placement(stay.t_strike))
                self._striker.forget()
                self._ledger.forget()
                self._ledger.spent = (p,) if stay.is_far else self._ledger.spent

    def _flown(self, striker: Piece, since: float) -> WeakStroke | None:
        """Returns the stroke that sent the striker far from all base lines to where no hand has been, if any."""
        stay = flown(self._striker.sightings, self._known.profile, striker, since)
        return stay if stay is not None and self._hands.was_free(striker.place, stay.t_strike, math.inf) else None

    def _formed(self, tidied: CensusChanges) -> Layout | None:
        """Returns the opening formation if it has been built since it last stood, all at once or coin by coin.

        Built coin by coin, some of its coins are already known to lie there.
        """
        anew = self._layout(tidied.found)
        whole = anew
        if anew is None and self._ledger.rebuilding:
            whole = self._layout([*tidied.found, *((k.piece.kind, d) for k, d in self._surface.recognised())])
        news = anew is not None and tidied.changed
        whole_formation = whole if news or not self._ledger.formed else None
        # A formation that a hand hides from a census counts as standing until a coin is lifted.
        self._ledger.formed = whole is not None or (self._ledger.formed and not tidied.lifted)
        return whole_formation

    def _layout(self, found: Sequence[tuple[Kind, Disc]]) -> Layout | None:
        """Returns the opening formation among the detected discs, or None."""
        return find_formation([d for k, d in found if k is not Kind.STRIKER], self._known.profile.board.coin_radius)

    def _learned(self, layout: Layout, foreground: ForegroundFrame) -> Formation:
        """Returns the formation as a fact, and learns the colours of the kinds from its coins."""
        profile = self._known.profile
        groups: dict[Kind, list[Disc]] = {k: [d for p, d in layout if p.kind is k] for k in COINS}
        learned = {k: mean_colour(g) for k, g in groups.items() if g}
        self._learn(replace(profile, colours={**profile.colours, **learned}))
        return Formation(foreground.t, tuple(Piece(p.kind, d.x, d.y) for p, d in layout))
