"""The outcome of a stroke: what became of every piece, what was touched first, and how sure that is."""
