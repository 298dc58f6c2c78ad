"""Stage 1 as a run: prepare, epoch after epoch, keep the best, conclude."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from firegui.domain.results import Metrics
from firegui.domain.scenario import LAYERS
from firegui.domain.schedule import Schedule
from firegui.errors import CancelledError, InputError, Problem, Problems
from firegui.runs.conclusion import Conclusion
from firegui.runs.control import RunControl
from firegui.runs.events import (
    BaselineReady,
    EpochDone,
    FinishReason,
    Message,
    RunEvent,
    RunFinished,
    RunState,
)
from firegui.runs.folder import CHECKPOINT, RunFolder, RunRecord, check_out, found_in
from firegui.runs.header import new_header
from firegui.runs.lock import FolderLock
from firegui.runs.messages import finish_message, gain_message
from firegui.runs.pictures import Pictures
from firegui.runs.protocols import Engine, EngineModel, EpochResult, Planner
from firegui.runs.resume import resume_problems
from firegui.runs.speaker import Speaker
from firegui.runs.spec import PlanSpec
from firegui.runs.state import RunMachine

ROLLOUTS_PER_EPOCH = 3
"""A gradient epoch is charged as three rollouts (paper, planner benchmark)."""

_REASONS = {"epochs": FinishReason.COMPLETED, "patience": FinishReason.PATIENCE}


class Planning:
    """Carries out an :class:`~firegui.runs.spec.PlanSpec`."""

    def __init__(
        self,
        spec: PlanSpec,
        emit: Callable[[RunEvent], None],
        control: RunControl,
        engine: Engine,
        machine: RunMachine,
    ) -> None:
        self._spec, self._emit, self._control, self._engine, self._machine = spec, emit, control, engine, machine
        self._settings = spec.project.plan.optimizer
        self._speaker = Speaker(emit, engine, spec.backend)
        self._folder: RunFolder | None = None
        self._lock: FolderLock | None = None
        self._history: list[EpochDone] = []
        self._design: Metrics | None = None
        self._began = self._saved_at = time.monotonic()
        self.baseline_metrics: Metrics | None = None

    @property
    def written_folder(self) -> Path | None:
        """The run folder, once something was written to it."""
        return None if self._folder is None else self._folder.path

    def run(self) -> RunFinished:
        """Prepare, optimize, conclude. Writes nothing before the input is known to be good."""
        previous = self._checked()
        project, tell = self._spec.project, self._speaker.pass_on
        check, design = self._control.check, project.plan.design
        model = self._engine.build(project, design, self._spec.backend, tell=tell, check=check)
        folder = self._folder = self._open(model, previous)
        planner = None
        try:
            planner = self._prepare(folder, model, previous)
            reason = self._epochs(folder, model, planner)
        except CancelledError:
            reason = FinishReason.STOPPED
            self._machine.move(RunState.STOPPING)
        return self._conclude(folder, model, planner, reason)

    def note_failure(self, message: str) -> None:
        """Say in the run folder, if there is one, that the run failed; its last checkpoint stays."""
        if self._folder is not None:
            self._folder.update(
                state=RunState.FINISHED, reason=FinishReason.FAILED, message=message, seconds=self._seconds()
            )

    def close(self) -> None:
        """Let the run folder go; nothing is written to it from then on."""
        if self._lock is not None:
            self._lock.release()

    # -- before the first epoch --------------------------------------------------------------------------------------
    def _checked(self) -> RunRecord | None:
        problems = Problems()
        problems.extend(self._spec.project.problems())
        previous = None
        try:
            previous = check_out(self._spec.out, self._spec.resume)
        except InputError as error:
            problems.extend(error.problems)
        if previous is not None and not problems:
            problems.extend(resume_problems(previous, self._spec))
        problems.raise_if_any("The run cannot start")
        return previous

    def _claim(self, previous: RunRecord | None) -> None:
        """Take the folder, which held ``previous`` when it was checked. Refused when another run was faster."""
        out = self._spec.out
        self._lock = FolderLock(out)
        now = found_in(out, self._spec.resume)
        if (now and now.header.text()) != (previous and previous.header.text()):
            problem = Problem(str(out), "another run has just written to this folder", "look at it, then start again")
            raise InputError([problem], "The run cannot start")

    def _open(self, model: EngineModel, previous: RunRecord | None) -> RunFolder:
        self._claim(previous)
        header = new_header(self._spec, model.backend, model.device, previous.header if previous else None)
        if previous is not None:
            self._history = list(previous.history)
            self._began -= self._history[-1].seconds if self._history else 0.0
            was = (previous.header.backend, previous.header.device)
            if was != (model.backend, model.device):
                self._warn(f"the run was started on {self._words(*was)}: the last digits may differ from then on")
        self._speaker.say_device(model)
        missing = self._spec.project.scenario.missing_layers
        if missing and self._spec.project.maps is None:
            self._emit(Message("planned without the layers " + ", ".join(LAYERS[key][0].lower() for key in missing)))
        return RunFolder(self._spec.out, header)

    def _prepare(self, folder: RunFolder, model: EngineModel, previous: RunRecord | None) -> Planner:
        nothing = Schedule.empty(model.maps.n_steps, model.fleet.n_aircraft)
        stride = self._spec.frame_stride
        baseline = self._engine.simulate(model, nothing, check=self._control.check, frame_stride=stride)
        self.baseline_metrics = baseline.metrics
        if baseline.frames is not None:
            self._emit(BaselineReady(baseline.metrics, baseline.frames))
        if previous is not None and previous.can_resume:
            planner = self._engine.restore(model, self._settings, previous.folder / CHECKPOINT)
            # A kill may have come between the history and the state: the history is then ahead.
            self._history = [row for row in self._history if row.epoch < planner.epochs_done]
            return planner
        self._history = []
        start = self._engine.start(model, self._settings, self._spec.warm_start, self._control.check)
        planner = self._engine.planner(model, self._settings, start)
        self._checkpoint(folder, planner)
        return planner

    # -- epochs ------------------------------------------------------------------------------------------------------
    def _epochs(self, folder: RunFolder, model: EngineModel, planner: Planner) -> FinishReason:
        spec, check = self._spec, self._control.check
        pictures = Pictures(self._engine, model, self._emit, spec.frame_stride, spec.snapshot_seconds)
        self._move(folder, RunState.RUNNING)
        while not planner.finished:
            self._hold_while_paused(folder, planner)
            check()
            report = planner.epoch(check, pictures.stride_if_due())
            if report.improved:
                self._design = report.metrics
            self._history.append(self._row(report))
            self._emit(self._history[-1])
            pictures.offer(report, planner.best, check)
            if time.monotonic() - self._saved_at >= spec.checkpoint_seconds:
                self._checkpoint(folder, planner)
        return _REASONS[planner.finished]

    def _hold_while_paused(self, folder: RunFolder, planner: Planner) -> None:
        if not self._control.pause_requested:
            return
        self._checkpoint(folder, planner)
        self._move(folder, RunState.PAUSED)
        held = time.monotonic()
        self._control.wait_while_paused()
        self._began += time.monotonic() - held
        self._control.check()
        self._move(folder, RunState.RUNNING)

    def _move(self, folder: RunFolder, state: RunState) -> None:
        """Go to ``state`` and say so in the run folder, where other programs look; if it cannot be told, no matter."""
        self._machine.move(state)
        with suppress(InputError):
            folder.update(state=state)

    def _row(self, report: EpochResult) -> EpochDone:
        metrics = report.metrics
        return EpochDone(
            epoch=report.epoch,
            epochs=self._settings.epochs,
            rollouts=ROLLOUTS_PER_EPOCH * (report.epoch + 1),
            objective=metrics.objective,
            best=report.best,
            burn=metrics.loss_burn,
            final=metrics.loss_final,
            prot=metrics.loss_prot,
            drops=metrics.drops_executed,
            grad_norm=report.grad_norm,
            seconds=self._seconds(),
        )

    def _checkpoint(self, folder: RunFolder, planner: Planner) -> None:
        """Save what resuming needs. A disk that is full for a moment does not end a run that has hours behind it."""
        self._saved_at = time.monotonic()
        try:
            self._save(folder, planner)
        except InputError as error:
            self._warn(f"no checkpoint could be written ({error.problems[0]}); the run goes on")

    def _save(self, folder: RunFolder, planner: Planner) -> None:
        folder.write_history(self._history)
        planner.state().save(folder.checkpoint_path)
        if planner.best_epoch >= 0:
            folder.write_plan(planner.best)
        folder.update(
            state=self._machine.state,
            epochs_done=planner.epochs_done,
            best_epoch=planner.best_epoch,
            seconds=self._seconds(),
        )

    # -- the end -----------------------------------------------------------------------------------------------------
    def _conclude(
        self, folder: RunFolder, model: EngineModel, planner: Planner | None, reason: FinishReason
    ) -> RunFinished:
        nominal = None
        if planner is not None:
            self._save(folder, planner)
            if planner.best_epoch >= 0:
                nominal = self._score(folder, model, planner)
        done, best = folder.header.epochs_done, self._history[-1].best if self._history else math.nan
        message = finish_message(reason, self._settings, done, folder.header.best_epoch, best)
        if nominal is not None and self.baseline_metrics is not None:
            message = f"{message}. At nominal effectiveness: {gain_message(self.baseline_metrics, nominal, done)}"
        folder.update(state=RunState.FINISHED, reason=reason, message=message, seconds=self._seconds())
        return RunFinished(reason, message, nominal, self.baseline_metrics, folder.path)

    def _score(self, folder: RunFolder, model: EngineModel, planner: Planner) -> Metrics | None:
        conclusion = Conclusion(
            engine=self._engine,
            model=model,
            project=self._spec.project,
            best=planner.best,
            best_epoch=planner.best_epoch,
            baseline=self.baseline_metrics,
            design=self._design,
            frame_stride=self._spec.frame_stride,
        )
        # An ordinary stop still waits for the score of what it kept; an urgent one does not.
        plan = conclusion.write(folder, self._control.check_abandoned)
        if plan is not None:
            self._emit(plan)
        return None if plan is None else plan.metrics

    # -- small things ------------------------------------------------------------------------------------------------
    def _seconds(self) -> float:
        return time.monotonic() - self._began

    def _words(self, backend: str, device: str) -> str:
        name = self._engine.device_name(device)
        return f"{name}, plain reference" if backend == "reference" else name

    def _warn(self, text: str) -> None:
        self._emit(Message(text, "warning"))
