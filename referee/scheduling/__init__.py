"""Scheduling: which stage examines which frame. This is the only place that skips work."""
