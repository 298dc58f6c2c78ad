"""Pieces that forms are put together from."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QLayout, QToolButton, QVBoxLayout, QWidget


def labelled_rows(pairs: Sequence[tuple[QLabel, QWidget]], columns: int) -> QGridLayout:
    """Labels and fields in a grid of ``columns`` pairs a row, fields sharing the width evenly."""
    grid = QGridLayout()
    grid.setHorizontalSpacing(8)
    grid.setVerticalSpacing(5)
    for index, (label, field) in enumerate(pairs):
        row, column = divmod(index, columns)
        label.setBuddy(field)
        grid.addWidget(label, row, 2 * column)
        grid.addWidget(field, row, 2 * column + 1)
    for column in range(columns):
        grid.setColumnStretch(2 * column + 1, 1)
    return grid


class Folded(QWidget):
    """A part of a form that is shut until its title is pressed."""

    def __init__(self, title: str, content: QLayout, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._button = QToolButton()
        self._button.setText(title)
        self._button.setToolTip(f"Show or hide: {title}")
        self._button.setCheckable(True)
        self._button.setAutoRaise(True)
        self._button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._button.setArrowType(Qt.ArrowType.RightArrow)
        self._button.toggled.connect(self._fold)
        self._body = QWidget()
        self._body.setLayout(content)
        self._body.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._button)
        column.addWidget(self._body)

    def _fold(self, opened: bool) -> None:
        self._button.setArrowType(Qt.ArrowType.DownArrow if opened else Qt.ArrowType.RightArrow)
        self._body.setVisible(opened)
