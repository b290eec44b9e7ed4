"""The set-up's page in a browser, over a real set-up at work: each step, corners by finger and by keys, PIN, resume."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Self

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Locator, Page, expect
from set_up import shots, small
from sim_scenes import FORMATION
from test_health import vitals
from web_browser import SIZES
from web_stage import Stage, until

from calibration.geometry.picture import Picture
from models.pieces import Kind, Piece
from referee.board_condition.condition import Quantity, Trait, as_dict
from referee.frames.frame import Frame
from referee.link import VisionEnd
from referee.setup.documents import progress_document
from referee.setup.progress import PROFILE_NAME, SetUpFiles
from referee.setup.steps import Progress, Step
from referee.setup.wizard import SetUpWizard
from referee.web.process import WebProcess

SOURCE = "test"
FRAME_S = 0.02


class Eyes:
    """The vision process's side of a set-up on pictures that a test chooses, in a thread of its own."""

    def __init__(self, folder: Path) -> None:
        self.pictures: Sequence[Picture] = shots(*FORMATION)
        self.kept = SetUpFiles(folder / PROFILE_NAME)
        self.finished: list[dict[str, Any] | None] = []
        """What was asked for at each end."""
        self._link = VisionEnd(folder)
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)

    def __enter__(self) -> Self:
        self._link.__enter__()
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ending.set()
        self._thread.join()
        self._link.__exit__(None, None, None)

    def tell(self, message: dict[str, Any]) -> None:
        """Something that other parts of the vision process say."""
        self._link.publish(message)

    def _work(self) -> None:
        while not self._ending.is_set():
            self._link.publish(progress_document(self.kept.progress(), is_open=False))
            if any(m.get("ask") == "begin" for m in self._wait()):
                with SetUpWizard(self.kept, SOURCE, self._link.publish) as desk:
                    self._run(desk)
                self.finished.append(desk.wish)

    def _wait(self) -> list[dict[str, Any]]:
        while not self._ending.wait(FRAME_S):
            if messages := self._link.poll():
                return messages
        return []

    def _run(self, desk: SetUpWizard) -> None:
        n = 0
        while not (desk.closed or self._ending.wait(FRAME_S)):
            for message in self._link.poll():
                desk.ask(message) if message["type"] == "setup" else desk.looked_at()
            desk.update(Frame(self.pictures[n % len(self.pictures)], n * 0.03, n, 0.0))
            n += 1


@pytest.fixture
def eyes(tmp_path: Path) -> Iterator[Eyes]:
    with Eyes(tmp_path) as running:
        yield running


@pytest.fixture
def house(tmp_path: Path, eyes: Eyes) -> Iterator[WebProcess]:
    with Stage(tmp_path).house() as running:
        yield running


def begin(page: Page, house: WebProcess, title: str = "Picture") -> None:
    page.goto(f"{house.urls[0]}setup")
    page.locator("#next").click()
    expect(page.locator("#title")).to_have_text(title)


def board_is_kept(eyes: Eyes) -> None:
    """As after the second step of a set-up left before, which spares the search."""
    eyes.kept.save_profile(small().profile)
    eyes.kept.save(Progress(SOURCE, Step.STRIKER, (Step.CAMERA, Step.BOARD)))


def kept(page: Page, step: str) -> Locator:
    """The mark of a step that is done."""
    return page.locator(f'#steps [data-step="{step}"] .mark')


def go(page: Page, step: str) -> None:
    page.locator(f'#steps [data-step="{step}"]').click()
    expect(page.locator(f'#steps [data-step="{step}"]')).to_have_attribute("aria-current", "step")


def test_the_whole_way_from_the_picture_to_the_match(page: Page, house: WebProcess, eyes: Eyes,
                                                     errors: list[str]) -> None:  # fmt: skip
    begin(page, house)
    next_ = page.locator("#next")
    expect(page.locator("#body li")).to_have_count(5)
    expect(page.locator("#body li").first).to_contain_text("Focus")
    until(lambda: page.locator("#picture").evaluate("e => e.naturalWidth") == 480, "the picture")
    next_.click()
    expect(page.locator("#body")).to_contain_text("74 cm (ICF): marks agree to 0.")
    expect(page.locator("#body table tbody tr")).to_have_count(5)
    expect(page.locator(".exact")).to_contain_text(
        re.compile(r"called from [01]\.\d mm beside a limit on\. A larger picture")
    )
    expect(page.locator('#over .mark[data-mark="rear"]')).to_have_count(4)
    next_.click()
    expect(page.locator("#title")).to_have_text("Lens")
    expect(page.locator("#body")).to_contain_text("Lens by the board’s own lines")
    next_.click()
    page.get_by_role("button", name="Look").click()
    expect(page.locator("#body li").first).to_have_attribute("data-verdict", "good")
    expect(page.locator("#body")).to_contain_text("White 9 · Black 9 · Queen 1")
    next_.click()
    expect(page.locator("#title")).to_have_text("Striker")
    eyes.pictures = shots(Piece(Kind.STRIKER, 3.0, 2.0))
    page.get_by_role("button", name="Look").click()
    expect(page.locator("#body")).to_contain_text(re.compile(r"Striker, 41\.\d mm across"))
    next_.click()
    page.get_by_text("Begin a new match").click()
    page.get_by_label("Rule book").select_option("masters")
    page.get_by_role("textbox", name="South").fill("Asha")
    expect(page.locator("#match-board .pocket")).to_have_count(4)
    next_.click()
    expect(page.locator("#title")).to_have_text("Result")
    expect(page.locator(".result")).to_have_attribute("data-result", "doubts")
    for step in ("camera", "board", "lens", "colours", "striker", "match"):
        expect(kept(page, step)).to_have_text("✓")
    next_.click()
    expect(page).to_have_url(house.urls[0])
    until(lambda: bool(eyes.finished))
    assert eyes.finished[0] is not None
    assert (eyes.finished[0]["rules"], eyes.finished[0]["players"]) == ("masters", {"south": "Asha"})
    profile = eyes.kept.profile_for(SOURCE)
    assert profile is not None
    assert set(profile.colours) == set(Kind)
    assert errors == []


def test_nothing_can_be_asked_for_before_the_eyes_have_told_where_they_are(page: Page, tmp_path: Path) -> None:
    with Stage(tmp_path).house() as house:
        page.goto(f"{house.urls[0]}setup")
        expect(page.locator("html")).to_have_attribute("data-ready", "true")
        expect(page.locator("#busy")).to_have_text("Waiting for the camera")
        expect(page.locator("#next")).to_be_disabled()
        expect(page.locator("#back")).to_be_hidden()
        with Eyes(tmp_path):
            page.locator("#next").click()
            expect(page.locator("#title")).to_have_text("Picture")


def test_corners_are_dragged_by_finger_and_moved_by_keys_and_a_side_is_measured(
    browser: Browser, house: WebProcess, eyes: Eyes
) -> None:
    context = browser.new_context(viewport={"width": 1024, "height": 768}, locale="en-GB", has_touch=True)
    page = context.new_page()
    begin(page, house)
    page.locator("#next").click()
    expect(page.locator("#body table")).to_be_visible(timeout=60_000)
    page.get_by_role("button", name="Point at the corners").click()
    handle = page.get_by_role("slider", name="Corner top left")
    place = handle.bounding_box()
    assert place is not None
    assert min(place["width"], place["height"]) >= 44, "as large as a finger"
    x, y = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2
    before = numbers(handle)
    page.mouse.move(x + 6, y + 4)
    page.mouse.down()
    page.mouse.move(x + 26, y + 24, steps=4)
    glass = page.locator("#glass")
    expect(glass).to_be_visible()
    seen = glass.bounding_box()
    assert seen is not None
    assert seen["x"] > x + 60, "not under the finger"
    page.mouse.up()
    expect(glass).to_be_hidden()
    scale = 480 / page.locator("#over").evaluate("e => e.clientWidth")
    dragged = numbers(handle)
    assert [b - a for a, b in zip(before, dragged, strict=True)] == pytest.approx([20 * scale] * 2, abs=2.5)
    handle.focus()
    for key in ("ArrowLeft", "ArrowUp", "Shift+ArrowLeft", "Shift+ArrowUp"):
        page.keyboard.press(key)
    assert [b - a for a, b in zip(dragged, numbers(handle), strict=True)] == [-11, -11]
    expect(glass).to_be_visible()
    page.get_by_role("button", name="Look again").click()
    expect(page.locator("#busy")).to_have_text("Looking for the board…")
    expect(page.locator("#busy")).to_be_empty(timeout=60_000)
    until(lambda: eyes.kept.progress().choices.corners is not None)
    page.get_by_label("Lens above the surface").fill("1050")
    page.get_by_label("Between opposite cushions").fill("712.5")
    page.keyboard.press("Tab")
    expect(page.locator("#body")).to_contain_text("Surface 712.5 mm", timeout=60_000)
    assert eyes.kept.progress().choices.height_mm == 1050
    context.close()


def test_the_card_shows_what_is_known_of_the_board(page: Page, house: WebProcess, eyes: Eyes) -> None:
    board_is_kept(eyes)
    begin(page, house, "Striker")
    go(page, "card")
    expect(page.locator("#passport")).to_contain_text("Not known yet")
    eyes.tell(vitals(passport=as_dict({Trait.FRICTION: Quantity(1291.0, 22.0, 17)})))
    go(page, "match")
    go(page, "card")
    expect(page.locator("#passport tr")).to_have_text("Pieces slow down by, mm/s²1,291 ± 22 (from 17)")


def numbers(handle: Locator) -> list[int]:
    """Where a handle says that it is, px."""
    return [int(v) for v in (handle.get_attribute("aria-valuetext") or "").split(", ")]


def test_it_is_gone_on_with_where_it_was_left(browser: Browser, house: WebProcess, eyes: Eyes) -> None:
    board_is_kept(eyes)
    first = browser.new_page(locale="en-GB")
    begin(first, house, "Striker")
    go(first, "lens")
    first.get_by_role("button", name="Leave").click()
    expect(first).to_have_url(house.urls[0])
    second = browser.new_page(locale="de-DE")
    second.goto(f"{house.urls[0]}setup")
    expect(second.locator("#body")).to_contain_text("Verlassen bei: Objektiv")
    second.get_by_role("button", name="Weitermachen").click()
    expect(second.locator("#title")).to_have_text("Objektiv")
    expect(kept(second, "board")).to_have_text("✓")
    for page in (first, second):
        page.close()


def test_nobody_without_the_pin_sees_the_hall_or_stops_the_match(browser: Browser, tmp_path: Path, eyes: Eyes) -> None:
    with Stage(tmp_path).house(pin="2468") as house:
        page = browser.new_page(locale="en-GB")
        page.goto(f"{house.urls[0]}setup")
        expect(page.locator("#sign")).to_be_visible()
        assert page.request.get(f"{house.urls[0]}api/setup.jpg").status == 401
        assert page.request.post(f"{house.urls[0]}api/setup", data={"ask": "begin"}).status == 401
        page.get_by_label("PIN").fill("2468")
        page.locator("#sign .main").click()
        page.locator("#next").click()
        expect(page.locator("#title")).to_have_text("Picture")
        page.close()


def test_every_step_fits_every_screen_and_axe_finds_nothing(browser: Browser, house: WebProcess,
                                                                     eyes: Eyes) -> None:  # fmt: skip
    board_is_kept(eyes)
    page = browser.new_page(locale="de-DE")
    begin(page, house, "Striker")
    for step in Step:
        go(page, step)
        expect(page.locator("#body")).not_to_be_empty()
        if step is Step.BOARD:
            page.locator("#point").click()
        for name, (width, height) in SIZES.items():
            page.set_viewport_size({"width": width, "height": height})
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (step, name)
        # In the dark only colours are others.
        for scheme, rules in (("light", {}), ("dark", {"runOnly": ["color-contrast"]})):
            page.emulate_media(color_scheme=scheme)
            found = Axe().run(page, options={"resultTypes": ["violations"], **rules}).response["violations"]
            assert [v["id"] for v in found if v["impact"] in ("serious", "critical")] == [], (step, scheme)
    page.close()
