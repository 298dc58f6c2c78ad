"""Runs: each takes a frozen specification, works in a thread or process, and emits events."""
