"""The regions dock: what must be protected, how large it is, how much it weighs."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QFileDialog, QHeaderView, QTableView, QWidget

from firegui.gui.map.region_menu import RegionDialog
from firegui.gui.map.shape_edits import import_regions
from firegui.gui.scenario.regions_table import NAME, RegionModel
from firegui.gui.session.reporting import refusing
from firegui.gui.session.session import Session, Tool
from firegui.gui.widgets.table_buttons import ButtonRow
from firegui.gui.widgets.table_panel import TableForm, dress_table, select_row
from firegui.io.regions_file import write_regions_geojson, write_regions_toml

_READS = "Regions (*.geojson *.json *.toml);;All files (*)"
_GEOJSON, _TOML = "GeoJSON, longitude and latitude (*.geojson)", "TOML, rows and columns (*.toml)"

_NOT_WEIGHED = (
    "They are not weighed in the objective, for their weight there (Prot λ) is 0: choose setting B, or another weight, "
    "in the dock Objective."
)


class RegionsPanel(TableForm):
    """See the module. Selecting a row selects the region everywhere, and the other way round."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._dialog: RegionDialog | None = None
        self.model = RegionModel(session, self)
        self.view = self._make_view()
        self.put_together(self._make_buttons(), self.view)
        for signal in (session.project_opened, session.regions_changed, session.plan_changed):
            signal.connect(self._refresh)
        session.region_selected.connect(self._follow)
        self._refresh()

    def _make_view(self) -> QTableView:
        view = QTableView()
        view.setModel(self.model)
        dress_table(view, "Protected regions", 26)
        view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        view.verticalHeader().hide()
        header = view.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(NAME, QHeaderView.ResizeMode.Stretch)
        header.setMinimumSectionSize(52)
        view.selectionModel().currentRowChanged.connect(lambda current, _previous: self._select(current.row()))
        return view

    def _make_buttons(self) -> ButtonRow:
        row = ButtonRow()
        draw = self._session.set_tool
        row.add("rectangle", "Draw rectangle", "draw a rectangular region on the map", lambda: draw(Tool.RECTANGLE))
        row.add("polygon", "Draw polygon", "draw a polygon region on the map", lambda: draw(Tool.POLYGON))
        row.add("numbers", "Numbers…", "corners, or rows and columns, of the selected region", self.edit_numbers)
        row.add("delete", "Delete", "delete the selected region", self.delete_selected)
        row.add("import", "Import…", "add regions from a GeoJSON or TOML file; or drop it on the map", self.import_file)
        row.add("export", "Export…", "write all regions to a GeoJSON or TOML file", self.export_file)
        return row

    # -- what the buttons do -----------------------------------------------------------------------------------------
    def delete_selected(self) -> None:
        """Delete the selected region."""
        self._session.delete_region(self._session.selected_region)

    def import_file(self) -> None:
        """Ask for a file and add its regions; a name already taken gets a number."""
        name, _filter = QFileDialog.getOpenFileName(self, "Import regions", "", _READS)
        if name and self._session.has_project:
            import_regions(self._session, Path(name))

    def edit_numbers(self) -> None:
        """Ask for the corners of the selected region, or its rows and columns, as numbers."""
        chosen = self._session.selected_region
        region = next((each for each in self._session.project.regions if each.name == chosen), None)
        if region is None:
            self._session.message.emit("Select a region first.")
            return
        self._dialog = RegionDialog(self._session, region, self.window())
        self._dialog.open()

    def export_file(self) -> None:
        """Ask for a file and write every region to it."""
        if not self._session.has_project or not self._session.project.regions:
            self._session.message.emit("There is no region to export.")
            return
        grid = self._session.project.scenario.grid
        filters = f"{_GEOJSON};;{_TOML}" if grid.is_georeferenced else _TOML
        name, _filter = QFileDialog.getSaveFileName(self, "Export regions", "regions", filters)
        if not name:
            return
        path = Path(name)
        if not path.suffix:
            path = path.with_suffix(".toml" if _filter == _TOML else ".geojson")
        with refusing(self._session, str(path)):
            if path.suffix.lower() == ".toml":
                write_regions_toml(self._session.project.regions, path)
            else:
                write_regions_geojson(self._session.project.regions, path, grid)
            self._session.message.emit(f"Regions written to {path.name}")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Delete deletes the selected region."""
        if event.key() == Qt.Key.Key_Delete:
            self.delete_selected()
        else:
            super().keyPressEvent(event)

    # -- following the session ---------------------------------------------------------------------------------------
    def _select(self, row: int) -> None:
        if 0 <= row < len(self.model.regions):
            self._session.select_region(self.model.regions[row].name)

    def _follow(self, name: str) -> None:
        row, selection = self.model.row_of(name), self.view.selectionModel()
        if row < 0:
            selection.clear()
        elif row != selection.currentIndex().row():
            select_row(self.view, row, NAME)

    def _refresh(self) -> None:
        self._follow(self._session.selected_region)
        self.set_footer(self._summary())

    def _summary(self) -> str:
        count = len(self.model.regions)
        if not count:
            return "No region yet. Draw one on the map, or import a file."
        share = self.model.union_share()
        text = f"{count} region{'s' if count > 1 else ''} · {100 * share:.1f} % of the domain protected"
        return text if self._session.project.plan.weights.prot > 0 else f"{text}\n{_NOT_WEIGHED}"
