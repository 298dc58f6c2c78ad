"""Stress test: a plan in worlds that differ from the model."""
