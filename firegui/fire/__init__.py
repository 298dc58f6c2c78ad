"""The frozen fire model: from an event to daily spread maps."""
