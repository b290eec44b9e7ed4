"""Detects fouls of the hand: pushes, touched coins, hands over the diagonal."""
