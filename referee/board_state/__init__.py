"""The state of the board: what lies where, what is covered, which discs are new and which are no pieces."""
