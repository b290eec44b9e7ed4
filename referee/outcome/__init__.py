"""Infers the outcome of a stroke: the fate of every piece, the coin touched first, and the confidence of both."""
