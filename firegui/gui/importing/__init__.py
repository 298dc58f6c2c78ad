"""Dialogs that make a project from files."""
