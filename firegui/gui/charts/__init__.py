"""Charts: curves, menu and export."""
