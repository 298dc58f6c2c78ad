"""Theme, icons, preferences, dialogs, error reporting and background tasks.

These modules know neither projects nor runs.
"""
