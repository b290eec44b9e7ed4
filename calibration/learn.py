"""The pieces in one still picture, and what the board's pieces look like, learned from such pictures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from calibration.camera import F64
from calibration.discs import Disc, find_discs, ground_afar, refine, scan_lattice, without_prints
from calibration.lattice import Lattice
from calibration.looks import (
    contrast,
    find_formation,
    first_guess,
    ground_tint,
    group,
    kind_distance,
    mean_colour,
    nearest_kind,
)
from calibration.picture import U8, Picture
from calibration.prints import in_pocket, print_distance, print_mask
from calibration.profile import Profile
from calibration.rings import F32, edge_field
from calibration.symmetry import LEAST_TWINS, twins
from models.pieces import COINS, Kind, Piece

EVIDENCE_CLEAR, EVIDENCE_ON_PRINT = 0.42, 0.56
"""Least evidence (see `evidence`) for a disc whose rim is clear of printed lines, and for one lying all on lines."""
STRIKER_RADII = (19.5, 21.0, 22.5, 24.0, 26.0, 28.0, 31.0)
"""Radii (mm) tried for a striker not yet measured, up to twice a coin's size; nearer a coin's, size tells nothing."""
STRIKER_LIKE, STRIKER_RING = 5.0, 0.35
"""A disc is the striker when its look is within this many standard deviations and its ring drawn this well."""
PLAIN_RING = 0.6
"""A ring drawn this well is one, whatever its look."""
LARGER = 0.88
"""A striker's ring is drawn this well compared with a coin's inside it; a coin's wall and shade stay below 0.78."""
STRIKER_RIM = 0.6
"""Rim support of a striker that a coin's ring lies in."""
GROUND_CONTRAST = 18.0
"""Contrast (percent) from which a piece is told from shaded board beside it."""
GOES_ON = 0.6
"""Just outside a ring that is printed on a striker it looks like the striker, nearer by this factor than the board."""
TOUCH = 1.15
"""Discs whose middles lie nearer than this share of both radii may touch."""
CROWD = 3
"""A disc with this many neighbours shows more of them than of the board around it."""
LARGER_OWN = 0.6
"""The same for a disc that looks more like the striker than like any coin."""
CONTRASTS, SUPPORTS = (4.0, 12.0, 25.0), (0.2, 0.44, 0.5)
"""The rim support that a disc of such a contrast (percent) must reach: what stands out from the board has an edge all
round or is no disc; only the palest coins' rims drown in grain and noise. Ornaments and crossing lines draw arcs."""
ARC_SUPPORT = 0.65
"""An arc of an arrow that is not quite where the book has it draws less of a rim than this beside its print."""
PLAIN_SUPPORT = 0.85
"""A disc with an edge this plain all round is a piece though ornaments repeat it."""
MOSTLY_PRINT, PRINT_CONTRAST = 0.6, 4.5
"""A disc with less of its rim clear of print and so little contrast (percent) is an arrow's arc or an ornament."""
PLAIN_CONTRAST = 25.0
"""A disc that differs this much (percent) from the board cannot be wood grain or a worn mark."""
STRIKER_CONTRAST = 10.0
"""Least contrast (percent) of a striker not yet learned: larger rings on boards are drawn in thin lines."""
STRIKER_SUPPORT = 0.4
"""Least rim support of a striker not yet learned: crossing lines and ornaments draw arcs, not rings."""
PRINT_NEAR_MM = 7.0
"""A circle this near to a printed one may be the print, worn to one side."""
BESIDE_PRINT, BESIDE_PRINT_MM = 0.7, 4.0
"""A red disc near a base circle is the queen when its ring is drawn this well and its middle lies this far off."""
CENTRE_MM = 10.0
"""A circle this near to the board's middle is the centre circle or lies on it."""
LEAST_FELLOWS = 3
"""Base circles that must be seen to tell how a bare one looks."""
LEAST_INK, MOST_INK, OTHER_INK = 0.1, 1.8, 4.5
"""Prints of one board are worn by different shares, but else of one colour to within this distance (percent)."""
OPAQUE, RIMLESS = 0.45, 0.25
"""A piece is as different from its margin as this share of its step to what it covers; a red one has no dark ring."""
COIN_SIZES = (0.9, 1.12)
"""A disc between these multiples of the coin's radius is a coin."""


def evidence(disc: Disc) -> float:
    """How strongly a circle speaks for a piece: its ring, its weakest quarter, its contrast to the board."""
    return disc.response + 0.35 * disc.support + 0.35 * min(contrast(disc) / 40.0, 1.0) - 0.1


def candidates(picture: Picture, profile: Profile) -> list[Disc]:
    """Circles of a coin's or a striker's size on the playing surface, outside the pockets; prints not yet told."""
    board = profile.board
    lattice = scan_lattice(profile.camera, board.half, board.coin_height)
    yuv = lattice.look(picture)
    prints, field = print_mask(profile, lattice), edge_field(yuv)
    coins = find_discs(lattice, yuv, field, [board.coin_radius], board.half, prints)
    large = _strikers(lattice, yuv, field, prints, profile)
    told = [d for d in _larger_wins(coins, large, profile) if not in_pocket(d, profile)]
    repeated = twins(picture, profile, told)
    told = [
        replace(d, twins=0 if is_coin_sized(d, profile) and _touched(d, told) else n)
        for d, n in zip(told, repeated, strict=True)
    ]
    return [replace(d, ground=ground_afar(lattice, yuv, d)) if _crowded(d, told) else d for d in told]


def _touched(disc: Disc, discs: list[Disc]) -> bool:
    """Whether plain discs touch one on two sides, as in the opening formation, which is symmetrical too."""
    near = [d for d in discs if d is not disc and d.support > SUPPORTS[-1]
            and math.hypot(d.x - disc.x, d.y - disc.y) < TOUCH * (d.radius + disc.radius)]  # fmt: skip
    return len(near) >= 2


def _crowded(disc: Disc, discs: list[Disc]) -> bool:
    """Whether so many discs lie around one that what is seen beside it is not the board."""
    near = sum(math.hypot(d.x - disc.x, d.y - disc.y) < 1.5 * (d.radius + disc.radius) for d in discs)
    return near - 1 >= CROWD


def _strikers(lattice: Lattice, yuv: U8, field: tuple[F32, F32], prints: U8, profile: Profile) -> list[Disc]:
    """Discs of the striker's size: by its look where that is known, else by standing out from the board."""
    board, look = profile.board, profile.colours.get(Kind.STRIKER)
    if look is not None:
        found = find_discs(lattice, yuv, field, [board.striker_radius], board.half, prints)
        return [d for d in found if d.response > STRIKER_RING and (kind_distance(d, look) < STRIKER_LIKE or _plain(d))]
    radii = [board.striker_radius, *(r for r in STRIKER_RADII if r > board.striker_radius + 1.0)]
    found = find_discs(lattice, yuv, without_prints(field, prints), radii, board.half, prints)
    return [d for d in found if contrast(d) > STRIKER_CONTRAST and d.support > STRIKER_SUPPORT]


def _plain(disc: Disc) -> bool:
    """Whether a ring of the striker's size is drawn so plainly that glare on it does not matter."""
    return disc.response > PLAIN_RING and contrast(disc) > STRIKER_CONTRAST and disc.support > STRIKER_SUPPORT


def _larger_wins(coins: list[Disc], large: list[Disc], profile: Profile) -> list[Disc]:
    """Both together; a coin's ring inside a striker's is its ornament, a large ring drawn worse its shade.

    A ring outside of which the piece goes on is no coin's; but there is one striker, so where that holds for several
    rings they are coins in deep shade.
    """
    keep = [d for d in large if all(_beats(d, c, profile) for c in coins if _inside(c, d))]
    wider = [d for d in large if d not in keep and _is_about_print(d, coins)]
    keep += wider if len(wider) == 1 else []
    return keep + [c for c in coins if not any(_inside(c, d) for d in keep)]


def _beats(large: Disc, coin: Disc, profile: Profile) -> bool:
    """Whether a striker's ring is drawn well enough against a coin's inside it; less will do for the striker's look."""
    look = profile.colours.get(Kind.STRIKER)
    own = look is not None and kind_distance(coin, look) < nearest_kind(coin, profile.colours)[1]
    return large.response > (LARGER_OWN if own else LARGER) * coin.response


def _is_about_print(large: Disc, coins: list[Disc]) -> bool:
    """Whether the rings inside a large one are printed on the piece, which goes on outside them all round."""
    within, beside = [c for c in coins if _inside(c, large)], [c for c in coins if not _inside(c, large)]
    plain = large.support > STRIKER_RIM and contrast(large) > STRIKER_CONTRAST
    return plain and all(_goes_on(c) and not _touched(c, beside) for c in within)


def _goes_on(coin: Disc) -> bool:
    """Whether the piece goes on outside a coin's ring, which then is its print, or groove."""
    inner, beyond, ground = (np.array(c) for c in (coin.colour, coin.beyond, coin.ground))
    return contrast(coin) > GROUND_CONTRAST and bool(
        np.linalg.norm(beyond - inner) < GOES_ON * np.linalg.norm(beyond - ground)
    )


def _inside(coin: Disc, large: Disc) -> bool:
    return math.hypot(coin.x - large.x, coin.y - large.y) < 0.8 * large.radius


def is_coin_sized(disc: Disc, profile: Profile) -> bool:
    """Whether a disc has a coin's radius rather than a striker's."""
    low, high = COIN_SIZES
    return low * profile.board.coin_radius <= disc.radius <= high * profile.board.coin_radius


def believable(disc: Disc) -> bool:
    """Whether a circle off the printed ones speaks for a piece by itself."""
    least = EVIDENCE_CLEAR + (EVIDENCE_ON_PRINT - EVIDENCE_CLEAR) * min(1.0, 3.0 * (1.0 - disc.clear))
    drawn = disc.clear < MOSTLY_PRINT and contrast(disc) < PRINT_CONTRAST and disc.support < ARC_SUPPORT
    drawn = drawn or (disc.twins >= LEAST_TWINS and disc.support < PLAIN_SUPPORT)
    rim = np.interp(contrast(disc), CONTRASTS, SUPPORTS)
    return bool(evidence(disc) > least and disc.support > rim and not drawn)


def standing(discs: Sequence[Disc], profile: Profile) -> list[Disc]:
    """The discs without those that are prints: a disc on a printed circle must show that it stands there."""
    places = [print_distance(d, profile) for d in discs]
    plain = [d for d, p in zip(discs, places, strict=True) if p > PRINT_NEAR_MM and believable(d)]
    shades = [d.shade for d in plain if contrast(d) > PLAIN_CONTRAST]
    shade = (100.0 + (float(np.median(shades)) if shades else 90.0)) / 2
    queen_elsewhere = any(first_guess(d) is Kind.QUEEN for d in plain)
    on_print = [(d, p) for d, p in zip(discs, places, strict=True) if p <= PRINT_NEAR_MM]
    bare = _bare_print([d for d, _ in on_print if not _central(d)])
    return plain + [d for d, p in on_print if _stands_on_print(d, p, shade, queen_elsewhere, bare)]


def _central(disc: Disc) -> bool:
    """Whether a disc lies on the centre circle rather than on a base circle."""
    return math.hypot(disc.x, disc.y) < CENTRE_MM


def _bare_print(discs: Sequence[Disc]) -> F64 | None:
    """How most of the base circles look (3,); None when too few are seen. Coins cover one or two of the eight."""
    return np.median([d.tint for d in discs], axis=0) if len(discs) >= LEAST_FELLOWS else None


def _looks_printed(disc: Disc, bare: F64) -> bool:
    """Whether a disc looks as the `bare` print (3,) does, more or less worn off: a mixture of it and the board."""
    ground = ground_tint(disc)
    print_step, step = bare - ground, disc.tint - ground
    share = float(step @ print_step) / max(float(print_step @ print_step), 1e-9)
    aside = float(np.linalg.norm(step - share * print_step))
    return LEAST_INK < share < MOST_INK and aside < OTHER_INK


def _stands_on_print(disc: Disc, distance: float, shade: float, queen_elsewhere: bool, bare: F64 | None) -> bool:
    """Whether a disc on a printed circle is a piece: opaque to its rim, and not looking as the `bare` print does.

    A red disc on the centre circle, where she is put back, is the queen when she lies nowhere else and the board
    around is shaded as around other coins. On a base circle she must lie plainly beside the print's middle.
    """
    if evidence(disc) < EVIDENCE_ON_PRINT:
        return False
    inner, margin, ground = (np.array(c) for c in (disc.colour, disc.margin_colour, disc.ground))
    rim, step = float(np.linalg.norm(margin - inner)), float(np.linalg.norm(ground - inner))
    if bare is not None and not _central(disc):
        if _looks_printed(disc, bare) or first_guess(disc) is Kind.QUEEN:
            return disc.response > BESIDE_PRINT and not queen_elsewhere and distance > BESIDE_PRINT_MM
        step = max(step, float(np.linalg.norm(disc.tint - bare)) * disc.ground[0] / 100.0)
    elif contrast(disc) < 10.0:
        return False
    if first_guess(disc) is Kind.QUEEN and _central(disc):
        return not queen_elsewhere and disc.shade < shade and rim < RIMLESS * step
    return rim < OPAQUE * step and (contrast(disc) > PLAIN_CONTRAST or disc.shade < shade)


def learn(profile: Profile, pictures: Sequence[Picture]) -> Profile:
    """The profile with the looks learned from the pieces in `pictures`; unchanged where nothing lies.

    The opening formation tells each coin's kind by its place; without it coins are told by a first guess and refined.
    """
    found = [candidates(p, profile) for p in pictures]
    formation = next((f for f in (_formation(d, profile) for d in found) if f), None)
    if formation:
        groups = {k: [d for piece, d in formation if piece.kind is k] for k in COINS}
    else:
        told = [d for discs in found for d in standing(discs, profile) if is_coin_sized(d, profile)]
        groups = group(told, len(pictures))
    colours = {k: mean_colour(g) for k, g in groups.items() if g}
    return replace(profile, colours={**profile.colours, **colours})


def _formation(discs: Sequence[Disc], profile: Profile) -> tuple[tuple[Piece, Disc], ...] | None:
    return find_formation([d for d in discs if is_coin_sized(d, profile)], profile.board.coin_radius)


def find_pieces(picture: Picture, profile: Profile) -> list[tuple[Kind, Disc]]:
    """All pieces lying on the playing surface in one picture, their kinds by the looks that the profile knows."""
    known = profile if profile.colours else learn(profile, [picture])
    discs = candidates(picture, known)
    formation = _formation(discs, known)
    told = [(p.kind, d) for p, d in formation] if formation else []
    rest = [d for d in standing(discs, known) if all(d is not t for _, t in told)]
    pieces = told + [(_kind(d, known), d) for d in rest]
    pieces = _without_overlap(pieces)
    board = known.board
    heights = np.array([board.height(k) for k, _ in pieces])
    placed = refine(picture, known.camera, [d for _, d in pieces], heights)
    return [(k, d) for (k, _), d in zip(pieces, placed, strict=True)]


def _kind(disc: Disc, profile: Profile) -> Kind:
    return nearest_kind(disc, profile.colours)[0] if is_coin_sized(disc, profile) else Kind.STRIKER


def _without_overlap(pieces: list[tuple[Kind, Disc]]) -> list[tuple[Kind, Disc]]:
    """Pieces that can lie beside each other: of two that overlap the one with more evidence stays."""
    kept: list[tuple[Kind, Disc]] = []
    for k, d in sorted(pieces, key=lambda p: evidence(p[1]), reverse=True):
        if all(math.hypot(d.x - o.x, d.y - o.y) > 0.82 * (d.radius + o.radius) for _, o in kept):
            kept.append((k, d))
    return kept
