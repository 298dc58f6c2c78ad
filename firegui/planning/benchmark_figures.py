"""Figures of the benchmark's convergence as in the paper's Figure ``planner_convergence``.

Each is written as PNG and as SVG.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import fmean

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from firegui.domain.benchmark import (
    CURVES_AT_DESIGN,
    GRADIENT_CHARGE,
    LEVELS,
    PLANNERS,
    BenchmarkRow,
    BenchmarkTable,
    Group,
    PlannerName,
    line_style,
)
from firegui.domain.project import Project
from firegui.domain.settings import SETTING_TITLES
from firegui.domain.spare_colors import ON_LIGHT, spare_colors
from firegui.planning.picture_files import write_pictures

CONVERGENCE, CONVERGENCE_MATCHED = "planner_convergence", "planner_convergence_matched"
_DPI = 150
_CHOSEN: Mapping[PlannerName, str] = {
    PlannerName.NONE: "#5a6472",
    PlannerName.UNIFORM: "#8a8a8a",
    PlannerName.FOOTPRINT: "#a6761d",
    PlannerName.TACTICAL: "#b3224f",
    PlannerName.GREEDY: "#000000",
    PlannerName.CMA_ES: "#d55e00",
    PlannerName.CMA_ES_NATIVE: "#7b3f98",
    PlannerName.DIFFERENTIAL_EVOLUTION: "#e69f00",
    PlannerName.PARTICLE_SWARM: "#cc79a7",
    PlannerName.GRADIENT: "#0072b2",
    PlannerName.GRADIENT_DESIGN: "#56b4e9",
    PlannerName.GRADIENT_TACTICAL: "#009e73",
    PlannerName.TWO_STAGE: "#0b3c5d",
}
"""Okabe and Ito's for the searches, which the colour-blind can tell apart; every line has its name beside it."""
PLANNER_COLORS: Mapping[PlannerName, str] = {
    **spare_colors([name for name in PlannerName if name not in _CHOSEN], ON_LIGHT), **_CHOSEN,
}  # fmt: skip
"""Of every planner, on white."""
_LOG_FROM = 6.0
"""A ratio of highest to lowest objective from which the axis is logarithmic."""
_KEY = "a curve a seed, which ends with a dot; dotted: one schedule at a cost of its own, mean of its seeds"
_MATCHED_KEY = "dashed: at the matched allowance; dotted: one schedule at a cost of its own"
_GAP = 0.043
"""Least distance of two names, as a fraction of the axis."""


@dataclass(frozen=True, slots=True)
class _Name:
    """Label beside the right end of a line that ends at ``value``."""

    value: float
    text: str
    color: str


def draw(table: BenchmarkTable, project: Project, folder: Path) -> list[Path]:
    """Write ``planner_convergence`` and the same at the matched allowance into ``folder``.

    The latter needs a row at that allowance.

    Returns the paths, a PNG and an SVG of each; a table without rows has none. Raises
    :class:`~firegui.errors.InputError` where the system refuses to write.
    """
    pictures = {CONVERGENCE: convergence_figure(table, project)} if table.rows else {}
    if any(row.task.matched for row in table.rows):
        pictures[CONVERGENCE_MATCHED] = matched_figure(table, project)
    return write_pictures(pictures, folder)


def convergence_figure(table: BenchmarkTable, project: Project) -> Figure:
    """Draw the running best against charged rollouts at the shared allowance, a curve for each seed."""
    groups = [group for group in table.groups if not group.matched]
    return _figure(table, project, groups, f"allowance of {table.settings.allowance:,} fire simulations", _KEY)


def matched_figure(table: BenchmarkTable, project: Project) -> Figure:
    """Return the same figure of the runs at the measured cost of the two-stage plan."""
    levels = {PlannerName.TWO_STAGE, PlannerName.NONE}
    groups = [group for group in table.groups if group.matched or group.planner in levels]
    return _figure(
        table, project, groups, f"matched allowance of {table.matched_allowance:,} fire simulations", _MATCHED_KEY
    )


def _figure(table: BenchmarkTable, project: Project, groups: Sequence[Group], allowance: str, key: str) -> Figure:
    figure = Figure(figsize=(8.6, 4.8), dpi=_DPI, layout="constrained")
    axes = figure.subplots()
    searched = [group for group in groups if group.planner not in LEVELS]
    last = max((row.evaluations for group in searched for row in group.rows), default=table.settings.allowance)
    names = [_draw_level(axes, group) for group in groups if group.planner in LEVELS]
    names += [_draw_search(axes, group, last) for group in searched]
    axes.set_xscale("log")
    axes.set_xlim(1.0, max(last, 2))
    _scale(axes, [name.value for name in names])
    _name_lines(axes, names)
    done = "" if table.complete else f", {len(table.rows)} of {len(table.tasks)} tasks done"
    goal = f"goal: {SETTING_TITLES[project.plan.setting].lower()}"
    title = f"{project.scenario.name}, {goal}\n{allowance}, budget {table.budget:,} drops{done}"
    # A fire called $A$ is a name, not a formula.
    axes.set_title(title, fontsize=9, parse_math=False)
    axes.set_xlabel(f"fire simulations (a step of the gradient search counts {GRADIENT_CHARGE})\n{key}", fontsize=8)
    axes.set_ylabel("best objective so far, penalty for excess drops included", fontsize=8)
    axes.tick_params(labelsize=7)
    axes.tick_params(which="minor", labelsize=7, pad=5)
    axes.grid(alpha=0.25, which="major")
    axes.set_axisbelow(True)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.xaxis.set_minor_formatter(FuncFormatter(_some_minor))
    return figure


def _draw_level(axes: Axes, group: Group) -> _Name:
    color, value = PLANNER_COLORS[group.planner], group.objective.mean
    axes.axhline(value, color=color, linewidth=1.1, linestyle=line_style(group.planner, group.matched))
    return _Name(value, PLANNERS[group.planner].title, color)


def _draw_search(axes: Axes, group: Group, last: int) -> _Name:
    """Draw a step curve for each seed, which ends with a dot where its search ended."""
    color, style = PLANNER_COLORS[group.planner], line_style(group.planner, group.matched)
    ends = []
    for row in group.rows:
        spent, best = _curve(row)
        axes.plot(spent, best, color=color, linewidth=1.2, drawstyle="steps-post", linestyle=style)
        axes.plot([row.evaluations], best[-1:], color=color, marker="o", markersize=3, clip_on=False, zorder=3)
        if row.evaluations < last:
            axes.plot([row.evaluations, last], best[-1:] * 2, color=color, linewidth=0.6, alpha=0.45)
        ends.append(best[-1])
    text = PLANNERS[group.planner].title
    if group.planner in CURVES_AT_DESIGN:
        scored = group.objective.mean
        axes.plot([row.evaluations for row in group.rows], [row.objective for row in group.rows], color=color,
                  marker="D", markersize=4, linestyle="", clip_on=False, zorder=3)  # fmt: skip
        text = f"{text}\n(curve with cautious effectiveness; ◆ scored with the expected: {scored:.3g})"
    return _Name(fmean(ends), text, color)


def _curve(row: BenchmarkRow) -> tuple[list[float], list[float]]:
    """Return the improvements up to the end of the search; without any, what the row is scored."""
    points = row.curve or ((row.evaluations, row.objective),)
    return [*(float(spent) for spent, _ in points), float(row.evaluations)], [*(b for _, b in points), points[-1][1]]


def _scale(axes: Axes, ends: Sequence[float]) -> None:
    """Set a logarithmic axis where the objectives are far apart.

    Otherwise the good ones could not be told apart.
    """
    if min(ends) > 0.0 and max(ends) / min(ends) > _LOG_FROM:
        axes.set_yscale("log")
        axes.yaxis.set_minor_formatter(FuncFormatter(_some_minor))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.6g}"))


def _some_minor(value: float, _: int | None) -> str:
    leading = f"{value:.0e}"[0] if value > 0.0 else ""
    return f"{value:,.6g}" if leading in {"2", "5"} else ""


def _name_lines(axes: Axes, names: Sequence[_Name]) -> None:
    """Write every name to the right of the axes, as near to the height of its line as there is room."""
    ordered = sorted(names, key=lambda name: name.value)
    wanted = [_height(axes, name.value) for name in ordered]
    sizes = [_GAP * (1 + name.text.count("\n")) for name in ordered]
    for name, begin, end in zip(ordered, wanted, apart(wanted, sizes), strict=True):
        axes.annotate(
            name.text, (1.0, begin), (1.035, end), "axes fraction", "axes fraction", va="center", fontsize=7,
            annotation_clip=False, arrowprops={"arrowstyle": "-", "color": name.color, "linewidth": 1.0, "shrinkA": 1,
                                               "shrinkB": 0, "relpos": (0.0, 0.5)},
        )  # fmt: skip


def _height(axes: Axes, value: float) -> float:
    low, high = axes.get_ylim()
    if axes.get_yscale() == "log":
        low, high, value = math.log(low), math.log(high), math.log(value)
    return (value - low) / (high - low)


def apart(wanted: Sequence[float], sizes: Sequence[float]) -> list[float]:
    """Return the places in 0 … 1 nearest to ``wanted`` at which pieces of ``sizes`` do not overlap.

    ``wanted`` is rising. The distance is the sum of squares. Neighbours that would overlap are moved as one, so that
    all that must move moves as little as possible.
    """
    offsets = [0.0]
    for one, other in pairwise(sizes):
        offsets.append(offsets[-1] + 0.5 * (one + other))
    pools: list[tuple[float, int]] = []
    for place, offset in zip(wanted, offsets, strict=True):
        mean, count = place - offset, 1
        while pools and pools[-1][0] > mean:
            before, number = pools.pop()
            mean, count = (mean * count + before * number) / (count + number), count + number
        pools.append((mean, count))
    room = max(1.0 - offsets[-1], 0.0)
    flat = [min(max(mean, 0.0), room) for mean, count in pools for _ in range(count)]
    return [place + offset for place, offset in zip(flat, offsets, strict=True)]
