"""What a planner benchmark says at its end, in words for people, and the command that repeats it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path

from firegui.domain.benchmark import BenchmarkSettings, BenchmarkTable, PlannerName, Task
from firegui.runs.events import FinishReason
from firegui.runs.messages import counted


def benchmark_message(
    table: BenchmarkTable, reason: FinishReason, failed: Mapping[Task, str], obstacle: str = ""
) -> str:
    """What the table shows, in one sentence; of one that did not come to its end, how far it came and why."""
    done, asked = len(table.rows), counted(len(table.tasks), "task")
    if reason is FinishReason.STOPPED:
        return f"stopped on request after {done} of {asked}; resume to go on"
    if reason is FinishReason.FAILED:
        whys = [f"{task.name}: {why}" for task, why in sorted(failed.items())] + ([obstacle] if obstacle else [])
        again = "" if obstacle else "; resume to try again"
        return f"{done} of {asked} done and kept; {'; '.join(whys)}{again}"
    best = table.groups[0]
    text = f"lowest mean objective {best.objective.mean:.4g}: {best.title}"
    return f"{asked} under a budget of {counted(table.budget, 'drop')}; {text}"


def benchmark_command(
    project: Path, out: Path, settings: BenchmarkSettings, *, processes: int = 0, backend: str = "auto"
) -> str:
    """``firegui benchmark …`` with every option that decides it spelled out."""
    # The two-stage plan is always carried out: naming it asks for nothing more, and a list may not be empty.
    planners = settings.planners or (PlannerName.TWO_STAGE,)
    words = ["firegui", "benchmark", str(project), "--planners", ",".join(planners)]
    words += ["--matched", ",".join(settings.matched)] if settings.matched else []
    words += ["--seeds", str(settings.seeds), "--seed", str(settings.seed), "--allowance", str(settings.allowance)]
    words += ["--budget", str(settings.budget), "--excess", repr(settings.excess), "--out", str(out)]
    words += ["--processes", str(processes)] if processes else []
    return shlex.join(words + ([] if backend == "auto" else ["--backend", backend]))
