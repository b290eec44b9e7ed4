"""The striker on its base lines: detected, measured, and judged against the limits of a placement."""
