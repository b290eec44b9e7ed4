"""Files of a match as responses. A file may be deleted to make room during a request, which is not a failure."""

from __future__ import annotations

from http import HTTPStatus
from pathlib import Path

from fastapi.responses import FileResponse, JSONResponse
from starlette.types import Message, Receive, Scope, Send


class FileOrGone(FileResponse):
    """Response with a file, or with the message that it is gone."""

    def __init__(self, path: Path, media_type: str, gone: str) -> None:
        """`gone` is the sentence for a deleted file."""
        super().__init__(path, media_type=media_type)
        self._gone = gone

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        has_begun = False

        async def noted(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        try:
            await super().__call__(scope, receive, noted)
        except (RuntimeError, FileNotFoundError):
            # Starlette raises RuntimeError for a file deleted before it could be opened.
            if has_begun or Path(self.path).exists():
                raise
            await JSONResponse({"detail": self._gone}, HTTPStatus.NOT_FOUND)(scope, receive, send)
