"""Strokes: the machine from idle through a stroke to its report."""
