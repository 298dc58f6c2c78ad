"""Fleet panel: aircraft types with number, turnaround and payload, and a form for one of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import Any, get_type_hints

from PySide6.QtCore import QObject, QSignalBlocker, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QFileDialog,
    QFormLayout,
    QGroupBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QWidget,
)

from firegui.domain.calendar import turnaround_steps
from firegui.domain.fleet import LIMITS, OF_BASES, PRICES, WIND_CLASSES, AircraftType, Fleet, Material
from firegui.domain.operations import Operations
from firegui.domain.options import bounds_problems, declared_option, limits_text, number_from_text, plain_number
from firegui.domain.units import Units
from firegui.errors import InputError, Problem, raise_new_problems
from firegui.gui.base.controls import set_synonyms
from firegui.gui.base.export_place import ask_export_file
from firegui.gui.base.layouts import describe, muted_label, plain_label
from firegui.gui.base.plain_text import tooltip
from firegui.gui.base.theme import set_role
from firegui.gui.session.reporting import refusing
from firegui.gui.session.session import Session
from firegui.gui.widgets.delegates import ChoiceDelegate
from firegui.gui.widgets.fields import NoScrollComboBox, RefusingLine
from firegui.gui.widgets.table_buttons import ButtonRow
from firegui.gui.widgets.table_model import Column, TableModel
from firegui.gui.widgets.table_view import TableForm, fit_rows, show_table
from firegui.io.project.scenario_toml import default_fleet, read_fleet, write_fleet
from firegui.planning.flight_rules import most_drops_a_day, most_drops_of
from firegui.runs.messages import counted

REFUSED = "The fleet was not changed"
_FILTER = "Fleet (*.toml);;All files (*)"
_MATERIALS = tuple((material.value, material.value) for material in Material)
_DIGITS = {"payload_gal": 0, "turnaround_h": 2, "sigma_perpendicular_m": 2}
FIELDS = (
    "count", "material", "payload_gal", "turnaround_h", "sigma_parallel_m", "sigma_perpendicular_m", "drop_height_m",
    "speed_ms", "drop_duration_s", *OF_BASES, *LIMITS, *PRICES, "type", "id", "provenance", "price_source",
)  # fmt: skip
"""Fields in the order of the form and of the hidden columns."""
_MAY_BE_EMPTY = frozenset((*OF_BASES, *LIMITS, *PRICES))
_SMOKE = "The wind is that of the weather in the period and cell of the drop. Smoke is not modelled."
_KINDS: Mapping[str, type] = get_type_hints(AircraftType)
_OPTIONS = {field: declared_option(AircraftType, field) for field in FIELDS}
_CURRENCY = declared_option(Fleet, "currency")
_GUSTS = declared_option(Operations, "gust_factor")
_LENGTH = (lambda units: units.length_unit, Units.length_value)
_SPEED = (lambda units: units.aircraft_speed_unit, Units.aircraft_speed_value)
_MEASURES: dict[str, tuple[Callable[[Units], str], Callable[[Units, float], float]]] = {
    "sigma_parallel_m": _LENGTH,
    "sigma_perpendicular_m": _LENGTH,
    "drop_height_m": _LENGTH,
    "speed_ms": _SPEED,
    "cruise_ms": _SPEED,
    "most_wind_ms": _SPEED,
    "most_gust_ms": _SPEED,
    "payload_gal": (lambda units: units.load_unit, Units.load_value),
}
"""Unit of fields that the units of the session change, and their value in it."""
_TIPS = {"id": attrgetter("type")}
"""Tooltips of cells by field."""
TABLE_FIELDS = ("id", "count", "turnaround_h", "payload_gal")
"""Fields in the table, from left to right; the form has the others."""
_MINUTES = 60.0
"""Minutes in an hour: files have turnarounds in hours."""
_FINE_MINUTES = 10.0
"""Intervals below this are shown with a fraction of a minute."""
_TURNAROUND_TIP = (
    "minutes from a drop until its aircraft can drop again → minutes between two of its drops in plans of this "
    "project, which count whole time steps"
)
_COARSE = 1.5
"""Share of the turnaround from which on the interval of plans is marked."""


class FleetModel(TableModel[AircraftType]):
    """Editable aircraft types of the plan. An invalid fleet is refused with all problems."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        self._session = session
        # The same columns each time: other ones reset the table and its selection.
        self._in_units = {units: self._columns_in(units) for units in Units}
        super().__init__(self._in_units[session.units], parent)
        # The steps of the fire model change the intervals, as plan and rules do.
        for signal in (session.project_opened, session.project_edited, session.units_changed):
            signal.connect(self._update)
        self._update()

    def _columns_in(self, units: Units) -> list[Column]:
        """Return the columns; of those in the table, only the payload depends on the units."""
        columns = [self._column(field) for field in FIELDS]
        place = FIELDS.index("payload_gal")
        columns[place] = replace(
            columns[place], unit=units.load_unit, factor=units.load_value(1.0), edit=self._edit_load,
            format=partial(_decimal, 0) if units is Units.US else "{:,.0f}".format,
            initial=lambda row: f"{units.load_value(row.payload_gal):.6g}",
        )  # fmt: skip
        place = FIELDS.index("turnaround_h")
        columns[place] = replace(
            columns[place],
            unit="min",
            value=lambda row: self._computed(row) or _MINUTES * row.turnaround_h,
            edit=self._edit_minutes,
            format=lambda shown: (
                shown if isinstance(shown, str) else f"{_minutes(shown)} → {self._interval(shown / _MINUTES)}"
            ),
            tip=_TURNAROUND_TIP,
            cell_tip=lambda row: self.interval_text(self.rows.index(row), is_short=False),
            initial=lambda row: _minutes(_MINUTES * row.turnaround_h),
        )
        return columns

    @property
    def _step(self) -> float:
        """Minutes of a time step."""
        return _MINUTES * self._session.project.calendar.hours_per_step

    def _every(self, turnaround_h: float) -> float:
        """Return the minutes between two drops of an aircraft in plans of this project."""
        return (turnaround_steps(turnaround_h, self._session.project.calendar.steps_per_day) + 1) * self._step

    def _interval(self, turnaround_h: float) -> str:
        every = self._every(turnaround_h)
        return f"{every:,.0f}" if every >= _FINE_MINUTES else f"{every:.2g}"

    def _computed(self, kind: AircraftType) -> str:
        """Return the minutes between drops of a type that a base serves, over the plan; else nothing."""
        if not kind.cycles:
            return ""
        steps = [turnaround_steps(cycle.wait_h, self._session.project.calendar.steps_per_day) for cycle in kind.cycles]
        low, high = ((each + 1) * self._step for each in (min(steps), max(steps)))
        return f"bases → {low:,.0f}" if low == high else f"bases → {low:,.0f}–{high:,.0f}"

    def coarse_text(self, row: int) -> str:
        """Return why a type drops much more rarely than its turnaround allows; empty where it does not."""
        if self.rows[row].cycles:
            return ""
        hours = self.rows[row].turnaround_h
        if self._every(hours) <= _COARSE * _MINUTES * hours:
            return ""
        return (
            f"⚠ Rarer than the turnaround: plans count whole steps of {self._step:.3g} min. A fire model with more "
            "steps a day makes this finer (Fire model… in the workspace Fire)."
        )

    def interval_text(self, row: int, *, is_short: bool) -> str:
        """Return how often an aircraft of a type drops in plans of this project; the long text says why."""
        kind = self.rows[row]
        minutes = self._computed(kind).removeprefix("bases → ") or self._interval(kind.turnaround_h)
        light = "" if self._session.project.operations.daylight is None else " in daylight"
        text = f"one drop every {minutes} min, at most {self._most_a_day[row]:,} a day{light}"
        if is_short:
            return f"{text}, from bases" if kind.cycles else text
        if kind.cycles:
            return f"{kind.id}: {text}. The turnaround is computed from the bases.\n{self._by_day(kind)}"
        wait = kind.turnaround_steps(self._session.project.calendar.steps_per_day)
        waits = (
            f"{_minutes(_MINUTES * kind.turnaround_h)} min are {counted(wait, 'whole step')} of {self._step:.3g} min"
        )
        return (
            f"{kind.id}: {text}. The turnaround is rounded up: {waits}. The next drop is in the step after. "
            "More steps a day make this finer. The fire model sets them (Fire model… in the workspace Fire)."
        )

    def _by_day(self, kind: AircraftType) -> str:
        """Return the computed turnaround of each planned day, by the base from which the type flies at noon."""
        calendar = self._session.project.calendar
        noons = (day * calendar.steps_per_day + calendar.steps_per_day // 2 for day in range(calendar.days))
        cycles = [kind.cycles[step] for step in noons]
        return "\n".join(
            f"Day {day}: {_MINUTES * cycle.wait_h:,.0f} min from {cycle.base}" for day, cycle in enumerate(cycles, 1)
        )

    def _edit_load(self, row: int, before: AircraftType, value: Any) -> bool:
        units, text = self._session.units, str(value).strip()
        if text == f"{units.load_value(before.payload_gal):.6g}":
            return False
        try:
            number = number_from_text(text.replace(",", ""))
        except ValueError:
            number = None  # refused below, with the reason
        if number is not None and math.isfinite(number) and units is not Units.US:
            # Aircraft are rated in whole gallons.
            text = repr(float(round(number / units.load_value(1.0))))
        return self._edit("payload_gal", row, before, text)

    def _edit_minutes(self, row: int, before: AircraftType, value: Any) -> bool:
        text = str(value).strip()
        if text == _minutes(_MINUTES * before.turnaround_h):
            return False
        # What cannot be read is refused below, with the reason.
        with suppress(ValueError):
            text = repr(number_from_text(text.replace(",", "")) / _MINUTES)
        return self._edit("turnaround_h", row, before, text)

    def _column(self, field: str) -> Column:
        value, kind, declared = attrgetter(field), _KINDS[field], _OPTIONS[field]
        if field in _MAY_BE_EMPTY:
            # Hidden: the form shows the text.
            return Column(
                declared.field_label, value, plain_number, declared.explanation, edit=partial(self._edit, field),
                initial=lambda row: "" if value(row) is None else plain_number(value(row)),
            )  # fmt: skip
        # The unit of the payload is that of the session; its column adds it.
        unit = "" if field == "payload_gal" else declared.unit
        return Column(
            declared.field_label, value, partial(_decimal, _DIGITS.get(field, 1)) if kind is float else str,
            declared.explanation, unit, is_text=kind in (str, Material), cell_tip=_TIPS.get(field),
            color=_material_color if kind is Material else None, edit=partial(self._edit, field),
            initial=lambda row: plain_number(value(row)) if kind is float else str(value(row)),
            delegate=(lambda view: ChoiceDelegate(lambda: _MATERIALS, view)) if kind is Material else None,
        )  # fmt: skip

    def _edit(self, field: str, row: int, before: AircraftType, value: Any) -> bool:
        title = _OPTIONS[field].title
        after = replace(before, **{field: self._parsed(before, field, str(value).strip())})
        if after == before:
            return False
        renamed = {before.id: after.id} if after.id != before.id else None
        types = (*self.rows[:row], after, *self.rows[row + 1 :])
        self._apply(f"change {title.lower()} of {before.id}", types, renamed)
        return True

    def _parsed(self, before: AircraftType, field: str, text: str) -> Any:
        kind, title = _KINDS[field], _OPTIONS[field].title
        try:
            if kind is Material:
                return Material(text.lower())
            if field in _MAY_BE_EMPTY and not text:
                return None
            number = float if field in _MAY_BE_EMPTY else kind
            value = text if kind is str else number_from_text(text.replace(",", ""), number)
        except ValueError:
            problem = Problem(f"aircraft {before.id}", f"{title}: '{text}' cannot be read", self._remedy(field))
            raise InputError([problem], REFUSED) from None
        low, high = _OPTIONS[field].low, _OPTIONS[field].high
        if isinstance(value, (int, float)) and low is not None and high is not None and not low <= value <= high:
            size = "too large" if value > high else "too small" if value < low else "not a number"
            problem = Problem(f"aircraft {before.id}", f"{title}: {size}", self._remedy(field))
            raise InputError([problem], REFUSED)
        return value

    def _remedy(self, field: str) -> str:
        """Return the values that a field takes, in the units of the session."""
        if _KINDS[field] is Material:
            return "use water or retardant"
        low, high, unit = _OPTIONS[field].low, _OPTIONS[field].high, _OPTIONS[field].unit
        assert low is not None and high is not None
        if field in _MEASURES:
            unit_of, measure = _MEASURES[field]
            units = self._session.units
            low, high, unit = float(f"{measure(units, low):.3g}"), round(measure(units, high)), unit_of(units)
            if field == "payload_gal" and units is not Units.US:
                # The least number of whole litres that is not rounded to no gallon.
                low = math.ceil(measure(units, 0.5))
        if field == "turnaround_h":
            high, unit = high * _MINUTES, "min"
        number = "a whole number, " if _KINDS[field] is int else "nothing, or " if field in _MAY_BE_EMPTY else ""
        return f"use {number}{limits_text(low, high)} {unit}".strip()

    def edit_currency(self, text: str) -> str:
        """Label the prices with another currency; return why it is refused, empty if it was taken."""
        before = self._session.project.planned_fleet
        fleet = replace(before, currency=text.strip())
        if fleet == before:
            return ""
        try:
            raise_new_problems(before.problems(), fleet.problems(), REFUSED)
        except InputError as error:
            return error.short_text
        self._session.edit_planned_fleet(f"change currency to {fleet.currency}", fleet)
        return ""

    def edit_gust_factor(self, text: str) -> str:
        """Take gusts for another multiple of the wind; return why it is refused, empty if it was taken."""
        before, where = self._session.project.operations, "operations"
        try:
            after = replace(before, gust_factor=number_from_text(text.strip()))
        except ValueError:
            return Problem(where, f"{_GUSTS.title}: '{text}' cannot be read", "use a number").head
        if after == before:
            return ""
        if found := bounds_problems(after, where):
            return str(found[0])
        self._session.set_operations(f"change {_GUSTS.title.lower()}", after)
        return ""

    # -- rows --------------------------------------------------------------------------------------------------------
    def add(self, after: int) -> int:
        """Insert a new type below row ``after`` and return its row."""
        fresh = AircraftType(
            id=self._free_id("NEW"), type="New type", count=1, material=Material.RETARDANT, payload_gal=1000.0,
            turnaround_h=1.0, speed_ms=60.0, drop_duration_s=4.0, drop_height_m=45.0, sigma_parallel_m=100.0,
            sigma_perpendicular_m=5.0, provenance="placeholder, to be replaced",
        )  # fmt: skip
        return self._insert("add a type", after, fresh)

    def duplicate(self, row: int) -> int:
        """Insert a copy of ``row`` below it and return its row."""
        kind = self.rows[row]
        return self._insert(f"duplicate {kind.id}", row, replace(kind, id=self._free_id(kind.id)))

    def remove(self, row: int) -> None:
        """Remove a type; the last one cannot be removed."""
        try:
            self._apply(f"remove {self.rows[row].id}", (*self.rows[:row], *self.rows[row + 1 :]))
        except InputError as error:
            self._session.refuse(error)

    def _insert(self, text: str, after: int, kind: AircraftType) -> int:
        row = min(after + 1, len(self.rows))
        self._apply(text, (*self.rows[:row], kind, *self.rows[row:]))
        return row

    def _apply(self, text: str, types: tuple[AircraftType, ...], renamed: dict[str, str] | None = None) -> None:
        before = self._session.project.planned_fleet
        fleet = replace(before, types=types)
        raise_new_problems(before.problems(), fleet.problems(), REFUSED)
        self._session.edit_planned_fleet(text, fleet, renamed)

    def _free_id(self, stem: str) -> str:
        taken = {kind.id for kind in self.rows}
        # A letter, not a number: "S-2T-2" is already the name of an aircraft.
        names = (stem, *(f"{stem}{letter}" for letter in "bcdefghijklmnopqrstuvwxyz"))
        return next((name for name in names if name not in taken), f"{stem}{len(taken)}x")

    def _update(self) -> None:
        types = self._session.project.planned_fleet.types if self._session.has_project else ()
        self._most_a_day = most_drops_a_day(self._session.project) if types else ()
        self.set_rows(types, self._in_units[self._session.units])


def _material_color(kind: AircraftType) -> str:
    return "water" if kind.material is Material.WATER else "retardant"


def _minutes(value: float) -> str:
    return plain_number(round(value, 4))


def _decimal(digits: int, value: float) -> str:
    rounded = f"{value:,.{digits}f}"
    # The shown value must be the stored one. More digits than usual are shown rather than hidden.
    return rounded if float(rounded.replace(",", "")) == value else plain_number(value)


class AircraftForm(QGroupBox):
    """Fields of one aircraft type that the table does not show, in the units of the session.

    Every edit goes through the model.
    """

    def __init__(self, model: FleetModel, session: Session, parent: QWidget | None = None) -> None:
        super().__init__("Selected type", parent)
        self._model, self._session, self._row = model, session, -1
        self.fields: dict[str, QLineEdit | QComboBox] = {}
        self._shown: dict[str, str] = {}
        form = QFormLayout(self)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self._labels: dict[str, QLabel] = {}
        self.currency = RefusingLine(self._write_currency, lambda: session.project.fleet.currency)
        self.currency.setAccessibleName(_CURRENCY.field_label)
        describe(self.currency, _CURRENCY.explanation)
        self.drawn, self.interval, self.coarse = muted_label(), muted_label(), muted_label(role="warning")
        self.gusts = RefusingLine(
            self._model.edit_gust_factor, lambda: plain_number(session.project.operations.gust_factor)
        )
        self.gusts.setAccessibleName(_GUSTS.field_label)
        describe(self.gusts, f"{_GUSTS.explanation}; for all types")
        self.published = NoScrollComboBox()
        self.published.setAccessibleName("Published wind limit")
        self.published.addItem("Choose a class…", None)
        for each in WIND_CLASSES:
            self.published.addItem(each.title, each.wind_ms)
            self.published.setItemData(self.published.count() - 1, tooltip(each.source), Qt.ItemDataRole.ToolTipRole)
        describe(self.published, "; ".join(f"{each.title}: {each.source}" for each in WIND_CLASSES))
        self.published.activated.connect(self._take_published)
        form.addRow("Turnaround", self.interval)
        form.addRow(self.coarse)
        for number, field in enumerate(FIELDS):
            if field == "sigma_parallel_m":
                # What maps draw says more than the scales that it is made from.
                form.addRow("Drop", self.drawn)
            if field == PRICES[0]:
                form.addRow(_CURRENCY.field_label, self.currency)
            if field not in TABLE_FIELDS:
                box = self.fields[field] = self._field(number, _KINDS[field])
                label = self._labels[field] = plain_label(_OPTIONS[field].field_label)
                label.setBuddy(box)
                describe(box, _OPTIONS[field].explanation)
                set_synonyms(box, _OPTIONS[field].synonyms)
                if _KINDS[field] is str:
                    # A name needs the whole width.
                    form.addRow(label)
                    form.addRow(box)
                else:
                    form.addRow(label, box)
            if field == LIMITS[-1]:
                form.addRow(_GUSTS.field_label, self.gusts)
                form.addRow("Published wind limit", self.published)
                form.addRow(muted_label(_SMOKE))
        session.units_changed.connect(self._on_units)
        self._on_units()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay the rows out again: Qt keeps those of the former height when a text needs more lines."""
        super().resizeEvent(event)
        layout = self.layout()
        assert layout is not None
        layout.invalidate()
        layout.setGeometry(layout.geometry())

    def show_row(self, row: int) -> None:
        """Show another aircraft type; none for a row that does not exist."""
        there = 0 <= row < len(self._model.rows)
        self._row = row if there else -1
        self.setEnabled(there)
        self.drawn.setText(self._model.rows[row].drawn_text(self._session.units) if there else "")
        self.interval.setText(self._model.interval_text(row, is_short=True) if there else "")
        self.interval.setToolTip(tooltip(self._model.interval_text(row, is_short=False) if there else ""))
        coarse = self._model.coarse_text(row) if there else ""
        self.coarse.setText(coarse)
        self.coarse.setVisible(bool(coarse))
        set_role(self.interval, "warning" if coarse else "muted")
        self.setTitle(f"Selected type: {self._model.rows[row].id}" if there else "Selected type")
        with QSignalBlocker(self.currency):
            self.currency.setText(self._session.project.fleet.currency if there else "")
        with QSignalBlocker(self.gusts):
            self.gusts.setText(plain_number(self._session.project.operations.gust_factor) if there else "")
        for field, box in self.fields.items():
            text = self._model.index(row, FIELDS.index(field)).data(Qt.ItemDataRole.EditRole) if there else ""
            if there and text and field in _MEASURES and self._session.units is not Units.METRIC:
                text = f"{_MEASURES[field][1](self._session.units, float(text)):.4g}"
            self._shown[field] = str(text)
            with QSignalBlocker(box):
                if isinstance(box, QComboBox):
                    box.setCurrentIndex(box.findData(text))
                else:
                    box.setText(text)
                    box.setCursorPosition(0)
                    if _KINDS[field] is str:
                        box.setToolTip(tooltip(f"{text}\n{_OPTIONS[field].explanation}".strip()))

    def _take_published(self, index: int) -> None:
        """Give the selected type the published wind limit of a class."""
        limit = self.published.itemData(index)
        self.published.setCurrentIndex(0)
        if self._row >= 0 and limit is not None:
            number = FIELDS.index("most_wind_ms")
            self._model.enter(self._model.index(self._row, number), f"{limit:.2f}")
            self.show_row(self._row)

    def _write_currency(self, text: str) -> str:
        return self._model.edit_currency(text) if self._row >= 0 else ""

    def _on_units(self) -> None:
        for field, label in self._labels.items():
            declared = _OPTIONS[field]
            shown = _MEASURES[field][0](self._session.units) if field in _MEASURES else declared.unit
            text = f"{declared.field_label}, {shown}" if shown else declared.field_label
            label.setText(text)
            self.fields[field].setAccessibleName(text)
        self.show_row(self._row)

    def _field(self, number: int, kind: type) -> QLineEdit | QComboBox:
        if kind is Material:
            choice = NoScrollComboBox()
            for value, title in _MATERIALS:
                choice.addItem(title, value)
            choice.activated.connect(lambda _index: self._write(number, str(choice.currentData())))
            return choice
        return RefusingLine(lambda text: self._write(number, text), lambda: self._shown[FIELDS[number]])

    def _write(self, number: int, text: str) -> str:
        """Write the text of a field to the model; return why it is refused, empty if it was taken."""
        field = FIELDS[number]
        if self._row < 0 or text == self._shown[field]:
            return ""
        error = self._model.enter(self._model.index(self._row, number), self._in_si(field, text))
        if error is not None:
            return error.short_text
        self.show_row(self._row)
        return ""

    def _in_si(self, field: str, text: str) -> str:
        """Return a number that is shown in other units as the model has it; other texts as they are."""
        units = self._session.units
        if field not in _MEASURES or units is Units.METRIC:
            return text
        try:
            value = number_from_text(text.replace(",", ""))
        except ValueError:
            return text  # refused by the model, with the reason
        return repr(value / _MEASURES[field][1](units, 1.0))


class FleetPanel(TableForm):
    """Fleet of the plan: a table of the aircraft types, and a form for the selected one."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.model = FleetModel(session, self)
        self._set_up_view()
        self.form = AircraftForm(self.model, session)
        self.lay_out(self._make_buttons())
        layout = self.layout()
        assert layout is not None
        self.unusual = muted_label(role="warning")
        """What no aircraft is known to have."""
        self.unusual.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        layout.addWidget(self.unusual)
        layout.addWidget(self.form)
        self.view.selectionModel().currentChanged.connect(lambda current, _previous: self.form.show_row(current.row()))
        for signal in (session.project_opened, session.project_edited, session.units_changed):
            signal.connect(self._refresh)
        self._refresh()

    def _set_up_view(self) -> None:
        view = self.view
        show_table(view, self.model, "Fleet", row_height=25, is_sortable=False)
        set_synonyms(view, " ".join(_OPTIONS[field].synonyms for field in TABLE_FIELDS))
        view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectItems)
        view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        header = view.horizontalHeader()
        for place, field in enumerate(TABLE_FIELDS):
            header.moveSection(header.visualIndex(FIELDS.index(field)), place)
        for number, field in enumerate(FIELDS):
            view.setColumnHidden(number, field not in TABLE_FIELDS)
        header.setSectionResizeMode(FIELDS.index("id"), QHeaderView.ResizeMode.Stretch)
        header.setMinimumSectionSize(34)
        fit_rows(view, 2, 12)

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
        """Add a type below the selected one and edit its name."""
        if self._session.has_project:
            row = self.view.currentIndex().row() if self.view.currentIndex().isValid() else self.model.rowCount() - 1
            self._begin(self.model.add(row))

    def duplicate(self) -> None:
        """Duplicate the selected type."""
        if self.view.currentIndex().isValid():
            self._begin(self.model.duplicate(self.view.currentIndex().row()))

    def remove(self) -> None:
        """Remove the selected type."""
        if self.view.currentIndex().isValid():
            self.model.remove(self.view.currentIndex().row())

    def reset(self) -> None:
        """Restore the paper's fleet."""
        if self._session.has_project:
            with refusing(self._session, "fleet"):
                self._session.set_planned_fleet("take the paper's fleet", default_fleet())

    def import_file(self) -> None:
        """Let the user choose a fleet file and use its fleet."""
        name, _filter = QFileDialog.getOpenFileName(self, "Import fleet", "", _FILTER)
        if name and self._session.has_project:
            with refusing(self._session, name):
                fleet = read_fleet(Path(name))
                if problems := fleet.problems():
                    raise InputError(problems, f"{Path(name).name} cannot be used")
                self._session.set_planned_fleet(f"import {Path(name).name}", fleet)

    def export_file(self) -> None:
        """Let the user choose a file and write the fleet, with its grounded days of this plan."""
        if not self._session.has_project:
            return
        chosen = ask_export_file(self, "Export fleet", "fleet.toml", _FILTER)
        if chosen is not None:
            path = chosen if chosen.suffix else chosen.with_suffix(".toml")
            with refusing(self._session, str(path)):
                write_fleet(self._session.project.planned_fleet, path)
                self._session.message.emit(f"Fleet written to {path.name}")

    def _begin(self, row: int) -> None:
        index = self.model.index(row, FIELDS.index("id"))
        self.view.setCurrentIndex(index)
        self.view.edit(index)
        editor = self.view.indexWidget(index)
        if isinstance(editor, QLineEdit):
            editor.selectAll()

    # -- following the session ---------------------------------------------------------------------------------------
    def _refresh(self) -> None:
        if self.model.rows and not self.view.currentIndex().isValid():
            self.view.setCurrentIndex(self.model.index(0, FIELDS.index("id")))
        self.form.show_row(self.view.currentIndex().row())
        texts = self._session.project.fleet.unusual(self._session.units) if self._session.has_project else ()
        self.unusual.setText("\n".join(f"⚠ {text}" for text in texts))
        self.unusual.setVisible(bool(texts))
        if not self._session.has_project:
            self.set_footer("")
            return
        fleet, calendar = self._session.project.planned_fleet, self._session.project.calendar
        days = f"{calendar.days} days" if calendar.days != 1 else "1 day"
        most = most_drops_of(self._session.project)
        light = "" if self._session.project.operations.daylight is None else "the daylight of "
        self.set_footer(f"{fleet.n_aircraft} aircraft · at most {most:,} drops in {light}{days}")
