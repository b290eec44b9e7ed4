"""The simulator: a board played and drawn as an overhead camera would see it; knows nothing of seeing."""
