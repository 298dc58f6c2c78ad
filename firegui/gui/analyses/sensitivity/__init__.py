"""Robustness tables in the window."""
