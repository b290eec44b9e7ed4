"""Refusals of an umpire's correction: the reasons, and their sentences in the umpire's language."""

from __future__ import annotations

from enum import StrEnum

from models.pieces import Seat
from referee.languages import languages
from referee.laws import Objection, Side, objection_text
from referee.match.doubts import phrases


class Refused(StrEnum):
    """Reason for a refusal; every member has its sentence in every language's `match.toml`."""

    NO_STROKE = "no_stroke"
    NO_FOUL = "no_foul"
    NO_EVENT = "no_event"
    NOTHING_TO_UNDO = "nothing_to_undo"
    NOTHING_TO_UNDO_ABOUT = "nothing_to_undo_about"
    NOTHING_TO_REDO = "nothing_to_redo"
    NOTHING_TO_REDO_ABOUT = "nothing_to_redo_about"
    NEWER_STROKE = "newer_stroke"
    NEWER_WORD = "newer_word"
    NO_TARGET = "no_target"
    UNDONE_ALREADY = "undone_already"
    IN_FORCE_ALREADY = "in_force_already"
    NOTHING_KNOWN = "nothing_known"
    WHO_SITS = "who_sits"
    PLAYERS_DIFFER = "players_differ"
    NOT_OPPOSITE = "not_opposite"
    NO_COLOURS = "no_colours"
    PARTNERS_SHARE = "partners_share"
    COLOURS_DIFFER = "colours_differ"
    OTHER_GAME = "other_game"
    OTHER_PLAYERS = "other_players"
    OTHER_COINS = "other_coins"
    CHALLENGE_OPEN = "challenge_open"
    NO_CHALLENGE_LEFT = "no_challenge_left"
    NO_CHALLENGE = "no_challenge"
    DECIDED_MEANWHILE = "decided_meanwhile"


class Refusal:
    """A reason with the values named in its sentence; seats and colours are put into words too."""

    def __init__(self, why: Refused, **fields: object) -> None:
        self.why, self._fields = why, fields

    def text(self, language: str) -> str:
        """Returns the reason as one sentence, to follow a colon."""
        table = phrases(language)
        words = table["words"]
        named = {name: words[value] if isinstance(value, (Seat, Side)) else value
                 for name, value in self._fields.items()}  # fmt: skip
        return str(table["refusals"][self.why]).format(**named)


class MatchError(ValueError):
    """An event makes no sense in this match; the message is one sentence for the umpire. Nothing was changed."""

    def __init__(self, why: Refusal | Objection | str) -> None:
        """`why`: a plain text is for programmers and for people who start the referee, and exists in English only."""
        self._why = why
        super().__init__(self.text("en"))

    def in_every_language(self) -> dict[str, str]:
        """Returns the sentence by language, for a sender that does not know the reader's."""
        return {language: self.text(language) for language in languages()}

    def text(self, language: str) -> str:
        """Returns the sentence in a language."""
        if isinstance(self._why, str):
            return self._why
        return objection_text(self._why, language) if isinstance(self._why, Objection) else self._why.text(language)
