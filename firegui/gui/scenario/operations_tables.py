"""The operational constraints as tables: part-day groundings, sorties a day, no-drop zones, pinned drops."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from PySide6.QtCore import QObject

from firegui.domain.operations import MOST_DROPS, Grounding, PinnedDrop
from firegui.domain.project import Project
from firegui.domain.regions import Region
from firegui.errors import InputError, Problem
from firegui.gui.map.shape_edits import rename_zone
from firegui.gui.session.session import Session
from firegui.gui.widgets.row_table import Column, RowsModel
from firegui.io.rasterize import region_masks

NO_LIMIT = "no limit"
_LONGEST = 9
"""Digits of a number that is worth reading."""
_ENDS = {"start": timedelta(hours=12), "end": timedelta(hours=18)}


def clock_text(when: datetime, project: Project) -> str:
    """``20 Aug 14:00``, local."""
    local = when.astimezone(project.calendar.local_zone) if when.tzinfo is not None else when
    return f"{local.day} {local:%b %H:%M}"


def aircraft_choices(project: Project) -> list[tuple[str, str]]:
    """What can be grounded, by name, with what people read for it: whole types, then single aircraft."""
    fleet = project.fleet
    types = [(kind.id, f"all {kind.id} ({kind.count})") for kind in fleet.types]
    return types + [(tail.name, tail.name) for tail in fleet.tails if tail.name not in {name for name, _ in types}]


class GroundingsModel(RowsModel[Grounding]):
    """Aircraft or type, from, until; times are local."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        until = "first moment at which a drop is allowed again, local time"
        columns: tuple[Column[Grounding], ...] = (
            Column("Aircraft", "one aircraft, or all of a type", self._name, edit=self._set_aircraft,
                              start=lambda item: item.aircraft),
            Column("On the ground from", "local time", lambda item: self._clock(item.start),
                              edit=lambda row, item, value: self._set_time(row, item, "start", value),
                              start=lambda item: self._local(item.start)),
            Column("until", until, lambda item: self._clock(item.end),
                              edit=lambda row, item, value: self._set_time(row, item, "end", value),
                              start=lambda item: self._local(item.end)),
        )  # fmt: skip
        super().__init__(session, columns, parent)

    def add(self) -> int:
        """Ground the first type on the shown day from noon to six, and return its row; −1 without a fleet."""
        project = self.session.project
        if not project.fleet.types:
            return -1
        calendar = project.calendar
        day = calendar.date_of_day(min(calendar.day_of_step(self.session.step), calendar.days - 1))
        midnight = datetime(day.year, day.month, day.day, tzinfo=calendar.local_zone)
        start, end = (midnight + shift for shift in _ENDS.values())
        self._set("ground an aircraft", (*self.items, Grounding(project.fleet.types[0].id, start, end)))
        return len(self.items) - 1

    def remove(self, row: int) -> None:
        """Remove a grounding; nothing happens when there is none."""
        if 0 <= row < len(self.items):
            self._set("remove a grounding", (*self.items[:row], *self.items[row + 1 :]))

    def _name(self, item: Grounding) -> str:
        return dict(aircraft_choices(self.session.project)).get(item.aircraft, item.aircraft)

    def _clock(self, when: datetime) -> str:
        return clock_text(when, self.session.project)

    def _local(self, when: datetime) -> datetime:
        zone = self.session.project.calendar.local_zone
        return when.astimezone(zone) if when.tzinfo is not None else when.replace(tzinfo=zone)

    def _set_aircraft(self, row: int, item: Grounding, value: Any) -> bool:
        return self._change(row, item, replace(item, aircraft=str(value)))

    def _set_time(self, row: int, item: Grounding, end: str, value: Any) -> bool:
        when = value if isinstance(value, datetime) else _read_time(str(value))
        if when.tzinfo is None:
            when = when.replace(tzinfo=self.session.project.calendar.local_zone)
        # The table shows minutes; what it does not show stays as it was.
        before = getattr(item, end)
        same = before.tzinfo is not None and before.replace(second=0, microsecond=0) == when
        after = replace(item, start=when) if end == "start" else replace(item, end=when)
        return not same and self._change(row, item, after)

    def _change(self, row: int, before: Grounding, after: Grounding) -> bool:
        if after == before:
            return False
        self._set("change a grounding", (*self.items[:row], after, *self.items[row + 1 :]))
        return True

    def _set(self, text: str, groundings: tuple[Grounding, ...]) -> None:
        operations = self.session.project.operations
        self.session.set_operations(text, replace(operations, groundings=groundings))


@dataclass(frozen=True, slots=True)
class Sorties:
    """How often one aircraft of type ``kind`` may drop on a day; ``None`` for no limit."""

    kind: str
    most: int | None


class SortiesModel(RowsModel[Sorties]):
    """One row a type of the fleet, and one for a type that the fleet does not have any more."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        most = f"most drops of one aircraft of the type on one day; empty for {NO_LIMIT}"
        columns: tuple[Column[Sorties], ...] = (
            Column("Type", "aircraft type", lambda item: item.kind),
            Column("Drops a day", most, _limit_text, number=True, edit=self._set, start=_limit_start),
        )  # fmt: skip
        super().__init__(session, columns, parent)

    def show_project(self, project: Project) -> None:
        """Show the limits of a project."""
        limits, ids = project.operations.sorties_per_day, [kind.id for kind in project.fleet.types]
        names = [*ids, *sorted(key for key in limits if key not in ids)]
        self.show([Sorties(name, limits.get(name)) for name in names])

    def _set(self, _row: int, item: Sorties, value: Any) -> bool:
        text = str(value).strip().replace(",", "")
        most = None
        if text and text != NO_LIMIT:
            # Not isdigit: a raised two is a digit, too, but no number.
            if not text.isdecimal() or len(text) > _LONGEST or int(text) > MOST_DROPS:
                what = f"'{text}' is no number of drops"
                raise InputError([Problem(item.kind, what, f"use 0 to {MOST_DROPS:,}, or nothing for {NO_LIMIT}")])
            most = int(text)
        if most == item.most:
            return False
        operations = self.session.project.operations
        limits = {key: count for key, count in operations.sorties_per_day.items() if key != item.kind}
        limits |= {} if most is None else {item.kind: most}
        self.session.set_operations(f"limit sorties of {item.kind}", replace(operations, sorties_per_day=limits))
        return True


class ZonesModel(RowsModel[Region]):
    """Name and size of every no-drop zone; the name can be changed."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        self._sizes: dict[object, int] = {}
        columns: tuple[Column[Region], ...] = (
            Column("Name", "double-click to rename", lambda zone: zone.name,
                           edit=lambda row, _zone, value: rename_zone(session, row, str(value))),
            Column("Cells", "cells whose centre lies inside", self._cells_text, number=True),
            Column("Area, ha", "area in hectares", self._area, number=True),
        )  # fmt: skip
        super().__init__(session, columns, parent)

    def _cells_text(self, zone: Region) -> str:
        return f"{self._cells(zone):,}"

    def _cells(self, zone: Region) -> int:
        # Asked at every repaint.
        key = zone.parts, self.session.project.scenario.grid.shape
        if key not in self._sizes:
            self._sizes = {**self._sizes, key: int(region_masks((zone,), key[1]).sum())}
        return self._sizes[key]

    def _area(self, zone: Region) -> str:
        return f"{self._cells(zone) * self.session.project.scenario.grid.cell_area_ha:,.1f}"


class PinsModel(RowsModel[PinnedDrop]):
    """Time, aircraft and pose of every pinned drop."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        heading = "long axis, degrees anticlockwise from east"
        columns: tuple[Column[PinnedDrop], ...] = (
            Column("Time", "local time", lambda pin: clock_text(pin.time, self.session.project)),
            Column("Aircraft", "the aircraft that drops", lambda pin: pin.aircraft),
            Column("Row", "release point, cells from the north", lambda pin: f"{pin.y:.1f}", number=True),
            Column("Column", "release point, cells from the west", lambda pin: f"{pin.x:.1f}", number=True),
            Column("Axis, °", heading, lambda pin: f"{math.degrees(pin.theta):.0f}", number=True),
        )  # fmt: skip
        super().__init__(session, columns, parent)


def _limit_text(item: Sorties) -> str:
    return NO_LIMIT if item.most is None else f"{item.most:,}"


def _limit_start(item: Sorties) -> str:
    return "" if item.most is None else str(item.most)


def _read_time(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text.strip())
    except ValueError:
        problem = Problem("grounding", f"'{text}' is no time", "write it as 2020-08-21 14:30, local time")
        raise InputError([problem]) from None
