"""The fleet dock: aircraft types, what they carry, how often they can drop."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QFileDialog,
    QHeaderView,
    QLineEdit,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)  # fmt: skip

from firegui.domain.fleet import Material, availability_cap
from firegui.errors import InputError
from firegui.gui.scenario.fleet_table import COLUMNS, FleetModel, Index
from firegui.gui.session.reporting import refusing
from firegui.gui.session.session import Session
from firegui.gui.widgets.table_buttons import ButtonRow
from firegui.gui.widgets.table_panel import TableForm, dress_table
from firegui.io.fleet_toml import default_fleet, read_fleet, write_fleet

_FILTER = "Fleet (*.toml);;All files (*)"
_MATERIAL = next(index for index, column in enumerate(COLUMNS) if column.kind is Material)
_TYPE = next(index for index, column in enumerate(COLUMNS) if column.field == "type")
_AIR = 2
_TEXT_LIMIT = {"type": 190, "provenance": 230}


class _MaterialDelegate(QStyledItemDelegate):
    """Chooses a material from a list instead of typing it."""

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        box = QComboBox(parent)
        box.addItems([material.value for material in Material])
        box.activated.connect(lambda _row: self.commitData.emit(box))
        return box

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        assert isinstance(editor, QComboBox)
        editor.setCurrentText(str(index.data(Qt.ItemDataRole.EditRole)))


class FleetPanel(TableForm):
    """See the module."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.model = FleetModel(session, self)
        self.view = self._make_view()
        self.put_together(self._make_buttons(), self.view)
        for signal in (session.project_opened, session.fleet_changed, session.plan_changed):
            signal.connect(self._refresh)
        self._refresh()

    def _make_view(self) -> QTableView:
        view = QTableView()
        view.setModel(self.model)
        dress_table(view, "Fleet", 25)
        view.setItemDelegateForColumn(_MATERIAL, _MaterialDelegate(view))
        view.setWordWrap(False)
        view.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        view.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        view.horizontalHeader().setMinimumSectionSize(34)
        return view

    def _make_buttons(self) -> ButtonRow:
        row = ButtonRow()
        row.add("add", "Add", "add an aircraft type below the selected one", self.add)
        row.add("duplicate", "Duplicate", "copy the selected aircraft type", self.duplicate)
        row.add("delete", "Remove", "remove the selected aircraft type", self.remove)
        row.add("reset", "Paper's fleet", "go back to the 21 aircraft of the paper and its grounded days", self.reset)
        row.add("import", "Import…", "replace the fleet by one from a TOML file", self.import_file)
        row.add("export", "Export…", "write the fleet to a TOML file", self.export_file)
        return row

    # -- what the buttons do -----------------------------------------------------------------------------------------
    def add(self) -> None:
        """Add a type below the selected one and open its name for typing."""
        if self._session.has_project:
            row = self.view.currentIndex().row() if self.view.currentIndex().isValid() else self.model.rowCount() - 1
            self._begin(self.model.add(row))

    def duplicate(self) -> None:
        """Copy the selected type."""
        if self.view.currentIndex().isValid():
            self._begin(self.model.duplicate(self.view.currentIndex().row()))

    def remove(self) -> None:
        """Remove the selected type."""
        if self.view.currentIndex().isValid():
            self.model.remove(self.view.currentIndex().row())

    def reset(self) -> None:
        """Go back to the paper's fleet."""
        if self._session.has_project:
            with refusing(self._session, "fleet"):
                self._session.set_planned_fleet("take the paper's fleet", default_fleet())

    def import_file(self) -> None:
        """Ask for a fleet file and take it."""
        name, _filter = QFileDialog.getOpenFileName(self, "Import fleet", "", _FILTER)
        if name and self._session.has_project:
            with refusing(self._session, name):
                fleet = read_fleet(Path(name))
                if problems := fleet.problems():
                    raise InputError(problems, f"{Path(name).name} cannot be used")
                self._session.set_planned_fleet(f"import {Path(name).name}", fleet)

    def export_file(self) -> None:
        """Ask for a name and write the fleet, with its grounded days of this plan."""
        if not self._session.has_project:
            return
        name, _filter = QFileDialog.getSaveFileName(self, "Export fleet", "fleet.toml", _FILTER)
        if name:
            path = Path(name) if Path(name).suffix else Path(name).with_suffix(".toml")
            with refusing(self._session, str(path)):
                write_fleet(self._session.project.planned_fleet, path)
                self._session.message.emit(f"Fleet written to {path.name}")

    def _begin(self, row: int) -> None:
        index = self.model.index(row, _TYPE)
        self.view.setCurrentIndex(index)
        self.view.edit(index)
        editor = self.view.indexWidget(index)
        if isinstance(editor, QLineEdit):
            editor.selectAll()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Delete removes the selected type."""
        if event.key() == Qt.Key.Key_Delete:
            self.remove()
        else:
            super().keyPressEvent(event)

    # -- following the session ---------------------------------------------------------------------------------------
    def _refresh(self) -> None:
        self._fit_columns()
        if not self._session.has_project:
            self.set_footer("")
            return
        fleet, calendar = self._session.project.planned_fleet, self._session.project.calendar
        days = f"{calendar.days} days" if calendar.days != 1 else "1 day"
        cap = availability_cap(fleet, calendar)
        self.set_footer(f"{fleet.n_aircraft} aircraft · at most {cap:,} drops in {days}")

    def _fit_columns(self) -> None:
        ids = [kind.id for kind in self._session.project.fleet.types] if self._session.has_project else []
        widest = max((self.fontMetrics().horizontalAdvance(name) for name in ids), default=40)
        self.view.verticalHeader().setFixedWidth(min(widest + 12, 140))
        self.view.resizeColumnsToContents()
        for index, column in enumerate(COLUMNS):
            limit = _TEXT_LIMIT.get(column.field, 10_000)
            self.view.setColumnWidth(index, min(self.view.columnWidth(index) + _AIR, limit))
