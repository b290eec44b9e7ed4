"""Pieces in a picture: circles found, told from print, measured and classified by colour."""
