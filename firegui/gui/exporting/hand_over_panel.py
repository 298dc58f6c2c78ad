"""Hand over: the parts of the export dialog at their places in the window, for the plan to export."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QWidget

from firegui.domain.project import Project
from firegui.domain.stress import StressTable
from firegui.gui.base.layouts import fill_column, muted_label, vertical
from firegui.gui.base.preferences import Preferences
from firegui.gui.exporting.export_dialog import ExportDialog
from firegui.gui.jobs.result_presenter import result_of_run
from firegui.gui.jobs.run_entry import RunEntry
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.session.reporting import refusing
from firegui.gui.session.session import Session, ShownResult
from firegui.gui.widgets.split_panel import SplitPanel

_SETTLE_MS = 300


def awaits_plan(session: Session, queue: RunQueue) -> bool:
    """Return whether a plan without drops yet is being computed: by a run, or to show a saved one."""
    shows_run = bool(queue.activity) and session.result.folder is not None
    return not session.result.drops and (queue.is_busy or shows_run)


def plan_export(
    session: Session, queue: RunQueue, run: RunEntry | None, parent: QWidget, preferences: Preferences, note: str = ""
) -> ExportDialog:
    """Return the export of the saved plan of ``run``, else of the plan on the map with a ``note``.

    Where the plan of ``run`` was edited on the map, the dialog warns and offers the edited plan.

    Raises :class:`~firegui.errors.InputError` where the drops of the run cannot be read.
    """
    if run is None:
        is_planning = awaits_plan(session, queue)
        return ExportDialog(session, parent, is_planning=is_planning, preferences=preferences, note=note)
    other, edited = session.result.title, session.plan_editor.plan
    is_edited = edited is not None and edited.origin.folder == run.folder
    note = f"This is the plan of {run.title}. The map shows {other}." if other and not is_edited else ""
    dialog = ExportDialog(session, parent, preferences=preferences, result=result_of_run(run), note=note)
    if is_edited:
        dialog.follow_map(queue)
    return dialog


class HandOverPanel(SplitPanel):
    """Formats and files beside the preview of a page.

    It follows the plan on the map while it is visible; ``run_to_export`` returns the run whose saved plan is exported
    instead. Of an active run it keeps the first plan that it has shown, because every plan is drawn anew; until such a
    run has a plan, the panel says that it is being computed.
    """

    def __init__(
        self, session: Session, queue: RunQueue, preferences: Preferences,
        run_to_export: Callable[[], RunEntry | None], parent: QWidget | None = None,
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self._session, self._queue, self._preferences = session, queue, preferences
        self._run_to_export = run_to_export
        self._dialog: ExportDialog | None = None
        self._shown: tuple[ShownResult | None, Project | None, StressTable | None, RunEntry | None] | None = None
        self._choices, self._actions, self._page = QWidget(), QWidget(), QWidget()
        self._settle = QTimer(self, singleShot=True, interval=_SETTLE_MS)
        self._settle.timeout.connect(self.refresh)
        vertical(self._choices, margins=0, spacing=8)
        vertical(self._actions, margins=0, spacing=4)
        # The forms take a moment.
        self._loading = muted_label("Loading…")
        vertical(self._page, self._loading, margins=0)
        fill_column(self.settings, self._choices, margins=(6, 4, 6, 4))
        # The list of formats is long: the button and the folder stay in sight while it scrolls.
        fill_column(self.foot, self._actions, margins=(8, 6, 6, 6))
        fill_column(self.result, self._page, stretch=self._page, margins=(6, 4, 6, 4))
        for part in (self.settings, self.result):
            part.installEventFilter(self)
        for signal in (session.project_opened, session.project_edited, session.result_changed, queue.changed):
            signal.connect(self._refresh_soon)

    @property
    def dialog(self) -> ExportDialog | None:
        """The export whose parts are shown; ``None`` before the workspace was opened."""
        return self._dialog

    def choose_format(self, name: str) -> None:
        """Tick a format. The panel must be visible."""
        self.refresh()
        if self._dialog is not None:
            self._dialog.formats.choose(name)

    def _refresh_soon(self) -> None:
        # A search reports more often than the interval: to begin anew at each report would put it off for ever.
        if not self._settle.isActive():
            self._settle.start()

    def refresh(self) -> None:
        """Show the export of the plan, unless it is shown already or cannot be prepared now."""
        if not (self.settings.isVisible() or self.result.isVisible()):
            return
        session, old, run = self._session, self._dialog, self._run_to_export()
        now: tuple[ShownResult | None, Project | None, StressTable | None, RunEntry | None] = None, None, None, None
        if run is not None or not awaits_plan(session, self._queue):
            # A later stress test gives the same plan another verdict.
            tested = run or (None if self._queue.shows_search else self._queue.shown)
            stress = None if tested is None else tested.stress
            now = session.result, session.project if session.has_project else None, stress, run
        is_shown = self._shown is not None and all(one is other for one, other in zip(now, self._shown, strict=True))
        if is_shown or (
            old is not None and (old.is_writing or (self._queue.shows_search and old.shows(session.result)))
        ):
            return
        self._shown = now
        with refusing(session, "the plan"):
            made = plan_export(session, self._queue, run, self.window(), self._preferences)
            if old is not None:
                for part in _parts(old):
                    part.setParent(old)
                    part.hide()
                old.done(0)
                old.deleteLater()
            self._take(made)

    def _take(self, dialog: ExportDialog) -> None:
        self._dialog = dialog
        choices, actions, page = self._choices.layout(), self._actions.layout(), self._page.layout()
        assert choices is not None and actions is not None and page is not None
        for part in (dialog.head, dialog.take_options()):
            choices.addWidget(part)
        # There is no dialog to cancel, and little room for a bar.
        dialog.close_button.hide()
        dialog.why_not.setWordWrap(True)
        # The foot grows upwards: texts that come and go stand above what is clicked.
        texts = (dialog.findings, dialog.will_write, dialog.why_not, dialog.brief)
        for part in (*texts, dialog.open_button, dialog.target, dialog.save_button):
            actions.addWidget(part)
        self._loading.hide()
        page.addWidget(dialog.preview)
        self.refilled.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the map when the workspace is opened."""
        if event.type() == QEvent.Type.Show:
            self._refresh_soon()
        return super().eventFilter(watched, event)


def _parts(dialog: ExportDialog) -> tuple[QWidget, ...]:
    """Return the parts of a dialog that the panel shows."""
    seen = (dialog.head, dialog.options, dialog.findings, dialog.target, dialog.preview)
    return (*seen, dialog.save_button, dialog.will_write, dialog.why_not, dialog.brief, dialog.open_button)
