"""Text that Qt must not take for HTML."""

from __future__ import annotations

from html import escape

from PySide6 import QtGui


def plain(text: str) -> str:
    """Return a text that tooltips and message boxes show as it is.

    They guess whether a text is HTML. A name from a file that looks like it would be formatted, and its pictures be
    loaded. Such a text is returned as HTML that shows it character by character; any other is returned as it is.
    """
    if not QtGui.Qt.mightBeRichText(text):
        return text
    return f"<p style='white-space:pre-wrap'>{escape(text)}</p>"
