"""Meters for set-up: how sharp the picture is and how the light falls."""
