"""Doubts and proposals in every language in which rulings are told."""

from __future__ import annotations

import pytest
from match_play import Play

from models.pieces import Kind, Seat
from referee.languages import languages
from referee.match import MatchError, correction_of
from referee.match.doubts import DoubtReason, MatchDoubt, doubt_text
from referee.match.ruling import ruling_texts


@pytest.mark.parametrize("language", languages())
def test_every_doubt_is_whole_sentences(language: str) -> None:
    for why in DoubtReason:
        for count in (1, 2):
            doubt = MatchDoubt(why, Seat.SOUTH, Seat.NORTH, ((Kind.WHITE, count), (Kind.QUEEN, 1)), 3)
            text = doubt_text(doubt, language)
            assert text.endswith((".", "।", "۔"))
            assert not text[0].islower()
            assert not set(text) & set("{}")


def test_a_refusal_is_told_in_every_language() -> None:
    play = Play()
    play.formation("south")
    for message in ({"action": "operate", "event": "waive W"}, {"action": "correct", "stroke": 7, "stroke_text": "-"},
                    {"action": "undo", "stroke": 7},
                    {"action": "declare", "seats": {"south": "white", "east": "black"}},
                    {"action": "declare", "seats": {"south": "white", "north": "white"}}):  # fmt: skip
        with pytest.raises(MatchError) as refused:
            play.match.add(correction_of(message))
        texts = refused.value.in_every_language()
        assert texts.keys() == set(languages())
        assert len({texts[code] for code in ("en", "de", "fr", "es")}) == 4
        assert not [text for text in texts.values() if set(text) & set("{}") or "None" in text]
        assert str(refused.value) == texts["en"]


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("de", "Weiß hat einen eigenen Stein versenkt"),
        ("ur", "سفید نے اپنی گوٹی ڈالی"),
        ("fr", "Blanc a rentré"),
        ("es", "Blanco metió"),
    ],
)
def test_a_ruling_with_a_proposal_is_told_in_one_language(language: str, expected: str) -> None:
    play = Play()
    play.formation("south")
    ruling = play.stroke("south", "W,foul:push")
    texts = [line["text"] for line in ruling_texts(ruling, language)]
    assert any(text.startswith(expected) for text in texts)
    assert len(texts) == len(list(ruling_texts(ruling)))
