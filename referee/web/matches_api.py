"""The API for stored matches: the list, a match, each stroke's clip, tracks and evidence, tables and statistics."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path as File
from typing import Annotated, Any

from fastapi import Depends, FastAPI, HTTPException, Path, Query, Response
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse

from referee.laws.sentences import DEFAULT_LANGUAGE
from referee.log import LogError
from referee.log.stored_match import STORED_MATCH_UNREADABLE
from referee.replay.csv_export import (
    PLAYER_COLUMNS,
    STROKE_COLUMNS,
    csv_text,
    document,
    player_row,
    ruling_columns,
    ruling_rows,
    stroke_rows,
)
from referee.replay.print_sheet import sheet
from referee.replay.standings import standings
from referee.replay.statistics import PlayerStatistics, statistics
from referee.replay.store import StrokeRecord
from referee.replay.track_json import tracks_document
from referee.replay.tracks import TracksError
from referee.web.cached_file import FileOrGone
from referee.web.match_documents import (
    evidence_entry,
    match_entry,
    player_entry,
    row_entry,
    standing_entry,
    story_entry,
)
from referee.web.match_library import MatchLibrary, OpenMatch, name_of
from referee.web.read_api import LanguageCode, known
from referee.web.sessions import Authorisation

logger = logging.getLogger(__name__)

UNSHOWN = "this match says what no match can be and cannot be shown ({why}); please report it, with its log"
PRINTED = {"content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"}
"""Content policy of the sheet: its own style, and nothing else."""
MOST_MATCHES = 50
"""Greatest number of matches in the statistics, the latest ones. The figures of all their strokes are in memory
together.
"""

MatchId = Annotated[str, Path(description="The match's `id` in the list.", max_length=200)]
StrokeNumber = Annotated[int, Path(description="The stroke's number.", ge=1)]
PlayerSearch = Annotated[str | None, Query(description="Part of a player's name, in any case.", max_length=80)]
UnixTime = Annotated[float | None, Query(description="Unix seconds.")]


def add_matches(app: FastAPI, shelf: MatchLibrary, porter: Authorisation) -> None:
    """Adds the routes for stored matches, open to all on the network unless the server is private."""
    readers = [Depends(porter.reader)]

    @app.get("/api/matches", dependencies=readers)
    def matches(player: PlayerSearch = None, since: UnixTime = None, until: UnixTime = None) -> dict[str, Any]:
        """The stored `matches`, the latest first, with a `player` and begun within since <= t < until.

        `problems` has a sentence for each log that cannot be read.
        """
        with as_http_errors():
            rows, problems = shelf.find(player, since, until)
            newest = {row.path: max(r.number for r in rows if r.path == row.path) for row in rows}
            running = {path for path in newest if shelf.is_running((shelf.folder / path).resolve())}
            found = [row_entry(row, row.path in running and row.number == newest[row.path]) for row in rows]
            return {"matches": found, "problems": problems}

    @app.get("/api/players", dependencies=readers)
    def players() -> list[str]:
        """The names of all players, the latest first."""
        with as_http_errors():
            rows, _ = shelf.find(None, None, None)
            return list(dict.fromkeys(name for row in rows for name in row.players.values()))

    @app.get("/api/matches/{match}", dependencies=readers)
    def one(match: MatchId, lang: LanguageCode = DEFAULT_LANGUAGE) -> dict[str, Any]:
        """A match: its sides, its boards, and each stroke with its ruling and its moments."""
        with as_http_errors():
            return match_entry(match, shelf.open(match), known(lang), shelf.is_running(shelf.log(match)))

    @app.get("/api/matches/{match}/story", dependencies=readers)
    def one_story(
        match: MatchId, number: Annotated[int | None, Query(ge=1, description="Which match of the log.")] = None
    ) -> dict[str, Any]:
        """How the match stood after each stroke (`steps`), its boards, and what is worth being seen again.

        `run` is the longest of one player, `fastest` the stroke with the fastest striker, `queens` who covered her in
        which board, `best` the stroke whose clip to show, `reel` the highlights; null where there is none.
        """
        with as_http_errors():
            return story_entry(shelf.open(match).story(number))

    @app.get("/api/matches/{match}/strokes/{stroke}", dependencies=readers)
    def evidence(match: MatchId, stroke: StrokeNumber, lang: LanguageCode = DEFAULT_LANGUAGE) -> dict[str, Any]:
        """The evidence of a call: placement with margins, pictures, laws, rule book, program, the umpire's decisions.

        `clip` has the time of each of its frames and the camera (OpenCV's model), null when no video is there.
        """
        with as_http_errors():
            opened = shelf.open(match)
            recorded(opened, stroke)
            return evidence_entry(opened, stroke, known(lang))

    @app.get("/api/matches/{match}/strokes/{stroke}/clip.mp4", dependencies=readers, response_class=FileResponse)
    def clip(match: MatchId, stroke: StrokeNumber) -> Response:
        """The video (MP4) of a stroke; accepts range requests."""
        return _file(shelf, match, stroke, "clip.mp4", "video/mp4")

    @app.get("/api/matches/{match}/strokes/{stroke}/tracks", dependencies=readers)
    def tracks(match: MatchId, stroke: StrokeNumber) -> dict[str, Any]:
        """What moved: `span`, `lying`, `discs`, `striker` and `hands` in seconds and board millimetres."""
        with as_http_errors():
            opened = shelf.open(match)
            recorded(opened, stroke)
            return tracks_document(opened.replay.tracks(stroke))

    @app.get("/api/matches/{match}/strokes/{stroke}/{picture}.jpg", dependencies=readers, response_class=FileResponse)
    def picture(match: MatchId, stroke: StrokeNumber, picture: Annotated[str, Path(max_length=40)]) -> Response:
        """A decisive picture (JPEG), rectified; its name is one of the stroke's `frames`."""
        return _file(shelf, match, stroke, picture, "image/jpeg")

    _add_tables(app, shelf, readers)
    _add_statistics(app, shelf, readers)


def _add_tables(app: FastAPI, shelf: MatchLibrary, readers: list[Any]) -> None:
    @app.get("/api/matches/{match}/match.json", dependencies=readers)
    def whole(match: MatchId) -> JSONResponse:
        """Everything in one document: headers, the end, each stroke with its ruling, and the corrections."""
        with as_http_errors():
            return JSONResponse(document(shelf.open(match).replay.stored), headers=_saved(match, "json"))

    @app.get("/api/matches/{match}/strokes.csv", dependencies=readers, response_class=Response)
    def strokes(match: MatchId) -> Response:
        """The strokes as observed, a row each."""
        with as_http_errors():
            text = csv_text(STROKE_COLUMNS, stroke_rows(shelf.open(match).replay.stored))
            return Response(text, media_type="text/csv", headers=_saved(match, "strokes.csv"))

    @app.get("/api/matches/{match}/rulings.csv", dependencies=readers, response_class=Response)
    def rulings(match: MatchId) -> Response:
        """The present rulings, a row each."""
        with as_http_errors():
            stored = shelf.open(match).replay.stored
            text = csv_text(ruling_columns(stored), ruling_rows(stored))
            return Response(text, media_type="text/csv", headers=_saved(match, "rulings.csv"))

    @app.get("/api/matches/{match}/sheet", dependencies=readers, response_class=HTMLResponse)
    def printed(match: MatchId, lang: LanguageCode = DEFAULT_LANGUAGE) -> HTMLResponse:
        """The match on one sheet to print."""
        with as_http_errors():
            found = shelf.open(match)
            return HTMLResponse(sheet(found.replay.stored, known(lang), found.players), headers=PRINTED)


def _add_statistics(app: FastAPI, shelf: MatchLibrary, readers: list[Any]) -> None:
    @app.get("/api/statistics", dependencies=readers)
    def added_up(match: Annotated[str | None, Query(max_length=200)] = None, player: PlayerSearch = None,
                 since: UnixTime = None, until: UnixTime = None) -> dict[str, Any]:  # fmt: skip
        """Each player's statistics over one `match`, or over the latest in which `player` played.

        `matches` are names of logs, `count` the matches in them; `left_out` counts older logs beyond the limit.
        """
        with as_http_errors():
            found, problems = ([match], []) if match else _names(shelf, player, since, until)
            names = _latest(found)
            players = [player_entry(p) for p in _added(shelf, names, player)]
        count, left_out = sum(name in names for name in found), len(set(found)) - len(names)
        return {"players": players, "matches": names, "count": count, "left_out": left_out, "problems": problems}

    @app.get("/api/standings", dependencies=readers)
    def ranked(since: UnixTime = None, until: UnixTime = None) -> list[dict[str, Any]]:
        """Every named player of the matches that were won, the best `rating` (Glicko-2, a week a period) first.

        `deviation` says how sure it is; `form` are the last matches, `against` wins and losses by opponent.
        """
        with as_http_errors():
            return [standing_entry(s) for s in standings(shelf.find(None, since, until)[0])]

    @app.get("/api/statistics.csv", dependencies=readers, response_class=Response)
    def table(match: Annotated[str | None, Query(max_length=200)] = None, player: PlayerSearch = None,
              since: UnixTime = None, until: UnixTime = None) -> Response:  # fmt: skip
        """The same figures, a row for each player."""
        with as_http_errors():
            names = [match] if match else _latest(_names(shelf, player, since, until)[0])
            text = csv_text(PLAYER_COLUMNS, map(player_row, _added(shelf, names, player)))
        return Response(text, media_type="text/csv", headers=_saved(match or player or "players", "statistics.csv"))


def _latest(found: list[str]) -> list[str]:
    """Returns the names of the latest logs, each once."""
    return list(dict.fromkeys(found))[:MOST_MATCHES]


def _added(shelf: MatchLibrary, names: list[str], player: str | None) -> list[PlayerStatistics]:
    """Returns the statistics over these matches of the players whose names contain `player`."""
    wanted = (player or "").casefold()
    return [p for p in statistics(shelf.figures(name) for name in names) if wanted in p.player.casefold()]


def _names(
    shelf: MatchLibrary, player: str | None, since: float | None, until: float | None
) -> tuple[list[str], list[str]]:
    """Returns the name of each match's log, the latest first, several times where it holds several, and problems."""
    rows, problems = shelf.find(player, since, until)
    return [name_of(row.path) for row in rows], problems


@contextmanager
def as_http_errors() -> Iterator[None]:
    """Answers what is unreadable or missing with its sentence."""
    try:
        yield
    except (LogError, TracksError) as e:
        raise HTTPException(HTTPStatus.NOT_FOUND, str(e)) from None
    except STORED_MATCH_UNREADABLE as e:
        logger.warning("a match cannot be shown", exc_info=e)
        raise HTTPException(HTTPStatus.NOT_FOUND, UNSHOWN.format(why=type(e).__name__)) from None


def recorded(opened: OpenMatch, stroke: int) -> StrokeRecord:
    """Returns the stroke of that number; refuses an unknown one."""
    record = opened.replay.strokes.get(stroke)
    if record is None:
        raise HTTPException(HTTPStatus.NOT_FOUND, f"this match has no stroke {stroke}")
    return record


def _file(shelf: MatchLibrary, match: str, stroke: int, what: str, media_type: str) -> Response:
    """Returns a stored file of a stroke, found by the evidence's list and never by a path from the client."""
    with as_http_errors():
        opened = shelf.open(match)
    record, replay = recorded(opened, stroke), opened.replay
    path: File | None = next((replay.picture(p) for p in record.pictures if p.name == what), None)
    if what == "clip.mp4":
        path = replay.folder.clip(stroke)
    gone = f"of stroke {stroke} this was not kept, or it was deleted for room"
    if path is None or not path.is_file():
        raise HTTPException(HTTPStatus.NOT_FOUND, gone)
    return FileOrGone(path, media_type, gone)


def _saved(match: str, ending: str) -> dict[str, str]:
    """Returns the headers that name a downloaded table, without characters that headers cannot hold."""
    name = "".join(c for c in match if c.isascii() and (c.isalnum() or c in "-_.~"))
    return {"content-disposition": f'attachment; filename="{name}.{ending}"'}
