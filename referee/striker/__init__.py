"""The striker on its base lines: found, measured, and judged against the limits of a placement."""
