"""Runs in background threads: queue, list of runs, and the bridge from run events to Qt signals."""
