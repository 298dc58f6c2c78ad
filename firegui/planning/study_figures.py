"""Figures of a study: effect of each factor, of two factors at once, drops against fire.

Each is written as PNG and as SVG. ``tornado`` has a bar a factor and a bar a case, the longest first; of a study of
cases, such as the fleet-value study, it is the whole result. ``heat`` has two factors of a grid, ``pareto`` every cell.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from firegui.domain.project import Project
from firegui.domain.study import CASE
from firegui.domain.study_table import (
    MEASURES,
    StudyTable,
    TornadoBar,
    front_of,
    heat_of,
    levels_of,
    points_of,
    tornado_of,
)
from firegui.planning.picture_files import write_pictures

TORNADO, HEAT, PARETO = "tornado", "heat", "pareto"
DROPS, FIRE = "drops_executed", "final_extent_ha"
"""The axes of the Pareto front, where they are measured or not: every row has them."""
MOST_BARS = 40
_DPI = 150
_BETTER, _WORSE, _PLAIN, _FRONT = "#0072b2", "#d55e00", "#5a6472", "#b3224f"


def draw(table: StudyTable, project: Project, folder: Path) -> list[Path]:
    """Write the figures of ``table`` into ``folder``, a PNG and an SVG of each, and return the paths.

    Figures without data are left out.

    Raises :class:`~firegui.errors.InputError` where the system refuses to write.
    """
    return write_pictures(_pictures(table, project), folder)


def _pictures(table: StudyTable, project: Project) -> dict[str, Figure]:
    found, measure = {}, table.settings.measure[0]
    bars = tornado_of(table, measure)
    if bars:
        found[TORNADO] = tornado_figure(table, project, measure, bars)
    pair = heat_axes(table)
    if pair is not None:
        found[HEAT] = heat_figure(table, project, measure, *pair)
    if table.rows:
        found[PARETO] = pareto_figure(table, project)
    return found


def heat_axes(table: StudyTable) -> tuple[str, str] | None:
    """Return the two columns with the most levels that cells differ in; ``None`` where there are not two."""
    names = [name for name in table.settings.names if len(levels_of(table, name)) > 1]
    varied = [each.name for each in table.settings.vary if each.name in names]
    chosen = varied if len(varied) > 1 else [*varied, *([CASE] if CASE in names else [])]
    return (chosen[0], chosen[1]) if len(chosen) > 1 else None


def tornado_figure(table: StudyTable, project: Project, measure: str, bars: Sequence[TornadoBar]) -> Figure:
    """Draw a bar for each factor or case: the change of ``measure`` from the reference.

    Whiskers are its spread over what else varies.
    """
    shown = bars[:MOST_BARS][::-1]
    figure = Figure(figsize=(7.6, 1.5 + 0.3 * len(shown)), dpi=_DPI, layout="constrained")
    axes, better = figure.subplots(), MEASURES[measure].better
    for place, bar in enumerate(shown):
        _draw_bar(axes, place, bar, better)
    axes.set_yticks(range(len(shown)), [_bar_name(bar) for bar in shown], parse_math=False)
    axes.axvline(0.0, color="black", linewidth=0.8)
    axes.set_xlabel(f"change of {MEASURES[measure].label.lower()}{_direction(better)}", fontsize=8)
    said = "from the first case" if table.settings.cases else "from the mean of all cells"
    spread = "; whiskers: standard deviation over what else varies" if _has_spread(shown) else ""
    _finish(axes, table, project, f"{said}{spread}")
    return figure


def _draw_bar(axes: Axes, place: int, bar: TornadoBar, better: int) -> None:
    for end in (bar.low - bar.reference, bar.high - bar.reference):
        good = _PLAIN if better == 0 else _BETTER if end * better > 0 else _WORSE
        axes.barh(place, end, height=0.68, color=good)
    if not math.isnan(bar.spread):
        axes.errorbar(bar.change, place, xerr=bar.spread, color="black", linewidth=0.9, capsize=2.5)


def _bar_name(bar: TornadoBar) -> str:
    return bar.label if bar.label == bar.high_text else f"{bar.label}: {bar.low_text} → {bar.high_text}"


def _has_spread(bars: Sequence[TornadoBar]) -> bool:
    return any(not math.isnan(bar.spread) for bar in bars)


def _direction(better: int) -> str:
    return {-1: " (less is better)", 1: " (more is better)"}.get(better, "")


def heat_figure(table: StudyTable, project: Project, measure: str, across: str, down: str) -> Figure:
    """Draw the mean of ``measure`` by two factors. A cell without a number is not done."""
    heat = heat_of(table, across, down, measure)
    values = np.array(heat.values, float)
    size = (2.6 + 0.55 * len(heat.across), 1.8 + 0.38 * len(heat.down))
    figure = Figure(figsize=size, dpi=_DPI, layout="constrained")
    axes = figure.subplots()
    image = axes.imshow(values, cmap="cividis", aspect="auto", origin="lower")
    across_names, down_names = ([level.text for level in levels] for levels in (heat.across, heat.down))
    axes.set_xticks(range(len(heat.across)), across_names, rotation=35, ha="right", parse_math=False)
    axes.set_yticks(range(len(heat.down)), down_names, parse_math=False)
    axes.set_xlabel(across, fontsize=8)
    axes.set_ylabel(down, fontsize=8)
    middle = np.nanmean(values) if np.isfinite(values).any() else 0.0
    for (row, column), value in np.ndenumerate(values):
        if math.isfinite(value):
            color = "black" if value > middle else "white"
            axes.text(column, row, f"{value:.3g}", ha="center", va="center", fontsize=6, color=color)
    figure.colorbar(image, ax=axes, label=MEASURES[measure].label)
    _finish(axes, table, project, "mean over whatever else varies", grid=False)
    return figure


def pareto_figure(table: StudyTable, project: Project) -> Figure:
    """Draw drops against fire for every cell.

    A line joins the cells that no other beats in both.
    """
    points = np.array(points_of(table, DROPS, FIRE))
    front = list(front_of([(float(x), float(y)) for x, y in points]))
    figure = Figure(figsize=(6.4, 4.2), dpi=_DPI, layout="constrained")
    axes = figure.subplots()
    axes.plot(points[:, 0], points[:, 1], "o", color=_PLAIN, markersize=3.5, alpha=0.6)
    axes.step(points[front, 0], points[front, 1], "o-", where="post", color=_FRONT, linewidth=1.2, markersize=4.5)
    axes.set_xlabel(f"{MEASURES[DROPS].label.lower()}", fontsize=8)
    axes.set_ylabel(MEASURES[FIRE].label.lower(), fontsize=8)
    _finish(axes, table, project, f"joined: {len(front)} of {len(points):,} cells that no other beats in both")
    return figure


def _finish(axes: Axes, table: StudyTable, project: Project, said: str, *, grid: bool = True) -> None:
    done, asked = len(table.rows), len(table.cells)
    share = f"{asked:,} cells" if done == asked else f"{done:,} of {asked:,} cells"
    axes.set_title(f"{table.settings.name} · {project.scenario.name}\n{share}; {said}", fontsize=8.5, parse_math=False)
    axes.tick_params(labelsize=7)
    axes.set_axisbelow(True)
    if grid:
        axes.grid(alpha=0.25)
