"""Planner benchmark in the window."""
