"""Pages below a path, as behind a proxy that serves other things too: every address of ours gets the path prepended."""

from __future__ import annotations

import re
from mimetypes import add_type
from pathlib import Path

from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

ROOT_PATH = re.compile(r"(/[A-Za-z0-9._~-]+)*")
"""Valid root paths: empty, or segments with a leading slash each and no trailing one."""
ADDRESS = re.compile(r"""(?<=["'`(])/(?=(?:api|static|ws|worker\.js|manifest\.webmanifest|favicon\.ico|live|umpire
    |overlay|practice|restore|pair|machine|setup|matches|statistics|tour|words|languages
    |fonts)\b)""", re.VERBOSE)  # fmt: skip
"""Start of an address of ours in a page, a script, a style or a list."""
PREFIX_START = re.compile(r"""(?<=[=:]\ )"/"|(?<=href=)"/\"""", re.VERBOSE)
"""The scoreboard's own address, a mere slash."""
HOST = re.compile(r"(?<=\$\{location\.host\})(?=/ws)")
"""Start of the WebSocket's path."""
PREFIX_TEXTS = {".js": "text/javascript", ".css": "text/css", ".json": "application/json"}


def below(root_path: str, text: str) -> str:
    """Returns a file of ours for a server below `root_path`; unchanged if that is empty."""
    if not root_path:
        return text
    return HOST.sub(root_path, PREFIX_START.sub(f'"{root_path}/"', ADDRESS.sub(f"{root_path}/", text)))


class Files(StaticFiles):
    """The pages' files for a server below `root_path`."""

    def __init__(self, directory: Path, root_path: str) -> None:
        super().__init__(directory=directory)
        self._root_path = root_path
        add_type("image/webp", ".webp")  # Python 3.11 knows it only where the system does

    async def get_response(self, path: str, scope: Scope) -> Response:
        found = await super().get_response(path, scope)
        media_type = PREFIX_TEXTS.get(Path(path).suffix)
        if not self._root_path or found.status_code != 200 or media_type is None:
            return found
        full, _ = self.lookup_path(path)
        return Response(below(self._root_path, Path(full).read_text(encoding="utf-8")), media_type=media_type)
