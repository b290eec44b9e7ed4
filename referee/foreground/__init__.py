"""The foreground: what differs from the bare board, divided into discs, hands and shadow."""
