"""Calibration: fit of a fire model to observed perimeters."""
