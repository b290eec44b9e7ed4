"""Finding the board: from one picture to its corners, which way round it lies, and which size it has."""
