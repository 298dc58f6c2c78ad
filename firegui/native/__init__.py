"""Compiled code for cell-by-cell work: its building blocks and its compilation."""
