"""Tables of operational constraints: groundings, sorties per day, no-drop zones, pinned drops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, QSize, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QDialogButtonBox,
    QTableView,
    QWidget,
)

from firegui.domain.calendar import to_the_minute
from firegui.domain.drops import grid_heading
from firegui.domain.operations import DROPS_A_DAY, MOST_DROPS, Grounding, PinnedDrop
from firegui.domain.project import Project
from firegui.domain.regions import Region
from firegui.domain.schedule import DropRecord
from firegui.errors import InputError, Problem
from firegui.gui.base.dialogs import Dialog
from firegui.gui.base.layouts import plain_label, vertical
from firegui.gui.base.screen_geometry import resize_on_screen
from firegui.gui.map.shape_edits import pin_of, rename_zone
from firegui.gui.session.session import Session
from firegui.gui.widgets.delegates import ChoiceDelegate, ClockDelegate
from firegui.gui.widgets.fields import NoScrollComboBox
from firegui.gui.widgets.table_model import Column, TableModel, with_row
from firegui.gui.widgets.table_view import selected_rows, show_table
from firegui.io.rasters.masks import region_cells

NO_LIMIT = "no limit"
_REFUSED = "The grounding was not changed"
_LONGEST = 9
"""Largest number of digits of a number."""
_ENDS = {"start": timedelta(hours=12), "end": timedelta(hours=18)}
_ALL = -1
_AIRCRAFT = Column("Aircraft", lambda drop: drop.aircraft, tip="the aircraft that drops", is_text=True)
_POSE = (
    Column("Row", lambda drop: drop.y, "{:.1f}".format, "release point, cells from the north"),
    Column("Column", lambda drop: drop.x, "{:.1f}".format, "release point, cells from the west"),
    Column("Heading", lambda drop: round(grid_heading(drop.theta)) % 180, "{:03d}".format,
           "long axis, degrees clockwise from grid north; it may be flown either way", "°"),
)  # fmt: skip


def clock_text(when: datetime, project: Project) -> str:
    """Return ``20 Aug 14:00`` in local time; day and time since its start without a known date."""
    local, calendar = to_the_minute(_local(when, project)), project.calendar
    if not calendar.is_dated:
        return f"day {(when - calendar.start).days + 1} {calendar.clock_text(when)}"
    return f"{local.day} {local:%b %H:%M}"


def _local(when: datetime, project: Project) -> datetime:
    zone = project.calendar.local_zone
    return when.astimezone(zone) if when.tzinfo is not None else when.replace(tzinfo=zone)


def _aircraft_choices(project: Project) -> list[tuple[str, str]]:
    """Return what can be grounded, by name, with its text: whole types, then single aircraft."""
    fleet = project.fleet
    types = [(kind.id, f"all {kind.id} ({kind.count})") for kind in fleet.types]
    return types + [(tail.name, tail.name) for tail in fleet.tails if tail.name not in {name for name, _ in types}]


class GroundingsModel(TableModel[Grounding]):
    """Groundings for part of a day: aircraft or type, from, until; times are local."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        columns = (
            Column("Aircraft", lambda item: item.aircraft, self._name, "one aircraft, or all of a type", is_text=True,
                   edit=self._set_aircraft, initial=lambda item: item.aircraft,
                   delegate=lambda view: ChoiceDelegate(lambda: _aircraft_choices(session.project), view)),
            self._time_column("On the ground from", "start", "local time"),
            self._time_column("until", "end", "first moment at which a drop is allowed again, local time"),
        )  # fmt: skip
        super().__init__(columns, parent)
        self._session = session

    def _time_column(self, title: str, end: str, tip: str) -> Column:
        def moment(item: Grounding) -> datetime:
            return _local(getattr(item, end), self._session.project)

        return Column(
            title, moment, lambda when: clock_text(when, self._session.project), tip, is_text=True,
            sort_key=lambda when: when.timestamp(), edit=partial(self._set_time, end), initial=moment,
            delegate=ClockDelegate,
        )  # fmt: skip

    def add(self) -> int:
        """Ground the first type on the shown day from noon to 18:00, and return its row.

        −1 without a fleet.
        """
        project = self._session.project
        if not project.fleet.types:
            return -1
        calendar = project.calendar
        day = calendar.date_of_day(calendar.day_of_state(self._session.step))
        midnight = datetime(day.year, day.month, day.day, tzinfo=calendar.local_zone)
        start, end = (midnight + shift for shift in _ENDS.values())
        self._set("ground an aircraft", (*self.rows, Grounding(project.fleet.types[0].id, start, end)))
        return len(self.rows) - 1

    def remove(self, position: int) -> None:
        """Remove a grounding; do nothing if there is none."""
        if 0 <= position < len(self.rows):
            self._set("remove a grounding", (*self.rows[:position], *self.rows[position + 1 :]))

    def _name(self, aircraft: str) -> str:
        return dict(_aircraft_choices(self._session.project)).get(aircraft, aircraft)

    def _set_aircraft(self, position: int, item: Grounding, value: Any) -> bool:
        return self._change(position, item, replace(item, aircraft=str(value)))

    def _set_time(self, end: str, position: int, item: Grounding, value: Any) -> bool:
        when = value if isinstance(value, datetime) else _read_time(str(value))
        if when.tzinfo is None:
            when = when.replace(tzinfo=self._session.project.calendar.local_zone)
        # The table shows minutes; hidden seconds stay unchanged.
        before = getattr(item, end)
        same = before.tzinfo is not None and before.replace(second=0, microsecond=0) == when
        after = replace(item, start=when) if end == "start" else replace(item, end=when)
        if not same and not after.start < after.end:
            start, stop = (clock_text(each, self._session.project) for each in (after.start, after.end))
            what = f"the end, {stop}, is not after the start, {start}"
            problem = Problem(f"grounding of {item.aircraft}", what, "choose an end after the start")
            raise InputError([problem], _REFUSED)
        return not same and self._change(position, item, after)

    def _change(self, position: int, before: Grounding, after: Grounding) -> bool:
        if after == before:
            return False
        self._set("change a grounding", with_row(self.rows, position, after))
        return True

    def _set(self, text: str, groundings: tuple[Grounding, ...]) -> None:
        operations = self._session.project.operations
        self._session.set_operations(text, replace(operations, groundings=groundings))


@dataclass(frozen=True, slots=True)
class SortiesLimit:
    """Limit of drops per day for one aircraft of type ``kind``; ``None`` for no limit."""

    kind: str
    most: int | None


class SortiesModel(TableModel[SortiesLimit]):
    """Limits of drops per day for the types of the fleet, and for types that were removed from it."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        columns = (
            Column("Type", lambda item: item.kind, tip="aircraft type", is_text=True),
            Column(DROPS_A_DAY, lambda item: item.most, "{:,}".format, missing=NO_LIMIT, edit=self._set,
                   initial=lambda item: "" if item.most is None else str(item.most),
                   tip=f"most drops of one aircraft of the type on one day; empty for {NO_LIMIT}"),
        )  # fmt: skip
        super().__init__(columns, parent)
        self._session = session

    def show_project(self, project: Project) -> None:
        """Show the limits of a project."""
        limits, ids = project.operations.sorties_per_day, [kind.id for kind in project.fleet.types]
        names = [*ids, *sorted(key for key in limits if key not in ids)]
        self.set_rows([SortiesLimit(name, limits.get(name)) for name in names])

    def _set(self, _position: int, item: SortiesLimit, value: Any) -> bool:
        text = str(value).strip().replace(",", "")
        most = None
        if text and text != NO_LIMIT:
            # Not isdigit: a superscript two is a digit, but no number.
            if not text.isdecimal() or len(text) > _LONGEST or int(text) > MOST_DROPS:
                what = f"'{text}' is not a number of drops"
                raise InputError([Problem(item.kind, what, f"use 0 to {MOST_DROPS:,}, or nothing for {NO_LIMIT}")])
            most = int(text)
        if most == item.most:
            return False
        operations = self._session.project.operations
        limits = {key: count for key, count in operations.sorties_per_day.items() if key != item.kind}
        limits |= {} if most is None else {item.kind: most}
        self._session.set_operations(f"limit sorties of {item.kind}", replace(operations, sorties_per_day=limits))
        return True


def zone_columns(session: Session) -> tuple[Column, ...]:
    """Return the columns of no-drop zones: name, which can be edited, and size."""

    def cells(zone: Region) -> int:
        return region_cells(zone, session.project.scenario.grid.shape)

    return (
        Column("Name", lambda zone: zone.name, tip="double-click to rename", is_text=True,
               edit=lambda _position, zone, value: rename_zone(session, zone.name, str(value))),
        Column("Cells", cells, "{:,}".format, "cells whose centre lies inside"),
        Column("Area", lambda zone: cells(zone) * session.project.scenario.grid.cell_area_ha,
               lambda area: session.units.area(area, 1), "area of its cells"),
    )  # fmt: skip


def pin_columns(session: Session) -> tuple[Column, ...]:
    """Return the columns of pinned drops: time, aircraft and pose."""
    time = Column("Time", lambda pin: pin.time, lambda when: clock_text(when, session.project), "local time",
                  is_text=True, sort_key=lambda when: _local(when, session.project).timestamp())  # fmt: skip
    return (time, _AIRCRAFT, *_POSE)


def _read_time(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text.strip())
    except ValueError:
        problem = Problem("grounding", f"'{text}' is not a time", "write it as 2020-08-21 14:30, local time")
        raise InputError([problem]) from None


class PinDropsDialog(Dialog):
    """Selection of executed drops of the shown plan to pin, by day or all at once."""

    def __init__(self, session: Session, drops: Sequence[DropRecord], project: Project, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Pin drops of the shown plan")
        resize_on_screen(self, QSize(520, 420))
        self._project = project
        self._drops = sorted((drop for drop in drops if drop.executed), key=lambda drop: (drop.step, drop.column))
        self.model = TableModel[DropRecord](self._columns(), self)
        self.day, self.table = NoScrollComboBox(), QTableView()
        self.day.setToolTip("The day whose drops are listed")
        self._lay_out(session)

    @property
    def chosen(self) -> list[PinnedDrop]:
        """Pins of the selected drops."""
        positions = sorted(map(self.model.position, selected_rows(self.table)))
        return [pin_of(self.model.rows[position], self._project.calendar) for position in positions]

    def _columns(self) -> list[Column]:
        calendar = self._project.calendar
        return [
            Column("Time", lambda drop: drop.step, lambda step: clock_text(calendar.time_of_step(step), self._project),
                   "local time", is_text=True),
            _AIRCRAFT,
            Column("Material", lambda drop: drop.material, tip="what it drops", is_text=True),
            *_POSE,
        ]  # fmt: skip

    def _lay_out(self, session: Session) -> None:
        calendar = self._project.calendar
        self.day.setAccessibleName("Day of the drops")
        self.day.addItem("All days", _ALL)
        for day in sorted({calendar.day_of_step(drop.step) for drop in self._drops}):
            self.day.addItem(calendar.day_title(day), day)
        self.day.currentIndexChanged.connect(lambda _index: self._fill())
        show_table(self.table, self.model, "Drops of the shown plan")
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.table.horizontalHeader().setStretchLastSection(True)
        hint = plain_label("A pinned drop is kept as it is by every plan. Ctrl or Shift selects several.")
        hint.setProperty("role", "muted")
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        pin = buttons.addButton("Pin", QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        vertical(self, self.day, self.table, hint, buttons)
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
        self.model.set_rows([drop for drop in self._drops if day in (_ALL, calendar.day_of_step(drop.step))])


def choose_pins(session: Session, parent: QWidget) -> list[PinnedDrop]:
    """Let the user select the drops of the shown plan to pin; empty if cancelled."""
    dialog = PinDropsDialog(session, session.result.drops, session.result.project or session.project, parent)
    accepted = dialog.exec() == QDialog.DialogCode.Accepted
    pins = dialog.chosen if accepted else []
    dialog.deleteLater()
    return pins
