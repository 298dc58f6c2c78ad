"""Regions panel: protected regions, their size and weight."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog, QWidget

from firegui.domain.options import number_from_text, plain_number
from firegui.domain.regions import Region, region_problems
from firegui.errors import InputError, Problem, raise_new_problems
from firegui.gui.base.export_place import ask_export_file
from firegui.gui.map.shape_edits import import_regions, refuse_taken_name
from firegui.gui.map.shape_menu import RegionDialog
from firegui.gui.session.reporting import refusing
from firegui.gui.session.session import Session, Tool
from firegui.gui.widgets.table_buttons import ButtonRow
from firegui.gui.widgets.table_model import Column, TableModel, with_row
from firegui.gui.widgets.table_view import TableForm, fit_rows, select_row, show_table
from firegui.io.project.regions_file import write_regions_geojson, write_regions_toml
from firegui.io.rasters.masks import region_cells, region_masks

NAME, CELLS, AREA, SHARE, WEIGHT = range(5)
REFUSED = "The region was not changed"
_READS = "Regions (*.geojson *.json *.toml);;All files (*)"
_GEOJSON, _TOML = "GeoJSON, longitude and latitude (*.geojson)", "TOML, rows and columns (*.toml)"

_NOT_WEIGHED = (
    "The settings do not protect them yet, because the weight of protected places is 0: choose another goal or weight "
    "under Goal and search."
)


class RegionModel(TableModel[Region]):
    """Regions in the project's order; name and weight can be edited."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        columns = (
            Column("Name", lambda region: region.name, tip="name of the region; double-click to rename", is_text=True,
                   edit=self._rename),
            Column("Cells", self._cells, "{:,}".format, "cells whose centre lies inside the region"),
            Column("Area", lambda region: self._cells(region) * session.project.scenario.grid.cell_area_ha,
                   lambda area: session.units.area(area, 1), "area of its cells"),
            Column("Domain", lambda region: 100.0 * self._cells(region) / session.project.scenario.grid.n_cells,
                   "{:.1f}".format, "share of the whole domain", "%"),
            Column("Weight", lambda region: region.weight, plain_number, edit=self._weigh,
                   tip="weight of the region in the protection loss; 1 gives the paper's plain mean"),
        )  # fmt: skip
        super().__init__(columns, parent)
        self._session = session
        session.project_opened.connect(self._update)
        session.regions_changed.connect(self._update)
        session.units_changed.connect(self._update)
        self._update()

    def place_of(self, name: str) -> int:
        """Return the row of a region, or −1."""
        return next((self.place(k) for k, region in enumerate(self.rows) if region.name == name), -1)

    def union_share(self) -> float:
        """Return the share of the domain inside at least one region, 0 … 1."""
        if not self.rows:
            return 0.0
        shape = self._session.project.scenario.grid.shape
        return float(np.mean(region_masks(tuple(self.rows), shape).any(axis=0)))

    # -- editing -----------------------------------------------------------------------------------------------------
    def _rename(self, position: int, region: Region, value: Any) -> bool:
        name = str(value).strip()
        refuse_taken_name("region", name, (*self.rows[:position], *self.rows[position + 1 :]))
        return self._edit(position, region, replace(region, name=name), f"rename {region.name}")

    def _weigh(self, position: int, region: Region, value: Any) -> bool:
        text = str(value).strip()
        try:
            weight = number_from_text(text)
        except ValueError:
            problem = Problem(f"region {region.name}", f"weight '{text}' is not a number", "use 0 or more")
            raise InputError([problem], REFUSED) from None
        return self._edit(position, region, replace(region, weight=weight), f"weigh {region.name}")

    def _edit(self, position: int, before: Region, after: Region, text: str) -> bool:
        if after == before:
            return False
        regions = with_row(self.rows, position, after)
        shape = self._session.project.scenario.grid.shape
        raise_new_problems(region_problems(tuple(self.rows), shape), region_problems(regions, shape), REFUSED)
        was_selected = self._session.selected_region == before.name
        self._session.set_regions(text, regions)
        if was_selected:
            self._session.select_region(after.name)
        return True

    def _cells(self, region: Region) -> int:
        return region_cells(region, self._session.project.scenario.grid.shape)

    def _update(self) -> None:
        self.set_rows(self._session.project.regions if self._session.has_project else ())


class RegionsPanel(TableForm):
    """Protected regions. A row selected here is selected everywhere, and vice versa."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._dialog: RegionDialog | None = None
        self.model = RegionModel(session, self)
        self._set_up_view()
        self.lay_out(self._make_buttons())
        for signal in (session.project_opened, session.regions_changed, session.plan_changed):
            signal.connect(self._refresh)
        session.region_selected.connect(self._follow)
        self._refresh()

    def _set_up_view(self) -> None:
        show_table(self.view, self.model, "Protected regions", row_height=26, stretch=NAME)
        # The side panel has room for two numbers; the dialog of a region has its cells, the line below the whole share.
        for column in (CELLS, SHARE):
            self.view.setColumnHidden(column, True)
        fit_rows(self.view, 3, 8)
        self.view.horizontalHeader().setMinimumSectionSize(52)
        self.view.selectionModel().currentRowChanged.connect(lambda current, _previous: self._select(current.row()))

    def _make_buttons(self) -> ButtonRow:
        row = ButtonRow()
        draw = self._session.set_tool
        row.add("rectangle", "Draw rectangle", "draw a rectangular region on the map", lambda: draw(Tool.RECTANGLE))
        row.add("polygon", "Draw polygon", "draw a polygon region on the map", lambda: draw(Tool.POLYGON))
        row.add("numbers", "Numbers…", "corners, or rows and columns, of the selected region", self.edit_numbers)
        row.add("delete", "Delete", "delete the selected region", self.remove)
        row.add("import", "Import…", "add regions from a GeoJSON or TOML file; or drop it on the map", self.import_file)
        row.add("export", "Export…", "write all regions to a GeoJSON or TOML file", self.export_file)
        return row

    # -- what the buttons do -----------------------------------------------------------------------------------------
    def remove(self) -> None:
        """Delete the selected region."""
        self._session.delete_region(self._session.selected_region)

    def import_file(self) -> None:
        """Let the user choose a file and add its regions; an existing name gets a number."""
        name, _filter = QFileDialog.getOpenFileName(self, "Import regions", "", _READS)
        if name and self._session.has_project:
            import_regions(self._session, Path(name))

    def edit_numbers(self) -> None:
        """Open the dialog for the corners of the selected region, or its rows and columns."""
        chosen = self._session.selected_region
        region = next((each for each in self._session.project.regions if each.name == chosen), None)
        if region is None:
            self._session.message.emit("Select a region first.")
            return
        self._dialog = RegionDialog(self._session, region, self.window())
        self._dialog.open()

    def export_file(self) -> None:
        """Let the user choose a file and write all regions to it."""
        if not self._session.has_project or not self._session.project.regions:
            self._session.message.emit("There is no region to export.")
            return
        grid = self._session.project.scenario.grid
        filters = f"{_GEOJSON};;{_TOML}" if grid.is_georeferenced else _TOML
        chosen = ask_export_file(self, "Export regions", "regions", filters)
        if chosen is None:
            return
        path = chosen if chosen.suffix else chosen.with_suffix(".geojson")
        with refusing(self._session, str(path)):
            if path.suffix.lower() == ".toml":
                write_regions_toml(self._session.project.regions, path)
            else:
                write_regions_geojson(self._session.project.regions, path, grid)
            self._session.message.emit(f"Regions written to {path.name}")

    # -- following the session ---------------------------------------------------------------------------------------
    def _select(self, row: int) -> None:
        if 0 <= row < len(self.model.rows):
            self._session.show_region(self.model.row(row).name)

    def _follow(self, name: str) -> None:
        row, selection = self.model.place_of(name), self.view.selectionModel()
        if row < 0:
            selection.clear()
        elif row != selection.currentIndex().row():
            select_row(self.view, row, NAME)

    def _refresh(self) -> None:
        self._follow(self._session.selected_region)
        has_gap = self._session.has_project and bool(self._session.project.unprotected_regions)
        self.set_footer(self._summary(), warns=has_gap)

    def _summary(self) -> str:
        count = len(self.model.rows)
        if not count:
            return "No region yet. Draw one on the map, or import a file."
        share = self.model.union_share()
        text = f"{count} region{'s' if count > 1 else ''} · {100 * share:.1f} % of the domain protected"
        return text if self._session.project.plan.weights.prot > 0 else f"{text}\n{_NOT_WEIGHED}"
