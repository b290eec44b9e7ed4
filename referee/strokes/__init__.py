"""Strokes: what each stroke did, told from the table over time."""
