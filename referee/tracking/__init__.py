"""Tracking: loose discs joined to tracks, and the tests that tell flight from fingers."""
