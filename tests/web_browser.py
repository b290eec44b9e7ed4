"""Debian's Chromium for page tests: one browser a file, a fresh tablet a test, and the errors of its console."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

SHELL, WITH_WINDOWS = Path("/usr/bin/chromium-headless-shell"), Path("/usr/bin/chromium")
CHROMIUM = SHELL if SHELL.exists() else WITH_WINDOWS
"""The same engine without what windows need takes half the processor time, and is a package of its own in Debian."""
HALL = "carrom.local"
"""Host name of the referee in a hall. Plain http at this name is no secure context."""
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
         "--disable-background-networking", "--disable-component-update",
         f"--host-resolver-rules=MAP {HALL} 127.0.0.1"]  # fmt: skip
SIZES = {"tablet": (1280, 800), "small tablet": (1024, 768), "tablet upright": (800, 1280),
         "small tablet upright": (768, 1024), "phone": (390, 844), "hall": (1920, 1080)}  # fmt: skip
WAIT_MS = 60_000


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Starts one browser for a file. While it runs, Playwright's event loop keeps tests from running their own."""
    if not CHROMIUM.exists():
        pytest.skip(f"no browser at {CHROMIUM}: apt-get install chromium-headless-shell")
    with sync_playwright() as playwright:
        expect.set_options(timeout=WAIT_MS)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def errors() -> list[str]:
    """Collects the browser's errors."""
    return []


@pytest.fixture
def page(browser: Browser, errors: list[str]) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-GB")
    yield listened(context.new_page(), errors)
    context.close()


def listened(page: Page, errors: list[str]) -> Page:
    """Returns the page, with its errors collected in `errors`."""
    page.set_default_timeout(WAIT_MS)
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    return page
