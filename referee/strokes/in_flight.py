"""Tracks discs during a stroke and detects those that fall into pockets.

The input is each frame's blobs and the pieces that have just left their places. The output goes into the `Play` of the
stroke: the tracks of the moved pieces, the striker's track and the fallen tracks."""

from __future__ import annotations

import math
from collections.abc import Sequence

from models.pieces import Kind
from referee.board_state.occupancy import RestingPiece
from referee.foreground.segmentation import Blob
from referee.outcome.matching import may_be_anothers, nearest_pocket, pocket_ahead
from referee.outcome.stroke_in_progress import Play
from referee.pieces.current_profile import CurrentProfile
from referee.tracking.flight import is_inside
from referee.tracking.tracker import Track, Tracker
from referee.tracking.trajectory import last_glide

IN_FLIGHT_FOLLOWS_MM = 80.0
"""Greatest distance, in mm, from a pocket's centre at which a lost disc has fallen onto another one visible in the
pocket."""
UNNOTICED_S = 0.5
"""Greatest delay, in seconds, until a piece is found gone if something passes over its place; a track that began there
meanwhile is its own."""
AHEAD_CHANCE = 0.2
"""Least probability that a disc that vanished arrives at a pocket at once."""
IN_FLIGHT_LATELY_S = 0.1
"""Greatest age, in seconds, of the last clear sighting that still starts a piece's track; before that the piece was
hidden or in another's shadow."""


class FlightTracking:
    """Tracks the discs of a stroke; call `follow` for each of its frames."""

    def __init__(self, known: CurrentProfile, tracker: Tracker) -> None:
        self._known, self._tracker = known, tracker

    def release(self, t: float, k: RestingPiece) -> Track:
        """Returns the track of a piece that has left its place since its last clear sighting: a recent one that began
        there, or a new one."""
        begun = [s for s in self._tracker.live if t - s.born < UNNOTICED_S and self._began_as(k, s)]
        if begun:
            return self._tracker.claim(min(begun, key=lambda s: s.born), k.piece, k.seen)
        return self._tracker.release(max(k.seen, t - IN_FLIGHT_LATELY_S), k.piece)

    def _began_as(self, k: RestingPiece, track: Track) -> bool:
        """Tells whether an unassigned track began on a piece's place and looks like that piece."""
        if not track.is_unclaimed:
            return False
        reach = 2 * self._known.profile.board.radius(k.piece.kind)
        if math.dist(track.places[0], k.piece.place) > reach:
            return False
        return self._tracker.looks_like(k.piece.kind, track)

    def follow(self, play: Play, t: float, blobs: Sequence[Blob], gone: Sequence[RestingPiece]) -> None:
        """Updates the tracks of `play` with a frame's blobs; `gone` are the pieces that have just left their places."""
        already = {id(k) for k, _ in play.moved}
        play.moved += [(k, self._track_of(play, t, k)) for k in gone if id(k) not in already]
        netted = [b for b in blobs if self._in_net(play, b)]
        left = self._tracker.update(t, [b for b in blobs if b not in netted])
        for blob in netted:
            self._end_followers(play, blob, t)
        self._end_fallen(play, t)
        for blob in left:
            track = self._tracker.adopt(t, blob)
            if play.striker is None and is_inside((blob.x, blob.y), self._known.profile.board.half):
                track.kind = Kind.STRIKER
                play.striker = track

    def _track_of(self, play: Play, t: float, k: RestingPiece) -> Track:
        """Returns the track of a piece that has just left; for the striker, the track already followed as an unknown
        one.
        """
        if k.piece.kind is not Kind.STRIKER:
            return self.release(t, k)
        if play.striker is None or play.striker_known:
            play.striker = self.release(t, k)
        play.striker_known = True
        return play.striker

    def _in_net(self, play: Play, blob: Blob) -> bool:
        """Tells whether a blob is a disc that fell into a pocket before, so that no other disc's track continues there.

        A disc in a net is visible through the opening; a blob whose centre lies beside the opening is a passing disc.
        """
        filled = (self._known.profile.pockets[pocket] for pocket in play.filled)
        return any(math.dist(circle.centre, (blob.x, blob.y)) < circle.radius for circle in filled)

    def _end_followers(self, play: Play, netted: Blob, t: float) -> None:
        """Ends the tracks whose disc has just followed another one into its pocket."""
        pocket, _ = nearest_pocket(self._known.profile.pockets, netted.x, netted.y)
        centre = self._known.profile.pockets[pocket].centre
        for track in list(self._tracker.live):
            if track.t < t and len(track.times) > 1 and math.dist(track.place, centre) < IN_FLIGHT_FOLLOWS_MM:
                track.add(t, netted.x, netted.y)
                self._fell(play, track)

    def _end_fallen(self, play: Play, t: float) -> None:
        """Ends the tracks whose disc stays over a pocket's hole or must have reached one.

        A disc that jumps over the hole goes on in the next frame. Blobs detected there later are discs in the net.
        """
        for track in list(self._tracker.live):
            pocket, gap = nearest_pocket(self._known.profile.pockets, *track.place)
            if gap < 0 and track.t > play.t_strike:
                if track.t < t or any(track.ends_at(place) for place in track.places[-2:-1]):
                    self._fell(play, track)
                    play.filled.add(pocket)
            elif may_be_anothers(t - track.t) and self._led_into_pocket(track):
                self._tracker.end(track)

    def _led_into_pocket(self, track: Track) -> bool:
        """Tells whether a disc was lost right before a pocket into which its last glide leads."""
        ahead = pocket_ahead(self._known.profile.pockets, last_glide(list(track.sightings)))
        return ahead is not None and ahead[1] > AHEAD_CHANCE

    def _fell(self, play: Play, track: Track) -> None:
        self._tracker.end(track)
        play.fallen.append(track)
