"""The state of the board: which pieces lie where, which are covered, which discs are new, and which blobs are no
pieces.
"""
