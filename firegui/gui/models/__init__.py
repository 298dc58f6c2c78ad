"""Qt item models over domain values."""
