"""The referee held against truth: clips in other looks, simulated worlds, overlays, and pages of the figures."""
