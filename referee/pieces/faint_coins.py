"""Pale coins told by their fellows: each coin of a set shows the same rim, grooves, wall and shade in one light.

What a coin hardly lighter than the board draws drowns in grain and noise when it is looked at by itself. But the plain
coins of its kind on the same board show what to look for; grain and prints hardly ever draw the same as strongly.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from calibration.profile import Profile
from models.pieces import COINS, Kind
from referee.pieces.circles import Ring
from referee.pieces.colour_classes import contrast, kind_distance, looks_apart, nearest_kind
from referee.pieces.disc_fit import Disc
from referee.pieces.ornament_symmetry import LEAST_TWINS, twins
from referee.pieces.print_rejection import PRINT_NEAR_MM, STANDING_PLAIN, bare_print, evidence, looks_printed
from referee.pieces.printed_mask import print_distances
from referee.pieces.scan import View
from referee.pieces.template_similarity import Likeness, Surroundings

FAINT_PALE = 25.0
"""Kinds that differ more (percent) from the board on the whole have no coin too pale to be told by itself."""
FAINT_LEAST_FELLOWS, FELLOW_LIKE = 2, 3.0
"""So many coins that look as their kind does, to so many standard deviations, show how it looks here."""
ONE_LIGHT = 1.5
"""Coins whose looks differ by so many standard deviations at most lie in one light: glare takes half of a coin's
contrast where it lies, and what a coin there draws is another picture than what its fellows elsewhere draw."""
FAINT_LEAST_RIM, FAINTEST_RIM = 0.17, 0.1
"""Rim support of the palest coins: less is seen where lines cross and about shadows. What looks very much as a coin may
have less of a rim."""
FAINT_LEAST_ALIKE, VERY_ALIKE, STRENGTHS = 0.62, 0.7, (0.45, 1.8)
"""Coins reach 0.7 to 0.9 and 0.55 to 1.0; what else has the rim of a pale coin reaches 0.6 once in fifty pictures. The
second is asked of what only one fellow tells, of the faintest rims, and of plain coins that are drawn weakly."""
STRANGE_ALIKE = 0.4
"""Grain between two base lines reaches 0.13, weak circles that are coins 0.7 and more (of 70 simulated boards)."""
LEAST_KIN, KIN_CLEAR = 2, 0.9
"""So many other circles that are very alike tell that a weak one is a coin in another light than the plain ones of its
kind, if the rims of all are so clear of prints: lines and leaves are alike as well, grain is not."""
FAINT_LEAST_CLEAR, FAINT_LEAST_DRAWN = 0.4, 0.6
"""Share of its rim that a circle of a plain kind must have clear of prints, for base circles are as plain as red coins,
and a coin that fills the space between two base lines has half; and evidence that must speak for it: between coins as
dark as itself, on a line, a coin's rim draws hardly anything."""
BESIDE = 0.82
"""Circles nearer to a piece than this share of both radii are drawn by it."""


def overlooked(view: View, pieces: Sequence[tuple[Kind, Disc]], profile: Profile) -> list[tuple[Kind, Disc]]:
    """Coins that only their fellows among `pieces` tell, whose looks `profile` knows; `alike` says how well.

    What was found tells more of them in the same light, until there are no more.
    """
    found: list[tuple[Kind, Disc]] = []
    for kind in COINS:
        usual = _fellows(kind, pieces, profile)
        while usual and (more := _told_by(usual, kind, view, [*pieces, *found], profile)):
            found += [(kind, d) for d in more]
    return found


def _told_by(usual: Sequence[Disc], kind: Kind, view: View, pieces: Sequence[tuple[Kind, Disc]],
             profile: Profile) -> list[Disc]:  # fmt: skip
    """Coins of a kind that look as the `usual` ones of it do, or as those of the `pieces` that lie in their light."""
    classified, apart = [d for _, d in pieces], [d for k, d in pieces if k is kind and d.clear >= KIN_CLEAR]
    asked = _asked(kind, view, classified, usual, apart, profile)
    if not asked:
        return []
    around, found = Surroundings(view, classified), list[Disc]()
    shown = around.common(usual)
    for ring in asked:
        disc = view.disc(ring)
        weak = ring.support < FAINT_LEAST_RIM or (contrast(disc) > FAINT_PALE and evidence(disc) < STANDING_PLAIN)
        alike, near = _told_alike(around.likeness(ring, shown), weak), in_one_light(disc, apart)
        if near:
            lit = around.likeness(ring, around.common(near))
            alike = max(alike, _told_alike(lit, weak or len(near) < FAINT_LEAST_FELLOWS))
        if not alike or any(_is_drawn_by(ring, d) for d in found):
            continue
        if twins(view.picture, profile, [disc])[0] < LEAST_TWINS:
            found.append(replace(disc, alike=alike))
    return found


def _told_alike(like: Likeness, weak: bool) -> float:
    """How alike a circle is to some fellows; 0 where that does not tell it, drawn `weak` or by too few fellows."""
    enough = like.alike >= (VERY_ALIKE if weak else FAINT_LEAST_ALIKE)
    return like.alike if enough and STRENGTHS[0] < like.strength < STRENGTHS[1] else 0.0


def in_one_light(disc: Disc, others: Sequence[Disc]) -> list[Disc]:
    """Those of the others that look as a disc does to a tone."""
    return [d for d in others if d is not disc and looks_apart(disc, d) < ONE_LIGHT]


def _fellows(kind: Kind, pieces: Sequence[tuple[Kind, Disc]], profile: Profile) -> list[Disc]:
    """Those of the `pieces` that show how a kind looks here; none where they are too few to tell."""
    colour = profile.colours.get(kind)
    own = [d for k, d in pieces if colour and k is kind and kind_distance(d, colour) < FELLOW_LIKE]
    return own if len(own) >= FAINT_LEAST_FELLOWS else []


def _asked(kind: Kind, view: View, classified: Sequence[Disc], usual: Sequence[Disc], apart: Sequence[Disc],
           profile: Profile) -> list[Ring]:  # fmt: skip
    """Circles apart from `classified` discs and bare prints that look like a kind, or as one of its coins `apart` from
    prints does; of plain kinds, which need no fellows mostly, those only that have everything but a rim all round:
    beside a hole, or with a wall as dark as they are.
    """
    pale = float(np.median([contrast(d) for d in usual])) <= FAINT_PALE
    least = FAINTEST_RIM if pale else FAINT_LEAST_RIM
    rings = _not_drawn_by(
        classified, [r for r in view.coins if r.support >= least and (pale or r.clear > FAINT_LEAST_CLEAR)]
    )
    discs = [(r, view.disc(r)) for r in rings]
    like = [(r, d) for r, d in discs if _is_like(d, kind, apart, profile) and (pale or evidence(d) > FAINT_LEAST_DRAWN)]
    return [r for r, d in like if not _is_bare_print(d, view)]


def _is_like(disc: Disc, kind: Kind, apart: Sequence[Disc], profile: Profile) -> bool:
    """Whether a disc looks like a kind, or as one of some coins of it does and not like another kind."""
    if kind_distance(disc, profile.colours[kind]) < FELLOW_LIKE:
        return True
    return nearest_kind(disc, profile.colours)[0] is kind and bool(in_one_light(disc, apart))


def _is_bare_print(disc: Disc, view: View) -> bool:
    """Whether a disc lies on a printed circle and looks as most of those do: worn red ones look like reddish coins."""
    if print_distances([disc], view.profile)[0] > PRINT_NEAR_MM:
        return False
    away = print_distances(view.coins, view.profile)
    bare = bare_print([view.disc(r) for r, gap in zip(view.coins, away, strict=True) if gap <= PRINT_NEAR_MM])
    return bare is not None and looks_printed(disc, bare)


def strangers(view: View, pieces: Sequence[tuple[Kind, Disc]], profile: Profile) -> list[Disc]:
    """Weak circles among the `pieces` that have neither their kind's look nor what is seen around its other coins, nor
    around circles that nobody has told.
    """
    weak = [(k, d) for k, d in pieces if k in profile.colours and k in COINS
            and evidence(d) < STANDING_PLAIN and kind_distance(d, profile.colours[k]) >= FELLOW_LIKE]  # fmt: skip
    classified = [d for _, d in pieces]
    return [d for k, d in weak if (own := _fellows(k, pieces, profile)) and _is_strange(d, own, view, classified)]


def _is_strange(disc: Disc, fellows: Sequence[Disc], view: View, classified: Sequence[Disc]) -> bool:
    """True if no other `classified` piece, and no unclassified circle, looks like this one."""
    around = Surroundings(view, [d for d in classified if d is not disc])
    alike = around.likeness(disc, around.common(fellows)).alike
    return alike < STRANGE_ALIKE and not _has_kin(disc, view, around, classified)


def _has_kin(disc: Disc, view: View, around: Surroundings, classified: Sequence[Disc]) -> bool:
    """Whether circles that are none of what is `classified` look as a disc does, all of them apart from prints."""
    if disc.clear < KIN_CLEAR:
        return False
    free = _not_drawn_by(classified, [r for r in view.coins if r.support >= FAINT_LEAST_RIM and r.clear >= KIN_CLEAR])
    lit, shown = in_one_light(disc, [view.disc(r) for r in free]), around.common([disc])
    alike = [d for d in lit if around.likeness(d, shown).alike >= VERY_ALIKE]
    return sum(n < LEAST_TWINS for n in twins(view.picture, view.profile, alike)) >= LEAST_KIN


def _not_drawn_by(classified: Sequence[Disc], rings: Sequence[Ring]) -> list[Ring]:
    return [r for r in rings if not any(_is_drawn_by(r, d) for d in classified)]


def _is_drawn_by(ring: Ring, disc: Disc) -> bool:
    return math.hypot(ring.x - disc.x, ring.y - disc.y) < BESIDE * (ring.radius + disc.radius)
