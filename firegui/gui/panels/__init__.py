"""Docks; panels do not know each other and talk through the session."""
