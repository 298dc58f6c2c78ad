"""Form of a study: what varies, the cases, what is recorded, and the workers that compute it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QFileDialog,
    QFormLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QWidget,
)

from firegui.analyses.study.settings import STUDY_TEMPLATES, StudyRequest
from firegui.domain.benchmark import PLANNERS
from firegui.domain.project import Project
from firegui.domain.study import SCHEDULE, Case, Sampling, StudySettings, Vary
from firegui.domain.study_factors import factor_titles, kind_of
from firegui.domain.study_table import MEASURES
from firegui.domain.study_text import levels_text, read_levels, read_settings, settings_text
from firegui.domain.workers import GROUP, WorkerSettings
from firegui.errors import Problem
from firegui.gui.base.layouts import horizontal, muted_label, plain_label, vertical
from firegui.gui.base.plain_text import tooltip
from firegui.gui.widgets.fields import PathField, choice_combo, text_line
from firegui.gui.widgets.settings_form import FoldedSection, SettingsForm
from firegui.gui.widgets.table_buttons import ButtonRow
from firegui.io.project.study_file import StudyFile

_FILES = "Studies (*.toml);;All files (*)"
_SETTLE_MS = 250
_LINES = 8
_LEVELS = "0, 1, 2   or   0.6 to 0.95 in 6 steps"
_LEVELS_TIP = (
    "Values with commas between, or a range with its number of steps. A Latin hypercube draws from the range and needs "
    "no steps. Days of the plan count from 0; days of one level have spaces between: 2 3, none"
)
_SETS = "fleet.S-2T.count = 2; lifted.all = 2 3"
_SETS_TIP = "What this case sets: names of factors and values, with semicolons between. Empty: the project as it is"
_SET_TIP = "Factors that have the same value in every case: name = value, with semicolons between"
_REMEDY = "see the tooltip of the field"
Read = TypeVar("Read")


class FactorRow(QWidget):
    """One factor that varies: which, its levels, and a button that removes it."""

    changed = Signal()
    removed = Signal()

    def __init__(self, titles: Mapping[str, str], each: Vary, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.factor, self.levels = (
            choice_combo("Factor", "studyFactor"),
            text_line("studyLevels", "Levels", _LEVELS_TIP),
        )
        self.levels.setPlaceholderText(_LEVELS)
        self._read = levels_text(each), each
        self.show_titles(titles, each.name)
        self.levels.setText(levels_text(each))
        remove = ButtonRow()
        remove.add("delete", "Remove factor", "Do not vary this factor", self.removed.emit)
        horizontal(self, (self.factor, 1), (self.levels, 2), remove, margins=0, spacing=4)
        self.factor.currentIndexChanged.connect(self.changed)
        self.levels.textChanged.connect(self.changed)

    @property
    def name(self) -> str:
        """Name of the chosen factor."""
        return str(self.factor.currentData() or "")

    def show_titles(self, titles: Mapping[str, str], name: str) -> None:
        """Offer other factors and choose ``name``. One that the project does not have is offered by its name."""
        with QSignalBlocker(self.factor):
            self.factor.clear()
            for key, title in titles.items():
                self.factor.addItem(title, key)
                self.factor.setItemData(self.factor.count() - 1, key, Qt.ItemDataRole.ToolTipRole)
            if name not in titles:
                self.factor.addItem(name, name)
            self.factor.setCurrentIndex(self.factor.findData(name))

    def value(self, project: Project | None) -> Vary:
        """Return the factor with its levels. Raises ``ValueError`` for levels that cannot be read."""
        text = self.levels.text()
        if self._read == (text, replace(self._read[1], name=self.name)):
            return self._read[1]  # as the file has it
        return read_levels(self.name, text, None if project is None else kind_of(self.name, project))


class CaseRow(QWidget):
    """One case: its name, what it sets, and a button that removes it."""

    changed = Signal()
    removed = Signal()

    def __init__(self, case: Case, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.name, self.sets = text_line("studyCase", "Name of the case"), text_line("studyCaseSets", "Sets", _SETS_TIP)
        self.sets.setPlaceholderText(_SETS)
        self.name.setText(case.name)
        self.sets.setText(settings_text(case.set))
        remove = ButtonRow()
        remove.add("delete", "Remove case", "Leave this case out", self.removed.emit)
        horizontal(self, (self.name, 1), (self.sets, 2), remove, margins=0, spacing=4)
        for line in (self.name, self.sets):
            line.setCursorPosition(0)
            line.textChanged.connect(self.changed)

    def value(self, project: Project | None) -> Case:
        """Return the case. Raises ``ValueError`` for values that cannot be read."""
        return Case(self.name.text().strip(), read_settings(self.sets.text(), partial(_kind, project)))


class StudyForm(QWidget):
    """Form of a study. Files of studies can be opened and saved."""

    changed = Signal()
    """The study was edited a moment ago, or replaced."""
    begun = Signal(str)
    """A new study is requested, from this template of :data:`STUDY_TEMPLATES`."""
    open_requested = Signal(object)
    """The study in this ``Path`` is to be opened."""
    save_requested = Signal(object)
    """The study is to be saved in this ``Path``."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.file: Path | None = None
        self._project: Project | None = None
        self._fleet: tuple[str, ...] | None = None
        self._titles: Mapping[str, str] = {}
        self._start: Callable[[], Path] = Path.home
        self.fields = SettingsForm(
            StudySettings(), only=("name", "allowance", "budget", "excess", "sampling", "samples", "seed")
        )
        self.workers = SettingsForm(WorkerSettings())
        self.planner, self.set_line = choice_combo("Planner", "studyPlanner"), text_line("studySet", "Sets", _SET_TIP)
        self.schedule = PathField(
            "studySchedule", "Schedule that every case flies", files="Schedules (*.safetensors *.csv);;All files (*)",
            place=lambda: str(self._start()),
        )  # fmt: skip
        self.measures, self.first = QListWidget(), choice_combo("Figures show", "studyFirstMeasure")
        self.factors: list[FactorRow] = []
        self.cases: list[CaseRow] = []
        self._factor_box, self._case_box = QWidget(), QWidget()
        self._settle = QTimer(self, singleShot=True, interval=_SETTLE_MS)
        self._settle.timeout.connect(self.changed)
        self._lay_out()
        self._connect()
        self.set_study(StudyFile(".", StudySettings()))

    # -- for others --------------------------------------------------------------------------------------------------
    def study(self) -> StudyFile:
        """Return the study in the form; what cannot be read is left out, and told by :meth:`problems`."""
        factors = [each for row in self.factors if (each := _read(row.value, self._project)) is not None]
        cases = [case for row in self.cases if (case := _read(row.value, self._project)) is not None]
        every = _read(lambda project: read_settings(self.set_line.text(), partial(_kind, project)), self._project)
        settings = replace(
            self.fields.value(), planner=str(self.planner.currentData()), set=every or {}, vary=tuple(factors),
            cases=tuple(cases), measure=self._measures(),
        )  # fmt: skip
        return StudyFile(".", settings, self.schedule.text if self._flies_schedule else "")

    def problems(self) -> list[Problem]:
        """Return what cannot be read in the lines of the form, and cases without a name."""
        found = [_problem(f"vary {row.name}", row.value, self._project) for row in self.factors]
        found += [_problem(f"case {row.name.text().strip()}", row.value, self._project) for row in self.cases]
        read = partial(_settings_of, self.set_line)
        found.append(_problem("set in every case", read, self._project))
        unnamed = sum(not row.name.text().strip() for row in self.cases)
        nameless = [Problem("case", f"{unnamed} without a name", "give it one")] if unnamed else []
        return [problem for problem in found if problem is not None] + nameless

    def request(self) -> StudyRequest:
        """Return the request for the study."""
        return StudyRequest(self.study(), self.workers.value())

    def set_project(self, project: Project | None) -> None:
        """Offer the factors of another project."""
        fleet = None if project is None else tuple(kind.id for kind in project.fleet.types)
        is_same, self._fleet, self._project = fleet == self._fleet, fleet, project
        if not is_same:
            titles = self._titles = {} if project is None else factor_titles(project)
            for row in self.factors:
                row.show_titles(titles, row.name)

    def set_study(self, study: StudyFile, file: Path | None = None) -> None:
        """Show another study; ``file`` is where it is saved, if anywhere."""
        self.file, settings = file, study.settings
        self.fields.set_value(settings)
        with QSignalBlocker(self.planner):
            if self.planner.findData(settings.planner) < 0:
                self.planner.addItem(settings.planner, settings.planner)
            self.planner.setCurrentIndex(self.planner.findData(settings.planner))
        self.schedule.line.setText(study.schedule)
        self.set_line.setText(settings_text(settings.set))
        self.set_line.setCursorPosition(0)
        if settings.set:
            self.advanced.set_open(True)
        for factor in tuple(self.factors):
            self._drop(factor)
        for chosen in tuple(self.cases):
            self._drop(chosen)
        for each in settings.vary:
            self._add_factor(each)
        for case in settings.cases:
            self._add_case(case)
        self._show_measures(settings.measure)
        self._show_used()
        self._settle.stop()
        self.changed.emit()

    def set_host(self, start: Callable[[], Path]) -> None:
        """Set the folder in which file dialogs start."""
        self._start = start

    # -- rows --------------------------------------------------------------------------------------------------------
    def add_factor(self) -> None:
        """Add a factor that does not vary yet, with no levels."""
        used = {row.name for row in self.factors}
        name = next((name for name in self._titles if name not in used), "seed")
        self._add_factor(Vary(name)).levels.setFocus()
        self._on_edited()

    def add_case(self) -> None:
        """Add a case; the first is the project as it is."""
        row = self._add_case(Case(f"case {len(self.cases) + 1}" if self.cases else "as it is"))
        (row.sets if len(self.cases) > 1 else row.name).setFocus()
        self._on_edited()

    def _add_factor(self, each: Vary) -> FactorRow:
        row = FactorRow(self._titles, each, self._factor_box)
        self.factors.append(row)
        self._put(row, self._factor_box)
        return row

    def _add_case(self, case: Case) -> CaseRow:
        row = CaseRow(case, self._case_box)
        self.cases.append(row)
        self._put(row, self._case_box)
        return row

    def _put(self, row: FactorRow | CaseRow, box: QWidget) -> None:
        layout = box.layout()
        assert layout is not None
        layout.addWidget(row)
        row.changed.connect(self._on_edited)
        row.removed.connect(lambda: self._remove(row))

    def _remove(self, row: FactorRow | CaseRow) -> None:
        self._drop(row)
        self._on_edited()

    def _drop(self, row: FactorRow | CaseRow) -> None:
        if isinstance(row, FactorRow):
            self.factors.remove(row)
        else:
            self.cases.remove(row)
        row.hide()
        row.deleteLater()

    # -- measures ----------------------------------------------------------------------------------------------------
    def _measures(self) -> tuple[str, ...]:
        """Return the measures that are recorded, that of the figures first."""
        chosen, first = self._checked, str(self.first.currentData() or "")
        return tuple([first] * (first in chosen) + [name for name in chosen if name != first])

    def _show_measures(self, names: Sequence[str]) -> None:
        """Check ``names``, in their order before the others."""
        with QSignalBlocker(self.measures):
            self.measures.clear()
            for name in (*names, *(name for name in MEASURES if name not in names)):
                item = QListWidgetItem(MEASURES[name].label if name in MEASURES else name)
                item.setData(Qt.ItemDataRole.UserRole, name)
                item.setToolTip(tooltip(name))
                item.setFlags(
                    Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsUserCheckable
                )
                item.setCheckState(Qt.CheckState.Checked if name in names else Qt.CheckState.Unchecked)
                self.measures.addItem(item)
        self._offer_first(names[0] if names else "")

    def _offer_first(self, first: str) -> None:
        with QSignalBlocker(self.first):
            self.first.clear()
            for name in self._checked:
                self.first.addItem(MEASURES[name].label if name in MEASURES else name, name)
            self.first.setCurrentIndex(max(self.first.findData(first), 0))

    @property
    def _checked(self) -> list[str]:
        items = [self.measures.item(row) for row in range(self.measures.count())]
        return [
            str(item.data(Qt.ItemDataRole.UserRole)) for item in items if item.checkState() is Qt.CheckState.Checked
        ]

    # -- layout ------------------------------------------------------------------------------------------------------
    def _lay_out(self) -> None:
        for name in (*PLANNERS, SCHEDULE):
            title = PLANNERS[name].title if name in PLANNERS else "None: every case flies a schedule"  # type: ignore[index]
            self.planner.addItem(title, str(name))
        for box in (self._factor_box, self._case_box):
            vertical(box, margins=0, spacing=2)
        self.set_line.setPlaceholderText("days = 5; nominal = 0.9")
        self.measures.setAccessibleName("What is recorded")
        self.measures.setToolTip("Columns of the table. All measures are kept of every case")
        self.measures.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.measures.setWordWrap(True)
        self.measures.setResizeMode(QListWidget.ResizeMode.Adjust)
        heading = plain_label("&Record in the table")
        heading.setBuddy(self.measures)
        self.measures.setFixedHeight(_LINES * (self.measures.fontMetrics().height() + 4))
        self._form = form = QFormLayout()
        form.setVerticalSpacing(4)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        self.fields.add_rows(form, ["name"])
        form.addRow("Planner", self.planner)
        form.addRow("Schedule", self.schedule)
        self.fields.add_rows(form, ["allowance"])
        form.addRow(
            "What varies", _with_button(self._factor_box, "Add factor", "Vary one more factor", self.add_factor)
        )
        self.fields.add_rows(form, ["sampling", "samples", "seed"])
        form.addRow("Cases", _with_button(self._case_box, "Add case", "Add a chosen combination", self.add_case))
        form.addRow(
            "", muted_label("Every case is combined with everything that varies. Others are compared with the first.")
        )
        form.addRow(heading)
        form.addRow(self.measures)
        form.addRow("Figures show", self.first)
        more = QFormLayout()
        self.fields.add_rows(more, ["budget", "excess"])
        more.addRow("Set in every case", self.set_line)
        self.advanced = FoldedSection("Advanced", more)
        form.addRow(self.advanced)
        form.addRow(self.workers.folded(GROUP))
        vertical(self, self._files(), form, 1, margins=0, spacing=4)

    def _files(self) -> QWidget:
        buttons = ButtonRow()
        new = buttons.add(
            "new-study", "New", "Create a study of this project from a template", lambda: None, show_text=True
        )
        self.beginnings = QMenu(self)
        for name in STUDY_TEMPLATES:
            self.beginnings.addAction(name, partial(self.begun.emit, name))
        new.clicked.connect(lambda: self.beginnings.popup(new.mapToGlobal(new.rect().bottomLeft())))
        buttons.add("open", "Open…", "Open a study file (TOML)", self._choose, show_text=True)
        self.save_button = buttons.add(
            "save-as", "Save as…", "Save the study to a file (TOML), which firegui study reads too", self._save,
            show_text=True,
        )  # fmt: skip
        return buttons

    # -- events ------------------------------------------------------------------------------------------------------
    def _connect(self) -> None:
        for line in (self.set_line, self.schedule.line):
            line.textChanged.connect(self._on_edited)
        self.planner.currentIndexChanged.connect(self._on_edited)
        self.first.currentIndexChanged.connect(self._on_edited)
        self.fields.edited.connect(lambda _name: self._on_edited())
        self.workers.edited.connect(lambda _name: self._on_edited())
        self.measures.itemChanged.connect(self._on_measures)

    def _on_measures(self, *_: object) -> None:
        self._offer_first(str(self.first.currentData() or ""))
        self._on_edited()

    def _on_edited(self, *_: object) -> None:
        self._show_used()
        self._settle.start()

    def _show_used(self) -> None:
        """Show the fields that the study uses."""
        is_drawn = self.fields.value().sampling is Sampling.LATIN
        for name in ("samples", "seed"):
            self._form.setRowVisible(self.fields.box(name), is_drawn)
        self._form.setRowVisible(self.schedule, self._flies_schedule)

    @property
    def _flies_schedule(self) -> bool:
        lines = (self.set_line, *(row.levels for row in self.factors if row.name == "planner"))
        texts = [line.text() for line in (*lines, *(row.sets for row in self.cases))]
        return self.planner.currentData() == SCHEDULE or any(SCHEDULE in text for text in texts)

    def _choose(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self.window(), "Open a study", str(self._start()), _FILES)
        if name:
            self.open_requested.emit(Path(name))

    def _save(self) -> None:
        start = self.file or self._start() / "study.toml"
        name, _ = QFileDialog.getSaveFileName(self.window(), "Save the study", str(start), _FILES)
        if name:
            self.save_requested.emit(Path(name))


def _with_button(box: QWidget, text: str, help: str, pressed: Callable[[], object]) -> QWidget:
    """Return rows with a button below that adds one."""
    whole, buttons = QWidget(), ButtonRow()
    buttons.add(text.lower().replace(" ", "-"), text, help, pressed, show_text=True)
    vertical(whole, box, buttons, margins=0, spacing=2)
    return whole


def _kind(project: Project | None, name: str) -> type | None:
    return None if project is None else kind_of(name, project)


def _settings_of(line: QLineEdit, project: Project | None) -> dict[str, object]:
    return dict(read_settings(line.text(), partial(_kind, project)))


def _problem(where: str, read: Callable[[Project | None], object], project: Project | None) -> Problem | None:
    try:
        read(project)
    except ValueError as error:
        return Problem(where.strip(), str(error), _REMEDY)
    return None


def _read(read: Callable[[Project | None], Read], project: Project | None) -> Read | None:
    try:
        return read(project)
    except ValueError:
        return None
