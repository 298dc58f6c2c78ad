"""Runs in a project's folder as a window saves them, without running them."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from firegui.domain.drops import DropList
from firegui.io.project.store import load_project
from firegui.runs.header import new_header
from firegui.runs.run_folder import RunFolder, RunScores
from firegui.runs.run_requests import plan_spec
from firegui.runs.stages import FinishReason, RunState


def stopped_run(project_folder: Path, drops: DropList, scores: RunScores | None = None) -> Path:
    """Save a stopped run that kept a plan of ``drops``; scored only if there are ``scores``."""
    project = load_project(project_folder)
    spec = plan_spec(project, project_folder, datetime(2026, 1, 2, 3, 4, 5))
    spec.out.mkdir(parents=True)
    written = RunFolder(spec.out)
    written.claim(None, new_header(spec, "cpu", "the CPU", None))
    written.write_plan(drops.schedule(project.calendar.n_steps, project.planned_fleet.n_aircraft))
    if scores is not None:
        written.write_scores(scores)
    written.update(state=RunState.FINISHED, reason=FinishReason.STOPPED)
    written.close()
    return spec.out
