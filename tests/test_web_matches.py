"""Stored matches over HTTP: found, told, shown, kept, taken out and in; nothing else on the disk can be reached."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI
from match_logs import played, write
from web_shelf import copied, served, sign_in

from models.pieces import Seat
from referee.log import LogWriter
from referee.replay.archive import export_archive
from referee.replay.match_folder import MatchFolder
from referee.web.cached_file import FileOrGone

WALL = 1_700_000_000.0
LOOKING_S = 240.0


@pytest.fixture
def folder(kept: MatchFolder, tmp_path: Path) -> Path:
    """A recorded match, two that were only logged, one of them deeper, and one that nobody can read."""
    copied(kept, tmp_path)
    write(tmp_path / "a.jsonl", played(), WALL)
    (tmp_path / "club").mkdir()
    write(tmp_path / "club" / "b.jsonl", played("m2", ((Seat.SOUTH, "Ravi"),)), WALL + 86400)
    (tmp_path / "newer.jsonl").write_text('{"type":"header","version":9}\n')
    return tmp_path


@pytest.fixture
def client(folder: Path) -> Iterator[httpx.Client]:
    with served(folder, running=folder / "a.jsonl") as client:
        yield client


def test_matches_are_listed_and_found_by_player_and_day(client: httpx.Client) -> None:
    told = client.get("/api/matches").json()
    assert [m["id"] for m in told["matches"]] == ["evening", "club~b", "a"]
    assert [m["running"] for m in told["matches"]] == [False, False, True]
    assert any("version 9" in problem for problem in told["problems"])
    assert [m["id"] for m in client.get("/api/matches?player=jürg").json()["matches"]] == ["a"]
    found = client.get("/api/matches", params={"since": WALL + 1, "until": WALL + 90000}).json()["matches"]
    assert [m["id"] for m in found] == ["club~b"]


def test_a_match_tells_its_boards_and_each_stroke_in_words(client: httpx.Client) -> None:
    match = client.get("/api/matches/a?lang=de").json()
    assert match["boards"] == [{"number": 1, "match": 1, "strokes": [1, 2, 3, 4, 5]}]
    first = match["strokes"][0]
    assert first["player"] == "Asha Rao"
    assert [m["what"] for m in first["moments"]][:3] == ["placed", "struck", "pocketed"]
    assert any("Weiß" in s["text"] for s in first["sentences"])
    assert not first["video"]
    assert match["running"]
    assert client.get("/api/matches/club~b").json()["sides"][0]["players"] == ["Ravi"]


def test_a_stroke_tells_everything_that_its_call_rests_on(client: httpx.Client) -> None:
    told = client.get("/api/matches/evening/strokes/1").json()
    assert told["placement"]["sigma_mm"] > 0
    assert told["rules"] == "icf"
    assert told["program"]
    assert told["geometry"]["measured"]
    assert {"placement", "before", "after"} <= {frame["name"] for frame in told["frames"]}
    picture = client.get("/api/matches/evening/strokes/1/placement.jpg")
    assert picture.headers["content-type"] == "image/jpeg"
    assert picture.content.startswith(b"\xff\xd8")
    assert len(client.get("/api/matches/evening/strokes/1/tracks").json()["lying"][0]["pieces"]) == 19
    assert client.get("/api/matches/a/strokes/1").json()["frames"] == []


def test_a_clip_is_sent_in_parts_as_browsers_ask_for_it(client: httpx.Client) -> None:
    address = "/api/matches/evening/strokes/1/clip.mp4"
    whole = client.get(address)
    assert whole.headers["content-type"] == "video/mp4"
    assert whole.headers["accept-ranges"] == "bytes"
    part = client.get(address, headers={"Range": "bytes=100-199"})
    assert part.status_code == 206
    assert part.content == whole.content[100:200]
    times = client.get("/api/matches/evening/strokes/1").json()["clip"]["times"]
    assert len(times) > 30


def test_what_is_not_there_is_answered_in_a_sentence(client: httpx.Client, folder: Path) -> None:
    MatchFolder(folder / "evening.jsonl").clip(1).unlink()
    for path in ("evening/strokes/1/clip.mp4", "evening/strokes/1/no.jpg", "a/strokes/1/tracks", "a/strokes/99", "none",
                 "newer", "evening/strokes/1/profile.json"):  # fmt: skip
        answer = client.get(f"/api/matches/{path}")
        assert answer.status_code == 404, path
        assert len(answer.json()["detail"]) > 8, path
    told = client.get("/api/matches/evening/strokes/1").json()
    assert (told["video"], told["clip"], told["tracks"]) == (False, None, True)


@pytest.mark.parametrize(
    "path",
    ["../a", "..%2fa", "%2e%2e%2fa", "..~a", "~etc~passwd", "a%00", "%2fetc%2fpasswd", "club%2f..%2f..%2fa", "a.jsonl",
     "evening/strokes/1/..%2f..%2fa.jpg", "evening/strokes/1/%2e%2e.jpg"],
)  # fmt: skip
def test_no_path_leads_to_anything_else(client: httpx.Client, folder: Path, path: str) -> None:
    outside = folder.parent / "a.jsonl"
    write(outside, played())
    answer = client.get(httpx.URL(f"{client.base_url}/api/matches/{path}"))
    outside.unlink()
    assert answer.status_code == 404


def test_tables_a_document_and_a_sheet_are_given_out(client: httpx.Client) -> None:
    strokes = client.get("/api/matches/a/strokes.csv")
    assert 'filename="a.strokes.csv"' in strokes.headers["content-disposition"]
    assert len(strokes.text.splitlines()) == 6
    assert "Black" in client.get("/api/matches/a/rulings.csv").text
    assert len(client.get("/api/matches/a/match.json").json()["strokes"]) == 5
    sheet = client.get("/api/matches/a/sheet")
    assert "Jürg Müller" in sheet.text
    assert "script" not in sheet.headers["content-security-policy"]


def test_statistics_are_added_up_over_one_match_or_all_of_a_player(client: httpx.Client, folder: Path) -> None:
    one = client.get("/api/statistics?match=a").json()["players"]
    assert {p["player"]: p["strokes"] for p in one} == {"Asha Rao": 3, "Jürg Müller": 2}
    both = client.get("/api/statistics?player=asha").json()
    assert sorted(both["matches"]) == ["a", "evening"]
    assert {p["player"]: p["strokes"] for p in both["players"]} == {"Asha Rao": 3, "Asha": 1}
    table = client.get("/api/statistics.csv?player=asha")
    assert table.headers["content-type"].startswith("text/csv")
    assert [(row["player"], row["strokes"]) for row in csv.DictReader(table.text.splitlines())] == [
        ("Asha Rao", "3"),
        ("Asha", "1"),
    ]
    with LogWriter(folder / "a.jsonl") as log:
        log.write({"type": "correction", "t": 1.0, "action": "undo", "stroke": 5})
    one = client.get("/api/statistics?match=a").json()["players"]
    assert {p["player"]: p["strokes"] for p in one} == {"Asha Rao": 3, "Jürg Müller": 1}


def looked(client: httpx.Client, address: str) -> None:
    """Waits until a match's videos have been looked at; a busy machine takes minutes."""
    end = time.monotonic() + LOOKING_S
    while client.get(address).json()["runs"]:
        assert time.monotonic() < end
        time.sleep(0.1)


def test_its_owner_has_the_videos_looked_at_again(folder: Path, client: httpx.Client) -> None:
    address = "/api/matches/evening/rewatched"
    assert client.get(address).status_code == 404
    assert client.get("/api/matches/evening/again?source=video").status_code == 404
    assert client.post(address).status_code == 401
    sign_in(client)
    assert client.post(address).json()["of"] == 1
    assert client.post("/api/matches/a/rewatched").status_code == 423
    looked(client, address)
    assert client.get(address).json() == {"done": 1, "of": 1, "runs": False, "problem": None}
    (stroke,) = client.get("/api/matches/evening/again?source=video").json()["strokes"]
    assert stroke["unseen"] is None
    assert stroke["now"]["sentences"]
    (folder / "evening.replay" / "profile.json").unlink()
    client.post(address)
    looked(client, address)
    assert "cannot read the profile" in client.get(address).json()["problem"]
    assert client.delete(address).status_code == 204
    assert client.get(address).status_code == 404


def test_a_file_deleted_while_it_is_asked_for_is_told_as_gone(tmp_path: Path) -> None:
    """What if room is made between the look whether it is there and its opening?"""
    app = FastAPI()
    file = tmp_path / "0001.mp4"

    @app.get("/clip")
    def clip() -> FileOrGone:
        return FileOrGone(file, "video/mp4", "deleted for room")

    async def asked(headers: dict[str, str]) -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://here") as browser:
            return await browser.get("/clip", headers=headers)

    answer = asyncio.run(asked({}))
    assert (answer.status_code, answer.json()) == (404, {"detail": "deleted for room"})
    file.write_bytes(b"video")
    assert asyncio.run(asked({"range": "bytes=1-2"})).content == b"id"


def test_a_match_is_judged_again_under_another_book_or_from_its_tracks(client: httpx.Client) -> None:
    same = client.get("/api/matches/a/again").json()
    assert same["differ"] == 0
    other = client.get("/api/matches/a/again?rules=booklet_21&lang=de").json()
    assert other["differ"] > 0
    differing = next(s for s in other["strokes"] if s["differs"])
    assert differing["before"]["sentences"] != differing["now"]["sentences"]
    (stroke,) = client.get("/api/matches/evening/again?source=tracks").json()["strokes"]
    assert stroke["unseen"] is None
    lost = client.get("/api/matches/a/again?source=tracks").json()["strokes"][0]
    assert "does not say" in lost["unseen"]
    assert lost["unseen_as"] == "no_tracks"


@pytest.mark.parametrize("rules", ["/etc/passwd", "..%2Fx", "nobody", "icf%2Bnothing"])
def test_only_the_houses_books_judge(client: httpx.Client, rules: str) -> None:
    answer = client.get(f"/api/matches/a/again?rules={rules}")
    assert answer.status_code == 422
    assert len(answer.json()["detail"]) > 8


def test_only_who_gave_the_pin_deletes_keeps_and_packs(client: httpx.Client, folder: Path) -> None:
    changes = [("DELETE", "club~b"), ("PUT", "evening/strokes/1/kept"), ("POST", "evening/archive")]
    for method, path in changes:
        assert client.request(method, f"/api/matches/{path}").status_code == 401
    assert client.post("/api/matches", content=b"zip").status_code == 401
    sign_in(client)
    foreign = {"Origin": "http://elsewhere.example"}
    assert client.delete("/api/matches/club~b", headers=foreign).status_code == 403
    assert (folder / "club" / "b.jsonl").exists()
    assert client.delete("/api/matches/club~b").status_code == 204
    assert not (folder / "club" / "b.jsonl").exists()
    assert "scoreboard" in client.delete("/api/matches/a").json()["detail"]
    assert (folder / "a.jsonl").exists()
    assert client.put("/api/matches/evening/strokes/1/kept").status_code == 204
    assert client.get("/api/matches/evening/strokes/1").json()["kept"]
    assert client.delete("/api/matches/evening").status_code == 204
    assert not (folder / "evening.replay").exists()


def test_a_packed_match_is_fetched_once_and_is_the_same_on_another_machine(
    client: httpx.Client, tmp_path_factory: pytest.TempPathFactory, folder: Path
) -> None:
    sign_in(client)
    file = client.post("/api/matches/evening/archive").json()["file"]
    packed = client.get(file)
    assert 'filename="evening.zip"' in packed.headers["content-disposition"]
    assert client.get(file).status_code == 404
    assert not list(folder.glob(".export-*"))
    with served(tmp_path_factory.mktemp("empty"), pin=None) as other:
        taken = other.post("/api/matches", content=packed.content)
        assert taken.json() == {"id": "evening", "is_new": True, "is_longer": False, "problems": []}
        assert not other.post("/api/matches", content=packed.content).json()["is_new"]
        for path in ("", "/strokes/1/tracks", "/strokes/1"):
            here, there = (c.get(f"/api/matches/evening{path}").json() for c in (client, other))
            here.pop("kept", None)
            there.pop("kept", None)
            assert here == there
        clip = "/api/matches/evening/strokes/1/clip.mp4"
        assert client.get(clip).content == other.get(clip).content


def test_a_clip_is_drawn_into_and_fetched_once(client: httpx.Client, folder: Path) -> None:
    assert client.post("/api/matches/evening/strokes/1/shown").status_code == 401
    sign_in(client)
    file = client.post("/api/matches/evening/strokes/1/shown").json()["file"]
    drawn = client.get(file)
    assert drawn.content[4:8] == b"ftyp"
    assert 'filename="evening_1.mp4"' in drawn.headers["content-disposition"]
    assert client.get(file).status_code == 404
    assert client.get("/api/matches/evening/strokes/1").json()["kept"]
    answer = client.post("/api/matches/a/strokes/1/shown")
    assert answer.status_code == 404
    assert "no video of stroke 1 was kept" in answer.json()["detail"]
    assert not list(folder.glob(".export-*"))


def test_a_torn_or_foreign_archive_is_refused_in_a_sentence_and_leaves_nothing(
    client: httpx.Client, folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    sign_in(client)
    whole = tmp_path_factory.mktemp("out") / "evening.zip"
    export_archive(folder / "evening.jsonl", whole)
    foreign = io.BytesIO()
    with zipfile.ZipFile(foreign, "w") as archive:
        archive.writestr("../evil.jsonl", "x")
    before = sorted(path.name for path in folder.iterdir())
    for content in (b"", b"no zip", whole.read_bytes()[:-400], foreign.getvalue()):
        answer = client.post("/api/matches", content=content)
        assert answer.status_code == 422
        assert answer.json()["detail"].startswith("this file")
    assert sorted(path.name for path in folder.iterdir()) == before


def test_a_private_house_shows_matches_to_nobody_without_a_session(folder: Path) -> None:
    with served(folder, private=True) as client:
        for path in ("matches", "matches/a", "matches/evening/strokes/1/clip.mp4", "statistics", "matches/a/sheet"):
            assert client.get(f"/api/{path}").status_code == 401, path
        sign_in(client)
        assert client.get("/api/matches/a").status_code == 200


def test_every_address_is_described(client: httpx.Client) -> None:
    paths = json.loads(client.get("/api/openapi.json").text)["paths"]
    described = {path for path in paths if path.startswith(("/api/matches", "/api/statistics", "/api/archives"))}
    assert len(described) == 19
    assert all(operation.get("description") for path in described for operation in paths[path].values())
