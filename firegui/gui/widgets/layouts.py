"""Rows, columns and scroll areas of widgets, without margins of their own."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLabel, QLayout, QScrollArea, QSplitter, QVBoxLayout, QWidget

Part = QWidget | QLayout
Stretch = Part | tuple[Part, ...]
"""The parts that take the spare room, evenly; without any it stays free at the end."""
Margins = tuple[int, int, int, int]
NO_MARGINS: Margins = (0, 0, 0, 0)


def column(*parts: Part, stretch: Stretch = (), spacing: int = 2, margins: Margins = NO_MARGINS) -> QWidget:
    """Return a widget with ``parts`` below each other."""
    widget = QWidget()
    fill_column(widget, *parts, stretch=stretch, spacing=spacing, margins=margins)
    return widget


def fill_column(
    widget: QWidget,
    *parts: Part,
    stretch: Stretch = (),
    spacing: int = 2,
    margins: Margins = NO_MARGINS,
) -> None:
    """Lay ``parts`` out below each other in ``widget``; see :func:`column`."""
    layout = QVBoxLayout(widget)
    layout.setSpacing(spacing)
    _fill(layout, parts, stretch, margins)


def row(*parts: Part, stretch: Stretch = (), spacing: int | None = None) -> QWidget:
    """Return a widget with ``parts`` beside each other."""
    widget = QWidget()
    layout = QHBoxLayout(widget)
    if spacing is not None:
        layout.setSpacing(spacing)
    _fill(layout, parts, stretch, NO_MARGINS)
    return widget


def scroll_area(content: QWidget, *, horizontal: bool = True) -> QScrollArea:
    """Return a frameless scroll area around ``content``."""
    area = QScrollArea(widgetResizable=True)
    area.setFrameShape(QScrollArea.Shape.NoFrame)
    area.setWidget(content)
    policy = Qt.ScrollBarPolicy
    area.setHorizontalScrollBarPolicy(policy.ScrollBarAsNeeded if horizontal else policy.ScrollBarAlwaysOff)
    return area


def splitter(left: QWidget, right: QWidget, sizes: tuple[int, int], *, wide: int) -> QSplitter:
    """Return a horizontal splitter in which the part with index ``wide`` takes the spare width."""
    parts = QSplitter(Qt.Orientation.Horizontal)
    parts.addWidget(left)
    parts.addWidget(right)
    parts.setStretchFactor(wide, 1)
    parts.setSizes(list(sizes))
    return parts


def labelled(text: str, box: QWidget) -> QLabel:
    """Return a label whose mnemonic and screen-reader name belong to ``box``."""
    label = QLabel(text)
    label.setBuddy(box)
    return label


def describe(widget: QWidget, text: str) -> None:
    """Give ``widget`` the same tooltip and name for screen readers."""
    widget.setToolTip(text)
    widget.setAccessibleName(text)


def _fill(layout: QBoxLayout, parts: tuple[Part, ...], stretch: Stretch, margins: Margins) -> None:
    layout.setContentsMargins(*margins)
    stretched = stretch if isinstance(stretch, tuple) else (stretch,)
    for part in parts:
        factor = 1 if part in stretched else 0
        if isinstance(part, QWidget):
            layout.addWidget(part, factor)
        else:
            layout.addLayout(part, factor)
    if not stretched:
        layout.addStretch(1)
