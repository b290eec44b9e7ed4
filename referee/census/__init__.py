"""The census between strokes: the pieces that were known held against the discs that are found."""
