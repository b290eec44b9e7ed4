"""The API for the owner of stored matches: deletion, protected clips, export and import of archives; PIN required."""

from __future__ import annotations

import asyncio
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from http import HTTPStatus
from pathlib import Path as File
from typing import Annotated

from fastapi import Depends, FastAPI, HTTPException, Path, Request
from fastapi.responses import FileResponse
from starlette.background import BackgroundTask
from starlette.requests import ClientDisconnect

from referee.atomic_files import PART
from referee.laws.sentences import DEFAULT_LANGUAGE
from referee.log import LogError
from referee.replay.archive import ArchiveError, Imported, export_archive, import_archive
from referee.replay.retention import LEAST_FREE_BYTES
from referee.web.guard import GUARD_ARCHIVE_BYTES
from referee.web.match_library import MatchLibrary
from referee.web.matches_api import MatchId, StrokeNumber, as_http_errors, recorded
from referee.web.read_api import LanguageCode, known
from referee.web.sessions import Authorisation, refusal

TOKEN_BYTES = 16
EXPORT = "from referee.cli import main; main()"
DRAWING_S = 300.0
"""Longest wait for an overlay video, s. A Pi that also referees needs half a minute."""


class Outbox:
    """Finished archives not yet fetched; a new one replaces the one before."""

    def __init__(self) -> None:
        self._waiting: dict[str, tuple[File, str]] = {}

    def put(self, path: File, name: str) -> str:
        """Returns the token with which the archive can be fetched once."""
        self.clear()
        token = secrets.token_urlsafe(TOKEN_BYTES)
        self._waiting[token] = path, name
        return token

    def add(self, token: str) -> tuple[File, str] | None:
        """Returns the file of a token, and its name; the caller deletes it. None for an unknown token."""
        return self._waiting.pop(token, None)

    def clear(self) -> None:
        """Deletes archives that nobody fetched."""
        for path, _ in self._waiting.values():
            path.unlink(missing_ok=True)
        self._waiting = {}


def add_owner_routes(app: FastAPI, shelf: MatchLibrary, porter: Authorisation) -> None:
    """Adds the routes of the owner, who knows the PIN."""
    owners, changers, outbox, clips = [Depends(porter.owner)], [Depends(porter.changer)], Outbox(), Outbox()

    @app.delete("/api/matches/{match}", dependencies=owners, status_code=HTTPStatus.NO_CONTENT)
    def delete(match: MatchId) -> None:
        """Deletes a match with its videos, pictures and tracks; not the one that is played."""
        with as_http_errors():
            log = shelf.log(match)
        if shelf.is_running(log):
            raise HTTPException(HTTPStatus.CONFLICT, "this match is on the scoreboard: begin another one first")
        with as_http_errors():
            shelf.delete(match)

    @app.put("/api/matches/{match}/strokes/{stroke}/kept", dependencies=owners, status_code=HTTPStatus.NO_CONTENT)
    def keep(match: MatchId, stroke: StrokeNumber) -> None:
        """Protects the stroke's clip: it is no longer deleted for its age or to make room."""
        with as_http_errors():
            opened = shelf.open(match)
        recorded(opened, stroke)
        opened.replay.keep(stroke)

    @app.post("/api/matches/{match}/archive", dependencies=owners)
    def pack(match: MatchId, request: Request) -> dict[str, str]:
        """Packs the match with all its files; `file` is the address to fetch the archive from, once."""
        with as_http_errors():
            log = shelf.log(match)
        handle, path = tempfile.mkstemp(prefix=".export-", suffix=f".zip{PART}", dir=shelf.folder)
        os.close(handle)
        try:
            export_archive(log, File(path))
        except (ArchiveError, LogError) as e:
            File(path).unlink(missing_ok=True)
            raise HTTPException(HTTPStatus.INSUFFICIENT_STORAGE, str(e)) from None
        return {"file": _place(request, outbox.put(File(path), f"{log.stem}.zip"))}

    @app.post("/api/matches/{match}/strokes/{stroke}/shown", dependencies=changers)
    def draw(
        match: MatchId, stroke: StrokeNumber, request: Request, lang: LanguageCode = DEFAULT_LANGUAGE
    ) -> dict[str, str]:
        """Draws the detections into a copy of the stroke's clip, in slow motion; `file` is where to fetch it, once.

        A paired tablet may: nothing is changed by it.
        """
        with as_http_errors():
            log = shelf.log(match)
            recorded(shelf.open(match), stroke)
        handle, path = tempfile.mkstemp(prefix=".export-", suffix=f".mp4{PART}", dir=shelf.folder)
        os.close(handle)
        if (why := _drawn(log, stroke, known(lang), File(path))) is not None:
            File(path).unlink(missing_ok=True)
            raise HTTPException(HTTPStatus.NOT_FOUND, why)
        return {"file": _place(request, clips.put(File(path), f"{log.stem}_{stroke}.mp4"), "clips")}

    @app.get("/api/archives/{token}", dependencies=owners, response_class=FileResponse)
    def fetch(token: Annotated[str, Path(max_length=40)]) -> FileResponse:
        """An archive (zip) that was just made."""
        return _fetched(outbox, token)

    @app.get("/api/clips/{token}", dependencies=changers, response_class=FileResponse)
    def fetch_clip(token: Annotated[str, Path(max_length=40)]) -> FileResponse:
        """A clip (MP4) that was just drawn."""
        return _fetched(clips, token)

    @app.post("/api/matches", dependencies=owners)
    async def take_in(request: Request) -> dict[str, object]:
        """Imports a match from an archive, sent as the body; `is_new` is false if it was here already.

        `is_longer` is true if it was here in part and is whole now.
        """
        imported = await _received(request, shelf.folder)
        return {"id": shelf.name_of(imported.log), "is_new": imported.is_new, "is_longer": imported.is_longer,
                "problems": list(imported.problems)}  # fmt: skip


def _place(request: Request, token: str, where: str = "archives") -> str:
    return f"{request.scope.get('root_path', '')}/api/{where}/{token}"


def _fetched(outbox: Outbox, token: str) -> FileResponse:
    """The file that was just made, gone once it is fetched."""
    found = outbox.add(token)
    if found is None:
        raise HTTPException(HTTPStatus.NOT_FOUND, "this file was fetched already: make it again")
    path, name = found
    return FileResponse(path, filename=name, background=BackgroundTask(path.unlink))


def _drawn(log: File, stroke: int, language: str, out: File) -> str | None:
    """Renders the overlay video in a process of its own, since the web server has no codec; returns why not, or
    None.
    """
    command = [sys.executable, "-c", EXPORT, "export", str(log), "--clip", str(out), "--stroke", str(stroke),
               "--language", language]  # fmt: skip
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=DRAWING_S, check=False)
    except subprocess.TimeoutExpired:
        return "drawing the clip took too long: the machine has too much else to do"
    said = done.stderr.strip().splitlines()
    return None if done.returncode == 0 else said[-1].removeprefix("Error: ") if said else "the clip cannot be written"


async def _received(request: Request, folder: File) -> Imported:
    """Streams the body to disk and imports the archive into the folder."""
    handle, path = tempfile.mkstemp(prefix=".upload-", suffix=f".zip{PART}", dir=folder)
    try:
        with os.fdopen(handle, "wb") as file:
            size = 0
            async for chunk in request.stream():
                size += len(chunk)
                if size > GUARD_ARCHIVE_BYTES:
                    raise refusal(request, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "the archive is too large")
                if shutil.disk_usage(folder).free < LEAST_FREE_BYTES + len(chunk):
                    raise HTTPException(HTTPStatus.INSUFFICIENT_STORAGE, "there is no room left for the archive")
                await asyncio.to_thread(file.write, chunk)
        return await asyncio.to_thread(import_archive, File(path), folder)
    except (ArchiveError, LogError) as e:
        # The sentence names the temporary file; people know it as what they sent.
        raise HTTPException(HTTPStatus.UNPROCESSABLE_ENTITY, str(e).replace(path, "this file")) from None
    except OSError as e:
        raise HTTPException(HTTPStatus.INSUFFICIENT_STORAGE, f"the archive cannot be kept: {e.strerror}") from None
    except ClientDisconnect:
        raise HTTPException(HTTPStatus.BAD_REQUEST, "the archive did not arrive wholly: send it again") from None
    finally:
        File(path).unlink(missing_ok=True)
