"""The pages as an app, in a real browser: it can be installed, and opens without the referee and says so."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser, expect
from web_browser import listened
from web_stage import Stage, until

KEPT = """async () => {
  const [name] = await caches.keys();
  const kept = name ? (await (await caches.open(name)).keys()).map(({ url }) => url) : [];
  return kept.length > 80 && kept.some((url) => url.includes("wanted=de"));
}"""


def test_the_pages_open_without_the_referee_and_say_what_is_missing(browser: Browser, tmp_path: Path) -> None:
    stage, errors = Stage(tmp_path), list[str]()
    context = browser.new_context(locale="de-DE", viewport={"width": 1280, "height": 800})
    page = listened(context.new_page(), errors)
    with stage.eyes() as eyes, stage.house() as house:
        eyes.connected()
        eyes.play("south W")
        url = house.urls[0]
        page.goto(url)
        expect(page.locator("#side-0 .name")).to_have_text("Asha")
        installing = context.new_cdp_session(page)
        found = installing.send("Page.getAppManifest")
        assert found["errors"] == []
        assert "maskable" in found["data"]
        # Nothing but the test's own private window keeps the browser from installing it.
        against = {e["errorId"] for e in installing.send("Page.getInstallabilityErrors")["installabilityErrors"]}
        assert against <= {"in-incognito"}
        until(lambda: page.evaluate(KEPT), "the pages' files kept")
        kept = page.evaluate("async () => (await (await caches.open((await caches.keys())[0])).keys()).map(r => r.url)")
        assert not [address for address in kept if "/api/" in address]
        assert errors == []
    for path in ("", "statistics", "matches/evening"):
        page.goto(f"{url}{path}")
        expect(page.locator("html")).to_have_attribute("data-ready", "true")
        assert page.locator("html").get_attribute("lang") == "de"
    page.goto(url)
    expect(page.locator("#veil")).to_contain_text("Verbindung weg")
    expect(page.locator("#connection")).to_have_attribute("data-state", "lost")
    context.close()
