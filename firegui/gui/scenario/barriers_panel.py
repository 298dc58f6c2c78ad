"""Barriers panel: roads, rivers and fire lines, and what burns where one does not hold."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QComboBox, QFormLayout, QWidget

from firegui.domain.barriers import KIND_TITLES, USUAL_WIDTH_M, Barrier, BarrierKind, barriers_text
from firegui.domain.calendar import Calendar
from firegui.domain.names import without_named
from firegui.domain.options import declared_option, number_from_text, plain_number
from firegui.domain.project import Project
from firegui.domain.schedule import Schedule
from firegui.errors import InputError, Problem, Problems
from firegui.gui.base.controls import set_synonyms, tool_button
from firegui.gui.base.dialogs import Dialog
from firegui.gui.base.export_place import ask_export_file
from firegui.gui.base.layouts import muted_label, vertical
from firegui.gui.base.tasks import wait_for
from firegui.gui.jobs.result_presenter import CompareMode, EvaluationRequest
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.map.shape_edits import BARRIERS_REFUSED, set_barriers
from firegui.gui.scenario.entry_dialog import EntryDialog
from firegui.gui.scenario.selected_rows import follow_selection
from firegui.gui.session.reporting import refusing, typed_number
from firegui.gui.session.session import Session, ShapeKind, Tool
from firegui.gui.widgets.delegates import ChoiceDelegate
from firegui.gui.widgets.fields import PathField, choice_combo, text_line
from firegui.gui.widgets.table_buttons import ButtonRow
from firegui.gui.widgets.table_model import Column, TableModel, with_row
from firegui.gui.widgets.table_view import TableForm, fit_rows, select_row, selected_rows, show_table
from firegui.io.importers.barriers import BarrierSource, ImportedBarriers, free_names, read_barriers, write_barriers
from firegui.io.times import parse_stamp
from firegui.runs.fire_specs import run_spec
from firegui.runs.spec import EvaluateSpec

NAME, KIND, WIDTH, STRENGTH, FROM = range(5)
AT_START = "start"
_READS = "Barriers (*.geojson *.json *.gpkg *.kml *.shp);;All files (*)"
_GEOJSON = "GeoJSON, longitude and latitude (*.geojson)"
_KINDS = tuple((kind.value, title) for kind, title in KIND_TITLES.items())
_SHORT = {
    BarrierKind.ROAD: "Road", BarrierKind.RIVER: "River", BarrierKind.DOZER: "Dozer", BarrierKind.HAND: "Hand",
    BarrierKind.FUEL_BREAK: "Break", BarrierKind.BURNED_OUT: "Burned", BarrierKind.OTHER: "Other",
}  # fmt: skip
_WHAT_IF = (
    "show the fire where the selected barrier holds and where it does not, side by side; all of them where none is "
    "selected"
)
_HOW = (
    "Lines or polygons in GeoJSON, GeoPackage, KML or shapefile. Categories of NWCG's Event Line decide the kind: "
    "planned line, routes and the uncontrolled edge of the fire are left out."
)
_NONE = "No barriers yet. Draw a road, river or fire line on the map, or import a file."
_SPOTS = "Embers cross every barrier: spotting is not modelled."


class BarrierModel(TableModel[Barrier]):
    """Barriers in the project's order; everything but the place can be edited."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        columns = (
            Column("Name", lambda barrier: barrier.name, tip="name of the barrier; double-click to rename",
                   is_text=True, edit=self._rename, cell_tip=lambda barrier: barrier.name),
            Column("Kind", lambda barrier: barrier.kind.value, lambda kind: _SHORT[BarrierKind(kind)],
                   "kind of the barrier, which decides its symbol", is_text=True, edit=self._rekind,
                   cell_tip=lambda barrier: KIND_TITLES[barrier.kind],
                   delegate=lambda view: ChoiceDelegate(lambda: _KINDS, view),
                   initial=lambda barrier: barrier.kind.value),
            Column("Width", lambda barrier: None if barrier.is_area else barrier.width_m, plain_number, unit="m",
                   missing="area", edit=self._widen, tip=declared_option(Barrier, "width_m").help),
            Column("Holds", lambda barrier: 100.0 * barrier.strength, plain_number, unit="%", edit=self._strengthen,
                   tip="strength: share of the spread that is stopped, 0 to 100 %"),
            Column("From", self._time, is_text=True, edit=self._begin, cell_tip=self._counts_from,
                   tip="local time from which on it holds, such as 2020-08-20 14:00, or start"),
        )  # fmt: skip
        super().__init__(columns, parent)
        self._session = session
        for signal in (session.project_opened, session.barriers_changed, session.plan_changed):
            signal.connect(self._update)
        self._update()

    def _time(self, barrier: Barrier) -> str:
        return time_text(barrier.exists_from, self._session.project.calendar)

    def _counts_from(self, barrier: Barrier) -> str | None:
        return counts_from_text(barrier, self._session.project) or None

    def _rename(self, position: int, barrier: Barrier, value: Any) -> bool:
        return self._edit(position, barrier, f"rename {barrier.name}", name=str(value).strip())

    def _rekind(self, position: int, barrier: Barrier, value: Any) -> bool:
        kind, width = BarrierKind(str(value)), barrier.width_m
        # The usual width follows the kind, a typed one stays.
        width = USUAL_WIDTH_M[kind] if width == USUAL_WIDTH_M[barrier.kind] else width
        return self._edit(position, barrier, f"change kind of {barrier.name}", kind=kind, width_m=width)

    def _widen(self, position: int, barrier: Barrier, value: Any) -> bool:
        if barrier.is_area:
            problem = Problem(f"barrier {barrier.name}", "is an area, which has no width", "change the width of lines")
            raise InputError([problem], BARRIERS_REFUSED)
        width = _number(str(value).removesuffix("m"), barrier, "Width")
        return self._edit(position, barrier, f"change width of {barrier.name}", width_m=width)

    def _strengthen(self, position: int, barrier: Barrier, value: Any) -> bool:
        share = _number(str(value).rstrip(" %"), barrier, "Strength") / 100.0
        return self._edit(position, barrier, f"change strength of {barrier.name}", strength=share)

    def _begin(self, position: int, barrier: Barrier, value: Any) -> bool:
        when = typed_time(str(value), self._session.project.calendar, f"barrier {barrier.name}")
        return self._edit(position, barrier, f"change time of {barrier.name}", exists_from=when)

    def _edit(self, position: int, barrier: Barrier, text: str, **changes: Any) -> bool:
        after = replace(barrier, **changes)
        if after == barrier:
            return False
        was_selected = self._session.selected_name(ShapeKind.BARRIER) == barrier.name
        set_barriers(self._session, text, with_row(self.rows, position, after))
        if was_selected:
            self._session.select_shape(ShapeKind.BARRIER, after.name)
        return True

    def _update(self) -> None:
        self.set_rows(self._session.project.barriers if self._session.has_project else ())


def _number(text: str, barrier: Barrier, title: str) -> float:
    return typed_number(text, f"barrier {barrier.name}", title, "write a number", BARRIERS_REFUSED)


def time_text(when: datetime | None, calendar: Calendar) -> str:
    """Return the local time of a barrier: ``20 Aug 14:00``, or ``start``."""
    if when is None or when.tzinfo is None:
        return AT_START if when is None else when.isoformat()
    local = when.astimezone(calendar.local_zone)
    return f"{local.day} {local:%b %H:%M}" if calendar.is_dated else f"day {_day(when, calendar):.2f}"


def _day(when: datetime, calendar: Calendar) -> float:
    return 1.0 + (when - calendar.start) / timedelta(days=1)


def typed_time(text: str, calendar: Calendar, where: str) -> datetime | None:
    """Return the time of a typed text, ``None`` for the start; without an offset it is local.

    Raises :class:`InputError` for a text that is not a time.
    """
    plain = text.strip()
    if plain.lower() in ("", AT_START):
        return None
    year = calendar.start.astimezone(calendar.local_zone).year
    # The table shows times without the year.
    stamp = parse_stamp(plain) or parse_stamp(_with_year(plain, year))
    if stamp is None:
        problem = Problem(where, f"'{plain}' is not a time", "write it as 2020-08-20 14:00, or start")
        raise InputError([problem], BARRIERS_REFUSED)
    return stamp.moment if stamp.moment.tzinfo is not None else stamp.moment.replace(tzinfo=calendar.local_zone)


def _with_year(text: str, year: int) -> str:
    day, _, rest = text.partition(" ")
    month, _, clock = rest.partition(" ")
    return f"{day} {month} {year} {clock}".strip()


def counts_from_text(barrier: Barrier, project: Project) -> str:
    """Return from when on the model counts a barrier that is finished within a period; else nothing."""
    when, calendar = barrier.exists_from, project.calendar
    if when is None or when.tzinfo is None:
        return ""
    length = timedelta(days=1) / project.wind_periods
    periods = (when - project.scenario.time_of_day(0)) / length
    if periods <= 0.0 or abs(periods - round(periods)) < 1e-6:
        return ""
    begins = project.scenario.time_of_day(0) + length * (int(periods) + 1)
    every = f"{24.0 / project.wind_periods:g} h" if project.wind_periods > 1 else "day"
    return f"counts from {time_text(begins, calendar)} on: the fire model has one map for each {every}"


class ImportBarriersDialog(EntryDialog):
    """Dialog that imports a file of barriers; it stays open where the file cannot be used."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__("Import barriers", "Import", parent)
        self._session = session
        self.file = PathField("barriersFile", "File of barriers", files=_READS)
        self.kind: QComboBox = choice_combo("Kind", "barriers_kind")
        self.kind.addItem("As the file says", "")
        for value, title in _KINDS:
            self.kind.addItem(title, value)
        self.wide = text_line("Width, m", "usual width of each kind", "width of lines that have none")
        self.strength = text_line("Strength, %", "100", "share of the spread that is stopped, where none is given")
        self.begins = text_line("From", AT_START, "local time from which on they hold, where none is given")
        self.layer = text_line("Layer", "the only one of a vector file")
        form = QFormLayout()
        for title, field in (
            ("&File", self.file), ("&Kind", self.kind), ("&Width, m", self.wide), ("&Strength, %", self.strength),
            ("F&rom", self.begins), ("&Layer", self.layer),
        ):  # fmt: skip
            form.addRow(title, field)
        vertical(self, muted_label(_HOW), form, self.buttons, least_width=460)

    @property
    def subject(self) -> str:
        """The file."""
        return self.file.text

    def use_entry(self) -> None:
        """Import the file."""
        path, session, problems = self.file.path, self._session, Problems()
        if path is None:
            problems.add("file", "none is chosen", "choose a file of barriers")
        width = self._number(self.wide.text(), "Width", problems)
        strength = self._number(self.strength.text(), "Strength", problems)
        when: datetime | None = None
        try:
            when = typed_time(self.begins.text(), session.project.calendar, "From")
        except InputError as error:
            problems.extend(error.problems)
        problems.raise_if_any(BARRIERS_REFUSED)
        assert path is not None
        kind, layer = self.kind.currentData(), self.layer.text().strip() or None
        share = 1.0 if strength is None else strength / 100.0
        source = BarrierSource(path, BarrierKind(kind) if kind else None, layer, width, share, when)
        grid = session.project.scenario.grid
        found: ImportedBarriers = wait_for(self, f"Reading {path.name}…", lambda: read_barriers(source, grid))
        before = session.project.barriers
        set_barriers(session, f"import {path.name}", (*before, *free_names(found.barriers, before)))
        session.message.emit(" ".join([f"Barriers imported from {path.name}: {len(found.barriers)}.", *found.notes]))

    def _number(self, text: str, title: str, problems: Problems) -> float | None:
        try:
            return number_from_text(text.strip().rstrip(" %")) if text.strip() else None
        except ValueError:
            problems.add(title, f"'{text.strip()}' is not a number", "write a number, or leave it empty")
            return None


class BarriersPanel(TableForm):
    """Barriers of the project, and the comparison of fires with and without one."""

    def __init__(self, session: Session, queue: RunQueue, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._queue = session, queue
        self.dialog: Dialog | None = None
        self.model = BarrierModel(session, self)
        show_table(self.view, self.model, "Barriers and line", row_height=26, stretch=NAME)
        fit_rows(self.view, 2, 8)
        self.view.horizontalHeader().setMinimumSectionSize(38)
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.compare_button = tool_button("What if it fails", _WHAT_IF)
        self.compare_button.setAutoRaise(False)
        self.compare_button.clicked.connect(lambda _checked=False: self.compare())
        set_synonyms(self.compare_button, "compare hold holds line")
        self.lay_out(self._make_buttons())
        layout = self.layout()
        assert layout is not None
        layout.addWidget(self.compare_button)
        self._count = len(self.model.rows)
        follow_selection(self.view, self.model, session, ShapeKind.BARRIER)
        for signal in (session.project_opened, session.barriers_changed, session.plan_changed):
            signal.connect(self._refresh)
        self._refresh()

    def _make_buttons(self) -> ButtonRow:
        row, draw = ButtonRow(), self._session.set_tool
        row.add("barrier", "Draw line", "draw a road, river or fire line on the map", lambda: draw(Tool.BARRIER))
        row.add("barrier-area", "Draw area", "draw a burned-out area or water", lambda: draw(Tool.BARRIER_AREA))
        row.add("delete", "Delete", "remove the selected barrier", self.remove)
        row.add("import", "Import…", "add lines and areas from GeoJSON or another vector file", self.import_file)
        row.add("export", "Export…", "write all barriers as GeoJSON, such as for another project", self.export_file)
        return row

    # -- what the buttons do -----------------------------------------------------------------------------------------
    def compare(self) -> None:
        """Show both fires side by side: where the selected barriers hold, and where they do not."""
        if not self._session.has_project or not self.model.rows:
            return
        names = [self.model.row(row).name for row in selected_rows(self.view)]
        names = names or [barrier.name for barrier in self.model.rows]
        try:
            request = comparison(self._session, self._queue, names)
        except InputError as error:
            self._session.refuse(error)
            return
        self._queue.show_evaluation(request)

    def import_file(self) -> None:
        """Open the dialog for a file of barriers."""
        if self._session.has_project:
            self.dialog = ImportBarriersDialog(self._session, self.window())
            self.dialog.open()

    def export_file(self) -> None:
        """Let the user choose a file and write all barriers to it."""
        if not self.model.rows:
            self._session.message.emit("There is no barrier to export.")
            return
        path = ask_export_file(self, "Export barriers", "barriers", _GEOJSON)
        if path is not None:
            with refusing(self._session, str(path)):
                write_barriers(self.model.rows, path, self._session.project.scenario.grid)
                self._session.message.emit(f"Barriers written to {path.name}")

    def remove(self) -> None:
        """Remove the selected barriers."""
        names = [self.model.row(row).name for row in selected_rows(self.view)]
        if not names:
            self._session.message.emit("Select a barrier first.")
            return
        self._session.delete_barriers(names)

    def _refresh(self) -> None:
        count = len(self.model.rows)
        self.compare_button.setEnabled(count > 0)
        if count == self._count + 1:
            select_row(self.view, self.model.place(count - 1), NAME)
        self._count = count
        if not count:
            self.set_footer(_NONE)
            return
        project = self._session.project
        told = ((barrier.name, counts_from_text(barrier, project)) for barrier in self.model.rows)
        late = [f"{name} {text}." for name, text in told if text]
        lines = [f"{barriers_text(self.model.rows)}. {_SPOTS}"]
        if late:
            more = f" So for {len(late) - 1} more." if len(late) > 1 else ""
            lines.append(f"{late[0]}{more}")
        self.set_footer("\n".join(lines))


def comparison(session: Session, queue: RunQueue, names: list[str]) -> EvaluationRequest:
    """Return the evaluation of the fire without barriers of these ``names``, beside that with them.

    The plan on the map flies in both, or nothing where there is none. Raises :class:`InputError` for a project that
    cannot be simulated.
    """
    project = session.project
    if problems := project.problems():
        raise InputError(problems, "The fire cannot be computed yet")
    schedule, title = _shown_plan(project, queue)
    fewer = replace(project, barriers=without_named(project.barriers, names))
    spec = EvaluateSpec(
        fewer, schedule, backend=session.backend, against=schedule, against_project=project
    )  # fmt: skip
    what = names[0] if len(names) == 1 else f"{len(names)} barriers"
    plan = f", {title}" if title else ""
    # The words that differ come first: legends cut what follows.
    fails, holds = (f"{word}: {what}{plan}" for word in ("Fails", "Holds"))
    return EvaluationRequest(fails, spec, against=holds, compare=CompareMode.SIDE_BY_SIDE)


def _shown_plan(project: Project, queue: RunQueue) -> tuple[Schedule, str]:
    """Return the schedule of the plan on the map and its title, or one without drops."""
    steps, aircraft = project.calendar.n_steps, project.planned_fleet.n_aircraft
    entry = queue.shown_or_before
    if entry is not None and entry.project is not None and entry.is_over:
        try:
            spec, _ = run_spec(entry.folder, entry.project, "auto", replans=False)
        except InputError:
            spec = EvaluateSpec(project)
        found = spec.schedule
        if found is not None and (found.n_steps, found.n_aircraft) == (steps, aircraft):
            return found, entry.title
    return Schedule.empty(steps, aircraft), ""
