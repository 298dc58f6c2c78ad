"""Ensembles in a project's folder as a run saves them, without drawing them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from firegui.analyses.uncertainty.ensemble_file import write_members
from firegui.analyses.uncertainty.results import STATE, EnsembleHeader, write_fit, write_header
from firegui.domain.ensemble import UNIT, EnsembleState
from firegui.domain.project import Project
from firegui.domain.schedule import Schedule
from firegui.domain.uncertainty import (
    PAPER_BEAR,
    ErrorFit,
    ErrorModel,
    ErrorSource,
    ResidualMode,
    Semivariogram,
    UncertaintyKind,
    UncertaintySettings,
)
from firegui.gui.analyses.uncertainty.uncertainty_controller import SAVED_ENSEMBLES
from firegui.io.project.schedule_file import write_plan_safetensors
from firegui.io.project.store import project_hash
from firegui.runs.header import event_hash, schedule_hash
from firegui.runs.snapshot import ProjectSnapshot
from firegui.runs.stages import RunState

MEMBERS = 4
OFTEN, SELDOM = (20, 30), (4, 50)
"""Cell that has burned in 3 of 4 members at the end of the first day without drops; one in 1 of 4."""


def state_of(project: Project, *, plan: bool, members: int = MEMBERS) -> EnsembleState:
    """Return states: without drops the probability of two cells grows by day; with the plan a third of it."""
    days, shape = project.plan.days, project.scenario.grid.shape
    fire = np.zeros((2, days + 1, *shape), np.uint32)
    for day in range(1, days + 1):
        for (row, column), share in ((OFTEN, 0.75), (SELDOM, 0.25)):
            fire[:, day, row, column] = round(members * UNIT * share * day / days)
    fire[1] //= 3
    extent = np.full((2, members, days + 1), 20.0) + np.arange(members)[:, None] * np.arange(days + 1)
    extent[1] /= 2.0
    extent[:, :, 0] = 20.0
    cases = 2 if plan else 1
    return EnsembleState(extent[:cases], extent[:cases] / 4.0, fire[:cases], fire[:cases] // 2)


def fit_of(project: Project, days: tuple[int, ...] = (1, 3)) -> ErrorFit:
    """Return residuals in a square of cells: the day in ``z_1``, its negative in ``z_2``."""
    mask = np.zeros(project.scenario.grid.shape, bool)
    mask[10:20, 20:40] = True
    values = np.array([[day, -day] for day in days], np.float32)[:, :, None, None]
    residuals = np.where(mask, values, np.float32(np.nan))
    error = ErrorModel((0.5, -0.5), ((4.0, 1.0), (1.0, 4.0)), 6.0, 8.0, source="fitted to Test Ridge")
    found = Semivariogram(np.array([1.0, 2.0, 3.0]), np.array([4.0, 6.0, 7.0]), np.array([9, 8, 7]))
    return ErrorFit(error, found, ResidualMode.CUMULATIVE, days, residuals, mask, np.zeros((2, len(days))))


def save_ensemble(
    project: Project,
    project_folder: Path,
    *,
    name: str = "20260101-000000-ensemble",
    kind: UncertaintyKind = UncertaintyKind.ALEATORIC,
    plan: bool = True,
    fit: ErrorFit | None = None,
    members: int = MEMBERS,
) -> Path:
    """Save a complete ensemble and return its folder.

    One under the model error has the paper's error model, or that of ``fit``. Its schedule, without drops, is next to
    the project.
    """
    folder = project_folder / SAVED_ENSEMBLES.directory / name
    folder.mkdir(parents=True)
    source = ErrorSource.PAPER if fit is None else ErrorSource.FITTED
    error = None
    if kind is UncertaintyKind.EPISTEMIC:
        error = replace(PAPER_BEAR, threshold=0.1) if fit is None else fit.error
    nothing = Schedule.empty(project.calendar.n_steps, project.fleet.n_aircraft) if plan else None
    file = project_folder.parent / "flown.safetensors"
    if nothing is not None:
        write_plan_safetensors(file, nothing)
    header = EnsembleHeader(
        command="again", settings=UncertaintySettings(kind, members, seed=5, error=source), error=error,
        state=RunState.FINISHED, members_done=members, started=datetime(2026, 1, 1, tzinfo=UTC), seed=5,
        schedule=schedule_hash(nothing), schedule_file=str(file) if plan else "", project_hash=project_hash(project),
        event_hash=event_hash(project), project=ProjectSnapshot.of(project),
    )  # fmt: skip
    write_header(folder, header)
    write_members(folder / STATE, state_of(project, plan=plan, members=members))
    if fit is not None:
        write_fit(folder, fit, project)
    return folder
