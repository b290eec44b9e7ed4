"""Pictures of a board -> one `Profile`: lens, camera pose, the marks' own places, colours, background."""
