"""Tools for the developers of the referee. None of them is installed."""
