"""Text that Qt must not take for HTML."""

from __future__ import annotations

from functools import lru_cache
from html import escape
from textwrap import TextWrapper

from PySide6 import QtGui

TOOLTIP_WIDTH = 60
"""Letters in a line of a tooltip; a longer word, such as a path, has a line of its own."""
_LINES = TextWrapper(
    TOOLTIP_WIDTH, expand_tabs=False, replace_whitespace=False, break_long_words=False, break_on_hyphens=False
)


def plain(text: str) -> str:
    """Return a text that tooltips and message boxes show as it is.

    They guess whether a text is HTML. A name from a file that looks like it would be formatted, and its pictures be
    loaded. Such a text is returned as HTML that shows it character by character; any other is returned as it is.
    """
    if not QtGui.Qt.mightBeRichText(text):
        return text
    return f"<p style='white-space:pre-wrap'>{escape(text)}</p>"


@lru_cache(maxsize=4096)  # a window has a thousand, and a new one the same ones
def tooltip(text: str) -> str:
    """Return a text as a tooltip: :func:`plain`, in lines that are not wider than is easily read.

    Qt breaks the lines of HTML alone.
    """
    return plain("\n".join(part for line in text.split("\n") for part in _LINES.wrap(line) or ("",)))
