"""Form of the radio frequencies and hazards that briefing and order sheets print."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QComboBox, QFormLayout, QLineEdit, QWidget

from firegui.domain.crew_notes import USUAL_USES, RadioFrequency, frequency_problems, hazard_problems
from firegui.domain.operations import Operations
from firegui.domain.options import declared_option
from firegui.errors import Problem, raise_new_problems
from firegui.gui.base.controls import add_shortcut, set_synonyms
from firegui.gui.base.dialogs import Dialog
from firegui.gui.base.layouts import group_box, muted_label, vertical
from firegui.gui.base.plain_text import tooltip
from firegui.gui.scenario.entry_dialog import EntryDialog
from firegui.gui.session.session import Session
from firegui.gui.widgets.editable_table import EditableTable
from firegui.gui.widgets.fields import choice_combo, text_line
from firegui.gui.widgets.table_buttons import ButtonRow
from firegui.gui.widgets.table_model import Column, TableModel, with_row
from firegui.gui.widgets.table_view import fit_rows, selected_rows, show_table

REFUSED = "The notes for crews were not changed"
_FIELDS = ("use", "am", "fm")
_HAZARD_TIP = "what crews must know, such as a power line; it stands in block 4 of ICS 220 and on every order sheet"
_PRINTED = "Printed in the briefing and on order sheets. No plan depends on them."
_FEWEST, _MOST = 1, 6


def set_notes(session: Session, text: str, operations: Operations) -> None:
    """Change frequencies and hazards as one undoable step.

    Raises :class:`~firegui.errors.InputError` with every problem that this would add.
    """
    raise_new_problems(_problems(session.project.operations), _problems(operations), REFUSED)
    session.set_operations(text, operations)


def _problems(operations: Operations) -> list[Problem]:
    return frequency_problems(operations.frequencies) + hazard_problems(operations.hazards)


class FrequencyModel(TableModel[RadioFrequency]):
    """Radio frequencies in the project's order; every cell can be edited."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__([self._column(name) for name in _FIELDS], parent)
        self._session = session

    def _column(self, name: str) -> Column:
        declared = declared_option(RadioFrequency, name)

        def value(item: RadioFrequency) -> str | None:
            found: str = getattr(item, name)
            return found or None

        return Column(
            declared.title, value, tip=declared.help, is_text=True, edit=partial(self._edit, name), missing="",
            cell_tip=value,
        )  # fmt: skip

    def _edit(self, name: str, position: int, item: RadioFrequency, value: Any) -> bool:
        after = replace(item, **{name: str(value).strip()})
        if after == item:
            return False
        operations = self._session.project.operations
        changed = with_row(operations.frequencies, position, after)
        set_notes(self._session, f"change frequency {item.use}", replace(operations, frequencies=changed))
        return True


class HazardModel(TableModel[str]):
    """Hazards in the project's order."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        column = Column("Hazard", str, tip=_HAZARD_TIP, is_text=True, edit=self._edit, cell_tip=str)
        super().__init__([column], parent)
        self._session = session

    def _edit(self, position: int, item: str, value: Any) -> bool:
        after = str(value).strip()
        if after == item:
            return False
        operations = self._session.project.operations
        changed = with_row(operations.hazards, position, after)
        set_notes(self._session, "change a hazard", replace(operations, hazards=changed))
        return True


class FrequencyDialog(EntryDialog):
    """Dialog that adds a radio frequency; it stays open where the entry cannot be printed."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__("Add a frequency", "Add", parent)
        self._session = session
        use, am, fm = (declared_option(RadioFrequency, name) for name in _FIELDS)
        taken = {item.use.strip().casefold() for item in session.project.operations.frequencies}
        self.use: QComboBox = choice_combo(use.title, "frequencyUse")
        self.use.addItems([each for each in USUAL_USES if each.casefold() not in taken])
        self.use.setEditable(True)
        self.use.setToolTip(tooltip(use.help))
        self.am: QLineEdit = text_line("frequencyAm", "such as 122.925", am.help)
        self.fm: QLineEdit = text_line("frequencyFm", "such as 168.275 T110.9", fm.help)
        form = QFormLayout()
        for title, field in (("&Use", self.use), ("&AM", self.am), ("&FM", self.fm)):
            form.addRow(title, field)
        vertical(self, form, self.buttons, least_width=380)

    @property
    def subject(self) -> str:
        """A frequency."""
        return "frequency"

    def use_entry(self) -> None:
        """Add the frequency."""
        made = RadioFrequency(self.use.currentText().strip(), self.am.text().strip(), self.fm.text().strip())
        operations = self._session.project.operations
        changed = replace(operations, frequencies=(*operations.frequencies, made))
        set_notes(self._session, f"add frequency {made.use}", changed)


class HazardDialog(EntryDialog):
    """Dialog that adds a hazard; it stays open where the text cannot be printed."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__("Add a hazard", "Add", parent)
        self._session = session
        self.hazard: QLineEdit = text_line("hazardText", "such as Power line along Road 7", _HAZARD_TIP)
        form = QFormLayout()
        form.addRow("&Hazard", self.hazard)
        vertical(self, form, self.buttons, least_width=420)

    @property
    def subject(self) -> str:
        """A hazard."""
        return "hazard"

    def use_entry(self) -> None:
        """Add the hazard."""
        operations = self._session.project.operations
        changed = replace(operations, hazards=(*operations.hazards, self.hazard.text().strip()))
        set_notes(self._session, "add a hazard", changed)


class CrewNotesForm(QWidget):
    """Tables of frequencies and hazards, each with buttons to add and remove. Every edit is one undo step."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.dialog: Dialog | None = None
        self.frequencies, self.hazards = FrequencyModel(session, self), HazardModel(session, self)
        self.frequency_view = self._table(self.frequencies, "Radio frequencies", "channel air ground")
        self.hazard_view = self._table(self.hazards, "Hazards", "wires power line safety")
        frequencies = self._buttons("Add frequency…", FrequencyDialog, self.frequency_view, self.remove_frequency)
        hazards = self._buttons("Add hazard…", HazardDialog, self.hazard_view, self.remove_hazard)
        vertical(
            self, group_box("Radio frequencies of the crews", frequencies, self.frequency_view),
            group_box("Hazards to the crews", hazards, self.hazard_view, muted_label(_PRINTED)), spacing=8, margins=0,
        )  # fmt: skip

    def show_notes(self, operations: Operations) -> None:
        """Show the frequencies and hazards of a project."""
        self.frequencies.set_rows(operations.frequencies)
        self.hazards.set_rows(operations.hazards)

    def add(self, dialog: type[FrequencyDialog] | type[HazardDialog]) -> None:
        """Open a dialog that adds a line."""
        if self._session.has_project:
            self.dialog = dialog(self._session, self.window())
            self.dialog.open()

    def remove_frequency(self) -> None:
        """Remove the selected frequency."""
        operations, position = self._session.project.operations, _selected(self.frequency_view, self.frequencies)
        if position >= 0:
            kept = operations.frequencies[:position] + operations.frequencies[position + 1 :]
            text = f"remove frequency {operations.frequencies[position].use}"
            self._session.set_operations(text, replace(operations, frequencies=kept))

    def remove_hazard(self) -> None:
        """Remove the selected hazard."""
        operations, position = self._session.project.operations, _selected(self.hazard_view, self.hazards)
        if position >= 0:
            kept = operations.hazards[:position] + operations.hazards[position + 1 :]
            self._session.set_operations("remove a hazard", replace(operations, hazards=kept))

    def _table(self, model: TableModel[Any], name: str, synonyms: str) -> EditableTable:
        view = EditableTable()
        show_table(view, model, name, stretch=0)
        fit_rows(view, _FEWEST, _MOST)
        set_synonyms(view, synonyms)
        return view

    def _buttons(
        self, title: str, dialog: type[FrequencyDialog] | type[HazardDialog], view: EditableTable,
        remove: Callable[[], None],
    ) -> ButtonRow:  # fmt: skip
        row = ButtonRow()
        row.add(
            "add", title, "Add a line that briefing and order sheets print", partial(self.add, dialog), show_text=True
        )
        button = row.add("delete", "Remove", "Remove the selected line (Del)", remove)

        def enable(*_: object) -> None:
            button.setEnabled(bool(selected_rows(view)))

        for signal in (view.selectionModel().selectionChanged, view.model().modelReset):
            signal.connect(enable)
        enable()
        add_shortcut(view, "Del", remove)
        return row


def _selected(view: EditableTable, model: TableModel[Any]) -> int:
    """Return the first selected row, −1 for none."""
    rows = selected_rows(view)
    return model.position(rows[0]) if rows else -1
