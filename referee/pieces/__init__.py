"""Piece detection: finds circles, decides which are discs, measures their places and classifies them by colour."""
