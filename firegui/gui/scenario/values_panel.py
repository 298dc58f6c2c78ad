"""Values panel: layers of values at risk, their weight and susceptibility."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QComboBox, QFormLayout, QWidget

from firegui.domain.options import declared_option, plain_number
from firegui.domain.units import amount_text, percent_text
from firegui.domain.values import ValueLayer, ValueTerms, goal_shares, value_problems
from firegui.errors import InputError, Problem, raise_new_problems
from firegui.gui.base.export_place import ask_export_file
from firegui.gui.base.layouts import muted_label, vertical
from firegui.gui.base.plain_text import tooltip
from firegui.gui.base.tasks import wait_for
from firegui.gui.scenario.entry_dialog import EntryDialog
from firegui.gui.session.reporting import free_name, refusing, typed_number
from firegui.gui.session.session import Session
from firegui.gui.widgets.fields import PathField, choice_combo, text_line
from firegui.gui.widgets.settings_form import SettingsForm
from firegui.gui.widgets.table_buttons import ButtonRow
from firegui.gui.widgets.table_model import Column, TableModel, with_row
from firegui.gui.widgets.table_view import TableForm, fit_rows, selected_rows, show_table
from firegui.io.importers.values import MEANINGS, ImportedValues, RasterMeaning, ValueSource, read_values
from firegui.io.rasters.geotiff import write_raster

NAME, TOTAL, WEIGHT, SUSCEPTIBILITY, SHARE = range(5)
REFUSED = "The values were not changed"
_READS = "Values (*.csv *.gpkg *.geojson *.json *.kml *.shp *.tif *.tiff);;All files (*)"
_GEOTIFF = "GeoTIFF (*.tif)"
_NOT_COUNTED = "The goal does not count them yet: press Count in goal, or give them a weight under Goal and search."
_HOW = (
    "Points in CSV (lon, lat), points or polygons in GeoPackage, GeoJSON, KML or shapefile, or a GeoTIFF. A point "
    "counts in its cell, a polygon is spread over the cells whose centres lie inside."
)


class ValueModel(TableModel[ValueLayer]):
    """Value layers in the project's order; name, weight and susceptibility can be edited."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        columns = (
            Column("Name", lambda layer: layer.name, tip="name of the layer; double-click to rename", is_text=True,
                   edit=self._rename),
            Column("Total", lambda layer: layer.terms.total, amount_text, "sum of the values of all cells"),
            Column("Weight", lambda layer: layer.terms.weight, plain_number, edit=self._weigh,
                   tip=declared_option(ValueTerms, "weight").help),
            Column("Lost", lambda layer: 100.0 * layer.terms.susceptibility, plain_number, edit=self._expose, unit="%",
                   tip="susceptibility: share of the value that is lost where a cell burns, 0 to 100 %"),
            Column("Share", self._share, percent_text, "share of the layer in the value that the goal counts"),
        )  # fmt: skip
        super().__init__(columns, parent)
        self._session = session
        session.project_opened.connect(self._update)
        session.values_changed.connect(self._update)
        self._update()

    def _share(self, layer: ValueLayer) -> float:
        terms = [each.terms for each in self.rows]
        return dict(zip([one.name for one in terms], goal_shares(terms), strict=True)).get(layer.name, 0.0)

    def _rename(self, position: int, layer: ValueLayer, value: Any) -> bool:
        return self._edit(position, layer, f"rename {layer.name}", name=str(value).strip())

    def _weigh(self, position: int, layer: ValueLayer, value: Any) -> bool:
        return self._edit(position, layer, f"weigh {layer.name}", weight=_number(value, layer, "weight"))

    def _expose(self, position: int, layer: ValueLayer, value: Any) -> bool:
        share = _number(str(value).rstrip(" %"), layer, "susceptibility") / 100.0
        return self._edit(position, layer, f"change susceptibility of {layer.name}", susceptibility=share)

    def _edit(self, position: int, layer: ValueLayer, text: str, **changes: Any) -> bool:
        after = replace(layer, terms=replace(layer.terms, **changes))
        if after == layer:
            return False
        set_layers(self._session, text, with_row(self.rows, position, after))
        return True

    def _update(self) -> None:
        self.set_rows(self._session.project.values if self._session.has_project else ())


def _number(value: Any, layer: ValueLayer, title: str) -> float:
    return typed_number(str(value), f"value layer {layer.name}", title, "use 0 or more", REFUSED)


def set_layers(session: Session, text: str, layers: tuple[ValueLayer, ...]) -> None:
    """Change the value layers as one undoable step.

    Raises :class:`InputError` with the problems that this would add.
    """
    shape, before = session.project.scenario.grid.shape, session.project.values
    raise_new_problems(value_problems(before, shape), value_problems(layers, shape), REFUSED)
    session.set_values(text, layers)


class ValuesDialog(EntryDialog):
    """Dialog that imports a file of values; it stays open where the file cannot be used."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__("Import values at risk", "Import", parent)
        self._session = session
        self.file = PathField("valuesFile", "File of values", files=_READS)
        self.name = text_line("Name", "that of the file", "name of the layer")
        self.column = text_line("Column of values", "weight or value, else each feature counts 1")
        self.layer = text_line("Layer", "the only one of a vector file")
        self.meaning: QComboBox = choice_combo("Numbers of a raster", "values_meaning")
        self.meaning.addItem("Not a raster, or on the grid's cells", "")
        for meaning, title in MEANINGS.items():
            self.meaning.addItem(title, meaning.value)
        self.meaning.setToolTip(tooltip("Raster on other cells: counts are summed by cell, densities are averaged"))
        self.terms = SettingsForm(ValueTerms(""))
        form = QFormLayout()
        for title, field in (
            ("&File", self.file), ("&Name", self.name), ("&Column of values", self.column), ("&Layer", self.layer),
            ("Numbers of a &raster", self.meaning),
        ):  # fmt: skip
            form.addRow(title, field)
        self.terms.add_rows(form, units=True)
        vertical(self, muted_label(_HOW), form, self.buttons, least_width=460)

    @property
    def subject(self) -> str:
        """The file."""
        return self.file.text

    def use_entry(self) -> None:
        """Import the file."""
        path, terms, session = self.file.path, self.terms.value(), self._session
        if path is None:
            raise InputError([Problem("file", "none is chosen", "choose a file of values")], REFUSED)
        name = self.name.text().strip() or free_name(path.stem, (layer.name for layer in session.project.values))
        chosen, grid = self.meaning.currentData(), session.project.scenario.grid
        source = ValueSource(
            path, name, self.column.text().strip(), self.layer.text().strip() or None,
            RasterMeaning(chosen) if chosen else None, terms.weight, terms.susceptibility,
        )  # fmt: skip
        found: ImportedValues = wait_for(self, f"Reading {path.name}…", lambda: read_values(source, grid))
        set_layers(session, f"import {path.name}", (*session.project.values, found.layer))
        notes = "".join(f" {note}" for note in found.notes)
        session.message.emit(f"{name}: {amount_text(found.layer.terms.total)} in total.{notes}")


class ValuesPanel(TableForm):
    """Layers of values at risk."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.dialog: ValuesDialog | None = None
        self.model = ValueModel(session, self)
        show_table(self.view, self.model, "Values at risk", row_height=26, stretch=NAME)
        fit_rows(self.view, 2, 6)
        self.view.horizontalHeader().setMinimumSectionSize(44)
        self.lay_out(self._make_buttons())
        for signal in (session.project_opened, session.values_changed, session.plan_changed):
            signal.connect(self._refresh)
        self._refresh()

    def _make_buttons(self) -> ButtonRow:
        row = ButtonRow()
        row.add("import", "Import…", "add a layer from points, polygons or a raster", self.import_file)
        self.count_button = row.add(
            "objective", "Count in goal", "give values at risk a weight in the goal, beside what it counts now",
            self.count_in_goal,
        )  # fmt: skip
        row.add("delete", "Delete", "remove the selected layer", self.remove)
        row.add("export", "Export…", "write the selected layer as a GeoTIFF, such as for another project", self.export)
        return row

    # -- what the buttons do -----------------------------------------------------------------------------------------
    def import_file(self) -> None:
        """Open the dialog for a file of values."""
        if self._session.has_project:
            self.dialog = ValuesDialog(self._session, self.window())
            self.dialog.open()

    def count_in_goal(self) -> None:
        """Give values at risk a weight, as one undoable step."""
        if self._session.has_project:
            self._session.edit("count values at risk in the goal", self._session.project.counting_values())

    def remove(self) -> None:
        """Remove the selected layer, and the weight of values with the last."""
        chosen = self._chosen()
        if chosen is None:
            return
        project = self._session.project
        kept = tuple(layer for layer in project.values if layer.name != chosen.name)
        if not kept:
            project = replace(project, plan=replace(project.plan, weights=replace(project.plan.weights, val=0.0)))
        self._session.edit(f"delete {chosen.name}", replace(project, values=kept))

    def export(self) -> None:
        """Let the user choose a file and write the selected layer to it."""
        chosen = self._chosen()
        if chosen is None:
            self._session.message.emit("Select a layer first.")
            return
        path = ask_export_file(self, "Export values", chosen.name, _GEOTIFF)
        if path is not None:
            with refusing(self._session, str(path)):
                write_raster(path, chosen.cells, self._session.project.scenario.grid, descriptions=[chosen.name])
                self._session.message.emit(f"{chosen.name} written to {path.name}")

    def _chosen(self) -> ValueLayer | None:
        rows = selected_rows(self.view)
        return self.model.row(rows[0]) if rows else None

    def _refresh(self) -> None:
        layers = self.model.rows
        counted = self._session.has_project and self._session.project.plan.weights.val > 0.0
        self.count_button.setEnabled(bool(layers) and not counted)
        if not layers:
            self.set_footer("No values yet. Import structures, people, habitat or timber.")
        elif counted:
            self.set_footer(f"The goal counts them with weight {plain_number(self._session.project.plan.weights.val)}.")
        else:
            self.set_footer(_NOT_COUNTED, warns=True)
