"""The measuring bench: how fast the referee is, what all of it takes, and how right it is on clips with truth."""
