"""Raster files, their place and resampling onto a grid."""
