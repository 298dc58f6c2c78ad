"""Editor of the project's stress scenarios: a table, and a form for the selected one."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QGroupBox,
    QLabel,
    QLineEdit,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from firegui.domain.options import SettingField, number_from_text, replaced_at, setting_fields
from firegui.domain.settings import RETARDANT_SIDES, Effectiveness, RetardantSide, pair_text
from firegui.domain.stress import StressScenario, StressSet, scenario_text
from firegui.errors import InputError, Problem, raise_new_problems
from firegui.gui.base.controls import add_shortcut
from firegui.gui.base.export_place import ask_export_file
from firegui.gui.base.layouts import describe, fill_column, plain_label, scroll_area
from firegui.gui.session.reporting import free_name, refusing
from firegui.gui.session.session import Session
from firegui.gui.widgets.delegates import ChoiceDelegate
from firegui.gui.widgets.editable_table import EditableTable
from firegui.gui.widgets.fields import NoScrollComboBox, RefusingLine
from firegui.gui.widgets.settings_form import labelled_rows
from firegui.gui.widgets.table_buttons import ButtonRow
from firegui.gui.widgets.table_model import Column, TableModel, with_row
from firegui.gui.widgets.table_view import select_row, selected_rows, show_table
from firegui.io.project.stress_toml import read_scenarios, write_scenarios

_FILTER = "Scenarios (*.toml);;All files (*)"
_TITLE = "The scenario was not changed"
_SET_TITLE = "The scenarios were not changed"
_LOWEST_PX = 60
_SHOWN = 2
"""Columns of the table: name, and what differs. The others are fields of the form."""
_PERCENT = "failure_rate"
_AS_MODEL = StressScenario("")
_FIELDS = setting_fields(_AS_MODEL)


class ScenariosModel(TableModel[StressScenario]):
    """Scenarios of the open project. A value equal to the model's has a dash. Every edit is one undo step."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        self._session = session
        columns = (
            Column("Name", lambda one: one.name, tip="name of the scenario, once in the set", is_text=True,
                   cell_tip=scenario_text,
                   edit=self._set_name),
            Column("What differs from the model", scenario_text, tip="what differs from the model in this scenario",
                   is_text=True, cell_tip=scenario_text),
            Column("Effectiveness", lambda one: one.effectiveness, pair_text,
                   "of retardant and of water; empty: the project's", "ret. / water", is_text=True,
                   sort_key=lambda pair: pair.retardant, edit=self._set_pair,
                   initial=lambda one: "" if one.effectiveness is None else pair_text(one.effectiveness)),
            Column("Retardant acts on", lambda one: one.retardant_acts_on, RETARDANT_SIDES.__getitem__,
                   "which cell's fuel retardant changes", is_text=True, sort_key=list(RETARDANT_SIDES).index,
                   edit=self._set_side, initial=lambda one: "" if one.retardant_acts_on is None
                   else one.retardant_acts_on.value, delegate=partial(ChoiceDelegate, _side_choices)),
            *(self._number_column(item) for item in _FIELDS),
        )  # fmt: skip
        super().__init__(columns, parent)

    def change(self, text: str, scenarios: tuple[StressScenario, ...], title: str = _SET_TITLE) -> None:
        """Replace the scenarios as one undo step. Raises :class:`InputError` for invalid ones."""
        self.change_set(text, replace(self._session.project.stress, scenarios=scenarios), title)

    def change_set(self, text: str, stress: StressSet, title: str = _SET_TITLE) -> None:
        """Replace the whole set as one undo step. Raises :class:`InputError` for an invalid one."""
        project = self._session.project
        steps = project.scenario.steps_per_day
        raise_new_problems(project.stress.problems(steps), stress.problems(steps), title)
        if stress != project.stress:
            self._session.edit(text, replace(project, stress=stress))

    def _number_column(self, item: SettingField) -> Column:
        option, name, factor = item.option, item.name, _factor(item.name)
        low, high = (None if end is None else factor * end for end in (option.low, option.high))
        ends = f"{low:g} to {high:g}"

        def shown(one: StressScenario) -> float | None:
            value = getattr(one, name)
            return None if value == getattr(_AS_MODEL, name) else factor * value

        return Column(
            option.title, shown, "{:g}".format, f"{option.help}; {ends}, empty: {_default_text(item)}",
            "%" if name == _PERCENT else option.unit or ("×" if name.endswith("factor") else ""),
            edit=partial(self._set_number, item), initial=lambda one: f"{factor * getattr(one, name):g}",
        )  # fmt: skip

    # -- edits -------------------------------------------------------------------------------------------------------
    def _set_name(self, position: int, one: StressScenario, value: Any) -> bool:
        return self._set(position, one, replace(one, name=str(value).strip()))

    def _set_pair(self, position: int, one: StressScenario, value: Any) -> bool:
        text = str(value).strip()
        if not text:
            return self._set(position, one, replace(one, effectiveness=None))
        try:
            pair = Effectiveness.parse(text)
        except ValueError:
            problem = Problem(one.name, f"'{text}' is not an effectiveness", "write it as 0.7/0.6, or leave it empty")
            raise InputError([problem], _TITLE) from None
        return self._set(position, one, replace(one, effectiveness=pair))

    def _set_side(self, position: int, one: StressScenario, value: Any) -> bool:
        side = RetardantSide(str(value)) if value else None
        return self._set(position, one, replace(one, retardant_acts_on=side))

    def _set_number(self, item: SettingField, position: int, one: StressScenario, value: Any) -> bool:
        text = str(value).strip().removesuffix("%").strip()
        number = getattr(_AS_MODEL, item.name) if not text else _number(text, one.name, item)
        return self._set(position, one, replaced_at(one, item.path, number))

    def _set(self, position: int, before: StressScenario, after: StressScenario) -> bool:
        if after == before:
            return False
        scenarios = self._session.project.stress.scenarios
        changed = with_row(scenarios, position, after)
        self.change(f"change the scenario {after.name}", changed, _TITLE)
        return True


class ScenarioForm(QGroupBox):
    """Fields of the selected scenario. Every edit goes through the model."""

    def __init__(self, model: ScenariosModel, parent: QWidget | None = None) -> None:
        super().__init__("Selected scenario", parent)
        self._model, self._place = model, -1
        self.fields: dict[int, QLineEdit | QComboBox] = {}
        pairs: list[tuple[QLabel, QWidget]] = []
        for number, column in enumerate(model.columns[_SHOWN:], start=_SHOWN):
            box = self.fields[number] = self._field(number, column)
            box.setAccessibleName(model.titles[number])
            describe(box, column.tip)
            # A wrapped label lets the form be as narrow as the panel beside the map.
            pairs.append((plain_label(", ".join(filter(None, (column.title, column.unit))), wordWrap=True), box))
        self.setLayout(labelled_rows(pairs, 2))

    def show_row(self, place: int) -> None:
        """Show the scenario in a row; none for a row that does not exist."""
        there = 0 <= place < self._model.rowCount()
        self._place = place if there else -1
        self.setEnabled(there)
        self.setTitle(f"Selected scenario: {self._model.row(place).name}" if there else "Selected scenario")
        for number, box in self.fields.items():
            text = self._shown(place, number) if there else ""
            if isinstance(box, QComboBox):
                box.setCurrentIndex(box.findData(text))
            else:
                box.setText(text)

    def _field(self, number: int, column: Column) -> QLineEdit | QComboBox:
        if column.delegate is not None:
            choice = NoScrollComboBox()
            for value, title in _side_choices():
                choice.addItem(title, value)
            # A side of the list is never refused.
            choice.activated.connect(lambda _index: self._write(number, str(choice.currentData())))
            return choice
        return RefusingLine(lambda text: self._write(number, text), lambda: self._shown(self._place, number))

    def _shown(self, place: int, number: int) -> str:
        """Return the text of a field for the scenario at ``place``."""
        return str(self._model.index(place, number).data(Qt.ItemDataRole.EditRole))

    def _write(self, number: int, text: str) -> str:
        """Write the text of a field to the model; return why it is refused, empty if it was taken."""
        if self._place < 0 or text == self._shown(self._place, number):
            return ""
        error = self._model.enter(self._model.index(self._place, number), text)
        if error is not None:
            return error.short_text
        self.show_row(self._place)
        return ""


class ScenarioTable(QWidget):
    """Editor of the project's scenarios: buttons, a table, and a form for the selected one."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.model, self.view = ScenariosModel(session, self), EditableTable()
        show_table(self.view, self.model, "Stress scenarios", is_sortable=False, stretch=_SHOWN - 1)
        # The values have their fields below: the table must not scroll sideways beside the map.
        for number in range(_SHOWN, self.model.columnCount()):
            self.view.setColumnHidden(number, True)
        self.view.setMinimumHeight(_LOWEST_PX)
        self.form = ScenarioForm(self.model)
        self._buttons: dict[str, QToolButton] = {}
        form = scroll_area(self.form, horizontal=False)
        # Table and form share the height, and scroll where there is little.
        form.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Ignored)
        fill_column(self, self._button_row(), self.view, form, stretch=(self.view, form), margins=(0, 2, 0, 0))
        self.model.modelReset.connect(self._enable)
        self.view.selectionModel().selectionChanged.connect(lambda *_: self._follow())
        add_shortcut(self.view, "Del", self.remove)
        for signal in (session.project_opened, session.project_edited):
            signal.connect(self._show)
        self._show()

    def button(self, name: str) -> QToolButton:
        """Return the button ``add``, ``copy``, ``delete``, ``reset``, ``import`` or ``export``.

        Raises ``KeyError`` for others.
        """
        return self._buttons[name]

    # -- what the buttons do -----------------------------------------------------------------------------------------
    def add(self) -> None:
        """Add a scenario with the model's values, and edit its name."""
        self._append("add a scenario", StressScenario(free_name("scenario", self._names)))

    def duplicate(self) -> None:
        """Add a copy of the selected scenario, and edit its name."""
        if (position := self._selected) is not None:
            one = self._scenarios[position]
            copied = replace(one, name=free_name(one.name, self._names))
            self._append(f"copy the scenario {one.name}", copied)

    def remove(self) -> None:
        """Remove the selected scenario; the last one cannot be removed."""
        if (position := self._selected) is not None:
            kept = (*self._scenarios[:position], *self._scenarios[position + 1 :])
            self._change(f"remove the scenario {self._scenarios[position].name}", kept)

    def reset(self) -> None:
        """Restore the default set, with its seed."""
        with refusing(self._session, "stress scenarios"):
            self.model.change_set("reset the stress scenarios", StressSet())

    def load(self, path: Path) -> None:
        """Replace the scenarios with those in a file."""
        with refusing(self._session, str(path)):
            scenario = self._session.project.scenario
            self.model.change_set(f"load {path.name}", read_scenarios(path, scenario.grid, scenario.steps_per_day))
            self._session.message.emit(f"Scenarios read from {path.name}")

    def save(self, path: Path) -> None:
        """Write the scenarios to a file."""
        path = path if path.suffix else path.with_suffix(".toml")
        with refusing(self._session, str(path)):
            write_scenarios(self._session.project.stress, path)
            self._session.message.emit(f"Scenarios written to {path.name}")

    def _ask_load(self) -> None:
        name, _filter = QFileDialog.getOpenFileName(self.window(), "Load scenarios", "", _FILTER)
        if name:
            self.load(Path(name))

    def _ask_save(self) -> None:
        chosen = ask_export_file(self, "Save scenarios", "scenarios.toml", _FILTER)
        if chosen is not None:
            self.save(chosen)

    # -- state -------------------------------------------------------------------------------------------------------
    @property
    def _scenarios(self) -> tuple[StressScenario, ...]:
        return self._session.project.stress.scenarios if self._session.has_project else ()

    @property
    def _names(self) -> list[str]:
        return [one.name for one in self._scenarios]

    @property
    def _selected(self) -> int | None:
        rows = selected_rows(self.view)
        return self.model.position(rows[0]) if rows else None

    def _change(self, text: str, scenarios: tuple[StressScenario, ...]) -> bool:
        before = self._scenarios
        with refusing(self._session, "stress scenarios"):
            self.model.change(text, scenarios)
        return self._scenarios != before

    def _append(self, text: str, one: StressScenario) -> None:
        if self._session.has_project and self._change(text, (*self._scenarios, one)):
            last = len(self._scenarios) - 1
            select_row(self.view, last)
            self.view.edit(self.model.index(last, 0))

    def _show(self) -> None:
        self.model.set_rows(self._scenarios)
        if self._selected is None and self._scenarios:
            select_row(self.view, 0)
        self._follow()

    def _follow(self) -> None:
        rows = selected_rows(self.view)
        self.form.show_row(rows[0] if rows else -1)
        self._enable()

    def _enable(self) -> None:
        there, chosen = self._session.has_project, self._selected is not None
        for name, button in self._buttons.items():
            button.setEnabled(there and (chosen or name not in ("copy", "delete")))

    def _button_row(self) -> ButtonRow:
        row = ButtonRow()
        for name, text, help, pressed in (
            ("add", "Add", "Add a scenario", self.add),
            ("copy", "Copy", "Add a copy of the selected scenario", self.duplicate),
            ("delete", "Remove", "Remove the selected scenario (Del)", self.remove),
            ("reset", "Reset", "Go back to the default scenarios; can be undone", self.reset),
            ("import", "Load scenarios…", "Replace the scenarios by those in a TOML file", self._ask_load),
            ("export", "Save scenarios…", "Write the scenarios to a TOML file", self._ask_save),
        ):
            self._buttons[name] = row.add(name, text, help, pressed, show_text=name not in ("copy", "delete"))
        return row


def _side_choices() -> list[tuple[str, str]]:
    return [("", "as in the project"), *((side.value, text) for side, text in RETARDANT_SIDES.items())]


def _factor(name: str) -> float:
    """Return the factor between a value and its display: shares are shown in percent."""
    return 100.0 if name == _PERCENT else 1.0


def _default_text(item: SettingField) -> str:
    return f"{_factor(item.name) * getattr(_AS_MODEL, item.name):g}"


def _number(text: str, where: str, item: SettingField) -> float | int:
    try:
        value = number_from_text(text.replace(",", ""))
        if not math.isfinite(value):
            raise ValueError(text)
        # A typed percentage divided by 100 gives the nearest share.
        return int(text.replace(",", "")) if item.kind is int else value / _factor(item.name)
    except ValueError:
        kind = "a whole number" if item.kind is int else "a number"
        problem = Problem(where, f"{item.option.title}: '{text}' is not {kind}", f"write {kind}, or nothing")
        raise InputError([problem], _TITLE) from None
