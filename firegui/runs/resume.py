"""Whether a run may go on with what it is given now, and if not, what differs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from firegui.domain.settings import OptimizerSettings
from firegui.errors import Problem
from firegui.runs.folder import RunRecord
from firegui.runs.header import event_hash, schedule_hash
from firegui.runs.snapshot import ProjectSnapshot
from firegui.runs.spec import OptimizeSpec

RAISABLE = ("epochs", "patience")
"""Optimizer settings that only say when to stop: a longer run passes through every state of a shorter one."""

_ONLY_TEXT = ("setting",)
_REMEDY = "set it back, or start a new run in another folder"


def resume_problems(record: RunRecord, spec: OptimizeSpec) -> list[Problem]:
    """Everything that keeps ``spec`` from going on with ``record``; empty when it ends as an unbroken run would."""
    then, now = record.header.project, ProjectSnapshot.of(spec.project)
    where = str(record.folder)
    found = []
    if record.header.event_hash != event_hash(spec.project):
        found.append(
            Problem(
                where, f"was run on another event or fire model ({then.name})", "give the project it was started on"
            )
        )
    if then.project().planned_fleet != now.project().planned_fleet:
        found.append(Problem(where, "was run with another fleet or other grounded days", _REMEDY))
    if then.regions != now.regions:
        found.append(Problem(where, "was run with other protected regions", _REMEDY))
    found += [Problem(where, text, _REMEDY) for text in _differences(then.plan, now.plan)]
    found += _stopping_problems(record, now.plan.optimizer)
    if not record.can_resume and record.header.warm_start != schedule_hash(spec.warm_start):
        found.append(
            Problem(
                where,
                "stopped before its first checkpoint and was started from another schedule",
                "give its --warm-start again",
            )
        )
    return found


def _stopping_problems(record: RunRecord, now: OptimizerSettings) -> Iterator[Problem]:
    done, then = record.header.epochs_done, record.settings.optimizer
    if now.epochs < done:
        yield Problem(
            str(record.folder),
            f"has done {done} epochs, more than the {now.epochs} asked for",
            f"give at least {done} epochs",
        )
    if now.patience < then.patience:
        text = f"was run with a patience of {then.patience} epochs, now {now.patience}"
        yield Problem(str(record.folder), text, "patience can only be raised when resuming")


def _differences(then: Any, now: Any) -> Iterator[str]:
    for item in fields(then):
        before, after = getattr(then, item.name), getattr(now, item.name)
        if item.name in _ONLY_TEXT or item.name in RAISABLE:
            continue
        if is_dataclass(before):
            yield from _differences(before, after)
        elif before != after:
            yield f"was run with {item.metadata.get('title', item.name.replace('_', ' '))} = {before}, now {after}"
