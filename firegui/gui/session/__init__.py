"""The open project: the session, its undo stack, its plan editor and its base map."""
