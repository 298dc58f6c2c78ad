"""An ensemble as pictures: PNG to look at, SVG for a paper."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from firegui.domain.ensemble import (
    BASELINE,
    PLAN,
    QUANTILES,
    Ensemble,
    Floats,
    convergence,
    fan_of,
    probability_worse,
)
from firegui.domain.project import Project
from firegui.domain.uncertainty import KIND_TITLES
from firegui.domain.units import sampled_percent_text
from firegui.io.atomic import writing

Z = 1.96
"""Standard deviations of the bands, as in the paper's figures."""
_DPI = 150
_COLORS, _LABELS = ("#5a6472", "#0b63ce"), ("no drops", "plan")
_WORSE = "#b3224f"
_METADATA: dict[str, dict[str, Any]] = {"png": {"Software": "firegui"}, "svg": {"Creator": "firegui", "Date": None}}


def draw(ensemble: Ensemble, project: Project, folder: Path) -> list[Path]:
    """Write the fan charts, the paired benefit and the convergence of the mean into ``folder``.

    The folder exists.

    Returns the paths, a PNG and an SVG of each. Raises :class:`~firegui.errors.InputError` where the system refuses to
    write, and :class:`ValueError` for an ensemble without a member.
    """
    pictures = {
        "fan": fan_figure(ensemble, project),
        "benefit": benefit_figure(ensemble, project),
        "convergence": convergence_figure(ensemble, project),
    }
    paths = []
    # The same ensemble makes the same files: names inside an SVG are made from this salt instead of at random.
    with matplotlib.rc_context({"svg.hashsalt": "firegui"}):
        for name, picture in pictures.items():
            FigureCanvasAgg(picture)
            for kind, metadata in _METADATA.items():
                with writing(folder / f"{name}.{kind}") as file:
                    picture.savefig(file, format=kind, metadata=metadata)
                paths.append(folder / f"{name}.{kind}")
    return paths


def fan_figure(ensemble: Ensemble, project: Project) -> Figure:
    """Draw the fire by day, in all and in the protected regions.

    The bands are the mean ± 1.96 standard deviations, and quantiles.
    """
    panels = [("fire, cells", ensemble.extent)]
    panels += [("fire in the protected regions, cells", ensemble.protected)] if project.regions else []
    figure, grid = _figure(ensemble, project, len(panels))
    for axes, (title, values) in zip(grid, panels, strict=True):
        for case in range(len(values)):
            _draw_fan(axes, values[case], case)
        _finish(axes, "day boundary of the plan", title)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_ylim(bottom=0.0)
        axes.legend(fontsize=7, loc="upper left")
    return figure


def benefit_figure(ensemble: Ensemble, project: Project) -> Figure:
    """Draw the paired benefit as a histogram, beside the pairs.

    Without a plan, the histogram is of the final extents.
    """
    if not ensemble.has_plan:
        figure, (axes,) = _figure(ensemble, project, 1)
        _draw_histogram(axes, ensemble.final(BASELINE), _COLORS[BASELINE])
        _finish(axes, "final extent, cells", "members")
        axes.legend(fontsize=7, loc="upper left")
        return figure
    figure, (left, right) = _figure(ensemble, project, 2)
    gain = ensemble.benefit()
    share, error = probability_worse(gain)
    _draw_histogram(left, gain, _COLORS[PLAN])
    view = left.get_xlim()
    left.axvline(
        0.0,
        color=_WORSE,
        linewidth=1.0,
        label=f"more burns with the plan: {sampled_percent_text(share, error)}",
    )
    left.set_xlim(view)  # where every member gains much, 0 is far away and would hide their scatter
    _finish(left, "cells less with the plan", "members")
    left.legend(fontsize=7, loc="upper left")
    _draw_pairs(right, ensemble)
    return figure


def convergence_figure(ensemble: Ensemble, project: Project) -> Figure:
    """Draw the mean final extent of the first members against their number.

    The band is 1.96 standard errors.
    """
    panels: list[tuple[str, str, Floats]] = [
        (f"mean final extent, {_LABELS[case]}, cells", _COLORS[case], ensemble.final(case))
        for case in range(len(ensemble.extent))
    ]
    figure, grid = _figure(ensemble, project, len(panels))
    counts = np.arange(1, ensemble.members + 1)
    for axes, (title, color, values) in zip(grid, panels, strict=True):
        means, errors = convergence(values)
        axes.plot(counts, means, color=color, linewidth=1.4)
        axes.fill_between(counts, means - Z * errors, means + Z * errors, color=color, alpha=0.2, linewidth=0)
        _finish(axes, "members", title)
    return figure


def _figure(ensemble: Ensemble, project: Project, panels: int) -> tuple[Figure, list[Axes]]:
    figure = Figure(figsize=(6.2 * panels, 4.2), dpi=_DPI, layout="constrained")
    grid = figure.subplots(1, panels, squeeze=False)
    kind = KIND_TITLES[ensemble.kind].lower()
    figure.suptitle(f"{project.scenario.name}: {kind}, {ensemble.members:,} members", fontsize=10, parse_math=False)
    return figure, list(grid[0])


def _draw_fan(axes: Axes, series: Floats, case: int) -> None:
    fan, color, days = fan_of(series), _COLORS[case], np.arange(series.shape[1])
    axes.plot(days, fan.mean, color=color, linewidth=1.8, label=f"{_LABELS[case]}: mean ± {Z} sd")
    if len(series) > 1:
        low, high = np.maximum(fan.mean - Z * fan.sd, 0.0), fan.mean + Z * fan.sd
        axes.fill_between(days, low, high, color=color, alpha=0.18, linewidth=0)
    for level, line in zip(QUANTILES, fan.quantiles, strict=True):
        if level != 0.5:
            axes.plot(days, line, color=color, linewidth=0.7, linestyle="--" if 0.2 < level < 0.8 else ":")
    axes.plot([], [], color=color, linewidth=0.7, linestyle="--", label="quartiles; dotted: 2.5 and 97.5 %")


def _draw_histogram(axes: Axes, values: Floats, color: str) -> None:
    # A fixed number of bars: one far member would ask of any rule by quartiles for millions of them.
    axes.hist(values, bins=min(max(round(len(values) ** 0.5), 5), 40), color=color, alpha=0.75)
    axes.axvline(float(values.mean()), color="black", linewidth=1.0, linestyle="--", label=f"mean {values.mean():,.0f}")


def _draw_pairs(axes: Axes, ensemble: Ensemble) -> None:
    before, after = ensemble.final(BASELINE), ensemble.final(PLAN)
    axes.scatter(before, after, s=9, color=_COLORS[PLAN], alpha=0.6, linewidths=0, label="a member")
    across, up = axes.get_xlim(), axes.get_ylim()
    axes.axline((0.0, 0.0), slope=1.0, color=_WORSE, linewidth=0.9, label="no difference")
    axes.set(xlim=across, ylim=up)
    _finish(axes, "final extent without drops, cells", "final extent with the plan, cells")
    axes.legend(fontsize=7, loc="upper left")


def _finish(axes: Axes, across: str, up: str) -> None:
    axes.set_xlabel(across, fontsize=8)
    axes.set_ylabel(up, fontsize=8)
    axes.tick_params(labelsize=7)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(_thousands())
    axes.grid(alpha=0.25)
    axes.set_axisbelow(True)


def _thousands() -> Callable[..., str]:
    return FuncFormatter(lambda value, _: f"{value:,.0f}")
