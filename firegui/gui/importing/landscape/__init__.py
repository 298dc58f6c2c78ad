"""Wizard that makes a project from rasters, wind and perimeters."""
