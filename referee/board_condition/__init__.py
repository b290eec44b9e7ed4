"""Measures the condition of a board during play: friction, cushions, light, colours and camera."""
