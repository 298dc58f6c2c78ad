"""Daylight: the rule with its margins, and when drops are allowed on every planned day."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, tzinfo
from itertools import count

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QCheckBox, QGridLayout, QLabel, QTableView, QVBoxLayout, QWidget

from firegui.domain.operations import Daylight
from firegui.domain.project import Project
from firegui.gui.session.session import Session
from firegui.gui.widgets.number_fields import DecimalField
from firegui.gui.widgets.row_table import Column, RowsModel
from firegui.gui.widgets.table_panel import dress_small_table
from firegui.io.daylight import Window, flying_windows
from firegui.io.sun import place_of, sunlight

NO_PLACE = "Sunrise and sunset need a coordinate system, and this event has none: daylight cannot be used here."
_LONGEST = 720.0
_MERGE_KEYS = count(1_000_000)
_LINES = 4


@dataclass(frozen=True, slots=True)
class SunDay:
    """A planned day in local time: sun up from ``rise`` to ``down``, drops allowed in ``open``; absent where never."""

    day: int
    date: str
    light: Window | None
    open: Window | None


def sun_days(project: Project) -> tuple[SunDay, ...]:
    """Every planned day at the centre of the grid; none where the grid has no place."""
    grid, calendar, rule = project.scenario.grid, project.calendar, project.operations.daylight
    place = place_of(grid)
    if place is None:
        return ()
    first, last = calendar.date_of_day(-1), calendar.date_of_day(calendar.days)
    lights = tuple(sunlight(place, first, last))
    usable = rule is not None and not rule.problems()
    windows = flying_windows(rule, grid, calendar) if usable and rule is not None else ()
    found = []
    for day in range(calendar.days):
        when = calendar.date_of_day(day)
        noon = datetime(when.year, when.month, when.day, 12, tzinfo=calendar.local_zone)
        span = noon - timedelta(hours=12), noon + timedelta(hours=12)
        # The light that is nearest to noon belongs to the date, for a sunset may fall on the next.
        light = min(lights, key=lambda pair: abs(pair[0] + (pair[1] - pair[0]) / 2 - noon), default=None)
        if light is not None and not (light[1] > span[0] and light[0] < span[1]):
            light = None
        opened = None if light is None else next((w for w in windows if w[0] < light[1] and w[1] > light[0]), None)
        found.append(SunDay(day, f"{when.day} {when:%b}", light, opened))
    return tuple(found)


class DaylightForm(QWidget):
    """See the module. Every edit is one undoable step."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._merge = next(_MERGE_KEYS)
        self.rule = QCheckBox("Drops only in daylight")
        self.rule.setToolTip("Drops only between the two margins, by the sun at the centre of the grid")
        self.after, self.before = self._margin("after sunrise"), self._margin("before sunset")
        self.model = RowsModel[SunDay](session, self._columns(), self)
        self.table = QTableView()
        self.table.setModel(self.model)
        dress_small_table(self.table, "Daylight by day", _LINES)
        self.note = QLabel(NO_PLACE, wordWrap=True)
        self.note.setProperty("role", "muted")
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
        placed = project.scenario.grid.is_georeferenced
        self.rule.setEnabled(placed or rule is not None)
        self.model.show(sun_days(project))
        self.table.setVisible(placed)
        local = f"Local times, {project.calendar.zone_name}; the sun is that of the grid's centre."
        self.note.setText(local if placed else NO_PLACE)

    def _columns(self) -> list[Column[SunDay]]:
        def clock(pick: Callable[[SunDay], Window | None], end: int) -> Callable[[SunDay], str]:
            def text(item: SunDay) -> str:
                pair = pick(item)
                return "–" if pair is None else f"{pair[end].astimezone(self._zone):%H:%M}"

            return text

        light, opened = (lambda item: item.light), (lambda item: item.open)
        return [
            Column("Day", "day of the plan, counted from 1", lambda item: f"{item.day + 1} · {item.date}"),
            Column("Sunrise", "local time", clock(light, 0), number=True),
            Column("Sunset", "local time", clock(light, 1), number=True),
            Column("Drops from", "local time", clock(opened, 0), number=True),
            Column("to", "local time", clock(opened, 1), number=True),
        ]

    @property
    def _zone(self) -> tzinfo:
        return self._session.project.calendar.local_zone

    def _margin(self, name: str) -> DecimalField:
        box = DecimalField(-_LONGEST, _LONGEST)
        box.setSuffix(" min")
        box.setAccessibleName(f"Minutes {name}")
        box.setToolTip(f"minutes {name}; below 0 drops into the twilight")
        box.valueChanged.connect(lambda _value: self._write())
        box.editingFinished.connect(self._settle)
        box.refused.connect(lambda why: self._session.message.emit(f"Minutes {name}: {why}"))
        return box

    def _settle(self) -> None:
        # What is typed on the next visit to a field is a step of its own.
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
        grid = QGridLayout()
        for column, (text, box) in enumerate((("From sunrise +", self.after), ("to sunset −", self.before))):
            label = QLabel(text)
            label.setBuddy(box)
            grid.addWidget(label, 0, 2 * column)
            grid.addWidget(box, 0, 2 * column + 1)
            grid.setColumnStretch(2 * column + 1, 1)
        column_ = QVBoxLayout(self)
        column_.setContentsMargins(0, 0, 0, 0)
        column_.addWidget(self.rule)
        column_.addLayout(grid)
        column_.addWidget(self.table)
        column_.addWidget(self.note)
