"""What a printed map shows.

Fire, perimeters, regions, zones, places, wind and drops, each with its legend entry. Colours are told apart with every
kind of colour vision and in grey: the two materials differ in lightness and in their edge, lines differ in their
dashes.

The legend has a sample and a name for whatever the map shows, and for nothing else. Names and numbers stand where they
cover no other.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import product
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgb
from matplotlib.patches import Ellipse, PathPatch, Polygon, Rectangle
from matplotlib.path import Path
from numpy.typing import NDArray

from firegui.domain.fire_hours import BURNED
from firegui.domain.plan_colors import FIRE, REGION, RETARDANT, WATER, WATER_FILL, ZONE
from firegui.domain.regions import Region
from firegui.io.exporters.content import BEHAVIOUR, ExportContent
from firegui.io.exporters.figure_page import LINE, FigurePage, shortened, width_of, wrapped
from firegui.io.exporters.map_view import MapFrame, state_at
from firegui.io.exporters.table import KNOTS_PER_MS, DropRow, outlines

SIZE = 7.0
_SAMPLE = 0.34
_GAP = 0.035
_CROSS = 0.025
"""Half the size of a cross on a line, in inches."""


class Mark(StrEnum):
    """What a sample looks like."""

    AREA = "area"
    HATCHED = "hatched"
    LINE = "line"
    CROSSED = "crossed"
    ROAD = "road"
    SHAPE = "shape"
    ARROW = "arrow"
    NUMBER = "number"


@dataclass(frozen=True, slots=True)
class MapLegendEntry:
    """One line of the legend.

    ``fill`` and ``edge`` are colours, ``style`` a line style, ``thick`` in points.
    """

    text: str
    mark: Mark
    fill: str = "none"
    edge: str = "none"
    style: str | tuple[float, tuple[float, ...]] = "-"
    thick: float = 1.2
    hatch: str | None = None


def legend_height(entries: Sequence[MapLegendEntry], width: float) -> float:
    """Return the height in inches that :func:`draw_legend` takes."""
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
        place = (x, y - 0.045, _SAMPLE, 0.09)
        fill, edge, thick = entry.fill, entry.edge, entry.thick
        page.box(*place, fill=fill, edge=edge, thick=thick, hatch=entry.hatch, style=entry.style)
    elif entry.mark is Mark.LINE:
        page.rule((x, y), (x + _SAMPLE, y), color="white", linewidth=entry.thick + 1.2)
        page.rule((x, y), (x + _SAMPLE, y), color=entry.edge, linewidth=entry.thick, linestyle=entry.style)
    elif entry.mark is Mark.CROSSED:
        page.rule((x, y), (x + _SAMPLE, y), color=entry.edge, linewidth=entry.thick)
        for at in (x + _SAMPLE * part for part in (0.2, 0.5, 0.8)):
            for up in (_CROSS, -_CROSS):
                page.rule((at - _CROSS, y - up), (at + _CROSS, y + up), color=entry.edge, linewidth=0.9)
    elif entry.mark is Mark.ROAD:
        for color, thick in CASED:
            dark = entry.edge if entry.edge != "none" and color == PLACE else color
            page.rule((x, y), (x + _SAMPLE, y), color=dark, linewidth=thick)
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
    """Draw a straight arrow from ``start`` to ``end``, in inches."""
    (x0, y0), (x1, y1) = start, end
    turn, length = math.atan2(y1 - y0, x1 - x0), math.hypot(x1 - x0, y1 - y0)
    head = min(0.09, 0.5 * length)
    page.rule(start, (x1 - 0.7 * head * math.cos(turn), y1 - 0.7 * head * math.sin(turn)), color=color, linewidth=thick)
    corners = [(0.0, 0.0), (-head, 0.36 * head), (-head, -0.36 * head)]
    points = [
        (x1 + a * math.cos(turn) - b * math.sin(turn), y1 + a * math.sin(turn) + b * math.cos(turn)) for a, b in corners
    ]
    page.add(Polygon(points, facecolor=color, edgecolor="none"))


WIND, PLACE = "#22384f", "#333333"
START, EDGE = "#8c0d04", "#000000"
CASED = ((PLACE, 2.6), ("white", 1.2))
"""Roads are white between two dark edges: a plain line is the edge of a fire."""
LIKELY: tuple[tuple[float, str, str], ...] = (
    (0.1, FIRE[0], "10–50 %"),
    (0.5, FIRE[1], "50–90 %"),
    (0.9, FIRE[2], "90–100 %"),
)
"""Lower bound, colour and name of each class of the probability of fire."""
_CLEAR, _OVER_FIRE = 0.62, 0.5
_DROP_EDGE, _MANY_DROPS = 0.7, 60
"""Width of the edge of a drop in points, and the number of drops above which it is half as wide."""
_DASHED, _DOTTED = (0.0, (5.0, 1.8)), (0.0, (1.2, 1.6))
_ARROW_INCHES = 1.15

Places = NDArray[np.float64]


def draw_fire(axes: Axes, content: ExportContent, view: MapFrame) -> list[MapLegendEntry]:
    """Return the chance of fire at the end of the chosen days with the plan, and the edges of the fire."""
    days = content.sheet.days(content.project.calendar)
    end = state_at(content.plan, days.stop)
    entries = [] if end is None or content.sheet.ground in BEHAVIOUR else _draw_chance(axes, end)
    lines: list[tuple[NDArray[Any] | None, str, Any, float, str]] = [
        (state_at(content.baseline, days.stop), EDGE, _DOTTED, 1.5, f"Fire edge at the end {content.bare}"),
        (end, EDGE, "-", 1.1, "Fire edge at the end with the plan"),
        (_start(content), START, "-", 1.8, _start_name(content)),
    ]
    if days.start > 0:
        begun = state_at(content.plan, days.start)
        lines.insert(2, (begun, START, _DASHED, 1.4, f"Fire edge at the start of day {days.start + 1}, with the plan"))
    for state, color, style, thick, name in lines:
        if state is not None and _draw_edge(axes, state, color, style, thick):
            entries.append(MapLegendEntry(name, Mark.LINE, edge=color, style=style, thick=thick))
    return entries


def draw_areas(axes: Axes, content: ExportContent) -> list[MapLegendEntry]:
    """Return protected regions and no-drop zones."""
    entries, unprotected = [], content.project.unprotected_regions
    for title, style, is_protected in (("Protected region", "-", True), ("Region outside the goal", "--", False)):
        regions = [each for each in content.project.regions if (each.name not in unprotected) is is_protected]
        for region in regions:
            fill = (*to_rgb(REGION), 0.07)
            _draw_region(axes, region, facecolor=fill, edgecolor=REGION, linewidth=1.6, linestyle=style)
        if regions:
            fill_on_white = _over_white(REGION, 0.07)
            entries.append(MapLegendEntry(title, Mark.AREA, fill_on_white, REGION, style=style, thick=1.6))
    for zone in content.project.operations.no_drop_zones:
        _draw_region(axes, zone, facecolor="none", edgecolor=ZONE, linewidth=1.3, hatch="xxx", hatch_linewidth=0.4)
    if content.project.operations.no_drop_zones:
        entries.append(MapLegendEntry("No-drop zone", Mark.HATCHED, edge=ZONE, thick=1.3, hatch="xxxxx"))
    return entries


def draw_places(axes: Axes, content: ExportContent) -> list[MapLegendEntry]:
    """Return named features of the event: points as squares, roads and outlines as lines."""
    markers = [(kind, np.array(points, np.float64) + 0.5) for kind, _, points in content.project.scenario.markers]
    for kind, points in markers:
        if len(points) == 1:
            axes.plot(points[:, 1], points[:, 0], "s", color=PLACE, markersize=3.5, zorder=6)
        elif len(points):
            ring = points if kind == "road" or len(points) < 3 else np.vstack([points, points[:1]])
            for above, (color, thick) in enumerate(CASED):
                axes.plot(ring[:, 1], ring[:, 0], color=color, linewidth=thick, zorder=2.8 + 0.1 * above)
    return [MapLegendEntry("Named place or road", Mark.ROAD)] if markers else []


def draw_wind(axes: Axes, content: ExportContent, view: MapFrame) -> list[MapLegendEntry]:
    """Return arrows that point where the mean wind of the day blows to.

    On a map of several days there are none.
    """
    days = content.sheet.days(content.project.calendar)
    speeds, directions = content.project.daily_wind
    if len(days) != 1 or days.start >= len(speeds):
        return []
    rows, columns = _centres(view.box[0], view.box[2], view), _centres(view.box[1], view.box[3], view)
    at = [(r, c) for r in rows for c in columns if 0 <= r < view.grid.rows and 0 <= c < view.grid.columns]
    cells = np.array(at, np.int64).reshape(-1, 2)
    speed, towards = (field[days.start][cells[:, 0], cells[:, 1]] for field in (speeds, directions))
    known = np.isfinite(speed) & np.isfinite(towards)
    cells, speed, towards = cells[known], speed[known], towards[known]
    if not len(cells):
        return []
    top = max(float(speed.max()), 1e-6)
    length = 0.10 + 0.26 * speed / top
    axes.quiver(
        cells[:, 1] + 0.5, cells[:, 0] + 0.5, length * np.cos(towards), -length * np.sin(towards), angles="xy",
        units="inches", scale=1.0, scale_units="inches", width=0.014, headwidth=4.5, headlength=5.5, headaxislength=5.0,
        color=WIND, edgecolor="white", linewidth=0.5, zorder=3, pivot="middle",
    )  # fmt: skip
    return [MapLegendEntry(f"Wind blows to, longest {top * KNOTS_PER_MS:.0f} kt", Mark.ARROW, edge=WIND)]


def draw_drops(axes: Axes, rows: Sequence[DropRow]) -> list[MapLegendEntry]:
    """Return the footprints on the ground: contours at two standard deviations, with 86 % of a drop."""
    entries = []
    styles = (("retardant", RETARDANT, RETARDANT, "retardant drop"), ("water", WATER_FILL, WATER, "water drop"))
    for material, fill, edge, name in styles:
        drops = [row.drop for row in rows if row.drop.material == material]
        if drops:
            rings = list(outlines(drops))
            thick = _DROP_EDGE if len(rows) <= _MANY_DROPS else _DROP_EDGE / 2.0
            # The fire below the drops shows through. Drops that overlap are filled once, and their halo is below it.
            halo = PolyCollection(rings, facecolors="none", edgecolors="white", linewidths=thick + 1.3, zorder=0.5)
            axes.add_collection(halo)
            whole = Path.make_compound_path(*(Path([*ring, ring[0]], closed=True) for ring in rings))
            axes.add_patch(PathPatch(whole, facecolor=(*to_rgb(fill), _OVER_FIRE), edgecolor="none", zorder=3.5))
            edges = PolyCollection(rings, facecolors="none", edgecolors=edge, linewidths=thick, zorder=3.6)
            axes.add_collection(edges)
            text = f"{len(drops):,} {name}{'' if len(drops) == 1 else 's'} (86 % lands inside)"
            entries.append(MapLegendEntry(text, Mark.SHAPE, fill=fill, edge=edge))
    return entries


def draw_grid_edge(axes: Axes, view: MapFrame) -> list[MapLegendEntry]:
    """Return the edge of the modelled area, where the map reaches past it."""
    top, left, bottom, right = view.box
    if top >= 0 and left >= 0 and bottom <= view.grid.rows and right <= view.grid.columns:
        return []
    style = (0.0, (6.0, 2.0, 1.0, 2.0))
    axes.add_patch(
        Rectangle((0, 0), view.grid.columns, view.grid.rows, facecolor="none", edgecolor="#777777", linestyle=style)
    )
    return [MapLegendEntry("Edge of the modelled area", Mark.LINE, edge="#777777", style=style, thick=1.0)]


# -- parts -------------------------------------------------------------------------------------------------------------
def _draw_chance(axes: Axes, state: NDArray[np.float32]) -> list[MapLegendEntry]:
    number = np.searchsorted([low for low, _, _ in LIKELY], state, side="right")
    colours = np.array([[0, 0, 0, 0], *([*_rgb(color), round(255 * _CLEAR)] for _, color, _ in LIKELY)], np.uint8)
    rows, columns = state.shape
    axes.imshow(colours[number], extent=(0, columns, rows, 0), interpolation="nearest", zorder=1)
    there = [k for k in range(1, len(LIKELY) + 1) if (number == k).any()]
    return [MapLegendEntry(f"Chance of fire by the end: {LIKELY[k - 1][2]}", Mark.AREA, _over_white(LIKELY[k - 1][1]))
            for k in there]  # fmt: skip


def _draw_edge(axes: Axes, state: NDArray[Any], color: str, style: Any, thick: float) -> bool:
    padded = np.pad(np.asarray(state, np.float32), 1)
    if not (padded >= BURNED).any():
        return False
    columns, rows = np.arange(padded.shape[1]) - 0.5, np.arange(padded.shape[0]) - 0.5
    level = [BURNED - 1e-6]
    axes.contour(columns, rows, padded, level, colors="white", linewidths=thick + 1.3, linestyles="-", zorder=5)
    axes.contour(columns, rows, padded, level, colors=color, linewidths=thick, linestyles=[style], zorder=5.1)
    return True


def _draw_region(axes: Axes, region: Region, **style: Any) -> None:
    rings = [[(column, row) for row, column in ring] for part in region.parts for ring in part]
    paths = [Path([*ring, ring[0]], closed=True) for ring in rings if len(ring) > 2]
    if paths:
        axes.add_patch(PathPatch(Path.make_compound_path(*paths), zorder=2.5, **style))


def _start(content: ExportContent) -> NDArray[np.bool_] | None:
    return content.project.scenario.fire_on(content.project.plan.start_day)


def _start_name(content: ExportContent) -> str:
    event, day = content.project.scenario, content.project.plan.start_day
    observed = event.observed_on(day)
    kind = "Observed perimeter" if observed is not None and observed.any() else "Ignition"
    carried = ", carried over from an earlier day" if event.is_filled_forward(day) else ""
    return f"{kind} at the plan's start, {content.project.calendar.date_text(0)}{carried}"


def _centres(low: float, high: float, view: MapFrame) -> list[int]:
    """Return cells in the middle of equal parts of about :data:`_ARROW_INCHES`."""
    count = max(round((high - low) / view.cells_per_inch / _ARROW_INCHES), 1)
    return [math.floor(low + (k + 0.5) * (high - low) / count) for k in range(count)]


def _rgb(color: str) -> tuple[int, int, int]:
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def _over_white(color: str, opacity: float = _CLEAR) -> str:
    red, green, blue = (round(255 - opacity * (255 - part)) for part in _rgb(color))
    return f"#{red:02x}{green:02x}{blue:02x}"


_NAME, _NUMBER = 7.0, 5.5
_LONGEST = 2.2
_PAD = 0.025
_TURNS = (0.25, 0.75, 1.25, 1.75, 0.0, 1.0, 0.5, 1.5)

Rect = tuple[float, float, float, float]
"""``(left, bottom, right, top)`` in inches in the frame."""


class Labels:
    """Texts in a frame whose lower left corner is at ``frame`` inches of ``page``.

    Remembers where they are. They leave the footprints of the drops ``rows`` free where they can.
    """

    def __init__(
        self, page: FigurePage, frame: tuple[float, float], view: MapFrame, rows: Sequence[DropRow] = ()
    ) -> None:
        self._page, self._frame, self._view = page, frame, view
        self._taken: list[Rect] = []
        self._shy = self._along_axes(rows)

    def name_areas(self, content: ExportContent) -> None:
        """Write the names of regions and zones, inside near their north corners, and of places beside them."""
        zones = content.project.operations.no_drop_zones
        named = [(region, REGION) for region in content.project.regions] + [(zone, ZONE) for zone in zones]
        for region, color in named:
            top, left, bottom, right = region.bounds
            box = self._view.box
            if bottom > box[0] and top < box[2] and right > box[1] and left < box[3]:
                x, y = self._view.inches(max(left, box[1]), max(top, box[0]))
                high = _NAME * LINE / 72.0
                end, _ = self._view.inches(min(right, box[3]), max(top, box[0]))
                name = shortened(region.name, _LONGEST, _NAME, True)
                columns = (x + 0.06, end - width_of(name, _NAME, True) - 0.06)
                places = [(at, y - 0.05 - high * (k + 1)) for k in range(6) for at in columns]
                places.sort(key=lambda at: self._covers(at, name, _NAME, bold=True))
                self._put(places, name, _NAME, color, bold=True)
        for _, name, points in content.project.scenario.markers:
            if points:
                y, x = points[len(points) // 2]
                self._beside(x + 0.5, y + 0.5, shortened(name, _LONGEST, _NAME), _NAME, PLACE, (0.06, 0.14))

    def name_points(self, points: Iterable[tuple[float, float, str, str]]) -> None:
        """Write names beside points, each with its column, row, name and color."""
        for x, y, name, color in points:
            self._beside(x, y, shortened(name, _LONGEST, _NAME), _NAME, color, (0.06, 0.14))

    def number_drops(self, rows: Sequence[DropRow]) -> int:
        """Write the numbers of the drops; return how many were left out."""
        missed = 0
        for row in rows:
            x, y = row.drop.landing_x + 0.5, row.drop.landing_y + 0.5
            if self._view.shows(x, y):
                missed += not self._beside(
                    x, y, f"{row.number}", _NUMBER, "#000000", (0.05, 0.12, 0.2, 0.3, 0.4), led=True
                )
        return missed

    def _beside(
        self, column: float, row: float, text: str, size: float, color: str, distances: Sequence[float],
        led: bool = False,
    ) -> bool:  # fmt: skip
        """Put a text near a point, close to it where there is room, else further off with a line to it."""
        x, y = self._view.inches(column, row)
        wide, high = width_of(text, size), 0.8 * size / 72.0
        # First where no footprint is covered, then anywhere: a number that is hard to place is better than none.
        for shy, distance, turn in product((True, False), distances, _TURNS):
            across, up = math.cos(math.pi * turn), math.sin(math.pi * turn)
            at = (x + distance * across + wide * (across - 1.0) / 2.0, y + distance * up + high * (up - 1.0) / 2.0)
            if self._fits(at, text, size, False) and not (shy and self._covers(at, text, size)):
                if led and distance > distances[1]:
                    self._lead((x, y), (x + distance * across, y + distance * up))
                return self._put([at], text, size, color)
        return False

    def _along_axes(self, rows: Sequence[DropRow]) -> NDArray[np.float64]:
        """Return ``[n, 2]``: points along the long axes of the footprints, in inches."""
        if not rows:
            return np.empty((0, 2))
        rings = outlines([row.drop for row in rows]).reshape(-1, 2, 12, 2)
        ends = rings[:, :, 0]
        share = np.linspace(0.0, 1.0, 9)[:, None]
        points = (ends[:, :1] * (1.0 - share) + ends[:, 1:] * share).reshape(-1, 2)
        _, left, bottom, _ = self._view.box
        return np.column_stack([points[:, 0] - left, bottom - points[:, 1]]) / self._view.cells_per_inch

    def _covers(self, at: tuple[float, float], text: str, size: float, *, bold: bool = False) -> bool:
        left, bottom, right, top = _rect(at, text, size, bold)
        x, y = self._shy[:, 0], self._shy[:, 1]
        return bool(((x > left) & (x < right) & (y > bottom) & (y < top)).any())

    def _put(
        self, places: Sequence[tuple[float, float]], text: str, size: float, color: str, bold: bool = False
    ) -> bool:
        for at in places:
            if self._fits(at, text, size, bold):
                self._taken.append(_rect(at, text, size, bold))
                x, y = self._frame[0] + at[0], self._frame[1] + at[1]
                self._page.text(x, y, text, size, bold=bold, color=color, backed=True)
                return True
        return False

    def _fits(self, at: tuple[float, float], text: str, size: float, bold: bool) -> bool:
        left, bottom, right, top = _rect(at, text, size, bold)
        inside = left >= 0.0 and bottom >= 0.0 and right <= self._view.width and top <= self._view.height
        return inside and all(
            right <= other[0] or left >= other[2] or top <= other[1] or bottom >= other[3] for other in self._taken
        )

    def _lead(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        points = [(self._frame[0] + x, self._frame[1] + y) for x, y in (start, end)]
        self._page.rule(points[0], points[1], color="#444444", linewidth=0.35)


def _rect(at: tuple[float, float], text: str, size: float, bold: bool) -> Rect:
    x, y = at
    return x - _PAD, y - 0.24 * size / 72.0, x + width_of(text, size, bold) + _PAD, y + 0.8 * size / 72.0 + 0.01
