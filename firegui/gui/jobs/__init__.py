"""Runs in background threads, bridged to Qt signals."""
