"""The wizard's window: the steps on the left, the preview on the right, and the threads that serve them."""

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
    QLabel,
    QProgressBar,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from firegui.domain.project import Project
from firegui.errors import FireguiError, InputError, Problem
from firegui.gui.base.tasks import Check, LatestTask
from firegui.gui.importing.landscape.files_page import FilesPage
from firegui.gui.importing.landscape.fire_page import FirePage
from firegui.gui.importing.landscape.grid_page import GridPage
from firegui.gui.importing.landscape.preview_column import PreviewColumn
from firegui.gui.importing.landscape.summary_page import CoveragePage, SummaryPage
from firegui.gui.importing.landscape.survey import ImportAnswers, ImportDraft, SurveyResult, bring_in, look_at
from firegui.gui.importing.landscape.weather_page import WeatherPage
from firegui.gui.importing.landscape.wizard_page import WizardPage, hand_out
from firegui.gui.session.reporting import as_input_error
from firegui.io.importers.landscape_source import LandscapeSource

_SIZE = QSize(1240, 800)
_PAGE_PX, _PREVIEW_PX = 470, 640
_WHERE = "the landscape"
_SETTLE_MS = 250

Make = Callable[[ImportAnswers, Check], Project]
Take = Callable[[Project, Path | None], bool]
"""Opens the project and keeps it in the folder, if one was said; ``False`` when the person would rather not."""


class LandscapeWizard(QDialog):
    """Makes a project of somebody's own files; ``make`` does the import, in a thread, and may be given up.

    Nothing is written here: ``take`` gets the project, and where it does not want it the wizard stays as it is.
    """

    def __init__(self, make: Make, take: Take, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Import a landscape")
        self.setAcceptDrops(True)
        self.setSizeGripEnabled(True)
        self._make, self._take = make, take
        self._look: SurveyResult | None = None
        self._refused: tuple[Problem, ...] = ()
        self.draft = ImportDraft(self)
        self.files, self.grid, self.weather = FilesPage(self.draft), GridPage(self.draft), WeatherPage(self.draft)
        self.fire, self.coverage, self.summary = FirePage(self.draft), CoveragePage(self.draft), SummaryPage(self.draft)
        self.pages: tuple[WizardPage, ...] = (
            self.files, self.grid, self.weather, self.fire, self.coverage, self.summary,
        )  # fmt: skip
        self._seen: set[WizardPage] = set()
        self.preview = PreviewColumn()
        self._recognise, self._survey, self._import = (LatestTask(self, settle_ms=ms) for ms in (0, _SETTLE_MS, 0))
        self._lay_out()
        self._connect()
        self.go_to(0)
        self._fit_screen()

    @property
    def look(self) -> SurveyResult | None:
        """What was found out last about the answers."""
        return self._look

    @property
    def is_busy(self) -> bool:
        """Whether files are being looked into or imported."""
        return any(beside.is_busy for beside in (self._recognise, self._survey, self._import))

    def bring(self, paths: Sequence[Path]) -> None:
        """Take in a folder or files: what they are is told from their names and contents."""
        self._seen.add(self.files)
        self._recognise.request(partial(bring_in, self.draft.answers, tuple(paths)))

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
        column = QVBoxLayout(self)
        column.addLayout(self._step_bar())
        column.addWidget(split, 1)
        column.addLayout(self._button_row())

    def _step_bar(self) -> QHBoxLayout:
        row = QHBoxLayout()
        self.steps: list[QToolButton] = []
        self._choice = QButtonGroup(self)
        for number, page in enumerate(self.pages):
            button = QToolButton()
            button.setCheckable(True)
            button.setAutoRaise(True)
            button.setObjectName(f"step{page.title}")
            button.clicked.connect(partial(self._on_step, number))
            self._choice.addButton(button, number)
            self.steps.append(button)
            row.addWidget(button)
        row.addStretch(1)
        return row

    def _button_row(self) -> QHBoxLayout:
        self._bar = QProgressBar()
        self._bar.setRange(0, 0)
        self._bar.setFixedWidth(110)
        self._bar.setTextVisible(False)
        self._said = QLabel()
        self._said.setProperty("role", "muted")
        self.back, self.next = QPushButton("< Bac&k"), QPushButton("Ne&xt >")
        self.finish, self.cancel = QPushButton("&Make the project"), QPushButton("Cancel")
        row = QHBoxLayout()
        row.addWidget(self._bar)
        row.addWidget(self._said, 1)
        for button in (self.back, self.next, self.finish, self.cancel):
            # Enter in a line takes the line in; it must not turn the page.
            button.setAutoDefault(False)
            row.addWidget(button)
        return row

    def _connect(self) -> None:
        self.back.clicked.connect(lambda _checked=False: self.go_to(self.step - 1))
        self.next.clicked.connect(lambda _checked=False: self.go_to(self.step + 1))
        self.finish.clicked.connect(lambda _checked=False: self.make_project())
        self.cancel.clicked.connect(lambda _checked=False: self.reject())
        self.draft.changed.connect(self._on_answers)
        self.files.brought.connect(self.bring)
        self.preview.map_clicked.connect(self.fire.take_place)
        self.preview.day_changed.connect(self._show_scene)
        self.preview.layer_chosen.connect(self._show_scene)
        for page in self.pages:
            page.scene_changed.connect(self._on_scene_wish)
            page.entries_changed.connect(self._on_entries)
        self._survey.returned.connect(self._on_look)
        self._survey.raised.connect(self._on_failed)
        self._import.returned.connect(self._on_made)
        self._import.raised.connect(self._on_failed)
        self._recognise.returned.connect(self._on_recognised)
        self._recognise.raised.connect(self._on_failed)
        for beside in (self._recognise, self._survey, self._import):
            beside.busy_changed.connect(self._show_busy)

    def _fit_screen(self) -> None:
        room = self.screen().availableSize()
        self.resize(_SIZE.boundedTo(room))

    # -- the steps ---------------------------------------------------------------------------------------------------
    @property
    def step(self) -> int:
        """The number of the step that is shown, from 0."""
        return self._stack.currentIndex()

    @property
    def page(self) -> WizardPage:
        """The step that is shown."""
        return self.pages[self.step]

    def go_to(self, step: int) -> None:
        """Show another step; the one that is left has been seen."""
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
        self._show_problems()
        self._show_scene()

    def _on_step(self, step: int, _checked: bool = False) -> None:
        self.go_to(step)

    # -- looking into the files --------------------------------------------------------------------------------------
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
        self._survey.request(partial(look_at, answers, self._look))

    def _on_recognised(self, answers: ImportAnswers) -> None:
        self.draft.answer(source=answers.source, guessed=answers.guessed)

    def _on_look(self, look: SurveyResult) -> None:
        self._look = look
        for page in self.pages:
            page.show_look(look)
        self._show_problems()
        self._show_scene()

    def _on_entries(self) -> None:
        self._seen.add(self.page)
        self._show_problems()

    def _on_scene_wish(self) -> None:
        if self.page is self.files:
            self.preview.choose_layer(self.files.key)
        self._show_scene()

    def _show_scene(self, *_: object) -> None:
        self.preview.show_look(self._look, self.page.overlays)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Everything that keeps the project from being made, as far as it is known."""
        typed = tuple(problem for page in self.pages for problem in page.entry_problems)
        found = self._look.problems if self._look is not None else ()
        return (*typed, *dict.fromkeys((*found, *self._refused)))

    def _show_problems(self) -> None:
        problems = self.problems
        hand_out(problems, self.pages, self._seen, self.summary)
        self.summary.show_problems(problems, surveyed=self._look is not None)
        for number, (button, page) in enumerate(zip(self.steps, self.pages, strict=True), start=1):
            count = page.problem_count if page is not self.summary else 0
            button.setText(f"{number}  {page.title}" + (f"  ⚠ {count}" if count else ""))
            words = f", {count} to put right" if count else ""
            button.setAccessibleName(f"Step {number}, {page.title}{words}")
        self._enable()

    def _enable(self) -> None:
        importing = self._import.is_busy
        # Only where everything that was assumed can be read.
        there = self.page is self.summary and self._look is not None
        self.finish.setEnabled(there and not self.problems and not self.is_busy)
        self._stack.setEnabled(not importing)
        self.cancel.setText("Stop" if importing else "Cancel")

    def _show_busy(self, _busy: bool = False) -> None:
        self._bar.setVisible(self.is_busy)
        importing = self._import.is_busy
        self._said.setText("Importing…" if importing else "Looking into the files…" if self.is_busy else "")
        self._enable()

    # -- making the project ------------------------------------------------------------------------------------------
    def make_project(self) -> None:
        """Import, beside the window; it shuts once that has worked."""
        if not self.finish.isEnabled():
            return
        self._import.request(partial(self._make, self.draft.answers))

    def _on_made(self, project: Project) -> None:
        if self._take(project, self.draft.answers.folder):
            self.accept()

    def _on_failed(self, error: Exception) -> None:
        known = error if isinstance(error, (FireguiError, OSError)) else _unexpected(error)
        self._refused = as_input_error(known, _WHERE).problems
        self._seen.update(self.pages)
        self._show_problems()

    def reject(self) -> None:
        """Stop an import, else leave without a project."""
        if self._import.is_busy:
            self._import.cancel()
            return
        super().reject()

    def done(self, result: int) -> None:
        """Shut the window once every thread has ended."""
        for beside in (self._recognise, self._survey, self._import):
            beside.shutdown()
        super().done(result)

    # -- Qt's events -------------------------------------------------------------------------------------------------
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter presses the button that has the focus, and does nothing in a field but take it in."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            focus = self.focusWidget()
            if isinstance(focus, (QPushButton, QToolButton)):
                focus.click()
            return
        super().keyPressEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Folders and files of this computer may be dropped."""
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Take in what was dropped."""
        event.acceptProposedAction()
        self.bring([Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()])


def ask_landscape(parent: QWidget | None, make: Make, take: Take, paths: Sequence[Path] = ()) -> bool:
    """Show the wizard, with ``paths`` in it, until a project was made and taken; ``False`` when it was cancelled."""
    wizard = LandscapeWizard(make, take, parent)
    if paths:
        wizard.bring(paths)
    made = wizard.exec() == QDialog.DialogCode.Accepted
    wizard.deleteLater()
    return made


def _unexpected(error: Exception) -> InputError:
    what = f"an unexpected {type(error).__name__}: {error}"
    return InputError([Problem(_WHERE, what, "please report it with the file it happened with")])
