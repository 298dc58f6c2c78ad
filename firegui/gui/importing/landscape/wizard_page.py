"""Base class of the wizard's steps, and the notes below their fields that show problems."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Sequence
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QFormLayout,
    QFrame,
    QGroupBox,
    QHBoxLayout,
    QLabel,
    QLayout,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from firegui.errors import Problem
from firegui.gui.base.controls import without_mnemonic
from firegui.gui.base.layouts import add_layout, plain_label
from firegui.gui.base.plain_text import tooltip
from firegui.gui.importing.landscape.survey import ImportDraft, SurveyResult

_NAMED = r"(?<![\w.-]){}(?![\w-])"
"""Pattern of a file name that is not part of a longer one."""

Files = Callable[[], Iterable[Path]]


class FieldNote(QLabel):
    """Text below a field with its problems; hidden if there are none.

    A problem belongs here if its place begins with one of ``beginnings`` or names one of ``files()``.
    """

    def __init__(self, *beginnings: str, field: QWidget | None = None, files: Files | None = None) -> None:
        super().__init__(wordWrap=True)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("role", "error")
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._beginnings, self._files, self._field = beginnings, files, field
        self.hide()

    def names(self, problem: Problem) -> bool:
        """Return whether the problem names a file of this field."""
        files = () if self._files is None else self._files()
        return any(path.name and re.search(_NAMED.format(re.escape(path.name)), problem.where) for path in files)

    def begins(self, problem: Problem) -> bool:
        """Return whether the problem's place begins with the name of this field."""
        return problem.where.lower().startswith(self._beginnings) if self._beginnings else False

    def show_problems(self, problems: Sequence[Problem]) -> None:
        """Show these problems."""
        text = "\n".join(f"⚠ {problem_text(problem)}" for problem in problems)
        show_text(self, text)
        if self._field is not None:
            # A screen reader reads it with the field.
            self._field.setAccessibleDescription(text)


class WizardPage(QScrollArea):
    """Base class of the steps.

    Subclasses put fields on :attr:`column` and their :class:`FieldNote` in :attr:`notes`.
    """

    title = ""
    about = ""
    overlays: frozenset[str] = frozenset()
    """Overlays of the preview: ``"files"``, ``"wind"`` or ``"fire"``; ``"coverage"`` replaces the layer."""
    scene_changed = Signal()
    """The preview should show another part of this step, such as another layer or day."""
    entries_changed = Signal()
    """An entry became invalid or valid."""

    def __init__(self, draft: ImportDraft) -> None:
        super().__init__()
        self.draft = draft
        self.survey_result: SurveyResult | None = None
        self.notes: list[FieldNote] = []
        self.problem_count = 0
        self.entry_problems: tuple[Problem, ...] = ()
        body = QWidget()
        self.column = QVBoxLayout(body)
        self.column.setContentsMargins(10, 8, 10, 8)
        self.column.setSpacing(8)
        head = plain_label(self.about, wordWrap=True)
        head.setProperty("role", "muted")
        self.column.addWidget(head)
        self.setWidget(body)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # The fields take the focus; the scroll area around them must not.
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def add(self, *parts: QWidget | QLayout) -> None:
        """Add widgets and layouts in a column."""
        for part in parts:
            if isinstance(part, QLayout):
                add_layout(self.column, part)
            else:
                self.column.addWidget(part)

    def note(self, *beginnings: str, field: QWidget | None = None, files: Files | None = None) -> FieldNote:
        """Return a new note for problems of ``field``."""
        self.notes.append(FieldNote(*beginnings, field=field, files=files))
        return self.notes[-1]

    def check_entries(self, problems: Iterable[Problem]) -> bool:
        """Keep the problems of the fields' entries; return whether there are none."""
        before, self.entry_problems = self.entry_problems, tuple(problems)
        if before != self.entry_problems:
            self.entries_changed.emit()
        return not self.entry_problems

    def show_answers(self) -> None:
        """Update the fields from the draft, without changing the draft."""

    def show_survey(self, survey_result: SurveyResult) -> None:
        """Show the facts found in the files."""
        self.survey_result = survey_result

    def start_folder(self, own_files: Iterable[Path] = ()) -> str:
        """Return the folder of a file chosen before, as start of file dialogs; empty without any."""
        files = [*own_files, *(file.path for file in self.draft.source.layers.values())]
        return str(files[0].parent) if files else ""


def put_text(line: QLineEdit, text: str) -> None:
    """Set the text without a signal, unless the field is being edited."""
    if line.hasFocus() and line.isModified():
        return
    with QSignalBlocker(line):
        line.setText(text)


def group(title: str, content: QLayout) -> QGroupBox:
    """Return a titled part of a step."""
    box = QGroupBox(title)
    box.setLayout(content)
    return box


def form(*rows: tuple[str, QWidget]) -> QFormLayout:
    """Return titled fields that take the available width.

    A field without an accessible name gets its title as name.
    """
    made = QFormLayout()
    made.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
    made.setRowWrapPolicy(QFormLayout.RowWrapPolicy.DontWrapRows)
    for title, field in rows:
        made.addRow(title, field)
        if title and not field.accessibleName():
            field.setAccessibleName(without_mnemonic(title))
    return made


def flush_form(*rows: tuple[str, QWidget]) -> QWidget:
    """Return :func:`form` as a widget without margins."""
    widget = QWidget()
    layout = form(*rows)
    layout.setContentsMargins(0, 0, 0, 0)
    widget.setLayout(layout)
    return widget


def button(text: str, run: Callable[[], object], tip: str) -> QPushButton:
    """Return a button that Enter in a field does not press."""
    made = QPushButton(text)
    made.setAutoDefault(False)
    made.setToolTip(tooltip(tip))
    made.clicked.connect(lambda _checked=False: run())
    return made


def button_row(*buttons: QPushButton) -> QHBoxLayout:
    """Return buttons in a row, aligned left."""
    row = QHBoxLayout()
    for each in buttons:
        row.addWidget(each)
    row.addStretch(1)
    return row


def show_text(label: QLabel, text: str) -> None:
    """Show a text; hide the label if it is empty."""
    label.setText(text)
    label.setVisible(bool(text))


def copyable_label(role: str = "muted") -> QLabel:
    """Return a label whose text can be copied."""
    label = plain_label(wordWrap=True)
    label.setProperty("role", role)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


def show_on_pages(
    problems: Iterable[Problem], pages: Sequence[WizardPage], seen: Container[WizardPage], rest: WizardPage
) -> None:
    """Show every problem below its field, on the steps that were ``seen``; other steps show none yet.

    A problem that belongs to no field counts for ``rest``.
    """
    mine: dict[FieldNote, list[Problem]] = {note: [] for page in pages for note in page.notes}
    homes = {note: page for page in pages for note in page.notes}
    for page in pages:
        page.problem_count = 0
    for problem in problems:
        note = next((n for n in mine if n.names(problem)), None) or next((n for n in mine if n.begins(problem)), None)
        home = homes[note] if note is not None else rest
        if home in seen:
            home.problem_count += 1
            if note is not None:
                mine[note].append(problem)
    for note, found in mine.items():
        note.show_problems(found)


def problem_text(problem: Problem, indent: str = "   ") -> str:
    """Return place and text of a problem, and its remedy on a second line."""
    problem = problem.for_window()
    return problem.head + (f"\n{indent}→ {problem.remedy}" if problem.remedy else "")
