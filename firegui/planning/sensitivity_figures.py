"""The robustness tables as pictures: PNG to look at, SVG for a paper."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from firegui.domain.sensitivity import DesignRow, EffectivenessRow, PoseRow, Row, SensitivityTable, SideRow
from firegui.planning.picture_files import write_pictures

NAME = "sensitivity"
_DPI = 150
_PLAN, _BASE, _SAMPLED, _ERROR = "#0b63ce", "#5a6472", "#b3224f", "#8a5a00"


def draw(table: SensitivityTable[Row], folder: Path) -> list[Path]:
    """Write ``sensitivity.png`` and ``sensitivity.svg`` into ``folder``, and return their paths.

    The folder exists. A table without rows has no picture. Raises :class:`~firegui.errors.InputError` where the system
    refuses to write.
    """
    if not table.rows:
        return []
    return write_pictures({NAME: figure(table)}, folder)


def figure(table: SensitivityTable[Row]) -> Figure:
    """Draw ``table``, which has rows."""
    result = Figure(figsize=(7.0, 4.2), dpi=_DPI, layout="constrained")
    axes = result.subplots()
    match table.rows[0]:
        case EffectivenessRow():
            _draw_extents(axes, table, [_pair(row) for row in table.rows if isinstance(row, EffectivenessRow)])
            axes.set_xlabel("η retardant / η water it is scored at", fontsize=8)
        case SideRow():
            sides = [(row.side.value, row.reading.final_extent_cells) for row in table.rows if isinstance(row, SideRow)]
            _draw_extents(axes, table, sides)
            axes.set_xlabel("retardant acts on", fontsize=8)
        case PoseRow():
            _draw_poses(axes, table, [row for row in table.rows if isinstance(row, PoseRow)])
        case DesignRow():
            _draw_designs(axes, [row for row in table.rows if isinstance(row, DesignRow)])
    title = f"{table.event}: {table.schedule}" if table.schedule else table.event
    axes.set_title(title, fontsize=9, parse_math=False)
    axes.tick_params(labelsize=7)
    axes.grid(alpha=0.25)
    axes.set_axisbelow(True)
    result.legend(fontsize=7, loc="outside lower center", ncols=3)
    return result


def _pair(row: EffectivenessRow) -> tuple[str, float]:
    return f"{row.effectiveness.retardant:g} / {row.effectiveness.water:g}", row.reading.final_extent_cells


def _draw_extents(axes: Axes, table: SensitivityTable[Row], bars: Sequence[tuple[str, float]]) -> None:
    places = range(len(bars))
    drawn = axes.bar(places, [value for _, value in bars], 0.6, color=_PLAN, label="plan")
    axes.bar_label(drawn, fmt="{:,.0f}", fontsize=7)
    axes.axhline(table.baseline.final_extent_cells, color=_BASE, linewidth=1.0, linestyle=":", label="no drops")
    axes.set_xticks(places, [name for name, _ in bars])
    axes.set_ylabel("final extent, cells", fontsize=8)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))


def _draw_poses(axes: Axes, table: SensitivityTable[Row], rows: Sequence[PoseRow]) -> None:
    moved = sorted((row for row in rows if row.scale > 0.0), key=lambda row: row.scale)
    scales, means = [row.scale for row in moved], [row.mean for row in moved]
    if moved:
        axes.fill_between(scales, [r.lowest for r in moved], [r.highest for r in moved], color=_PLAN, alpha=0.2)
        axes.plot(scales, means, color=_PLAN, marker="o", markersize=4, label="plan: mean and range of the draws")
        axes.set_xscale("log")
    if table.scored is not None:
        axes.axhline(table.scored.fire_objective, color=_PLAN, linewidth=1.0, linestyle="--", label="plan as it is")
    axes.axhline(table.baseline.fire_objective, color=_BASE, linewidth=1.0, linestyle=":", label="no drops")
    axes.set_yscale("log")
    noise = "landing points, m" if any(row.in_metres for row in rows) else "noise on the pose logits"
    axes.set_xlabel(f"standard deviation of the {noise}", fontsize=8)
    axes.set_ylabel("J_fire", fontsize=8)


def _draw_designs(axes: Axes, rows: Sequence[DesignRow]) -> None:
    drops = [row.reading.drops for row in rows]
    axes.scatter(drops, [100.0 * row.reduction for row in rows], color=_PLAN, label="mean field")
    columns = {
        "state sampling": ("s", _SAMPLED, [row.state_sampling.reduction for row in rows]),
        "model error": ("^", _ERROR, [row.model_error.reduction for row in rows]),
    }
    for label, (marker, color, reductions) in columns.items():
        known = [(count, 100.0 * value) for count, value in zip(drops, reductions, strict=True) if value is not None]
        if known:
            axes.scatter(*zip(*known, strict=True), color=color, marker=marker, label=label)
    for row in rows:
        name = f"{row.design.retardant:g} / {row.design.water:g}"
        place = (row.reading.drops, 100.0 * row.reduction)
        axes.annotate(name, place, textcoords="offset points", xytext=(6, 4), fontsize=7)
    axes.margins(x=0.12, y=0.1)
    axes.set_xlabel("executed drops", fontsize=8)
    axes.set_ylabel("reduction of the final extent, %", fontsize=8)
