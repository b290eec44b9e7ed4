"""A board's place in a hall: kept in a file, and got by an invitation that the chief's desk shows as a QR code.

It stands apart from the courier, so that the board's own pages can join a hall without knowing how logs travel.
"""
