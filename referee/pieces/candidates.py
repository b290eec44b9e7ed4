"""Circles that may be pieces: rings of a coin's or the striker's size, described where a piece may draw them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from calibration.profile import Profile
from models.pieces import Kind
from referee.pieces.circles import Ring
from referee.pieces.colour_classes import contrast, first_guess, hue_between, is_light, kind_distance, nearest_kind
from referee.pieces.disc_fit import Disc
from referee.pieces.opening_formation import FORMATION_REACH
from referee.pieces.ornament_symmetry import twins
from referee.pieces.print_rejection import PLAIN_SUPPORT, PRINT_NEAR_MM, SUPPORTS, believable, is_central
from referee.pieces.printed_mask import meets_ornament, print_distances
from referee.pieces.scan import View
from referee.pieces.star_ornament import hides_shade

STRIKER_LIKE, STRIKER_RING = 5.0, 0.35
"""A disc is the striker when its look is within this many standard deviations and its ring drawn this well."""
CANDIDATE_PLAIN_RING = 0.6
"""A ring drawn this well is one, whatever its look."""
LARGER = 0.88
"""A striker's ring is drawn this well compared with a coin's inside it; a coin's wall and shade stay below 0.78."""
LARGER_OWN = 0.6
"""The same for a disc that looks more like the striker than like any coin."""
COIN_LIKE = 2.5
"""A disc within so many standard deviations of a coin's look, and not the striker's, is a coin if one's ring is
drawn about as well: base lines and circles draw a large one about it."""
CANDIDATE_ASIDE_MM = 5.0
"""A coin's ring farther from the middle of a large one is no ornament of it."""
IN_ARC = 0.8
"""A coin's ring within an arc is drawn this well compared with it; a striker's print draws less."""
STRIKER_RIM = 0.6
"""Rim support of a striker that a coin's ring lies in."""
GROUND_CONTRAST = 18.0
"""Contrast (percent) from which a piece is told from shaded board beside it."""
GOES_ON = 0.6
"""Just outside a ring that is printed on a striker it looks like the striker, nearer by this factor than the board."""
OFF_MIDDLE_MM = 3.0
"""A ring printed about a striker's middle is mostly seen less far from it."""
TOUCH = 1.15
"""Discs whose middles lie nearer than this share of both radii may touch."""
CROWD = 3
"""A disc with this many neighbours shows more of them than of the board around it."""
BETWEEN = 0.4
"""A ring at this share of the way from a coin's to the striker's is a large coin's, not even the smallest striker's."""
CANDIDATE_FILLED, FILLED_HUED, CANDIDATE_OTHER_HUE = 0.45, 0.65, 10.0
"""A piece reaches to where it looks nearer to its middle than to the board by this share, or by the next one if its hue
there differs so much (percent) from the board's; of 81 strikers 66 do, of 260 coins with a large ring none."""
PRINT_BESIDE_MM = 33.0
"""Nearer to a printed circle's middle than this its red is seen within the striker's ring about a coin."""
CANDIDATE_SHADED, SHADE_HUE = 0.95, 9.0
"""Shade is darker than the board by this factor and differs this much (percent) in hue; strikers mostly differ more."""
STRIKER_CONTRAST = 10.0
"""Least contrast (percent) of a striker not yet learned: larger rings on boards are drawn in thin lines."""
STRIKER_SUPPORT = 0.4
"""Least rim support of a striker not yet learned: crossing lines and ornaments draw arcs, not rings."""
COIN_SIZES = (0.9, 1.12)
"""A disc between these multiples of the coin's radius is a coin."""


def candidates(view: View) -> list[Disc]:
    """Circles of a coin's or a striker's size on the playing surface, outside the pockets; prints not yet told.

    Those without a rim, off the printed circles and not where the formation stands, are no pieces and left out.
    """
    rings = _larger_wins(view.coins, _strikers(view.large, view), view)
    hopeful = _hopeful(rings, view.profile)
    described = [(view.disc(r), crowded) for r, h, crowded in zip(rings, hopeful, _crowded(rings), strict=True) if h]
    # On the centre circle the print about a disc is what tells whether one stands there.
    discs = [view.afar(d) if crowded else d if is_central(d) else view.off_ink(d) for d, crowded in described]
    return _with_twins([replace(d, starred=True) if _is_starred(d, view) else d for d in discs], view)


def _is_starred(disc: Disc, view: View) -> bool:
    """Whether a red disc in the middle is as likely a star's middle; asked until it is known how the queen looks."""
    asked = is_central(disc) and first_guess(disc) is Kind.QUEEN and Kind.QUEEN not in view.profile.colours
    return asked and hides_shade(view.picture, view.profile, disc)


def _hopeful(rings: Sequence[Ring], profile: Profile) -> list[bool]:
    """Which circles may be pieces by their rims, or are needed to tell prints or the formation."""
    near, reach = print_distances(rings, profile), FORMATION_REACH * profile.board.coin_radius
    return [r.support > SUPPORTS[0] or distance <= PRINT_NEAR_MM or math.hypot(r.x, r.y) < reach
            for r, distance in zip(rings, near, strict=True)]  # fmt: skip


def _with_twins(discs: list[Disc], view: View) -> list[Disc]:
    """The discs with how often an ornament repeats them, asked of those only that it would tell from pieces."""
    asked = [i for i, d in enumerate(discs) if d.support < PLAIN_SUPPORT and believable(d, view.profile)
             and not (is_coin_sized(d, view.profile) and _touched(d, discs))]  # fmt: skip
    out = list(discs)
    for i, n in zip(asked, twins(view.picture, view.profile, [discs[i] for i in asked]), strict=True):
        out[i] = replace(discs[i], twins=n)
    return out


def _touched(disc: Disc | Ring, discs: Sequence[Disc | Ring]) -> bool:
    """Whether plain discs touch one on two sides, as in the opening formation, which is symmetrical too."""
    near = [d for d in discs if d is not disc and d.support > SUPPORTS[-1]
            and math.hypot(d.x - disc.x, d.y - disc.y) < TOUCH * (d.radius + disc.radius)]  # fmt: skip
    return len(near) >= 2


def _crowded(rings: Sequence[Ring]) -> list[bool]:
    """Whether so many circles lie around each one that what is seen beside it is not the board."""
    at = np.array([complex(r.x, r.y) for r in rings])
    radius = np.array([r.radius for r in rings])
    near = np.abs(at[:, None] - at) < 1.5 * (radius[:, None] + radius)
    return [bool(n > CROWD) for n in near.sum(1)]


def _strikers(large: list[Ring], view: View) -> list[Ring]:
    """Discs of the striker's size: by its look where that is known, else by standing out from the board."""
    colour = view.profile.colours.get(Kind.STRIKER)
    if colour is None:
        described = [(r, view.disc(r)) for r in large if r.support > STRIKER_SUPPORT]
        return [r for r, disc in described if contrast(disc) > STRIKER_CONTRAST and not is_light(disc)]
    drawn = [r for r in large if r.response > STRIKER_RING]
    return [r for r in drawn if kind_distance(view.disc(r), colour) < STRIKER_LIKE or _plain(view.disc(r))]


def _plain(disc: Disc) -> bool:
    """Whether a ring of the striker's size is drawn so plainly that glare on it does not matter."""
    return disc.response > CANDIDATE_PLAIN_RING and contrast(disc) > STRIKER_CONTRAST and disc.support > STRIKER_SUPPORT


def _larger_wins(coins: list[Ring], large: list[Ring], view: View) -> list[Ring]:
    """Both together; a coin's ring inside a striker's is its ornament, a large ring drawn worse its shade.

    A ring outside of which the piece goes on is no coin's; but there is one striker, so where that holds for several
    rings they are coins in deep shade.
    """
    large = [d for d in large if not _is_beside_coin(d, coins, view) and not _is_about_coin(d, coins, view)]
    keep = [d for d in large if all(_beats(d, c, view) for c in coins if _inside(c, d))]
    wider = [d for d in large if d not in keep and _is_about_print(d, coins, view)]
    keep += wider if len(wider) == 1 else []
    return keep + [c for c in coins if not any(_inside(c, d) for d in keep)]


def _is_beside_coin(large: Ring, coins: list[Ring], view: View) -> bool:
    """Whether a coin lies aside within a large ring drawn worse by arcs, base lines or shade: the board is seen at a
    striker's rim about the coin's own middle.
    """
    better = [c for c in coins if _inside(c, large) and c.response > large.response]
    aside = [c for c in better if math.hypot(c.x - large.x, c.y - large.y) > OFF_MIDDLE_MM]
    return any(_shows_board(view.disc(replace(large, x=c.x, y=c.y))) for c in aside)


def _shows_board(large: Disc) -> bool:
    """Whether the board shows just within a large ring, as far as it can be told from what lies in its middle."""
    inner, margin, ground = (np.array(c) for c in (large.colour, large.margin_colour, large.ground))
    bare = min(GROUND_CONTRAST * large.ground[0] / 100.0, float(np.linalg.norm(margin - inner)))
    return bool(np.linalg.norm(margin - ground) < bare)


def _beats(large: Ring, coin: Ring, view: View) -> bool:
    """Whether a striker's ring is drawn well enough against a coin's inside it; less will do for the striker's look."""
    colour = view.profile.colours.get(Kind.STRIKER)
    if _is_smaller(large, coin, view) or _is_arc_about(large, coin, view):
        return False
    if _fills(large, view):
        return True
    own = colour is not None and (
        kind_distance(view.disc(coin), colour) < nearest_kind(view.disc(coin), view.profile.colours)[1]
    )
    return large.response > (LARGER_OWN if own else LARGER) * coin.response


def _is_about_coin(large: Ring, coins: list[Ring], view: View) -> bool:
    """Whether a large ring in which a coin's is drawn about as well looks as a coin does, and not as the striker."""
    disc, colour = view.disc(large), view.profile.colours.get(Kind.STRIKER)
    if colour is None or kind_distance(disc, colour) <= STRIKER_LIKE:
        return False
    like = nearest_kind(disc, view.profile.colours)[1] < COIN_LIKE
    return like and any(_inside(c, large) and c.response > LARGER * large.response for c in coins)


def _is_smaller(large: Ring, coin: Ring, view: View) -> bool:
    """Whether a piece has its rim between a coin's ring and a striker's, which is its shade."""
    between = coin.radius + BETWEEN * (large.radius - coin.radius)
    return _ends_in_shade(view.disc(large)) and view.drawn(replace(coin, radius=between)) > large.response


def _is_arc_about(large: Ring, coin: Ring, view: View) -> bool:
    """Whether a coin lies aside within a large ring where the board shows: an arrow's arc that no book tells of.

    Stars and sectors on a striker draw a coin's ring aside too, but worse than its own, and its margin is no board.
    """
    if math.hypot(large.x - coin.x, large.y - coin.y) < CANDIDATE_ASIDE_MM or coin.response < IN_ARC * large.response:
        return False
    disc = view.disc(large)
    return _hue_step(disc) <= CANDIDATE_OTHER_HUE and _shows_board(disc)


def _ends_in_shade(large: Disc) -> bool:
    """Whether what lies just within a large ring is darkened board: of the board's own hue."""
    return large.margin_colour[0] < CANDIDATE_SHADED * large.ground[0] and _hue_step(large) < SHADE_HUE


def _hue_step(large: Disc) -> float:
    """How much the hue just within a large ring differs from the board's, percent of the luma of each."""
    return hue_between(large.margin_colour, large.ground)


def _fills(large: Ring, view: View) -> bool:
    """Whether a piece is seen to reach as far as a large ring, all round which there is an edge.

    Not asked where red prints may lie about a coin: beside printed circles and on the ornament in the middle.
    """
    if meets_ornament(large, view.profile) or print_distances([large], view.profile)[0] < PRINT_BESIDE_MM:
        return False
    disc = view.disc(large)
    if large.support < STRIKER_RIM or contrast(disc) < STRIKER_CONTRAST or _ends_in_shade(disc):
        return False
    inner, margin, ground = (np.array(c) for c in (disc.colour, disc.margin_colour, disc.ground))
    off, step = float(np.linalg.norm(margin - inner)), float(np.linalg.norm(margin - ground))
    return off < (FILLED_HUED if _hue_step(disc) > CANDIDATE_OTHER_HUE else CANDIDATE_FILLED) * (off + step)


def _is_about_print(large: Ring, coins: list[Ring], view: View) -> bool:
    """Whether the rings inside a large one are printed on the piece, which goes on outside them all round."""
    if any(_is_smaller(large, c, view) for c in coins if _inside(c, large)):
        return False
    within, beside = [c for c in coins if _inside(c, large)], [c for c in coins if not _inside(c, large)]
    plain = large.support > STRIKER_RIM and contrast(view.disc(large)) > STRIKER_CONTRAST
    return plain and all(_goes_on(view.disc(c)) and not _touched(c, beside) for c in within)


def _goes_on(coin: Disc) -> bool:
    """Whether the piece goes on outside a coin's ring, which then is its print, or groove."""
    inner, beyond, ground = (np.array(c) for c in (coin.colour, coin.beyond, coin.ground))
    return contrast(coin) > GROUND_CONTRAST and bool(
        np.linalg.norm(beyond - inner) < GOES_ON * np.linalg.norm(beyond - ground)
    )


def _inside(coin: Ring, large: Ring) -> bool:
    return math.hypot(coin.x - large.x, coin.y - large.y) < 0.8 * large.radius


def is_coin_sized(disc: Disc, profile: Profile) -> bool:
    """Whether a disc has a coin's radius rather than a striker's."""
    low, high = COIN_SIZES
    return low * profile.board.coin_radius <= disc.radius <= high * profile.board.coin_radius
