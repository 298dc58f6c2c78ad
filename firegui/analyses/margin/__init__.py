"""Margin curve: plans with more and more margin, their drops against the worst case."""
