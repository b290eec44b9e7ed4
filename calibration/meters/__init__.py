"""Meters for set-up: focus, exposure, motion blur, flicker and glare."""
