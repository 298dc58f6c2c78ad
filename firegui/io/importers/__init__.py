"""From the world's files to a project."""
