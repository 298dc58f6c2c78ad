"""Runs in background threads: the queue, the list of runs and the bridge from run events to Qt signals."""
