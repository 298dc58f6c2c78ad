"""Form of the airspace rules: separation of aircraft, time between drops on one spot, lead planes."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFormLayout, QHeaderView, QWidget

from firegui.domain.airspace import AIRSPACE_WORDS, AirspaceRule, rules_problems
from firegui.domain.names import listed_names
from firegui.domain.operations import Operations
from firegui.domain.options import declared_option, number_from_text, plain_number
from firegui.domain.project import Project
from firegui.errors import InputError, Problem, Problems, raise_new_problems
from firegui.gui.base.controls import add_shortcut, set_synonyms
from firegui.gui.base.dialogs import Dialog
from firegui.gui.base.layouts import muted_label, vertical
from firegui.gui.scenario.entry_dialog import EntryDialog
from firegui.gui.session.session import Session
from firegui.gui.widgets.editable_table import EditableTable
from firegui.gui.widgets.fields import text_line
from firegui.gui.widgets.table_buttons import ButtonRow
from firegui.gui.widgets.table_model import Column, TableModel, with_row
from firegui.gui.widgets.table_view import fit_rows, selected_rows, show_table

REFUSED = "The airspace rules were not changed"
ANYWHERE, ALL = "anywhere", "all"
_TYPES_TIP = "ids of the aircraft types that count and are limited, between commas; empty for all"
_TYPES = 3
_FEWEST, _MOST = 1, 6
_HOW = (
    "At most so many drops within the radius of any one of them, in any so many minutes. 1 drop keeps two on the same "
    "spot apart in time. The types of large tankers, anywhere in 60 min, follow the pace of lead planes."
)


def set_airspace(session: Session, text: str, rules: tuple[AirspaceRule, ...]) -> None:
    """Change the airspace rules as one undoable step.

    Raises :class:`~firegui.errors.InputError` with every problem that this would add.
    """
    project = session.project
    raise_new_problems(_problems(project, project.operations.airspace), _problems(project, rules), REFUSED)
    session.set_operations(text, replace(project.operations, airspace=rules))


def _problems(project: Project, rules: tuple[AirspaceRule, ...]) -> list[Problem]:
    return rules_problems(rules) + rules_problems(rules, project.fleet)


def _number(name: str, text: str) -> float | int | None:
    """Return the number that was typed for a field of a rule; ``None`` for a radius that is left out.

    Raises :class:`~firegui.errors.InputError` for what is not a number.
    """
    plain, declared = text.strip(), declared_option(AirspaceRule, name)
    if name == "radius_m" and plain in ("", ANYWHERE):
        return None
    try:
        return number_from_text(plain, int) if name == "most" else number_from_text(plain)
    except ValueError:
        what, kind = f"'{plain}' is not a number", "a whole number" if name == "most" else "a number"
        raise InputError([Problem(declared.title, what, f"give {kind}")], REFUSED) from None


class AirspaceModel(TableModel[AirspaceRule]):
    """Airspace rules in the project's order; every cell can be edited."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        types = Column(
            "Types", lambda rule: ", ".join(rule.types) or None, missing=ALL, is_text=True, tip=_TYPES_TIP,
            edit=self._set_types, cell_tip=lambda rule: ", ".join(rule.types) or None,
        )  # fmt: skip
        super().__init__([*(self._column(name) for name in ("most", "radius_m", "minutes")), types], parent)
        self._session = session

    def _column(self, name: str) -> Column:
        declared = declared_option(AirspaceRule, name)

        def value(rule: AirspaceRule) -> float | None:
            found: float | None = getattr(rule, name)
            return found

        unit = "" if name == "minutes" else declared.unit
        return Column(
            declared.title, value, plain_number, declared.help, unit, edit=partial(self._set_number, name),
            missing=ANYWHERE,
        )  # fmt: skip

    def _set_number(self, name: str, position: int, rule: AirspaceRule, value: Any) -> bool:
        changed: dict[str, Any] = {name: _number(name, str(value))}
        return self._change(position, rule, replace(rule, **changed))

    def _set_types(self, position: int, rule: AirspaceRule, value: Any) -> bool:
        return self._change(position, rule, replace(rule, types=listed_names(str(value), ALL)))

    def _change(self, position: int, before: AirspaceRule, after: AirspaceRule) -> bool:
        if after == before:
            return False
        rules = self._session.project.operations.airspace
        set_airspace(self._session, "change an airspace rule", with_row(rules, position, after))
        return True


class AirspaceDialog(EntryDialog):
    """Dialog that adds an airspace rule; it stays open where the rule cannot be used."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__("Add an airspace rule", "Add", parent)
        self._session = session
        most, radius, minutes = (declared_option(AirspaceRule, name) for name in ("most", "radius_m", "minutes"))
        self.most = text_line("airspaceMost", "such as 1", most.help)
        self.radius = text_line("airspaceRadius", ANYWHERE, radius.help)
        self.minutes = text_line("airspaceMinutes", "such as 60", minutes.help)
        self.types = text_line("airspaceTypes", "all, or ids such as S-2T, CL-415", _TYPES_TIP)
        form = QFormLayout()
        for title, line in (
            ("&Drops at most", self.most), ("&Radius, m", self.radius), ("&Minutes", self.minutes),
            ("&Types", self.types),
        ):  # fmt: skip
            form.addRow(title, line)
        vertical(self, muted_label(_HOW), form, self.buttons, least_width=420)

    @property
    def subject(self) -> str:
        """An airspace rule."""
        return "airspace rule"

    def use_entry(self) -> None:
        """Add the rule."""
        problems, read = Problems(), dict[str, Any]()
        for name, line in (("most", self.most), ("radius_m", self.radius), ("minutes", self.minutes)):
            try:
                read[name] = _number(name, line.text())
            except InputError as error:
                problems.extend(error.problems)
        rules, types = self._session.project.operations.airspace, listed_names(self.types.text(), ALL)
        made = AirspaceRule(**{"most": 1, "minutes": 1.0, **read}, types=types)
        if problems:
            problems.extend(_problems(self._session.project, (*rules, made)))
            problems.raise_if_any(REFUSED)
        set_airspace(self._session, "add an airspace rule", (*rules, made))


class AirspaceForm(QWidget):
    """Table of airspace rules with buttons to add and remove. Every edit is one undo step."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.dialog: Dialog | None = None
        self.model, self.view = AirspaceModel(session, self), EditableTable()
        show_table(self.view, self.model, "Airspace rules", stretch=_TYPES)
        fit_rows(self.view, _FEWEST, _MOST)
        self.view.horizontalHeader().setSectionResizeMode(_TYPES, QHeaderView.ResizeMode.Stretch)
        set_synonyms(self.view, AIRSPACE_WORDS)
        buttons = ButtonRow()
        buttons.add("add", "Add rule…", "Limit the drops of a place and a time", self.add, show_text=True)
        self._delete = buttons.add("delete", "Remove", "Remove the selected rule (Del)", self.remove)
        for signal in (self.view.selectionModel().selectionChanged, self.model.modelReset):
            signal.connect(self._enable)
        add_shortcut(self.view, "Del", self.remove)
        vertical(self, buttons, self.view, margins=0)
        self._enable()

    def show_rules(self, operations: Operations) -> None:
        """Show the airspace rules of a project."""
        self.model.set_rows(operations.airspace)

    def add(self) -> None:
        """Open the dialog that adds a rule."""
        if self._session.has_project:
            self.dialog = AirspaceDialog(self._session, self.window())
            self.dialog.open()

    def remove(self) -> None:
        """Remove the selected rule."""
        rows, rules = selected_rows(self.view), self._session.project.operations.airspace
        if rows:
            position = self.model.position(rows[0])
            kept = rules[:position] + rules[position + 1 :]
            operations = replace(self._session.project.operations, airspace=kept)
            self._session.set_operations("remove an airspace rule", operations)

    def _enable(self, *_: object) -> None:
        self._delete.setEnabled(bool(selected_rows(self.view)))
