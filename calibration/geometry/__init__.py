"""Geometry and pixel code shared by every stage: camera, lens, homography, pictures, least squares."""
