"""Logs on a real disk: continued, torn, damaged, foreign, full."""

from __future__ import annotations

import os
import subprocess
import sys
import tracemalloc
import zlib
from pathlib import Path

import pytest
from match_play import stroke

from referee.log import LogError, LogTail, LogWriter, encode, line_of, read_log
from referee.log.line import LinePlace

RULING = {"type": "ruling", "stroke": 1, "turn": "south", "decisions": []}
STROKE = line_of(stroke(1, "south", "W", 1.0))


def small_log(path: Path) -> bytes:
    with LogWriter(path) as log:
        log.header(1_700_000_000.0, rules="icf")
        log.write(STROKE)
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
        assert path.read_bytes().startswith(whole[:end] + b"\n" + encode(RULING).encode()[:30])
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
        "        try: log.write({'type': 'clock', 't': n, 'wall': n})\n"
        "        except LogError as e: print(n, e)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True)
    refusals = done.stdout.splitlines()
    first = int(refusals[0].split()[0])
    assert len(refusals) == 99 - first  # nothing is written after the gap
    assert "free some space" in refusals[0]
    assert len(read_log(path).lines) == first


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
        file.write(b"torn\n")
    with LogWriter(path) as log:
        log.write(RULING)
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


def rows(path: Path) -> list[bytes]:
    """A log of a header and six strokes, row by row."""
    with LogWriter(path) as log:
        log.header(1.0, rules="icf")
        for n in range(1, 7):
            log.write(line_of(stroke(n, "south", "-", float(n))))
    return path.read_bytes().splitlines(keepends=True)


def numbers(path: Path) -> list[int]:
    """The strokes that are read."""
    return [line["n"] for line in read_log(path).lines if line["type"] == "stroke"]


def test_a_missing_line_is_told_though_every_other_is_whole(tmp_path):
    path = tmp_path / "a.jsonl"
    whole = rows(path)
    assert not read_log(path).problems
    path.write_bytes(b"".join([*whole[:3], *whole[5:]]))
    contents = read_log(path)
    assert numbers(path) == [1, 2, 5, 6]
    assert [p.text for p in contents.problems] == ["2 lines are missing before line 4"]
    assert contents.lost == 2


def test_a_doubled_and_a_misplaced_line_are_told_and_not_taken_twice(tmp_path):
    path = tmp_path / "a.jsonl"
    whole = rows(path)
    path.write_bytes(b"".join([*whole[:3], whole[2], *whole[3:]]))
    assert numbers(path) == [1, 2, 3, 4, 5, 6]
    assert "twice or out of its order" in read_log(path).problems[0].text
    path.write_bytes(b"".join([*whole[:3], whole[4], whole[3], *whole[5:]]))
    assert numbers(path) == [1, 2, 4, 5, 6]
    assert [p.number for p in read_log(path).problems] == [4, 5]


def test_an_edited_line_with_a_check_made_anew_is_told(tmp_path):
    path = tmp_path / "a.jsonl"
    whole = rows(path)
    other = line_of(stroke(3, "north", "-", 3.0))
    place = LinePlace(4, "00000000")
    path.write_bytes(b"".join([*whole[:3], encode(other, place).encode() + b"\n", *whole[4:]]))
    assert "not what was written" in read_log(path).problems[0].text
    path.write_bytes(b"".join([*whole[:3], encode(other).encode() + b"\n", *whole[3:]]))
    assert numbers(path) == [1, 2, 3, 4, 5, 6]
    assert "not written by the referee" in read_log(path).problems[0].text


def test_a_log_of_an_older_program_opens_and_goes_on_with_places(tmp_path):
    path = tmp_path / "a.jsonl"
    lines = [{"type": "header", "version": 1, "wall": 1.0, "rules": "icf"}, STROKE]
    path.write_bytes(b"".join(encode(line).encode() + b"\n" for line in lines))
    with LogWriter(path) as log:
        log.header(2.0, rules="icf")
        log.write(RULING)
    contents = read_log(path)
    assert [line["type"] for line in contents.lines] == ["header", "stroke", "header", "ruling"]
    assert not contents.problems
    for line in ({"type": "header", "version": 1, "wall": 3.0}, RULING):
        path.write_bytes(path.read_bytes() + encode(line).encode() + b"\n")
    with LogWriter(path) as log:
        log.write(RULING)
    assert not read_log(path).problems
    assert len(read_log(path).lines) == 7


@pytest.mark.parametrize("byte", [b"\n", b"\x00", b"z"])
def test_whatever_byte_is_damaged_no_line_is_taken_for_another(tmp_path, byte):
    path = tmp_path / "a.jsonl"
    whole = b"".join(rows(path))
    before = read_log(path).lines
    for at in range(0, len(whole), 7):
        if whole[at : at + 1] == byte:
            continue
        path.write_bytes(whole[:at] + byte + whole[at + 1 :])
        contents = read_log(path)
        assert contents.problems
        assert all(line in before for line in contents.lines)
        assert len(contents.lines) >= len(before) - 2


@pytest.mark.parametrize("how", ["deleted", "replaced", "emptied", "folder"])
def test_a_log_that_is_taken_away_is_written_anew_and_what_took_its_place_is_kept(tmp_path, how):
    path = tmp_path / "matches" / "a.jsonl"
    path.parent.mkdir()
    with LogWriter(path) as log:
        log.header(1.0, rules="icf")
        log.write(STROKE)
        if how == "deleted":
            path.unlink()
        elif how == "replaced":
            (tmp_path / "other").write_bytes(b"somebody's\n")
            (tmp_path / "other").replace(path)
        elif how == "emptied":
            path.write_bytes(b"")
        else:
            path.unlink()
            path.parent.rmdir()
        log.write(RULING)
        assert log.take_restored()
        assert not log.take_restored()
        with pytest.raises(LogError, match="another referee"):
            LogWriter(path)
    contents = read_log(path)
    assert [line["type"] for line in contents.lines] == ["header", "stroke", "ruling"]
    assert not contents.problems
    foreign = list(path.parent.glob("*.foreign"))
    assert [f.read_bytes() for f in foreign] == ([b"somebody's\n"] if how == "replaced" else [])


def test_a_log_deleted_after_its_last_line_is_there_when_the_match_ends(tmp_path):
    path = tmp_path / "a.jsonl"
    with LogWriter(path) as log:
        log.header(1.0, rules="icf")
        path.unlink()
    assert len(read_log(path).lines) == 1


@pytest.mark.parametrize("line", [
    '{"type":"stroke","n":1}', '{"type":"clock","t":1e400,"wall":1}', '{"type":"clock","t":NaN,"wall":1}',
    '{"type":"clock","t":1,"wall":[1]}', '{"type":"ruling"}', '{"type":"ruling","stroke":1,"decisions":[1]}',
    '{"type":"header","version":1,"calibration":{"K":[[1]]}}', '{"type":"header","version":1,"players":{"moon":"x"}}',
    '{"type":"running","state":"dreaming"}', '{"type":"any","x":' + "[" * 5000 + "]" * 5000 + "}",
    '{"type":"any","x":' + "9" * 5000 + "}", '{"type":"correction","action":"undo","stroke":1e3}',
    '{"type":"header","version":1,"players":{"south":"\\ud800"}}',
])  # fmt: skip
def test_a_line_that_does_not_hold_what_its_type_promises_is_told_and_left_out(tmp_path, line):
    path = tmp_path / "a.jsonl"
    check = f"{zlib.crc32(line.encode()):08x}"
    head = encode({"type": "header", "version": 1, "wall": 1.0}).encode() + b"\n"
    path.write_bytes(head + f'{line[:-1]},"check":"{check}"}}\n'.encode() + encode(RULING).encode() + b"\n")
    contents = read_log(path)
    assert [each["type"] for each in contents.lines] == ["header", "ruling"]
    assert [p.number for p in contents.problems] == [2]


def test_a_name_that_no_page_could_show_is_written_so_that_all_can(tmp_path):
    with LogWriter(tmp_path / "a.jsonl") as log:
        log.header(1.0, rules="icf", players={"south": "J\udcfcrg \U0001f600"})
    (header,) = read_log(tmp_path / "a.jsonl").headers
    assert header["players"] == {"south": "J?rg \U0001f600"}


def test_a_file_of_millions_of_empty_rows_takes_little_memory(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(encode({"type": "header", "version": 1}).encode() + b"\n" * 9_000)
    tracemalloc.start()
    contents = read_log(path)
    assert tracemalloc.get_traced_memory()[1] < 4e6
    tracemalloc.stop()
    assert len(contents.problems) == 1
    assert contents.lost == 8_999
    path.write_bytes(b"\n" * 200_000)
    with pytest.raises(LogError, match="10000 lines"):
        read_log(path)
