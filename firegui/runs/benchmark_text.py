"""What a planner benchmark says at its end."""

from __future__ import annotations

from collections.abc import Mapping

from firegui.domain.benchmark import BenchmarkTable, PlannerTask
from firegui.runs.events import FinishReason
from firegui.runs.messages import counted


def benchmark_message(
    table: BenchmarkTable, reason: FinishReason, failed: Mapping[PlannerTask, str], obstacle: str = ""
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
