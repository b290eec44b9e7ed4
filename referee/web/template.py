"""The pages' HTML: a page's own part is in `pages/`, shared parts in `pages/parts/`, joined once."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from string import Template


@dataclass(frozen=True, slots=True)
class Page:
    """One page; its script and its body bear its name."""

    name: str
    styles: tuple[str, ...] = ()
    """Style sheets after those of every page."""
    has_nav: bool = True
    """Has the navigation bar of the main pages."""
    nav: str = "nav"
    """Part with that bar."""


TEMPLATE_EVERYWHERE = ("fonts", "theme", "dialog", "nav")
TEMPLATE_PARTS = ("menu", "connection", "sign", "search", "editor", "matchform", "newmatch")
"""Parts shared by several pages; each may hold those before it."""
PAGES = {
    "/": Page("scoreboard", ("board", "acts", "newmatch", "scoreboard")),
    "/live": Page("live", ("board", "live")),
    "/umpire": Page("umpire", ("board", "acts", "newmatch", "umpire")),
    "/overlay": Page("overlay", ("board", "overlay"), has_nav=False),
    "/practice": Page("practice", ("board", "live", "practice")),
    "/restore": Page("restore", ("board", "live")),
    "/pair": Page("pair", ("pair",), has_nav=False),
    "/machine": Page("machine", ("machine",)),
    "/setup": Page("setup", ("board", "newmatch", "setup")),
    "/matches": Page("matches", ("matches",)),
    "/matches/{match}": Page("replay", ("board", "replay")),
    "/statistics": Page("statistics", ("board", "statistics")),
    "/tour": Page("tour", ("tour",)),
    "/languages": Page("languages", ("languages",)),
    "/api": Page("api", ("api",)),
}
"""Pages by address."""
HALL_PAGES = {
    "/": Page("wall", ("wall",), has_nav=False),
    "/chief": Page("chief", ("matches", "chief"), nav="hallnav"),
    "/players": Page("hallplayers", ("matches", "hallplayers"), nav="hallnav"),
    "/search": Page("hallsearch", ("matches", "hallplayers"), nav="hallnav"),
    "/event": Page("hallevent", ("matches", "hallplayers", "hallevent"), nav="hallnav"),
    "/again": Page("hallagain", ("matches", "hallplayers"), nav="hallnav"),
}
"""Pages of a hall's hub by address."""
MISSING = Page("missing", ("matches",))
"""Page of every other address."""


def html_of(page: Page) -> str:
    """Returns the whole page."""
    parts: dict[str, str] = {}
    for name in TEMPLATE_PARTS:
        parts[name] = Template(_part(f"parts/{name}")).substitute(parts).rstrip()
    sheets = (
        f'<link rel="stylesheet" href="/static/styles/{name}.css">' for name in (*TEMPLATE_EVERYWHERE, *page.styles)
    )
    body = Template(_part(page.name)).substitute(parts).rstrip()
    nav = _part(f"parts/{page.nav}").rstrip() if page.has_nav else ""
    return Template(_part("parts/page")).substitute(
        name=page.name, styles="\n  ".join(sheets), body=body, nav=nav, rail="on" if page.has_nav else "off"
    )


def _part(name: str) -> str:
    return (resources.files("referee.web") / "pages" / f"{name}.html").read_text(encoding="utf-8")
