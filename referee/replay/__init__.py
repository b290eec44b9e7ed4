"""Replays of a match: tracks, clips and evidence are stored beside its log, found and shown again."""
