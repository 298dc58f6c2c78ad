"""Fitting the fire model to observed perimeters, and its forecast skill."""
