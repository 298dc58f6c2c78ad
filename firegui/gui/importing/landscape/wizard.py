"""Wizard that imports a landscape: steps, preview, and the tasks that read the files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QKeyEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QDialog,
    QHBoxLayout,
    QProgressBar,
    QSplitter,
    QStackedWidget,
    QToolButton,
    QWidget,
)

from firegui.domain.project import Project
from firegui.domain.units import Units
from firegui.errors import Check, FireguiError, InputError, Problem
from firegui.gui.base.controls import focus_first_field, press_focused_button
from firegui.gui.base.dialogs import Dialog
from firegui.gui.base.layouts import horizontal, plain_label, vertical
from firegui.gui.base.plain_text import tooltip
from firegui.gui.base.screen_geometry import resize_on_screen
from firegui.gui.base.tasks import LatestTask
from firegui.gui.importing.landscape.files_page import FilesPage
from firegui.gui.importing.landscape.fire_page import FirePage
from firegui.gui.importing.landscape.grid_page import GridPage
from firegui.gui.importing.landscape.preview_column import PreviewColumn
from firegui.gui.importing.landscape.summary_page import CoveragePage, SummaryPage
from firegui.gui.importing.landscape.survey import (
    ImportAnswers,
    ImportDraft,
    SurveyResult,
    recognise_files,
    survey_files,
)
from firegui.gui.importing.landscape.weather_page import WeatherPage
from firegui.gui.importing.landscape.wizard_page import WizardPage, button, show_on_pages
from firegui.gui.session.reporting import as_input_error
from firegui.io.importers.landscape_source import LandscapeSource

_SIZE = QSize(1240, 800)
_PAGE_PX, _PREVIEW_PX = 470, 640
_WHERE = "the landscape"
_SETTLE_MS = 250

MakeProject = Callable[[ImportAnswers, Check], Project]
OpenProject = Callable[[Project, Path | None], bool]
"""Function that opens the project and saves it to the folder, if given. Returns ``False`` if declined."""


class LandscapeWizard(Dialog):
    """Wizard that makes a project from the user's files.

    ``make`` imports in a thread and can be cancelled. The wizard writes nothing: ``take`` receives the project. If it
    returns ``False``, the wizard stays open.
    """

    def __init__(
        self, make: MakeProject, take: OpenProject, parent: QWidget | None = None, units: Units = Units.METRIC
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Import a landscape")
        self.setAcceptDrops(True)
        self.setSizeGripEnabled(True)
        self._make, self._take = make, take
        self._look: SurveyResult | None = None
        self._refused: tuple[Problem, ...] = ()
        self.draft = ImportDraft(self, units)
        self.files, self.grid, self.weather = FilesPage(self.draft), GridPage(self.draft), WeatherPage(self.draft)
        self.fire, self.coverage, self.summary = FirePage(self.draft), CoveragePage(self.draft), SummaryPage(self.draft)
        self.pages: tuple[WizardPage, ...] = (
            self.files, self.grid, self.weather, self.fire, self.coverage, self.summary,
        )  # fmt: skip
        self._seen: set[WizardPage] = set()
        self.preview = PreviewColumn(units=units)
        self._tasks = [LatestTask(self, settle_ms=ms) for ms in (0, _SETTLE_MS, 0)]
        self._recognise, self._survey, self._import = self._tasks
        self._lay_out()
        self._connect()
        self.go_to(0)
        resize_on_screen(self, _SIZE)

    @property
    def survey_result(self) -> SurveyResult | None:
        """The latest facts found in the files of the answers."""
        return self._look

    @property
    def is_busy(self) -> bool:
        """Whether files are being read or imported."""
        return any(task.is_busy for task in self._tasks)

    def add_paths(self, paths: Sequence[Path]) -> None:
        """Recognise a folder or files by their names and contents, and add them to the answers."""
        self._seen.add(self.files)
        self._recognise.request(partial(recognise_files, self.draft.answers, tuple(paths)))

    # -- putting together --------------------------------------------------------------------------------------------
    def _lay_out(self) -> None:
        self._stack = QStackedWidget()
        self._stack.setMinimumWidth(380)
        for page in self.pages:
            self._stack.addWidget(page)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setChildrenCollapsible(False)
        for part in (self._stack, self.preview):
            split.addWidget(part)
        split.setStretchFactor(1, 1)
        split.setSizes([_PAGE_PX, _PREVIEW_PX])
        vertical(self, self._step_bar(), (split, 1), self._button_row())

    def _step_bar(self) -> QHBoxLayout:
        row = QHBoxLayout()
        self.steps: list[QToolButton] = []
        self._choice = QButtonGroup(self)
        for number, page in enumerate(self.pages):
            step = QToolButton(autoRaise=True)
            step.setCheckable(True)
            step.setObjectName(f"step{page.title}")
            step.setToolTip(tooltip(f"Go to step {number + 1}: {page.title}"))
            step.clicked.connect(lambda _checked=False, number=number: self.go_to(number))
            self._choice.addButton(step, number)
            self.steps.append(step)
            row.addWidget(step)
        row.addStretch(1)
        return row

    def _button_row(self) -> QHBoxLayout:
        self._bar = QProgressBar(minimum=0, maximum=0, textVisible=False)
        self._bar.setFixedWidth(110)
        self._bar.hide()
        self._said = plain_label()
        self._said.setProperty("role", "muted")
        # Enter in a field applies the entry. It must not go to the next step.
        self.back = button("< Bac&k", lambda: self.go_to(self.step - 1), "Go to the step before")
        self.next = button("Ne&xt >", lambda: self.go_to(self.step + 1), "Go to the next step")
        self.finish = button("&Make the project", self.make_project, "Import the files and open the new project")
        self.cancel = button("Cancel", self.reject, "Stop the import, or close without a project")
        row = horizontal(None, self._bar, (self._said, 1), self.back, self.next, self.finish, self.cancel)
        return row

    def _connect(self) -> None:
        self.draft.changed.connect(self._on_answers)
        self.files.paths_chosen.connect(self.add_paths)
        self.preview.map_clicked.connect(self.fire.set_start_point)
        self.preview.day_changed.connect(self._show_scene)
        self.preview.layer_chosen.connect(self._show_scene)
        for page in self.pages:
            page.scene_changed.connect(self._on_scene_change)
            page.entries_changed.connect(self._on_entries)
        for task, take_over in zip(self._tasks, (self._on_recognised, self._on_look, self._on_made), strict=True):
            task.returned.connect(take_over)
            task.raised.connect(self._on_failed)
            task.busy_changed.connect(self._show_busy)

    # -- the steps ---------------------------------------------------------------------------------------------------
    @property
    def step(self) -> int:
        """The number of the shown step, from 0."""
        return self._stack.currentIndex()

    @property
    def page(self) -> WizardPage:
        """The shown step."""
        return self.pages[self.step]

    def go_to(self, step: int) -> None:
        """Show another step. The previous step counts as seen."""
        if not 0 <= step < len(self.pages):
            return
        if step != self.step:
            self._seen.add(self.page)
        self._stack.setCurrentIndex(step)
        if self.page is self.summary:
            self._seen.update(self.pages)
        self.steps[step].setChecked(True)
        self.back.setEnabled(step > 0)
        self.next.setEnabled(step < len(self.pages) - 1)
        if self.isVisible():
            focus_first_field(self.page)
        self._show_problems()
        self._show_scene()

    # -- reading the files --------------------------------------------------------------------------------------
    def _on_answers(self) -> None:
        self._refused = ()
        self._seen.add(self.page)
        for page in self.pages:
            page.show_answers()
        answers = self.draft.answers
        if answers.source == LandscapeSource():
            self._survey.cancel()
            self._look = None
            self._show_problems()
            self._show_scene()
            return
        self._survey.request(partial(survey_files, answers, self._look))

    def _on_recognised(self, answers: ImportAnswers) -> None:
        self.draft.answer(source=answers.source, guessed=answers.guessed, unreadable=answers.unreadable)

    def _on_look(self, survey_result: SurveyResult) -> None:
        self._look = survey_result
        for page in self.pages:
            page.show_survey(survey_result)
        self._show_problems()
        self._show_scene()

    def _on_entries(self) -> None:
        self._seen.add(self.page)
        self._show_problems()

    def _on_scene_change(self) -> None:
        if self.page is self.files:
            self.preview.choose_layer(self.files.key)
        self._show_scene()

    def _show_scene(self, *_: object) -> None:
        self.preview.show_survey(self._look, self.page.overlays)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """All known problems that prevent the import."""
        typed = tuple(problem for page in self.pages for problem in page.entry_problems)
        found = self._look.problems if self._look is not None else ()
        return (*typed, *dict.fromkeys((*found, *self._refused)))

    def _show_problems(self) -> None:
        problems = self.problems
        show_on_pages(problems, self.pages, self._seen, self.summary)
        self.summary.show_problems(problems, surveyed=self._look is not None)
        for number, (step, page) in enumerate(zip(self.steps, self.pages, strict=True), start=1):
            count = page.problem_count if page is not self.summary else 0
            step.setText(f"{number}  {page.title}" + (f"  ⚠ {count}" if count else ""))
            words = f", {count} to fix" if count else ""
            step.setAccessibleName(f"Step {number}, {page.title}{words}")
        self._enable()

    def _enable(self) -> None:
        importing = self._import.is_busy
        # Only if everything that was assumed can be read.
        there = self.page is self.summary and self._look is not None
        self.finish.setEnabled(there and not self.problems and not self.is_busy)
        self._stack.setEnabled(not importing)
        self.cancel.setText("Stop" if importing else "Cancel")

    def _show_busy(self, _busy: bool = False) -> None:
        self._bar.setVisible(self.is_busy)
        importing = self._import.is_busy
        self._said.setText("Importing…" if importing else "Reading the files…" if self.is_busy else "")
        self._enable()

    # -- making the project ------------------------------------------------------------------------------------------
    def make_project(self) -> None:
        """Import in a thread; the wizard closes after success."""
        if not self.finish.isEnabled():
            return
        self._import.request(partial(self._make, self.draft.answers))

    def _on_made(self, project: Project) -> None:
        if self._take(project, self.draft.answers.folder):
            self.accept()

    def _on_failed(self, error: Exception) -> None:
        if not isinstance(error, (FireguiError, OSError)):
            what = f"an unexpected {type(error).__name__}: {error}"
            error = InputError([Problem(_WHERE, what, "please report it with the file it happened with")])
        self._refused = as_input_error(error, _WHERE).problems
        self._seen.update(self.pages)
        self._show_problems()

    def reject(self) -> None:
        """Stop an import, else close without a project."""
        if self._import.is_busy:
            self._import.cancel()
            return
        super().reject()

    def done(self, result: int) -> None:
        """Close the window once every thread has finished."""
        for task in self._tasks:
            task.shutdown()
        super().done(result)

    # -- Qt's events -------------------------------------------------------------------------------------------------
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Press the focused button on Enter; in a field Enter only applies the entry."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            press_focused_button(self)
            return
        super().keyPressEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept local folders and files."""
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Recognise the dropped folders and files."""
        event.acceptProposedAction()
        self.add_paths([Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()])


def ask_landscape(
    parent: QWidget | None, make: MakeProject, take: OpenProject, paths: Sequence[Path] = (),
    units: Units = Units.METRIC,
) -> bool:  # fmt: skip
    """Show the wizard with ``paths`` and return whether a project was made and opened."""
    wizard = LandscapeWizard(make, take, parent, units)
    if paths:
        wizard.add_paths(paths)
    made = wizard.exec() == QDialog.DialogCode.Accepted
    wizard.deleteLater()
    return made
