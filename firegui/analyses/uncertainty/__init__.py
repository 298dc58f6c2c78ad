"""Uncertainty: ensembles of fires with and without a plan."""
