"""Analyses of plans and fire models: the shared controller and panels, and one folder per analysis."""
