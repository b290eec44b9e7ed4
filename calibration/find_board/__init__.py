"""Finds the board in one picture: its corners, its orientation and its model (size)."""
