"""Queue of the runs of the open project: one plan is optimized at a time, others wait.

Any of them can be shown. A :class:`~firegui.gui.jobs.result_presenter.ResultPresenter` evaluates saved schedules for
the map, also while a run is active.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from firegui.domain.project import Project, same_fire
from firegui.domain.settings import goal_short
from firegui.domain.units import Units
from firegui.errors import InputError, without_options
from firegui.gui.base.preferences import Preferences
from firegui.gui.jobs.event_bridge import EventBridge
from firegui.gui.jobs.result_presenter import EvaluationRequest, ResultPresenter, report_failure
from firegui.gui.jobs.run_entry import RunEntry
from firegui.gui.jobs.run_job import Execute, RunJob, stop_and_join
from firegui.gui.jobs.run_list import (
    RunList,
    StoppingJobs,
    new_entry,
    other_event_error,
    read_saved_scores,
)
from firegui.gui.session.reporting import refusing
from firegui.gui.session.session import Session, ShownResult
from firegui.runs.events import (
    BaselineReady,
    LoopAdvanced,
    Message,
    PlanUpdated,
    Progress,
    RemovalCurveReady,
    RunFinished,
    StageBegan,
    StateChanged,
    StressTestProgress,
)
from firegui.runs.messages import counted
from firegui.runs.notes import write_name
from firegui.runs.run_folder import delete_run, kept_plan, same_folder
from firegui.runs.run_requests import (
    BOTH,
    FolderSpec,
    WarmStart,
    next_run_number,
    plan_spec,
    raised_limits,
    resume_spec,
    stage_problems,
)
from firegui.runs.runner import execute as run_execute
from firegui.runs.spec import EvaluateSpec, PlanSpec
from firegui.runs.stages import EliminationStep, EpochDone, FinishReason, RunState, Stage


class RunQueue(QObject):
    """Queue of the project's runs. :meth:`shutdown` must be called before the program ends.

    ``preferences`` keep which run of a project is shown, so that it is shown again when the project is opened.
    """

    changed = Signal()
    """The list or one of its runs changed."""
    epochs_added = Signal(object)
    """``RunEntry`` with a new stage, new epochs, or new decisions of its second stage."""
    shown_changed = Signal()
    """Another run is shown."""
    map_requested = Signal()
    """The user asked for what only the map shows."""
    ended = Signal(object)
    """The active ``RunEntry`` has ended, and its scores are known; not one that is deleted."""
    logged = Signal(str, str)
    """A line for the log, and its level: ``info``, ``warning`` or ``error``."""

    def __init__(
        self,
        session: Session,
        *,
        execute: Execute = run_execute,
        clock: Callable[[], datetime] = datetime.now,
        parent: QObject | None = None,
        preferences: Preferences | None = None,
    ) -> None:
        super().__init__(parent)
        self._session, self._execute, self._clock, self._preferences = session, execute, clock, preferences
        self._waiting: list[tuple[RunEntry, FolderSpec]] = []
        self._active: RunEntry | None = None
        self._before: RunEntry | None = None
        """The run that was shown before what an analysis or a comparison shows."""
        self._job: RunJob | None = None
        self._stopping = StoppingJobs()
        self._unreached = session.unreached_regions
        """Regions that the fire does not reach, as the runs were last compared with them."""
        self._list = RunList(session, self._stopping)
        self._presenter = ResultPresenter(session, execute, self)
        self._presenter.changed.connect(self.changed)
        self._presenter.shown_changed.connect(self.shown_changed)
        self._presenter.shown_changed.connect(self._keep_shown)
        self._presenter.entry_updated.connect(self.epochs_added)
        self._presenter.message.connect(self._pass_on)
        session.project_opened.connect(self._on_project_opened)
        session.project_edited.connect(self._on_project_edited)
        session.result_changed.connect(self._on_result)
        session.folder_changed.connect(self._on_folder_changed)
        if session.has_project:
            self._on_project_opened()

    # -- state -------------------------------------------------------------------------------------------------------
    @property
    def entries(self) -> tuple[RunEntry, ...]:
        """Every run of the project, the oldest first."""
        return self._list.entries

    @property
    def active(self) -> RunEntry | None:
        """The run that is active, paused or stopping."""
        return self._active

    @property
    def shown(self) -> RunEntry | None:
        """The run whose plan and curves are shown; ``None`` for the baseline alone."""
        return self._presenter.shown

    @property
    def shows_search(self) -> bool:
        """Whether the map has the plans of a run at work, one after the other."""
        return self.shown is not None and not self.shown.is_over

    @property
    def shown_or_before(self) -> RunEntry | None:
        """The shown run; while the map shows a fire of an analysis or a comparison, the run before it."""
        return self.shown or (self._before if self._before in self.entries else None)

    @property
    def is_busy(self) -> bool:
        """Whether a run is active or waits."""
        return self._active is not None or bool(self._waiting)

    @property
    def start_text(self) -> str:
        """Title of the command that plans: while a run is active, the next plan waits for it."""
        return "Plan next" if self.is_busy else "Start plan"

    @property
    def activity(self) -> str:
        """Text on the evaluation that is computed for the map, or empty."""
        return self._presenter.activity

    # -- runs --------------------------------------------------------------------------------------------------------
    def plan(self, stages: tuple[Stage, ...] = BOTH, start: WarmStart | None = None) -> RunEntry:
        """Start, or queue, a run of the open project. Raises ``RuntimeError`` if it was never saved."""
        folder = self._session.folder
        if folder is None:
            raise RuntimeError("the project has no folder yet")
        spec = plan_spec(
            self._session.project, folder, self._clock(), stages=stages, start=start, backend=self._session.backend,
            taken=self._list.folders, before=self._list.latest_project_of(goal_short(self._session.project.plan)),
            first=self._list.first_project,
        )  # fmt: skip
        return self.start(spec)

    def start(self, spec: FolderSpec) -> RunEntry:
        """Start ``spec``, or queue it behind the active run."""
        listed = [entry.run_number or 0 for entry in self._list.entries]
        spec = replace(spec, number=next_run_number(spec.out, self._session.folder, listed))
        entry = new_entry(spec)
        self._list.add(entry)
        if self.shown is not None:
            # Beside a run of the same minute its title has seconds.
            self._presenter.rename(self.shown)
        self._enqueue(entry, spec)
        return entry

    def resume_stopped(self, entry: RunEntry) -> None:
        """Resume a stopped run from its folder, unless the folder is still being written to."""
        if any(same_folder(other.folder, entry.folder) for other in (*self._live, *self._stopping.entries)):
            self._log(f"{entry.title} is still stopping; let it go on once it has stopped.", "warning")
            return
        ran = self._fitting_project(entry) if entry.is_resumable else None
        if ran is None:
            return
        folder = self._session.folder or entry.folder.parent.parent
        with refusing(self._session, str(entry.folder)):
            spec = resume_spec(raised_limits(ran, self._session.project), folder, entry.folder, self._session.backend)
            if isinstance(spec, PlanSpec) and (problems := stage_problems(spec.project, spec.stages, spec.out)):
                raise InputError(problems, "The run cannot be resumed")
            if entry.changes:
                text = f"{entry.title} goes on with the inputs that it was started with: {'; '.join(entry.changes)}."
                self._log(text, "warning")
            entry.state, entry.reason, entry.interrupted = RunState.QUEUED, None, False
            self._enqueue(entry, replace(spec, number=entry.run_number))

    def pause(self) -> None:
        """Request that the active run pauses before its next epoch."""
        if self._active is not None and self._job is not None and self._active.state is RunState.RUNNING:
            self._active.pausing = True
            self._job.control.request_pause()
            self.changed.emit()

    def resume(self) -> None:
        """Let the active run continue."""
        if self._active is not None and self._job is not None:
            self._active.pausing = False
            self._job.control.request_resume()
            self.changed.emit()

    def stop(self, entry: RunEntry | None = None) -> None:
        """Stop ``entry`` (or the active run) and keep its best plan, or remove it from the queue.

        A second call skips the score of the kept plan at nominal effectiveness. So does a call for a run of the project
        that was open before.
        """
        entry = entry or self._active
        if entry is None or entry.is_over:
            return
        if entry is self._active and self._job is not None:
            self._job.control.request_stop(now=entry.discarding or entry.state is RunState.STOPPING)
            if entry.state is not RunState.STOPPING:
                kept = "" if entry.discarding else ", keeping the best so far"
                self._log(f"Stopping {entry.title}{kept}.")
            entry.state, entry.pausing = RunState.STOPPING, False
        elif not self._stopping.skip_final_score(entry):
            self._remove_waiting(entry)
        self.changed.emit()

    def discard(self, entry: RunEntry | None = None) -> None:
        """Stop ``entry`` (or the active run) if it is active, and delete its folder."""
        entry = entry or self._active
        if entry is None or entry.read_only:
            return
        if entry is self._active:
            entry.discarding = True
            self.stop(entry)
        elif self._stopping.among([entry.folder]):
            entry.discarding = True
            self._stopping.skip_final_score(entry)
            self.changed.emit()
        else:
            self._delete(entry)

    def shutdown(self, *, discard: bool = False) -> None:
        """Stop everything and wait until every thread has finished.

        ``discard`` deletes the active run's folder. A run gets a moment to score the plan it keeps; after that it only
        saves it.
        """
        self._waiting.clear()
        self._presenter.cancel()
        if discard:
            self.discard()
        stop_and_join([job for job in (self._job, *self._stopping.jobs) if job is not None])
        self._presenter.shutdown()

    # -- what is shown -----------------------------------------------------------------------------------------------
    def show_baseline(self) -> None:
        """Evaluate the fire without drops and show it."""
        self._presenter.show_baseline()

    def show_member(self, title: str, spec: EvaluateSpec, *, plays: bool = False) -> None:
        """Evaluate and show both fires of an ensemble member, or of a plan of an analysis.

        With ``plays`` they are played as soon as they are there.
        """
        self.show_evaluation(EvaluationRequest(title, spec, plays=plays))

    def show_evaluation(self, request: EvaluationRequest) -> None:
        """Evaluate and show both fires of a request."""
        self._remember_shown()
        self._presenter.show_evaluation(request)
        self.map_requested.emit()

    def show_means(self, means: ShownResult) -> None:
        """Show means over the members of an ensemble."""
        is_update = bool(self._session.result.mean_of)
        self._remember_shown()
        self._presenter.show_means(means)
        if not is_update:
            self.map_requested.emit()

    def show_run_again(self) -> None:
        """Show the run that was on the map before an ensemble or a comparison, else the fire without drops."""
        if self._before is not None and self._before in self.entries:
            self.show(self._before)
        else:
            self.show_baseline()

    def _remember_shown(self) -> None:
        self._presenter.cancel()
        if not self._session.result.is_aside:
            self._before = self.shown

    def show(self, entry: RunEntry) -> None:
        """Show the plan of ``entry``: live pictures of an active run, else its saved schedule once evaluated."""
        if entry is self._active and entry.project is not None:
            self._presenter.show_live(entry, entry.project)
        elif entry.is_over and (project := self._fitting_project(entry)) is not None:
            self._presenter.show_saved(entry, project)

    def show_folder(self, folder: Path) -> None:
        """Show the run in ``folder``, which may lie outside the project; refuse one that cannot be shown."""
        if self.run_in(folder) is None:
            for problem in self._list.read([folder], self._live):
                self._session.refuse(problem)
            self.changed.emit()
        if (entry := self.run_in(folder)) is not None:
            self.show(entry)

    def run_in(self, folder: Path) -> RunEntry | None:
        """Return the run in ``folder``, if it is listed."""
        return self._list.in_folder(folder)

    def project_of(self, file: Path) -> Project | None:
        """Return the project of the run whose plan is in ``file``, which an analysis of the plan uses.

        ``None`` for another schedule, and where the fire of the open project is not that of the run.
        """
        entry = self.run_in(file.parent)
        if entry is None or entry.project is None or not entry.is_over or kept_plan(entry.folder) != file:
            return None
        return entry.project if same_fire(entry.project, self._session.project) else None

    def read_scores(self, folder: Path) -> None:
        """Read the scores of an ended run again: a stress test completes the table of its plan."""
        entry = self.run_in(folder)
        if entry is not None and entry.is_over:
            entry.summary_sought = False
            read_saved_scores(entry)
            self.changed.emit()

    def mark_missing(self) -> None:
        """Mark the ended runs whose folders were moved or deleted since they were listed."""
        for entry in self.entries:
            entry.missing = entry.is_over and not entry.folder.is_dir()
        self.changed.emit()

    def refresh_folder(self) -> None:
        """List runs that were copied into the project's folder, and mark those that are gone."""
        self._warn(self._list.read_new(self._live))
        self.mark_missing()

    # -- the active run ----------------------------------------------------------------------------------------------
    def _enqueue(self, entry: RunEntry, spec: FolderSpec) -> None:
        self._waiting.append((entry, spec))
        self._start_next(takes_map=self._job is None)
        self.changed.emit()

    def _start_next(self, *, takes_map: bool = False) -> None:
        """Start the first waiting run.

        One that has waited leaves the map to the result before it, which the user waited for.
        """
        if self._job is not None or not self._waiting:
            return
        entry, spec = self._waiting.pop(0)
        entry.begin()
        self._active, self._job = entry, RunJob(spec, self._execute, self)
        if self.shown is None or self.shown is entry or (takes_map and self.shown.is_over):
            self._presenter.show_live(entry, spec.project)
        else:
            self._log(f"{entry.title} has started; {self.shown.title} stays on the map.")
        self._subscribe(self._job.bridge)
        self._job.ended.connect(self._on_job_ended)
        self._job.begin()

    def _subscribe(self, bridge: EventBridge) -> None:
        bridge.subscribe(StageBegan, self._on_stage)
        bridge.subscribe_batches(EpochDone, self._on_epochs)
        bridge.subscribe_batches(EliminationStep, self._on_removals)
        bridge.subscribe(Progress, self._on_progress)
        bridge.subscribe(LoopAdvanced, self._on_loop)
        bridge.subscribe(RemovalCurveReady, self._on_curve)
        bridge.subscribe(StressTestProgress, self._on_stress_progress)
        bridge.subscribe(BaselineReady, self._on_baseline)
        bridge.subscribe(PlanUpdated, self._on_plan)
        bridge.subscribe(StateChanged, self._on_state)
        bridge.subscribe(Message, self._on_message)
        bridge.subscribe(RunFinished, self._on_finished)

    @property
    def _reporting(self) -> RunEntry:
        """The run whose events arrive. A job is stopped before another becomes active."""
        assert self._active is not None
        return self._active

    def _on_epochs(self, epochs: list[EpochDone]) -> None:
        self._reporting.add_epochs(epochs)
        self._emit_progress()

    def _on_removals(self, steps: list[EliminationStep]) -> None:
        self._reporting.add_removals(steps)
        self._emit_progress()

    def _on_progress(self, event: Progress) -> None:
        self._reporting.add_progress(event)
        self._emit_progress()

    def _on_loop(self, event: LoopAdvanced) -> None:
        self._reporting.loop = event.days
        self._emit_progress()

    def _on_curve(self, event: RemovalCurveReady) -> None:
        self._reporting.curve = event.curve
        self._emit_progress()

    def _on_stress_progress(self, event: StressTestProgress) -> None:
        self._reporting.add_stress_progress(event)
        self._emit_progress()

    def _on_stage(self, event: StageBegan) -> None:
        self._reporting.begin_stage(event)
        self._log(f"{self._reporting.title} · part {event.number} of {event.count}: {event.text}")
        self._emit_progress()

    def _emit_progress(self) -> None:
        self.epochs_added.emit(self._reporting)
        self.changed.emit()

    def _on_baseline(self, event: BaselineReady) -> None:
        self._reporting.baseline, self._reporting.preparation = event.metrics, ""
        self._presenter.update_baseline(self._reporting, event)
        self.epochs_added.emit(self._reporting)

    def _on_plan(self, event: PlanUpdated) -> None:
        if event.is_cautious:
            self._reporting.plan = event.metrics
        else:
            self._reporting.nominal = event.metrics
        self._presenter.update_plan(self._reporting, event)

    def _on_state(self, event: StateChanged) -> None:
        entry = self._reporting
        # The run may have reported this before it received the request to stop.
        if entry.state is not RunState.STOPPING or event.state is RunState.FINISHED:
            entry.state, entry.preparation = event.state, ""
        if event.state is RunState.PAUSED:
            entry.pausing = False
        self._presenter.update_awaited()
        self.changed.emit()

    def _on_finished(self, event: RunFinished) -> None:
        entry = self._reporting
        entry.finish(event)
        read_saved_scores(entry)
        is_failure = event.reason is FinishReason.FAILED
        # The status bar shows the first line: what the plan does. The rest is behind its button and in the log.
        units = self._session.units
        result = "" if is_failure or entry.summary is None else f"{_result_line(entry, event.reason, units)}\n"
        text = f"{result}{entry.title} · {event.reason.label}: {event.message}"
        self._log(text, "error" if is_failure else "info")
        if is_failure:
            report_failure(self._session, entry.title, event)
        self.changed.emit()

    def _on_job_ended(self, job: RunJob) -> None:
        if job is self._job:
            entry, self._active, self._job = self._active, None, None
            self._presenter.end_live()
            if entry is not None and entry.discarding:
                self._delete(entry)
            elif entry is not None:
                self.ended.emit(entry)
            self._start_next()
        else:
            self._on_stopped(self._stopping.pop(job))
        job.deleteLater()
        self.changed.emit()

    def rename(self, entry: RunEntry, name: str) -> bool:
        """Give a run another name, and return whether it has changed; an empty name restores the first one."""
        name = name.strip()
        if name == entry.title:
            return False
        with refusing(self._session, str(entry.folder)):
            write_name(entry.folder, name)
            entry.is_named, entry.title = bool(name), name or self._list.title_of(entry)
            self._list.name_parents()
            self._presenter.rename(entry)
            self.changed.emit()
            return True
        return False

    # -- the project -------------------------------------------------------------------------------------------------
    def _on_project_opened(self) -> None:
        self._waiting.clear()
        self._presenter.cancel()
        self._presenter.end_live()
        if self._job is not None and self._active is not None:
            self._stopping.add(self._job, self._active)
            self._active, self._job = None, None
        self._list.clear()
        self._warn(self._list.read_project(self._live))
        self._presenter.begin(self._shown_last or self._latest)
        self.changed.emit()

    def _keep_shown(self) -> None:
        """Keep which run is shown, for when the project is opened again."""
        if self._preferences is not None and self.shown is not None and self._session.source is not None:
            self._preferences.set_shown_run(self._session.source, self.shown.folder)

    @property
    def _shown_last(self) -> RunEntry | None:
        """The run that was shown last of the opened project; ``None`` if it is gone or has no plan.

        The project may have been edited since: the result then says so.
        """
        source = self._session.source
        folder = None if self._preferences is None or source is None else self._preferences.shown_run(source)
        entry = None if folder is None else self.run_in(folder)
        if entry is None or entry.elsewhere or not entry.is_over or kept_plan(entry.folder) is None:
            return None
        return entry

    @property
    def _latest(self) -> RunEntry | None:
        """The latest run whose plan belongs to the project as it was opened."""
        found = (each for each in reversed(self.entries) if each.is_over and not each.elsewhere and not each.stale)
        return next((each for each in found if kept_plan(each.folder) is not None), None)

    def _on_folder_changed(self) -> None:
        """List the runs of the folder that the project was saved to.

        Active and waiting runs stay where they are.
        """
        self._list.remove_ended()
        self._warn(self._list.read_project(self._live))
        if self.shown is not None and self.shown not in self._list.entries:
            self._presenter.set_shown(None)
            self.show_baseline()
        self.changed.emit()

    def _on_project_edited(self) -> None:
        self._list.mark_stale()
        self._presenter.update_staleness(may_work=not self.is_busy)
        self.changed.emit()

    def _on_result(self) -> None:
        """Compare the runs again once it is known which regions the fire does not reach."""
        if not self._session.result.is_aside:
            self._before = None
        if self._session.unreached_regions != self._unreached:
            self._unreached = self._session.unreached_regions
            self._list.mark_stale()
            self.changed.emit()

    def _on_message(self, event: Message) -> None:
        if event.text.endswith("…"):
            # Such a message says what the run is doing; the status bar drops messages after a while.
            self._reporting.preparation = without_options(event.text)
            self.changed.emit()
        self._pass_on(event)

    def _pass_on(self, event: Message) -> None:
        if event.device is not None:
            self._session.set_device(event.device.backend, event.device.name)
        if event.names_device_only:
            self.logged.emit(event.text, event.level)
        else:
            self._log(event.text, event.level)

    def _log(self, text: str, level: str = "info") -> None:
        text = without_options(text)
        self.logged.emit(text, level)
        self._session.message.emit(text.splitlines()[0] if text else "")

    def _fitting_project(self, entry: RunEntry) -> Project | None:
        if entry.project is None:
            self._session.refuse(other_event_error(entry))
        return entry.project

    def _remove_waiting(self, entry: RunEntry) -> None:
        self._waiting = [(other, spec) for other, spec in self._waiting if other is not entry]
        if entry.folder.exists():
            # A stopped run that waited to be resumed can still be resumed later.
            entry.state, entry.reason = RunState.FINISHED, FinishReason.STOPPED
        else:
            self._list.remove(entry)

    def _delete(self, entry: RunEntry) -> None:
        self._remove_waiting(entry)
        with refusing(self._session, str(entry.folder)):
            delete_run(entry.folder)
            self._list.remove(entry)
            if entry is self.shown:
                self._presenter.set_shown(None)
            self._log(f"{entry.title} was discarded.")
            self.changed.emit()

    def _on_stopped(self, entry: RunEntry) -> None:
        """List a run of the previous project that has ended. The open project may contain it."""
        if entry.discarding:
            self._delete(entry)
        elif self.run_in(entry.folder) is not None:
            if entry.folder.exists():
                self._warn(self._list.read([entry.folder], self._live))
            # Another entry was read for it, unless it left nothing to read.
            self._list.remove(entry)

    @property
    def _live(self) -> tuple[RunEntry, ...]:
        return (*filter(None, (self._active,)), *(entry for entry, _spec in self._waiting))

    def _warn(self, problems: Sequence[InputError]) -> None:
        for problem in problems:
            self._log(str(problem), "warning")


def _result_line(entry: RunEntry, reason: FinishReason, units: Units) -> str:
    """Return the result of an ended run in few words: name, end, drops, final size and share saved."""
    assert entry.summary is not None
    ended = FinishReason.COMPLETED if reason is FinishReason.PATIENCE else reason  # why it ended is said after it
    drops, size = counted(entry.summary.drops, "drop"), entry.summary.short_size_text(units)
    return f"{entry.title}: {ended.label}, {drops}, {size}"
