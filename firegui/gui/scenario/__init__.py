"""Panels that edit the problem: fleet, calendar, regions, objective, constraints, layers."""
