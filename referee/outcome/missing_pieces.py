"""The reckoning of what became of the pieces that a stroke moved and that are found nowhere."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import cv2
import numpy as np

from calibration.profile import Profile
from models.pieces import COINS, Kind, Piece
from referee.foreground.background import BackgroundModel, ForegroundFrame
from referee.outcome.false_falls import shows_no_fall
from referee.outcome.fates import (
    FATE_MOUTH_MM,
    FATE_NEAR_MM,
    SINGLE,
    STRANGE,
    CensusFate,
    Missing,
    ended_before,
    ends,
    explain,
    fate,
    has_lapse,
    leaps_out,
    nearest_pocket,
    with_likely_pocket,
)
from referee.outcome.net_watch import fell_on
from referee.outcome.resting_tracks import RESTING_ALIKE, Resting
from referee.outcome.stroke_in_progress import Place, Play
from referee.pieces.current_profile import CurrentProfile
from referee.tracking.tracker import TRACK_FOREIGN, Track, Tracker

HIDDEN_SHARE = 0.06
"""Where more than this share of the places within a lost piece's reach is hidden, it may lie there."""
LEAPT_OFF = 0.85
"""Confidence is multiplied by this when a disc is last seen over the frame after it was unseen for long."""
OTHER_TRACK = 0.97
"""Confidence is multiplied by this when a piece's end is told by a track that began after its own was lost."""
IN_NET, NET_SHOWS = 2.0, 0.85
"""Standard deviations of look that count against a track seen over a hole only, and what a fall told by it is worth: a
coin that lies in the net shows now and then."""
CONTRARY = 0.85
"""What a fall is worth that is told by the unbroken track of another piece that looks no less like its own kind than
like the fallen one's: it is found lying, so that one of the two is taken for the other. So is that of a striker or
a queen whose own track rests on the board."""
END_TIMES, END_LEAST = 5, 3
"""A track's end looks as the median of its last sightings on the board does, if there are so many at least: at a
collision a track may go over from one disc to another.
"""
ALIKE_KINDS = 2.0
"""Strikers as pale as the white coins: looks that differ by fewer standard deviations tell no such two apart."""
LIES_UNSEEN = 0.95
"""How sure it is that a piece lies where its track rests although the search finds no disc there."""
STAYS_UNSEEN = 0.85
"""How sure it is of one that seems never to have left where the board has not been seen bare: a print may be it."""
BOUNCED = 0.85
"""How sure it is of one that was lost at a pocket's mouth and of what turned up right after and rests."""
WAY_MM = 20.0
"""A disc on its way to a pocket that did not fall lies within this distance of that way."""
STOPS_MM_S2 = 3000.0
"""Friction slows no disc more than this, twice as much as a board without powder."""
WAY_BARE, TOO_FAST, WAY_HIDDEN = 0.97, 0.95, 0.85
"""How sure it is that a disc on its way to a pocket has fallen: when its way is seen bare afterwards, when it was too
fast to stop short of the hole, and when a hand stays over its way."""
SEARCH_S, PUSHED_IN = 0.6, 0.92
"""For so long after the rest a coin is sought again that is found nowhere and was not seen to go; how sure it is after
that that one has fallen which lay beside a pocket where another piece lies now or fell."""
MISSING_ROOM_MM = 2.0
"""Two coins that touch may seem nearer to each other by this much."""
STRAY_TIMES, MISSING_STRAY_MM, MISSING_INSIDE_MM = 4, 60.0, 30.0
"""A coin that nobody knew of is seen so often on a way this long into its pocket, so far within the cushions, along
which shade, glare and nets show blobs that come and go."""
MISSING_BRINK_MM, STOPPED_MM = 13.0, 30.0
"""A disc lost so near to a pocket's rim has gone in, if none is found so near to where it was lost."""


class Reckoning:
    """Tells the fate of missing pieces by their tracks and by what has been seen since the rest."""

    def __init__(self, known: CurrentProfile, background: BackgroundModel, tracker: Tracker) -> None:
        self._known, self.background, self.tracker = known, background, tracker

    def missing(self, play: Play, gone: list[tuple[Piece, Track | None]], foreground: ForegroundFrame,
                lying: Sequence[Place]) -> list[Missing]:  # fmt: skip
        """What became of the pieces found nowhere: by the tracks that ended in pockets or over the frame, or that rest
        where none of the `lying` do.
        """
        resting = Resting(self._known.with_striker(play.striker_colour), self.background, foreground, self.tracker.all)
        still = resting.tracks()
        gone_on = [k for k in self.tracker.live if k not in still]
        may = [k for k in [*self.tracker.ended, *gone_on] if not shows_no_fall(k, play, lying)]
        ended = ends(self._known.profile, may, foreground.t)
        pairs = dict(explain(gone, ended, partial(self._strangeness, play)))
        lies = _lying(play, gone, pairs, resting, still, lying, foreground.t)
        lost = {i: piece.kind for i, (piece, _) in enumerate(gone) if i not in pairs and i not in lies}
        free = {j: end for j, end in enumerate(ended) if j not in pairs.values()}
        pairs |= (exchanged := self._exchanged(play, lost, free))
        play.stray_falls = sum(self._is_coin_that_fell(play, *end, lying) for j, end in free.items()
                               if j not in exchanged.values())  # fmt: skip
        fell, out = [ended[j] for j in pairs.values()], []
        for i, (piece, track) in enumerate(gone):
            if i in pairs and (back := resting.bounced(ended[pairs[i]][0], still, lying)):
                out.append(Missing(back, CensusFate.LIES, None, foreground.t, BOUNCED))
            elif i in pairs:
                contrary = i in exchanged or self._rests(track, piece.kind, still)
                out.append(self._ended(play, piece, track, ended[pairs[i]], foreground, contrary))
            else:
                out.append(lies[i] if i in lies else self._lost(play, piece, track, foreground, lying, fell))
        return fell_on(play.nets.falls, out, ended)

    def _ended(
        self,
        play: Play,
        piece: Piece,
        track: Track | None,
        seen: tuple[Track, Missing],
        foreground: ForegroundFrame,
        contrary: bool,
    ) -> Missing:
        """What became of a piece that a track is thought to have shown to its end, be it its own or another."""
        end, outcome = seen[0], self._checked(play, *seen, foreground)
        confidence = outcome.confidence if end is track else outcome.confidence * OTHER_TRACK
        if outcome.fate is CensusFate.OFF_BOARD and has_lapse(end):
            confidence *= LEAPT_OFF
        if self._is_only_in_net(end, piece):
            confidence *= NET_SHOWS
        if end is not track and (contrary or self._is_anothers(end, piece.kind)):
            confidence *= CONTRARY
        return replace(outcome, piece=piece, confidence=confidence)

    def _lost(self, play: Play, piece: Piece, track: Track | None, foreground: ForegroundFrame, lying: Sequence[Place],
              fell: Sequence[tuple[Track, Missing]]) -> Missing:  # fmt: skip
        """What became of a piece whose end nobody saw, while others were seen to have fallen."""
        taken = any(track is other for other, _ in fell)
        outcome = self._fate(play, piece, None if taken else track, foreground)
        outcome = self._pushed_in(play, outcome, foreground, lying, fell) if outcome.pocket is None else outcome
        unfollowed = (k.piece for k in play.unfollowed if k.piece.kind is piece.kind)
        seen = [track.place if track else (piece.x_mm, piece.y_mm), *((p.x_mm, p.y_mm) for p in unfollowed)]
        return with_likely_pocket(self._known.profile, outcome, seen)

    def _exchanged(self, play: Play, lost: Mapping[int, Kind],
                   free: Mapping[int, tuple[Track, Missing]]) -> dict[int, int]:  # fmt: skip
        """Pairs (`lost` piece, `free` ended track), by their numbers, of coins still seen to lie when a disc fell:
        those of a kind are taken for each other, and one of the kind had gone from where the disc came.
        """
        outcome: dict[int, int] = {}
        for i, kind in lost.items():
            came = (j for j, (track, end) in free.items()
                    if j not in outcome.values() and end.over_hole and self._came_from(play, track, kind))  # fmt: skip
            if (j := next(came, None)) is not None:
                outcome[i] = j
        return outcome

    def _came_from(self, play: Play, track: Track, kind: Kind) -> bool:
        """Whether a track that looks like a kind of coin, and is no known piece's, began beside where one of the kind
        lay, which had gone from there when the track ended.
        """
        if kind in SINGLE or not play.is_stray(track) or self._unlike_at_end(kind, track) + 1.0 >= STRANGE:
            return False
        left = ((k.piece.x_mm, k.piece.y_mm) for k, own in play.moved
                if k.piece.kind is kind and own.times[0] < track.t)  # fmt: skip
        return any(math.dist(track.places[0], place) < FATE_NEAR_MM for place in left)

    def _strangeness(self, play: Play, piece: Piece, track: Track) -> float:
        """How unlike a piece a track or its end looks; what was seen over a hole only explains one worse that lay
        elsewhere, and what ended elsewhere while one that nobody followed was still seen to lie does not.
        """
        if any(k.piece is piece and ended_before(track, piece, k.seen) for k in play.unfollowed):
            return STRANGE
        unlike = min(self.tracker.unlike(piece.kind, track), self._unlike_at_end(piece.kind, track))
        return unlike + (IN_NET if self._is_only_in_net(track, piece) else 0.0)

    def _unlike_at_end(self, kind: Kind, track: Track) -> float:
        return end_unlike(self._known.profile, self.tracker, kind, track)

    def _is_anothers(self, track: Track, kind: Kind) -> bool:
        """Whether a track followed from another kind's place without a lapse looks as much like that kind; after one
        that of a kind never seen plainly may be either's.
        """
        own = track.kind
        if own is None or own is kind or track.home is None:
            return False
        if has_lapse(track):
            return kind not in self.tracker.colours
        return self._unlike_at_end(own, track) < self._unlike_at_end(kind, track) + ALIKE_KINDS

    def _rests(self, track: Track | None, kind: Kind, still: Sequence[Track]) -> bool:
        """Whether the own track of a piece of which there is but one rests on the board, and looks like it; those of
        coins of one kind are taken for each other without harm.
        """
        return (
            kind in SINGLE and track is not None and track in still and self._unlike_at_end(kind, track) < RESTING_ALIKE
        )

    def _is_only_in_net(self, track: Track, piece: Piece) -> bool:
        """Whether a track was seen over a pocket's hole only, where a coin in the net may show now and then, and the
        piece lay elsewhere; beside the pocket it is seen over the hole as soon as it moves.
        """
        profile = self._known.profile
        if track.home is not None or any(nearest_pocket(profile, *p)[1] >= 0 for p in track.places):
            return False
        pocket, gap = nearest_pocket(profile, piece.x_mm, piece.y_mm)
        return gap >= FATE_MOUTH_MM or pocket is not nearest_pocket(profile, *track.place)[0]

    def _is_coin_that_fell(self, play: Play, track: Track, outcome: Missing, lying: Sequence[Place]) -> bool:
        """Whether a track that no missing piece explains is a coin's, followed into a pocket: nobody knew of it.

        One that was lost right before the hole tells so too, unless something lies there. A kind of coin that has not
        been seen yet may have any look.
        """
        if not play.is_stray(track) or has_lapse(track):
            return False
        if not outcome.over_hole and (
            nearest_pocket(self._known.profile, *track.place)[1] > MISSING_BRINK_MM
            or any(math.dist(p, track.place) < STOPPED_MM for p in lying)
        ):
            return False
        inner = self._known.profile.board.half - MISSING_INSIDE_MM
        way = [p for t, p in track.sightings if t > play.t_strike and max(map(abs, p)) < inner]
        if len(way) < STRAY_TIMES or math.dist(way[0], way[-1]) < MISSING_STRAY_MM:
            return False
        kinds = [k for k in COINS if self._known.profile.full_set[k]]
        return min((self.tracker.unlike(k, track) for k in kinds), default=0.0) < TRACK_FOREIGN

    def _checked(self, play: Play, track: Track, outcome: Missing, foreground: ForegroundFrame) -> Missing:
        """A disc last seen before a pocket may lie there under a hand: where its way is seen bare it has fallen."""
        if outcome.over_hole or outcome.pocket is None or play.seen_since_rest is None:
            return outcome
        (x, y), centre = track.place, self._known.profile.pockets[outcome.pocket].centre
        left = math.dist((x, y), centre)
        if track.speed**2 / (2 * STOPS_MM_S2) > left:
            return replace(outcome, confidence=max(outcome.confidence, TOO_FAST))
        reach = left / 2 + WAY_MM
        way = self.background.lattice.disc_cells((x + centre[0]) / 2, (y + centre[1]) / 2, reach)
        on_board = self.background.inside[way] > 0
        if float(np.mean((play.seen_since_rest[way] == 0)[on_board])) <= HIDDEN_SHARE:
            return replace(outcome, confidence=max(outcome.confidence, WAY_BARE))
        if play.gives_up(foreground.t):
            return replace(outcome, confidence=min(outcome.confidence, WAY_HIDDEN))
        return replace(outcome, fate=CensusFate.HIDDEN)

    def _fate(self, play: Play, piece: Piece, track: Track | None, foreground: ForegroundFrame) -> Missing:
        outcome = fate(self._known.profile, piece, track, foreground.t)
        if outcome.fate is not CensusFate.UNKNOWN or play.seen_since_rest is None:
            return outcome
        rows, columns = self._places(track)
        hidden = play.seen_since_rest[rows, columns] == 0
        if track is not None and float(np.mean(hidden)) > HIDDEN_SHARE:
            return replace(outcome, fate=CensusFate.HIDDEN)
        if track is None and np.count_nonzero(
            cv2.bitwise_and(cv2.bitwise_not(play.seen_since_rest), self.background.inside)
        ):
            return replace(outcome, fate=CensusFate.HIDDEN)
        if piece.kind is Kind.STRIKER:
            return replace(outcome, fate=CensusFate.TAKEN)
        out = track is not None and outcome.pocket is None and leaps_out(self._known.profile, track)
        return replace(outcome, fate=CensusFate.OFF_BOARD if out else CensusFate.POCKETED)

    def _pushed_in(self, play: Play, outcome: Missing, foreground: ForegroundFrame, lying: Sequence[Place],
                   ended: Sequence[tuple[Track, Missing]]) -> Missing:  # fmt: skip
        """A coin gone from beside a pocket fell into it: surely where another piece lies now that leaves it no room, or
        fell into that pocket too, which pushed it in under its cover.
        """
        piece = outcome.piece
        pocket, gap = nearest_pocket(self._known.profile, piece.x_mm, piece.y_mm)
        if outcome.fate is not CensusFate.POCKETED or gap >= FATE_MOUTH_MM or play.t_rest is None:
            return outcome
        here, reach = (piece.x_mm, piece.y_mm), self._known.profile.board.radius(piece.kind)
        followed = [track for track, other in ended if other.pocket is pocket]
        came = [t for k in followed for t, p in k.sightings
                if t > play.t_strike and math.dist(p, here) < 3 * reach]  # fmt: skip
        pushed = bool(came) or any(math.dist(p, here) < 2 * reach - MISSING_ROOM_MM for p in lying)
        sought = pushed and foreground.t >= play.t_rest + SEARCH_S
        confidence = PUSHED_IN if sought else outcome.confidence
        return replace(outcome, pocket=pocket, t=min(came, default=outcome.t), confidence=confidence)

    def _places(self, track: Track | None) -> tuple[np.ndarray, np.ndarray]:
        """Lattice points where a track that was lost may have come to rest."""
        if track is None:
            rows, columns = np.nonzero(self.background.inside)
            return rows, columns
        x, y = track.place
        return self.background.lattice.disc_cells(x, y, 20.0 + 0.3 * min(track.speed, 600.0))


def end_unlike(profile: Profile, tracker: Tracker, kind: Kind, track: Track) -> float:
    """How unlike a kind a track looked at last before it fell: as a whole where that was not seen."""
    tints = zip(track.places[-len(track.tints) :], track.tints, strict=True) if track.tints else ()
    shown = [tint for place, tint in tints if nearest_pocket(profile, *place)[1] > 0][-END_TIMES:]
    if len(shown) < END_LEAST:
        return tracker.unlike(kind, track)
    return tracker.unlike_tint(kind, np.median(np.array(shown), 0))


def _left_its_place(track: Track | None, play: Play) -> float:
    """When a piece that is gone was last seen where it lay."""
    return track.times[0] if track is not None and track.home is not None else play.t_strike


def _lying(play: Play, gone: Sequence[tuple[Piece, Track | None]], pairs: Mapping[int, int], resting: Resting,
           still: Sequence[Track], lying: Sequence[Place], t: float) -> dict[int, Missing]:  # fmt: skip
    """By index in `gone` those beside `pairs` that lie where a track rests, though no disc is found there."""
    left = [i for i in range(len(gone)) if i not in pairs]
    sought = [(gone[i][0], _left_its_place(gone[i][1], play)) for i in left]
    places = resting.places(sought, still, lying)
    outcome = {left[i]: Missing(piece, CensusFate.LIES, None, t, LIES_UNSEEN) for i, piece in places.items()}
    for i in (i for i in left if i not in outcome):
        piece, track = gone[i]
        if track is not None and (stays := resting.stays(piece, track)):
            outcome[i] = Missing(stays, CensusFate.LIES, None, t, STAYS_UNSEEN)
    return outcome
