"""Barriers on a printed map, with the usual symbols of fire lines and the entries of the legend."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely
from matplotlib.axes import Axes
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from firegui.domain.barriers import KIND_TITLES, Barrier, BarrierKind
from firegui.domain.plan_colors import BARRIERS
from firegui.io.exporters.areas import region_shape
from firegui.io.exporters.barrier_places import line_shape
from firegui.io.exporters.content import ExportContent
from firegui.io.exporters.map_layers import CASED, MapLegendEntry, Mark
from firegui.io.exporters.map_view import MapFrame

_BLACK, _OTHER = "#000000", "#555555"
_CROSSES_INCHES = 0.14
"""Distance between the crosses of a dozer line."""
_STYLES: Mapping[BarrierKind, tuple[Any, float]] = {
    BarrierKind.ROAD: ("-", 2.6), BarrierKind.RIVER: ("-", 1.8), BarrierKind.DOZER: ("-", 1.0),
    BarrierKind.HAND: ((0.0, (4.0, 1.8)), 1.4), BarrierKind.FUEL_BREAK: ((0.0, (6.0, 1.5, 1.5, 1.5)), 1.8),
    BarrierKind.BURNED_OUT: ((0.0, (1.2, 1.2)), 1.8), BarrierKind.OTHER: ("-", 2.0),
}  # fmt: skip
"""Style and width in points of the lines of each kind."""


@dataclass(frozen=True, slots=True)
class PrintedBarrier:
    """Barrier with what of it is in the frame and on the grid, in corner coordinates ``(column, row)``."""

    barrier: Barrier
    shape: Any

    @property
    def color(self) -> str:
        """Color of the barrier."""
        return color_of(self.barrier.kind)

    @property
    def middle(self) -> tuple[float, float]:
        """Column and row of a point of the largest part, for the name."""
        parts = shapely.get_parts(self.shape)
        part = max(parts, key=lambda each: float(each.area if self.barrier.is_area else each.length))
        point = part.representative_point() if self.barrier.is_area else part.interpolate(0.5, normalized=True)
        return float(point.x), float(point.y)


def color_of(kind: BarrierKind) -> str:
    """Return the color of barriers of a kind on paper."""
    return _OTHER if kind is BarrierKind.OTHER else BARRIERS.get(kind, _BLACK)


def printed_barriers(content: ExportContent, view: MapFrame) -> list[PrintedBarrier]:
    """Return what is in the frame, and on the grid, of barriers that exist by the end of the chosen days."""
    project, calendar = content.project, content.project.calendar
    end = calendar.time_of_step(min(content.sheet.days(calendar).stop * calendar.steps_per_day, calendar.n_steps))
    top, left, bottom, right = view.box
    seen = shapely.box(max(left, 0.0), max(top, 0.0), min(right, view.grid.columns), min(bottom, view.grid.rows))
    found = []
    for barrier in project.barriers:
        if barrier.problems() or not barrier.exists_at(end):
            continue
        whole = shapely.make_valid(region_shape(barrier.region)) if barrier.is_area else line_shape(barrier)
        kept = [part for part in _parts(shapely.intersection(whole, seen)) if _is_drawn(part, barrier)]
        if kept:
            found.append(PrintedBarrier(barrier, shapely.GeometryCollection(kept)))
    return found


def _parts(shape: Any) -> Iterator[Any]:
    for part in shapely.get_parts(shape):
        if hasattr(part, "geoms"):
            yield from _parts(part)
        else:
            yield part


def _is_drawn(part: Any, barrier: Barrier) -> bool:
    # Where a shape only touches the edge of the frame a point or a line is left of it.
    return bool(shapely.get_dimensions(part) == (2 if barrier.is_area else 1)) and not part.is_empty


def draw_barriers(axes: Axes, barriers: list[PrintedBarrier], view: MapFrame) -> list[MapLegendEntry]:
    """Draw barriers and return an entry of the legend for each kind of lines and of areas."""
    for printed in barriers:
        for part in shapely.get_parts(printed.shape):
            if printed.barrier.is_area:
                _draw_area(axes, part, printed.color)
            else:
                _draw_line(axes, part, printed.barrier.kind, view)
    shown = {(printed.barrier.kind, printed.barrier.is_area) for printed in barriers}
    return [
        _entry(kind, is_area=is_area) for is_area in (False, True) for kind in BarrierKind if (kind, is_area) in shown
    ]


def _entry(kind: BarrierKind, *, is_area: bool) -> MapLegendEntry:
    (style, thick), color, title = _STYLES[kind], color_of(kind), KIND_TITLES[kind]
    if is_area:
        text = title if kind is BarrierKind.BURNED_OUT else f"{title} (area)"
        return MapLegendEntry(text, Mark.HATCHED, edge=color, thick=1.2, hatch="////")
    title = "Burned-out line" if kind is BarrierKind.BURNED_OUT else title
    if kind is BarrierKind.ROAD:
        return MapLegendEntry("Road that stops spread", Mark.ROAD, edge=color)
    mark = Mark.CROSSED if kind is BarrierKind.DOZER else Mark.LINE
    return MapLegendEntry(title, mark, edge=color, style=style, thick=thick)


def _draw_area(axes: Axes, part: Any, color: str) -> None:
    rings = [np.asarray(ring.coords) for ring in (part.exterior, *part.interiors)]
    path = Path.make_compound_path(*(Path(ring, closed=True) for ring in rings))
    look = {"facecolor": "none", "edgecolor": color, "linewidth": 1.2, "hatch": "////", "hatch_linewidth": 0.5}
    axes.add_patch(PathPatch(path, zorder=2.6, **look))


def _draw_line(axes: Axes, part: Any, kind: BarrierKind, view: MapFrame) -> None:
    x, y = part.xy
    (style, thick), color = _STYLES[kind], color_of(kind)
    if kind is BarrierKind.ROAD:
        for above, (_, wide) in enumerate(CASED):
            axes.plot(x, y, color="white" if above else color, linewidth=wide, zorder=2.85 + 0.01 * above)
        return
    axes.plot(x, y, color="white", linewidth=thick + 1.3, zorder=2.85)
    axes.plot(x, y, color=color, linewidth=thick, linestyle=style, zorder=2.86)
    if kind is BarrierKind.DOZER:
        step = _CROSSES_INCHES * view.cells_per_inch
        points = [part.interpolate(at) for at in np.arange(step / 2.0, part.length, step)]
        places = np.array([(point.x, point.y) for point in points], np.float64).reshape(-1, 2)
        axes.plot(places[:, 0], places[:, 1], "x", color=color, markersize=3.6, markeredgewidth=0.9, zorder=2.87)
