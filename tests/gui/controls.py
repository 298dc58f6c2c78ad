"""Requirements of every control: tooltip, unit of a number, accessible name, keyboard access, wheel with focus only."""

from __future__ import annotations

import re
from collections.abc import Iterator

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QAccessible, QAction, QWheelEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
    QDialogButtonBox,
    QDockWidget,
    QLineEdit,
    QPlainTextEdit,
    QScrollBar,
    QTabBar,
    QTableView,
    QTextEdit,
    QWidget,
)

_CONTROLS = (
    QAbstractButton, QAbstractSpinBox, QComboBox, QLineEdit, QPlainTextEdit, QTextEdit, QAbstractSlider,
    QAbstractItemView,
)  # fmt: skip
_OF_ANOTHER = (QAbstractSpinBox, QComboBox, QTabBar, QAbstractItemView)
"""Widgets whose children are parts of them, such as the field of a spin box."""

UNIT = re.compile(
    r"%|°|\bplain number\b|\b(m|km|ha|h|s|gal|m/s|fps|min|minutes|hours|days?|epochs|steps|cells|drops|frames|metres|"
    r"degrees|members|draws|rollouts|processes|sorties|percent)\b",
    re.IGNORECASE,
)
KEYS = re.compile(r"\b(Esc|Enter|Space|Ctrl\+\w+|F\d+)\b")
"""A tooltip that names its key explains the keyboard access."""


def controls_of(root: QWidget) -> Iterator[QWidget]:
    """Yield every control below ``root``, visible or not."""
    for widget in (root, *root.findChildren(QWidget)):
        if isinstance(widget, _CONTROLS) and not isinstance(widget, QScrollBar) and not _is_part(widget, root):
            yield widget


def _is_part(widget: QWidget, root: QWidget) -> bool:
    """Return whether a control belongs to another, or to a frame that Qt draws."""
    if widget.objectName().startswith("qt_") and not isinstance(widget.parentWidget(), QDockWidget):
        return True
    parent = widget.parentWidget()
    while parent is not None and widget is not root:
        # A view holds editors and buttons of its own; a view in a view (a table's header) is part of it.
        if isinstance(parent, _OF_ANOTHER):
            return True
        if isinstance(parent, QLineEdit) and isinstance(widget, QAbstractButton):
            return True
        parent = parent.parentWidget()
    return False


def name_of(widget: QWidget) -> str:
    """Return the accessible name of the control."""
    interface = QAccessible.queryAccessibleInterface(widget)
    return interface.text(QAccessible.Text.Name).replace("&", "").strip() if interface is not None else ""


def faults_of(widget: QWidget) -> list[str]:
    """Return what a control lacks, as texts."""
    found = []
    if not name_of(widget):
        found.append("no accessible name")
    if not _tip_of(widget):
        found.append("no tooltip")
    if isinstance(widget, (QAbstractSpinBox, QAbstractSlider)) and not UNIT.search(_words_of(widget)):
        found.append("no unit")
    if not _can_be_reached(widget):
        found.append("no way by keyboard")
    if _heeds_the_wheel(widget):
        found.append("changed by the wheel without the focus")
    return found


def _heeds_the_wheel(widget: QWidget) -> bool:
    """Return whether a turn of the wheel over a scrolled form changes a control that the user has not chosen."""
    if not isinstance(widget, (QAbstractSpinBox, QAbstractSlider, QComboBox)):
        return False
    # With this policy the wheel itself gives the focus.
    if widget.focusPolicy() is Qt.FocusPolicy.WheelFocus:
        return True
    turn = QWheelEvent(
        QPointF(5, 5), widget.mapToGlobal(QPointF(5, 5)), QPoint(), QPoint(0, 120), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    # The class alone, without Qt's delivery to the parents.
    widget.wheelEvent(turn)
    return turn.isAccepted() and not widget.hasFocus()


def _tip_of(widget: QWidget) -> str:
    if widget.toolTip():
        return widget.toolTip()
    if isinstance(widget, QTableView):
        model = widget.model()
        columns = range(model.columnCount()) if model is not None else range(0)
        role, across = Qt.ItemDataRole.ToolTipRole, Qt.Orientation.Horizontal
        return "".join(str(model.headerData(column, across, role) or "") for column in columns)
    # The text of a dialog button describes it.
    if isinstance(widget, QAbstractButton) and isinstance(widget.parentWidget(), QDialogButtonBox):
        return widget.text()
    return ""


def _words_of(widget: QWidget) -> str:
    suffix = getattr(widget, "suffix", lambda: "")()
    prefix = getattr(widget, "prefix", lambda: "")()
    return f"{prefix} {suffix} {widget.toolTip()} {name_of(widget)} {widget.accessibleDescription()}"


def _can_be_reached(widget: QWidget) -> bool:
    if widget.focusPolicy() & Qt.FocusPolicy.TabFocus or widget.focusProxy() is not None:
        return True
    if KEYS.search(widget.toolTip()):
        return True
    # The frame of a dock: View ▸ Docks and the palette do the same.
    return isinstance(widget, QAbstractButton) and isinstance(widget.parentWidget(), QDockWidget)


def path_of(widget: QWidget) -> str:
    """Return the path of a control, for the message of a test."""
    names: list[str] = []
    each: QWidget | None = widget
    while each is not None and len(names) < 4:
        names.append(each.objectName() or type(each).__name__)
        each = each.parentWidget()
    text = widget.text() if isinstance(widget, QAbstractButton) else ""
    return f"{' < '.join(names)} {text!r}"


def report(root: QWidget) -> list[str]:
    """Return every fault below ``root``, one line each."""
    return [f"{path_of(widget)}: {', '.join(faults)}" for widget in controls_of(root) if (faults := faults_of(widget))]


def action_faults(action: QAction) -> list[str]:
    """Return what a command lacks: an icon or an explanation."""
    found = []
    if action.icon().isNull():
        found.append("no icon")
    if "\n" not in action.toolTip() and not action.statusTip():
        found.append("no explanation")
    return found
