"""Build box layouts, scroll areas and labels in one call."""

from __future__ import annotations

from typing import Any, TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QBoxLayout,
    QGridLayout,
    QGroupBox,
    QHBoxLayout,
    QLabel,
    QLayout,
    QScrollArea,
    QSplitter,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import invalidate

from firegui.gui.base.plain_text import tooltip

Content = QWidget | QLayout
Part = Content | int | tuple[Content, int]
"""Widget or layout; a pair of one and its stretch factor; or the stretch factor of empty space."""
Margins = int | tuple[int, int, int, int]
_Box = TypeVar("_Box", bound=QBoxLayout)


def vertical(
    owner: QWidget | None,
    *parts: Part,
    margins: Margins | None = None,
    spacing: int | None = None,
    least_width: int = 0,
) -> QVBoxLayout:
    """Return a vertical layout of ``parts``, set on ``owner`` if given.

    It is ``least_width`` wide at least, and wider where its parts need more. A minimum width that is set on ``owner``
    takes the place of what the parts need.
    """
    box = _filled(QVBoxLayout(), owner, parts, margins, spacing)
    if least_width:
        box.addStrut(least_width)
    return box


def horizontal(
    owner: QWidget | None, *parts: Part, margins: Margins | None = None, spacing: int | None = None
) -> QHBoxLayout:
    """Return a horizontal layout of ``parts``, set on ``owner`` if given."""
    return _filled(QHBoxLayout(), owner, parts, margins, spacing)


def column(
    *parts: Content, stretch: Content | tuple[Content, ...] = (), spacing: int = 2, margins: Margins = 0
) -> QWidget:
    """Return a widget with ``parts`` in a vertical layout.

    The parts in ``stretch`` share the spare room equally. Without any, the room stays free at the end.
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
    """Set a vertical layout of ``parts`` on ``widget``; see :func:`column`."""
    vertical(widget, *_stretched(parts, stretch), margins=margins, spacing=spacing)


def row(*parts: Content, stretch: Content | tuple[Content, ...] = (), spacing: int | None = None) -> QWidget:
    """Return a widget with ``parts`` in a horizontal layout; see :func:`column`."""
    widget = QWidget()
    horizontal(widget, *_stretched(parts, stretch), margins=0, spacing=spacing)
    return widget


def _stretched(parts: tuple[Content, ...], stretch: Content | tuple[Content, ...]) -> tuple[Part, ...]:
    chosen = stretch if isinstance(stretch, tuple) else (stretch,)
    return (*((part, 1 if part in chosen else 0) for part in parts), *(() if chosen else (1,)))


def group_box(title: str, *parts: Part, spacing: int = 4) -> QGroupBox:
    """Return a group box with ``parts`` in a vertical layout."""
    group = QGroupBox(title)
    vertical(group, *parts, spacing=spacing)
    return group


def scroll_area(content: QWidget, *, horizontal: bool = True) -> QScrollArea:
    """Return a frameless scroll area around ``content``."""
    area = QScrollArea()
    fill_scroll_area(area, content, horizontal=horizontal)
    return area


def fill_scroll_area(area: QScrollArea, content: QWidget, *, horizontal: bool = False) -> None:
    """Put ``content`` into the frameless ``area``, with a horizontal scroll bar if ``horizontal``."""
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


def plain_label(text: str = "", **options: Any) -> QLabel:
    """Return a label that shows its text as it is; ``options`` are properties of the label.

    A label of Qt guesses whether its text is HTML, and a name from a file may look like it.
    """
    label = QLabel(**options)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setText(text)
    return label


def rich_label(**options: Any) -> QLabel:
    """Return a label of HTML. Escape what comes from elsewhere; ``options`` as in :func:`plain_label`."""
    label = QLabel(**options)
    label.setTextFormat(Qt.TextFormat.RichText)
    return label


def labelled(text: str, box: QWidget) -> QLabel:
    """Return a label that is the buddy of ``box`` and gives it its accessible name."""
    label = plain_label(text)
    label.setBuddy(box)
    return label


def muted_label(text: str = "", role: str = "muted") -> QLabel:
    """Return a label with word wrap, in the style called ``role``."""
    label = plain_label(text, wordWrap=True)
    label.setProperty("role", role)
    return label


def describe(widget: QWidget, text: str) -> None:
    """Set the same tooltip and accessible name on ``widget``."""
    widget.setToolTip(tooltip(text))
    widget.setAccessibleName(text)


def add_layout(box: QBoxLayout | QGridLayout, content: QLayout, *place: int) -> None:
    """Add a layout to another one; ``place`` is the stretch factor in a box, row and column in a grid.

    Shiboken 6.11 makes Python items of ``content`` in `addLayout` and keeps them when a widget leaves the layout, which
    frees the item in Qt. An object of Qt that is later at the address of such an item is deleted together with memory
    that was freed before: the process ends with a segmentation fault. The Python items are therefore released.
    """
    if isinstance(box, QGridLayout):
        row, column = place
        box.addLayout(content, row, column)
    else:
        box.addLayout(content, *place)
    _release_items(content)


def _release_items(layout: QLayout) -> None:
    for place in range(layout.count()):
        item = layout.itemAt(place)
        if isinstance(item, QLayout):
            _release_items(item)
        elif item is not None:
            invalidate(item)


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
            add_layout(box, content, stretch)
    return box
