"""Dialogs that export plans, maps and animations."""
