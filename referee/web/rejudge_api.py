"""The API for judging a stored match again: under another rule book, from logged facts, tracks or video."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import Depends, FastAPI, HTTPException, Query

from referee.laws.sentences import DEFAULT_LANGUAGE
from referee.match import Match
from referee.replay.reanalyse import ReanalysedStroke, StrokeComparison, judged_again, reanalysed_from_tracks
from referee.web.books import ClubBooks, requested_text
from referee.web.match_library import MatchLibrary
from referee.web.matches_api import MatchId, as_http_errors
from referee.web.read_api import LanguageCode, known
from referee.web.reanalysis_job import Reanalyser, Reanalysis
from referee.web.sessions import Authorisation
from referee.web.wording import ruling_entry


class RejudgeSource(StrEnum):
    """Source of the strokes to judge."""

    STROKES = "strokes"
    """The facts as logged."""
    TRACKS = "tracks"
    """Pieces that left the board are determined anew from the tracks."""
    VIDEO = "video"
    """Facts that the installed program determines from the clips, see `rewatched`."""


def add_rejudging(app: FastAPI, shelf: MatchLibrary, books: ClubBooks, porter: Authorisation) -> None:
    """Adds the routes for judging again, for every reader. Nothing is written; the log stays the record."""
    rewatching = Reanalyser()
    _add_rewatching(app, shelf, porter, rewatching)

    @app.get("/api/matches/{match}/again", dependencies=[Depends(porter.reader)])
    def rejudge(
        match: MatchId,
        rules: Annotated[str | None, Query(max_length=80)] = None,
        source: RejudgeSource = RejudgeSource.STROKES,
        lang: LanguageCode = DEFAULT_LANGUAGE,
    ) -> dict[str, Any]:
        """Each stroke with its ruling then (`before`) and now, and which of its `facts` differ.

        `rules` is one of /api/books with its modifiers; left out: the match's own. `unseen` says why a stroke could not
        be analysed from its tracks or its video, `unseen_as` the same as a label; it then counts as logged.
        """
        with as_http_errors():
            replay = shelf.open(match).replay
            # The match holds the text of its own book, which the club may have removed since.
            own = replay.stored.match.start.rules
            book = None if rules in (None, own) else requested_text(str(rules), books)
            reanalysed: Iterable[ReanalysedStroke] = ()
            if source is not RejudgeSource.STROKES:
                is_video = source is RejudgeSource.VIDEO
                reanalysed = _watched(rewatching, match).strokes if is_video else reanalysed_from_tracks(replay)
            changed = judged_again(replay.stored, reanalysed, rules, book)
        ruled = replay.stored.match
        entries = [_entry(c, ruled, known(lang), source) for c in changed]
        return {"rules": rules or ruled.start.rules, "strokes": entries, "differ": sum(e["differs"] for e in entries)}


def _add_rewatching(app: FastAPI, shelf: MatchLibrary, porter: Authorisation, rewatching: Reanalyser) -> None:
    address = "/api/matches/{match}/rewatched"

    @app.post(address, dependencies=[Depends(porter.owner)], status_code=HTTPStatus.ACCEPTED)
    def look_up(match: MatchId) -> dict[str, Any]:
        """Analyses the match's clips again with the installed program: minutes of work, for the owner alone."""
        with as_http_errors():
            strokes = len(shelf.open(match).replay.strokes)
            begun = rewatching.start(match, shelf.log(match), strokes)
        if not begun:
            raise HTTPException(HTTPStatus.LOCKED, "another match is being looked at: wait until that is done")
        return progress(match)

    @app.get(address, dependencies=[Depends(porter.reader)])
    def progress(match: MatchId) -> dict[str, Any]:
        """The number of analysed strokes (`done`) `of` all, whether the reanalysis `runs`, and its `problem`."""
        watch = _watched(rewatching, match)
        return {"done": len(watch.strokes), "of": watch.of, "runs": watch.runs, "problem": watch.problem}

    @app.delete(address, dependencies=[Depends(porter.owner)], status_code=HTTPStatus.NO_CONTENT)
    def stop(match: MatchId) -> None:
        """Ends the reanalysis of this match and forgets its results."""
        if rewatching.watch(match) is not None:
            rewatching.stop()


def _watched(rewatching: Reanalyser, match: str) -> Reanalysis:
    watch = rewatching.watch(match)
    if watch is None:
        raise HTTPException(HTTPStatus.NOT_FOUND, "the videos of this match have not been looked at again yet")
    return watch


def _entry(changed: StrokeComparison, ruled: Match, language: str, source: RejudgeSource) -> dict[str, Any]:
    n = changed.again.n
    before = ruled.rulings.get(n)
    unseen = source is not RejudgeSource.STROKES and changed.again.line is None
    return {
        "stroke": n,
        "differs": changed.differs,
        "facts": list(changed.facts),
        "unseen": changed.again.why if unseen else None,
        "unseen_as": changed.again.unseen if unseen else None,
        "before": before and ruling_entry(before, language),
        "now": ruling_entry(changed.now, language),
    }
