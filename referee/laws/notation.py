"""What both text forms share: the error that names the offending token and where it stands."""

from __future__ import annotations


class NotationError(ValueError):
    """A state or stroke is not written as the text form wants; the message names the token and its position."""

    def __init__(self, what: str, position: int, token: str, expected: str) -> None:
        where = f"token {position} {token!r}" if token else f"token {position} is missing"
        super().__init__(f"{what}, {where}: expected {expected}")


def number(what: str, position: int, token: str, low: int, high: int | None, within: str = "") -> int:
    """The whole number that `token` spells, within low..high; raises NotationError.

    `within`: the token of which this is a part; named when the part is empty.
    """
    expected = f"a whole number from {low}" + (f" to {high}" if high is not None else " up")
    digits = token.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()) or len(digits) > 6:
        raise NotationError(what, position, token or within, expected)
    value = int(token)
    if value < low or (high is not None and value > high):
        raise NotationError(what, position, token, expected)
    return value
