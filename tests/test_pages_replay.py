"""Replays in a real browser: the frame asked for, what was seen exactly over it, and the evidence of each call."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterator
from itertools import islice, pairwise
from pathlib import Path
from typing import Literal

import httpx
import numpy as np
import pytest
from match_logs import played, write
from playwright.sync_api import Browser, Page, expect
from sim_clips import FPS, LAST, QUIET, SIZE
from test_pages_access import violations
from test_recorder import UNEVEN, coded
from web_shelf import PIN, copied, served

from referee.log import LogWriter
from referee.replay.clip import ClipFormat, mp4
from referee.replay.match_folder import MatchFolder
from referee.replay.outlines import ClipOutlines
from referee.replay.store import Replay
from referee.replay.tracks import DISC, HAND, LYING, PLACED, TRACKS_LETTERS, VERSION, Tracks
from referee.sim.scene import Scene, Where
from referee.sim.script import MatchConditions
from referee.sim.source import SimSource

COIN_MM = 8.0
"""Height of a coin's top face, at which the overlay draws."""
STEPPED = """async i => {
  const [seek, screen] = [document.getElementById("seek"), document.getElementById("screen")];
  seek.value = i;
  seek.dispatchEvent(new Event("input"));
  while (screen.dataset.frame !== String(i)) await new Promise(r => setTimeout(r, 2));
}"""
LUMA = """() => document.getElementById("frame").getContext("2d").getImageData(200, 200, 1, 1).data[0]"""
RIMS = """() => [...document.querySelectorAll("#traced .rim")].map(rim => rim.getAttribute("points"))"""


@pytest.fixture
def folder(kept: MatchFolder, tmp_path: Path) -> Path:
    """The recorded match, and one that was only logged."""
    copied(kept, tmp_path)
    write(tmp_path / "a.jsonl", played())
    return tmp_path


@pytest.fixture
def client(folder: Path) -> Iterator[httpx.Client]:
    with served(folder, running=folder / "a.jsonl") as client:
        yield client


def opened(page: Page, client: httpx.Client, path: str) -> None:
    page.goto(f"{client.base_url}{path}")
    expect(page.locator("#screen")).to_have_attribute("data-frame", re.compile(r"\d+"))


def number(page: Page) -> int:
    """The number that the shown picture's shade tells."""
    return round((16 + page.evaluate(LUMA) / 255 * (235 - 16) - 20) / 2)


def test_each_step_shows_exactly_the_frame_asked_for(page: Page, client: httpx.Client, folder: Path) -> None:
    replays = MatchFolder(folder / "evening.jsonl")
    told = json.loads(replays.clip_times(1).read_text())
    replays.clip(1).write_bytes(mp4(coded(UNEVEN), ClipFormat(*SIZE, "x", False)))
    replays.clip_times(1).write_text(json.dumps(told | {"times": [round(t, 5) for t in UNEVEN]}))
    opened(page, client, f"/matches/evening#stroke=1&t={UNEVEN[37]:.3f}")
    expect(page.locator("#where")).to_contain_text("picture 38 of 80")
    assert number(page) == 37
    for i in (0, 1, 39, 40, 41, 79, 78, 12):
        page.evaluate(STEPPED, i)
        assert number(page) == i
    for key, i in (("ArrowRight", 13), ("ArrowRight", 14), ("ArrowLeft", 13)):
        page.locator("body").press(key)
        expect(page.locator("#screen")).to_have_attribute("data-frame", str(i))
        assert number(page) == i
    page.get_by_role("button", name="One picture on").click()
    expect(page.locator("#screen")).to_have_attribute("data-frame", "14")
    page.locator("#rate").select_option("4")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator("#screen")).to_have_attribute("data-frame", "79")
    assert number(page) == 79
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()


def scenes() -> tuple[SimSource, list[Scene]]:
    """The world behind the recorded clip, frame by frame."""
    sim = SimSource(width=SIZE[0], height=SIZE[1], manner=MatchConditions(tempo=0.4))
    return sim, list(islice(sim.scenes(), LAST))[QUIET:]


def true_tracks(world: list[Scene]) -> Tracks:
    """Tracks as a seeing without any fault would tell them."""
    rows = [(i / FPS, k, TRACKS_LETTERS[kind], *scene.pos_mm[k], 0.0) for i, scene in enumerate(world)
            for k, kind in enumerate(scene.kinds) if scene.where[k] is Where.BOARD]  # fmt: skip
    return Tracks(version=np.array(VERSION), span=np.array([0.0, len(world) / FPS]), discs=np.array(rows, DISC),
                  changes=np.zeros(0), lying=np.zeros(0, LYING), placed=np.zeros(0, PLACED),
                  hands=np.zeros(0, HAND))  # fmt: skip


def test_what_was_seen_lies_within_two_pixels_of_the_truth_in_every_frame(
    page: Page, client: httpx.Client, folder: Path
) -> None:
    """What if the overlay's clock, lens or scale were not the picture's? A disc flies up to 44 px a frame."""
    sim, world = scenes()
    true_tracks(world).save(MatchFolder(folder / "evening.jsonl").tracks(1))
    opened(page, client, "/matches/evening#stroke=1&t=0")
    times = client.get("/api/matches/evening/strokes/1").json()["clip"]["times"]
    assert len(times) == len(world)
    worst = []
    for i, (t, scene) in enumerate(zip(times, world, strict=True)):
        assert t == pytest.approx(i / FPS, abs=1e-3)
        page.evaluate(STEPPED, i)
        rims = [np.array([p.split(",") for p in rim.split()], float).mean(0) for rim in page.evaluate(RIMS)]
        lie = [k for k, where in enumerate(scene.where) if where is Where.BOARD]
        true = sim.camera.to_pixels(scene.pos_mm[lie], COIN_MM) + 0.5
        assert len(rims) == len(true)
        worst.append(max(np.hypot(*(true - rim).T).min() for rim in rims))
    assert max(worst) < 2.0
    assert any(scene.moving.any() for scene in world)


def test_the_page_draws_the_rings_that_exported_clips_have(page: Page, client: httpx.Client, folder: Path) -> None:
    """And breaks the same; pictures are counted from their corner there, from the middle of the first pixel here."""
    replay = Replay(folder / "evening.jsonl")
    stroke, tracks = replay.strokes[1], replay.tracks(1)
    assert stroke.clip is not None
    rims = ClipOutlines(stroke.clip, replay.header(1))
    opened(page, client, "/matches/evening#stroke=1&t=0")
    doubts = 0
    for i in range(0, len(stroke.clip.times), 3):
        page.evaluate(STEPPED, i)
        own = rims.at(tracks, stroke.clip.times[i], stroke.line["t_strike"])
        middles = [np.array([p.split(",") for p in rim.split()], float).mean(0) - 0.5 for rim in page.evaluate(RIMS)]
        assert len(middles) == len(own)
        assert all(min(np.hypot(*(rim.px.mean(0) - m)) for m in middles) < 0.3 for rim in own), i
        doubt = page.locator('#traced .rim[data-sure="false"]').count()
        assert doubt == sum(not rim.shown.sure for rim in own)
        doubts += doubt
    assert doubts > 0
    struck = next(i for i, t in enumerate(stroke.clip.times) if t > stroke.line["t_strike"] + 1.2)
    page.evaluate(STEPPED, struck)
    fades = page.locator("#traced .way.striker").evaluate_all("ways => ways.map(way => way.dataset.fade)")
    assert len({*fades}) > 1, "its way fades with its age"
    page.locator("#full").click()
    expect(page.locator("#stage:fullscreen")).to_be_visible()
    boxes = [page.locator(name).bounding_box() for name in ("#screen", "#seek", "#play", "#overlay")]
    for above, below in pairwise(boxes):
        assert above is not None
        assert below is not None
        assert above["y"] + above["height"] <= below["y"] + 1, "nothing covers the keys"


def test_while_the_camera_moved_nothing_is_drawn(page: Page, client: httpx.Client, folder: Path) -> None:
    replays = MatchFolder(folder / "evening.jsonl")
    told = json.loads(replays.clip_times(1).read_text())
    t = told["times"][30]
    stays = [
        {"since": since, "until": until, "camera": told["camera"]} for since, until in ((None, t - 0.5), (t, None))
    ]
    replays.clip_times(1).write_text(json.dumps(told | {"stays": stays}))
    opened(page, client, "/matches/evening#stroke=1&t=0")
    for i, is_drawn in ((2, True), (28, False), (32, True), (20, False)):
        page.evaluate(STEPPED, i)
        assert bool(page.evaluate(RIMS)) == is_drawn, i


def test_a_match_is_a_timeline_of_what_happened_and_every_call_has_its_card(
    page: Page, client: httpx.Client, folder: Path, errors: list[str]
) -> None:
    opened(page, client, "/matches/evening")
    expect(page.locator("h1")).to_contain_text("Asha")
    expect(page.locator("#boards a")).to_have_count(1)
    card = page.locator("#card")
    expect(card.locator(".laws .law").first).to_have_text("R17")
    expect(card.locator(".light")).to_contain_text("mm ±")
    expect(card.locator(".closeup")).to_have_count(2)
    expect(card.locator(".facts")).to_contain_text("ICF Laws")
    page.wait_for_function("() => [...document.images].every(image => image.complete && image.naturalWidth > 0)")
    page.locator("#jumps button", has_text="At rest").click()
    expect(page).to_have_url(re.compile(r"#stroke=1&t=2\.9"))
    page.get_by_role("button", name="Drawn board").click()
    expect(page.locator("#board .piece")).not_to_have_count(0)
    assert errors == []


def test_a_tap_plays_and_stops_and_a_finger_drawn_along_goes_through_the_frames(
    page: Page, client: httpx.Client
) -> None:
    opened(page, client, "/matches/evening#stroke=1&t=0.5")
    screen = page.locator("#screen")
    expect(screen).to_have_attribute("data-frame", "15")
    box = screen.bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y, steps=5)
    page.mouse.up()
    expect(screen).to_have_attribute("data-frame", "20")
    page.mouse.click(x, y)
    expect(screen).to_have_attribute("data-playing", "true")
    page.mouse.click(x, y)
    expect(screen).to_have_attribute("data-playing", "false")


def test_strokes_without_video_or_tracks_are_told_and_stepped_through_by_keys(
    page: Page, client: httpx.Client, errors: list[str]
) -> None:
    page.goto(f"{client.base_url}/matches/a#stroke=1")
    expect(page.locator("#caption")).to_contain_text("Stroke 1 · Asha Rao: White pocketed (↗)")
    expect(page.locator("#note")).to_contain_text("Neither video nor tracks")
    page.locator("body").press("]")
    expect(page.locator("#caption")).to_contain_text("Stroke 2")
    page.locator("body").press("p")
    expect(page.locator("#boards a[aria-current]")).to_have_attribute("data-stroke", "4")
    page.locator("body").press("f")
    expect(page.locator("#boards a[aria-current]")).to_have_attribute("data-stroke", "2")
    page.locator("#boards a").nth(2).click()
    expect(page.locator("#caption")).to_contain_text("Stroke 3")
    assert errors == []


@pytest.mark.parametrize("name", ["nobody", "newer"])
def test_a_match_that_is_not_there_or_cannot_be_read_is_a_sentence_and_no_empty_player(
    page: Page, client: httpx.Client, folder: Path, name: str
) -> None:
    (folder / "newer.jsonl").write_text('{"type":"header","version":9}\n')
    page.goto(f"{client.base_url}/matches/{name}")
    expect(page.locator("#note")).to_contain_text("not there, or cannot be read")
    expect(page.locator("#screen")).to_be_hidden()
    page.goto(f"{client.base_url}/matches")
    expect(page.locator("#problems")).to_contain_text("version 9")
    expect(page.locator("#matches li")).to_have_count(2)


def test_the_umpires_word_stands_on_the_card(page: Page, client: httpx.Client, folder: Path) -> None:
    word = {"type": "correction", "t": 99.0, "action": "correct", "stroke": 2, "stroke_text": "W", "by": "Uma"}
    with LogWriter(folder / "a.jsonl") as log:
        log.write(word)
    page.goto(f"{client.base_url}/matches/a#stroke=2")
    expect(page.locator("#card .verdict")).to_have_attribute("data-state", "corrected")
    expect(page.locator("#card .changes li")).to_contain_text("Uma corrected stroke 2")


def test_a_clip_deleted_while_it_is_watched_gives_way_to_the_drawn_board(
    page: Page, client: httpx.Client, folder: Path
) -> None:
    opened(page, client, "/matches/evening#stroke=1")
    MatchFolder(folder / "evening.jsonl").clip(1).unlink()
    page.evaluate("() => { const v = document.getElementById('video'); v.src = v.src + '?again'; }")
    expect(page.locator("#note")).to_contain_text("no longer there")
    expect(page.locator("#screen")).to_have_attribute("data-shows", "board")
    expect(page.locator("#board .piece")).not_to_have_count(0)


@pytest.mark.parametrize("torn", [True, False])
def test_a_damaged_clip_gives_way_to_the_drawn_board_at_once(
    page: Page, client: httpx.Client, folder: Path, torn: bool
) -> None:
    """What if its file is there, and ends too early or holds no pictures? It must not be asked for without end."""
    clip = MatchFolder(folder / "evening.jsonl").clip(1)
    whole = clip.read_bytes()
    clip.write_bytes(whole[:-1] if torn else whole[:12000] + bytes(len(whole) - 12000))
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if request.url.endswith("clip.mp4") else None)
    opened(page, client, "/matches/evening#stroke=1")
    expect(page.locator("#note")).to_contain_text("is damaged")
    expect(page.locator("#screen")).to_have_attribute("data-shows", "board")
    expect(page.locator("#board .piece")).not_to_have_count(0)
    assert len(asked) < 5


def test_damaged_tracks_cost_the_overlay_and_not_the_video(page: Page, client: httpx.Client, folder: Path) -> None:
    tracks = MatchFolder(folder / "evening.jsonl").tracks(1)
    tracks.write_bytes(tracks.read_bytes()[:999])
    opened(page, client, "/matches/evening#stroke=1")
    expect(page.locator("#note")).to_contain_text("tracks")
    expect(page.locator("#screen")).to_have_attribute("data-shows", "video")
    expect(page.locator("#card .laws .law").first).to_have_text("R17")


def test_a_video_whose_log_is_missing_and_a_foreign_archive_are_told_and_the_rest_goes_on(
    page: Page, client: httpx.Client, folder: Path
) -> None:
    (folder / "evening.jsonl").unlink()
    page.goto(f"{client.base_url}/matches")
    expect(page.locator("#problems")).to_contain_text("evening.jsonl is missing")
    expect(page.locator("#matches li")).to_have_count(1)
    foreign = io.BytesIO()
    with zipfile.ZipFile(foreign, "w") as archive:
        archive.writestr("holiday.txt", "sun")
    page.locator("#archive").set_input_files(
        {"name": "x.zip", "mimeType": "application/zip", "buffer": foreign.getvalue()}
    )
    page.locator("#sign-pin").fill(PIN)
    page.locator("#sign .main").click()
    expect(page.locator("#message")).to_contain_text("no archive of a match")
    expect(page.locator("#matches li")).to_have_count(1)


def test_the_owner_has_the_videos_looked_at_again_and_sees_what_differs(
    page: Page, client: httpx.Client, errors: list[str]
) -> None:
    opened(page, client, "/matches/evening#stroke=1")
    page.locator(".again summary").click()
    page.locator("#again-source").select_option("video")
    page.locator("#again-go").click()
    page.locator("#sign-pin").fill(PIN)
    page.locator("#sign .main").click()
    expect(page.locator("#again-work progress")).to_be_visible()
    expect(page.locator("#again-said")).to_contain_text("of 1 rulings differ", timeout=240_000)
    expect(page.locator("#again-work")).to_be_hidden()
    page.locator("#again-rules").select_option("masters")
    page.locator("#again-go").click()
    expect(page.locator("#again-said")).to_contain_text("of 1 rulings differ")
    assert [e for e in errors if "404" not in e] == []


@pytest.mark.parametrize(
    ("scheme", "locale"), [("light", "en-GB"), ("dark", "de-DE"), ("light", "fr-FR"), ("dark", "es-ES")]
)
def test_axe_finds_nothing_and_every_language_fits_a_phone(
    browser: Browser, client: httpx.Client, scheme: Literal["light", "dark"], locale: str
) -> None:
    page = browser.new_page(color_scheme=scheme, locale=locale, viewport={"width": 390, "height": 844})
    for path in ("matches", "matches/evening#stroke=1", "matches/a#stroke=2", "statistics?match=evening"):
        page.goto(f"{client.base_url}/{path}")
        expect(page.locator("#matches li, #boards a, .chart").first).to_be_visible()
        assert locale[:2] not in ("en", "de") or violations(page) == [], path
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
    page.close()


def test_statistics_are_pictures_with_their_numbers_as_tables(
    page: Page, client: httpx.Client, errors: list[str]
) -> None:
    page.goto(f"{client.base_url}/statistics?match=a")
    told = {p["player"]: p for p in client.get("/api/statistics?match=a").json()["players"]}
    first = page.locator("#charts .chart").first
    first.locator("summary").click()
    for row, (player, numbers) in zip(first.locator("tbody tr").all(), told.items(), strict=True):
        expect(row).to_contain_text(player)
        expect(row.locator("td").first).to_have_text(str(numbers["strokes"]))
    expect(page.locator("#maps .board")).to_have_count(2)
    assert errors == []


def test_matches_are_searched_and_their_owner_deletes_one_and_takes_it_in_again(
    page: Page, client: httpx.Client, folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    page.goto(f"{client.base_url}/matches")
    expect(page.locator("#matches li")).to_have_count(2)
    expect(page.locator("#matches .now")).to_have_count(1)
    page.get_by_role("searchbox", name="Player").fill("jürg")
    expect(page.locator("#matches li")).to_have_count(1)
    page.get_by_role("searchbox", name="Player").fill("")
    expect(page.locator("#matches li")).to_have_count(2)
    page.locator("#matches a").first.click()
    expect(page.locator("#boards a")).to_have_count(1)
    with page.expect_download() as fetched:
        page.locator("#archive").click()
        page.get_by_label("PIN").fill(PIN)
        page.locator("#sign .main").click()
    archive = tmp_path_factory.mktemp("out") / "evening.zip"
    fetched.value.save_as(archive)
    page.locator("#delete").click()
    expect(page.locator("#sure-what")).to_contain_text("1 strokes")
    page.locator("#sure .main").click()
    expect(page.locator("#matches li")).to_have_count(1)
    assert not (folder / "evening.replay").exists()
    page.locator("#archive").set_input_files(archive)
    expect(page.locator("#message")).to_contain_text("was imported")
    expect(page.locator("#matches li")).to_have_count(2)
    page.locator("#archive").set_input_files({"name": "x.zip", "mimeType": "application/zip", "buffer": b"torn"})
    expect(page.locator("#message")).to_contain_text("is torn")
