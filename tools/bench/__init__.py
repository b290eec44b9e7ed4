"""Accuracy measurements for developers: altered clips, simulated worlds, overlays, and pages of the figures."""
