"""The foreground: what differs from the bare board, told apart as discs, hands and shadow."""
