"""The carrom referee: frames -> pieces -> strokes -> rulings -> score, live and afterwards."""
