"""The census: compares the discs detected in a frame with the pieces known to lie on the board."""
