"""Uncertainty ensembles in the window."""
