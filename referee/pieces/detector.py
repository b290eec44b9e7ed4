"""The pieces in one still picture, and what the board's pieces look like, learned from such pictures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations

import numpy as np

from calibration.geometry.picture import Picture
from calibration.profile import Profile
from models.pieces import COINS, Kind, Piece
from referee.pieces.candidates import candidates, is_coin_sized
from referee.pieces.colour_classes import (
    first_guess,
    group,
    has_boards_hue,
    is_light,
    kind_distance,
    mean_colour,
    nearest_kind,
    redness,
)
from referee.pieces.disc_fit import Disc, refine, refine_striker
from referee.pieces.faint_coins import BESIDE, overlooked, strangers
from referee.pieces.opening_formation import FORMATION_REACH, TELLS, Formation, completed, find_formation
from referee.pieces.print_rejection import STANDING_PLAIN, evidence, standing, without_red_prints
from referee.pieces.scan import View
from referee.pieces.witnesses import believed, witnessed

DETECTOR_SETTLED_MM = 2.0
"""The search finds a disc this near to where it lies."""
ODD_MM, LEAST_SIZED = 0.4, 5
"""Coins whose rims lie this far from where the book has them, as seen on so many, are of another size; measured on 34
boards with coins by the book, the median was off by 0.3 mm at most."""
DETECTOR_STRANGER = 4.0
"""A coin this many standard deviations from the looks of all kinds that were learned may be of another kind."""
ALIEN = 6.0
"""And one this many, hardly drawn at all, is none: pale coins differ by up to five between light and shade."""
DETECTOR_FOREIGN, FOREIGN_PETAL, DETECTOR_BEYOND_DOUBT = 12.0, 8.0, 1.2
"""And one so far from the looks of a whole set is none with less evidence than the last: a leaf of an ornament half
under a coin. On the ornament the second is far enough, and the striker, which shows a coin's size where a hand hides it
between its lines, need not be known. Of the coins of 174 simulated boards none was farther than 5.8."""
PETAL_SUPPORT = 0.65
"""Of a leaf less of a coin's rim is seen: 0.4 to 0.6, and of coins on ornaments 0.9 and more. What has so little and
does not look just as a coin is none."""
TEACHES = 0.5
"""A weak disc that has less of its rim clear of prints does not teach how its kind looks."""
SPARE = 2
"""So many discs too many may look like coins elsewhere while the opening formation stands: prints, a striker."""
OVERLAID_MM = 1.5
"""Coins that touch are measured to overlap by less."""
DETECTOR_ALIKE = 2.5
"""Two discs as large as a striker whose looks differ by so many standard deviations at most are coins."""
LEAST_PLAIN, LONE = 2, 0.55
"""So many plain coins of a kind tell how the others look; one alone with less evidence is as likely a print. A queen
always stands out from the board: wood grain reddish by chance does not."""


def learn(profile: Profile, pictures: Sequence[Picture]) -> Profile:
    """The profile with the looks learned from the pieces in `pictures`; unchanged where nothing lies.

    The opening formation tells each coin's kind by its place; without it coins are told by a first guess and refined.
    """
    if pictures and not profile.colours:
        profile = replace(profile, board=meet(pictures[0], profile)[0].board)
    views = [View(p, profile) for p in pictures]
    return taught(profile, [witnessed(view, candidates(view)) for view in views])


def taught(profile: Profile, found: Sequence[Sequence[Disc]]) -> Profile:
    """The profile with the looks learned from the discs found in several pictures."""
    formation = next((f for f in (opening_among(d, profile) for d in found) if f), None)
    if formation:
        groups = {k: [d for piece, d in formation if piece.kind is k] for k in COINS}
    else:
        there = (_with_one_striker(believed(standing(discs, profile), 0.0), profile) for discs in found)
        coins = [d for discs in there for d in discs if is_coin_sized(d, profile)]
        groups = group(
            coins, len(found), [d for d in coins if evidence(d) > STANDING_PLAIN and not _may_be_petal(d, profile)]
        )
    colours = {k: mean_colour(_plain(k, g)) for k, g in groups.items() if _is_told(k, g)}
    return replace(profile, colours={**profile.colours, **colours})


def _is_told(kind: Kind, discs: Sequence[Disc]) -> bool:
    """Whether discs taken for a kind show how it looks: enough of them, or one that is there for sure."""
    if kind is Kind.QUEEN:
        return any(evidence(d) > STANDING_PLAIN for d in discs)
    return len(discs) > 1 or any(evidence(d) > LONE for d in discs)


def _plain(kind: Kind, discs: list[Disc]) -> list[Disc]:
    """Those that are pieces beyond doubt or look like them apart from prints, if enough are: grain between crossing
    lines draws weak circles. There is one queen, and worn prints are as red.
    """
    plain = [d for d in discs if evidence(d) > STANDING_PLAIN]
    if len(plain) < (1 if kind is Kind.QUEEN else LEAST_PLAIN):
        return discs
    colour = mean_colour(plain)
    return [
        d for d in discs if evidence(d) > STANDING_PLAIN or (d.clear > TEACHES and kind_distance(d, colour) < ALIEN)
    ]


def is_likely(disc: Disc, profile: Profile) -> bool:
    """Whether a disc is plainly there or looks like a piece that was learned."""
    plain, coin = evidence(disc) > STANDING_PLAIN, is_coin_sized(disc, profile)
    if not coin:
        return plain or Kind.STRIKER in profile.colours
    kind, off = nearest_kind(disc, profile.colours)
    ornate = _is_ornate(disc, profile)
    # What is less red than the board is no queen, whose look may not be known.
    may_be = (k for k in (COINS if ornate else Kind) if k is not Kind.QUEEN or redness(disc) > 0)
    if plain and all(k in profile.colours for k in may_be):
        foreign = DETECTOR_STRANGER if _may_be_petal(disc, profile) else FOREIGN_PETAL if ornate else DETECTOR_FOREIGN
        return off < foreign or evidence(disc) > DETECTOR_BEYOND_DOUBT
    if plain or off >= ALIEN or is_light(disc):
        return plain
    return kind not in profile.colours or not has_boards_hue(disc, profile.colours[kind])


def _is_ornate(disc: Disc, profile: Profile) -> bool:
    return math.hypot(disc.x, disc.y) < profile.board.outer_circle_radius


def _may_be_petal(disc: Disc, profile: Profile) -> bool:
    """Whether a disc on the ornament may be a leaf of it, or bright board between two."""
    return _is_ornate(disc, profile) and disc.support < PETAL_SUPPORT


def opening_among(discs: Sequence[Disc], profile: Profile) -> Formation | None:
    """The opening formation, if no more coins stand elsewhere than the set has left for it: petals about the middle and
    the bare wood between them draw circles too. Grain does elsewhere, but none as plain as most of its coins.
    """
    found = find_formation([d for d in discs if is_coin_sized(d, profile)], profile.board.coin_radius, TELLS)
    if found is None:
        return None
    reach = FORMATION_REACH * profile.board.coin_radius
    least = min(STANDING_PLAIN, float(np.median([evidence(d) for _, d in found])))
    elsewhere = [d for d in standing(discs, profile)
                 if is_coin_sized(d, profile) and math.hypot(d.x, d.y) > reach and evidence(d) > least]  # fmt: skip
    return found if len(found) + len(elsewhere) <= sum(profile.full_set.values()) + SPARE else None


def find_pieces(picture: Picture, profile: Profile, settled: Sequence[Piece] = ()) -> list[tuple[Kind, Disc]]:
    """All pieces lying on the playing surface in one picture, their kinds by the looks that the profile knows.

    Those that are seen to lie where one of `settled` does are told as the search found them, to a few millimetres;
    measuring them again would take a third of the time.
    """
    return meet(picture, profile, settled)[1]


def meet(picture: Picture, profile: Profile,
         settled: Sequence[Piece] = ()) -> tuple[Profile, list[tuple[Kind, Disc]]]:  # fmt: skip
    """The same, and the profile with the looks and the size learned from the coins if it knew no looks.

    One search does for both mostly: coins' looks do not change which circles are found, but an odd size does.
    """
    known, pieces = _met(picture, profile, settled)
    growth = _growth(pieces)
    if profile.colours or abs(growth) < ODD_MM:
        return known, pieces
    board = replace(profile.board, coin_radius=profile.board.coin_radius + growth)
    return _met(picture, replace(profile, board=board), settled)


def _growth(pieces: Sequence[tuple[Kind, Disc]]) -> float:
    """How much larger (mm, radius) most of the coins are than expected; 0 where too few are seen to tell."""
    excess = [d.excess for kind, d in pieces if kind is not Kind.STRIKER]
    return float(np.median(excess)) if len(excess) >= LEAST_SIZED else 0.0


def _met(picture: Picture, profile: Profile,
         settled: Sequence[Piece]) -> tuple[Profile, list[tuple[Kind, Disc]]]:  # fmt: skip
    """The profile with the looks learned from the pieces if it knew none, and the pieces."""
    view = View(picture, profile)
    discs = candidates(view)
    if not profile.colours:
        discs = witnessed(view, discs)
    known = profile if profile.colours else taught(profile, [discs])
    seen = opening_among(discs, known)
    formation = completed(seen, view, known) if seen else None
    by_place = [(p.kind, d) for p, d in formation] if formation else []
    there = _with_one_striker(believed(standing(discs, known)), known)
    rest = [d for d in there if all(d is not t for _, t in by_place) and is_likely(d, known)]
    pieces = _without_overlap(by_place + [(_kind(d, known), d) for d in with_striker(rest, known)])
    pieces = without_red_prints(pieces, known)
    strange = strangers(view, pieces, known)
    pieces = [(k, d) for k, d in pieces if d not in strange]
    pieces += overlooked(view, pieces, known)
    new = [i for i, (k, d) in enumerate(pieces) if not any(_lies_at(p, k, d) for p in settled)]
    for i, disc in zip(new, placed(picture, known, [pieces[i] for i in new]), strict=True):
        pieces[i] = pieces[i][0], disc
    return known, _without_overlaid(pieces)


def placed(picture: Picture, profile: Profile, pieces: Sequence[tuple[Kind, Disc]]) -> list[Disc]:
    """Pieces as the search found them moved to where their rims are."""
    board, camera = profile.board, profile.camera
    coins = iter(refine(picture, camera, [d for k, d in pieces if k is not Kind.STRIKER], board.coin_height))
    return [refine_striker(picture, camera, d, board.striker_height) if k is Kind.STRIKER else next(coins)
            for k, d in pieces]  # fmt: skip


def _lies_at(piece: Piece, kind: Kind, disc: Disc) -> bool:
    return piece.kind is kind and math.dist((piece.x_mm, piece.y_mm), (disc.x, disc.y)) < DETECTOR_SETTLED_MM


def _kind(disc: Disc, profile: Profile) -> Kind:
    """By what was learned; a first guess for a coin that looks like none of it, if that kind was not there to learn."""
    if not is_coin_sized(disc, profile):
        return Kind.STRIKER
    kind, distance = nearest_kind(disc, profile.colours)
    guess = first_guess(disc)
    return guess if distance > DETECTOR_STRANGER and guess not in profile.colours else kind


def _with_one_striker(discs: list[Disc], profile: Profile) -> list[Disc]:
    """The same, but several discs of a striker's size that look alike are coins: there is one striker.

    A pale coin and its shade draw a circle as large as a striker; lines beside a striker draw a second one about it.
    """
    large, apart = [d for d in discs if not is_coin_sized(d, profile)], 2 * BESIDE * profile.board.coin_radius
    shaded = {id(a) for a, b in permutations(large, 2) if math.hypot(a.x - b.x, a.y - b.y) > apart
              and kind_distance(a, mean_colour([b])) < DETECTOR_ALIKE}  # fmt: skip
    return [replace(d, radius=profile.board.coin_radius) if id(d) in shaded else d for d in discs]


def with_striker(discs: list[Disc], profile: Profile) -> list[Disc]:
    """The same, but a disc of a coin's size that looks as no coin does, but as the striker, is that: a ring printed on
    it is drawn better than its rim.
    """
    own = profile.colours.get(Kind.STRIKER)
    if own is None:
        return _with_strange_striker(discs, profile)
    size = profile.board.striker_radius
    return [replace(d, radius=size) if is_coin_sized(d, profile) and kind_distance(d, own) < DETECTOR_ALIKE
            and nearest_kind(d, profile.colours)[1] > ALIEN else d for d in discs]  # fmt: skip


def _with_strange_striker(discs: list[Disc], profile: Profile) -> list[Disc]:
    """The same, but where no striker is found the one disc between base lines that looks as no coin does is that: a
    coarse picture draws lines and rim as one smaller ring.
    """
    if any(not is_coin_sized(d, profile) for d in discs) or any(k not in profile.colours for k in COINS):
        return discs
    board = profile.board
    strange = [d for d in discs if nearest_kind(d, profile.colours)[1] > FOREIGN_PETAL
               and board.off_lines(d.x, d.y) < board.line_gap / 2]  # fmt: skip
    return [replace(d, radius=board.striker_radius) if strange == [d] else d for d in discs]


def _without_overlaid(pieces: Sequence[tuple[Kind, Disc]]) -> list[tuple[Kind, Disc]]:
    """Pieces without those that only their fellows tell and that another one, measured too, overlies: two cannot lie so
    on a board. A leaf of an ornament half under a coin is drawn so.
    """
    return [(k, d) for k, d in pieces if not d.alike or all(
        o is d or math.hypot(d.x - o.x, d.y - o.y) > d.radius + o.radius - OVERLAID_MM for _, o in pieces)]  # fmt: skip


def _without_overlap(pieces: list[tuple[Kind, Disc]]) -> list[tuple[Kind, Disc]]:
    """Pieces that can lie beside each other: of two that overlap the one with more evidence stays."""
    accepted: list[tuple[Kind, Disc]] = []
    for k, d in sorted(pieces, key=lambda p: evidence(p[1]), reverse=True):
        if all(math.hypot(d.x - o.x, d.y - o.y) > BESIDE * (d.radius + o.radius) for _, o in accepted):
            accepted.append((k, d))
    return accepted
