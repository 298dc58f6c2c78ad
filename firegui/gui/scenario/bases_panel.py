"""Bases panel: airtanker bases, reload bases, dip sites and lakes, and their turnarounds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QComboBox, QFormLayout, QHeaderView, QLineEdit, QWidget

from firegui.domain.bases import (
    KIND_TITLES,
    USUAL_RELOAD_MIN,
    Base,
    BaseFlight,
    BaseKind,
    flights,
    hour_of,
    hours_text,
    serving,
)
from firegui.domain.fleet import AircraftType
from firegui.domain.names import listed_names, with_named
from firegui.domain.options import declared_option, plain_number
from firegui.domain.project import Project
from firegui.errors import InputError, Problem, Problems
from firegui.gui.base.dialogs import Dialog
from firegui.gui.base.layouts import muted_label, vertical
from firegui.gui.base.plain_text import tooltip
from firegui.gui.base.tasks import wait_for
from firegui.gui.map.shape_edits import BASES_REFUSED, place_of, set_bases
from firegui.gui.scenario.entry_dialog import EntryDialog
from firegui.gui.scenario.selected_rows import follow_selection
from firegui.gui.session.reporting import typed_number
from firegui.gui.session.session import Session, ShapeKind, Tool
from firegui.gui.widgets.delegates import ChoiceDelegate
from firegui.gui.widgets.fields import PathField, choice_combo, text_line
from firegui.gui.widgets.table_buttons import ButtonRow
from firegui.gui.widgets.table_model import Column, TableModel, with_row
from firegui.gui.widgets.table_view import TableForm, fit_rows, selected_rows, show_table
from firegui.io.coordinates import parse_place
from firegui.io.georeference import Georeference
from firegui.io.importers.bases import BaseSource, ImportedBases, read_bases

NAME, KIND, RELOAD, HOURS, SERVES = range(5)
NONE = "none"
_READS = "Bases (*.csv *.geojson *.json *.gpkg *.kml *.shp);;All files (*)"
_KINDS = tuple((kind.value, title) for kind, title in KIND_TITLES.items())
_SHORT = {
    BaseKind.AIRTANKER: "Airtanker", BaseKind.RELOAD: "Reload", BaseKind.DIP: "Dip site", BaseKind.LAKE: "Lake",
}  # fmt: skip
_HOW = (
    "Points in CSV (name, lon, lat; also kind, reload_min, opens, closes, serves) or in GeoJSON, GeoPackage, KML or "
    "shapefile. A base may lie outside the grid."
)
_FIXED = "Turnarounds are fixed until a base serves a type: enter the types under Serves, such as S-2T, CL-415."
_WAITS = "Turnarounds are computed once the fire without drops is known."


class BaseModel(TableModel[Base]):
    """Bases in the project's order; everything but the place can be edited."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        columns = (
            Column("Name", lambda base: base.name, tip="name of the base; double-click to rename", is_text=True,
                   edit=self._rename, cell_tip=lambda base: place_of(session, base)),
            Column("Kind", lambda base: base.kind.value, lambda kind: _SHORT[BaseKind(kind)], "kind of the base",
                   is_text=True, edit=self._rekind, delegate=lambda view: ChoiceDelegate(lambda: _KINDS, view),
                   initial=lambda base: base.kind.value, cell_tip=lambda base: KIND_TITLES[base.kind]),
            Column("Reload", lambda base: base.reload_min, plain_number, unit="min", edit=self._reload,
                   tip=declared_option(Base, "reload_min").help),
            Column("Open", lambda base: hours_text(base).replace(" to ", "–"), is_text=True,
                   tip="hours of the local day, such as 08:00 to 20:30, or always",
                   edit=self._open),
            Column("Serves", lambda base: ", ".join(base.serves) or None, missing=NONE, is_text=True, edit=self._serve,
                   tip="aircraft types that load there; their turnaround is computed",
                   cell_tip=lambda base: ", ".join(base.serves) or None),
        )  # fmt: skip
        super().__init__(columns, parent)
        self._session = session
        session.project_opened.connect(self._update)
        session.operations_changed.connect(self._update)
        self._update()

    def _rename(self, position: int, base: Base, value: Any) -> bool:
        return self._edit(position, base, f"rename {base.name}", name=str(value).strip())

    def _rekind(self, position: int, base: Base, value: Any) -> bool:
        kind, minutes = BaseKind(str(value)), base.reload_min
        # The usual time follows the kind, a typed one stays.
        minutes = USUAL_RELOAD_MIN[kind] if minutes == USUAL_RELOAD_MIN[base.kind] else minutes
        return self._edit(position, base, f"change kind of {base.name}", kind=kind, reload_min=minutes)

    def _reload(self, position: int, base: Base, value: Any) -> bool:
        minutes = _number(str(value), f"base {base.name}", "Reload time")
        return self._edit(position, base, f"change reload time of {base.name}", reload_min=minutes)

    def _open(self, position: int, base: Base, value: Any) -> bool:
        opens, closes = _hours(str(value), f"base {base.name}")
        return self._edit(position, base, f"change hours of {base.name}", opens_h=opens, closes_h=closes)

    def _serve(self, position: int, base: Base, value: Any) -> bool:
        return self._edit(position, base, f"change types of {base.name}", serves=listed_names(str(value), NONE))

    def _edit(self, position: int, base: Base, text: str, **changes: Any) -> bool:
        after = replace(base, **changes)
        if after == base:
            return False
        was_selected = self._session.selected_name(ShapeKind.BASE) == base.name
        set_bases(self._session, text, with_row(self.rows, position, after))
        if was_selected:
            self._session.select_shape(ShapeKind.BASE, after.name)
        return True

    def _update(self) -> None:
        self.set_rows(self._session.project.operations.bases if self._session.has_project else ())


def _number(text: str, where: str, title: str) -> float:
    return typed_number(text, where, title, "use minutes", BASES_REFUSED)


def _hours(text: str, where: str) -> tuple[float | None, float | None]:
    """Return the hours of a text such as ``08:00 to 20:30``; ``None`` twice for always."""
    plain = text.strip().lower()
    if plain in ("", "always"):
        return None, None
    begin, _, end = plain.replace("–", "-").replace(" to ", "-").partition("-")
    try:
        opens, closes = hour_of(begin), hour_of(end)
    except ValueError:
        opens = closes = None
    if opens is None or closes is None:
        problem = Problem(where, f"'{text.strip()}' are not hours", "write them as 08:00 to 20:30, or always")
        raise InputError([problem], BASES_REFUSED)
    return opens, closes


class BaseDialog(EntryDialog):
    """Dialog that adds a base from typed values; it stays open where they cannot be used."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__("Add a base", "Add", parent)
        self._session = session
        self.name = text_line("Name", "such as Redding", "name of the base")
        self.kind: QComboBox = choice_combo("Kind", "base_kind")
        for value, title in _KINDS:
            self.kind.addItem(title, value)
        self.place = text_line("Place", "40.509, -122.293", "latitude and longitude, in any usual form")
        self.reload: QLineEdit = text_line("Reload time, min", plain_number(USUAL_RELOAD_MIN[BaseKind.AIRTANKER]))
        self.hours = text_line("Open", "always, or 08:00 to 20:30")
        self.serves = text_line("Serves", "ids of types, such as S-2T, CL-415")
        self.kind.currentIndexChanged.connect(self._on_kind)
        form = QFormLayout()
        for title, field in (
            ("&Name", self.name), ("&Kind", self.kind), ("&Place", self.place), ("&Reload time, min", self.reload),
            ("&Open", self.hours), ("&Serves", self.serves),
        ):  # fmt: skip
            form.addRow(title, field)
        vertical(self, form, self.buttons, least_width=420)

    def _on_kind(self) -> None:
        self.reload.setPlaceholderText(plain_number(USUAL_RELOAD_MIN[BaseKind(self.kind.currentData())]))

    @property
    def subject(self) -> str:
        """A base."""
        return "base"

    def use_entry(self) -> None:
        """Add the base."""
        problems, session = Problems(), self._session
        kind, name = BaseKind(self.kind.currentData()), self.name.text().strip()
        where, at = f"base {name or '(no name)'}", (0.0, 0.0)
        minutes, hours = USUAL_RELOAD_MIN[kind], (None, None)
        try:
            at = self._position()
        except InputError as error:
            problems.extend(error.problems)
        try:
            minutes = _number(self.reload.text(), where, "Reload time") if self.reload.text().strip() else minutes
        except InputError as error:
            problems.extend(error.problems)
        try:
            hours = _hours(self.hours.text(), where)  # type: ignore[assignment]
        except InputError as error:
            problems.extend(error.problems)
        base = Base(name, kind, *at, minutes, *hours, listed_names(self.serves.text(), NONE))
        if problems:
            problems.extend(base.problems())
            problems.raise_if_any(BASES_REFUSED)
        set_bases(session, f"add {name}", (*session.project.operations.bases, base))

    def _position(self) -> tuple[float, float]:
        grid = self._session.project.scenario.grid
        found = Georeference(grid).from_lonlat(*parse_place(self.place.text()))
        if found is None:
            remedy = "import the event with its CRS and transform"
            raise InputError([Problem("place", "the event has no place on the map", remedy)], BASES_REFUSED)
        return found


class ImportBasesDialog(EntryDialog):
    """Dialog that imports a file of bases; it stays open where the file cannot be used."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__("Import bases", "Import", parent)
        self._session = session
        self.file = PathField("basesFile", "File of bases", files=_READS)
        self.kind: QComboBox = choice_combo("Kind", "bases_kind")
        for value, title in _KINDS:
            self.kind.addItem(title, value)
        self.kind.setToolTip(tooltip("Kind of the bases that name none"))
        self.serves = text_line("Serves", "types of the bases that name none")
        self.layer = text_line("Layer", "the only one of a vector file")
        form = QFormLayout()
        for title, field in (
            ("&File", self.file), ("&Kind", self.kind), ("&Serves", self.serves), ("&Layer", self.layer),
        ):  # fmt: skip
            form.addRow(title, field)
        vertical(self, muted_label(_HOW), form, self.buttons, least_width=460)

    @property
    def subject(self) -> str:
        """The file."""
        return self.file.text

    def use_entry(self) -> None:
        """Import the file."""
        path, session = self.file.path, self._session
        if path is None:
            raise InputError([Problem("file", "none is chosen", "choose a file of bases")], BASES_REFUSED)
        kind, layer = BaseKind(self.kind.currentData()), self.layer.text().strip() or None
        source, grid = (
            BaseSource(path, kind, listed_names(self.serves.text(), NONE), layer),
            session.project.scenario.grid,
        )
        found: ImportedBases = wait_for(self, f"Reading {path.name}…", lambda: read_bases(source, grid))
        set_bases(session, f"import {path.name}", with_named(session.project.operations.bases, found.bases))
        session.message.emit(" ".join([f"Bases imported from {path.name}: {len(found.bases)}.", *found.notes]))


class BasesPanel(TableForm):
    """Bases of the project, and the turnarounds of the shown day."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.dialog: Dialog | None = None
        self.model = BaseModel(session, self)
        show_table(self.view, self.model, "Bases", row_height=26, stretch=NAME)
        fit_rows(self.view, 2, 6)
        header = self.view.horizontalHeader()
        header.setMinimumSectionSize(44)
        # Long lists of types are cut, like long names; the tooltip has all of them.
        header.setSectionResizeMode(SERVES, QHeaderView.ResizeMode.Stretch)
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.lay_out(self._make_buttons())
        follow_selection(self.view, self.model, session, ShapeKind.BASE)
        self.turnarounds = muted_label()
        """Turnaround of every served type on the shown day."""
        layout = self.layout()
        assert layout is not None
        layout.addWidget(self.turnarounds)
        for signal in (
            session.project_opened, session.operations_changed, session.fleet_changed, session.plan_changed,
            session.step_changed, session.units_changed,
        ):  # fmt: skip
            signal.connect(self._refresh)
        self._refresh()

    def _make_buttons(self) -> ButtonRow:
        row = ButtonRow()
        row.add("base", "Draw", "click the place of a base on the map", lambda: self._session.set_tool(Tool.BASE))
        row.add("add", "Add…", "add a base by its coordinates", self.add)
        row.add("import", "Import…", "add bases from CSV, GeoJSON or another vector file", self.import_file)
        row.add("delete", "Delete", "remove the selected base", self.remove)
        return row

    # -- what the buttons do -----------------------------------------------------------------------------------------
    def add(self) -> None:
        """Open the dialog for a new base."""
        if self._session.has_project:
            self.dialog = BaseDialog(self._session, self.window())
            self.dialog.open()

    def import_file(self) -> None:
        """Open the dialog for a file of bases."""
        if self._session.has_project:
            self.dialog = ImportBasesDialog(self._session, self.window())
            self.dialog.open()

    def remove(self) -> None:
        """Remove the selected base."""
        rows = selected_rows(self.view)
        if not rows:
            self._session.message.emit("Select a base first.")
            return
        self._session.delete_base(self.model.row(rows[0]).name)

    def _refresh(self) -> None:
        project = self._session.project if self._session.has_project else None
        served = project is not None and project.operations.serves(project.fleet)
        if not self.model.rows:
            self.set_footer("No bases: turnarounds are fixed, as the fleet has them.")
        elif not served or project is None:
            self.set_footer(_FIXED)
        elif slow := _without_speed(project):
            self.set_footer(f"Give a cruise speed in the panel Fleet: {', '.join(slow)}.", warns=True)
        else:
            self.set_footer("" if project.burning_centres else _WAITS)
        lines = [] if project is None else turnaround_texts(project, self._session.step)
        self.turnarounds.setText("\n".join(lines))
        self.turnarounds.setVisible(bool(lines))


def _without_speed(project: Project) -> list[str]:
    """Return the ids of served types that have no cruise speed."""
    bases = project.operations.bases
    return [kind.id for kind in project.fleet.types if serving(bases, kind.id) and not kind.cruise_ms]


def turnaround_texts(project: Project, step: int) -> list[str]:
    """Return a heading and a line on the turnaround of each served type on the day of ``step``."""
    centres, day = project.burning_centres, project.calendar.day_of_state(step)
    if not 0 <= day < len(centres):
        return []
    lines = []
    for kind in project.planned_fleet.types:
        ways = flights(kind, project.operations.bases, centres[day], project.scenario.grid.cell_size_m)
        if kind.cycles and ways:
            lines.append(f"{kind.id}: {_turnaround_text(project, kind, ways[0], day)}")
    return [f"Turnarounds on day {day + 1}", *lines] if lines else []


def _turnaround_text(project: Project, kind: AircraftType, way: BaseFlight, day: int) -> str:
    calendar = project.calendar
    steps = range(day * calendar.steps_per_day, (day + 1) * calendar.steps_per_day)
    waits = sorted({kind.wait_steps(step, calendar.steps_per_day) for step in steps})
    minutes = [60.0 * calendar.hours_per_step * wait for wait in (waits[0], waits[-1])]
    span = f"{minutes[0]:.0f}" if len(waits) == 1 else f"{minutes[0]:.0f} to {minutes[1]:.0f}"
    return (
        f"{60.0 * way.turnaround_h:.0f} min from {way.base.name}, {way.distance_km:,.0f} km; {span} min in whole steps"
    )
