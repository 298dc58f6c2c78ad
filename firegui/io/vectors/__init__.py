"""Vector files, perimeters in them, and distances to water."""
