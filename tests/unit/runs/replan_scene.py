"""Replanned runs on the real engine and a fire of a blink."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from firegui.domain.project import Project
from firegui.domain.schedule import Schedule
from firegui.io.project.observation_file import read_observation
from firegui.io.project.schedule_file import read_schedule
from firegui.runs.control import RunControl
from firegui.runs.events import RunEvent
from firegui.runs.runner import execute
from firegui.runs.spec import ReplanSpec
from tests.numerics.cases import random_schedule
from tests.support import STEPS_PER_DAY, watched_project

DAYS, DAY = 4, 2
FIRST = DAY * STEPS_PER_DAY


def project_of(epochs: int = 5) -> Project:
    """A project with a perimeter for every day."""
    project = watched_project(DAYS)
    return replace(project, plan=replace(project.plan, optimizer=replace(project.plan.optimizer, epochs=epochs)))


def old_schedule(project: Project) -> Schedule:
    """Flown with the optimizer's own variables, several drops a day."""
    assert project.maps is not None
    found = random_schedule(7, project.maps, project.fleet, share=0.6)
    z = np.random.default_rng(2).normal(size=found.poses.shape)
    return Schedule.from_pose_logits(found.logits, z, project.maps.shape)


def replan_spec(out: Path, project: Project | None = None, **changes: object) -> ReplanSpec:
    """A replanning of :func:`old_schedule` on day 2."""
    project = project_of() if project is None else project
    seen = read_observation(None, project, DAY)
    spec = ReplanSpec(project, out, "firegui replan", old_schedule(project), DAY, seen, backend="cpu")
    return replace(spec, **changes)  # type: ignore[arg-type]


def carry_out(spec: ReplanSpec, at: Callable[[RunEvent, RunControl], None] | None = None) -> list[RunEvent]:
    """Everything that a run says; ``at`` is called with each event."""
    control, heard = RunControl(), []

    def emit(event: RunEvent) -> None:
        heard.append(event)
        if at is not None:
            at(event, control)

    execute(spec, emit, control)
    return heard


def saved_plan(out: Path, project: Project) -> Schedule:
    """The plan in a run folder."""
    steps, shape = project.calendar.n_steps, project.scenario.grid.shape
    return read_schedule(out / "plan.safetensors", project.planned_fleet, steps, shape)


def loop_spec(out: Path) -> ReplanSpec:
    """A closed loop from the first evening on."""
    return replan_spec(out, closed_loop=True, day=1, observed=None)
