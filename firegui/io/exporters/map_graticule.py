"""Meridians and parallels on a printed map, with degrees and decimal minutes at its edges (WGS 84)."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from firegui.io.exporters.figure_page import MUTED, Page, width_of
from firegui.io.exporters.map_view import View
from firegui.io.georeference import Georeference

_MINUTES = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 2.5, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0)
_SPACING_INCHES = 1.0
_SAMPLES = 25
_SIZE = 6.5

Line = list[tuple[float, float]]
"""Points as inches in the frame."""


def draw_graticule(page: Page, axes: Axes, frame: tuple[float, float], view: View, place: Georeference) -> str:
    """Draw the lines on ``axes`` and their labels around the frame, whose lower left corner is at ``frame`` inches.

    Returns what to say of it. Labels that would touch each other, or leave the frame, are left out.
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
        _draw(axes, view, line)
    for value, line in meridians:
        _label_meridian(page, frame, view, line, minutes_text(value, step, "E", "W"))
    for value, line in parallels:
        _label_parallel(page, frame, view, line, minutes_text(value, step, "N", "S"))
    return f"Graticule: WGS 84, every {step:g}′, degrees and decimal minutes"


def minutes_text(minutes: float, step: float, positive: str, negative: str) -> str:
    """A longitude or latitude given in minutes as ``121°07.5′ W``, with as many decimals as ``step`` needs."""
    decimals = 2 if step < 0.1 else 1
    whole, rest = divmod(round(abs(minutes), decimals), 60.0)
    return f"{whole:.0f}°{rest:0{3 + decimals}.{decimals}f}′ {positive if minutes >= 0 else negative}"


def _extent(view: View, place: Georeference) -> tuple[float, float, float, float] | None:
    """West, south, east and north of the frame in degrees; longitudes go on past 180°."""
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
    """Multiples of ``step`` minutes between two numbers of degrees, in minutes."""
    return [k * step for k in range(math.ceil(low * 60.0 / step), math.floor(high * 60.0 / step) + 1)]


def _spread(low: float, high: float) -> NDArray[np.float64]:
    # A little beyond both ends, because a parallel is not a row of the grid.
    margin = 0.1 * (high - low)
    return np.linspace((low - margin) * 60.0, (high + margin) * 60.0, _SAMPLES)


def _line(view: View, place: Georeference, minutes: list[tuple[float, float]]) -> Line:
    points = (place.from_lonlat((lon / 60.0 + 180.0) % 360.0 - 180.0, lat / 60.0) for lon, lat in minutes)
    return [view.inches(point[1] + 0.5, point[0] + 0.5) for point in points if point is not None]


def _draw(axes: Axes, view: View, line: Line) -> None:
    _, left, bottom, _ = view.box
    columns = [left + x * view.cells_per_inch for x, _ in line]
    rows = [bottom - y * view.cells_per_inch for _, y in line]
    axes.plot(columns, rows, color="#1d4f8a", linewidth=0.45, alpha=0.55, zorder=1.5, scalex=False, scaley=False)


def _label_meridian(page: Page, frame: tuple[float, float], view: View, line: Line, text: str) -> None:
    half = width_of(text, _SIZE) / 2.0
    for level, y, up in ((0.0, frame[1] - 0.05, "top"), (view.height, frame[1] + view.height + 0.05, "bottom")):
        x = _crossing([(b, a) for a, b in line], level)
        if x is not None and half <= x <= view.width - half:
            page.text(frame[0] + x, y, text, _SIZE, color=MUTED, across="center", up=up)


def _label_parallel(page: Page, frame: tuple[float, float], view: View, line: Line, text: str) -> None:
    half = width_of(text, _SIZE) / 2.0
    for level, x, up in ((0.0, frame[0] - 0.05, "bottom"), (view.width, frame[0] + view.width + 0.05, "top")):
        y = _crossing(line, level)
        if y is not None and half <= y <= view.height - half:
            page.text(x, frame[1] + y, text, _SIZE, color=MUTED, across="center", up=up, turned=90.0)


def _crossing(line: Line, at: float) -> float | None:
    """The second coordinate where the line's first one passes ``at``."""
    for (a, u), (b, v) in pairwise(line):
        if min(a, b) <= at <= max(a, b) and a != b:
            return u + (at - a) / (b - a) * (v - u)
    return None
