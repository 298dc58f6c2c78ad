"""Calibration of the fire model in the window."""
