"""Which circles are pieces: what speaks for a disc by itself, and how the prints look that draw circles too."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from calibration.geometry.camera import F64
from calibration.profile import Profile
from models.pieces import COINS, Kind
from referee.pieces.colour_classes import PLAINLY_RED, contrast, first_guess, ground_tint, kind_distance, redness
from referee.pieces.disc_fit import Disc
from referee.pieces.ornament_symmetry import LEAST_TWINS
from referee.pieces.printed_mask import meets_ornament, print_distances

EVIDENCE_CLEAR, EVIDENCE_ON_PRINT = 0.42, 0.56
"""Least evidence (see `evidence`) for a disc whose rim is clear of printed lines, and for one lying all on lines."""
STANDING_PLAIN = 0.8
"""A disc with this much evidence is a piece whatever its look."""
CONTRASTS, SUPPORTS = (4.0, 12.0, 25.0), (0.2, 0.44, 0.5)
"""The rim support that a disc of such a contrast (percent) must reach: what stands out from the board has an edge all
round or is no disc; only the palest coins' rims drown in grain and noise. Ornaments and crossing lines draw arcs."""
STANDING_CLEAR, CLEAR_SUPPORT, LEAST_SUPPORT = 0.7, 0.4, 0.33
"""Of a disc beyond the ornament with so much of its rim clear of lines and PLAIN_CONTRAST less of a rim is asked: it
drowns in dim light, beside a cushion or where it touches a base circle of its colour, and nothing else draws arcs; of a
piece whatever its look the least."""
MOSTLY_PRINT, ARC_SUPPORT = 0.6, 0.65
"""Of a disc with less of its rim clear of print than the first, and no more contrast than grain has, so much of a rim
must be seen there: between base lines a coin's width apart grain draws 0.4 to 0.56, and less does an arrow's arc that
is not quite where the book has it."""
PLAIN_SUPPORT = 0.85
"""A disc with an edge this plain all round is a piece though ornaments repeat it."""
PLAIN_CONTRAST = 25.0
"""A disc that differs this much (percent) from the board cannot be wood grain or a worn mark."""
PRINT_NEAR_MM = 7.0
"""A circle this near to a printed one may be the print, worn to one side."""
BESIDE_PRINT, BESIDE_PRINT_MM = 0.7, 4.0
"""A red disc near a base circle is the queen when its ring is drawn this well and its middle lies this far off."""
BESIDE_CENTRE_MM = 3.5
"""The same of one near the centre circle, whose place all the other prints tell."""
CENTRE_MM = 10.0
"""A circle this near to the board's middle is the centre circle or lies on it."""
LESS_PLAIN = 0.7
"""A second queen on the ornament for which no more than this share of the first one's evidence speaks is a petal,
bolder than the others."""
STANDING_LEAST_FELLOWS = 3
"""Base circles that must be seen to tell how a bare one looks."""
LEAST_INK, MOST_INK, OTHER_INK = 0.1, 1.8, 4.5
"""Prints of one board are worn by different shares, but else of one colour to within this distance (percent)."""
ODD_INK, ODDER = 7.0, 2.0
"""A red disc is of another ink than the base circle that it lies on when it is this far (percent) from the bare ones'
mixtures with the board, and by this factor farther than each of the others."""
ODD = 12.0
"""It is a piece, too, when this distance and by how much more (percent) it darkens the board around than most base
circles do, which is its shadow, come to this: 9 at most of 117 bare ones without rings, 12 to 33 of eleven queens on
them and 6 of one, on 60 simulated boards."""
COVERS, RINGED, RINGLESS = 0.3, 0.6, 0.5
"""It covers the circle if its margin differs less from its middle than this share of its step to the board, and where
most base circles have rings of more than the second share of theirs in hue, if it has none of half of that. On 100
simulated boards 97 of 99 queens on base circles were told, and none of 2205 bare ones taken for her."""
STANDING_OPAQUE, RIMLESS = 0.45, 0.25
"""A piece is as different from its margin as this share of its step to what it covers, in hue too; a red one has no
dark ring."""
ALIKE_OPAQUE = 0.35
"""The same of a red disc on the centre circle that is of the base circles' ink: 0.31 at most of queens on 42 simulated
boards, 0.4 and more of bare circles there."""
KNOWN_LOOK, KNOWN_BESIDE = 1.5, 3.0
"""So few standard deviations from a coin's look tell one on a print that looks otherwise, or plainly beside its middle:
there the print shows at one side of it."""
KNOWN_OPAQUE = 0.6
"""`STANDING_OPAQUE` of a disc that looks just as coins do: in a soft picture its margin is half of the print."""
FOREIGN_LOOK = 8.0
"""A disc so many standard deviations from all coins' looks is no coin: 13 a red centre circle on an orange board, which
is not redder than that."""
LEAST_HUE = 8.0
"""A step in hue (levels) smaller than this is drowned in noise."""
STANDING_TOUCH_MM, WAY_OUT = 3.0, math.radians(140.0)
"""Discs whose rims end this near to a circle's hold a piece there that finds no wider way out between two of them."""


def evidence(disc: Disc) -> float:
    """How strongly a circle speaks for a piece: its ring, its weakest quarter, its contrast, or its fellows' look."""
    own = disc.response + 0.35 * disc.support + 0.35 * min(contrast(disc) / 40.0, 1.0) - 0.1
    return max(own, disc.alike)


def believable(disc: Disc, profile: Profile) -> bool:
    """Whether a circle off the printed ones speaks for a piece by itself."""
    least = EVIDENCE_CLEAR + (EVIDENCE_ON_PRINT - EVIDENCE_CLEAR) * min(1.0, 3.0 * (1.0 - disc.clear))
    drawn = disc.clear < MOSTLY_PRINT and contrast(disc) < PLAIN_CONTRAST and disc.support < ARC_SUPPORT
    drawn = drawn or (disc.twins >= LEAST_TWINS and disc.support < PLAIN_SUPPORT)
    rim = float(np.interp(contrast(disc), CONTRASTS, SUPPORTS))
    if _is_plainly_clear(disc, profile):
        rim = LEAST_SUPPORT if evidence(disc) > STANDING_PLAIN else CLEAR_SUPPORT
    return bool(evidence(disc) > least and disc.support > rim and not drawn)


def _is_plainly_clear(disc: Disc, profile: Profile) -> bool:
    """Whether a disc stands out plainly where neither lines nor the ornament in the middle draw arcs."""
    return disc.clear > STANDING_CLEAR and contrast(disc) > PLAIN_CONTRAST and not meets_ornament(disc, profile)


def standing(discs: Sequence[Disc], profile: Profile) -> list[Disc]:
    """The discs without those that are prints: a disc on a printed circle must show that it stands there."""
    places = print_distances(discs, profile)
    plain = [d for d, p in zip(discs, places, strict=True) if p > PRINT_NEAR_MM and believable(d, profile)]
    shades = [d.shade for d in plain if contrast(d) > PLAIN_CONTRAST]
    coins = float(np.median(shades)) if shades else 90.0
    shade = (100.0 + coins) / 2
    reds = [redness(d) for d in plain if first_guess(d) is Kind.QUEEN and not _is_striker(d, profile)]
    on_print = [(d, p) for d, p in zip(discs, places, strict=True) if p <= PRINT_NEAR_MM]
    base = [d for d, _ in on_print if not is_central(d)]
    bare = bare_print(base)
    ringed = float(np.median([_ring_share(d) for d in base])) if base else 0.0
    standing = []
    for d, p in on_print:
        # Beside the queen brown coins are hardly red.
        queen_elsewhere = max(reds, default=-math.inf) > PLAINLY_RED * redness(d)
        hides = _hides_ring(d, ringed)
        queen = not queen_elsewhere and (_is_hemmed_in(d, plain) or _is_queen_on_print(d, base, bare, hides))
        coin = queen or _is_known_coin(d, p, profile, bare, shade)
        if coin or _stands_on_print(d, p, shade, queen_elsewhere, bare, hides):
            standing.append(d)
    standing = [d for d in standing if bare is None or not _is_centre_print(d, base, bare, coins)]
    return plain + [d for d in standing if not (is_central(d) and _is_foreign(d, profile))]


def without_red_prints(pieces: Sequence[tuple[Kind, Disc]], profile: Profile) -> list[tuple[Kind, Disc]]:
    """Pieces with one queen: where a red disc lies elsewhere, one on a printed circle that shades the board less than
    coins do is the print, in an ink of its own, as is any where the queen cannot have left the middle; and one on the
    ornament for which far less speaks is a part of that.
    """
    pieces = _without_red_petals(pieces, profile)
    red = [d for k, d in pieces if k is Kind.QUEEN]
    others = [d for k, d in pieces if k is not Kind.QUEEN]
    if len(red) < 2 or not others:
        return list(pieces)
    shade = (100.0 + float(np.median([d.shade for d in others]))) / 2
    places = print_distances(red, profile)
    hemmed_in = [d for d in red if _is_hemmed_in(d, others)]
    printed = [d for d, p in zip(red, places, strict=True)
               if p <= PRINT_NEAR_MM and d not in hemmed_in and (hemmed_in or d.shade > shade)]  # fmt: skip
    if len(printed) == len(red):
        return list(pieces)
    return [(k, d) for k, d in pieces if all(d is not p for p in printed)]


def _without_red_petals(pieces: Sequence[tuple[Kind, Disc]], profile: Profile) -> list[tuple[Kind, Disc]]:
    plainest = max((evidence(d) for k, d in pieces if k is Kind.QUEEN), default=0.0)
    reach = profile.board.outer_circle_radius
    return [(k, d) for k, d in pieces
            if k is not Kind.QUEEN or math.hypot(d.x, d.y) > reach or evidence(d) > LESS_PLAIN * plainest]  # fmt: skip


def _is_centre_print(disc: Disc, base: Sequence[Disc], bare: F64, shade: float) -> bool:
    """Whether a disc on the centre circle is one more of the `base` circles: it looks as they do `bare`, has a ring as
    they have, or shades the board as little, coins by `shade` percent. What may be the queen is told elsewhere.
    """
    if not is_central(disc) or first_guess(disc) is Kind.QUEEN or not looks_printed(disc, bare):
        return False
    rim, step = _steps(disc)
    return rim > RIMLESS * step or disc.shade > (float(np.median([d.shade for d in base])) + shade) / 2


def _is_foreign(disc: Disc, profile: Profile) -> bool:
    """Whether a disc of a coin's size looks like no kind of coin, all of which are known."""
    colours = [profile.colours[k] for k in COINS if k in profile.colours]
    known = len(colours) == len(COINS) and not _is_striker(disc, profile)
    return known and min(kind_distance(disc, colour) for colour in colours) > FOREIGN_LOOK


def _is_striker(disc: Disc, profile: Profile) -> bool:
    """Whether a disc is larger than coins are: strikers may be as red as the queen."""
    return disc.radius > (profile.board.coin_radius + profile.board.striker_radius) / 2


def _is_hemmed_in(disc: Disc, plain: Sequence[Disc]) -> bool:
    """Whether a red disc on the centre circle lies between `plain` discs that touch it all round: she could not have
    left, and no shade is seen beside her.
    """
    if not is_central(disc) or first_guess(disc) is not Kind.QUEEN or disc.response < BESIDE_PRINT:
        return False
    near = [(d.x - disc.x, d.y - disc.y) for d in plain
            if abs(math.hypot(d.x - disc.x, d.y - disc.y) - d.radius - disc.radius) < STANDING_TOUCH_MM]  # fmt: skip
    turns = sorted(math.atan2(y, x) for x, y in near)
    ways = (b - a for a, b in zip(turns, [*turns[1:], turns[0] + math.tau], strict=True)) if turns else [math.tau]
    return max(ways) < WAY_OUT


def is_central(disc: Disc) -> bool:
    """Whether a disc lies on the centre circle rather than on a base circle."""
    return math.hypot(disc.x, disc.y) < CENTRE_MM


def bare_print(discs: Sequence[Disc]) -> F64 | None:
    """How most of the base circles look (3,); None when too few are seen. Coins cover one or two of the eight."""
    return np.median([d.tint for d in discs], axis=0) if len(discs) >= STANDING_LEAST_FELLOWS else None


def looks_printed(disc: Disc, bare: F64) -> bool:
    """Whether a disc looks as the `bare` print (3,) does, more or less worn off: a mixture of it and the board."""
    share, aside = _ink(disc, bare)
    return LEAST_INK < share < MOST_INK and aside < OTHER_INK


def _ink(disc: Disc, bare: F64) -> tuple[float, float]:
    """How much of the `bare` print's step (3,) from the board a disc shows, and how far (percent) it is from that."""
    ground = np.array(ground_tint(disc))
    print_step, step = bare - ground, disc.tint - ground
    share = float(step @ print_step) / max(float(print_step @ print_step), 1e-9)
    return share, float(np.linalg.norm(step - share * print_step))


def _is_queen_on_print(disc: Disc, base: Sequence[Disc], bare: F64 | None, hides_ring: bool) -> bool:
    """Whether a red disc covers one of the `base` circles: it hides its ring, or is of another red than all of them, by
    less if it casts a shadow.
    """
    rim, step = _steps(disc)
    if bare is None or is_central(disc) or first_guess(disc) is not Kind.QUEEN:
        return False
    if rim > COVERS * step or _is_ringed(disc):
        return False
    ink, darker = _ink(disc, bare)[1], float(np.median([d.shade for d in base])) - disc.shade
    others = [_ink(d, bare)[1] for d in base if d is not disc and first_guess(d) is Kind.QUEEN]
    return hides_ring or ink + darker > ODD or ink > max([ODD_INK, *(ODDER * other for other in others)])


def _hides_ring(disc: Disc, ringed: float) -> bool:
    """Whether a disc shows no ring where most of the base circles do, by the share of their step that is `ringed`."""
    return ringed > RINGED and _ring_share(disc) < RINGLESS * ringed


def _steps(disc: Disc, first: int = 0) -> tuple[float, float]:
    """How far (levels) a disc's margin is from its middle, and the board around from it, in planes from `first` on."""
    inner, margin, ground = (np.array(c[first:]) for c in (disc.colour, disc.margin_colour, disc.ground))
    return float(np.linalg.norm(margin - inner)), float(np.linalg.norm(ground - inner))


def _is_ringed(disc: Disc) -> bool:
    """Whether a disc's margin has the hue of the board around rather than its own: a red print's ring is drawn on wood,
    which shows through it.
    """
    return _ring_share(disc) > STANDING_OPAQUE


def _ring_share(disc: Disc) -> float:
    """How far a disc's margin is in hue from its middle, as a share of the board's step from it."""
    rim, step = _steps(disc, 1)
    return rim / max(step, LEAST_HUE)


def _is_known_coin(disc: Disc, distance: float, profile: Profile, bare: F64 | None, shade: float) -> bool:
    """Whether a disc on a printed circle looks just as the white or the black coins do and not as the `bare` print, and
    shades the board: in a soft picture its rim, half over the print, looks like a ring.

    Where an ornament hides its shade it must stand out plainly, or lie beside the print's middle.
    """
    if bare is None or looks_printed(disc, bare) or disc.support < PLAIN_SUPPORT:
        return False
    colours = (profile.colours[k] for k in (Kind.WHITE, Kind.BLACK) if k in profile.colours)
    most = KNOWN_BESIDE if distance > BESIDE_CENTRE_MM and disc.response > BESIDE_PRINT else KNOWN_LOOK
    if not any(kind_distance(disc, colour) < most for colour in colours):
        return False
    rim, step = _steps(disc)
    apart = contrast(disc) > PLAIN_CONTRAST or distance > BESIDE_CENTRE_MM
    return disc.shade <= shade or (rim < KNOWN_OPAQUE * step and apart)


def _stands_on_print(disc: Disc, distance: float, shade: float, queen_elsewhere: bool, bare: F64 | None,
                     hides_ring: bool) -> bool:  # fmt: skip
    """Whether a disc on a printed circle is a piece: opaque to its rim, and not looking as the `bare` print does.

    A red disc on the centre circle, where she is put back, is the queen when she lies nowhere else and the board
    around is shaded as around other coins, which a star may hide, or she lies plainly beside the print's middle. On a
    base circle she must.
    Out of focus her own rim looks like a faint ring, but not like those that the base circles have.
    """
    if evidence(disc) < EVIDENCE_ON_PRINT:
        return False
    rim, step = _steps(disc)
    if bare is not None and not is_central(disc):
        if looks_printed(disc, bare) or first_guess(disc) is Kind.QUEEN:
            return disc.response > BESIDE_PRINT and not queen_elsewhere and distance > BESIDE_PRINT_MM
        step = max(step, math.dist(disc.tint, bare.tolist()) * disc.ground[0] / 100.0)
    elif contrast(disc) < 10.0 or (not is_central(disc) and _is_ringed(disc)):
        return False
    if first_guess(disc) is Kind.QUEEN and is_central(disc):
        covers = disc.shade < shade and rim < (STANDING_OPAQUE if hides_ring else RIMLESS) * step
        ink_of_prints = bare is not None and looks_printed(disc, bare)
        covers = (
            covers and _ring_share(disc) < (ALIKE_OPAQUE if ink_of_prints else STANDING_OPAQUE) and not disc.starred
        )
        beside = disc.response > BESIDE_PRINT and distance > BESIDE_CENTRE_MM
        return (covers or beside) and not queen_elsewhere
    return rim < STANDING_OPAQUE * step and (contrast(disc) > PLAIN_CONTRAST or disc.shade < shade)
