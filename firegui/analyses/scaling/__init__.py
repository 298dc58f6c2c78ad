"""Scaling: cost and result of a gradient as fleet, raster and horizon grow."""
