"""A hall of boards to try, and its bench: engines in a temporary folder, and simulated boards."""
