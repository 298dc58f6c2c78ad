"""Width of the legend over the map, and of texts in it."""

from __future__ import annotations

from PySide6.QtGui import QFontMetrics, QGuiApplication

SAMPLE_WIDTH, MARGINS, GAP = 22, 24, 6
"""Widths of a sample, of both margins with the frame, and between sample and label, in pixels."""
_LEAST = 248
_LINE = "Edge of the fire: chance ≥ 0.5"
"""Line for which the legend has room, whatever the size of the font."""


def legend_width() -> int:
    """Return the width of the legend whatever it shows: it must not jump when another fire is shown."""
    return max(_LEAST, text_width(_LINE) + SAMPLE_WIDTH + GAP + MARGINS)


def text_width(text: str) -> int:
    """Return the width of a text in the font of the program."""
    return QFontMetrics(QGuiApplication.font()).horizontalAdvance(text)
