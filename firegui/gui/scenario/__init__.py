"""Docks that edit what is planned: fleet, calendar, regions, objective, constraints, layers."""
