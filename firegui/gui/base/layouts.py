"""Build box layouts, scroll areas and labels in one call."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QBoxLayout,
    QGroupBox,
    QHBoxLayout,
    QLabel,
    QLayout,
    QScrollArea,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

Content = QWidget | QLayout
Part = Content | int | tuple[Content, int]
"""A widget or layout, a pair of that and its stretch factor, or the stretch factor of empty space."""
Margins = int | tuple[int, int, int, int]
_Box = TypeVar("_Box", bound=QBoxLayout)


def vertical(
    owner: QWidget | None, *parts: Part, margins: Margins | None = None, spacing: int | None = None
) -> QVBoxLayout:
    """Return ``parts`` below each other, as the layout of ``owner`` if given; by default with the style's spacing."""
    return _filled(QVBoxLayout(), owner, parts, margins, spacing)


def horizontal(
    owner: QWidget | None, *parts: Part, margins: Margins | None = None, spacing: int | None = None
) -> QHBoxLayout:
    """Return ``parts`` beside each other, as the layout of ``owner`` if given; by default with the style's spacing."""
    return _filled(QHBoxLayout(), owner, parts, margins, spacing)


def column(
    *parts: Content, stretch: Content | tuple[Content, ...] = (), spacing: int = 2, margins: Margins = 0
) -> QWidget:
    """Return a widget with ``parts`` below each other.

    The parts in ``stretch`` share the spare room evenly; without any it stays free at the end.
    """
    widget = QWidget()
    fill_column(widget, *parts, stretch=stretch, spacing=spacing, margins=margins)
    return widget


def fill_column(
    widget: QWidget,
    *parts: Content,
    stretch: Content | tuple[Content, ...] = (),
    spacing: int = 2,
    margins: Margins = 0,
) -> None:
    """Lay ``parts`` out below each other in ``widget``; see :func:`column`."""
    vertical(widget, *_stretched(parts, stretch), margins=margins, spacing=spacing)


def row(*parts: Content, stretch: Content | tuple[Content, ...] = (), spacing: int | None = None) -> QWidget:
    """Return a widget with ``parts`` beside each other; see :func:`column`."""
    widget = QWidget()
    horizontal(widget, *_stretched(parts, stretch), margins=0, spacing=spacing)
    return widget


def _stretched(parts: tuple[Content, ...], stretch: Content | tuple[Content, ...]) -> tuple[Part, ...]:
    chosen = stretch if isinstance(stretch, tuple) else (stretch,)
    return (*((part, 1 if part in chosen else 0) for part in parts), *(() if chosen else (1,)))


def group_box(title: str, *parts: Part, spacing: int = 4) -> QGroupBox:
    """Return a titled box with ``parts`` below each other."""
    group = QGroupBox(title)
    vertical(group, *parts, spacing=spacing)
    return group


def scroll_area(content: QWidget, *, horizontal: bool = True) -> QScrollArea:
    """Return a frameless scroll area around ``content``."""
    area = QScrollArea()
    fill_scroll_area(area, content, horizontal=horizontal)
    return area


def fill_scroll_area(area: QScrollArea, content: QWidget, *, horizontal: bool = False) -> None:
    """Put ``content`` into a frameless ``area``, which scrolls it up and down, and sideways if ``horizontal``."""
    area.setWidget(content)
    area.setWidgetResizable(True)
    area.setFrameShape(QScrollArea.Shape.NoFrame)
    policy = Qt.ScrollBarPolicy
    area.setHorizontalScrollBarPolicy(policy.ScrollBarAsNeeded if horizontal else policy.ScrollBarAlwaysOff)


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


def muted_label(text: str = "", role: str = "muted") -> QLabel:
    """Return a label that wraps its text, in the style called ``role``."""
    label = QLabel(text, wordWrap=True)
    label.setProperty("role", role)
    return label


def describe(widget: QWidget, text: str) -> None:
    """Give ``widget`` the same tooltip and name for screen readers."""
    widget.setToolTip(text)
    widget.setAccessibleName(text)


def _filled(
    box: _Box, owner: QWidget | None, parts: tuple[Part, ...], margins: Margins | None, spacing: int | None
) -> _Box:
    if owner is not None:
        owner.setLayout(box)
    if margins is not None:
        box.setContentsMargins(*((margins,) * 4 if isinstance(margins, int) else margins))
    if spacing is not None:
        box.setSpacing(spacing)
    for part in parts:
        if isinstance(part, int):
            box.addStretch(part)
            continue
        content, stretch = part if isinstance(part, tuple) else (part, 0)
        if isinstance(content, QWidget):
            box.addWidget(content, stretch)
        else:
            box.addLayout(content, stretch)
    return box
