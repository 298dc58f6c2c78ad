"""Which run is on screen, and what is worked out to show it."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from firegui.domain.project import Project
from firegui.errors import InputError, Problem
from firegui.gui.jobs.evaluation_job import NO_DROPS, EvaluationJob, Look, Wish
from firegui.gui.jobs.result_feed import ResultFeed
from firegui.gui.jobs.run_entry import RunEntry
from firegui.gui.jobs.run_job import Execute
from firegui.gui.jobs.saved_runs import kept_schedule
from firegui.gui.session.session import FireView, Session, ShownResult
from firegui.runs.events import BaselineReady, Message, PlanUpdated, RunFinished
from firegui.runs.spec import EvaluateSpec

_FIRST_TIME = "The first time this can take a minute."
_SETTLE_MS = 400
_PAINTED_MS = 150
"""So long after an opened project was first painted its charts are drawn, too."""


class Screen(QObject):
    """Shows the live pictures of a run that works, or a saved schedule once its viewer has evaluated it."""

    changed = Signal()
    """Something began or ended to be worked out."""
    shown_changed = Signal()
    """Another run is shown."""
    entry_updated = Signal(object)
    """A ``RunEntry`` has new numbers."""
    message = Signal(object)

    def __init__(self, session: Session, execute: Execute, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._feed = ResultFeed(session)
        self._shown: RunEntry | None = None
        self._viewer = EvaluationJob(self._feed, execute, self)
        self._viewer.changed.connect(self.changed)
        self.changed.connect(self._tell)
        self._viewer.began.connect(self.set_shown)
        self._viewer.entry_updated.connect(self.entry_updated)
        self._viewer.compared.connect(self._on_compared)
        self._viewer.message.connect(self.message)
        self._viewer.failed.connect(self._on_failed)
        self._settle = QTimer(self, singleShot=True, interval=_SETTLE_MS)
        self._settle.timeout.connect(self.show_baseline)
        self._painted = QTimer(self, singleShot=True, interval=_PAINTED_MS)
        self._painted.timeout.connect(self._look_first)
        # Fires once the event loop has nothing left to paint.
        self._opened = QTimer(self, singleShot=True, interval=0)
        self._opened.timeout.connect(self._painted.start)

    @property
    def shown(self) -> RunEntry | None:
        """The run whose plan and curves are on screen; ``None`` for the fire without drops alone."""
        return self._shown

    @property
    def activity(self) -> str:
        """What is being worked out for the map, or empty."""
        waits = self._opened.isActive() or self._painted.isActive()
        return NO_DROPS if waits else self._viewer.activity

    # -- choosing what is shown --------------------------------------------------------------------------------------
    def begin(self) -> None:
        """A project was opened: work out its fire without drops, once the window has painted what there is already.

        The engine is loaded with the first fire, and both at once would hold the window up for most of a second.
        """
        self.set_shown(None)
        self._opened.start()
        self._tell()

    def _look_first(self) -> None:
        shown = self._session.result
        if shown.baseline is None and shown.plan is None:
            self.show_baseline()
        else:
            self.changed.emit()

    def show_baseline(self) -> None:
        """Work out the fire without drops and show it."""
        project = self._session.project
        if problems := project.problems():
            text = str(InputError(problems, "The fire cannot be worked out yet"))
            self.message.emit(Message(text, "warning"))
            self.changed.emit()
            return
        self._ask(Wish("No drops", EvaluateSpec(project, backend=self._session.backend), None))

    def show_live(self, entry: RunEntry, project: Project) -> None:
        """Show what ``entry``, which works on ``project``, reports."""
        self.set_shown(entry)
        self._feed.begin(entry.title, project, folder=entry.folder)
        self._tell()

    def show_saved(self, entry: RunEntry, project: Project) -> None:
        """Show the plan that ``entry`` kept; one that has none is refused."""
        try:
            schedule = kept_schedule(entry.folder, project)
        except InputError as error:
            self._session.refuse(error)
            return
        self._ask(Wish(entry.title, EvaluateSpec(project, schedule, backend=self._session.backend), entry))

    def show_member(self, title: str, spec: EvaluateSpec, against: str = "", look: Look | None = None) -> None:
        """Work out both fires of a member of an ensemble, or of a plan of a benchmark, and show them."""
        self._ask(Wish(title, spec, None, against, look))

    def show_means(self, means: ShownResult) -> None:
        """Show means over an ensemble at once, instead of whatever was asked for."""
        self.drop()
        self.set_shown(None)
        self._feed.means(means)
        self.changed.emit()

    def _ask(self, wish: Wish) -> None:
        self.drop()
        self._viewer.ask(wish)

    def set_shown(self, entry: RunEntry | None) -> None:
        """Note which run is shown."""
        if entry is not self._shown:
            self._shown = entry
            self.shown_changed.emit()

    # -- what comes in -----------------------------------------------------------------------------------------------
    def take_baseline(self, entry: RunEntry, event: BaselineReady) -> None:
        """Show the fire without drops of ``entry``, if that is the run on screen."""
        if entry is self._shown:
            self._feed.baseline(event)

    def take_plan(self, entry: RunEntry, event: PlanUpdated) -> None:
        """Show the latest picture of ``entry``, if that is the run on screen."""
        if entry is self._shown:
            self._feed.plan(event)

    def take_edit(self, *, may_work: bool) -> None:
        """Look again whether what is shown still belongs to the edited project.

        A fire without drops that does not is worked out anew where that may be; what an ensemble shows stays.
        """
        self._feed.refresh_stale()
        result = self._session.result
        kept = result.plan is not None or (result.of_ensemble and result.baseline is not None)
        if may_work and not kept and (result.stale or result.baseline is None):
            self._settle.start()  # until edits have paused for a moment

    def _tell(self) -> None:
        """Let the map say what it waits for: a run at work begins with the fire without drops, too."""
        live = self._shown is not None and not self._shown.is_over
        text = NO_DROPS if live else self.activity
        self._session.set_awaited(f"{text}\n{_FIRST_TIME}" if text == NO_DROPS else text)

    def _on_compared(self, look: Look) -> None:
        """Both fires of a comparison are there."""
        if look is Look.DIFFERENCE:
            self._session.set_view(FireView.DIFFERENCE)
        else:
            self._session.set_side_by_side(True)

    def _on_failed(self, event: RunFinished) -> None:
        report_failure(self._session, "the fire on the map", event)

    # -- making room -------------------------------------------------------------------------------------------------
    def hold(self, held: bool) -> None:
        """Let what is asked for wait while a run works, or go on with it."""
        self._viewer.hold(held)
        self._tell()

    def drop(self) -> None:
        """Forget what was asked for."""
        for timer in (self._settle, self._opened, self._painted):
            timer.stop()
        self._viewer.drop()

    def shutdown(self) -> None:
        """Stop, and wait until every thread has ended."""
        self.drop()
        self._viewer.shutdown()


def report_failure(session: Session, where: str, event: RunFinished) -> None:
    """Tell the person everything that made a run fail."""
    problems = event.problems or (Problem(where, event.message),)
    session.refuse(InputError(problems, f"{where}: failed"))
