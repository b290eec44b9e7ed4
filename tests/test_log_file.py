"""Logs on a real disk: continued, torn, damaged, foreign, full."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from referee.log import LogError, LogTail, LogWriter, encode, read_log

RULING = {"type": "ruling", "stroke": 1, "turn": "south"}


def small_log(path: Path) -> bytes:
    with LogWriter(path) as log:
        log.header(1_700_000_000.0, rules="icf")
        log.write({"type": "stroke", "n": 1, "seat": "south"})
        log.write(RULING)
    return path.read_bytes()


def test_what_is_written_is_read(tmp_path):
    small_log(tmp_path / "a.jsonl")
    contents = read_log(tmp_path / "a.jsonl")
    assert [line["type"] for line in contents.lines] == ["header", "stroke", "ruling"]
    assert contents.headers[0]["version"] == 1
    assert contents.last_stroke == 1
    assert not contents.problems


def test_a_restart_appends_a_second_header_to_the_same_log(tmp_path):
    small_log(tmp_path / "a.jsonl")
    with LogWriter(tmp_path / "a.jsonl") as log:
        assert log.before.last_stroke == 1
        log.header(1_700_000_100.0, rules="icf")
    assert len(read_log(tmp_path / "a.jsonl").headers) == 2


def test_a_log_cut_at_any_byte_of_its_last_line_loses_that_line_only_and_goes_on(tmp_path):
    path = tmp_path / "a.jsonl"
    whole = small_log(path)
    start = whole.rfind(b"\n", 0, -1) + 1
    for end in range(start + 1, len(whole) - 1):
        path.write_bytes(whole[:end])
        contents = read_log(path)
        assert [line["type"] for line in contents.lines] == ["header", "stroke"]
        assert [(p.number, p.torn) for p in contents.problems] == [(3, True)]
        with LogWriter(path) as log:
            log.write(RULING)
        assert path.read_bytes() == whole[:end] + b"\n" + encode(RULING).encode() + b"\n"
        contents = read_log(path)
        assert contents.lines[-1] == RULING
        assert [(p.number, p.torn) for p in contents.problems] == [(3, False)]


def test_a_last_line_that_only_lacks_its_newline_is_whole(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(small_log(path)[:-1])
    assert len(read_log(path).lines) == 3
    with LogWriter(path) as log:
        log.write(RULING)
    assert len(read_log(path).lines) == 4


def test_a_log_cut_within_its_first_header_can_be_continued(tmp_path):
    path = tmp_path / "a.jsonl"
    whole = small_log(path)
    for end in range(whole.index(b"\n")):
        path.write_bytes(whole[:end])
        with LogWriter(path) as log:
            log.header(1.0)
        assert len(read_log(path).headers) == 1


def test_a_damaged_middle_line_is_told_by_its_number_and_what_follows_is_read(tmp_path):
    path = tmp_path / "a.jsonl"
    whole = small_log(path)
    path.write_bytes(whole.replace(b'"n":1', b'"n":\xff'))
    contents = read_log(path)
    assert [line["type"] for line in contents.lines] == ["header", "ruling"]
    assert contents.problems[0].number == 2
    assert "line 2 is damaged" in contents.problems[0].text


@pytest.mark.parametrize("text", ["hello\n", '{"type":"carrom-profile"}\n', "\x00\x00", "W5 B3"])
def test_a_foreign_file_is_refused_and_not_touched(tmp_path, text):
    path = tmp_path / "notes.txt"
    path.write_text(text)
    with pytest.raises(LogError, match="not a match log"):
        LogWriter(path)
    assert path.read_text() == text


@pytest.mark.parametrize("line", [encode({"type": "header", "version": 2}), '{"type":"header","version":2,"sum":1}'])
def test_a_log_of_another_version_is_refused_and_not_touched(tmp_path, line):
    path = tmp_path / "a.jsonl"
    path.write_text(line + "\n" + encode(RULING) + "\n")
    before = path.read_bytes()
    with pytest.raises(LogError, match="version 2"):
        LogWriter(path)
    with pytest.raises(LogError, match="version 2"):
        LogTail(path).new_lines()
    assert path.read_bytes() == before


def test_a_missing_log_says_so(tmp_path):
    with pytest.raises(LogError, match="cannot read the log"):
        read_log(tmp_path / "none.jsonl")


def test_a_folder_that_is_missing_says_so(tmp_path):
    with pytest.raises(LogError, match="cannot write the log"):
        LogWriter(tmp_path / "none" / "a.jsonl")


def test_two_referees_cannot_write_one_log(tmp_path):
    path = tmp_path / "a.jsonl"
    with LogWriter(path) as log:
        with pytest.raises(LogError, match="another referee"):
            LogWriter(path)
        log.header(1.0)
    with LogWriter(path) as log:
        assert len(log.before.headers) == 1


def test_a_full_disk_stops_the_match_with_a_sentence_and_keeps_what_was_logged(tmp_path):
    """The limit on a file's size refuses in the middle of a line, as a full disk does."""
    path = tmp_path / "a.jsonl"
    program = (
        "import resource, sys; from pathlib import Path; from referee.log import LogError, LogWriter\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "with LogWriter(Path(sys.argv[1])) as log:\n"
        "    log.header(1.0)\n"
        "    for n in range(1, 99):\n"
        "        try: log.write({'type': 'stroke', 'n': n})\n"
        "        except LogError as e: print(n, e)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True)
    refusals = done.stdout.splitlines()
    first = int(refusals[0].split()[0])
    assert len(refusals) == 99 - first  # nothing is written after the gap
    assert "free some space" in refusals[0]
    assert read_log(path).last_stroke == first - 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_device_that_refuses_raises():
    with LogWriter(Path("/dev/full")) as log, pytest.raises(LogError, match="No space"):
        log.header(1.0)


def test_a_log_may_go_to_the_null_device():
    with LogWriter(Path(os.devnull)) as log:
        log.header(1.0)
        log.flush()


def test_a_following_reader_gets_whole_lines_once_and_in_order(tmp_path):
    path = tmp_path / "a.jsonl"
    tail = LogTail(path)
    assert tail.new_lines() == []
    got = []
    for byte in small_log(tmp_path / "source.jsonl"):
        with path.open("ab") as file:
            file.write(bytes([byte]))
        got += tail.new_lines()
    assert [line["type"] for line in got] == ["header", "stroke", "ruling"]
    assert not tail.problems


def test_a_following_reader_tells_damage_with_the_lines_own_number(tmp_path):
    path = tmp_path / "a.jsonl"
    small_log(path)
    tail = LogTail(path)
    tail.new_lines()
    with path.open("ab") as file:
        file.write(b"torn\n" + encode(RULING).encode() + b"\n")
    assert tail.new_lines() == [RULING]
    assert [p.number for p in tail.problems] == [4]


def test_a_following_reader_notices_a_replaced_log(tmp_path):
    path = tmp_path / "a.jsonl"
    small_log(path)
    tail = LogTail(path)
    tail.new_lines()
    path.write_bytes(b"")
    with pytest.raises(LogError, match="shorter"):
        tail.new_lines()
