"""Starting, watching, comparing, editing and replanning plans."""
