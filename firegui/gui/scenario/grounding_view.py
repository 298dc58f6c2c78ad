"""The calendar's grid view: click, drag or press Space to ground aircraft; one stroke is one edit."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QRect, Qt
from PySide6.QtGui import QBrush, QColor, QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)  # fmt: skip

from firegui.gui.base.theme import current_colors
from firegui.gui.scenario.grounding_table import Cell, GroundingModel

_MIN_CELL, _MAX_CELL, _ROW = 21, 44, 25


class _CellDelegate(QStyledItemDelegate):
    """Paints grounded as a hatched red tile with a cross, flying as a plain green one: three cues, not colour alone."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        colors = current_colors()
        rect: QRect = option.rect.adjusted(1, 1, -1, -1)
        text = str(index.data(Qt.ItemDataRole.DisplayRole))
        painter.save()
        painter.fillRect(rect, QColor(colors.grounded if text else colors.flying))
        if text:
            hatch = QColor(colors.text)
            hatch.setAlpha(70)
            painter.fillRect(rect, QBrush(hatch, Qt.BrushStyle.BDiagPattern))
            painter.setPen(QColor(colors.text))
            painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text)
        focused = QStyle.StateFlag.State_HasFocus in option.state
        if focused:
            painter.setPen(QPen(QColor(colors.accent), 2))
            painter.drawRect(rect)
        painter.restore()


class GroundingView(QTableView):
    """See the module. A drag paints the state that the first cell changes to, over every cell it touches."""

    def __init__(self, model: GroundingModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._cells = model
        self._stroke: dict[Cell, bool] = {}
        self._paints = False
        self._last: QPoint | None = None
        self.setModel(model)
        self.setItemDelegate(_CellDelegate(self))
        self.setAccessibleName("Grounded days")
        self.setAccessibleDescription("aircraft types by day; Space grounds or frees the current cell")
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setShowGrid(False)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        for header in (self.horizontalHeader(), self.verticalHeader()):
            header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
            header.setHighlightSections(False)
            header.setSectionsClickable(False)
        self.horizontalHeader().setMinimumSectionSize(_MIN_CELL)
        self.horizontalHeader().setStyleSheet("QHeaderView::section { padding: 2px 0; }")
        small = self.font()
        small.setPointSizeF(0.85 * small.pointSizeF())
        self.horizontalHeader().setFont(small)
        self.verticalHeader().setDefaultSectionSize(_ROW)
        model.modelReset.connect(self._fit)

    # -- strokes -----------------------------------------------------------------------------------------------------
    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a stroke."""
        index = self.indexAt(event.position().toPoint())
        if event.button() is not Qt.MouseButton.LeftButton or not index.isValid():
            super().mousePressEvent(event)
            return
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        self.setCurrentIndex(index)
        self._paints = not self._cells.is_grounded(index.row(), index.column())
        self._stroke = {}
        self._last = event.position().toPoint()
        self._touch(self._last)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Go on with a stroke."""
        if self._last is None:
            super().mouseMoveEvent(event)
            return
        here = event.position().toPoint()
        # A fast mouse skips cells: walk the line from where it was.
        reach = max(abs(here.x() - self._last.x()), abs(here.y() - self._last.y()))
        for part in range(0, reach + 1, _MIN_CELL // 3):
            share = part / max(reach, 1)
            delta = here - self._last
            self._touch(self._last + QPoint(round(delta.x() * share), round(delta.y() * share)))
        self._last = here
        self._touch(here)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End a stroke: it becomes one edit."""
        if self._last is None:
            super().mouseReleaseEvent(event)
            return
        self._end(keep=True)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Two quick clicks are two toggles."""
        # Two quick clicks are two toggles.
        self.mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Space toggles the current cell, Esc gives up a stroke."""
        index = self.currentIndex()
        if event.key() == Qt.Key.Key_Space and index.isValid():
            cell = (index.row(), index.column())
            self._cells.commit({cell: not self._cells.is_grounded(*cell)})
        elif event.key() == Qt.Key.Key_Escape and self._last is not None:
            self._end(keep=False)
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Have a current cell as soon as the keyboard is here."""
        super().focusInEvent(event)
        if not self.currentIndex().isValid() and self._cells.rowCount() and self._cells.columnCount():
            self.setCurrentIndex(self._cells.index(0, 0))

    def _touch(self, point: QPoint) -> None:
        index = self.indexAt(point)
        if index.isValid():
            self._stroke[index.row(), index.column()] = self._paints
            self._cells.preview(self._stroke)

    def _end(self, *, keep: bool) -> None:
        stroke, self._stroke, self._last = self._stroke, {}, None
        self._cells.commit(stroke if keep else {})

    # -- layout ------------------------------------------------------------------------------------------------------
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share the width among the days."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        days = self._cells.columnCount()
        if days:
            width = min(max(self.viewport().width() // days, _MIN_CELL), _MAX_CELL)
            self.horizontalHeader().setDefaultSectionSize(width)
