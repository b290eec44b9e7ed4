"""Odds: the probabilities by which strokes are explained, each with what it is the probability of.

They are fitted on simulated strokes whose truth is known (`tools/fit_outcome`), none is set for a case.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from importlib.resources import files

FITTED = "odds.json"


@dataclass(frozen=True, slots=True)
class Odds:
    """Probabilities unless said otherwise; as first guessed, until `fitted` ones are read."""

    # What becomes of a piece that has gone from its place
    fell: float = 0.15
    """It fell into a pocket."""
    off: float = 0.01
    """It left the board over the frame."""
    taken: float = 0.02
    """A hand took it, if it is the striker."""
    hand_took: float = 0.95
    """A hand is seen to come to what a hand takes."""
    hand_came: float = 0.2
    """A hand is seen to come to any other place."""
    taken_coin: float = 0.0005
    """A hand took it, if it is a coin."""

    # What is seen of a piece that lies on the board
    detected: float = 0.99
    """The search finds it if no hand hides it."""
    missed_resting: float = 0.01
    """The search does not find it where its track or a stray one rests."""
    missed: float = 0.003
    """The search does not find it and no track rests there."""
    missed_unfollowed: float = 0.01
    """The same of a piece that nobody saw go from its place: another may lie on it."""
    faint: float = 0.7
    """If so, the search finds a disc there for which too little speaks."""
    size_mistaken: float = 0.02
    """A coin is taken for the striker or the other way round."""
    look_sigma: float = 1.3
    """Scatter of the looks of discs found, in the standard deviations of their kinds."""
    look_odd: float = 0.02
    """A disc's look is spoilt by glare or shade."""
    look_odd_sigma: float = 6.0
    """Scale of such looks, which thin out exponentially, in the same."""
    look_unknown: float = 0.1
    """Likelihood of a look, if that of its kind is not known."""

    # Where it lies
    rest_mm: float = 4.0
    """Scatter (mm) of a disc about where its track rests, or where the glide leads beside the glide's own scatter."""
    stayed: float = 0.03
    """It lies where it lay, though that looked bare for a while: shade, glare or a lamp did that."""
    stayed_disturbed: float = 0.5
    """The same where the camera was pushed or the light changed."""
    led: float = 0.8
    """It lies where its own track leads, not elsewhere since that was lost or went over to another."""
    exchanged: float = 0.5
    """If not, its track was exchanged for another, and it lies where some other track leads."""
    near: float = 0.6
    """If that neither, or where nobody saw it go, it lies near the last known place rather than anywhere."""
    near_mm: float = 80.0
    """Scale (mm) of near."""

    # What is seen of a fall
    unseen: float = 0.03
    """No track shows it, though the piece was followed before."""
    unseen_short: float = 0.1
    """If so, its glide led to no pocket when it was lost."""
    unfollowed: float = 0.1
    """No track shows it, if the piece was not followed."""
    own: float = 0.8
    """It is shown by the piece's own track, unbroken."""
    lapsed: float = 0.3
    """By its own track, which was unseen for a while."""
    stray: float = 0.15
    """By a track that is nobody's."""
    anothers: float = 0.02
    """By the track of another piece, taken for it."""
    hole: float = 0.7
    """The track ends over the hole."""
    brink: float = 0.15
    """On its brink."""
    mouth: float = 0.05
    """At its mouth."""
    ahead: float = 0.08
    """Before that, on the way there."""
    net: float = 0.05
    """A fall that no track shows is seen in the net, on what lay there."""
    lay_before: float = 0.01
    """A fall is shown by a track that was seen there before the strike."""
    track_sigma: float = 1.8
    """Scatter of the looks of tracks."""
    track_odd: float = 0.05
    """A track's look is spoilt: blur, shade, a blob of two discs."""

    # What is seen without a fall
    end_hole: float = 0.005
    """The track of a disc that did not fall ends over a hole."""
    end_brink: float = 0.02
    """On a brink."""
    end_mouth: float = 0.03
    """At a mouth."""
    end_ahead: float = 0.1
    """On the way to a pocket."""
    end_over_frame: float = 0.01
    """Over the frame."""
    end_own: float = 0.01
    """The unbroken track of a known piece that did not fall ends so near or on the way to a pocket, at most, if no
    other goes on for it."""
    patch: float = 0.3
    """A track that was seen nowhere but at its end, or there before the strike, or that came from outside, shows what
    lies in a net, a hand or a glare."""
    stray_patch: float = 0.1
    """A stray track that ends so without an unbroken long way is none of a disc."""
    net_stirs: float = 0.02
    """What lies in a net is seen to grow though nothing fell on it."""
    over_frame: float = 0.9
    """A disc that left the board is seen over the frame."""
    leapt: float = 0.5
    """A disc that left the board and is not seen over the frame was lost right before a cushion."""
    lost_at_cushion: float = 0.02
    """Any other was lost so."""
    rest_exchanged: float = 0.02
    """A piece's own track rests on the board though it fell: the track had gone over to another disc."""

    # What nobody knew of
    overlooked: float = 0.004
    """A disc found is a coin overlooked before, for each that was not known."""
    false_disc: float = 0.0007
    """A disc found with an evidence of 1.2 is a print or a shade, and looks like a piece."""
    false_scale: float = 0.4
    """So much less evidence makes that ten times as likely."""
    unknown_fell: float = 0.02
    """A stray track into a pocket is of a coin that nobody knew of, for each such coin."""

    unknown_unseen: float = 0.0013
    """A coin that nobody knew of fell, which no track shows, for each such coin."""
    unknown_struck: float = 0.15
    """Any of them did, where the striker seems to have met one."""

    # How far all this is believed
    sharpness: float = 0.8
    """Power of the weights: pieces of evidence are not independent."""
    disturbed_sharpness: float = 0.5
    """The same factor for each push of the camera or change of the light."""
    unmodelled: float = 0.004
    """Something happened that none of this knows of."""
    unmodelled_unplaced: float = 0.1
    """The same where nobody saw the striker stand before it was struck: hands too carry discs and cover coins."""

    @classmethod
    def of_json(cls, text: str) -> Odds:
        """As `as_json` writes them; raises ValueError or TypeError where they are not these odds."""
        return cls(**json.loads(text))


def names() -> list[str]:
    """Of all odds."""
    return [f.name for f in fields(Odds)]


@lru_cache(maxsize=1)
def fitted() -> Odds:
    """The odds as fitted."""
    return Odds.of_json(files("referee.outcome").joinpath(FITTED).read_text(encoding="utf-8"))


def as_json(odds: Odds) -> str:
    """As `fitted` reads them."""
    return json.dumps({name: round(value, 6) for name, value in asdict(odds).items()}, indent=1) + "\n"
