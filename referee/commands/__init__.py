"""One module per command of `referee`; each defines the click command `command`."""
