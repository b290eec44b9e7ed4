"""Archives: a match goes to another installation whole, and nothing foreign gets in."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner
from match_logs import played, write

from referee.cli import main
from referee.log import LogError, LogWriter
from referee.replay.archive import ArchiveError, export_archive, import_archive
from referee.replay.match_folder import MatchFolder
from referee.replay.store import Library


@pytest.fixture
def match(tmp_path: Path) -> MatchFolder:
    """A match with a clip, tracks and a picture of its first stroke, in a folder of its own."""
    folder = tmp_path / "here"
    folder.mkdir()
    write(folder / "evening.jsonl", played())
    kept = MatchFolder(folder / "evening.jsonl")
    kept.path.mkdir()
    kept.clip(1).write_bytes(b"video" * 1000)
    kept.clip_times(1).write_text("{}")
    kept.tracks(1).write_bytes(b"tracks" * 100)
    kept.picture(1, "placement").write_bytes(b"picture")
    return kept


@pytest.fixture
def archive(match: MatchFolder, tmp_path: Path) -> Path:
    export_archive(match.log, tmp_path / "match.zip")
    return tmp_path / "match.zip"


def rewritten(archive: Path, changes: dict[str, bytes], manifest: dict[str, object] | None = None) -> Path:
    """The archive with some files replaced or added, and other words in its manifest."""
    other = archive.with_name("other.zip")
    with zipfile.ZipFile(archive) as old, zipfile.ZipFile(other, "w") as new:
        files = {name: old.read(name) for name in old.namelist()} | changes
        if manifest is not None:
            files["manifest.json"] = json.dumps(json.loads(files["manifest.json"]) | manifest).encode()
        for name, data in files.items():
            new.writestr(name, data)
    return other


def lengthened(log: Path, text: str) -> None:
    """Adds a correction of the second stroke."""
    with LogWriter(log) as writer:
        writer.write({"type": "correction", "t": 1.0, "action": "correct", "stroke": 2, "stroke_text": text})


def everything(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_a_match_arrives_whole_on_an_empty_installation(match: MatchFolder, archive: Path, tmp_path: Path) -> None:
    there = tmp_path / "there"
    imported = import_archive(archive, there)
    assert imported.is_new
    assert imported.problems == ()
    kept = {name: data for name, data in everything(match.log.parent).items() if not name.endswith(".keep")}
    assert everything(there) == kept
    assert [row.path for row in Library(there).find()] == ["evening.jsonl"]


def test_an_exported_clip_is_never_deleted_by_retention(match: MatchFolder, archive: Path) -> None:
    assert match.keep_mark(1).exists()


def test_of_one_match_the_longer_log_holds_with_the_evidence_of_both(
    match: MatchFolder, archive: Path, tmp_path: Path
) -> None:
    there = tmp_path / "there"
    first = import_archive(archive, there)
    whole = everything(there)
    again = import_archive(archive, there)
    assert (again.log, again.is_new, again.is_longer, everything(there)) == (first.log, False, False, whole)
    lengthened(match.log, "W")
    match.tracks(2).write_bytes(b"later")
    MatchFolder(first.log).clip(1).write_bytes(b"kept here")
    export_archive(match.log, tmp_path / "longer.zip")
    with LogWriter(first.log), pytest.raises(LogError, match="another referee is writing"):
        import_archive(tmp_path / "longer.zip", there)
    longer = import_archive(tmp_path / "longer.zip", there)
    assert (longer.log, longer.is_new, longer.is_longer) == (first.log, False, True)
    assert longer.log.read_bytes() == match.log.read_bytes()
    kept = MatchFolder(first.log)
    assert (kept.clip(1).read_bytes(), kept.tracks(2).read_bytes()) == (b"kept here", b"later")
    whole = everything(there)
    assert not import_archive(archive, there).is_longer
    assert everything(there) == whole


def test_a_match_that_goes_on_otherwise_is_refused_in_a_sentence(
    match: MatchFolder, archive: Path, tmp_path: Path
) -> None:
    there = tmp_path / "there"
    here = import_archive(archive, there).log
    lengthened(match.log, "W")
    lengthened(here, "B")
    whole, number = everything(there), len(here.read_bytes().splitlines())
    export_archive(match.log, archive)
    with pytest.raises(ArchiveError, match=rf"is the same match but differs from line {number} on, so nothing was"):
        import_archive(archive, there)
    assert everything(there) == whole


def test_two_boards_folders_merge_and_nothing_doubles(tmp_path: Path) -> None:
    """Both boards call their match `evening` and began it in the same second."""
    boards = {name: tmp_path / name for name in ("seven", "eight")}
    for name, folder in boards.items():
        folder.mkdir()
        write(folder / "evening.jsonl", played(name), wall=1_700_000_000.0)
        export_archive(folder / "evening.jsonl", tmp_path / f"{name}.zip")
    archives = [str(tmp_path / f"{name}.zip") for name in boards]
    for folder in (*boards.values(), *boards.values()):
        done = CliRunner().invoke(main, ["import", *archives, "--data", str(folder)])
        assert done.exit_code == 0, done.output
    seven, eight = (sorted(p.read_bytes() for p in folder.glob("*.jsonl")) for folder in boards.values())
    assert seven == eight
    assert len(seven) == 2
    torn = tmp_path / "a_torn.zip"
    torn.write_bytes(b"PK")
    done = CliRunner().invoke(main, ["import", str(torn), *archives, "--data", str(boards["seven"])])
    assert (done.exit_code, done.stdout.count("here already")) == (1, 2)
    assert "1 of 3 archives were not imported" in done.stderr


def test_a_torn_archive_is_told_in_a_sentence_and_changes_nothing(archive: Path, tmp_path: Path) -> None:
    archive.write_bytes(archive.read_bytes()[:-200])
    with pytest.raises(ArchiveError, match="torn or is no archive"):
        import_archive(archive, tmp_path / "there")
    assert not (tmp_path / "there").exists()


@pytest.mark.parametrize("name", ["../evil.jpg", "/evil.jpg", "replay/../../evil.npz", "replay/a/0001.npz", "run.py"])
def test_nothing_is_ever_written_elsewhere(archive: Path, tmp_path: Path, name: str) -> None:
    with zipfile.ZipFile(archive) as old:
        files = json.loads(old.read("manifest.json"))["files"]
    foreign = rewritten(archive, {name: b"evil"}, {"files": files | {name: files["match.jsonl"]}})
    there = tmp_path / "deep" / "there"
    imported = import_archive(foreign, there)
    assert "was left out" in imported.problems[0]
    assert not any("evil" in data.decode("latin-1") for data in everything(tmp_path / "deep").values())
    assert sorted(p.name for p in there.iterdir()) == ["evening.jsonl", "evening.replay"]


def test_a_file_that_is_damaged_in_the_archive_costs_only_itself(archive: Path, tmp_path: Path) -> None:
    imported = import_archive(rewritten(archive, {"replay/0001.mp4": b"vide0" * 1000}), tmp_path / "there")
    assert imported.problems == ("replay/0001.mp4 is damaged or missing in the archive and was left out",)
    assert MatchFolder(imported.log).tracks(1).is_file()
    assert not MatchFolder(imported.log).clip(1).exists()


def test_a_file_that_unpacks_to_more_than_it_says_is_left_out(archive: Path, tmp_path: Path) -> None:
    bomb = rewritten(archive, {"replay/0001.npz": b"\0" * 10_000_000})
    imported = import_archive(bomb, tmp_path / "there")
    assert "0001.npz" in imported.problems[0]


@pytest.mark.parametrize(
    ("manifest", "why"),
    [
        ({"type": "photos"}, "no archive of a match"),
        ({"version": 2}, "of version 2"),
        ({"files": {}}, "no archive of a match"),
        ({"files": 3}, "no archive of a match"),
    ],
)
def test_a_foreign_archive_is_told_in_a_sentence(
    archive: Path, tmp_path: Path, manifest: dict[str, object], why: str
) -> None:
    with pytest.raises(ArchiveError, match=why):
        import_archive(rewritten(archive, {}, manifest), tmp_path / "there")


def test_a_match_of_a_newer_program_is_refused_and_leaves_nothing(archive: Path, tmp_path: Path) -> None:
    import hashlib

    newer = b'{"type":"header","version":9}\n'
    told = {"match.jsonl": {"bytes": len(newer), "sha256": hashlib.sha256(newer).hexdigest()}}
    with pytest.raises(LogError, match="version 9"):
        import_archive(rewritten(archive, {"match.jsonl": newer}, {"files": told}), tmp_path / "there")
    assert list((tmp_path / "there").iterdir()) == []


def test_a_name_that_is_a_path_is_not_taken(archive: Path, tmp_path: Path) -> None:
    imported = import_archive(rewritten(archive, {}, {"name": "../../evil"}), tmp_path / "there")
    assert imported.log == tmp_path / "there" / "imported.jsonl"


def test_the_commands_export_and_import(match: MatchFolder, tmp_path: Path) -> None:
    archive, sheet = tmp_path / "a.zip", tmp_path / "a.html"
    done = CliRunner().invoke(main, ["export", str(match.log), "--archive", str(archive), "--sheet", str(sheet)])
    assert done.exit_code == 0, done.output
    page = sheet.read_text(encoding="utf-8")
    assert "Asha Rao – Jürg Müller" in page
    assert "○↗, ○↗" in page
    assert "http" not in page
    again = CliRunner().invoke(main, ["import", str(archive), "--data", str(tmp_path / "there")])
    assert again.exit_code == 0, again.output
    assert "evening.jsonl" in again.output
    torn = tmp_path / "torn.zip"
    torn.write_bytes(b"PK")
    refused = CliRunner().invoke(main, ["import", str(torn), "--data", str(tmp_path / "there")])
    assert refused.exit_code == 1
    assert "torn or is no archive" in refused.output


def test_players_cannot_write_on_the_sheet(tmp_path: Path) -> None:
    from models.pieces import Seat
    from referee.log.stored_match import stored_match
    from referee.replay.print_sheet import sheet

    write(tmp_path / "a.jsonl", played("m", ((Seat.SOUTH, "<script>x</script>"),)))
    assert "<script>" not in sheet(stored_match(tmp_path / "a.jsonl"))
