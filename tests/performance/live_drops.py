"""How often a second the fire follows a drop that is dragged: ``python tests/performance/live_drops.py PROJECT RUN``.

PROJECT is a project folder, RUN a finished run of it. For a drop of the first, the middle and the last day with drops
it asks, without a window, what the window asks while the mouse moves: the aim is 10 answers a second on full Bear.
"""

from __future__ import annotations

import argparse
import math
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from firegui.domain.drops import Drop, DropList
from firegui.domain.project import Project
from firegui.io.project.store import load_project
from firegui.planning.drop_validator import DropValidator
from firegui.runs.plan_preview import PlanPreviewer, PreviewRequest
from firegui.runs.run_folder import read_drops

AIM_PER_SECOND = 10.0


def nothing() -> None:
    """Nobody cancels."""


def moved(drop: Drop, count: int, project: Project) -> Drop:
    """The drop on a circle of ten cells around where it was."""
    shape = project.scenario.grid.shape
    return drop.moved(10.0 * math.sin(count / 7.0), 10.0 * math.cos(count / 7.0), shape)


def measure(live: PlanPreviewer, project: Project, drops: DropList, drop: Drop, seconds: float) -> list[float]:
    """Seconds of each answer while ``drop`` moves, after the first, which makes the plan before the change ready."""
    end, taken = project.calendar.n_steps, list[float]()
    request = PreviewRequest(project, "cpu", drops, drops, end)
    live.preview(request, nothing)
    began = time.perf_counter()
    while time.perf_counter() - began < seconds:
        asked = time.perf_counter()
        after = drops.exchanged(drop, moved(drop, len(taken), project))
        live.preview(replace(request, after=after), nothing)
        taken.append(time.perf_counter() - asked)
    return taken


def main() -> int:
    """Print a line per drop; the exit status says whether the slowest is at the aim."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("project", type=Path)
    parser.add_argument("run", type=Path)
    parser.add_argument("--seconds", type=float, default=5.0)
    given = parser.parse_args()
    project, drops = load_project(given.project), DropList.of(read_drops(given.run))
    live, check, slowest = PlanPreviewer(), DropValidator(project), math.inf
    began = time.perf_counter()
    live.preview(PreviewRequest(project, "cpu", drops, drops, project.calendar.n_steps), nothing)
    print(f"model and first rollout: {time.perf_counter() - began:.1f} s; {len(drops.drops)} drops")
    for drop in (drops.drops[0], drops.drops[len(drops.drops) // 2], drops.drops[-1]):
        taken = measure(live, project, drops, drop, given.seconds)
        asked = time.perf_counter()
        check.broken(drops, drops.exchanged(drop, moved(drop, 1, project)))
        rules = time.perf_counter() - asked
        rate = len(taken) / sum(taken)
        slowest = min(slowest, rate)
        median, high = np.percentile(taken, [50, 95])
        day = project.calendar.day_of_step(drop.step) + 1
        print(
            f"day {day}: {rate:.1f} a second, median {1e3 * median:.0f} ms, 95 % under {1e3 * high:.0f} ms; "
            f"rules {1e3 * rules:.1f} ms"
        )
    return 0 if slowest >= AIM_PER_SECOND else 1


if __name__ == "__main__":
    raise SystemExit(main())
