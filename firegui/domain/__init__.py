"""Frozen values of the problem: grid, scenario, fleet, regions, schedule, settings, results.

This package needs NumPy and nothing else.
"""
