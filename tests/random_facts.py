"""Random facts for property tests, with numbers as the log stores them."""

from __future__ import annotations

from types import MappingProxyType

from hypothesis import strategies as st

from models.pieces import COINS, Kind, Piece, Pocket, Seat
from referee.facts import (
    Alert,
    AlertKind,
    Clearances,
    Fell,
    Formation,
    Foul,
    OffBoard,
    OtherFalls,
    Placement,
    PlacementReason,
    Pocketed,
    Returned,
    Stroke,
    Table,
)

TIMES = st.integers(0, 10**8).map(lambda i: i / 10**4)
MM = st.integers(-(10**6), 10**6).map(lambda i: i / 10**3)
SHARES = st.integers(0, 10**4).map(lambda i: i / 10**4)
KINDS = st.sampled_from(Kind)
SEATS = st.sampled_from(Seat)
PIECES = st.lists(st.builds(Piece, KINDS, MM, MM), max_size=20).map(tuple)

PLACEMENTS = st.builds(
    Placement,
    x_mm=MM,
    y_mm=MM,
    legal=st.none() | st.booleans(),
    reason=st.none() | st.sampled_from(PlacementReason),
    margin_mm=MM,
    sigma_mm=MM,
    clearance_mm=st.builds(Clearances, *[st.none() | MM] * 5),
)
POCKETED = st.lists(st.builds(Pocketed, KINDS, st.none() | st.sampled_from(Pocket), TIMES), max_size=5).map(tuple)
OFF_BOARD = st.lists(st.builds(OffBoard, KINDS, TIMES), max_size=3).map(tuple)
STROKES = st.builds(
    Stroke,
    n=st.integers(1, 999),
    seat=SEATS,
    t_placed=st.none() | TIMES,
    t_strike=TIMES,
    t_rest=TIMES,
    t_called=TIMES,
    placement=st.none() | PLACEMENTS,
    first_contact=st.none() | st.sampled_from(COINS),
    pocketed=POCKETED,
    off_board=OFF_BOARD,
    fouls=st.lists(st.sampled_from(Foul), max_size=4, unique=True).map(tuple),
    foul_confidence=st.dictionaries(st.sampled_from(Foul), SHARES, max_size=4).map(MappingProxyType),
    confidence=SHARES,
    other=st.none() | st.builds(OtherFalls, POCKETED, OFF_BOARD, SHARES),
)
FACTS = st.one_of(
    STROKES,
    st.builds(Table, TIMES, PIECES),
    st.builds(Returned, TIMES, KINDS, MM, MM, st.none() | SEATS),
    st.builds(Fell, TIMES, KINDS, st.sampled_from(Pocket)),
    st.builds(Formation, TIMES, PIECES, st.none() | SEATS),
    st.builds(Alert, TIMES, st.sampled_from(AlertKind), st.text()),
)
