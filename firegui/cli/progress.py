"""Progress on standard error: a bar for people, one event per line for programs, or nothing."""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from math import isnan
from statistics import fmean
from typing import Any

import click

from firegui.analyses.calibration.run import mean_iou
from firegui.domain.fit import FitProgress
from firegui.domain.results import Metrics, metric_values
from firegui.domain.uncertainty import ErrorModel
from firegui.runs.events import (
    BaselineReady,
    BenchmarkProgress,
    BenchmarkReady,
    Emit,
    EnsembleReady,
    ErrorFitted,
    FactorsReady,
    FieldDrawn,
    FitEpoch,
    LoopAdvanced,
    MarginReady,
    MembersDone,
    Message,
    PlanUpdated,
    Progress,
    RemovalCurveReady,
    RunEvent,
    RunFinished,
    ScalingReady,
    SensitivityReady,
    SkillReady,
    StageBegan,
    StateChanged,
    StressReady,
    StressTestProgress,
    StudyProgress,
    StudyReady,
    TaskProgress,
    WeightsReady,
)
from firegui.runs.messages import counted
from firegui.runs.stages import EliminationStep, EpochDone

progress_option = click.option(
    "--progress",
    type=click.Choice(["bar", "json", "none"]),
    default="bar",
    show_default=True,
    help="Progress on standard error: a bar, one JSON event per line, or nothing. Its best objective is the one at "
    "the cautious effectiveness that planning assumes; the final score is at the expected effectiveness.",
)
"""Adds ``--progress``."""

plain_progress_option = click.option(
    "--progress",
    type=click.Choice(["bar", "json", "none"]),
    default="bar",
    show_default=True,
    help="Progress on standard error: a bar, one JSON event per line, or nothing.",
)
"""Adds ``--progress`` to a command that optimizes nothing."""

_WIDTH = 24
PACE_EPOCHS = 5
LONG_HOURS = 100
"""Hours from which on a time is shown in days."""


def emitter(mode: str) -> Emit:
    """Return the receiver of a run's events for ``--progress`` ``mode``."""
    makers: dict[str, Callable[[], Emit]] = {"bar": TerminalProgressBar, "json": JsonLines, "none": Silent}
    return makers[mode]()


class Silent:
    """Reporter that prints nothing."""

    def __call__(self, event: RunEvent) -> None:
        """Drop the event."""


class JsonLines:
    """Printer of one flat JSON object per event; infinities and NaN are null."""

    def __call__(self, event: RunEvent) -> None:
        """Write the event."""
        click.echo(json.dumps({key: _finite(value) for key, value in scalars(event).items()}), err=True)


class TerminalProgressBar:
    """Progress in one line that is rewritten on a terminal.

    Elsewhere a line is printed now and then, so that a log stays readable.
    """

    def __init__(self) -> None:
        self._live = sys.stderr.isatty()
        self._pause = 0.1 if self._live else 10.0
        self._shown_at = -math.inf
        self._open = False
        self._tests: tuple[int, ...] = ()

    def __call__(self, event: RunEvent) -> None:
        """Show the event."""
        match event:
            case EpochDone():
                self._epoch(bar_text(event), event.epoch + 1 >= event.epochs)
            case EliminationStep():
                self._elimination(event)
            case StageBegan():
                self._line(f"stage {event.number} of {event.count}: {event.text}" if event.count > 1 else "")
            case FitEpoch(epoch):
                self._epoch(fit_bar_text(epoch), epoch.epoch + 1 >= epoch.epochs)
            case MembersDone():
                self._epoch(members_bar_text(event), event.done >= event.members)
            case BenchmarkProgress():
                self._epoch(tasks_bar_text(event), event.done >= event.tasks)
            case StudyProgress():
                self._epoch(cells_bar_text(event), event.done + event.failed >= event.cells)
            case Progress() | StressTestProgress():
                self._piece(event)
            case Message():
                self._line(f"{event.level}: {event.text}" if event.level != "info" else event.text)
            case RunFinished():
                self._line("")
            case _:
                pass

    def _elimination(self, event: EliminationStep) -> None:
        # That no pass follows the last is found by a step of its own, which stands where the last test stood.
        tests = (event.passes, event.tested, event.to_test, event.drops)
        if tests != self._tests:
            self._epoch(elimination_bar_text(event), event.tested >= event.to_test)
        self._tests = tests

    def _epoch(self, text: str, last: bool) -> None:
        now = time.monotonic()
        if now - self._shown_at < self._pause and not last:
            return
        self._shown_at = now
        if self._live:
            click.echo("\r" + text + "\x1b[K", err=True, nl=False)
            self._open = True
        else:
            click.echo(text, err=True)

    def _piece(self, event: Progress | StressTestProgress) -> None:
        text = f"[{event.done + 1}/{event.total}] {event.text}"
        if self._live:
            click.echo("\r" + text + "\x1b[K", err=True, nl=False)
            self._open = True
        else:
            click.echo(text, err=True)

    def _line(self, text: str) -> None:
        if self._open:
            click.echo("", err=True)
            self._open = False
        if text:
            click.echo(text, err=True)


def bar_text(event: EpochDone) -> str:
    """Return a bar with the epoch, the best objective, the executed drops and the time left.

    The first epochs also load and compile, so nothing is said of the rest before :data:`PACE_EPOCHS` of them.
    """
    return (
        f"{_epochs(event)}  best {event.best:.4g} at cautious effectiveness  {counted(event.drops, 'drop')}"
        f"  {_time(event)}"
    )


def fit_bar_text(event: FitProgress) -> str:
    """Return a bar with the epoch, the misfit and its best, the mean IoU and the time left.

    The mean is over the fitted days.
    """
    misfit = f"misfit {event.loss:.4g}  best {event.best_loss:.4g}"
    return f"{_epochs(event)}  {misfit}  overlap {mean_iou(event):.2f}  {_time(event)}"


def members_bar_text(event: MembersDone) -> str:
    """Return a bar with the members, the mean final extents so far and the time left."""
    means = f"mean {event.baseline:,.0f} cells"
    if event.plan is not None:
        means += f" without drops, {event.plan:,.0f} with the plan"
    left = "" if math.isnan(event.left) else f", {clock(event.left)} left"
    bar = f"{_filled(event.done, event.members)} fire {event.done:,}/{event.members:,}"
    return f"{bar}  {means}  {clock(event.seconds)}{left}"


def tasks_bar_text(event: BenchmarkProgress) -> str:
    """Return a bar with the tasks that are done, and how far each running one is."""
    at_work = "; ".join(map(_task_text, event.running))
    bar = f"{_filled(event.done, event.tasks)} {event.done:,}/{counted(event.tasks, 'task')}"
    return f"{bar}  {clock(event.seconds)}" + (f"  {at_work}" if at_work else "")


def cells_bar_text(event: StudyProgress) -> str:
    """Return a bar with the cells done and failed, the workers and the time left."""
    failed = f", {event.failed:,} failed" if event.failed else ""
    left = "" if math.isnan(event.left) else f", {clock(event.left)} left"
    bar = f"{_filled(event.done + event.failed, event.cells)} {event.done:,}/{counted(event.cells, 'case')}{failed}"
    busy = sum(worker.busy for worker in event.workers)
    return f"{bar}  {busy} of {counted(len(event.workers), 'worker')} busy  {clock(event.seconds)}{left}"


def _task_text(task: TaskProgress) -> str:
    share = f"{task.spent:,}/{task.allowance:,}" if task.allowance else f"{task.spent:,}"
    best = "" if math.isnan(task.best) else f" best {task.best:.4g}"
    return f"{task.task.name} {share}{best}"


def elimination_bar_text(event: EliminationStep) -> str:
    """Return a bar with what is done of this pass, the drops left, and each loss by its limit."""
    held = ((name, getattr(event, name)) for name in ("burn", "final", "prot", "val"))
    losses = ", ".join(f"{name} {value:.3f}" for name, value in held if math.isfinite(value))
    done = f"round {event.passes}, {event.tested:,}/{event.to_test:,}"
    left = f"{counted(event.drops, 'drop')} of {event.drops_before:,} left"
    return f"{_filled(event.tested, event.to_test)} {done}  {left}  {losses} of the limit  {clock(event.seconds)}"


def _epochs(event: EpochDone | FitProgress) -> str:
    return f"{_filled(event.epoch + 1, event.epochs)} step {event.epoch + 1:,}/{event.epochs:,}"


def _filled(done: int, total: int) -> str:
    filled = min(int(done / max(total, 1) * _WIDTH), _WIDTH)
    return f"[{'#' * filled}{'.' * (_WIDTH - filled)}]"


def _time(event: EpochDone | FitProgress) -> str:
    if event.epoch + 1 < PACE_EPOCHS:
        return clock(event.seconds)
    share = (event.epoch + 1) / event.epochs
    return f"{clock(event.seconds)}, at most {clock(event.seconds / share - event.seconds)} left"


def clock(seconds: float) -> str:
    """Return ``seconds`` as ``m:ss`` or ``h:mm:ss``, from a hundred hours on as days."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours >= LONG_HOURS:
        return f"{hours // 24:,} days"
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


Scalar = str | int | float | bool | None


def scalars(event: RunEvent) -> dict[str, Scalar]:
    """Return ``event`` without its arrays: ``{"event": name, …}`` with text and numbers only."""
    match event:
        case StateChanged():
            return {"event": "state", "state": event.state.value}
        case Message():
            return {"event": "message", "level": event.level, "text": event.text}
        case BaselineReady():
            return {"event": "baseline", **_prefixed("", event.metrics)}
        case StageBegan():
            return {"event": "stage", **asdict(event), "stage": event.stage.value}
        case EpochDone():
            return {"event": "epoch", **asdict(event)}
        case EliminationStep():
            held = {name: None if isnan(value) else value for name, value in asdict(event).items()}
            return {"event": "elimination", **held}
        case PlanUpdated():
            return {
                "event": "plan",
                "epoch": event.epoch,
                "drops_listed": len(event.drops),
                **_prefixed("", event.metrics),
            }
        case Progress():
            return {"event": "progress", **{name: one for name, one in asdict(event).items() if one is not None}}
        case LoopAdvanced():
            return {"event": "loop", "days": len(event.days), **(asdict(event.days[-1]) if event.days else {})}
        case RemovalCurveReady():
            points = event.curve.points
            last = points[event.curve.place_of(event.curve.taken) or 0]
            numbers: dict[str, Scalar] = {"drops": last.drops, "final_extent_ha": last.final_extent_ha}
            return {"event": "removal_curve", "points": len(points), **numbers}
        case StressTestProgress():
            return {"event": "stress_progress", **asdict(event)}
        case SkillReady():
            model = event.report.model
            return {"event": "skill", "days_scored": len(model.days), "mean_iou": model.mean_iou(1, event.report.days)}
        case FitEpoch():
            return {"event": "fit", **_fit(event.progress)}
        case WeightsReady():
            return {"event": "weights", "epochs_done": event.epochs_done, **_fit(event.best)}
        case FactorsReady():
            return {"event": "factors", "epochs_done": event.rollouts_done, **_fit(event.best)}
        case SensitivityReady():
            table = event.table
            kind, rows = table.kind.value, len(table.rows)
            return {"event": "sensitivity", "kind": kind, "rows": rows, "complete": table.complete}
        case StressReady():
            worst = event.table.worst
            row: dict[str, Scalar] = {"worst": worst.scenario.name, "share_worst": worst.share_worst}
            return {"event": "stress", "scenarios": len(event.table.results), **row}
        case MarginReady():
            curve = event.curve
            return {"event": "margin", "plans": len(curve.points), "complete": curve.complete}
        case ErrorFitted():
            return {"event": "error_model", **_error(event.fit.error), "days": len(event.fit.days)}
        case MembersDone():
            left = None if isnan(event.left) else event.left
            return {"event": "members", **asdict(event), "left": left}
        case EnsembleReady():
            ensemble = event.ensemble
            return {"event": "ensemble", "kind": ensemble.kind.value, "members": ensemble.members}
        case BenchmarkProgress():
            at_work = {f"task.{one.task.name}": one.spent for one in event.running}
            return {"event": "benchmark", "done": event.done, "tasks": event.tasks, "seconds": event.seconds, **at_work}
        case BenchmarkReady():
            found = event.table
            size: dict[str, Scalar] = {"rows": len(found.rows), "tasks": len(found.tasks), "budget": found.budget}
            return {"event": "benchmark_table", **size, "complete": found.complete}
        case FieldDrawn():
            spec = event.spec
            return {"event": "error_field", "seed": spec.seed, "member": spec.member, "day": spec.day}
        case StudyProgress():
            return _study(event)
        case StudyReady():
            rows, cells = len(event.table.rows), len(event.table.cells)
            return {"event": "study_table", "rows": rows, "cells": cells, "complete": event.table.complete}
        case ScalingReady():
            study = event.table
            share = {"rows": len(study.rows), "searches": len(study.quality)}
            return {"event": "scaling", **share, "complete": study.complete}
        case RunFinished():
            folder = None if event.folder is None else str(event.folder)
            head = {"event": "finished", "reason": event.reason.value, "message": event.message, "folder": folder}
            return {**head, **_prefixed("nominal_", event.nominal), **_prefixed("baseline_", event.baseline)}


def _study(event: StudyProgress) -> dict[str, Scalar]:
    at_work = {f"cell.{one.number}": one.spent for one in event.running}
    counts: dict[str, Scalar] = {"done": event.done, "failed": event.failed, "cells": event.cells}
    left = None if isnan(event.left) else event.left
    times: dict[str, Scalar] = {"workers": len(event.workers), "seconds": event.seconds, "left": left}
    return {"event": "study", **counts, **times, **at_work}


def _error(error: ErrorModel) -> dict[str, Scalar]:
    (a, b), (_, c) = error.covariance
    spread: dict[str, Scalar] = {
        "mean_1": error.mean[0],
        "mean_2": error.mean[1],
        "cov_11": a,
        "cov_12": b,
        "cov_22": c,
    }
    return {**spread, "correlation_cells": error.correlation_cells, "sill": error.sill, "nugget": error.nugget}


def _fit(epoch: FitProgress) -> dict[str, Scalar]:
    head: dict[str, Scalar] = {
        name: getattr(epoch, name) for name in ("epoch", "epochs", "loss", "best_loss", "best_epoch", "seconds")
    }
    terms = {f"term.{name}": value for name, value in epoch.terms.items()}
    return {**head, **terms, **{f"mean_iou.{event.name}": fmean(event.iou) for event in epoch.events if event.iou}}


def _prefixed(prefix: str, metrics: Metrics | None) -> dict[str, Scalar]:
    """Return the plain values of metrics with a prefix to their names, without those of each value layer."""
    values = {} if metrics is None else metric_values(metrics)
    return {f"{prefix}{key}": value for key, value in values.items() if key != "value_lost"}
