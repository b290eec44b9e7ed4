"""Calibrates a camera over a board from pictures; the result is a `Profile`.

It contains the lens, the camera's pose, the marks' measured positions, colours and the background.
"""
