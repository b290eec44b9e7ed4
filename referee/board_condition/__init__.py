"""The condition of a board: friction, cushions, light and print as measured from play."""
