"""The pages' words in the language that a reader wants."""

from __future__ import annotations

from functools import cache
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import FastAPI, HTTPException, Query, Response

from referee.languages import Part, languages, load_language, phrases
from referee.languages.check import forms, missing, phrases_of
from referee.web.broadcast import compact_json


def add_vocabulary(app: FastAPI) -> None:
    """Adds the routes for words; also without a session, since the sign-in page needs them too."""

    @app.get("/words", include_in_schema=False)
    async def words(wanted: Annotated[str, Query(max_length=400)] = "") -> Response:
        """The words of the first available language of `wanted` (comma-separated codes), else English."""
        return Response(_words(chosen(wanted.split(","))), media_type="application/json")

    @app.get("/api/languages/{code}")
    async def language(code: str) -> dict[str, Any]:
        """Every phrase of a language beside the English one; `own` is null where it lacks it."""
        if code not in languages():
            raise HTTPException(HTTPStatus.NOT_FOUND, f"no such language: choose one of {', '.join(languages())}")
        return {
            "code": code,
            "direction": load_language(code).direction,
            "machine": load_language(code).machine,
            "lacking": sum(len(missing(part, code)) for part in Part),
            "parts": [{"file": part.value, "phrases": _beside(part, code)} for part in Part],
        }


def _beside(part: Part, code: str) -> list[dict[str, Any]]:
    own, english = phrases_of(part, code), phrases_of(part, "en")
    words = {path: " / ".join(forms(phrase)) for path, phrase in own.items()}
    return [{"path": path, "english": " / ".join(forms(phrase)), "own": words.get(path)}
            for path, phrase in english.items()]  # fmt: skip


def chosen(wanted: list[str]) -> str:
    """Returns the first available of the languages; regions and scripts (`de-CH`) do not matter."""
    return next((code for code in (tag.partition("-")[0].lower() for tag in wanted) if code in languages()), "en")


@cache
def _words(code: str) -> str:
    language = load_language(code)
    return compact_json({
        "language": code,
        "direction": language.direction,
        "machine": language.machine,
        "languages": {other: load_language(other).name for other in languages()},
        "words": phrases(Part.PAGES, code),
    })  # fmt: skip
