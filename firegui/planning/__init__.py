"""Objective, initialization and the planners."""
