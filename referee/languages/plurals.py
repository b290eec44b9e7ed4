"""Plural forms of whole numbers, by rules in the notation of the Unicode CLDR (UTS 35, part 3)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

CATEGORIES = ("zero", "one", "two", "few", "many", "other")
"""Plural categories, in the order of the CLDR."""

CONDITION = re.compile(r"(?P<operand>[nivwftce])(?: % (?P<modulo>\d+))? (?P<sign>!?=) (?P<ranges>\d[\d.,]*)")


def plural(rules: Mapping[str, str], count: int) -> str:
    """Returns the plural category of `count`: the first whose rule applies, otherwise "other"."""
    return next((name for name in CATEGORIES if name in rules and applies(rules[name], abs(count))), "other")


def form(rules: Mapping[str, str], forms: Sequence[str], count: int) -> str:
    """Returns the one of `forms` for `count`. They are in the order of `CATEGORIES`, with "other" last."""
    known = [name for name in CATEGORIES if name in rules]
    place = (*known, "other").index(plural(rules, count))
    return forms[min(place, len(forms) - 1)]


def applies(rule: str, count: int) -> bool:
    """Tells whether a rule such as `i = 0 or n % 10 = 2..4` fits a whole number. Raises ValueError for an invalid
    rule.
    """
    return any(all(_is_met(each, count) for each in part.split(" and ")) for part in rule.split(" or "))


def _is_met(condition: str, count: int) -> bool:
    found = CONDITION.fullmatch(condition.strip())
    if found is None:
        raise ValueError(f"{condition!r} is no condition of a plural rule: write it as in n % 10 = 2..4")
    # A whole number has no decimals (v, w, f, t) and no exponent (c, e).
    value = count if found["operand"] in "ni" else 0
    value %= int(found["modulo"] or value + 1)
    inside = any(_is_within(value, bounds) for bounds in found["ranges"].split(","))
    return inside is (found["sign"] == "=")


def _is_within(value: int, bounds: str) -> bool:
    low, _, high = bounds.partition("..")
    return int(low) <= value <= int(high or low)
