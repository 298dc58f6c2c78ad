"""Build box layouts in one call."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLayout, QVBoxLayout, QWidget

Part = QWidget | QLayout | int | tuple[QWidget | QLayout, int]
Margins = int | tuple[int, int, int, int]
_Box = TypeVar("_Box", bound=QBoxLayout)


def vertical(
    owner: QWidget | None, *parts: Part, margins: Margins | None = None, spacing: int | None = None
) -> QVBoxLayout:
    """Return ``parts`` below each other, as the layout of ``owner`` if given.

    A part is a widget or layout, a pair of that and its stretch factor, or the stretch factor of empty space.
    Without ``margins`` and ``spacing`` those of the style hold.
    """
    return _filled(QVBoxLayout(), owner, parts, margins, spacing)


def horizontal(
    owner: QWidget | None, *parts: Part, margins: Margins | None = None, spacing: int | None = None
) -> QHBoxLayout:
    """Return ``parts`` beside each other; see :func:`vertical`."""
    return _filled(QHBoxLayout(), owner, parts, margins, spacing)


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
