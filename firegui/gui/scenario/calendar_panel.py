"""Calendar panel: the days on which each aircraft type is grounded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QEvent, QObject, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QMenu,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)  # fmt: skip

from firegui.domain.fleet import AircraftType
from firegui.gui.base.layouts import plain_label, vertical
from firegui.gui.base.plain_text import tooltip
from firegui.gui.base.theme import current_colors
from firegui.gui.session.session import Session
from firegui.gui.widgets.table_model import ROOT, Index
from firegui.gui.widgets.table_view import add_copying, fit_rows
from firegui.planning.flight_rules import most_drops_of

Cell = tuple[int, int]
_MIN_CELL, _MAX_CELL, _ROW = 21, 48, 25
_DAY_PADDING = 2
"""Pixels beside the heading of a day at least."""


class DayHeader(QHeaderView):
    """Header of the days, whose sections have no margin beside their text."""

    def sectionSizeFromContents(self, section: int) -> QSize:
        """Return the size of the longest line with :data:`_DAY_PADDING`."""
        lines = str(self.model().headerData(section, self.orientation()) or "").split("\n")
        width = max(map(self.fontMetrics().horizontalAdvance, lines)) + _DAY_PADDING
        return QSize(width, super().sectionSizeFromContents(section).height())


class GroundingModel(QAbstractTableModel):
    """Grid of aircraft types by day, with marks for grounded types.

    A stroke over several cells is previewed here and becomes one edit.
    """

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._types: tuple[AircraftType, ...] = ()
        self._days = 0
        self._preview: dict[Cell, bool] = {}
        self.is_roomy = False
        """Whether the headings of the days have room for words."""
        for signal in (session.project_opened, session.fleet_changed, session.plan_changed):
            signal.connect(self._update)
        self._update()

    def is_grounded(self, row: int, day: int) -> bool:
        """Return whether a cell is shown as grounded, including the stroke in progress."""
        return self._preview.get((row, day), day in self._types[row].grounded_days)

    # -- strokes -----------------------------------------------------------------------------------------------------
    def preview(self, cells: Mapping[Cell, bool]) -> None:
        """Preview the cells of the stroke."""
        self._preview = dict(cells)
        self._repaint()

    def commit(self, cells: Mapping[Cell, bool]) -> None:
        """Make the stroke one undoable edit, unless it changes nothing."""
        self._preview = {}
        types = tuple(self._edited(row, kind, cells) for row, kind in enumerate(self._types))
        changed = [kind.id for kind, before in zip(types, self._types, strict=True) if kind != before]
        if changed:
            fleet = replace(self._session.project.planned_fleet, types=types)
            self._session.edit_planned_fleet(f"change grounded days of {', '.join(changed)}", fleet)
        else:
            self._repaint()

    @staticmethod
    def _edited(row: int, kind: AircraftType, cells: Mapping[Cell, bool]) -> AircraftType:
        days = set(kind.grounded_days)
        for (touched, day), grounded in cells.items():
            if touched == row:
                (days.add if grounded else days.discard)(day)
        return kind.with_grounded_days(tuple(days))

    # -- Qt's model interface -----------------------------------------------------------------------------------------
    def rowCount(self, parent: Index = ROOT) -> int:
        """Return the number of types; cells have no children."""
        return 0 if parent.isValid() else len(self._types)

    def columnCount(self, parent: Index = ROOT) -> int:
        """Return the number of days; cells have no children."""
        return 0 if parent.isValid() else self._days

    def set_roomy(self, on: bool) -> None:
        """Say whether the columns have room for ``Day 3`` and ``21 Aug``."""
        if on is not self.is_roomy:
            self.is_roomy = on
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, max(self._days - 1, 0))

    def heading(self, day: int) -> str:
        """Return the heading of a day where there is room for words: ``Day 3`` and ``21 Aug`` below."""
        calendar = self._session.project.calendar
        when = calendar.date_of_day(day)
        return f"Day {day + 1}\n{when.day} {when:%b}" if calendar.is_dated else f"Day {day + 1}"

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the name of a type, or number and date of a day."""
        if orientation is Qt.Orientation.Vertical:
            kind = self._types[section]
            return {Qt.ItemDataRole.DisplayRole: kind.id, Qt.ItemDataRole.ToolTipRole: tooltip(kind.type)}.get(
                Qt.ItemDataRole(role)
            )
        calendar = self._session.project.calendar
        when, number = calendar.date_of_day(section), f"{section + 1}"
        if role == Qt.ItemDataRole.DisplayRole and self.is_roomy:
            return self.heading(section)
        if not calendar.is_dated:
            named = {Qt.ItemDataRole.DisplayRole: number, Qt.ItemDataRole.ToolTipRole: f"Day {section + 1}"}
            return named.get(Qt.ItemDataRole(role))
        if role == Qt.ItemDataRole.DisplayRole:
            month = f"{when:%b}" if section == 0 or when.day == 1 else ""
            return f"{number}\n{when.day}\n{month}"
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"Day {section + 1} · {when:%A %d %B %Y} (local date)"
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the content of a cell in ``role``."""
        grounded = self.is_grounded(index.row(), index.column())
        if role == Qt.ItemDataRole.DisplayRole:
            return "✕" if grounded else ""
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            date = self._session.project.calendar.short_date_text(index.column(), year=True)
            state = "grounded" if grounded else "flies"
            text = f"{self._types[index.row()].type}, day {index.column() + 1}, {date}: {state}"
            return tooltip(text) if role == Qt.ItemDataRole.ToolTipRole else text
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignCenter
        return None

    def _repaint(self) -> None:
        if self._types and self._days:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._types) - 1, self._days - 1))

    def _update(self) -> None:
        types = self._session.project.planned_fleet.types if self._session.has_project else ()
        days = self._session.project.calendar.days if self._session.has_project else 0
        same = len(types) == len(self._types) and days == self._days
        if same:
            self._types, self._preview = types, {}
            self._repaint()
            if types:
                self.headerDataChanged.emit(Qt.Orientation.Vertical, 0, len(types) - 1)
                self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, max(days - 1, 0))
            return
        self.beginResetModel()
        self._types, self._days, self._preview = types, days, {}
        self.endResetModel()


class _CellDelegate(QStyledItemDelegate):
    """Delegate for a day: a hatched red tile with a cross if grounded, else a plain green one."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
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
    """Grid in which click, drag and Space ground aircraft; one stroke is one edit.

    A drag sets the rectangle from its first cell to the one under the mouse to the new state of the first cell.
    """

    def __init__(self, model: GroundingModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._cells = model
        self._stroke: dict[Cell, bool] = {}
        self._paints = False
        self._first: Cell | None = None
        self.setModel(model)
        self.setItemDelegate(_CellDelegate(self))
        self.setAccessibleName("Grounded days")
        self.setAccessibleDescription("aircraft types by day; Space grounds or frees the current cell")
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalHeader(DayHeader(Qt.Orientation.Horizontal, self))
        for header in (self.horizontalHeader(), self.verticalHeader()):
            header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
            header.setHighlightSections(False)
            header.setSectionsClickable(False)
        self.horizontalHeader().setMinimumSectionSize(_MIN_CELL)
        self.horizontalHeader().setStyleSheet("QHeaderView::section { padding: 2px 0; }")
        small = self.font()
        small.setPointSizeF(0.85 * small.pointSizeF())
        self.horizontalHeader().setFont(small)
        self.horizontalHeader().installEventFilter(self)
        self.verticalHeader().setDefaultSectionSize(_ROW)
        model.modelReset.connect(self._fit)
        add_copying(self)

    # -- strokes -----------------------------------------------------------------------------------------------------
    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a stroke."""
        index = self.indexAt(event.position().toPoint())
        if event.button() is not Qt.MouseButton.LeftButton or not index.isValid():
            super().mousePressEvent(event)
            return
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        self.setCurrentIndex(index)
        self._first = index.row(), index.column()
        self._paints = not self._cells.is_grounded(*self._first)
        self._stretch_to(self._first)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Stretch the rectangle of the stroke to the cell under the mouse."""
        if self._first is None:
            super().mouseMoveEvent(event)
        else:
            self._stretch_to(self._nearest_cell(event.position().toPoint()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End the stroke: it becomes one edit."""
        if self._first is None:
            super().mouseReleaseEvent(event)
            return
        self._end(keep=True)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Toggle twice: a double click counts as two clicks."""
        self.mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Toggle the current cell with Space, cancel a stroke with Esc."""
        index = self.currentIndex()
        if event.key() == Qt.Key.Key_Space and index.isValid():
            cell = (index.row(), index.column())
            self._cells.commit({cell: not self._cells.is_grounded(*cell)})
        elif event.key() == Qt.Key.Key_Escape and self._first is not None:
            self._end(keep=False)
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Select a current cell when the keyboard focus arrives."""
        super().focusInEvent(event)
        if not self.currentIndex().isValid() and self._cells.rowCount() and self._cells.columnCount():
            self.setCurrentIndex(self._cells.index(0, 0))

    def _nearest_cell(self, point: QPoint) -> Cell:
        """Return the cell at a point; outside the grid that at its edge."""
        row, column = self.rowAt(point.y()), self.columnAt(point.x())
        last_row, last_column = self._cells.rowCount() - 1, self._cells.columnCount() - 1
        return (
            row if row >= 0 else 0 if point.y() < 0 else last_row,
            column if column >= 0 else 0 if point.x() < 0 else last_column,
        )

    def _stretch_to(self, cell: Cell) -> None:
        assert self._first is not None
        (top, bottom), (left, right) = (sorted(ends) for ends in zip(self._first, cell, strict=True))
        cells = product(range(top, bottom + 1), range(left, right + 1))
        self._stroke = dict.fromkeys(cells, self._paints)
        self._cells.preview(self._stroke)

    def _end(self, *, keep: bool) -> None:
        stroke, self._stroke, self._first = self._stroke, {}, None
        self._cells.commit(stroke if keep else {})

    # -- layout ------------------------------------------------------------------------------------------------------
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Divide the width among the days."""
        super().resizeEvent(event)
        self._fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Fit the headings to another font."""
        if watched is self.horizontalHeader() and event.type() == QEvent.Type.FontChange:
            self._fit()
        return super().eventFilter(watched, event)

    def _fit(self) -> None:
        days = self._cells.columnCount()
        if days:
            width = min(max(self.viewport().width() // days, _MIN_CELL), _MAX_CELL)
            self.horizontalHeader().setDefaultSectionSize(width)
            metrics = self.horizontalHeader().fontMetrics()
            lines = [line for day in range(days) for line in self._cells.heading(day).split("\n")]
            self._cells.set_roomy(width >= max(map(metrics.horizontalAdvance, lines)) + _DAY_PADDING)


class GroundedDayMenu(QMenu):
    """Menu of the aircraft types, to ground them on one day. It is deleted when closed."""

    def __init__(self, session: Session, day: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setToolTipsVisible(True)
        self._model, self._day = GroundingModel(session, self), day
        heading = self.addAction(f"Grounded on day {day + 1}, {session.project.calendar.short_date_text(day)}")
        heading.setEnabled(False)
        self.addSeparator()
        rows = range(self._model.rowCount())
        for row in rows:
            kind = session.project.planned_fleet.types[row]
            action = self.addAction(kind.type)
            action.setCheckable(True)
            action.setChecked(self._model.is_grounded(row, day))
            action.setToolTip(tooltip(f"{kind.count} × {kind.id}"))
            action.triggered.connect(lambda on, row=row: self._ground((row,), on))
        self.addSeparator()
        self.addAction("Ground &all types", lambda: self._ground(rows, True))
        self.addAction("Let all types &fly", lambda: self._ground(rows, False))

    def _ground(self, rows: Sequence[int], on: bool) -> None:
        self._model.commit({(row, self._day): on for row in rows})


class CalendarPanel(QWidget):
    """Days of the plan on which aircraft types are grounded."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.model = GroundingModel(session, self)
        self.view = GroundingView(self.model)
        fit_rows(self.view, 2, 12)
        self._head = plain_label(wordWrap=True)
        self._footer = plain_label(wordWrap=True)
        hint = plain_label(
            "Click or drag to ground (✕) or free; Space toggles the current cell, Esc cancels a drag.", wordWrap=True
        )
        for label in (self._footer, hint):
            label.setProperty("role", "muted")
        vertical(self, self._head, (self.view, 1), self._footer, hint, margins=6)
        for signal in (
            session.project_opened, session.fleet_changed, session.plan_changed, session.operations_changed,
        ):  # fmt: skip
            signal.connect(self._refresh)
        self._refresh()

    @property
    def footer(self) -> str:
        """Text below the grid."""
        return self._footer.text()

    def _refresh(self) -> None:
        if not self._session.has_project:
            self._head.setText("")
            self._footer.setText("")
            return
        project = self._session.project
        fleet, calendar = project.planned_fleet, project.calendar
        self._head.setText(f"By day of the plan and local date, {calendar.span_text}")
        grounded = sum(kind.count * len(kind.grounded_days) for kind in fleet.types)
        total = fleet.n_aircraft * calendar.days
        light = "" if project.operations.daylight is None else " in daylight"
        self._footer.setText(
            f"{grounded:,} of {total:,} aircraft-days grounded · at most {most_drops_of(project):,} drops{light}"
        )
