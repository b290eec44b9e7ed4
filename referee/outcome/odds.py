"""Defines the probabilities with which `explanation` weighs the readings of a stroke.

They are called `Odds` for short, but each is a probability from 0 to 1 unless it says otherwise, not a ratio. All are
fitted on simulated strokes with known truth (`tools/fit_outcome`); none is set by hand for a single case.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import lru_cache

from models.fitted import shipped

FITTED = "odds.json"


@dataclass(frozen=True, slots=True)
class Odds:
    """Parameters of the stroke model, probabilities unless stated otherwise.

    The defaults are first guesses; `fitted` returns the fitted values.
    """

    # What becomes of a piece that left its place
    fell: float = 0.15
    """The piece fell into a pocket."""
    off: float = 0.01
    """The piece left the board over the frame."""
    taken: float = 0.1
    """A hand that came near took the piece, if it is the striker."""
    taken_coin: float = 0.0025
    """A hand that came near took the piece, if it is a coin."""

    # Detection of a piece that lies on the board
    missed_resting: float = 0.01
    """The disc search misses the piece, but its own track rests there."""
    missed: float = 0.003
    """The disc search misses the piece and no track rests there."""
    handled_rest: float = 0.0001
    """A disc lay at the rest where an earlier census showed the bare board and a hand came between the two."""
    size_mistaken: float = 0.02
    """A coin is classified as the striker, or the striker as a coin."""
    look_sigma: float = 1.3
    """Scatter of the colours of discs found and of tracks, in standard deviations of their kinds."""
    look_odd: float = 0.02
    """A colour is falsified by glare, blur or shade."""
    look_odd_sigma: float = 6.0
    """Scale of the exponential tail of falsified colours, in standard deviations."""

    # Position of a piece that lies on the board
    rest_mm: float = 4.0
    """Scatter of a disc about the place where its track rests, in mm.

    About the end of an extrapolated glide it is added in quadrature to the scatter of the glide.
    """
    stayed: float = 0.03
    """The piece never moved, though its place looked bare for a while because of shade, glare or a lamp."""
    led: float = 0.8
    """The piece lies where its own track leads, or fell where it ends: the track was not switched to another disc."""
    exchanged: float = 0.5
    """Given not `led`, or no track: the piece lies where some other track leads, not anywhere."""

    # Evidence of a fall
    unseen: float = 0.03
    """No track shows the fall, though the piece was tracked before."""
    unseen_short: float = 0.1
    """Given `unseen`: the glide was too short to reach a pocket when the track was lost."""
    unfollowed: float = 0.1
    """No track shows the fall, or the way over the frame, if the piece was not tracked."""
    stray: float = 0.15
    """A track that belongs to no piece shows the fall."""
    anothers: float = 0.02
    """By a switch of tracks, the track of another piece shows the fall."""
    hole: float = 0.7
    """The track ends over the hole."""
    brink: float = 0.15
    """The track ends on the brink of the hole."""
    mouth: float = 0.05
    """The track ends at the mouth of the pocket."""
    rattled: float = 0.15
    """Given `mouth`: the disc was not on the way into the pocket, and fell off its jaws; it was then on the board."""
    ahead: float = 0.08
    """The track ends earlier, on the way to the pocket."""
    nets_hold: float = 0.6
    """The board's nets hold coins in view, rather than boxes or long nets that hide them."""
    net_shows: float = 0.9
    """Given `nets_hold`: a coin that fell shows in its pocket's opening after the stroke."""
    net_stirs: float = 0.01
    """A pocket into which nothing fell looks otherwise after the stroke."""
    net_share: float = 0.015
    """Scale of the exponential density of the share of such a pocket's opening that seems to differ."""

    # Evidence of a fall where there was none
    end_hole: float = 0.005
    """The track of a disc that did not fall ends over a hole, or over the frame."""
    end_mouth: float = 0.03
    """Such a track ends on a brink or at a mouth."""
    end_ahead: float = 0.1
    """Such a track ends on the way to a pocket."""
    end_own: float = 0.01
    """Upper limit of the `end_...` odds at pockets for the unbroken track of a known piece that no other track
    continues.
    """
    patch: float = 0.1
    """A track shows no fall but a netted coin, a hand or a glare, if it was detected only at its end, was there
    before the strike, came from outside, or is a stray one without an unbroken long path.
    """
    over_frame: float = 0.9
    """A disc that left the board is detected over the frame, if a frame catches it there."""
    leapt: float = 0.5
    """A disc that left the board, undetected over the frame, was lost right before a cushion."""
    lost_at_cushion: float = 0.02
    """Any other disc was lost right before a cushion."""
    fell_mm_s: float = 1000.0
    """Median speed of discs right before they fall into pockets, mm/s; few are faster."""
    off_mm_s: float = 3300.0
    """The same before they leave the board over the frame; few are slower."""
    speed_spread: float = 0.6
    """Standard deviation of the logarithm of the speed of those few."""
    begun_there: float = 0.05
    """Another disc's track begins where and when a track is lost."""

    # Coins missing from the board state
    overlooked: float = 0.004
    """A disc found, or a stray track into a pocket, is of a coin overlooked before, per unknown coin."""
    false_disc: float = 0.0007
    """A disc found is a thing other than a piece."""
    false_print: float = 0.1
    """A disc found at even odds is a print or a shade."""

    # Trust in the model
    sharpness: float = 0.8
    """Exponent of the weights, below 1 because pieces of evidence are not independent."""
    disturbed_sharpness: float = 0.5
    """Factor on `sharpness` per push of the camera or change of the light."""
    unmodelled: float = 0.004
    """Something happened that the model does not cover."""
    unmodelled_unplaced: float = 0.2
    """As `unmodelled`, where the striker was not detected at rest before the strike.

    Without it the motion may be a hand that carries discs or covers coins.
    """


def names() -> list[str]:
    """Returns the names of all odds, in order of definition."""
    return [f.name for f in fields(Odds)]


@lru_cache(maxsize=1)
def fitted() -> Odds:
    """Returns the fitted odds from the package data."""
    return shipped(Odds, "referee.outcome", FITTED)
