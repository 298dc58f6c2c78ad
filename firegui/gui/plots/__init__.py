"""Live plots."""
