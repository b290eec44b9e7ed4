"""The campaign in short; the whole of it: `PYTHONPATH=tests python -m campaign`."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from campaign.cameras import camera_faults
from campaign.cuts import compiled, facts, kills, power_cuts
from campaign.damage import TARGETS, damaged_logs, fuzzed
from campaign.disk import Disk, NoDisk, formatted, mounted
from campaign.doors import pins
from campaign.pictures import disturbed_pictures
from campaign.power import real_cuts
from web_stage import state, until

from referee.log import DiskRefused, Line, LogTail, LogWriter, read_log
from referee.log.session import Session
from referee.match import Start
from referee.web.process import WebProcess
from referee.web.serve import WebSettings


def test_nothing_that_was_shown_is_lost_to_a_kill(tmp_path: Path) -> None:
    result = kills(tmp_path, 10)
    assert (result.tries, result.lost) == (10, [])


@pytest.mark.parametrize(("delay_ms", "fails"), [(500, 0), (5, 7)])
def test_nothing_that_was_shown_is_lost_to_a_modelled_power_cut(tmp_path: Path, delay_ms: int, fails: int) -> None:
    if compiled(tmp_path) is None:
        pytest.skip("no C compiler for the disk that loses what was not synced")
    result = power_cuts(tmp_path, 1, delay_ms, fails)
    assert (result.tries, result.lost) == (1, [])
    assert result.figures["shown"] > 0


@pytest.fixture
def image(tmp_path: Path) -> Path:
    """An empty ext4 for a disk whose power can be cut."""
    try:
        formatted(tmp_path / "image")
        with mounted(tmp_path / "image", tmp_path / "tried"):
            pass
    except NoDisk as e:
        pytest.skip(f"no disk whose power can be cut: {e}")
    return tmp_path / "image"


@pytest.mark.usefixtures("image")
@pytest.mark.parametrize(("tries", "flush_ms"), [(2, 0), (1, 100)])
def test_nothing_that_was_told_to_be_kept_is_lost_to_a_power_cut(tmp_path: Path, tries: int, flush_ms: int) -> None:
    result = real_cuts(tmp_path, tries, flush_ms)
    assert (result.tries, result.lost) == (tries, [])
    assert result.figures["shown"] > 0


def shown_on_a_broken(disk: Disk, fault: str) -> list[Line]:
    """What pages were shown of a log whose second line does not reach the disk: the open one, and one opened later."""
    log = disk.folder / "match.jsonl"
    tail = LogTail(log)
    with LogWriter(log) as writer:
        writer.header(0.0, match="m1")
        writer.flush()
        shown = tail.new_lines()
        if fault == "flush":
            disk.failing(1)
        else:
            disk.spoil(1, '"check"')
        writer.header(1.0, match="m1")
        with pytest.raises(DiskRefused):
            writer.flush()
    for _ in range(2):
        with suppress(DiskRefused):
            shown += tail.new_lines()
    with suppress(DiskRefused):
        shown = max(shown, LogTail(log).new_lines(), key=len)
    return shown


@pytest.mark.parametrize("fault", ["flush", "write"])
def test_a_page_is_shown_nothing_that_a_broken_disk_lacks(image: Path, tmp_path: Path, fault: str) -> None:
    with mounted(image, tmp_path / "before") as disk:
        shown = shown_on_a_broken(disk, fault)
        disk.cut(tmp_path / "cut", 0.0, "1")
    with mounted(tmp_path / "cut", tmp_path / "after") as disk:
        assert [*read_log(disk.folder / "match.jsonl").lines] == shown
    assert len(shown) == 1


def test_pages_keep_what_they_show_when_the_disk_breaks_and_say_so(image: Path, tmp_path: Path) -> None:
    with mounted(image, tmp_path / "before") as disk:
        log = disk.folder / "match.jsonl"
        with LogWriter(log) as writer, WebProcess(WebSettings(log, tmp_path, "127.0.0.1", 0)) as house:
            session = Session(writer, Start("m1"))
            session.begin(0.0)
            session.add(facts()[0])
            writer.flush()
            url = house.urls[0]
            until(lambda: state(url).get("log", {}).get("lines") == 2)
            shown = state(url)["view"]
            disk.failing(1)
            session.add(facts()[1])
            until(lambda: state(url)["log"]["problem"])
            broken = state(url)
            with pytest.raises(DiskRefused):
                writer.flush()
    assert "cannot read" in broken["log"]["problem"]
    assert broken["view"] == shown
    assert broken["log"]["lines"] == 2


def test_a_log_is_on_the_disk_when_it_goes_on_after_a_write_that_failed(image: Path, tmp_path: Path) -> None:
    with mounted(image, tmp_path / "before") as disk:
        log = disk.folder / "match.jsonl"
        with LogWriter(log) as writer:
            writer.header(0.0, match="m1")
            writer.flush()
            disk.spoil(1, '"check"')
            writer.header(1.0, match="m1")
            with pytest.raises(DiskRefused):
                writer.flush()
        with LogWriter(log):
            pass
        disk.cut(tmp_path / "cut", 0.0, "1")
    with mounted(tmp_path / "cut", tmp_path / "after") as disk:
        assert [line["wall"] for line in read_log(disk.folder / "match.jsonl").lines] == [0.0, 1.0]


def test_damage_is_told_and_never_accepted(tmp_path: Path) -> None:
    result = damaged_logs(tmp_path, 300)
    assert (result.tries, result.lost) == (300, [])


@pytest.mark.parametrize("target", TARGETS)
def test_nonsense_comes_to_a_sentence(tmp_path: Path, target: str) -> None:
    assert fuzzed(tmp_path, target, 2.0).lost == []


def test_at_most_a_hundred_wrong_pins_an_hour_and_the_umpire_is_never_kept_out() -> None:
    result = pins(1)
    assert result.lost == []
    assert 50 <= result.figures["most_an_hour"] <= 100


def test_faulty_cameras_make_nothing_wrong_and_sure(tmp_path: Path) -> None:
    result = camera_faults(tmp_path, 2)
    assert (result.tries, result.lost) == (2, [])


def test_cropped_turned_shaded_and_half_empty_pictures_make_nothing_wrong_and_sure() -> None:
    result = disturbed_pictures(4)
    assert (result.tries, result.lost) == (4, [])
    assert result.figures["sure"] > 0
