"""One planner per file; planners do not know each other."""
