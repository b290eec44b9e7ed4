"""Setting up a camera over a board: the steps and their order, the files they store, and whether the result
suffices.
"""
