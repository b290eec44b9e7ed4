"""Captions of clips: every name in its own letters, in the order in which its script runs."""

from __future__ import annotations

import numpy as np
import pytest

from referee.replay.lettering import is_right_to_left, render_text
from referee.replay.overlay_video import write

SIZE = 40.0
BOX = render_text("\U0010fffd", SIZE)
"""A letter that no font has."""


def ink(text: str) -> np.ndarray:
    """The columns in which the text has ink, each as a picture's column."""
    drawn = render_text(text, SIZE)
    return drawn[:, drawn.any(axis=0)]


@pytest.mark.parametrize(
    "name",
    ["Łukasz Żółć", "Zoë Müller", "प्रियंका कृष्णन", "শ্রেয়া", "கார்த்திக்", "علی رضا", "ශ්‍රී ප්‍රසාද්", "ગીતા", "ਗੁਰਪ੍ਰੀਤ",
     "ಕನ್ನಡ", "മലയാളം", "తెలుగు", "ଓଡ଼ିଆ", "ไทย", "גיא", "Иван", "Θάνος"],
)  # fmt: skip
def test_a_name_is_written_in_its_own_letters(name: str) -> None:
    drawn = render_text(name, SIZE)
    assert drawn.max() == 255
    for letter in set(name) - {" ", "\u200d"}:
        alone = render_text(letter, SIZE)
        assert alone.shape != BOX.shape or not np.array_equal(alone, BOX), f"no font has {letter!r}"


def test_letters_are_joined_and_moved_as_their_script_asks() -> None:
    """The vowel sign i of Devanagari stands before its consonant, and a conjunct is narrower than its parts."""
    assert render_text("कि", SIZE).shape[1] < render_text("क", SIZE).shape[1] + render_text("इ", SIZE).shape[1]
    assert render_text("क्ष", SIZE).shape[1] < 2 * render_text("क", SIZE).shape[1]
    assert not np.array_equal(ink("شا"), np.hstack([ink("ا"), ink("ش")]))


def test_scripts_that_run_from_the_right_are_ordered_so() -> None:
    assert is_right_to_left("شاٹ 12  Ravi")
    assert not is_right_to_left("Stroke 12  علی")
    # Reading from the right: the word, then the number, whose digits run from the left.
    line, word, number = render_text("אב 12", SIZE), ink("אב"), ink("12")
    assert np.array_equal(line[:, line.any(axis=0)][:, : number.shape[1]], number)
    assert line[:, line.any(axis=0)].shape[1] == number.shape[1] + word.shape[1]


@pytest.mark.parametrize(("text", "left"), [("Stroke 1  Łukasz", True), ("شاٹ 1  علی", False)])
def test_a_caption_stands_in_the_corner_where_its_lines_begin(text: str, left: bool) -> None:
    image = np.full((450, 800, 3), 128, np.uint8)
    write(image, text)
    halves = [np.count_nonzero(half != 128) for half in (image[:, :400], image[:, 400:])]
    assert bool(halves[0] > halves[1]) is left
    assert image.min() == 0
    assert image.max() == 255
    write(image, "ا" * 400)  # longer than the picture is wide
    write(image[:20], text)  # and higher than it is high
