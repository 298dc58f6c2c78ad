"""What the steps of the wizard have in common: a title, fields, and what is wrong said right below each."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Sequence
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QFormLayout,
    QFrame,
    QGroupBox,
    QLabel,
    QLayout,
    QLineEdit,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from firegui.errors import Problem
from firegui.gui.importing.landscape.survey import ImportDraft, SurveyResult

_NAMED = r"(?<![\w.-]){}(?![\w-])"
"""A file's name that is no part of a longer one."""

Files = Callable[[], Iterable[Path]]


class FieldNote(QLabel):
    """Stands below a field and says what is wrong with it; not there while nothing is.

    A problem belongs here when its place begins with one of ``beginnings`` or names one of ``files()``.
    """

    def __init__(self, *beginnings: str, field: QWidget | None = None, files: Files | None = None) -> None:
        super().__init__(wordWrap=True)
        self.setProperty("role", "error")
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._beginnings, self._files, self._field = beginnings, files, field
        self.hide()

    def names(self, problem: Problem) -> bool:
        """Whether the problem names a file of this field."""
        files = () if self._files is None else self._files()
        return any(path.name and re.search(_NAMED.format(re.escape(path.name)), problem.where) for path in files)

    def begins(self, problem: Problem) -> bool:
        """Whether the problem's place begins as this field is called."""
        return problem.where.lower().startswith(self._beginnings) if self._beginnings else False

    def show_problems(self, problems: Sequence[Problem]) -> None:
        """Say these."""
        text = "\n".join(f"⚠ {_said(problem)}" for problem in problems)
        self.setText(text)
        self.setVisible(bool(text))
        if self._field is not None:
            # A screen reader says it with the field.
            self._field.setAccessibleDescription(text)


class WizardPage(QScrollArea):
    """One step. Subclasses put fields on :attr:`column` and their :class:`FieldNote` in :attr:`notes`."""

    title = ""
    about = ""
    overlays: frozenset[str] = frozenset()
    """What the preview shows over the layer: ``"files"``, ``"wind"``, ``"fire"``, ``"coverage"`` in its place."""
    scene_changed = Signal()
    """The preview should show something else of this step, such as another layer or day."""
    entries_changed = Signal()
    """Something that cannot be read was typed, or mended."""

    def __init__(self, draft: ImportDraft) -> None:
        super().__init__()
        self.draft = draft
        self.look: SurveyResult | None = None
        self.notes: list[FieldNote] = []
        self.problem_count = 0
        self.entry_problems: tuple[Problem, ...] = ()
        body = QWidget()
        self.column = QVBoxLayout(body)
        self.column.setContentsMargins(10, 8, 10, 8)
        self.column.setSpacing(8)
        head = QLabel(self.about, wordWrap=True)
        head.setProperty("role", "muted")
        self.column.addWidget(head)
        self.setWidget(body)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # The fields take the keys; the area that scrolls them is no stop on the way.
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def note(self, *beginnings: str, field: QWidget | None = None, files: Files | None = None) -> FieldNote:
        """A new line for what is wrong with ``field``."""
        self.notes.append(FieldNote(*beginnings, field=field, files=files))
        return self.notes[-1]

    def take_entries(self, problems: Iterable[Problem]) -> bool:
        """Remember what cannot be read of the fields; whether all of it can."""
        before, self.entry_problems = self.entry_problems, tuple(problems)
        if before != self.entry_problems:
            self.entries_changed.emit()
        return not self.entry_problems

    def show_answers(self) -> None:
        """Bring the fields up to date with the draft. The draft is not changed by it."""

    def show_look(self, look: SurveyResult) -> None:
        """Show what was found out about the answers."""
        self.look = look


def put_text(line: QLineEdit, text: str) -> None:
    """Show another text, but not in the place of what a person is typing just now; nobody is told of it."""
    if line.hasFocus() and line.isModified():
        return
    with QSignalBlocker(line):
        line.setText(text)


def group(title: str, content: QLayout) -> QGroupBox:
    """A titled part of a step."""
    box = QGroupBox(title)
    box.setLayout(content)
    return box


def form() -> QFormLayout:
    """Labels beside fields that take the width there is, below each other where there is little."""
    made = QFormLayout()
    made.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
    made.setRowWrapPolicy(QFormLayout.RowWrapPolicy.DontWrapRows)
    return made


def said_line(role: str = "muted") -> QLabel:
    """Text that can be copied."""
    label = QLabel(wordWrap=True)
    label.setProperty("role", role)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


def hand_out(
    problems: Iterable[Problem], pages: Sequence[WizardPage], seen: Container[WizardPage], rest: WizardPage
) -> None:
    """Put every problem below the field it belongs to, on the steps that a person has ``seen``.

    One that belongs to no field is left for ``rest``. A step that nobody has come to yet is not in the wrong.
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


def _said(problem: Problem) -> str:
    return f"{problem.where}: {problem.what}" + (f"\n   → {problem.remedy}" if problem.remedy else "")
