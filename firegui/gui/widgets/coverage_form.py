"""Form of the required coverage: levels by fuel model, or one value for all, and their mean."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from PySide6.QtCore import QObject, QSignalBlocker, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QPushButton,
    QRadioButton,
    QTableView,
    QWidget,
)

from firegui.domain.coverage import HIGHEST, LOWEST, RequiredCoverage, coverage_from_cells
from firegui.domain.fuel import NONBURNABLE, fuel_name
from firegui.domain.options import plain_number
from firegui.errors import InputError, Problem
from firegui.gui.base.layouts import horizontal, plain_label, rich_label, vertical
from firegui.gui.base.plain_text import tooltip
from firegui.gui.widgets.fields import DecimalField, number
from firegui.gui.widgets.table_model import Column, TableModel
from firegui.gui.widgets.table_view import show_table
from firegui.io.project.scenario_toml import CoverageTable, shipped_table

LEVEL = 2
"""The editable column."""


@dataclass(frozen=True, slots=True)
class CoverageChoice:
    """Choice of the required coverage: one ``value`` for all fuel, else ``levels`` by model.

    With both ``None`` the published levels apply. ``source`` is the origin of a value that the user did not enter.
    """

    levels: Mapping[int, float] | None = None
    value: float | None = None
    source: str = "one value for all fuel, chosen by hand"

    @property
    def is_published(self) -> bool:
        """Whether the published levels apply."""
        return self.levels is None and self.value is None


def chosen_coverage(choice: CoverageChoice, cells: Mapping[int, int], table: CoverageTable) -> RequiredCoverage:
    """Return the required coverage of a landscape with ``cells`` of each fuel model.

    ``table`` has the published levels.
    """
    if choice.value is not None:
        return RequiredCoverage(choice.value, choice.source)
    levels = table.levels | dict(choice.levels or {})
    changed = sorted(code for code in cells if code in levels and levels[code] != table.levels.get(code))
    names = ", ".join(fuel_name(code) for code in changed)
    origin = f"{names} edited by hand; else {table.source}" if changed else table.source
    return coverage_from_cells(cells, levels, origin)


def choice_of(coverage: RequiredCoverage, cells: Mapping[int, int], table: CoverageTable) -> CoverageChoice:
    """Return the choice that gives ``coverage`` in a landscape with these ``cells``."""
    if not coverage.levels:
        published = chosen_coverage(CoverageChoice(), cells, table)
        return CoverageChoice() if coverage == published else CoverageChoice(None, coverage.c_req, coverage.source)
    changed = {code: level for code, level in coverage.levels.items() if level != table.levels.get(code)}
    return CoverageChoice(levels=changed or None)


class CoverageModel(TableModel[int]):
    """Fuel models of a landscape with their required coverage, the largest share first."""

    edited = Signal(object)
    """All levels that differ from the published ones, after one was edited."""

    def __init__(self, table: CoverageTable, parent: QObject | None = None) -> None:
        columns = (
            Column("Fuel model", fuel_name, tip="code of the 40 models of Scott and Burgan, or of the 13 before them",
                   is_text=True, cell_tip=fuel_name),
            Column("Share", self._share, "{:.1f} %".format, "of the cells that can burn"),
            Column("Coverage", self._level, plain_number, "gal per 100 ft² that this fuel needs; can be edited",
                   missing="", edit=self._edit, is_editable=lambda code: code in self._levels),
            Column("From", self._origin, tip="what the level rests on", is_text=True, cell_tip=self._origin),
        )  # fmt: skip
        super().__init__(columns, parent, key=lambda code: code)
        self._table = table
        self._basis = {model.code: model.basis for model in table.models}
        self._cells: Mapping[int, int] = {}
        self._levels: Mapping[int, float] = table.levels

    def show(self, cells: Mapping[int, int], levels: Mapping[int, float] | None) -> None:
        """Show the models that ``cells`` counts, with ``levels`` or the published ones."""
        burning = [code for code in cells if code not in NONBURNABLE]
        self._cells, self._levels = cells, self._table.levels | dict(levels or {})
        self.set_rows(sorted(burning, key=lambda code: (-cells[code], code)))

    def _share(self, code: int) -> float:
        return 100.0 * self._cells[code] / sum(self._cells[one] for one in self.rows)

    def _level(self, code: int) -> float | None:
        return self._levels.get(code)

    def _origin(self, code: int) -> str:
        if code not in self._levels:
            return "no level: this code is not a standard fuel model"
        own = self._levels[code] != self._table.levels.get(code)
        return "edited by hand" if own else self._basis.get(code, "")

    def _edit(self, _position: int, code: int, value: Any) -> bool:
        try:
            level = number(str(value))
        except ValueError:
            level = math.nan
        if not LOWEST <= level <= HIGHEST:
            what = f"{value} was refused; give {LOWEST:g} to {HIGHEST:g} gal/100 ft²"
            raise InputError([Problem(fuel_name(code), what)])
        if level == self._levels[code]:
            return False
        changed = dict(self._levels) | {code: level}
        self.edited.emit({key: v for key, v in changed.items() if v != self._table.levels.get(key)})
        return True


class CoverageForm(QWidget):
    """Form for a :class:`CoverageChoice`.

    The form does not store the choice. An edited choice returns through :meth:`show_fuel`.
    """

    edited = Signal(object)
    """The user made another :class:`CoverageChoice`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._published: CoverageTable = shipped_table()
        self._cells: Mapping[int, int] = {}
        self._choice = CoverageChoice()
        self.model = CoverageModel(self._published, self)
        self.view = QTableView()
        self.by_model, self.by_value = QRadioButton("By &fuel model"), QRadioButton("One value for &all fuel")
        self.value = DecimalField(LOWEST, HIGHEST)
        self.reset = QPushButton("As p&ublished")
        self.said, self._refused = rich_label(wordWrap=True), plain_label(wordWrap=True)
        self._lay_out()
        self.show_fuel({}, CoverageChoice())

    @property
    def coverage(self) -> RequiredCoverage:
        """Required coverage of the shown choice."""
        return chosen_coverage(self._choice, self._cells, self._published)

    @property
    def choice(self) -> CoverageChoice:
        """The shown choice."""
        return self._choice

    @property
    def refused(self) -> str:
        """Reason why the last typed level was refused; empty if it was accepted."""
        return "" if self._refused.isHidden() else self._refused.text()

    def show_fuel(self, cells: Mapping[int, int], choice: CoverageChoice) -> None:
        """Show the fuel models that ``cells`` counts, with the choice for them."""
        if (dict(cells), choice) != (dict(self._cells), self._choice) or not self.said.text():
            self._cells, self._choice = cells, choice
            self.model.show(cells, choice.levels)
        one = choice.value is not None
        with QSignalBlocker(self.by_model), QSignalBlocker(self.by_value), QSignalBlocker(self.value):
            self.by_model.setChecked(not one)
            self.by_value.setChecked(one)
            self.value.setValue(choice.value if choice.value is not None else round(self.coverage.c_req, 2))
        self.value.setEnabled(one)
        self.view.setEnabled(not one)
        self.reset.setEnabled(not choice.is_published)
        coverage = self.coverage
        self.said.setText(f"<b>{coverage.c_req:.2f} gal/100 ft²</b> — {escape(coverage.source)}")

    def _lay_out(self) -> None:
        self._set_up_table()
        self.value.setSuffix(" gal/100 ft²")
        self.value.setMinimumWidth(150)
        self.value.setAccessibleName("Required coverage of all fuel")
        self.value.setToolTip(tooltip("Retardant that every fuel needs for full effect (gal per 100 ft²)"))
        self.by_model.setToolTip("Each fuel model needs what the table says")
        self.by_value.setToolTip("All fuel needs the same")
        self.reset.setToolTip("Restore the published levels")
        self.reset.setAutoDefault(False)
        self._refused.setProperty("role", "error")
        self._refused.hide()
        one = horizontal(None, self.by_value, self.value, 1)
        vertical(self, self.said, self.by_model, (self.view, 1), self._refused, one, self.reset, margins=0)
        self.model.edited.connect(self._on_levels)
        self.model.refused.connect(self._on_refused)
        self.by_value.toggled.connect(self._on_kind)
        self.value.valueChanged.connect(lambda value: self._choose(CoverageChoice(value=value)))
        self.reset.clicked.connect(lambda _checked=False: self._choose(CoverageChoice()))

    def _set_up_table(self) -> None:
        view = self.view
        show_table(view, self.model, "Required coverage by fuel model", is_sortable=False)
        trigger = QAbstractItemView.EditTrigger
        view.setEditTriggers(trigger.DoubleClicked | trigger.EditKeyPressed | trigger.AnyKeyPressed)
        view.setTabKeyNavigation(False)
        view.setMinimumHeight(180)
        view.horizontalHeader().setStretchLastSection(True)
        # The keyboard focus starts at an editable cell.
        self.model.modelReset.connect(self._to_first_level)

    def _to_first_level(self) -> None:
        if self.model.rowCount() and not self.view.currentIndex().isValid():
            self.view.setCurrentIndex(self.model.index(0, LEVEL))

    def _on_levels(self, levels: Mapping[int, float]) -> None:
        self._choose(CoverageChoice(levels=levels or None))

    def _on_kind(self, one: bool) -> None:
        self._choose(CoverageChoice(value=round(self.coverage.c_req, 2) if one else None))

    def _on_refused(self, error: InputError) -> None:
        self._refused.setText(f"⚠ {error.problems[0]}")
        self._refused.show()

    def _choose(self, choice: CoverageChoice) -> None:
        self._refused.hide()
        if choice != self._choice:
            self.edited.emit(choice)
