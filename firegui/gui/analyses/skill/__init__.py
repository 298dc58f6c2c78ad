"""Forecast skill in the window."""
