"""Detect: what lies and moves on the board in each frame."""
