"""Fits camera and board: from rough corners to the camera's pose and the measured place of every printed mark."""
