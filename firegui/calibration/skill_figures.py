"""Figures of forecast scores: curves with the references, reliability, and maps side by side."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, MaxNLocator
from numpy.typing import NDArray

from firegui.domain.grid import Box, bounding_box, grown
from firegui.domain.scenario import Scenario
from firegui.fire.reliability import Reliability
from firegui.fire.skill import LIKELY, ForecastSkill, Skill, observed_start
from firegui.fire.skill_report import SkillReport
from firegui.io.atomic import writing

CURVES, MAP = "skill.png", "skill-map.png"
_DPI = 150
_STYLES: dict[str, dict[str, Any]] = {
    "model": {"color": "#0b63ce", "linewidth": 2.2},
    "uncorrected": {"color": "#0b63ce", "linewidth": 1.4, "linestyle": "--"},
    "scalar": {"color": "#8a5a00", "linewidth": 1.4},
    "held": {"color": "#5a6472", "linewidth": 1.4, "linestyle": ":"},
}
_PUBLISHED: dict[str, Any] = {"color": "#b3224f", "linewidth": 1.0, "linestyle": "-.", "marker": "o", "markersize": 4}
_START, _HIT, _MISS, _FALSE = "#b8bcc4", "#5a6472", "#d55e00", "#0072b2"
_MARGIN_CELLS = 12


def draw(report: SkillReport, states: NDArray[np.float32], event: Scenario, folder: Path) -> list[Path]:
    """Write ``skill.png`` and ``skill-map.png`` into ``folder``, which exists, and return their paths.

    ``states [D + 1, H, W]`` are those of the report's model. Raises :class:`~firegui.errors.InputError` where the
    system refuses to write.
    """
    figures = {CURVES: curves_figure(report), MAP: map_figure(report, states, event)}
    paths = []
    for name, figure in figures.items():
        with writing(folder / name) as file:
            FigureCanvasAgg(figure)
            figure.savefig(file, format="png", metadata={"Software": "firegui"})
        paths.append(folder / name)
    return paths


def curves_figure(report: SkillReport) -> Figure:
    """Draw IoU and IoU of the new growth by day beside the references, and the reliability diagram."""
    figure = Figure(figsize=(11.0, 7.6), dpi=_DPI, layout="constrained")
    axes = figure.subplots(2, 2)
    _head(figure, report)
    _draw_iou(axes[0, 0], report)
    _draw_scores(axes[0, 1], report, "IoU of the cells burned after the fitted days", lambda skill: skill.new_iou)
    _draw_scores(axes[1, 0], report, "Area, cells", lambda skill: skill.expected)
    observed = {day: skill.overlap.observed for day, skill in report.model.days.items()}
    axes[1, 0].plot(list(observed), list(observed.values()), color="black", linewidth=1.2, label="observed")
    axes[1, 0].yaxis.set_major_formatter(FuncFormatter(_thousands))
    _draw_reliability(axes[1, 1], report)
    for place in (axes[0, 1], axes[1, 0]):
        place.legend(fontsize=7, loc="upper left")
    if report.notes:
        figure.supxlabel("\n".join(report.notes), fontsize=7, parse_math=False)
    return figure


def _head(figure: Figure, report: SkillReport) -> None:
    title = f"{report.event}: forecast from {report.start:%d %b %Y} by {report.model.label}"
    # A fire called $A$ is a name, not a formula.
    figure.suptitle(title, fontsize=11, parse_math=False)


def _draw_iou(axes: Axes, report: SkillReport) -> None:
    _draw_scores(axes, report, "IoU at P ≥ 0.5", lambda skill: skill.iou)
    if report.published is not None:
        known = {day: value for day, value in report.published.iou.items() if day <= report.days}
        label = f"{report.published.label}, mean {report.published.mean:.2f}"
        axes.plot(list(known), list(known.values()), label=label, **_PUBLISHED)
    axes.set_ylim(0.0, 1.0)
    _named_by_mean(axes, report)
    axes.legend(fontsize=7, loc="lower left")


def _draw_scores(axes: Axes, report: SkillReport, title: str, value: Callable[[Skill], float | None]) -> None:
    if report.fit_days:
        axes.axvspan(0.5, min(report.fit_days, report.days) + 0.5, color="#e6e8ec", label="fitted days")
    for forecast in report.forecasts:
        points = {day: number for day, skill in forecast.days.items() if (number := value(skill)) is not None}
        name = "this model" if forecast.key == "model" else forecast.label
        axes.plot(*_line(points, forecast, report), label=name, **_STYLES[forecast.key])
    axes.set_title(title, fontsize=9)
    axes.set_xlabel("day of the forecast", fontsize=8)
    axes.set_xlim(0.5, report.days + 0.5)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.tick_params(labelsize=7)
    axes.grid(alpha=0.25)


def _line(points: dict[int, float], forecast: ForecastSkill, report: SkillReport) -> tuple[list[float], list[float]]:
    """Return abscissae and ordinates of a curve.

    The line is broken where the held perimeter is exchanged for a later one.
    """
    before, after = ({d: v for d, v in points.items() if (d > report.fit_days) is late} for late in (False, True))
    gap = [float("nan")] if forecast.key == "held" and before and after else []
    return [*map(float, before), *gap, *map(float, after)], [*before.values(), *gap, *after.values()]


def _named_by_mean(axes: Axes, report: SkillReport) -> None:
    means = {("this model" if f.key == "model" else f.label): f.mean_iou(1, report.days) for f in report.forecasts}
    for line in axes.get_lines():
        mean = means.get(str(line.get_label()))
        if mean is not None:
            line.set_label(f"{line.get_label()}, mean {mean:.2f}")


def _thousands(value: float, _position: int) -> str:
    return f"{value:,.0f}"


def _date(day: int, report: SkillReport) -> str:
    when = report.date_of_day(day)
    return f"{when.day} {when:%b}"


def _draw_reliability(axes: Axes, report: SkillReport) -> None:
    counts = axes.twinx()
    bins = report.reliability.bins
    width = bins[0].high - bins[0].low
    counts.bar([item.low + width / 2 for item in bins], [item.count for item in bins], 0.9 * width, color="#dfe3ea")
    counts.set_ylabel("cells", fontsize=8)
    counts.tick_params(labelsize=7)
    axes.set_zorder(counts.get_zorder() + 1)
    axes.patch.set_visible(False)
    axes.plot([0, 1], [0, 1], color="#5a6472", linewidth=0.8, linestyle=":")
    _draw_diagram(axes, report.reliability, "all scored days", {"color": "#0b63ce", "marker": "o"})
    if report.reliability_after.count:
        late = {"color": "#b3224f", "marker": "s", "linestyle": "--"}
        _draw_diagram(axes, report.reliability_after, f"after day {report.fit_days}", late)
    axes.set_title("Reliability of the probabilities", fontsize=9)
    axes.set_xlabel("predicted P(fire)", fontsize=8)
    axes.set_ylabel("share that burned", fontsize=8)
    axes.set_xlim(0.0, 1.0)
    axes.set_ylim(0.0, 1.0)
    axes.tick_params(labelsize=7)
    axes.legend(fontsize=7, loc="upper left")


def _draw_diagram(axes: Axes, found: Reliability, label: str, style: dict[str, Any]) -> None:
    filled = [item for item in found.bins if item.count]
    text = label if found.error is None else f"{label}, error {found.error:.2f}"
    axes.plot([i.predicted for i in filled], [i.observed for i in filled], label=text, markersize=4, **style)


def map_figure(report: SkillReport, states: NDArray[np.float32], event: Scenario) -> Figure:
    """Draw predicted and observed fire, and both compared.

    The rows are the first, the last fitted and the last scored day.
    """
    days = shown_days(report)
    window = _window(states, event, days)
    figure = Figure(figsize=(11.0, 3.5 * len(days) + 0.5), dpi=_DPI, layout="constrained")
    grid = figure.subplots(len(days), 3, squeeze=False)
    for row, day in zip(grid, days, strict=True):
        _draw_day(row, report, states[day][window], day, event, window)
    names = (
        ("burning at the start", _START),
        ("predicted and burned", _HIT),
        ("burned, not predicted", _MISS),
        ("predicted, not burned", _FALSE),
    )
    legend = [Patch(color=color, label=name) for name, color in names]
    figure.legend(handles=legend, loc="outside lower center", ncols=4, fontsize=8)
    _head(figure, report)
    return figure


def shown_days(report: SkillReport) -> list[int]:
    """Return the first, the last fitted and the last scored day, each once."""
    scored = list(report.model.days)
    fitted = [day for day in scored if day <= report.fit_days]
    return sorted({scored[0], scored[-1], *fitted[-1:]})


def _draw_day(
    row: NDArray[Any],
    report: SkillReport,
    state: NDArray[np.float32],
    day: int,
    event: Scenario,
    window: tuple[slice, slice],
) -> None:
    observed = event.observed_on(day)
    assert observed is not None
    seen, start, likely = observed[window], observed_start(event)[window], state >= LIKELY
    km = event.grid.cell_size_m / 1000.0
    place: dict[str, Any] = {"extent": (0, state.shape[1] * km, 0, state.shape[0] * km), "interpolation": "nearest"}
    shown = row[0].imshow(np.where(state > 0.01, state, np.nan), cmap="cividis", vmin=0, vmax=1, **place)
    row[0].contour(np.flipud(seen), levels=[0.5], colors="#c4161c", linewidths=0.7, extent=place["extent"])
    row[0].figure.colorbar(shown, ax=row[0], fraction=0.04, label="P(fire)")
    row[1].imshow(_classes(start, seen & ~start, seen & False, seen & False), **_CLASSES, **place)
    row[2].imshow(_classes(start, likely & seen & ~start, seen & ~likely, likely & ~seen), **_CLASSES, **place)
    skill = report.model.days[day]
    fitted = ", fitted" if day <= report.fit_days else ""
    titles = (
        f"day {day} ({_date(day, report)}{fitted}): predicted, red: observed",
        f"observed, {skill.overlap.observed:,} cells",
        f"compared, IoU {skill.iou:.2f}",
    )
    for axes, title in zip(row, titles, strict=True):
        axes.set_title(title, fontsize=8)
        axes.set_xlabel("km east", fontsize=7)
        axes.tick_params(labelsize=6)
    row[0].set_ylabel("km north", fontsize=7)


_CLASSES: dict[str, Any] = {"cmap": ListedColormap([_START, _HIT, _MISS, _FALSE]), "vmin": -0.5, "vmax": 3.5}


def _classes(*masks: NDArray[np.bool_]) -> NDArray[np.float64]:
    found = np.full(masks[0].shape, np.nan)
    for number, mask in reversed(list(enumerate(masks))):
        found[mask] = number
    return found


def _window(states: NDArray[np.float32], event: Scenario, days: list[int]) -> Box:
    """Return the part of the raster where anything burns on these days, with some room around it."""
    touched = states[days].max(axis=0) > 0.01
    for day in days:
        observed = event.observed_on(day)
        touched = touched if observed is None else touched | observed
    box = bounding_box(touched)
    assert box is not None
    return grown(box, _MARGIN_CELLS, touched.shape)
