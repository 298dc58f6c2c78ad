"""Works out one fire at a time for the map: without drops, or with the schedule of a saved run."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from PySide6.QtCore import QObject, Signal

from firegui.gui.jobs.result_feed import ResultFeed
from firegui.gui.jobs.run_entry import RunEntry
from firegui.gui.jobs.run_job import Execute, RunJob
from firegui.gui.jobs.saved_runs import keep_scores
from firegui.runs.events import BaselineReady, FinishReason, Message, PlanUpdated, RunFinished
from firegui.runs.spec import EvaluateSpec

NO_DROPS = "Working out the fire without drops…"


class Look(Enum):
    """How two plans that are compared are put on the map once both of their fires are there."""

    DIFFERENCE = "difference"
    SIDE_BY_SIDE = "side by side"


@dataclass(frozen=True, slots=True, eq=False)
class Wish:
    """Something to evaluate for the map; ``entry`` is the run that it belongs to, if any.

    Without one the plan goes by the ``title``. ``against`` names the plan that ``spec`` has in place of no drops;
    ``look`` is forgotten with the wish, so that nothing else is ever looked at like that.
    """

    title: str
    spec: EvaluateSpec
    entry: RunEntry | None
    against: str = ""
    look: Look | None = None

    @property
    def plan_name(self) -> str:
        """What the plan is called over the map; empty for one of the project's runs, and for a member's."""
        named = self.entry is None and self.spec.member is None and self.spec.schedule is not None
        return self.title if named else ""


class EvaluationJob(QObject):
    """Only the latest wish counts. While held, a wish waits: a run at work wants every core for itself."""

    began = Signal(object)
    """The ``RunEntry`` that is shown from now on, or ``None`` for the fire without drops."""
    changed = Signal()
    """Work began or ended."""
    entry_updated = Signal(object)
    """A ``RunEntry`` has new numbers."""
    compared = Signal(object)
    """The :class:`Look` of a wish that is fulfilled."""
    message = Signal(object)
    failed = Signal(object)
    """The ``RunFinished`` that says why nothing can be shown."""

    def __init__(self, feed: ResultFeed, execute: Execute, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._feed, self._execute = feed, execute
        self._held = False
        self._wish: Wish | None = None
        self._current: Wish | None = None
        self._job: RunJob | None = None
        self._leaving: list[RunJob] = []

    @property
    def activity(self) -> str:
        """What is being worked out, or waits to be; empty for nothing."""
        wish = self._current or self._wish
        if wish is None:
            return ""
        plain = wish.entry is None and wish.spec.member is None and wish.spec.schedule is None
        if self._job is not None:
            return NO_DROPS if plain else f"Working out {wish.title}…"
        return f"{'the fire without drops' if plain else wish.title} is shown when the run pauses or ends"

    def ask(self, wish: Wish) -> None:
        """Work this out, instead of whatever was asked before."""
        self.drop()
        self._wish = wish
        self._begin()
        self.changed.emit()

    def drop(self) -> None:
        """Forget what was asked."""
        self._wish = None
        if self._job is not None:
            self._job.detach()
            self._leaving.append(self._job)
            self._current, self._job = None, None

    def hold(self, held: bool) -> None:
        """Let wishes wait, or go on with them."""
        self._held = held
        self._begin()

    def shutdown(self) -> None:
        """Stop, and wait until every thread has ended."""
        self.drop()
        for job in tuple(self._leaving):
            job.close()

    def _begin(self) -> None:
        if self._wish is None or self._job is not None or self._held:
            return
        wish, self._wish = self._wish, None
        self._current, self._job = wish, RunJob(wish.spec, self._execute, self)
        self.began.emit(wish.entry)
        self._feed.begin(
            wish.title, wish.spec.project, of_member=wish.spec.member is not None, plan_name=wish.plan_name,
            against=wish.against, folder=None if wish.entry is None else wish.entry.folder,
        )  # fmt: skip
        bridge = self._job.bridge
        bridge.subscribe(BaselineReady, self._on_baseline)
        bridge.subscribe(PlanUpdated, self._on_plan)
        bridge.subscribe(Message, self._on_message)
        bridge.subscribe(RunFinished, self._on_finished)
        self._job.ended.connect(self._on_ended)
        self._job.begin()

    def _on_baseline(self, event: BaselineReady) -> None:
        self._feed.baseline(event)
        if self._current is not None and self._current.entry is not None:
            self._current.entry.baseline = event.metrics
            self.entry_updated.emit(self._current.entry)

    def _on_plan(self, event: PlanUpdated) -> None:
        self._feed.plan(event)
        if self._current is not None and self._current.look is not None:
            self.compared.emit(self._current.look)
        if self._current is not None and self._current.entry is not None:
            entry, scored = self._current.entry, self._current.entry.is_unscored
            entry.nominal = event.metrics
            if scored and keep_scores(entry):
                text = f"{entry.title} had been stopped before its plan was scored; it is scored now."
                self.message.emit(Message(text))
            self.entry_updated.emit(entry)

    def _on_message(self, event: Message) -> None:
        self.message.emit(event)

    def _on_finished(self, event: RunFinished) -> None:
        if event.reason is FinishReason.FAILED:
            self.failed.emit(event)

    def _on_ended(self, job: RunJob) -> None:
        if job is self._job:
            self._current, self._job = None, None
        else:
            self._leaving.remove(job)
        job.deleteLater()
        self._begin()
        self.changed.emit()
