"""Shared by both text forms: the error that names the offending token and its position."""

from __future__ import annotations

NOTATION_MOST = 9999
"""Greatest number in any text form. Beyond it is a typing error."""


class NotationError(ValueError):
    """A state or stroke is not written as the text form wants; the message names the token and its position."""

    def __init__(self, what: str, position: int, token: str, expected: str) -> None:
        where = f"token {position} {token!r}" if token else f"token {position} is missing"
        super().__init__(f"{what}, {where}: expected {expected}")


def number(what: str, position: int, token: str, low: int, high: int | None, within: str = "") -> int:
    """Returns the whole number that `token` spells, within low..high. Raises NotationError.

    `within`: the token of which this is a part, to be named whole. No `high`: `NOTATION_MOST`.
    """
    most = NOTATION_MOST if high is None else high
    part = f" instead of {token}" if token and within and token != within else ""
    refused = NotationError(what, position, within or token, f"a whole number from {low} to {most}{part}")
    digits = token.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()) or len(digits) > len(str(NOTATION_MOST)):
        raise refused
    value = int(token)
    if not low <= value <= most:
        raise refused
    return value
