"""Numbers in a range on the command line and in settings."""

from __future__ import annotations

import math
from typing import Any

import click


class NumberRange(click.FloatRange):
    """Takes numbers within a range. click's own takes NaN too, which is neither too small nor too large."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value} is no number", param, ctx)
        return number
