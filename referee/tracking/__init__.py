"""Tracking: joins loose discs to tracks, and distinguishes flights from fingers."""
