"""Replays: what is kept of a match beside its log (tracks, clips, evidence), and how it is found and shown again."""
