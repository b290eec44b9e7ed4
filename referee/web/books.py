"""The club's own rule books, stored with the data: saved from the page, checked at once, used without a restart."""

from __future__ import annotations

import re
from http import HTTPStatus
from pathlib import Path as File
from typing import Annotated, Any

from fastapi import Depends, FastAPI, HTTPException, Path
from pydantic import BaseModel, ConfigDict, Field

from models.rules import Book, CollectRules, RulesError, book_of, book_text, house_names, rule_names
from referee.atomic_files import written
from referee.web.sessions import Authorisation

FOLDER = "books"
"""Their folder in the data folder, a file per book."""
BOOKS_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
TEXT_BYTES = 65536
"""Greatest length of a book, bytes. The longest shipped one has 13,000."""
PLAYERS = (2, 3, 4)
"""Possible numbers of players of a collecting game, where a book does not settle it."""

BookName = Annotated[str, Path(pattern=f"^{BOOKS_NAME.pattern}$", description="Small letters, digits and _.")]


class BookText(BaseModel):
    """The body of PUT /api/books/NAME."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    text: str = Field(max_length=TEXT_BYTES)
    """The whole file, TOML; see docs/house_rules.md."""


class ClubBooks:
    """The folder of the club's own books. A damaged file is listed with its reasons."""

    def __init__(self, data: File) -> None:
        """`data`: the folder of the matches."""
        self._folder = data / FOLDER

    def names(self) -> list[str]:
        """Returns the names of the club's own books."""
        found = sorted(self._folder.glob("*.toml")) if self._folder.is_dir() else []
        return [path.stem for path in found if BOOKS_NAME.fullmatch(path.stem) and path.stem not in rule_names()]

    def all_names(self) -> list[str]:
        """Returns the names of all books to choose from, the shipped ones first."""
        return [*rule_names(), *self.names()]

    def text(self, name: str) -> str | None:
        """Returns the file of one of the club's own books; None for a shipped one. Raises RulesError for an unknown
        one.
        """
        if name in rule_names():
            return None
        if name not in self.names():
            known = ", ".join(self.all_names())
            raise RulesError(f"there is no rule book {name}: choose one of {known}")
        try:
            return (self._folder / f"{name}.toml").read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as e:
            raise RulesError(f"the rule book {name} cannot be read: {e}") from None

    def book(self, rules: str) -> Book:
        """Returns the book that `rules` names, shipped or the club's own, with its modifiers. Raises RulesError."""
        return book_of(rules, self.text(rules.partition("+")[0]))

    def save(self, name: str, text: str) -> None:
        """Stores a book. Raises RulesError with everything that is wrong with it, OSError if the disk is full."""
        if name in rule_names():
            raise RulesError(f"{name} is a shipped book: save yours under another name")
        book_of(name, text)
        with written(self._folder / f"{name}.toml") as part:
            part.write_text(text, encoding="utf-8")

    def remove(self, name: str) -> None:
        """Deletes a book. Matches hold the text of their book, so those played under it stay unchanged."""
        self.text(name)
        (self._folder / f"{name}.toml").unlink(missing_ok=True)


def requested_text(rules: str, books: ClubBooks) -> str | None:
    """Returns the text of one of the club's own books. Other names are refused, since they may be paths of any file."""
    try:
        books.book(rules)
        return books.text(rules.partition("+")[0])
    except RulesError as e:
        raise HTTPException(HTTPStatus.UNPROCESSABLE_ENTITY, str(e)) from None


def book_entry(books: ClubBooks, name: str) -> dict[str, Any]:
    """Returns a rule book's entry on a page: by number of players the name to request, with a modifier if needed."""
    kind = "own" if name in books.names() else "house" if name in house_names() else "sheet"
    try:
        book = books.book(name)
    except RulesError as e:
        return {"name": name, "title": name, "kind": kind, "problem": str(e), "players": {}, "usual": 0,
                "collecting": False, "lengths": {}}  # fmt: skip
    asked, collecting = {book.seating.players: name}, isinstance(book, CollectRules)
    for other in (f"{name}+players={n}" for n in PLAYERS) if collecting else (f"{name}+team",):
        try:
            asked.setdefault(books.book(other).seating.players, other)
        except RulesError:
            continue  # partners need four players, and not every book has teams
    return {"name": name, "title": book.title, "kind": kind, "problem": None, "players": dict(sorted(asked.items())),
            "usual": book.seating.players, "collecting": collecting,
            "lengths": {"target": book.match.target_points, "boards": book.match.max_boards,
                        "games": book.match.games, "clock": book.match.stroke_clock_s,
                        "challenges": book.match.challenges}}  # fmt: skip


def add_books(app: FastAPI, books: ClubBooks, porter: Authorisation) -> None:
    """Adds the routes for rule books: readers may read every book, the owner may store and remove the club's own."""
    readers, owners = [Depends(porter.reader)], [Depends(porter.owner)]

    @app.get("/api/books", dependencies=readers)
    def every() -> list[dict[str, Any]]:
        """The rule books that a match can be played by: `name`, `title`, whether `collecting`.

        `kind` is `sheet`, `house` or `own`, and `problem` says why one of the club's own cannot be used. `players`
        maps a number of players to the name to request in a new match; `usual` is the usual number. `lengths`: points,
        boards and games of a match, seconds for a stroke, 0 = none, and challenges, as the modifiers `target`,
        `boards`, `games`, `clock` and `challenges` change them.
        """
        return [book_entry(books, name) for name in books.all_names()]

    @app.get("/api/books/{name}", dependencies=readers)
    def one(name: BookName) -> dict[str, str]:
        """The `text` of a book, to be copied and changed."""
        try:
            return {"text": books.text(name) or book_text(name)}
        except RulesError as e:
            raise HTTPException(HTTPStatus.NOT_FOUND, str(e)) from None

    @app.put("/api/books/{name}", dependencies=owners)
    def keep(name: BookName, body: BookText) -> dict[str, Any]:
        """Stores one of the club's own books. An invalid book is refused with everything that is wrong with it."""
        try:
            books.save(name, body.text)
        except RulesError as e:
            raise HTTPException(HTTPStatus.UNPROCESSABLE_ENTITY, str(e)) from None
        except OSError as e:
            raise HTTPException(HTTPStatus.INSUFFICIENT_STORAGE, f"the book cannot be kept: {e.strerror}") from None
        return book_entry(books, name)

    @app.delete("/api/books/{name}", dependencies=owners, status_code=HTTPStatus.NO_CONTENT)
    def remove(name: BookName) -> None:
        """Removes one of the club's own books; matches that were played under it keep its text."""
        try:
            if books.text(name) is None:
                raise HTTPException(HTTPStatus.CONFLICT, f"{name} is a shipped book and stays")
            books.remove(name)
        except RulesError as e:
            raise HTTPException(HTTPStatus.NOT_FOUND, str(e)) from None
