"""What is for those who work on the referee; none of it is installed."""
