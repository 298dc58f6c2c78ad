"""Mouse tools of the map, one tool per module."""
