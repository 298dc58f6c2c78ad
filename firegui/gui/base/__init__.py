"""Theme, icons, preferences, error reporting and background calls: nothing that knows a project or a run."""
