"""Constraints panel: darkness, groundings, sorties, airspace, zones, pins, and notes for crews.

The paper has none of these.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QFileDialog,
    QTableView,
    QToolButton,
    QWidget,
)

from firegui.domain.operations import MOST_DROPS, NIGHT_WORDS, Daylight, Operations, PinnedDrop
from firegui.domain.options import declared_option
from firegui.domain.project import Project
from firegui.domain.regions import Region
from firegui.errors import InputError, Problem
from firegui.gui.base.controls import add_shortcut, set_synonyms
from firegui.gui.base.export_place import ask_export_file
from firegui.gui.base.layouts import (
    describe,
    group_box,
    muted_label,
    plain_label,
    row,
    vertical,
)
from firegui.gui.base.plain_text import tooltip
from firegui.gui.map.shape_edits import add_pins, delete_zone, remove_pins
from firegui.gui.scenario.airspace_form import AirspaceForm
from firegui.gui.scenario.constraint_tables import GroundingsModel, SortiesModel, choose_pins, pin_columns, zone_columns
from firegui.gui.scenario.crew_notes_form import CrewNotesForm
from firegui.gui.session.reporting import refusing
from firegui.gui.session.session import Session, Tool
from firegui.gui.widgets.editable_table import EditableTable
from firegui.gui.widgets.fields import DecimalField, WholeField
from firegui.gui.widgets.settings_form import labelled_rows
from firegui.gui.widgets.table_buttons import ButtonRow
from firegui.gui.widgets.table_model import Column, TableModel
from firegui.gui.widgets.table_view import selected_rows, show_table
from firegui.io.daylight import SunDay, Window, sun_days
from firegui.io.project.scenario_toml import read_operations, write_operations
from firegui.planning.flight_rules import rule_problems

NO_DATE = "Sunrise and sunset need a date, and that of the fire is not known: daylight cannot be used here."
NO_PLACE = "Sunrise and sunset need a coordinate system, and this event has none: daylight cannot be used here."
_FILTER = "Rules of the operation (*.toml);;All files (*)"
_OFF = "Nothing is constrained: the paper's case. Every plan and the audit keep what is set here."
_ON = "Every plan keeps these, and the audit checks them."
_MERGE_KEYS = count(1_000_000)
_LINES, _DAYS = 3, 4


class ConstraintsPanel(QWidget):
    """Operational constraints of the plan. Every edit is one undo step."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._merge = next(_MERGE_KEYS)
        self._buttons: dict[str, QToolButton] = {}
        self.groundings, self.sorties = GroundingsModel(session, self), SortiesModel(session, self)
        self.zones = TableModel[Region](zone_columns(session), self)
        self.pins = TableModel[PinnedDrop](pin_columns(session), self)
        self.grounding_view = self._table(self.groundings, "Groundings of part of a day", stretch=0)
        self.sorties_view = self._table(self.sorties, "Sorties a day", stretch=0)
        self.zones_view = self._table(self.zones, "No-drop zones", stretch=0)
        self.pins_view = self._table(self.pins, "Pinned drops")
        set_synonyms(self.grounding_view, f"hours grounded {NIGHT_WORDS}")
        set_synonyms(self.zones_view, "powerline creek lake water houses")
        self.pins_view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.daylight, self.airspace = DaylightForm(session), AirspaceForm(session)
        self.crew_notes = CrewNotesForm(session)
        self.capped, self.cap = QCheckBox("At most"), WholeField(0, MOST_DROPS)
        self.problems, self.notes = muted_label(role="warning"), muted_label()
        self._build()
        add_shortcut(self.grounding_view, "Del", self._remove_grounding)
        add_shortcut(self.zones_view, "Del", self._delete_zone)
        add_shortcut(self.pins_view, "Del", self.unpin)
        for signal in (session.project_opened, session.project_edited, session.units_changed):
            signal.connect(self.refresh)
        session.result_changed.connect(self._enable)
        session.result_changed.connect(self._show_cap)
        session.tool_changed.connect(self._enable)
        self.refresh()

    # -- for others --------------------------------------------------------------------------------------------------
    def button(self, name: str) -> QToolButton:
        """Return the button called ``name``.

        Names are ``import``, ``export``, ``reset``, and ``add`` and ``delete`` behind ``grounding-``, ``zone-`` or
        ``pin-``. Zones have ``zone`` and ``zone-polygon`` in place of ``zone-add``. Raises ``KeyError`` for another
        name.
        """
        return self._buttons[name]

    # -- what the buttons do -----------------------------------------------------------------------------------------
    def load(self, path: Path) -> None:
        """Replace the constraints with those in a file."""
        with refusing(self._session, str(path)):
            self._session.set_operations(f"load {path.name}", read_operations(path))
            self._session.message.emit(f"Rules of the operation read from {path.name}")

    def save(self, path: Path) -> None:
        """Write the constraints to a file."""
        path = path if path.suffix else path.with_suffix(".toml")
        with refusing(self._session, str(path)):
            write_operations(self._session.project.operations, path)
            self._session.message.emit(f"Rules of the operation written to {path.name}")

    def pin_drops(self) -> None:
        """Let the user select drops of the shown plan to pin."""
        if not any(drop.executed for drop in self._session.result.drops):
            problem = Problem("pinned drops", "no plan with drops is shown", "show a run first, then pin its drops")
            self._session.refuse(InputError([problem], "There is nothing to pin"))
            return
        pins = choose_pins(self._session, self.window())
        if pins:
            added = add_pins(self._session, pins)
            self._session.message.emit(f"{added} of {len(pins)} drops pinned; the others were already")

    def unpin(self) -> None:
        """Unpin the selected drops, so that planning can move them again."""
        remove_pins(self._session, map(self.pins.position, selected_rows(self.pins_view)))

    def add_grounding(self) -> None:
        """Ground an aircraft for part of a day and open the editor of its name."""
        if self._session.has_project and (position := self.groundings.add()) >= 0:
            index = self.groundings.index(self.groundings.place(position), 0)
            self.grounding_view.setCurrentIndex(index)
            self.grounding_view.edit(index)

    def _ask_load(self) -> None:
        name, _filter = QFileDialog.getOpenFileName(self.window(), "Load constraints", "", _FILTER)
        if name:
            self.load(Path(name))

    def _ask_save(self) -> None:
        chosen = ask_export_file(self, "Save constraints", "operations.toml", _FILTER)
        if chosen is not None:
            self.save(chosen)

    # -- building ----------------------------------------------------------------------------------------------------
    def _build(self) -> None:
        self.problems.setAccessibleName("Problems of the constraints")
        self.problems.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        vertical(
            self, self._file_buttons(), self.notes, group_box("Daylight", self.daylight),
            group_box("On the ground for part of a day", self._grounding_buttons(), self.grounding_view),
            group_box("Drops a day, each aircraft of a type", self.sorties_view),
            group_box("Drops in all", self._cap_row()),
            group_box("Airspace", self.airspace),
            group_box("No-drop zones", self._zone_buttons(), self.zones_view),
            group_box("Pinned drops", self._pin_buttons(), self.pins_view),
            self.crew_notes, self.problems, 1, spacing=8, margins=4,
        )  # fmt: skip

    def _button_row(self, *buttons: tuple[str, str, str, str, Callable[[], object]]) -> ButtonRow:
        """Return a row of buttons, each with key, icon, text, help and action.

        Removing buttons show only their icon.
        """
        row = ButtonRow()
        for key, icon, text, help, pressed in buttons:
            self._buttons[key] = row.add(icon, text, help, pressed, show_text=icon != "delete")
        return row

    def _file_buttons(self) -> ButtonRow:
        return self._button_row(
            ("import", "import", "Load…", "Replace the constraints by those in a TOML file", self._ask_load),
            ("export", "export", "Save…", "Write the constraints to a TOML file", self._ask_save),
            ("reset", "reset", "All off", "Turn every constraint off; can be undone", self._all_off),
        )

    def _grounding_buttons(self) -> ButtonRow:
        return self._button_row(
            ("grounding-add", "add", "Ground aircraft", "Ground an aircraft or a type for part of a day",
             self.add_grounding),
            ("grounding-delete", "delete", "Remove", "Remove the selected line (Del)", self._remove_grounding),
        )  # fmt: skip

    def _zone_buttons(self) -> ButtonRow:
        draw = self._session.set_tool
        return self._button_row(
            ("zone", "zone", "Draw rectangle", "Drag a no-drop zone on the map (6)", lambda: draw(Tool.ZONE)),
            ("zone-polygon", "zone-polygon", "Draw polygon", "Click the corners of a zone on the map (7)",
             lambda: draw(Tool.ZONE_POLYGON)),
            ("zone-delete", "delete", "Delete", "Delete the selected zone (Del)", self._delete_zone),
        )  # fmt: skip

    def _pin_buttons(self) -> ButtonRow:
        add = "Choose drops of the shown plan that every plan keeps; or right-click a drop on the map"
        return self._button_row(
            ("pin-add", "pin", "Pin drops…", add, self.pin_drops),
            ("pin-delete", "delete", "Unpin", "Let plans move the selected drops again (Del)", self.unpin),
        )

    def _cap_row(self) -> QWidget:
        self.capped.setToolTip("Limit the drops of the whole plan; pinned drops count")
        self.cap.setSuffix(" drops")
        declared = declared_option(Operations, "hard_cap")
        describe(self.cap, declared.help)
        self.capped.toggled.connect(self._toggle_cap)
        self.cap.valueChanged.connect(self._write_cap)
        self.cap.editingFinished.connect(self._settle)
        return row(self.capped, self.cap, plain_label("in the whole plan"))

    def _table(self, model: TableModel[Any], name: str, stretch: int | None = None) -> EditableTable:
        view = EditableTable()
        show_table(view, model, name, lines=_LINES, stretch=stretch)
        view.selectionModel().selectionChanged.connect(lambda *_: self._enable())
        model.modelReset.connect(self._enable)
        return view

    # -- editing -----------------------------------------------------------------------------------------------------
    def _remove_grounding(self) -> None:
        self.groundings.remove(_selected(self.grounding_view, self.groundings))

    def _delete_zone(self) -> None:
        delete_zone(self._session, _selected(self.zones_view, self.zones))

    def _all_off(self) -> None:
        operations = self._session.project.operations
        # Bases have a panel of their own, and notes for crews are no constraints.
        kept = replace(Operations(), bases=operations.bases, gust_factor=operations.gust_factor)
        kept = kept.with_notes_of(operations)
        self._session.set_operations("turn constraints off", kept)

    def _toggle_cap(self, on: bool) -> None:
        operations = self._session.project.operations
        text = "limit the drops of the plan" if on else "lift the limit on drops"
        self._session.set_operations(text, replace(operations, hard_cap=self.cap.value() if on else None))

    def _write_cap(self, value: int) -> None:
        operations = self._session.project.operations
        if operations.hard_cap is not None and value != operations.hard_cap:
            self._session.set_operations(
                "limit the drops of the plan", replace(operations, hard_cap=value), self._merge
            )

    def _settle(self) -> None:
        # A change on the next visit to the field is a separate undo step.
        self._merge = next(_MERGE_KEYS)

    # -- showing -----------------------------------------------------------------------------------------------------
    def refresh(self) -> None:
        """Show the current constraints of the open project."""
        self.setEnabled(self._session.has_project)
        if not self._session.has_project:
            return
        project, operations = self._session.project, self._session.project.operations
        self.daylight.show_project(project)
        self.groundings.set_rows(operations.groundings)
        self.sorties.show_project(project)
        self.airspace.show_rules(operations)
        self.zones.set_rows(operations.no_drop_zones)
        self.pins.set_rows(operations.pinned)
        self.crew_notes.show_notes(operations)
        self._show_cap()
        found = operation_problems(project)
        self.problems.setText("\n".join(f"⚠ {problem}" for problem in found))
        self.problems.setVisible(bool(found))
        self.notes.setText("\n".join((_OFF if _is_off(operations) else _ON, *operations.notes(project.calendar))))
        self._enable()

    def _show_cap(self) -> None:
        """Show the limit on drops; without one propose as many as the shown plan has."""
        if not self._session.has_project:
            return
        cap = self._session.project.operations.hard_cap
        with QSignalBlocker(self.capped), QSignalBlocker(self.cap):
            self.capped.setChecked(cap is not None)
            self.cap.setValue(_proposed_cap(self._session) if cap is None else cap)
        self.cap.setEnabled(cap is not None)

    def _enable(self) -> None:
        if not self._buttons:
            return
        there = self._session.has_project
        off = not there or _is_off(self._session.project.operations)
        usable = {
            "export": not off or (there and self._session.project.operations.has_notes), "reset": not off,
            "grounding-delete": bool(selected_rows(self.grounding_view)),
            "zone-delete": bool(selected_rows(self.zones_view)),
            "pin-delete": bool(selected_rows(self.pins_view)),
            "pin-add": there and any(drop.executed for drop in self._session.result.drops),
        }  # fmt: skip
        for name, enabled in usable.items():
            self._buttons[name].setEnabled(enabled)


def _is_off(operations: Operations) -> bool:
    """Return whether no rule of this panel is set."""
    return replace(operations, bases=()).off


def operation_problems(project: Project) -> list[Problem]:
    """Return the problems of the constraints of ``project``.

    That includes pins in darkness and pins that drift into a no-drop zone.
    """
    found = project.operations.problems(project.planned_fleet, project.calendar, project.scenario.grid)
    # Drift needs a wind for every planned day and a valid fleet, whose problems the objective panel reports.
    return found if found or project.problems() else rule_problems(project)


def _proposed_cap(session: Session) -> int:
    executed = sum(drop.executed for drop in session.result.drops)
    return executed or 400


def _selected(view: QTableView, model: TableModel[Any]) -> int:
    """Return the first selected row, −1 for none."""
    rows = selected_rows(view)
    return model.position(rows[0]) if rows else -1


class DaylightForm(QWidget):
    """Daylight rule with its margins, and sun and flying window by day. Every edit is one undo step."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._merge = next(_MERGE_KEYS)
        self.rule = QCheckBox("Drops only in daylight")
        set_synonyms(self.rule, NIGHT_WORDS)
        self.rule.setToolTip(tooltip("Drops only between the two margins, by the sun at the centre of the grid"))
        self.after, self.before = self._margin("after_sunrise_min"), self._margin("before_sunset_min")
        self.model = TableModel[SunDay](self._columns(), self)
        self.table = QTableView()
        show_table(self.table, self.model, "Daylight by day", lines=_DAYS, is_sortable=False)
        self.note = muted_label(NO_PLACE)
        self._lay_out()
        self.rule.toggled.connect(self._toggle)

    def show_project(self, project: Project) -> None:
        """Show the rule of a project and its days."""
        rule = project.operations.daylight
        with QSignalBlocker(self.rule):
            self.rule.setChecked(rule is not None)
        shown = Daylight() if rule is None else rule
        for box, value in ((self.after, shown.after_sunrise_min), (self.before, shown.before_sunset_min)):
            with QSignalBlocker(box):
                box.setValue(value)
            box.setEnabled(rule is not None)
        placed, dated = project.scenario.grid.is_georeferenced, project.scenario.is_dated
        self.rule.setEnabled((placed and dated) or rule is not None)
        self.model.set_rows(sun_days(project))
        self.table.setVisible(placed and dated)
        local = f"Local times, {project.calendar.zone_name}; the sun is that of the grid's centre."
        self.note.setText(NO_PLACE if not placed else local if dated else NO_DATE)

    def _columns(self) -> tuple[Column, ...]:
        def clock(title: str, pick: Callable[[SunDay], Window | None], end: int) -> Column:
            def moment(item: SunDay) -> datetime | None:
                span = pick(item)
                return None if span is None else span[end].astimezone(self._session.project.calendar.local_zone)

            def text(when: datetime) -> str:
                return self._session.project.calendar.clock_text(when)

            return Column(title, moment, text, "local time")

        day = Column("Day", lambda item: f"{item.day + 1} · {item.date}", tip="day of the plan, counted from 1",
                     is_text=True)  # fmt: skip
        return (
            day,
            clock("Sun rises", lambda item: item.light, 0),
            clock("Sun sets", lambda item: item.light, 1),
            clock("Fly from", lambda item: item.open, 0),
            clock("Fly to", lambda item: item.open, 1),
        )

    def _margin(self, name: str) -> DecimalField:
        declared = declared_option(Daylight, name)
        box = DecimalField(*declared.shown_bounds)
        box.setSuffix(f" {declared.unit}")
        box.setAccessibleName(declared.title)
        set_synonyms(box, declared.synonyms)
        box.setToolTip(tooltip(f"{declared.title}; {declared.help}"))
        box.valueChanged.connect(lambda _value: self._write())
        box.editingFinished.connect(self._settle)
        return box

    def _settle(self) -> None:
        # A change on the next visit to a field is a separate undo step.
        self._merge = next(_MERGE_KEYS)

    def _toggle(self, on: bool) -> None:
        operations = self._session.project.operations
        rule = Daylight(self.after.value(), self.before.value()) if on else None
        text = "keep drops to daylight" if on else "allow drops in the dark"
        self._session.set_operations(text, replace(operations, daylight=rule))

    def _write(self) -> None:
        operations = self._session.project.operations
        rule = Daylight(self.after.value(), self.before.value())
        if operations.daylight is not None and rule != operations.daylight:
            self._session.set_operations("change the daylight margins", replace(operations, daylight=rule), self._merge)

    def _lay_out(self) -> None:
        pairs = ((plain_label("From sunrise +"), self.after), (plain_label("To sunset −"), self.before))
        margins = labelled_rows(pairs, columns=1)
        vertical(self, self.rule, margins, self.table, self.note, margins=0)
