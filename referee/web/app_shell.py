"""The service worker: the script with the list of files that a browser keeps, so that pages open offline."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

SHELL_PAGES = ("/", "/live", "/umpire", "/matches", "/matches/shell", "/statistics", "/machine", "/restore")
"""Pages that open without the referee. Their data is never kept."""
SHELL_SUFFIXES = frozenset({".js", ".css", ".svg", ".png"})
"""Files that pages need to open. Fonts are kept once a page has fetched them."""
WORKER = Path(__file__).parent / "pages" / "worker.js"


def worker_script(static: Path) -> str:
    """Returns the service worker over the files in `static`. Its version changes with each of them."""
    files = sorted(path for path in static.rglob("*") if path.suffix in SHELL_SUFFIXES)
    digest = hashlib.sha256()
    for file in (*files, *sorted(WORKER.parent.rglob("*.*"))):
        digest.update(file.read_bytes())
    addresses = [*SHELL_PAGES, "/words", "/manifest.webmanifest", "/favicon.ico",
                 *(f"/static/{file.relative_to(static).as_posix()}" for file in files)]  # fmt: skip
    text = WORKER.read_text(encoding="utf-8")
    return text.replace("{version}", digest.hexdigest()[:12]).replace("{shell}", json.dumps(addresses))
