"""An event as one flat record of plain values, for logs and for programs that follow a run."""

from __future__ import annotations

from dataclasses import asdict
from math import isnan
from statistics import fmean

from firegui.domain.fit import FitProgress
from firegui.domain.results import Metrics
from firegui.domain.uncertainty import ErrorModel
from firegui.runs.events import (
    BaselineReady,
    BenchmarkProgress,
    BenchmarkReady,
    EliminationStep,
    EnsembleReady,
    EpochDone,
    ErrorFitted,
    FieldDrawn,
    FitEpoch,
    MembersDone,
    Message,
    PlanUpdated,
    Progress,
    RunEvent,
    RunFinished,
    ScalingReady,
    SensitivityReady,
    SkillReady,
    StageBegan,
    StateChanged,
    StudyProgress,
    StudyReady,
    WeightsReady,
)

Scalar = str | int | float | bool | None


def scalars(event: RunEvent) -> dict[str, Scalar]:
    """``event`` without its arrays: ``{"event": name, …}`` with text and numbers only."""
    match event:
        case StateChanged():
            return {"event": "state", "state": event.state.value}
        case Message():
            return {"event": "message", "level": event.level, "text": event.text}
        case BaselineReady():
            return {"event": "baseline", **asdict(event.metrics)}
        case StageBegan():
            return {"event": "stage", **asdict(event), "stage": event.stage.value}
        case EpochDone():
            return {"event": "epoch", **asdict(event)}
        case EliminationStep():
            held = {name: None if isnan(value) else value for name, value in asdict(event).items()}
            return {"event": "elimination", **held}
        case PlanUpdated():
            return {"event": "plan", "epoch": event.epoch, "drops_listed": len(event.drops), **asdict(event.metrics)}
        case Progress():
            return {"event": "progress", **asdict(event)}
        case SkillReady():
            model = event.report.model
            return {"event": "skill", "days_scored": len(model.days), "mean_iou": model.mean_iou(1, event.report.days)}
        case FitEpoch():
            return {"event": "fit", **_fit(event.progress)}
        case WeightsReady():
            return {"event": "weights", "epochs_done": event.epochs_done, **_fit(event.best)}
        case SensitivityReady():
            table = event.table
            kind, rows = table.kind.value, len(table.rows)
            return {"event": "sensitivity", "kind": kind, "rows": rows, "complete": table.complete}
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
            return {**head, **_prefixed("nominal", event.nominal), **_prefixed("baseline", event.baseline)}


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
    return {} if metrics is None else {f"{prefix}_{key}": value for key, value in asdict(metrics).items()}
