"""A map of the plan to print: the elements that the wildfire agencies' standards ask of every map.

Scale, title, author, north arrow, date and time, legend; source, graticule, datum (STANDL-SGD: National Wildfire
Coordinating Group, Standards for Geospatial Operations, PMS 936, "Map Elements").
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray

from firegui.io.exporters.content import ExportContent
from firegui.io.exporters.figure_page import INK, Page, printing, save
from firegui.io.exporters.map_graticule import draw_graticule
from firegui.io.exporters.map_ground import draw_ground
from firegui.io.exporters.map_labels import Labels
from firegui.io.exporters.map_layers import (
    draw_areas,
    draw_drops,
    draw_fire,
    draw_grid_edge,
    draw_places,
    draw_wind,
)
from firegui.io.exporters.map_legend import Entry, Mark, draw_legend, legend_height
from firegui.io.exporters.map_margin import (
    HEAD_HEIGHT,
    credits_of,
    draw_credits,
    draw_head,
    draw_north,
    draw_scale,
    period_text,
)
from firegui.io.exporters.map_sheet import Orientation
from firegui.io.exporters.map_view import View, view_of
from firegui.io.exporters.map_wind import draw_wind_box
from firegui.io.exporters.table import NOTICE
from firegui.io.georeference import Georeference

Check = Callable[[], None]

_EDGE = 0.35
_RIM = 0.19
"""Room around the map for the labels of the graticule."""
_SIDE, _LOW, _STRIP = 2.3, 2.66, 0.95
"""Width of what stands beside a map, height of what stands below one, height of scale and sources, in inches."""
_TITLE = "Air operations map, planned drops"


def write_map(path: Path, content: ExportContent, check: Check | None = None) -> None:
    """Write the map as PNG, SVG or PDF by the ending of ``path``, atomically; the same content makes the same bytes.

    ``check`` is called now and then and may raise. Raises :class:`~firegui.errors.InputError` where the system refuses
    to write.
    """
    page = map_page(content, check or _go_on)
    save(path, page.figure, f"{content.project.scenario.name}: {_TITLE.lower()}", NOTICE)


def map_picture(content: ExportContent, dots_per_inch: float, check: Check | None = None) -> NDArray[np.uint8]:
    """The map as it will be printed, as pixels ``[H, W, 4]``, red, green, blue, alpha."""
    figure = map_page(content, check or _go_on).figure
    return picture_of(figure, dots_per_inch)


def picture_of(figure: Figure, dots_per_inch: float) -> NDArray[np.uint8]:
    """A page as pixels ``[H, W, 4]``, red, green, blue, alpha."""
    figure.set_dpi(dots_per_inch)
    canvas: Any = FigureCanvasAgg(figure)  # its methods carry no types
    with printing():
        canvas.draw()
    return np.array(canvas.buffer_rgba(), np.uint8)


def map_page(content: ExportContent, check: Check) -> Page:
    """The whole page. ``check`` is called between its parts and may raise."""
    page = Page(content.sheet.size)
    days = content.sheet.days(content.project.calendar)
    draw_head(page, _EDGE, content, _TITLE, period_text(days, content.project.calendar))
    left, bottom, width, height = _frame(page, content.sheet.orientation)
    view = view_of(content, width, height)
    axes = _axes(page, (left, bottom), view)
    place = Georeference(view.grid)
    entries = _draw(axes, content, view, check)
    graticule = draw_graticule(page, axes, (left, bottom), view, place)
    rows = [row for row in content.flown if row.day in days]
    labels = Labels(page, (left, bottom), view)
    labels.name_areas(content)
    if len(days) == 1 and rows:
        missed = labels.number_drops(rows)
        rest = f"; {missed} left out for want of room" if missed else ""
        entries.insert(2, Entry(f"Number in the day's drop table{rest}", Mark.NUMBER))
    check()
    top = _EDGE + _STRIP - 0.12
    draw_scale(page, _EDGE, top, view)
    credit_left = _EDGE + 3.2
    lines = credits_of(content, view, graticule)
    draw_credits(page, credit_left, top, page.width - _EDGE - credit_left, _STRIP - 0.14, lines)
    _draw_panel(page, content, view, entries)
    return page


def _draw(axes: Axes, content: ExportContent, view: View, check: Check) -> list[Entry]:
    """Everything in the frame, from the ground up; returns the legend, what matters most first."""
    days = content.sheet.days(content.project.calendar)
    ground = draw_ground(axes, content.project.scenario, content.sheet.ground, view)
    check()
    fire = draw_fire(axes, content, view)
    check()
    rest = draw_areas(axes, content) + draw_places(axes, content) + draw_wind(axes, content, view)
    drops = draw_drops(axes, [row for row in content.flown if row.day in days])
    rest += draw_grid_edge(axes, view)
    below = [Entry(name, Mark.AREA, fill=color, edge="#999999", thick=0.4) for name, color in ground]
    none = [] if drops else [Entry("No drops in this period", Mark.AREA)]
    return drops + none + fire + rest + below


def _frame(page: Page, orientation: Orientation) -> tuple[float, float, float, float]:
    """Left, bottom, width and height of the map in inches."""
    beside = _SIDE + 0.15 if orientation is Orientation.LANDSCAPE else 0.0
    below = 0.0 if orientation is Orientation.LANDSCAPE else _LOW + 0.1
    left, bottom = _EDGE + _RIM, _EDGE + _STRIP + below + _RIM
    width = page.width - _EDGE - _RIM - beside - left
    return left, bottom, width, page.height - _EDGE - HEAD_HEIGHT - _RIM - bottom


def _axes(page: Page, corner: tuple[float, float], view: View) -> Axes:
    top, left, bottom, right = view.box
    axes = page.figure.add_axes(page.place(*corner, view.width, view.height))
    axes.set(xlim=(left, right), ylim=(bottom, top), xticks=[], yticks=[], facecolor="white")
    axes.set_autoscale_on(False)
    axes.set_aspect("auto")
    for spine in axes.spines.values():
        spine.set(color=INK, linewidth=1.0)
    return axes


def _draw_panel(page: Page, content: ExportContent, view: View, entries: list[Entry]) -> None:
    """Legend, wind and north: beside the map, or below it in three columns."""
    days = content.sheet.days(content.project.calendar)
    if content.sheet.orientation is Orientation.LANDSCAPE:
        x, top = page.width - _EDGE - _SIDE, page.height - _EDGE - HEAD_HEIGHT - 0.02
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


def _half(entries: list[Entry], width: float) -> int:
    """How many entries make the first of two columns of about the same height."""
    whole = legend_height(entries, width)
    return next(k for k in range(len(entries) + 1) if legend_height(entries[:k], width) >= whole / 2.0 - 1e-9)


def _heading(page: Page, x: float, top: float, text: str) -> float:
    page.text(x, top - 0.11, text, 8.5, bold=True)
    return 0.2


def _go_on() -> None:
    """Nobody asks to stop."""
