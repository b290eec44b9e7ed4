"""The words that pages say, in the language that a reader wishes."""

from __future__ import annotations

from functools import cache
from typing import Annotated

from fastapi import FastAPI, Query, Response

from referee.languages import Part, languages, load_language, phrases
from referee.web.hub import encode


def add_vocabulary(app: FastAPI) -> None:
    """What pages need before they can say anything; also without a session, since the sign-in page speaks too."""

    @app.get("/words", include_in_schema=False)
    async def words(wanted: Annotated[str, Query(max_length=400)] = "") -> Response:
        """The words of the first language of `wanted` (codes with commas between them) that there is, else English."""
        return Response(_told(chosen(wanted.split(","))), media_type="application/json")


def chosen(wanted: list[str]) -> str:
    """The first of the languages that there is; regions and scripts (`de-CH`) do not matter."""
    return next((code for code in (tag.partition("-")[0].lower() for tag in wanted) if code in languages()), "en")


@cache
def _told(code: str) -> str:
    language = load_language(code)
    return encode({
        "language": code,
        "direction": language.direction,
        "machine": language.machine,
        "languages": {other: load_language(other).name for other in languages()},
        "words": phrases(Part.PAGES, code),
    })  # fmt: skip
