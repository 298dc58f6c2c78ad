"""Stress tests in the window."""
