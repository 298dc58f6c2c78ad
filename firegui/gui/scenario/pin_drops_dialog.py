"""Choosing drops of the shown plan that every further plan keeps."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QLabel,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from firegui.domain.operations import PinnedDrop
from firegui.domain.project import Project
from firegui.domain.schedule import DropRecord
from firegui.gui.map.shape_edits import pin_of
from firegui.gui.scenario.operations_tables import clock_text
from firegui.gui.session.session import Session
from firegui.gui.widgets.row_table import Column, RowsModel
from firegui.gui.widgets.table_panel import dress_table

_ALL = -1


class PinDropsDialog(QDialog):
    """The executed drops of a plan, a day at a time or all; several can be chosen."""

    def __init__(self, session: Session, drops: Sequence[DropRecord], project: Project, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Pin drops of the shown plan")
        self.resize(520, 420)
        self._project = project
        self._drops = sorted((drop for drop in drops if drop.executed), key=lambda drop: (drop.step, drop.column))
        self.model = RowsModel[DropRecord](session, self._columns(), self)
        self.day, self.table = QComboBox(), QTableView()
        self.day.setToolTip("The day whose drops are listed")
        self._lay_out(session)

    @property
    def chosen(self) -> list[PinnedDrop]:
        """The pins of the selected rows."""
        rows = sorted(index.row() for index in self.table.selectionModel().selectedRows())
        return [pin_of(self.model.items[row], self._project.calendar) for row in rows]

    def _columns(self) -> list[Column[DropRecord]]:
        calendar = self._project.calendar
        return [
            Column("Time", "local time", lambda drop: clock_text(calendar.time_of_step(drop.step), self._project)),
            Column("Aircraft", "the aircraft that drops", lambda drop: drop.aircraft),
            Column("Material", "what it drops", lambda drop: drop.material),
            Column("Row", "release point, cells from the north", lambda drop: f"{drop.y:.1f}", number=True),
            Column("Column", "release point, cells from the west", lambda drop: f"{drop.x:.1f}", number=True),
            Column("Axis, °", "long axis, degrees anticlockwise from east",
                   lambda drop: f"{math.degrees(drop.theta):.0f}", number=True),
        ]  # fmt: skip

    def _lay_out(self, session: Session) -> None:
        calendar = self._project.calendar
        self.day.setAccessibleName("Day of the drops")
        self.day.addItem("All days", _ALL)
        for day in sorted({calendar.day_of_step(drop.step) for drop in self._drops}):
            when = calendar.date_of_day(day)
            self.day.addItem(f"Day {day + 1} · {when.day} {when:%b}", day)
        self.day.currentIndexChanged.connect(lambda _index: self._fill())
        self.table.setModel(self.model)
        dress_table(self.table, "Drops of the shown plan", self.table.fontMetrics().height() + 8)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.table.verticalHeader().hide()
        self.table.horizontalHeader().setStretchLastSection(True)
        hint = QLabel("A pinned drop is kept as it is by every plan. Ctrl or Shift selects several.")
        hint.setProperty("role", "muted")
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        pin = buttons.addButton("Pin", QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        for part in (self.day, self.table, hint, buttons):
            column.addWidget(part)
        pin.setDefault(True)
        pin.setEnabled(False)
        selection = self.table.selectionModel()
        selection.selectionChanged.connect(lambda *_: pin.setEnabled(selection.hasSelection()))
        shown = self.day.findData(calendar.day_of_step(session.step), Qt.ItemDataRole.UserRole)
        self.day.setCurrentIndex(max(shown, 0))
        self._fill()

    def _fill(self) -> None:
        day, calendar = self.day.currentData(), self._project.calendar
        self.table.clearSelection()
        self.model.show([drop for drop in self._drops if day in (_ALL, calendar.day_of_step(drop.step))])
        self.table.resizeColumnsToContents()


def choose_pins(session: Session, parent: QWidget) -> list[PinnedDrop]:
    """Ask which drops of the shown plan to pin; empty when the person gave up."""
    dialog = PinDropsDialog(session, session.result.drops, session.result.project or session.project, parent)
    accepted = dialog.exec() == QDialog.DialogCode.Accepted
    pins = dialog.chosen if accepted else []
    dialog.deleteLater()
    return pins
