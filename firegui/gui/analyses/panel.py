"""Base of the analysis panels: their buttons, saved results, progress, messages and tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFileDialog,
    QProgressBar,
    QTabWidget,
    QToolButton,
    QWidget,
)

from firegui.domain.project import Project, kept_inputs_text
from firegui.errors import InputError, Problem
from firegui.gui.analyses.controller import AnalysisController
from firegui.gui.analyses.saved_results import SavedResult
from firegui.gui.base.dialogs import confirm_replace
from firegui.gui.base.export_place import ask_export_file, ask_export_folder
from firegui.gui.base.layouts import Content, column, fill_column, horizontal, muted_label, plain_label
from firegui.gui.base.number_text import about_text
from firegui.gui.base.plain_text import tooltip
from firegui.gui.base.theme import set_role
from firegui.gui.jobs.run_entry import RunEntry
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.session.reporting import refusing
from firegui.gui.session.session import Session
from firegui.gui.widgets.fields import narrow_combo
from firegui.gui.widgets.split_panel import Introduction, SplitPanel
from firegui.gui.widgets.steady_label import SteadyLabel
from firegui.gui.widgets.table_buttons import ButtonRow
from firegui.gui.widgets.table_view import table_text
from firegui.io.atomic import write_text
from firegui.runs.drops_not_flown import NotFlownNote

WARNING = "⚠ "
"""Prefix of messages that have the colour of a warning."""
_MARGINS, _FOOT_MARGINS = (6, 2, 6, 4), (8, 6, 6, 6)
_STEPS = 1000


ControllerT = TypeVar("ControllerT", bound=AnalysisController[Any, Any, Any])
SavedT = TypeVar("SavedT", bound=SavedResult[Any])


@dataclass(frozen=True, slots=True)
class AnalysisTexts:
    """Texts of a panel.

    ``introduction`` says, before the first result, what it answers, what it needs and about how long it takes. An empty
    ``resume_tip``, ``progress`` or ``saved_results`` hides its button, bar or list.
    """

    thing: str
    start: str
    start_tip: str
    stop_tip: str
    introduction: str
    resume_tip: str = ""
    progress: str = ""
    saved_results: str = ""
    no_saved_results: str = ""
    nothing: str = ""
    """Line below the result while none is shown, in panels that call ``_set_head``."""


@dataclass(frozen=True, slots=True)
class PanelButton:
    """Button of a panel. It is visible while one of ``pages`` is current; always if there are none."""

    name: str
    text: str
    help: str
    pressed: Callable[[], object]
    pages: tuple[QWidget, ...] = ()
    show_text: bool = False
    is_primary: bool = False


class AnalysisPanel(SplitPanel, Generic[ControllerT, SavedT]):
    """Base of the panels of analyses.

    Subclasses declare ``texts``, create their widgets in :meth:`_build`, and override the hooks. The form that
    :meth:`_make_form` returns has ``changed`` and ``request()``. A panel without one overrides :meth:`_request`.
    """

    texts: ClassVar[AnalysisTexts]
    needs_folder: ClassVar[bool] = True
    """Whether the analysis saves files in the project's folder."""

    start_requested = Signal()
    """The start button was pressed; the project must be saved first."""

    def __init__(
        self, session: Session, queue: RunQueue, controller: ControllerT, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._session, self._queue, self._controller = session, queue, controller
        self._saved: Sequence[SavedT] = ()
        self._buttons: dict[str, QToolButton] = {}
        self._paged: list[tuple[QWidget, tuple[QWidget, ...]]] = []
        self.problems: tuple[Problem, ...] = ()
        self._kept_inputs = ""
        self._is_new: bool | None = None
        self._counted_by: RunEntry | None = None
        self._was_busy = self._queue.is_busy
        self.work_page: QWidget | None = None
        """Page to switch to when a run starts, ``None`` to stay."""
        self.lasting_page: QWidget | None = None
        """Page that can be used before there is a result, ``None`` for none."""
        self.pages = QTabWidget(self.filled, documentMode=True)
        # Panels without a list of saved results hide it.
        title = self.texts.saved_results or "Earlier results"
        self.saved_list = narrow_combo(title, "saved_list")
        self.saved_list.setToolTip(tooltip(f"{title} of this project"))
        self._head_text: str | None = None
        # The steps of a run differ in length: the buttons below must not move with each.
        self.head, self.cost, self._activity = muted_label(), muted_label(), SteadyLabel()
        self.notes, self.about, self.result_note = SteadyLabel(), *(plain_label(wordWrap=True) for _ in range(2))
        self._lost, self._lost_in_result = NotFlownNote(), NotFlownNote()
        set_role(self.result_note, "warning")
        self.conclusion, self.explanation = SteadyLabel(), plain_label(wordWrap=True)
        self.conclusion.setProperty("is_strong", True)
        for label in (self.conclusion, self.explanation):
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.notes.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.about.setProperty("role", "muted")
        self.bar = QProgressBar(textVisible=False)
        self.bar.setRange(0, _STEPS)
        self.bar.setFixedHeight(6)
        self.bar.setAccessibleName(self.texts.progress)
        self._form = self._make_form()
        self._build()
        self._connect()

    # -- for others --------------------------------------------------------------------------------------------------
    def button(self, name: str) -> QToolButton:
        """Return the button ``start``, ``stop``, ``resume`` or one of the subclass.

        Raises ``KeyError`` for others.
        """
        return self._buttons[name]

    @property
    def activity(self) -> str:
        """Text on the current run, empty for none."""
        return self._activity.text()

    def start(self) -> None:
        """Start what the form describes; do nothing if that is not possible."""
        if self.button("start").isEnabled() and (self._session.folder is not None or not self.needs_folder):
            try:
                self._controller.start(self._request(), self._project)
            except InputError as error:
                self._session.refuse(error)
            self._on_started()

    def copy(self) -> None:
        """Copy the current table as shown, with tabs between its columns."""
        QGuiApplication.clipboard().setText(table_text(self._front()))
        self._session.message.emit("The table is on the clipboard.")

    def save(self, path: Path) -> None:
        """Write the current table to ``path`` as CSV, with every digit."""
        text = self._csv()
        if text:
            path = path if path.suffix else path.with_suffix(".csv")
            with refusing(self._session, str(path)):
                write_text(path, text)
                self._session.message.emit(f"Wrote {path}")

    # -- hooks -------------------------------------------------------------------------------------------------------
    def _schedule(self) -> Path | None:
        """Return the file of the schedule that the form asks about, ``None`` for none."""
        return None

    def _make_form(self) -> Any:
        """Return the form of the panel; ``None`` for a panel that manages its own fields."""
        return None

    def _build(self) -> None:
        """Create the widgets of the panel, lay them out and connect them."""
        raise NotImplementedError

    def _request(self) -> Any:
        """Return what the form describes. Raises :class:`InputError` for settings that cannot be used."""
        return self._form.request()

    def _settings(self) -> Any:
        """Return the settings that a saved result can be resumed with, ``None`` for its own."""
        return None

    def _resume_request(self) -> Any:
        """Return the request that a resumed run is extended by, ``None`` for none. Raises like ``_request``."""
        return None if self._settings() is None else self._request()

    def _show_settings(self, saved: SavedT) -> None:
        """Show the settings of a saved result in the form."""

    def _more_saved(self) -> Sequence[SavedT]:
        """Return results that are offered before those in folders of their own."""
        return ()

    def _open(self, saved: SavedT) -> None:
        """Show a saved result."""
        self._controller.open(saved.folder)

    def _on_project(self) -> None:
        """Adapt the form to a project that was opened."""

    def _find_problems(self) -> Sequence[Problem]:
        """Return what prevents the analysis of the open project."""
        return ()

    def _conclusion(self) -> str:
        """Return the sentence that the shown result comes to, empty for none; one after ``⚠`` is a warning."""
        return ""

    def _explanation(self) -> str:
        """Return what explains the conclusion, in plain type below it; empty for nothing."""
        return ""

    @property
    def _project(self) -> Project:
        """The project that is analysed: that of the run whose plan is chosen, else the open one."""
        file = self._schedule()
        return (None if file is None else self._queue.project_of(file)) or self._session.project

    @property
    def _simulation_seconds(self) -> float | None:
        """Time of a fire simulation of the plan on the map; ``None`` before its run has ended."""
        return None if self._planned is None else self._planned.pace

    @property
    def _planned(self) -> RunEntry | None:
        """The run of the plan on the map, once it has ended."""
        shown = self._queue.shown
        return shown if shown is not None and shown.is_over else None

    def _on_queue(self) -> None:
        """Say anew what a start costs and needs once a run has begun or ended; it reports many times a second."""
        if self._planned is not self._counted_by or self._queue.is_busy is not self._was_busy:
            self._counted_by, self._was_busy = self._planned, self._queue.is_busy
            self._refresh()

    def _cost_text(self) -> str:
        """Return what a start costs, how long the latest result took, and what of the plan's project it uses.

        Empty without a project.
        """
        if not self._session.has_project:
            return ""
        own = self._saved[len(self._more_saved()) :]
        took = next((each.header.seconds for each in own if each.is_complete and each.header.seconds), 0.0)
        latest = f"The latest {self.texts.thing} took {about_text(took)}." if took else ""
        return " ".join(filter(None, (self._cost(), latest, self._kept_inputs)))

    def _cost(self) -> str:
        """Return what a start costs with these settings; empty if that is not known."""
        return ""

    def _lacks_plan(self) -> bool:
        """Return whether the analysis needs a plan and there is none to choose."""
        return False

    def _remarks(self) -> Sequence[str]:
        """Return the notes below the problems."""
        return ()

    def _enabled(self) -> dict[str, bool]:
        """Return which buttons of the subclass are enabled; those left out always are."""
        return {}

    def _front(self) -> QAbstractItemView:
        """Return the current table, for :meth:`copy`."""
        raise NotImplementedError

    def _csv(self) -> str:
        """Return the current table for :meth:`save`, empty for none."""
        return ""

    def _show(self) -> None:
        """Show the result of the controller."""
        raise NotImplementedError

    # -- layout ------------------------------------------------------------------------------------------------------
    def _lay_out_pages(self, pages: Sequence[tuple[str, QWidget]], *more: PanelButton) -> None:
        """Lay out the panel with ``pages`` as its result; ``more`` are the buttons of the result."""
        self._add_pages(*pages)
        row = self._button_row(*more)
        # The pages must not move when one of them has no buttons.
        row.setMinimumHeight(max((each.sizeHint().height() for each in row.findChildren(QToolButton)), default=0))
        buttons = horizontal(None, 1, row, margins=0)
        parts = (buttons, self.result_note, self.conclusion, self.explanation, self.pages, self.head)
        self.fill_result(self._introduction(), *parts, stretch=self.pages)
        self._lay_out_parts(self.about, self._form, self.notes)

    def _lay_out_beside(self, content: QWidget, *controls: Content) -> None:
        """Lay out the panel with ``content`` as its result; ``controls`` follow the buttons of the settings.

        Notes should come last: fields above them stay where they are when a note comes or goes.
        """
        parts = (self.result_note, self.conclusion, self.explanation, content)
        self.fill_result(self._introduction(), *parts, stretch=content)
        self._lay_out_parts(*controls)

    def _introduction(self) -> Introduction:
        texts = self.texts
        return Introduction(texts.introduction, texts.start, texts.start_tip, self.start_requested.emit)

    def _lay_out_parts(self, *controls: Content) -> None:
        buttons = self._button_row(*self._work_buttons())
        self._work = column(self._activity, *([self.bar] if self.texts.progress else []), spacing=4)
        saved = (self.saved_list,) if self.texts.saved_results else ()
        fill_column(self.settings, *saved, *controls, spacing=6, margins=_MARGINS)
        # The buttons stay where they are when a run begins or ends, or when a result is shown.
        fill_column(self.foot, self.cost, self._work, buttons, spacing=6, margins=_FOOT_MARGINS)

    def _add_pages(self, *pages: tuple[str, QWidget]) -> None:
        for title, page in pages:
            self.pages.addTab(page, title)

    def _work_buttons(self) -> tuple[PanelButton, ...]:
        texts = self.texts
        begin = self.start_requested.emit
        start = PanelButton("start", texts.start, texts.start_tip, begin, show_text=True, is_primary=True)
        stop = PanelButton("stop", "Stop", texts.stop_tip, self._controller.stop, show_text=True)
        resume = PanelButton("resume", "Resume", texts.resume_tip, self._resume, show_text=True)
        return (start, stop, resume) if texts.resume_tip else (start, stop)

    def _copy_button(self, *pages: QWidget) -> PanelButton:
        return PanelButton("copy", "Copy", "Copy the table for a spreadsheet (Ctrl+C in it)", self.copy, pages)

    def _button_row(self, *buttons: PanelButton) -> ButtonRow:
        """Return a row of ``buttons``, and register them for :meth:`button`."""
        made = ButtonRow()
        for each in buttons:
            options = {"show_text": each.show_text, "is_primary": each.is_primary}
            button = made.add(each.name, each.text, each.help, each.pressed, **options)
            self._buttons[each.name] = button
            self._show_on(each.pages, button)
        return made

    def _show_on(self, pages: tuple[QWidget, ...], *widgets: QWidget) -> None:
        """Make ``widgets`` visible only while one of ``pages`` is current."""
        if pages:
            self._paged += [(widget, pages) for widget in widgets]

    # -- events ------------------------------------------------------------------------------------------------------
    def _connect(self) -> None:
        """Connect what all panels share, and show the current state."""
        session, controller = self._session, self._controller
        session.project_opened.connect(self._take_project)
        session.project_edited.connect(self._check)
        session.folder_changed.connect(self._check)
        session.units_changed.connect(self._show_result)
        for signal in (self._queue.changed, self._queue.shown_changed):
            signal.connect(self._on_queue)
        controller.changed.connect(self._refresh)
        controller.result_changed.connect(self._show_result)
        controller.saved_changed.connect(self._offer_saved)
        self.pages.currentChanged.connect(self._refresh)
        self.saved_list.activated.connect(self._open_saved)
        if self._form is not None:
            self._form.changed.connect(self._check)
        parts = (
            self.pages, self.saved_list, self.head, self.cost, self._activity, self.notes, self.about,
            self.result_note, self.bar, self.conclusion, self.explanation,
        )  # fmt: skip
        for part in parts:
            if part.parent() is None:
                # A widget without an owner could be garbage-collected in the thread of a run.
                part.setParent(self)
                part.hide()
        self._take_project()
        self._show_result()

    def _take_project(self) -> None:
        self._on_project()
        self._offer_saved()
        self._check()

    def _check(self) -> None:
        """Look for problems again after a change of project or form."""
        there = self._session.has_project
        self.problems = tuple(problem.for_window() for problem in self._find_problems()) if there else ()
        self._kept_inputs = kept_inputs_text(self._project, self._session.project) if there else ""
        self._refresh()

    def _show_result(self) -> None:
        note = self._result_text()
        self.result_note.setText(note)
        self.result_note.setVisible(bool(note))
        conclusion = self._conclusion()
        for label, text in ((self.conclusion, conclusion), (self.explanation, self._explanation())):
            label.setText(text)
            label.setVisible(bool(text))
            set_role(label, "warning" if text.startswith(WARNING) else "")
        self._show()
        self._choose_shown()
        self._refresh()

    @property
    def _shown_folder(self) -> Path | None:
        """Folder of the shown result."""
        return None if self._controller.shown is None else self._controller.shown.folder

    # -- earlier results ---------------------------------------------------------------------------------------------
    @property
    def _chosen(self) -> SavedT | None:
        """The saved result that is selected."""
        index = self.saved_list.currentIndex()
        return self._saved[index - 1] if 0 < index <= len(self._saved) else None

    def _offer_saved(self) -> None:
        if not self.texts.saved_results:
            return
        self._saved = (*self._more_saved(), *self._controller.saved())
        with QSignalBlocker(self.saved_list):
            self.saved_list.clear()
            self.saved_list.addItem(f"{self.texts.saved_results}…" if self._saved else self.texts.no_saved_results)
            self.saved_list.addItems([each.title(self._controller.today) for each in self._saved])
        self.saved_list.setEnabled(bool(self._saved))
        self._choose_shown()
        self._refresh()

    def _choose_shown(self) -> None:
        """Select the entry of the shown result, the first if there is none."""
        if not self.texts.saved_results:
            return
        folders, shown = [each.folder for each in self._saved], self._shown_folder
        with QSignalBlocker(self.saved_list):
            self.saved_list.setCurrentIndex(folders.index(shown) + 1 if shown in folders else 0)

    def _open_saved(self, index: int) -> None:
        if 0 < index <= len(self._saved):
            saved = self._saved[index - 1]
            if not self._controller.is_busy:
                self._show_settings(saved)
            if saved.has_result:
                self._open(saved)
                self.result_requested.emit()
            self._refresh()

    def _resume(self) -> None:
        """Resume the selected saved result."""
        if self._chosen is not None:
            try:
                self._controller.resume(self._chosen, self._resume_request())
            except InputError as error:
                self._session.refuse(error)
            self._on_started()

    def _can_resume(self) -> bool:
        return self._chosen is not None and self._chosen.can_resume(self._settings())

    def _on_started(self) -> None:
        if self._controller.is_busy:
            if self.work_page is not None:
                self.pages.setCurrentWidget(self.work_page)
            self.result_requested.emit()

    # -- files -------------------------------------------------------------------------------------------------------
    @property
    def _beside_project(self) -> Path:
        """Folder in which file dialogs start."""
        return self._session.folder.parent if self._session.folder is not None else Path.home()

    def _choose_folder(self, title: str) -> Path | None:
        name = QFileDialog.getExistingDirectory(self.window(), title, str(self._beside_project))
        return Path(name) if name else None

    def _export(self) -> None:
        """Export the files of the shown result to a folder that the user chooses."""
        out = ask_export_folder(self, f"Export the {self.texts.thing} into a folder")
        if out is not None and confirm_replace(self.window(), out, self._controller.exported_names(out)):
            self._controller.export(out)

    def _save_csv(self, name: str) -> None:
        """Let the user choose a file, ``name`` by default, and :meth:`save` the current table to it."""
        chosen = ask_export_file(self, "Export the table", name, "Table (*.csv)")
        if chosen is not None:
            self.save(chosen)

    # -- state -------------------------------------------------------------------------------------------------------
    @property
    def _can_start(self) -> bool:
        return self._session.has_project and not self._controller.is_busy and not self.problems

    def _refresh(self, *_: object) -> None:
        """Show the current run, and enable the buttons that can be used now."""
        controller, there, page = self._controller, self._session.has_project, self.pages.currentWidget()
        busy = controller.is_busy
        enabled = {
            "start": self._can_start,
            "stop": busy and not controller.is_stopping,
            "resume": not busy and not self._session.is_read_only and self._can_resume(),
        } | self._enabled()
        # Enabled first: the focus of a button that is disabled goes to the one that can be used instead.
        for name, button in sorted(self._buttons.items(), key=lambda each: not enabled.get(each[0], True)):
            button.setEnabled(enabled.get(name, True))
        for widget, pages in self._paged:
            widget.setVisible(page in pages)
        if self._form is not None:
            self._form.setEnabled(there and not busy)
        self._show_activity()
        self._show_head()
        self.about.setHidden(not self.about.text())
        problems = () if busy else tuple(f"{WARNING}{problem}" for problem in self.problems)
        lost = self._not_flown_text()
        texts = (*problems, *([f"{WARNING}{lost}"] if lost else []), *self._remarks())
        self.notes.setText("\n".join(texts))
        self.notes.setVisible(bool(texts))
        self._introduce("\n".join(problems))
        set_role(self.notes, "warning" if any(text.startswith(WARNING) for text in texts) else "muted")

    def _introduce(self, trouble: str) -> None:
        """Show the introduction until there is a result, or a run that makes one."""
        is_new = not self._controller.is_busy and self._controller.shown is None
        lasting, pages, there = self.lasting_page, self.pages, self._session.has_project
        self.introduction.start.setEnabled(self._can_start)
        self.introduction.set_trouble(trouble)
        self.introduction.set_cost(self.cost.text())
        is_possible = there and not self._queue.is_busy and not self._session.is_read_only
        self.introduction.offer_plan(on=there and self._lacks_plan(), is_possible=is_possible)
        was_new, self._is_new = self._is_new, is_new
        self.show_introduction(is_new, and_parts=lasting is not None)
        if lasting is not None and is_new is not was_new:
            with QSignalBlocker(pages):
                for number in range(pages.count()):
                    pages.setTabVisible(number, not is_new or pages.widget(number) is lasting)
                pages.setCurrentIndex(pages.indexOf(lasting) if is_new else 0)
            self.head.setHidden(is_new)
            self._refresh()

    def _not_flown_text(self) -> str:
        """Return which drops of the chosen schedule the project refuses, and what to do; empty for none."""
        file = self._schedule()
        return self._lost.text(file, self._project) if file is not None and self._session.has_project else ""

    def _result_text(self) -> str:
        """Return which drops the shown result leaves out; empty for none."""
        shown = self._controller.shown
        file = "" if shown is None else getattr(shown.header, "schedule_file", "")
        lost = self._lost_in_result.text(Path(file), shown.project) if file and shown is not None else ""
        return f"{WARNING}In this result {lost}" if lost else ""

    def _set_head(self, text: str) -> None:
        """Show a line on the shown result; instead of an empty one, that there is none or that a run makes it."""
        self._head_text = text
        self._show_head()

    def _show_head(self) -> None:
        if self._head_text is not None:
            running = f"The {self.texts.thing} is being computed…"
            self.head.setText(self._head_text or (running if self._controller.is_busy else self.texts.nothing))

    def _show_activity(self) -> None:
        busy = self._controller.is_busy
        self._activity.setText(self._controller.activity)
        self._work.setVisible(busy)
        cost = self._cost_text() if not busy and not self.problems else ""
        self.cost.setText(cost)
        self.cost.setVisible(bool(cost))
        if self.texts.progress:
            self.bar.setValue(round(_STEPS * self._controller.share))
