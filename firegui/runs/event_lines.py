"""An event as one flat record of plain values, for logs and for programs that follow a run."""

from __future__ import annotations

from dataclasses import asdict

from firegui.domain.results import Metrics
from firegui.runs.events import BaselineReady, EpochDone, Message, PlanUpdated, RunEvent, RunFinished, StateChanged

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
        case EpochDone():
            return {"event": "epoch", **asdict(event)}
        case PlanUpdated():
            return {"event": "plan", "epoch": event.epoch, "drops_listed": len(event.drops), **asdict(event.metrics)}
        case RunFinished():
            folder = None if event.folder is None else str(event.folder)
            head = {"event": "finished", "reason": event.reason.value, "message": event.message, "folder": folder}
            return {**head, **_prefixed("nominal", event.nominal), **_prefixed("baseline", event.baseline)}


def _prefixed(prefix: str, metrics: Metrics | None) -> dict[str, Scalar]:
    return {} if metrics is None else {f"{prefix}_{key}": value for key, value in asdict(metrics).items()}
