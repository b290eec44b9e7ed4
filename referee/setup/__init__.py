"""Setting up a camera over a board: what is measured in which order, what of it is kept, and whether it suffices."""
