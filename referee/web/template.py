"""The pages' HTML: what is a page's own lies in `pages/`, what all share in `pages/parts/`, joined once."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from string import Template


@dataclass(frozen=True, slots=True)
class Page:
    """One page; its script and its body bear its name."""

    name: str
    styles: tuple[str, ...] = ()
    """Style sheets after those that every page has."""


EVERYWHERE = ("fonts", "theme", "dialog")
PAGES = {
    "/": Page("scoreboard", ("board", "scoreboard")),
    "/live": Page("live", ("board", "live")),
    "/umpire": Page("umpire", ("umpire",)),
    "/overlay": Page("overlay", ("board", "overlay")),
    "/restore": Page("restore", ("board", "live")),
    "/pair": Page("pair", ("pair",)),
    "/machine": Page("machine", ("machine",)),
    "/setup": Page("setup", ("setup",)),
    "/matches": Page("matches", ("matches",)),
    "/matches/{match}": Page("replay", ("board", "replay")),
    "/statistics": Page("statistics", ("board", "statistics")),
    "/languages": Page("languages", ("languages",)),
    "/api": Page("api", ("api",)),
}
"""By address."""


def html_of(page: Page) -> str:
    """The whole page."""
    parts = {name: _part(f"parts/{name}").rstrip() for name in ("menu", "connection", "sign", "search")}
    sheets = (f'<link rel="stylesheet" href="/static/styles/{name}.css">' for name in (*EVERYWHERE, *page.styles))
    body = Template(_part(page.name)).substitute(parts).rstrip()
    return Template(_part("parts/page")).substitute(name=page.name, styles="\n  ".join(sheets), body=body)


def _part(name: str) -> str:
    return (resources.files("referee.web") / "pages" / f"{name}.html").read_text(encoding="utf-8")
