"""Geometry and pixels that every stage shares: camera, lens, homography, pictures, least squares."""
