"""Run of a calibration: fit the network to the first days of events, save the best weights."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from statistics import fmean

from firegui.analyses.calibration.checkpoint import (
    FitCheckpoint,
    FitEvent,
    out_problems,
    part_of,
    read_checkpoint,
    write_checkpoint,
)
from firegui.calibration.fittable import network_fit_problems
from firegui.domain.fit import EventProgress, FitProgress, FitState, NetworkFitSettings
from firegui.domain.project import Project
from firegui.domain.scenario import Scenario
from firegui.domain.weights import NetworkWeights
from firegui.errors import CancelledError, InputError, Problem, Problems
from firegui.fire.skill import LIKELY, iou, scored_days
from firegui.io.atomic import write_problem
from firegui.io.paths import real_path
from firegui.io.project.weights_file import weights_bytes, write_weights
from firegui.rollout.engine_message import EngineMessage
from firegui.runs.base_run import BaseRun
from firegui.runs.control import RunControl
from firegui.runs.engine import Engine
from firegui.runs.events import Emit, FitEpoch, Message, RunFinished, WeightsReady
from firegui.runs.header import fire_hash
from firegui.runs.messages import counted
from firegui.runs.resume import differences
from firegui.runs.spec import CalibrateSpec
from firegui.runs.stages import FinishReason, RunState
from firegui.runs.state import RunMachine

TITLE = "The fire model cannot be calibrated"

_REMEDY = "set it back, or start another calibration"


def calibrate_problems(spec: CalibrateSpec) -> list[Problem]:
    """Return the problems of ``spec``, except those of an interrupted calibration."""
    found = out_problems(spec.out, resume=spec.resume) + input_problems(spec.projects, spec.settings)
    return found + ([] if spec.start is None else spec.start.problems())


def input_problems(projects: Sequence[Project], settings: NetworkFitSettings) -> list[Problem]:
    """Return what is wrong with the settings, and with fitting them to these events."""
    return network_fit_problems([project.scenario for project in projects], settings)


def resume_fit_problems(then: FitCheckpoint, spec: CalibrateSpec, hashes: Sequence[str]) -> list[Problem]:
    """Return what keeps ``spec``, whose events have these hashes, from resuming ``then`` to the same end."""
    where = str(part_of(spec.out))
    found = []
    if [event.hash for event in then.events] != list(hashes):
        names = ", ".join(event.name for event in then.events)
        found.append(Problem(where, f"was begun with other events ({names})", "give the same projects, in that order"))
    for title, before, after in differences(then.settings, spec.settings):
        found.append(Problem(where, f"was begun with {title} = {before}, now {after}", _REMEDY))
    if spec.settings.patience < then.settings.patience:
        text = f"was begun with {then.settings.patience:,} rounds without gain, now {spec.settings.patience}"
        found.append(Problem(where, text, "rounds without gain (patience) can only be raised when resuming"))
    begun = None if then.start is None else weights_bytes(then.start)
    if spec.start is not None and weights_bytes(spec.start) != begun:
        found.append(Problem(where, "was begun with other weights", "give the same ones (--start), or none"))
    return found


class Calibration(BaseRun[CalibrateSpec]):
    """Run of a :class:`~firegui.runs.spec.CalibrateSpec`."""

    def __init__(
        self, spec: CalibrateSpec, emit: Emit, control: RunControl, engine: Engine, machine: RunMachine
    ) -> None:
        super().__init__(spec, emit, control, engine, machine)
        self._checkpoint: FitCheckpoint | None = None
        self._state: FitState | None = None
        self._history: list[FitProgress] = []
        self._before = 0.0
        self._saved_at = time.monotonic()

    def run(self) -> RunFinished:
        """Fit, then save the weights. Writes nothing before the input is known to be good."""
        begun = self._checkpoint = self._begin()
        self._write(begun)
        self._machine.move(RunState.RUNNING)
        events = [project.usual_event for project in self._spec.projects]
        try:
            self._state = self._engine.fit_network(
                events,
                self._spec.settings,
                begin=begun.start,
                state=begun.state,
                progress=self._hear,
                keep=self._keep,
                check=self._control.check,
                tell=self._pass_on,
            )
        except CancelledError:
            self._machine.move(RunState.STOPPING)
            return self._stop()
        return self._complete(self._state)

    def note_failure(self, message: str) -> None:
        """Leave the latest state for another try; what never got through an epoch leaves nothing."""
        if self._checkpoint is None:
            return
        if self._state is None:
            self._forget()
        else:
            self._save()

    def _pass_on(self, remark: EngineMessage) -> None:
        self._emit(Message(remark.text, remark.level))

    # -- before the first epoch --------------------------------------------------------------------------------------
    def _begin(self) -> FitCheckpoint:
        """Return the resumed calibration, or a new one. Raises :class:`~firegui.errors.InputError`."""
        spec, problems = self._spec, Problems()
        problems.extend(calibrate_problems(spec))
        hashes = [fire_hash(project) for project in spec.projects]
        then = None
        if spec.resume and part_of(spec.out).exists():
            try:
                then = read_checkpoint(part_of(spec.out))
                problems.extend(resume_fit_problems(then, spec, hashes))
            except InputError as error:
                problems.extend(error.problems)
        problems.raise_if_any(TITLE)
        if then is None:
            folders = [str(real_path(folder)) for folder in spec.project_folders] or [""] * len(hashes)
            events = map(_event, spec.projects, hashes, folders)
            return FitCheckpoint(spec.command, spec.settings, tuple(events), spec.start, None, ())
        self._state, self._history = then.state, list(then.history)
        self._before = self._history[-1].seconds if self._history else 0.0
        return replace(then, settings=spec.settings)

    def _write(self, checkpoint: FitCheckpoint) -> None:
        folder = self._spec.out.parent
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError([write_problem(folder, error)], TITLE) from error
        write_checkpoint(part_of(self._spec.out), checkpoint)

    # -- epochs ------------------------------------------------------------------------------------------------------
    def _keep(self, state: FitState) -> None:
        self._state = state
        self._save_if_due()

    def _hear(self, progress: FitProgress) -> None:
        row = replace(progress, seconds=self._before + progress.seconds)
        self._history.append(row)
        self._emit(FitEpoch(row))
        self._save_if_due()

    def _save_if_due(self) -> None:
        """Save once in a while. A disk that is full for a moment does not end a fit that has hours behind it."""
        in_step = self._state is not None and self._state.epoch == len(self._history)
        if not in_step or time.monotonic() - self._saved_at < self._spec.checkpoint_seconds:
            return
        self._saved_at = time.monotonic()
        try:
            self._save()
        except InputError as error:
            text = f"no checkpoint could be written ({error.problems[0]}); the calibration goes on"
            self._emit(Message(text, "warning"))

    def _save(self) -> None:
        assert self._checkpoint is not None
        done = 0 if self._state is None else self._state.epoch
        self._history = self._history[:done]
        self._write(replace(self._checkpoint, state=self._state, history=tuple(self._history)))

    def _forget(self) -> None:
        # One that cannot be removed is refused or resumed later, which is no harm.
        with suppress(OSError):
            part_of(self._spec.out).unlink()

    # -- the end -----------------------------------------------------------------------------------------------------
    def _stop(self) -> RunFinished:
        state = self._state
        if state is None or state.best_epoch < 0:
            self._forget()
            message = "stopped before the first round was done; nothing was written"
            return RunFinished(FinishReason.STOPPED, message, None, None, None)
        self._save()
        best = self._finish(state)
        message = f"stopped on request after {counted(state.epoch, 'round')}; {best} and is saved; resume to go on"
        return RunFinished(FinishReason.STOPPED, message, None, None, None)

    def _complete(self, state: FitState) -> RunFinished:
        if state.best_epoch < 0:
            problem = Problem("fit", "the misfit never was a number", "make the step size smaller")
            raise InputError([problem], TITLE)
        best, settings = self._finish(state), self._spec.settings
        self._forget()
        if state.epoch < settings.epochs:
            patience = counted(settings.patience, "round")
            message = f"stopped after {patience} without gain; {best}"
            return RunFinished(FinishReason.PATIENCE, message, None, None, None)
        message = f"completed {counted(state.epoch, 'round')}; {best}"
        return RunFinished(FinishReason.COMPLETED, message, None, None, None)

    def _finish(self, state: FitState) -> str:
        """Save the best weights and say which they are."""
        events = [project.usual_event for project in self._spec.projects]
        begun = self._checkpoint
        weights = self._engine.fitted_weights(events, self._spec.settings, state, begun.start if begun else None)
        write_weights(self._spec.out, weights)
        best = self._history[state.best_epoch]
        self._emit(WeightsReady(weights, best, state.epoch, *self._compared(weights)))
        return f"the best is round {best.epoch + 1:,} (misfit {best.loss:.4g}, mean overlap {mean_iou(best):.2f})"

    def _compared(self, weights: NetworkWeights) -> tuple[tuple[EventProgress, ...], tuple[EventProgress, ...]]:
        """Return the scores of the projects' own fire models, and of ``weights``.

        Both are empty once a stop was requested.
        """
        projects = self._spec.projects
        try:
            before = tuple(self._scored(project) for project in projects)
            return before, tuple(self._scored(project.with_network(weights)) for project in projects)
        except (CancelledError, InputError):
            # Maps of another model may not cover these days. The weights are saved in any case.
            return (), ()

    def _scored(self, project: Project) -> EventProgress:
        event, days = project.scenario, self._spec.settings.fit_days
        states = self._engine.forecast(project, days, check=self._control.check)
        scored = [(day, event.observed_on(day)) for day in scored_days(event, days)]
        found = [(day, iou(states[day] >= LIKELY, seen)) for day, seen in scored if seen is not None]
        return EventProgress(event.name, tuple(day for day, _ in found), tuple(value for _, value in found))


def mean_iou(epoch: FitProgress) -> float:
    """Return the mean over the scored days of every event, each event counting the same."""
    return fmean(fmean(event.iou) for event in epoch.events)


def default_settings(*projects: Project) -> NetworkFitSettings:
    """Return the settings to begin with: days with weather and a perimeter, at most the usual number."""
    usual = NetworkFitSettings()
    return replace(usual, fit_days=min((usual.fit_days, *(last_perimeter(project.scenario) for project in projects))))


def last_perimeter(event: Scenario) -> int:
    """Return the last day with weather before it and a perimeter of its own, 1 without one."""
    return max((day for day in range(1, event.days + 1) if not event.is_filled_forward(day)), default=1)


def _event(project: Project, digest: str, folder: str) -> FitEvent:
    return FitEvent(project.scenario.name, digest, folder)
