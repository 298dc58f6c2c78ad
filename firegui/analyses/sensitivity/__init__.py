"""Sensitivity: how a plan fares with weaker drops, moved lines and other design values."""
