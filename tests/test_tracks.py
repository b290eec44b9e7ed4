"""Tracks: what moved in a stroke is kept beside the log, in a file that NumPy reads."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from referee.log import read_log
from referee.replay.match_folder import MatchFolder
from referee.replay.tracks import Tracks, TracksError, load_tracks

HALF_MM = 370.0


@pytest.fixture(scope="module")
def stroke(analysed: Path) -> dict[str, object]:
    return next(line for line in read_log(analysed).lines if line["type"] == "stroke")


@pytest.fixture(scope="module")
def tracks(analysed: Path) -> Tracks:
    return load_tracks(MatchFolder(analysed).tracks(1))


def test_one_line_of_numpy_reads_them(analysed: Path) -> None:
    discs = np.load(MatchFolder(analysed).tracks(1))["discs"]
    assert discs.dtype.names == ("t", "track", "kind", "x", "y", "sigma")


def test_every_stroke_has_its_moving_discs_in_board_millimetres(tracks: Tracks, stroke: dict[str, float]) -> None:
    discs = tracks.discs
    assert {b"S", b"W", b"B"} <= set(discs["kind"].tolist())
    assert np.abs(discs["x"]).max() < HALF_MM + 100
    assert discs["t"].min() >= stroke["t_strike"] - 0.1
    assert tracks.span[1] == pytest.approx(stroke["t_called"], abs=1e-4)


def test_times_are_those_of_frames(tracks: Tracks) -> None:
    followed = tracks.hands["t"] * 30
    assert np.abs(followed - np.rint(followed)).max() < 0.05


def test_a_break_begins_with_nineteen_pieces_lying(tracks: Tracks) -> None:
    assert np.count_nonzero(tracks.lying["change"] == 0) == 19
    assert len(tracks.changes) > 1
    assert np.all(np.diff(tracks.changes) >= 0)


def test_the_striker_is_told_where_it_stood(tracks: Tracks, stroke: dict[str, dict[str, float]]) -> None:
    last = tracks.placed[-1]
    place = stroke["placement"]
    assert np.hypot(last["x"] - place["x_mm"], last["y"] - place["y_mm"]) < 2


def test_a_torn_file_is_told_in_a_sentence(analysed: Path, tmp_path: Path) -> None:
    whole = MatchFolder(analysed).tracks(1).read_bytes()
    (tmp_path / "torn.npz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(TracksError, match="damaged"):
        load_tracks(tmp_path / "torn.npz")
    with pytest.raises(TracksError, match="no tracks were kept"):
        load_tracks(tmp_path / "none.npz")


def test_tracks_of_a_newer_version_are_refused(tracks: Tracks, tmp_path: Path) -> None:
    from dataclasses import replace

    replace(tracks, version=np.array(3)).save(tmp_path / "a.npz")
    with pytest.raises(TracksError, match="version 3"):
        load_tracks(tmp_path / "a.npz")


def test_what_cannot_be_written_leaves_nothing_behind(tracks: Tracks, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match=r"."):
        tracks.save(tmp_path / "file" / "a.npz")
    assert [p.name for p in tmp_path.iterdir()] == ["file"]
