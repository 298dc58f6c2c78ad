"""A map of the plan to print: the elements that the wildfire agencies' standards ask of every map.

Scale, title, author, north arrow, date and time, legend; source, graticule, datum (STANDL-SGD: National Wildfire
Coordinating Group, Standards for Geospatial Operations, PMS 936, "Map Elements").
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from numpy.typing import NDArray

from firegui.domain.behaviour_classes import BehaviourClasses
from firegui.domain.fuel_groups import with_custom
from firegui.domain.fuel_models import FuelModel
from firegui.domain.relief import hillshade_codes
from firegui.errors import Check
from firegui.io.exporters.content import BEHAVIOUR, ExportContent, MapBackground, Orientation, arrival_days
from firegui.io.exporters.figure_page import INK, MUTED, FigurePage, printing, save, width_of
from firegui.io.exporters.map_barriers import draw_barriers, printed_barriers
from firegui.io.exporters.map_layers import (
    Labels,
    MapLegendEntry,
    Mark,
    draw_areas,
    draw_drops,
    draw_fire,
    draw_grid_edge,
    draw_legend,
    draw_places,
    draw_wind,
    legend_height,
)
from firegui.io.exporters.map_margin import (
    credits_of,
    draw_credits,
    draw_head,
    draw_north,
    draw_scale,
    draw_wind_box,
    page_head_height,
    period_text,
)
from firegui.io.exporters.map_view import MapFrame, view_of
from firegui.io.exporters.table import NOTICE
from firegui.io.georeference import Georeference
from firegui.io.vectors.water import WATER_FUEL

_EDGE = 0.35
_RIM = 0.19
"""Room around the map for the labels of the graticule."""
_SIDE, _LOW, _STRIP = 2.3, 2.66, 0.95
"""Width of what stands beside a map, height of what stands below one, height of scale and sources, in inches."""
_TITLE = "Air operations map, planned drops"


def write_map(path: Path, content: ExportContent, check: Check | None = None) -> None:
    """Write the map as PNG, SVG or PDF by the ending of ``path``, atomically.

    The same content makes the same bytes. ``check`` is called now and then and may raise. Raises
    :class:`~firegui.errors.InputError` where the system refuses to write.
    """
    page = map_page(content, check or go_on)
    save(path, page.figure, f"{content.project.scenario.name}: {_TITLE.lower()}", NOTICE)


def map_picture(content: ExportContent, dots_per_inch: float, check: Check | None = None) -> NDArray[np.uint8]:
    """Return the map as it will be printed, as pixels ``[H, W, 4]``, red, green, blue, alpha."""
    figure = map_page(content, check or go_on).figure
    return picture_of(figure, dots_per_inch)


def picture_of(figure: Figure, dots_per_inch: float) -> NDArray[np.uint8]:
    """Return a page as pixels ``[H, W, 4]``, red, green, blue, alpha."""
    figure.set_dpi(dots_per_inch)
    canvas: Any = FigureCanvasAgg(figure)  # its methods carry no types
    with printing():
        canvas.draw()
    return np.array(canvas.buffer_rgba(), np.uint8)


def map_page(content: ExportContent, check: Check, framed: ExportContent | None = None) -> FigurePage:
    """Return the whole page. ``check`` is called between its parts and may raise.

    ``framed`` is what the map is laid around, its regions and zones included, in place of the chosen days alone: pages
    of several days then show the same area at the same scale.
    """
    page = FigurePage(content.sheet.size)
    days = content.sheet.days(content.project.calendar)
    draw_head(page, _EDGE, content, _TITLE, period_text(days, content.project.calendar))
    left, bottom, width, height = _frame(page, content)
    view = view_of(framed or content, width, height, with_areas=framed is not None)
    axes = _axes(page, (left, bottom), view)
    place = Georeference(view.grid)
    entries = _draw(axes, content, view, check)
    graticule = draw_graticule(page, axes, (left, bottom), view, place)
    rows = [row for row in content.flown if row.day in days]
    labels = Labels(page, (left, bottom), view, rows)
    labels.name_areas(content)
    labels.name_points((*each.middle, each.barrier.name, each.color) for each in printed_barriers(content, view))
    if len(days) == 1 and rows:
        missed = labels.number_drops(rows)
        rest = f"; {missed} left out for want of room" if missed else ""
        materials = sum(entry.mark is Mark.SHAPE for entry in entries)
        entries.insert(materials, MapLegendEntry(f"Number in the drop table{rest}", Mark.NUMBER))
    check()
    top = _EDGE + _STRIP - 0.12
    draw_scale(page, _EDGE, top, view)
    credit_left = _EDGE + 3.2
    lines = credits_of(content, view, graticule)
    draw_credits(page, credit_left, top, page.width - _EDGE - credit_left, _STRIP - 0.14, lines)
    _draw_panel(page, content, view, entries)
    return page


def _draw(axes: Axes, content: ExportContent, view: MapFrame, check: Check) -> list[MapLegendEntry]:
    """Draw everything in the frame, from the ground up; return the legend, what matters most first."""
    days = content.sheet.days(content.project.calendar)
    ground = draw_ground(axes, content, view, check)
    check()
    fire = draw_fire(axes, content, view)
    check()
    rest = draw_areas(axes, content) + draw_barriers(axes, printed_barriers(content, view), view)
    rest += draw_places(axes, content) + draw_wind(axes, content, view)
    drops = draw_drops(axes, [row for row in content.flown if row.day in days])
    rest += draw_grid_edge(axes, view)
    below = [MapLegendEntry(name, Mark.AREA, fill=color, edge="#999999", thick=0.4) for name, color in ground]
    none = [] if drops else [MapLegendEntry("No drops in this period", Mark.AREA)]
    return drops + none + fire + rest + below


def _frame(page: FigurePage, content: ExportContent) -> tuple[float, float, float, float]:
    """Return left, bottom, width and height of the map in inches."""
    orientation = content.sheet.orientation
    beside = _SIDE + 0.15 if orientation is Orientation.LANDSCAPE else 0.0
    below = 0.0 if orientation is Orientation.LANDSCAPE else _LOW + 0.1
    left, bottom = _EDGE + _RIM, _EDGE + _STRIP + below + _RIM
    width = page.width - _EDGE - _RIM - beside - left
    return left, bottom, width, page.height - _EDGE - page_head_height(content) - _RIM - bottom


def _axes(page: FigurePage, corner: tuple[float, float], view: MapFrame) -> Axes:
    top, left, bottom, right = view.box
    axes = page.figure.add_axes(page.place(*corner, view.width, view.height))
    axes.set(xlim=(left, right), ylim=(bottom, top), xticks=[], yticks=[], facecolor="white")
    axes.set_autoscale_on(False)
    axes.set_aspect("auto")
    for spine in axes.spines.values():
        spine.set(color=INK, linewidth=1.0)
    return axes


def _draw_panel(page: FigurePage, content: ExportContent, view: MapFrame, entries: list[MapLegendEntry]) -> None:
    """Draw legend, wind and north: beside the map, or below it in three columns."""
    days = content.sheet.days(content.project.calendar)
    if content.sheet.orientation is Orientation.LANDSCAPE:
        x, top = page.width - _EDGE - _SIDE, page.height - _EDGE - page_head_height(content) - 0.02
        top -= _heading(page, x, top, "Legend") + draw_legend(page, x, top - 0.2, _SIDE, entries) + 0.1
        top -= _heading(page, x, top, "Wind") + draw_wind_box(page, x, top - 0.2, _SIDE, content.project, days) + 0.1
        _heading(page, x, top, "North")
        draw_north(page, x, top - 0.2, _SIDE, content, view)
        return
    top = _EDGE + _STRIP + _LOW - 0.02
    column = (page.width - 2.0 * _EDGE - 0.4) / 3.0
    _heading(page, _EDGE, top, "Legend")
    half = _half(entries, column)
    draw_legend(page, _EDGE, top - 0.2, column, entries[:half])
    draw_legend(page, _EDGE + column + 0.2, top - 0.2, column, entries[half:])
    x = _EDGE + 2.0 * (column + 0.2)
    down = _heading(page, x, top, "Wind") + draw_wind_box(page, x, top - 0.2, column, content.project, days) + 0.1
    _heading(page, x, top - down, "North")
    draw_north(page, x, top - down - 0.2, column, content, view)


def _half(entries: list[MapLegendEntry], width: float) -> int:
    """Return how many entries make the first of two columns of about the same height."""
    whole = legend_height(entries, width)
    return next(k for k in range(len(entries) + 1) if legend_height(entries[:k], width) >= whole / 2.0 - 1e-9)


def _heading(page: FigurePage, x: float, top: float, text: str) -> float:
    page.text(x, top - 0.11, text, 8.5, bold=True)
    return 0.2


def go_on() -> None:
    """Let the work continue: no stop is requested."""


_MINUTES = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 2.5, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0)
_SPACING_INCHES = 1.0
_SAMPLES = 25
_SIZE = 6.5

Line = list[tuple[float, float]]
"""Points as inches in the frame."""


def draw_graticule(
    page: FigurePage, axes: Axes, frame: tuple[float, float], view: MapFrame, place: Georeference
) -> str:
    """Draw the lines on ``axes`` and their labels around the frame.

    The frame's lower left corner is at ``frame`` inches. Returns what to say of it. Labels that would touch each other,
    or leave the frame, are left out.
    """
    extent = _extent(view, place)
    if extent is None:
        return "No graticule: the grid has no place on the Earth"
    west, south, east, north = extent
    step = _step(max(east - west, north - south) * 60.0, max(view.width, view.height))
    meridians = [(value, _line(view, place, [(value, lat) for lat in _spread(south, north)]))
                 for value in _multiples(west, east, step)]  # fmt: skip
    parallels = [(value, _line(view, place, [(lon, value) for lon in _spread(west, east)]))
                 for value in _multiples(south, north, step)]  # fmt: skip
    for _, line in (*meridians, *parallels):
        _draw_graticule(axes, view, line)
    for value, line in meridians:
        _label_meridian(page, frame, view, line, minutes_text(value, step, "E", "W"))
    for value, line in parallels:
        _label_parallel(page, frame, view, line, minutes_text(value, step, "N", "S"))
    return f"Lat/long grid: WGS 84, every {step:g}′, degrees and decimal minutes"


def minutes_text(minutes: float, step: float, positive: str, negative: str) -> str:
    """Return a longitude or latitude given in minutes as text, ``121°07.5′ W``.

    It has as many decimals as ``step`` needs.
    """
    decimals = 2 if step < 0.1 else 1
    whole, rest = divmod(round(abs(minutes), decimals), 60.0)
    return f"{whole:.0f}°{rest:0{3 + decimals}.{decimals}f}′ {positive if minutes >= 0 else negative}"


def _extent(view: MapFrame, place: Georeference) -> tuple[float, float, float, float] | None:
    """Return west, south, east and north of the frame in degrees; longitudes go on past 180°."""
    top, left, bottom, right = view.box
    edge = np.linspace(0.0, 1.0, 9)
    rows = np.concatenate(
        [np.full(9, top), np.full(9, bottom), top + edge * (bottom - top), top + edge * (bottom - top)]
    )
    columns = np.concatenate(
        [left + edge * (right - left), left + edge * (right - left), np.full(9, left), np.full(9, right)]
    )
    found = place.lonlat_many(rows - 0.5, columns - 0.5)
    if found is None or not np.isfinite(found).all():
        return None
    lon, lat = found
    if lon.max() - lon.min() > 180.0:
        lon = lon % 360.0
    return float(lon.min()), float(lat.min()), float(lon.max()), float(lat.max())


def _step(minutes: float, inches: float) -> float:
    wanted = minutes * _SPACING_INCHES / inches
    return next((step for step in _MINUTES if step >= wanted), _MINUTES[-1])


def _multiples(low: float, high: float, step: float) -> list[float]:
    """Return multiples of ``step`` minutes between two numbers of degrees, in minutes."""
    return [k * step for k in range(math.ceil(low * 60.0 / step), math.floor(high * 60.0 / step) + 1)]


def _spread(low: float, high: float) -> NDArray[np.float64]:
    # A little beyond both ends, because a parallel is not a row of the grid.
    margin = 0.1 * (high - low)
    return np.linspace((low - margin) * 60.0, (high + margin) * 60.0, _SAMPLES)


def _line(view: MapFrame, place: Georeference, minutes: list[tuple[float, float]]) -> Line:
    points = (place.from_lonlat((lon / 60.0 + 180.0) % 360.0 - 180.0, lat / 60.0) for lon, lat in minutes)
    return [view.inches(point[1] + 0.5, point[0] + 0.5) for point in points if point is not None]


def _draw_graticule(axes: Axes, view: MapFrame, line: Line) -> None:
    _, left, bottom, _ = view.box
    columns = [left + x * view.cells_per_inch for x, _ in line]
    rows = [bottom - y * view.cells_per_inch for _, y in line]
    axes.plot(columns, rows, color="#1d4f8a", linewidth=0.45, alpha=0.55, zorder=1.5, scalex=False, scaley=False)


def _label_meridian(page: FigurePage, frame: tuple[float, float], view: MapFrame, line: Line, text: str) -> None:
    half = width_of(text, _SIZE) / 2.0
    for level, y, up in ((0.0, frame[1] - 0.05, "top"), (view.height, frame[1] + view.height + 0.05, "bottom")):
        x = _crossing([(b, a) for a, b in line], level)
        if x is not None and half <= x <= view.width - half:
            page.text(frame[0] + x, y, text, _SIZE, color=MUTED, across="center", up=up)


def _label_parallel(page: FigurePage, frame: tuple[float, float], view: MapFrame, line: Line, text: str) -> None:
    half = width_of(text, _SIZE) / 2.0
    for level, x, up in ((0.0, frame[0] - 0.05, "bottom"), (view.width, frame[0] + view.width + 0.05, "top")):
        y = _crossing(line, level)
        if y is not None and half <= y <= view.height - half:
            page.text(x, frame[1] + y, text, _SIZE, color=MUTED, across="center", up=up, turned=90.0)


def _crossing(line: Line, at: float) -> float | None:
    """Return the second coordinate where the line's first one passes ``at``."""
    for (a, u), (b, v) in pairwise(line):
        if min(a, b) <= at <= max(a, b) and a != b:
            return u + (at - a) / (b - a) * (v - u)
    return None


WATER, BUILT_UP, CANOPY = "#9cc7e8", "#cfc8c0", "#7fb38a"
_MOST_CELLS = 2400
_PALE = 0.55
"""How much of a colour is white: the fire and the drops are drawn over it."""

_RAMP = ("#ffffb2", "#fed976", "#feb24c", "#fd8d3c", "#e05a1c", "#a63603")
"""Colours of classes from low to high, also told apart in grey."""

Colours = NDArray[np.float32]


def draw_ground(axes: Axes, content: ExportContent, view: MapFrame, check: Check) -> list[tuple[str, str]]:
    """Draw what lies under the fire in the part that ``view`` shows.

    Returns ``(name, colour)`` for the legend.
    """
    project, ground = content.project, content.sheet.ground
    top, left = max(math.floor(view.box[0]), 0), max(math.floor(view.box[1]), 0)
    bottom, right = min(math.ceil(view.box[2]), view.grid.rows), min(math.ceil(view.box[3]), view.grid.columns)
    if ground is MapBackground.NONE or bottom - top < 1 or right - left < 1:
        return []
    every = max(math.ceil(max(bottom - top, right - left) / _MOST_CELLS), 1)
    box = slice(top, bottom, every), slice(left, right, every)
    layers = {key: layer[box] for key, layer in project.scenario.layers.items()}
    if ground in BEHAVIOUR:
        kind = BEHAVIOUR[ground]
        colours, entries = _in_classes(_arrival(content) if kind is None else _behaviour(content, kind, check), box)
    else:
        colours, entries = _tinted(layers, ground, project.fire_model.fuels)
    elevation = layers.get("elevation")
    if elevation is not None and min(elevation.shape) > 1 and np.isfinite(elevation).any():
        colours = colours * _shade(elevation, view.grid.cell_size_m * every)
    rows, columns = colours.shape[:2]
    axes.imshow(
        np.clip(colours, 0.0, 1.0), extent=(left, left + columns * every, top + rows * every, top),
        interpolation="nearest", zorder=0,
    )  # fmt: skip
    return entries


def _tinted(
    layers: Mapping[str, NDArray[np.float32]], ground: MapBackground, fuels: Sequence[FuelModel]
) -> tuple[Colours, list[tuple[str, str]]]:
    shape = next(iter(layers.values())).shape if layers else (1, 1)
    colours = np.ones((*shape, 3), np.float32)
    fuel, canopy = layers.get("fuel"), layers.get("canopy_cover")
    if ground is MapBackground.FUEL and fuel is not None:
        masks = [(group.name, group.holds(fuel), group.color) for group in with_custom(fuels)]
        return colours, [_tint(colours, mask, name, color) for name, mask, color in masks if mask.any()]
    entries = []
    if canopy is not None and "elevation" not in layers:
        cover = np.clip(np.nan_to_num(canopy), 0.0, 100.0)[..., None] / 100.0
        colours -= (1.0 - _PALE) * cover * (1.0 - np.array(to_rgb(CANOPY), np.float32))
        entries.append(("Canopy cover, darker is denser", CANOPY))
    if fuel is not None:
        entries += [
            _tint(colours, mask, name, color, pale=0.0)
            for mask, name, color in ((fuel == WATER_FUEL, "Water", WATER), (fuel == 91, "Built up", BUILT_UP))
            if mask.any()
        ]
    return colours, entries


Classes = tuple[NDArray[np.intp], list[str], tuple[str, ...]]
"""Class of every cell, −1 for none, and the names and colours of the classes."""


def _behaviour(content: ExportContent, kind: BehaviourClasses, check: Check) -> Classes | None:
    sheet = content.sheet
    values = content.behaviour(kind.name, sheet.days(content.project.calendar), check)
    if values is None:
        return None
    names = [f"{kind.heading(sheet.units)}: {text}" for text in kind.texts(sheet.units)]
    shades = np.linspace(0, len(_RAMP) - 1, len(names)).round().astype(int)
    classes = np.where(np.isnan(values), -1, np.digitize(values, kind.limits))
    return classes, names, tuple(_RAMP[shade] for shade in shades)


def _arrival(content: ExportContent) -> Classes | None:
    days, fire = content.sheet.days(content.project.calendar).stop, content.baseline
    if fire is None:
        return None
    each = math.ceil(days / len(_RAMP))
    spans = [(first + 1, min(first + each, days)) for first in range(0, days, each)]
    names = [f"Day {first}" if first == last else f"Days {first} to {last}" for first, last in spans]
    arrival = np.nan_to_num(arrival_days(fire))
    classes = np.where((arrival >= 1.0) & (arrival <= days), (arrival - 1.0) // each, -1.0).astype(np.intp)
    return classes, [f"{name}: fire {content.bare} arrives" for name in names], _RAMP[::-1]


def _in_classes(found: Classes | None, box: tuple[slice, slice]) -> tuple[Colours, list[tuple[str, str]]]:
    if found is None:
        return np.ones((1, 1, 3), np.float32), [("Background not known for this fire and its fire model", "#ffffff")]
    classes = found[0][box]
    colours = np.ones((*classes.shape, 3), np.float32)
    masks = ((classes == number, *each) for number, each in enumerate(zip(*found[1:], strict=False)))
    return colours, [_tint(colours, mask, name, color, pale=0.2) for mask, name, color in masks if mask.any()]


def _tint(colours: Colours, mask: NDArray[np.bool_], name: str, color: str, pale: float = _PALE) -> tuple[str, str]:
    """Lay a colour on the cells of ``mask``; returns name and colour as they end up on the paper."""
    red, green, blue = (pale + (1.0 - pale) * part for part in to_rgb(color))
    colours[mask] = (red, green, blue)
    return name, f"#{round(255 * red):02x}{round(255 * green):02x}{round(255 * blue):02x}"


def _shade(elevation: NDArray[np.float32], cell_size_m: float) -> Colours:
    """Return factors around 1 that darken slopes away from the light and keep those towards it."""
    light = hillshade_codes(elevation, cell_size_m).astype(np.float32) / 180.0
    return np.asarray(np.clip(0.40 + 0.60 * light, 0.45, 1.06)[..., None], np.float32)
