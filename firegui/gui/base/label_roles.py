"""Changing what a label is in the style sheet: a warning, an error, an aside."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget


def set_role(widget: QWidget, role: str) -> None:
    """Give ``widget`` another role of the theme's style sheet; empty for none."""
    if widget.property("role") == role:
        return
    widget.setProperty("role", role)
    # A style sheet looks at properties only when the widget is polished.
    widget.style().unpolish(widget)
    widget.style().polish(widget)
