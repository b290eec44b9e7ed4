"""The measuring bench: how fast and how right the referee is, on clips and on strokes whose truth is known."""
