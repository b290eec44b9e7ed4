"""The board as pages draw it."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.geometry.camera import Camera
from calibration.profile import Circle, Profile, Residuals, Segment, SideMarks
from models.board import board_names, load_board
from models.pieces import Pocket, Seat
from referee.web.board_json import geometry_of_model, geometry_of_profile


@pytest.mark.parametrize("name", board_names())
def test_a_board_by_the_book_is_symmetric_and_complete(name: str) -> None:
    g = geometry_of_model(load_board(name))
    assert (len(g["pockets"]), len(g["lines"]), len(g["circles"]), len(g["arrows"])) == (4, 8, 8, 4)
    for key in ("pockets", "circles"):
        assert sum(m["x"] for m in g[key]) == pytest.approx(0, abs=0.1)
        assert sum(m["y"] for m in g[key]) == pytest.approx(0, abs=0.1)
    half = g["surface"] / 2
    assert all(abs(line[k]) < half for line in g["lines"] + g["arrows"] for k in ("x1", "y1", "x2", "y2"))


def test_south_base_circles_lie_between_the_base_lines() -> None:
    board = load_board("icf74")
    g = geometry_of_model(board)
    rear, front = (line["y1"] for line in g["lines"][:2])
    circle = g["circles"][0]
    assert rear < circle["y"] < front < 0
    assert circle["y"] == pytest.approx(-board.base_y, abs=0.01)


def test_a_measured_board_shows_its_own_marks_and_leaves_out_what_it_lacks() -> None:
    bare = SideMarks(None, None, None, None, None, None)
    south = SideMarks(Segment((-219.0, -265.0), (219.0, -266.0), 5.5), None, Circle((-219.0, -252.0), 15.5),
                      None, None, None)  # fmt: skip
    profile = Profile(
        camera=Camera.of(1280, 720, np.eye(3), np.zeros(5), np.eye(3), (0, 0, 1000)),
        board=load_board("icf74"),
        sides={seat: south if seat is Seat.SOUTH else bare for seat in Seat},
        pockets={Pocket.NE: Circle((348.1, 347.9), 22.0)},
        residuals=Residuals(0.2, 0.5, 20),
    )
    g = geometry_of_profile(profile)
    assert g["measured"] is True
    assert g["lines"] == [{"x1": -219.0, "y1": -265.0, "x2": 219.0, "y2": -266.0, "w": 5.5}]
    assert g["circles"] == [{"x": -219.0, "y": -252.0, "r": 15.5, "disc": 12.7}]
    assert g["pockets"] == [{"x": 348.1, "y": 347.9, "r": 22.0}]
    assert g["arrows"] == []
    assert g.keys() == geometry_of_model(load_board("icf74")).keys()
