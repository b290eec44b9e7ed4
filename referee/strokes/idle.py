"""Between strokes: the striker is placed and measured, hands put coins back, the formation is built."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import cv2

from calibration.geometry.picture import Picture
from calibration.profile import Profile
from models.pieces import COINS, Kind, Piece
from referee.board_state.motion import REST_S
from referee.board_state.occupancy import Occupancy, RestingPiece
from referee.census.between_strokes import QUIET_EVERY_S, BetweenStrokesCensus, CensusChanges
from referee.census.ledger import Ledger
from referee.census.reconcile import Reconciler
from referee.facts import Fell, Formation, Foul, Returned, Seen, Stroke, Table
from referee.foreground.background import ForegroundFrame
from referee.foreground.hand_history import HandDistance
from referee.foreground.segmentation import Segmentation
from referee.outcome.evidence import evidence_of
from referee.outcome.explanation import explain
from referee.outcome.fates import UNSTIRRED, CensusFate, Missing
from referee.outcome.first_contact import on_the_way
from referee.outcome.odds import fitted
from referee.pieces.colour_classes import mean_colour
from referee.pieces.current_profile import CurrentProfile
from referee.pieces.disc_fit import Disc
from referee.pieces.opening_formation import Formation as Layout
from referee.pieces.opening_formation import find_formation
from referee.striker.placement_tracker import PlacementTracker
from referee.strokes.observe import Witness
from referee.strokes.recount import missing_of
from referee.strokes.report import StrokeDraft, report_stroke
from referee.strokes.weak_stroke import FOLLOWED_MM, WeakStroke, flown, stayed

REFRESH_S = 1.0
"""The bare board is remembered anew this often while nothing moves: light drifts, and the encoder sharpens."""
LOOK_EVERY_S = 0.07
PUSHED = 0.8
"""Probability that a striker was pushed that a hand went along with and that nobody saw fly."""
EXTRA_DOUBT = 0.8
"""Confidence is multiplied by this for each coin gone or moved that the stroke does not explain."""
MEASURE_S = 1.0
"""A striker that lies free of any hand is measured within this time."""


class IdlePhase:
    """Call `see` for each frame between strokes."""

    def __init__(
        self,
        known: CurrentProfile,
        learn: Callable[[Profile], None],
        ledger: Ledger,
        table: Occupancy,
        striker: PlacementTracker,
        surface: Reconciler,
        housekeeper: BetweenStrokesCensus,
        witness: Witness,
    ) -> None:
        """`learn` takes in what is newly known of the pieces."""
        self._known, self._learn, self._ledger = known, learn, ledger
        self._table, self._striker, self._surface = table, striker, surface
        self._housekeeper, self._witness, self._hands = housekeeper, witness, witness.hands
        self._next_census = self._next_look = self._quiet_since = 0.0
        self._next_refresh = REFRESH_S / 4
        self._drawn = math.inf if Kind.STRIKER in known.profile.colours else -math.inf

    def begin(self, foreground: ForegroundFrame, pieces: list[tuple[Kind, Disc]]) -> Seen:
        """The first table, as found in the first pictures."""
        self._table.settle([Piece(k, d.x, d.y) for k, d in pieces], foreground)
        layout = self._layout(pieces)
        self._ledger.formed = layout is not None
        return self._learned(layout, foreground) if layout else Table(foreground.t, self._table.pieces())

    def stir(self, t: float) -> None:
        """Something moves at t; all is to rest for a while before the table is believed again."""
        self._quiet_since = t

    def resume(self, t: float) -> None:
        """A stroke has ended at t, or what seemed to be one."""
        self._quiet_since = self._next_census = t

    def is_due(self, t: float, scene: Segmentation, gaps: HandDistance) -> bool:
        """Whether there is something to look at or to bring up to date at t though nothing new is seen."""
        if t >= self._next_refresh or (t >= self._next_look and self._may_stand(t, scene, gaps)):
            return True
        return self._may_count(t) and self._housekeeper.restless(t, scene, gaps)

    def placed(self) -> list[RestingPiece]:
        """The striker where it lies to be struck, not where the last stroke left it."""
        return [k for k in self._table.lying if k.piece.kind is Kind.STRIKER and k.piece not in self._ledger.spent]

    def see(
        self, picture: Picture, foreground: ForegroundFrame, scene: Segmentation, gaps: HandDistance, moving: bool
    ) -> Iterator[Seen]:
        """Looks for the striker being placed; brings the table up to date when all is still."""
        t = foreground.t
        if t >= self._next_look and not moving and self._may_stand(t, scene, gaps):
            self._next_look = t + LOOK_EVERY_S
            self._look_for_striker(picture, foreground)
        if moving:
            self.stir(t)
        elif t >= self._next_refresh:
            self._next_refresh = t + REFRESH_S
            self._surface.refresh(foreground, scene)
        if self._may_count(t) and self._housekeeper.restless(t, scene, gaps):
            self._next_census = t + QUIET_EVERY_S
            self._surface.confirm(picture, t)
            if self._housekeeper.restless(t, scene, gaps):
                yield from self._report(foreground, scene, self._housekeeper.tidy(picture, foreground, scene, gaps))

    def _may_stand(self, t: float, scene: Segmentation, gaps: HandDistance) -> bool:
        """Whether a striker may stand on its lines that is still to be measured."""
        return gaps.any_hand or bool(scene.blobs) or bool(self._unmeasured(t))

    def _may_count(self, t: float) -> bool:
        """Whether all has been still for so long, and the last census is so long ago, that another may be taken."""
        return t - self._quiet_since > REST_S and t >= self._next_census

    def _look_for_striker(self, picture: Picture, foreground: ForegroundFrame) -> None:
        unexplained = cv2.bitwise_and(foreground.solid, cv2.bitwise_not(self._table.explained))
        for k in self._unmeasured(foreground.t):
            unexplained[k.ground] = foreground.solid[k.ground]
        # Where the last stroke left the striker it may be placed again, once a hand has taken it from there.
        spent = tuple(p for p in self._ledger.spent if p in self._table.pieces())
        lying = tuple(k.piece for k in self._table.lying if k.piece.kind is not Kind.STRIKER) + spent
        self._striker.update(picture, foreground, lying, unexplained, self._table.shows(spent))
        self._learn_striker()

    def _unmeasured(self, t: float) -> list[RestingPiece]:
        """The striker that was put down just now, or lay there at first, and has not been measured yet."""
        return [k for k in self.placed() if t - k.since < MEASURE_S and not self._striker.is_measured(k.piece)]

    def _learn_striker(self) -> None:
        """Takes over the striker's look and size once they are known, so that both tell it from a coin, and again when
        it is seen clearly better: fingers lay on it before.
        """
        profile = self._known.profile
        if (own := self._striker.learned(self._drawn)) is not None:
            self._drawn = own.drawn
            board = replace(profile.board, striker_radius=own.radius)
            self._learn(replace(profile, board=board, colours={**profile.colours, Kind.STRIKER: own.colour}))

    def _report(self, foreground: ForegroundFrame, scene: Segmentation, tidied: CensusChanges) -> Iterator[Seen]:
        """What the table's change means: a formation, coins put back, a late fall, a striker that stayed."""
        ledger = self._ledger
        ledger.shifts += tidied.shifted
        ledger.lost += [(foreground.t, k.piece) for k in tidied.gone]
        ledger.handle(tidied.lifted, tidied.coins_down, sum(p.kind in COINS for p in self._table.pieces()))
        if (layout := self._formed(tidied)) is not None:
            standing = self._learned(layout, foreground)
            ledger.begin()
            self._housekeeper.stand(standing.pieces, foreground, scene)
            yield standing
            return
        yield from self._stayed(foreground, tidied)
        if ledger.strokes:
            yield from self._returned(foreground, tidied)
            yield from self._late_falls(tidied)
        if tidied.changed:
            yield Table(foreground.t, self._table.pieces())

    def _returned(self, foreground: ForegroundFrame, tidied: CensusChanges) -> Iterator[Returned]:
        """Coins that hands put back; not those that were overlooked and lay there when the last stroke was told."""
        for p in tidied.put_down:
            if p.kind is not Kind.STRIKER and not self._ledger.rebuilding and not self._ledger.never_away(p):
                since = tidied.came[p]
                by = self._hands.seat_at((p.x_mm, p.y_mm), since)
                if by is not None or self._ledger.out[p.kind] > 0:
                    self._ledger.comes_back(p.kind)
                    if by is None and self._ledger.lay_there(since):
                        continue
                    yield Returned(since, p.kind, p.x_mm, p.y_mm, by)

    def _late_falls(self, tidied: CensusChanges) -> Iterator[Fell]:
        """Coins gone from a pocket's lip that no hand came near, and no stroke explains: they fell by themselves."""
        open_still = self._ledger.gone(-math.inf)
        for k in (k for k in tidied.gone if k.piece in open_still):
            pocket, place = self._housekeeper.tipped_into(k), (k.piece.x_mm, k.piece.y_mm)
            if pocket and not self._hands.seat_at(place, k.seen):
                self._ledger.out[k.piece.kind] += 1
                yield Fell(k.seen, k.piece.kind, pocket)

    def _stayed(self, foreground: ForegroundFrame, tidied: CensusChanges) -> Iterator[Stroke]:
        """The stroke of a striker that was struck so weakly that it lies on or before its base lines, that was pushed,
        or that nobody saw fly.
        """
        stirred = dict.fromkeys(tidied.put_down, UNSTIRRED) | {s.piece: s.stirred for s in tidied.shifted}
        for p in (p for p in stirred if p.kind is Kind.STRIKER):
            since = self._housekeeper.lay_since(p, foreground.t)
            stay = stayed(self._striker.sightings, self._known.profile, p, since, stirred[p]) or self._flown(p, since)
            if stay is not None:
                self._ledger.call(foreground.t)
                followed = stay.moved_mm > FOLLOWED_MM and self._hands.comes_to(stay.later, stay.t_strike)
                fouls = {Foul.NO_LEAVE: stay.confidence, Foul.PUSH: PUSHED if followed else 0.0}
                moved = self._ledger.stirred(stay.t_strike)
                coins = [q for q in self._table.pieces() if q.kind is not Kind.STRIKER]
                met = on_the_way(self._known.profile.board, stay.stood, (p.x_mm, p.y_mm), moved, coins)
                contacts = tuple((stay.t_strike, coin) for coin in met)
                fell, sure = self._fallen(stay, foreground.t)
                unexplained = self._ledger.unexplained(stay.t_strike, bool(met)) - len(fell)
                unexplained += self._ledger.is_unlit(stay.t_strike)
                self._ledger.leave(fell)
                draft = StrokeDraft(
                    self._ledger.strokes,
                    stay.t_strike,
                    stay.t_rest,
                    foreground.t,
                    None,
                    contacts,
                    fell,
                    handling=fouls,
                    sure=stay.sure * sure * EXTRA_DOUBT**unexplained,
                )
                yield report_stroke(self._known.profile, draft, self._striker.placement(stay.t_strike))
                self._striker.forget()
                self._ledger.forget()
                self._ledger.spent = (p,) if stay.sure < 1.0 else self._ledger.spent

    def _fallen(self, stay: WeakStroke, t: float) -> tuple[tuple[Missing, ...], float]:
        """The coins that fell in a stroke that nobody saw fly, and how sure it is that just those did."""
        lost = self._ledger.gone(stay.t_strike)
        if not lost:
            return (), 1.0 - fitted().unmodelled
        out = dict(self._ledger.surely_out)
        observation = self._witness.unwatched(self._table.lying, lost, out, t, stay.t_strike, stay.t_rest)
        reading = explain(evidence_of(observation), fitted()).call
        missing = missing_of([m for m in reading.claims if m.sought], self._known.profile, stay.t_rest)
        return tuple(m for m in missing if m.fate in (CensusFate.POCKETED, CensusFate.OFF_BOARD)), reading.weight

    def _flown(self, striker: Piece, since: float) -> WeakStroke | None:
        """The stroke that left the striker far from all lines where it lies since then and no hand was."""
        stay = flown(self._striker.sightings, self._known.profile, striker, since)
        stayed_off = stay is not None and self._hands.stayed_off((striker.x_mm, striker.y_mm), stay.t_strike)
        return stay if stayed_off else None

    def _formed(self, tidied: CensusChanges) -> Layout | None:
        """The opening formation, if it has been built since it last stood: all at once, or coin by coin, so that some
        were known to lie there.
        """
        anew = self._layout(tidied.found)
        whole = anew
        if anew is None and self._ledger.rebuilding:
            whole = self._layout([*tidied.found, *((p.kind, d) for p, d in self._surface.recognised())])
        news = anew is not None and tidied.changed
        whole_formation = whole if news or not self._ledger.formed else None
        # One that a hand hides from a census stands on until a coin of the board is moved or taken.
        self._ledger.formed = whole is not None or (self._ledger.formed and not tidied.lifted)
        return whole_formation

    def _layout(self, found: Sequence[tuple[Kind, Disc]]) -> Layout | None:
        """The opening formation among what is found."""
        return find_formation([d for k, d in found if k is not Kind.STRIKER], self._known.profile.board.coin_radius)

    def _learned(self, layout: Layout, foreground: ForegroundFrame) -> Formation:
        """That the opening formation stands; its coins tell how their kinds look."""
        profile = self._known.profile
        groups: dict[Kind, list[Disc]] = {k: [d for p, d in layout if p.kind is k] for k in COINS}
        learned = {k: mean_colour(g) for k, g in groups.items() if g}
        self._learn(replace(profile, colours={**profile.colours, **learned}))
        return Formation(foreground.t, tuple(Piece(p.kind, d.x, d.y) for p, d in layout))
