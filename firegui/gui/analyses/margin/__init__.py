"""Margin curves in the window."""
