"""Studies in the window."""
