"""Frozen values of the problem: grid, scenario, fleet, calendar, regions, schedule, settings, results. Numpy only."""
