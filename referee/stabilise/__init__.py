"""Stabilisation: how far the camera moved, trembled or drifted against the bare board."""
