"""Contrast of what is drawn: the WCAG ratio between a background and its most contrasting pixels."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QCheckBox,
    QComboBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QRadioButton,
    QSlider,
    QTabBar,
    QTableView,
    QWidget,
)

from firegui.gui.base.elided_label import ElidedLabel

ENOUGH = 4.5
_FEW = 3
"""This many pixels of one colour are a stroke and not an artefact of smoothing."""


def pixels(image: QImage) -> NDArray[np.uint8]:
    """Return the picture as ``[H, W, 3]``."""
    plain = image.convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(plain.constBits(), np.uint8).reshape(plain.height(), plain.bytesPerLine())
    return rows[:, : 3 * plain.width()].reshape(plain.height(), plain.width(), 3).copy()


def luminance(colors: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Return the relative luminance of ``[..., 3]``."""
    share = colors.astype(np.float64) / 255.0
    linear = np.where(share <= 0.03928, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    found: NDArray[np.float64] = linear @ np.array([0.2126, 0.7152, 0.0722])
    return found


def ratio(one: NDArray[np.float64] | float, other: float) -> NDArray[np.float64]:
    """Return the contrast ratio, 1 to 21."""
    high, low = np.maximum(one, other), np.minimum(one, other)
    return np.asarray((high + 0.05) / (low + 0.05))


def of_colors(one: str, other: str) -> float:
    """Return the contrast of two ``#rrggbb``."""
    first, second = (_rgb(name) for name in (one, other))
    return float(ratio(luminance(first), float(luminance(second))))


def _rgb(name: str) -> NDArray[np.uint8]:
    color = QColor(name)
    return np.array([color.red(), color.green(), color.blue()], np.uint8)


def of_picture(picture: NDArray[np.uint8]) -> float:
    """Return the highest contrast of a few pixels with the most common colour; 1 for a plain picture."""
    flat = picture.reshape(-1, 3)
    if len(flat) == 0:
        return 1.0
    packed = flat.astype(np.uint32) @ np.array([1 << 16, 1 << 8, 1], np.uint32)
    _colors, first, counts = np.unique(packed, return_index=True, return_counts=True)
    shades = luminance(flat[first])
    ratios = np.repeat(ratio(shades, float(shades[np.argmax(counts)])), np.minimum(counts, _FEW))
    # Smoothed text has few pixels of its full colour; the third highest is no artefact.
    return float(np.sort(ratios)[-min(_FEW, len(ratios))])


def cut(picture: NDArray[np.uint8], box: QRect, scale: float = 1.0) -> NDArray[np.uint8]:
    """Return a part of the picture of a window."""
    top, left = round(box.top() * scale), round(box.left() * scale)
    part: NDArray[np.uint8] = picture[
        max(top, 0) : round((box.bottom() + 1) * scale), max(left, 0) : round((box.right() + 1) * scale)
    ]
    return part


def texts_of(window: QWidget) -> Iterator[tuple[str, QRect]]:
    """Return the readable texts of a window: a name for each, and its place in the window."""
    for widget in window.findChildren(QWidget):
        if not widget.isVisible() or not widget.isEnabled() or widget.visibleRegion().isEmpty():
            continue
        yield from _texts_in(widget, window)


def _texts_in(widget: QWidget, window: QWidget) -> Iterator[tuple[str, QRect]]:
    name = f"{type(widget).__name__} {widget.objectName()}"
    if isinstance(widget, (QTabBar, QHeaderView)):
        for text, box in _parts(widget):
            yield f"{name} {text}", _in_window(widget, box, window)
    elif isinstance(widget, QAbstractItemView):
        for text, box in _cells(widget):
            yield f"{name} {text}", _in_window(widget.viewport(), box, window)
    elif isinstance(widget, (QLabel, QAbstractButton, QLineEdit, QComboBox, QAbstractSpinBox, ElidedLabel)):
        text = widget.currentText() if isinstance(widget, QComboBox) else widget.text()
        if text.strip() and not widget.objectName().startswith("qt_"):
            yield f"{name} {text!r}", _in_window(widget, _text_box(widget), window)


def _text_box(widget: QWidget) -> QRect:
    # The box of a choice has colours of its own.
    return widget.rect().adjusted(20, 0, 0, 0) if isinstance(widget, (QCheckBox, QRadioButton)) else widget.rect()


def _parts(widget: QTabBar | QHeaderView) -> Iterator[tuple[str, QRect]]:
    if isinstance(widget, QTabBar):
        for index in range(widget.count()):
            yield widget.tabText(index), widget.tabRect(index)
        return
    model, across = widget.model(), widget.orientation()
    for index in range(widget.count()):
        text = str(model.headerData(index, across) or "")
        start, length = widget.sectionViewportPosition(index), widget.sectionSize(index)
        flat = across is Qt.Orientation.Horizontal
        box = QRect(start, 0, length, widget.height()) if flat else QRect(0, start, widget.width(), length)
        if text and not widget.isSectionHidden(index):
            yield text, box.adjusted(1, 1, -1, -1)


def _cells(view: QAbstractItemView) -> Iterator[tuple[str, QRect]]:
    model = view.model()
    if model is None:
        return
    for row in range(model.rowCount()):
        # A list does not count its columns in Python.
        for column in range(model.columnCount() if isinstance(view, QTableView) else 1):
            index = model.index(row, column)
            box, text = view.visualRect(index), str(index.data() or "").strip()
            enabled = bool(index.flags() & Qt.ItemFlag.ItemIsEnabled)
            if text and enabled and view.viewport().rect().contains(box):
                yield text, box.adjusted(1, 1, -1, -1)


def controls_of(window: QWidget) -> Iterator[tuple[str, QRect]]:
    """Return the frames of fields, check boxes and slider handles: a name, and the place in the window."""
    for widget in window.findChildren(QWidget):
        if not widget.isVisible() or not widget.isEnabled() or widget.visibleRegion().isEmpty():
            continue
        name, box = f"{type(widget).__name__} {widget.objectName()}", widget.rect()
        if isinstance(widget, QLineEdit) and isinstance(widget.parentWidget(), (QAbstractSpinBox, QComboBox)):
            continue
        if isinstance(widget, (QLineEdit, QAbstractSpinBox, QComboBox)):
            # A piece of the left frame with a little of what is around it.
            yield name, _in_window(widget, QRect(-3, box.height() // 2 - 3, 5, 7), window)
        elif isinstance(widget, (QCheckBox, QRadioButton)):
            yield name, _in_window(widget, QRect(-1, 0, 18, box.height()), window)
        elif isinstance(widget, QSlider):
            yield name, _in_window(widget, box, window)


def _in_window(widget: QWidget, box: QRect, window: QWidget) -> QRect:
    """Return ``box`` in window coordinates; empty if a scroll area clips it."""
    region = widget.visibleRegion().boundingRect()
    if not region.adjusted(-4, -4, 4, 4).contains(box):
        return QRect()
    return QRect(widget.mapTo(window, box.topLeft()), box.size())


def poor(window: QWidget) -> list[str]:
    """Return all texts and controls of a window whose contrast is too low, one line each."""
    grabbed = window.grab()
    picture, scale = pixels(grabbed.toImage()), grabbed.devicePixelRatio()
    lines = []
    for kind, found in (("text", texts_of(window)), ("control", controls_of(window))):
        for name, box in found:
            if box.width() < 4 or box.height() < 6:
                continue
            value = of_picture(cut(picture, box, scale))
            if value < ENOUGH:
                lines.append(f"{kind} {value:.2f} {name} at {box.x()},{box.y()} {box.width()}×{box.height()}")
    return lines
