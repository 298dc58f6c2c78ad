"""A run is a value in and events out."""
