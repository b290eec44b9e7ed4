"""Benchmarks: speed of the referee, its resource budget in real time, and its accuracy on clips with ground truth."""
