"""Choice of the shown run, and the evaluations that are computed to show it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from firegui.domain.project import Project, same_inputs, same_spread
from firegui.errors import InputError, Problem
from firegui.gui.base.number_text import duration
from firegui.gui.jobs.event_bridge import EventBridge
from firegui.gui.jobs.run_entry import NO_DROPS, RunEntry
from firegui.gui.jobs.run_job import Execute, RunSlot
from firegui.gui.jobs.run_list import save_scores
from firegui.gui.session.session import FireView, Session, ShownResult
from firegui.runs.events import BaselineReady, Message, PlanUpdated, RunFinished, StateChanged
from firegui.runs.fire_specs import run_spec
from firegui.runs.run_folder import read_drops
from firegui.runs.spec import EvaluateSpec
from firegui.runs.stages import FinishReason, RunState

_FIRST_TIME = "The first time this can take a minute."
_PREPARES, _SIMULATES = "Daily spread by the fire model", "Simulation of the fire"
_SETTLE_MS, _TICK_MS = 400, 1_000
_PAINTED_MS = 150
"""Time from the first painting of an opened project until its charts are painted too."""


class CompareMode(Enum):
    """Display of two compared plans once both fires are computed."""

    DIFFERENCE = "difference"
    SIDE_BY_SIDE = "side by side"


@dataclass(frozen=True, slots=True, eq=False)
class EvaluationRequest:
    """Evaluation to show on the map. ``entry`` is the run that it belongs to, if any.

    Without one, the plan is called ``title``, and ``folder`` is that of its run, if any. ``against`` is the name of the
    plan that ``spec`` has instead of no drops. ``compare`` selects how both are shown. With ``plays`` they are played
    from the start as soon as both are there.
    """

    title: str
    spec: EvaluateSpec
    entry: RunEntry | None = None
    against: str = ""
    compare: CompareMode | None = None
    folder: Path | None = None
    plays: bool = False

    @property
    def plan_name(self) -> str:
        """Name of the plan over the map; empty for the project's runs and for ensemble members."""
        named = self.entry is None and self.spec.member is None and self.spec.schedule is not None
        return self.title if named else ""

    @property
    def fire(self) -> str:
        """The kind of fire that a replanned run stores; empty for others, and for compared plans."""
        return "" if self.spec.fire is None or self.against else self.spec.fire.kind

    @property
    def is_sample(self) -> bool:
        """Whether the fires are those of an ensemble member or of a draw of a stress scenario."""
        return self.spec.member is not None or self.spec.stress is not None

    @property
    def is_baseline(self) -> bool:
        """Whether only the project's fire without drops is evaluated."""
        return self.entry is None and self.spec.member is None and self.spec.schedule is None


class ResultPresenter(QObject):
    """Presenter of the live frames of the active run, or of a saved schedule once evaluated.

    Only the latest request is evaluated, also while a run works. :meth:`shutdown` must be called before the program
    ends.
    """

    changed = Signal()
    """An evaluation started or ended."""
    shown_changed = Signal()
    """Another run is shown."""
    entry_updated = Signal(object)
    """A ``RunEntry`` has new numbers."""
    message = Signal(object)

    def __init__(
        self, session: Session, execute: Execute, parent: QObject | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self._session, self._clock = session, clock
        self._since, self._simulates = clock(), False
        self._shown: RunEntry | None = None
        self._latest: RunEntry | None = None
        self._awaits_plan = False
        self._live: RunEntry | None = None
        """The active run, whose latest pictures are kept while another run is shown."""
        self._live_baseline: BaselineReady | None = None
        self._live_plan: PlanUpdated | None = None
        self._current: EvaluationRequest | None = None
        self._next: ShownResult | None = None
        """Result that takes the place of the one on the map once its plan is there."""
        self._slot = RunSlot(execute, self)
        self._slot.changed.connect(self._on_slot_changed)
        self.changed.connect(self.update_awaited)
        self._tick = QTimer(self, interval=_TICK_MS)
        self._tick.timeout.connect(self.update_awaited)
        self._settle = QTimer(self, singleShot=True, interval=_SETTLE_MS)
        self._settle.timeout.connect(self.show_baseline)
        self._painted = QTimer(self, singleShot=True, interval=_PAINTED_MS)
        self._painted.timeout.connect(self._show_first)
        # Fires once the event loop has nothing left to paint.
        self._opened = QTimer(self, singleShot=True, interval=0)
        self._opened.timeout.connect(self._painted.start)

    @property
    def shown(self) -> RunEntry | None:
        """The run whose plan and curves are shown; ``None`` for the fire without drops alone."""
        return self._shown

    @property
    def activity(self) -> str:
        """Text on the current evaluation, or empty."""
        if self._opened.isActive() or self._painted.isActive():
            return NO_DROPS
        if self._current is not None:
            return NO_DROPS if self._current.is_baseline else f"Computing {self._current.title}…"
        return ""

    # -- choosing what is shown --------------------------------------------------------------------------------------
    def begin(self, latest: RunEntry | None = None) -> None:
        """Evaluate the ``latest`` plan of an opened project, or its fire without drops.

        It begins once the window was painted. The engine is loaded with the first fire. Both at once would block the
        window for most of a second.
        """
        self.set_shown(None)
        self._latest, self._awaits_plan = latest, True
        self._restart_clock()
        self._opened.start()
        self.update_awaited()

    def _show_first(self) -> None:
        shown, latest = self._session.result, self._latest
        if shown.baseline is not None or shown.plan is not None:
            self.changed.emit()
            return
        if latest is not None and latest.project is not None and not self._session.project.problems():
            try:
                self._show_saved(latest, latest.project)
                return
            except InputError as error:
                # The user did not ask for this plan, so there is no dialog.
                self.message.emit(Message(str(error), "warning"))
        self.show_baseline()

    def show_baseline(self) -> None:
        """Evaluate the fire without drops and show it."""
        project = self._session.project
        if problems := project.problems():
            text = str(InputError(problems, "The fire cannot be computed yet"))
            self.message.emit(Message(text, "warning"))
            self.changed.emit()
            return
        spec = EvaluateSpec(project, backend=self._session.backend, waits=False)
        self.show_evaluation(EvaluationRequest("No drops", spec))

    def show_live(self, entry: RunEntry, project: Project) -> None:
        """Show the reports of ``entry``, an active run of ``project``, from the latest on.

        The plan of a run that is resumed stays until its next one.
        """
        self.cancel()
        shown = self._session.result
        self._restart_clock()
        self.set_shown(entry)
        if shown.folder == entry.folder and shown.project is not None and same_inputs(shown.project, project):
            self._show(replace(shown, title=entry.title, fire=entry.fire))
        else:
            self._show(self._begun(entry.title, project, folder=entry.folder, fire=entry.fire))
        if entry is self._live and self._live_baseline is not None:
            self._show_baseline_of(self._live_baseline)
        if entry is self._live and self._live_plan is not None:
            self._show_plan_of(self._live_plan)
        self.changed.emit()

    def rename(self, entry: RunEntry) -> None:
        """Show the new name of ``entry``, if its plan is shown."""
        result = self._session.result
        if self._next is not None and self._next.folder == entry.folder:
            self._next = replace(self._next, title=entry.title)
            self._show(replace(result, next_title=entry.title))
        elif entry is self._shown and result.folder == entry.folder and result.title != entry.title:
            self._session.show_result(replace(result, title=entry.title))

    def show_saved(self, entry: RunEntry, project: Project) -> None:
        """Show the saved plan of ``entry``; refuse a run without one."""
        try:
            self._show_saved(entry, project)
        except InputError as error:
            self._session.refuse(error)

    def _show_saved(self, entry: RunEntry, project: Project) -> None:
        spec, fire = run_spec(entry.folder, project, self._session.backend, replans=entry.replans)
        if fire is not None:
            self.message.emit(Message(f"{entry.title}: {fire.note}", "warning" if fire.is_lost else "info"))
        self.show_evaluation(EvaluationRequest(entry.title, spec, entry))

    def show_means(self, means: ShownResult) -> None:
        """Show means over an ensemble at once, and drop any request."""
        self.cancel()
        self.set_shown(None)
        self._show(means)
        self.changed.emit()

    def set_shown(self, entry: RunEntry | None) -> None:
        """Set which run is shown."""
        if entry is not self._shown:
            self._shown = entry
            self.shown_changed.emit()

    # -- live runs and edits -----------------------------------------------------------------------------------------
    def update_baseline(self, entry: RunEntry, event: BaselineReady) -> None:
        """Show the fire without drops of ``entry`` if it is the shown run; keep it for :meth:`show_live`."""
        self._follow(entry)
        self._live_baseline = event
        if entry is self._shown:
            self._show_baseline_of(event)

    def update_plan(self, entry: RunEntry, event: PlanUpdated) -> None:
        """Show the latest picture of ``entry`` if it is the shown run; keep it for :meth:`show_live`."""
        self._follow(entry)
        self._live_plan = event
        if entry is self._shown:
            self._show_plan_of(event)

    def end_live(self) -> None:
        """Forget the pictures of the run that was active: it has ended."""
        self._follow(None)
        self.update_awaited()

    def _follow(self, entry: RunEntry | None) -> None:
        if entry is not self._live:
            self._live, self._live_baseline, self._live_plan = entry, None, None

    def update_staleness(self, *, may_work: bool) -> None:
        """Update whether the shown result is stale. Undo may have made it valid again.

        A stale fire without drops is evaluated again if ``may_work``, and so is one that is missing, unless its
        evaluation is under way. Those of an ensemble stay.
        """
        result = self._session.result
        if result.project is not None and result.stale != self._is_stale(result):
            result = replace(result, stale=not result.stale)
            self._session.show_result(result)
        kept = result.plan is not None or (result.is_sample and result.baseline is not None)
        if may_work and not kept and (result.stale or result.baseline is None) and not self._awaits_fire:
            self._settle.start()  # Wait until edits have paused for a moment.

    @property
    def _awaits_fire(self) -> bool:
        """Whether an evaluation is under way that has the fire without drops of the open project."""
        return self._current is not None and same_spread(self._current.spec.project, self._session.project)

    # -- evaluations -------------------------------------------------------------------------------------------------
    def cancel(self) -> None:
        """Cancel the request."""
        for timer in (self._settle, self._opened, self._painted, self._tick):
            timer.stop()
        self._current = None
        if self._next is not None:
            self._next = None
            self._show(replace(self._session.result, next_title=""))
        self._slot.cancel()

    def shutdown(self) -> None:
        """Cancel the request, and wait until every thread has finished."""
        self.cancel()
        self._slot.shutdown()

    def show_evaluation(self, request: EvaluationRequest) -> None:
        """Evaluate and show a request in place of any other.

        A plan of the same fire stays on the map until that of a run takes its place.
        """
        self.cancel()
        self._current = request
        self._restart_clock()
        self.set_shown(request.entry)
        begun = self._begun(
            request.title, request.spec.project, is_sample=request.is_sample,
            plan_name=request.plan_name, against=request.against,
            folder=request.folder if request.entry is None else request.entry.folder, fire=request.fire,
        )  # fmt: skip
        shown = self._session.result
        if request.entry is not None and shown.plan is not None and begun.baseline is not None:
            self._next = begun
            self._show(replace(shown, next_title=request.title))
        else:
            self._show(begun)
        self._slot.begin(request.spec, self._subscribe)
        self.changed.emit()

    def _restart_clock(self) -> None:
        self._since, self._simulates = self._clock(), False

    def _subscribe(self, bridge: EventBridge) -> None:
        bridge.subscribe(StateChanged, self._on_state)
        bridge.subscribe(BaselineReady, self._on_baseline)
        bridge.subscribe(PlanUpdated, self._on_plan)
        bridge.subscribe(Message, self.message)
        bridge.subscribe(RunFinished, self._on_finished)

    def _on_state(self, event: StateChanged) -> None:
        self._simulates = event.state is RunState.RUNNING
        self.update_awaited()

    def _on_baseline(self, event: BaselineReady) -> None:
        self._show_baseline_of(event)
        if self._current is not None and self._current.entry is not None:
            self._current.entry.baseline = event.metrics
            self.entry_updated.emit(self._current.entry)

    def _on_plan(self, event: PlanUpdated) -> None:
        self._show_plan_of(event)
        request = self._current
        if request is None:
            return
        if request.compare is not None:
            # Plans differ most at the end.
            self._session.set_step(request.spec.project.calendar.n_steps)
        if request.compare is CompareMode.DIFFERENCE:
            self._session.set_view(FireView.DIFFERENCE)
        elif request.compare is CompareMode.SIDE_BY_SIDE:
            self._session.set_side_by_side(True)
        if (entry := request.entry) is not None:
            unscored = entry.is_unscored
            entry.nominal = event.metrics
            if unscored and save_scores(entry):
                text = f"{entry.title} had been stopped before its plan was scored; it is scored now."
                self.message.emit(Message(text))
            self.entry_updated.emit(entry)

    def _on_finished(self, event: RunFinished) -> None:
        if event.reason is FinishReason.FAILED:
            report_failure(self._session, "the fire on the map", event)
        elif event.reason is FinishReason.COMPLETED and self._current is not None and self._current.plays:
            self._session.set_step(0)
            self._session.play_requested.emit()

    def _on_slot_changed(self) -> None:
        if self._current is not None and not self._slot.is_busy:
            self._current = None
            if self._next is not None:
                # The plan could not be computed: that before is not the plan of the selected run.
                begun, self._next = self._next, None
                self._show(begun)
            self.changed.emit()

    def update_awaited(self) -> None:
        """Show on the map what it waits for, and for how long already.

        An active run also starts with the fire without drops.
        """
        live = self._shown is not None and not self._shown.is_over
        text = NO_DROPS if live else self.activity
        lines = [text]
        if text and self._session.result.baseline is None:
            simulates = self._simulates or (live and self._shown is not None and self._shown.state is RunState.RUNNING)
            lines.append(f"{_SIMULATES if simulates else _PREPARES}, {duration(self._clock() - self._since)} so far")
            self._tick.start()
        else:
            self._tick.stop()
        if text == NO_DROPS:
            lines.append(_FIRST_TIME)
        self._session.set_awaited("\n".join(lines))

    # -- the session's result ----------------------------------------------------------------------------------------
    def _begun(
        self, title: str, project: Project, *, is_sample: bool = False, plan_name: str = "", against: str = "",
        folder: Path | None = None, fire: str = "",
    ) -> ShownResult:  # fmt: skip
        """Return what is known of a result of ``project`` before its plan is computed.

        Drop the plan of another project, and the baseline of another fire. A sample and a replanned run (``fire``) have
        their own fire without drops. If there is another plan to compare with (``against``), there is
        no such fire.
        """
        shown = self._session.result
        apart = is_sample or shown.is_sample or bool(against or shown.against or fire or shown.fire)
        old = ShownResult() if apart else shown
        if old.project is None or not same_spread(old.project, project):
            old = ShownResult()
        return ShownResult(
            title, old.baseline, old.baseline_metrics, project=project, member=is_sample, plan_name=plan_name,
            against=against, folder=folder, fire=fire,
        )  # fmt: skip

    def _show_baseline_of(self, event: BaselineReady) -> None:
        result = self._next or self._session.result
        found = replace(result, baseline=event.frames, baseline_metrics=event.metrics, first_drops=event.drops)
        if self._next is not None:
            self._next = found
        else:
            self._show(found)

    def _show_plan_of(self, event: PlanUpdated) -> None:
        result, self._next = self._next or self._session.result, None
        self._show(
            replace(
                result, plan=event.frames, plan_metrics=event.metrics, drops=event.drops,
                epoch=event.epoch, stage=event.stage, is_cautious=event.is_cautious,
            )
        )  # fmt: skip
        if self._awaits_plan:
            # The end says most of a plan: how small the fire stays, seen against the fire without drops.
            self._awaits_plan = False
            if self._session.step == 0:
                self._session.set_step(self._session.project.calendar.n_steps)

    def _show(self, result: ShownResult) -> None:
        self._session.show_result(replace(result, stale=self._is_stale(result)))

    def _is_stale(self, result: ShownResult) -> bool:
        if result.project is None or not self._session.has_project:
            return False
        # The fire without drops depends neither on regions and fleet nor on the search.
        same = same_spread if result.plan is None else same_inputs
        return not same(result.project, self._session.project)


def result_of_run(entry: RunEntry) -> ShownResult:
    """Return the saved plan of a run without its fires, which are in the files of the run.

    Raises :class:`~firegui.errors.InputError` where the drops cannot be read.
    """
    return ShownResult(
        entry.title, drops=read_drops(entry.folder), project=entry.project, stale=entry.stale, folder=entry.folder,
        fire=entry.fire,
    )  # fmt: skip


def report_failure(session: Session, where: str, event: RunFinished) -> None:
    """Report all problems that made a run fail."""
    problems = event.problems or (Problem("reason", event.message),)
    session.refuse(InputError(problems, f"{where[:1].upper()}{where[1:]} failed"))
