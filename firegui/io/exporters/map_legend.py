"""The legend of a printed map: a sample and a name for whatever the map shows, and for nothing else."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from matplotlib.patches import Ellipse, Polygon

from firegui.io.exporters.figure_page import LINE, FigurePage, wrapped

SIZE = 7.0
_SAMPLE = 0.34
_GAP = 0.035


class Mark(StrEnum):
    """What a sample looks like."""

    AREA = "area"
    HATCHED = "hatched"
    LINE = "line"
    SHAPE = "shape"
    ARROW = "arrow"
    NUMBER = "number"


@dataclass(frozen=True, slots=True)
class MapLegendEntry:
    """One line of the legend: ``fill`` and ``edge`` are colours, ``style`` a line style, ``thick`` in points."""

    text: str
    mark: Mark
    fill: str = "none"
    edge: str = "none"
    style: str | tuple[float, tuple[float, ...]] = "-"
    thick: float = 1.2
    hatch: str | None = None


def legend_height(entries: Sequence[MapLegendEntry], width: float) -> float:
    """Inches that :func:`draw_legend` takes."""
    return sum(_height(entry, width) for entry in entries)


def draw_legend(page: FigurePage, x: float, top: float, width: float, entries: Sequence[MapLegendEntry]) -> float:
    """Draw the entries below each other from ``top`` down; returns the height that they take, in inches."""
    down = 0.0
    for entry in entries:
        middle = top - down - SIZE * LINE / 72.0 / 2.0
        _sample(page, entry, x, middle)
        page.lines(x + _SAMPLE + 0.08, top - down, _lines(entry, width), SIZE)
        down += _height(entry, width)
    return down


def _lines(entry: MapLegendEntry, width: float) -> list[str]:
    return wrapped(entry.text, width - _SAMPLE - 0.08, SIZE, most=3)


def _height(entry: MapLegendEntry, width: float) -> float:
    return len(_lines(entry, width)) * SIZE * LINE / 72.0 + _GAP


def _sample(page: FigurePage, entry: MapLegendEntry, x: float, y: float) -> None:
    if entry.mark in (Mark.AREA, Mark.HATCHED):
        page.box(x, y - 0.045, _SAMPLE, 0.09, fill=entry.fill, edge=entry.edge, thick=entry.thick, hatch=entry.hatch)
    elif entry.mark is Mark.LINE:
        page.rule((x, y), (x + _SAMPLE, y), color="white", linewidth=entry.thick + 1.2)
        page.rule((x, y), (x + _SAMPLE, y), color=entry.edge, linewidth=entry.thick, linestyle=entry.style)
    elif entry.mark is Mark.SHAPE:
        _ellipse(page, entry, x, y)
    elif entry.mark is Mark.NUMBER:
        page.text(x + _SAMPLE / 2, y, "12", 5.5, across="center", up="center_baseline")
    else:
        arrow(page, (x, y), (x + _SAMPLE, y), entry.edge, entry.thick)


def _ellipse(page: FigurePage, entry: MapLegendEntry, x: float, y: float) -> None:
    middle = (x + _SAMPLE / 2, y)
    page.add(Ellipse(middle, 0.28, 0.05, facecolor=entry.fill, edgecolor=entry.edge, linewidth=entry.thick))


def arrow(
    page: FigurePage, start: tuple[float, float], end: tuple[float, float], color: str, thick: float = 1.2
) -> None:
    """A straight arrow from ``start`` to ``end``, in inches."""
    (x0, y0), (x1, y1) = start, end
    turn, length = math.atan2(y1 - y0, x1 - x0), math.hypot(x1 - x0, y1 - y0)
    head = min(0.09, 0.5 * length)
    page.rule(start, (x1 - 0.7 * head * math.cos(turn), y1 - 0.7 * head * math.sin(turn)), color=color, linewidth=thick)
    corners = [(0.0, 0.0), (-head, 0.36 * head), (-head, -0.36 * head)]
    points = [
        (x1 + a * math.cos(turn) - b * math.sin(turn), y1 + a * math.sin(turn) + b * math.cos(turn)) for a, b in corners
    ]
    page.add(Polygon(points, facecolor=color, edgecolor="none"))
