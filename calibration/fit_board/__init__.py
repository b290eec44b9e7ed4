"""Fitting the board: from rough corners to the camera, its pose, and every printed mark as measured."""
