"""Which stage looks at which frame: the only place that skips work."""
