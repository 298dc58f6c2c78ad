"""Start, progress, comparison, editing and replanning of plans."""
