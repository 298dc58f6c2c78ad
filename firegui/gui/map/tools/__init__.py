"""What the mouse does on the map, one tool per module."""
