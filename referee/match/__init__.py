"""The match: what the strokes, the rulings and the umpire's word come to; recomputed from its events, no I/O."""
