"""Figures of the scaling study (paper, Figure ``planner_dimension``).

Each is written as PNG and as SVG.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullLocator

from firegui.domain.benchmark import SeedSpread
from firegui.domain.scaling import QualityPoint, ScalingAxis, ScalingRow, ScalingTable
from firegui.planning.picture_files import write_pictures

RATIO, QUALITY = "scaling_ratio", "planner_dimension"
_DIMENSION = "decision variables $d = 4\\,T\\,N_a$"
_DPI = 150
_GRADIENT, _CMA, _REFERENCE = "#0072b2", "#d55e00", "#5a6472"
_SWEEPS: Mapping[ScalingAxis, tuple[str, str, str]] = {
    ScalingAxis.FLEET: ("fleet", "o", "#0072b2"),
    ScalingAxis.GRID: ("grid", "s", "#d55e00"),
    ScalingAxis.HORIZON: ("horizon", "^", "#009e73"),
}
"""What a sweep is called, its marker and its colour: Okabe and Ito's, which stay apart for the colour-blind."""


def draw(table: ScalingTable, folder: Path) -> list[Path]:
    """Write the figure of the timings and, after searches, that of their quality into ``folder``.

    Returns the paths, a PNG and an SVG of each. Raises :class:`~firegui.errors.InputError` where the system refuses to
    write.
    """
    pictures = {RATIO: ratio_figure(table)} if table.rows else {}
    if table.points:
        pictures[QUALITY] = quality_figure(table)
    return write_pictures(pictures, folder)


def ratio_figure(table: ScalingTable) -> Figure:
    """Draw the cost of a gradient step in rollouts.

    On the left it is against the dimension, on the right against the raster. Filled marks are of the start of stage 1,
    hollow ones of flying aircraft; bars reach from quartile to quartile.
    """
    figure = Figure(figsize=(9.0, 4.2), dpi=_DPI, layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    for sweep in ScalingAxis:
        rows = [row for row in table.rows if row.case.sweep is sweep]
        if rows:
            _draw_sweep(right if sweep is ScalingAxis.GRID else left, rows)
    left.set_ylabel("gradient step / rollout", fontsize=8)
    left.set_ylim(bottom=0.0)
    right.tick_params(labelleft=True)
    grown = [row.case for row in table.rows if row.case.sweep is not ScalingAxis.GRID]
    _finish(left, [case.dimension for case in grown], _DIMENSION)
    _finish(right, [row.case.cells for row in table.rows if row.case.sweep is ScalingAxis.GRID], "cells of the raster")
    figure.legend(fontsize=7, loc="outside lower center", ncols=3)
    repeats = min(row.repeats for row in table.rows)
    _head(figure, f"{table.event}: medians and quartiles of {repeats} interleaved repeats")
    return figure


def _head(figure: Figure, text: str) -> None:
    # A fire called $A$ is a name, not a formula.
    figure.suptitle(text, fontsize=9, parse_math=False)


def _draw_sweep(axes: Axes, rows: Sequence[ScalingRow]) -> None:
    sweep = rows[0].case.sweep
    name, marker, color = _SWEEPS[sweep]
    places = [row.case.cells if sweep is ScalingAxis.GRID else row.case.dimension for row in rows]
    for flying in (False, True):
        ratios = [(row.flying if flying else row.start).ratio for row in rows]
        axes.errorbar(
            places,
            [one.median for one in ratios],
            [[one.median - one.low for one in ratios], [one.high - one.median for one in ratios]],
            color=color,
            marker=marker,
            markersize=5,
            markerfacecolor="white" if flying else color,
            linewidth=1.0,
            linestyle="--" if flying else "-",
            capsize=2,
            label=f"{name}, {'all aircraft flying' if flying else 'start of stage 1'}",
        )


def quality_figure(table: ScalingTable) -> Figure:
    """Draw what each planner removes of the objective, and the gradient planner's lead.

    Bars are ± one standard deviation.
    """
    points, settings = table.points, table.settings
    figure = Figure(figsize=(9.0, 3.8), dpi=_DPI, layout="constrained")
    left, right = figure.subplots(1, 2)
    _draw_spread(left, points, lambda point: point.gradient, 100.0, _GRADIENT, "o", "gradient")
    _draw_spread(left, points, lambda point: point.cma_es, 100.0, _CMA, "s", "CMA-ES, daily basis")
    _draw_spread(right, points, lambda point: point.advantage, 1.0, _GRADIENT, "o", "")
    left.set_ylabel("objective without drops removed, %", fontsize=8)
    right.set_ylabel("objective of CMA-ES less gradient's", fontsize=8)
    for axes in (left, right):
        axes.axhline(0.0, color=_REFERENCE, linewidth=0.8)
        _finish(axes, [point.dimension for point in points], _DIMENSION)
    left.legend(fontsize=7, loc="upper left")
    sizes = ", ".join(f"{point.aircraft}" for point in points)
    head = f"{table.event}: {settings.evaluations:,} rollout-equivalents, fleets of {sizes} aircraft"
    _head(figure, f"{head}, {settings.seeds} seed{'s' if settings.seeds > 1 else ''}")
    return figure


def _draw_spread(
    axes: Axes, points: Sequence[QualityPoint], value: Callable[[QualityPoint], SeedSpread], scale: float, color: str,
    marker: str, label: str,
) -> None:  # fmt: skip
    found = [value(point) for point in points]
    axes.errorbar(
        [point.dimension for point in points],
        [scale * spread.mean for spread in found],
        [scale * (spread.sd or 0.0) for spread in found],
        color=color,
        marker=marker,
        markersize=5,
        linewidth=1.0,
        capsize=3,
        label=label or None,
    )


def _finish(axes: Axes, places: Sequence[int], title: str) -> None:
    axes.set_xscale("log")
    axes.set_xlim(min(places) / 1.3, max(places) * 1.3)
    axes.set_xticks(_apart(sorted(set(places))))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel(title, fontsize=8)
    axes.tick_params(labelsize=7)
    axes.grid(alpha=0.25)
    axes.set_axisbelow(True)


def _apart(places: Sequence[int]) -> list[int]:
    """Return those of the rising ``places`` whose names have room on a logarithmic axis.

    The last always has.
    """
    kept = [places[-1]]
    room = (places[-1] / places[0]) ** 0.105
    for place in reversed(places[:-1]):
        if kept[-1] / place >= room:
            kept.append(place)
    return kept[::-1]
