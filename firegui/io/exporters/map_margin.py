"""What stands around a printed map: title, scale, north, author, date and time, source, datum, wind.

The wind of the chosen days is an arrow for one day and a rose for several.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain

import numpy as np
from matplotlib.patches import Circle, Polygon, Wedge
from numpy.typing import NDArray

from firegui.domain.calendar import DATE_UNKNOWN, Calendar, to_the_minute
from firegui.domain.observation import DRAWN, OBSERVED
from firegui.domain.project import Project
from firegui.domain.units import percent_text
from firegui.io import crs
from firegui.io.exporters.content import ExportContent
from firegui.io.exporters.figure_page import INK, LINE, MUTED, FigurePage, shortened, width_of, wrapped
from firegui.io.exporters.map_layers import WIND, arrow
from firegui.io.exporters.map_view import M_PER_INCH, MapFrame, grid_north
from firegui.io.exporters.table import KNOTS_PER_MS, NOTICE
from firegui.io.georeference import Compass, Georeference

NOTICE_FILL = "#ffe27a"
TITLE, SUBTITLE, CREDIT, _BAND_SIZE = 15.0, 9.5, 6.3, 9.0
_HEAD, _BAND = 0.80, 0.2
"""Height of a head without cautions, and of a band across the page, in inches."""
_UNITS: tuple[tuple[str, float], ...] = (("mi", 1609.344), ("NM", 1852.0), ("km", 1000.0))
_BAR_INCHES = 2.5
_FIRES = {"": "fire by", OBSERVED: "fire as observed, then by", DRAWN: "fire drawn day by day from"}
"""How the fire came about, by the kind of :attr:`ExportContent.fire`."""


# -- words -------------------------------------------------------------------------------------------------------------
def time_text(when: datetime, calendar: Calendar) -> str:
    """Return a time as people here read it, with offset and UTC: ``2020-08-21 14:30 UTC-7 (2130Z)``.

    To the nearest minute.
    """
    local, utc = (to_the_minute(when).astimezone(zone) for zone in (calendar.local_zone, UTC))
    date = "" if utc.date() == local.date() else f" {utc:%d %b}"
    return f"{local:%Y-%m-%d %H:%M} {calendar.zone_name} ({utc:%H%M}Z{date})"


def period_text(days: range, calendar: Calendar) -> str:
    """Return the operational periods of the chosen days in words, with their local times."""
    which = f"Day {days.start + 1}" if len(days) == 1 else f"Days {days.start + 1} to {days.stop}"
    if not calendar.is_dated:
        return f"{which} of {calendar.days}: {DATE_UNKNOWN}"
    begin, end = (calendar.time_of_step(day * calendar.steps_per_day) for day in (days.start, days.stop))
    local = [to_the_minute(when).astimezone(calendar.local_zone) for when in (begin, end)]
    span = f"{local[0]:%Y-%m-%d %H:%M} to {local[1]:%Y-%m-%d %H:%M} {calendar.zone_name}"
    return f"{which} of {calendar.days}: {span}"


def page_head_height(content: ExportContent) -> float:
    """Return the height of what :func:`draw_head` draws, in inches."""
    return _HEAD + _BAND * len(content.cautions)


def draw_head(page: FigurePage, edge: float, content: ExportContent, title: str, period: str) -> None:
    """Draw incident, what the page is, its period, notice and cautions across the top of the page."""
    wide, top = page.width - 2.0 * edge, page.height - edge
    number = f", {content.sheet.incident_number}" if content.sheet.incident_number else ""
    room = wide - width_of(title, SUBTITLE + 1.0, True) - 0.3
    name = shortened(f"{content.project.scenario.name}{number}", room, TITLE, True)
    page.text(edge, top - 0.22, name, TITLE, bold=True)
    page.text(page.width - edge, top - 0.22, title, SUBTITLE + 1.0, bold=True, across="right")
    page.text(edge, top - 0.43, shortened(period, wide, SUBTITLE), SUBTITLE)
    for place, text in enumerate((NOTICE, *content.cautions)):
        y, line = top - 0.72 - _BAND * place, shortened(text, wide - 0.1, _BAND_SIZE, True)
        page.box(edge, y, wide, _BAND, fill=NOTICE_FILL, edge=INK, thick=0.6)
        page.text(page.width / 2.0, y + _BAND / 2.0, line, _BAND_SIZE, bold=True, across="center", up="center_baseline")


def credits_of(content: ExportContent, view: MapFrame, graticule: str) -> list[str]:
    """Return author, date, source, datum: one paragraph each."""
    sheet, project, calendar = content.sheet, content.project, content.project.calendar
    event = project.scenario
    grid = "no coordinate system" if event.grid.crs is None else _crs_name(event.grid.crs)
    number = content.near_water
    lines = [
        f"Author: {sheet.author or 'not given'}",
        f"Prepared: {time_text(sheet.prepared or content.made, calendar)}",
        f"Plan: {content.run or 'without a name'}, made {time_text(content.made, calendar)}",
        f"Source: perimeter, terrain and weather of the event {event.name}; {_FIRES[content.fire]} the model "
        f"{project.fire_model.label}; drops planned with firegui",
        f"Datum: WGS 84. Projection: {grid}, cells of {event.grid.cell_size_m:g}\u00a0m",
        graticule,
    ]
    if event.synthetic:
        lines.insert(0, "Synthetic event: no real place and no real fire")
    if number is not None and content.flown:
        lines.append(f"{number:,} of all {len(content.flown):,} drops lie within 300 ft of known water")
    return lines


def draw_credits(
    page: FigurePage, x: float, top: float, width: float, height: float, paragraphs: Sequence[str]
) -> None:
    """Draw the paragraphs in two columns of equal width, none in both; what does not fit is cut off."""
    column = (width - 0.2) / 2.0
    blocks = [wrapped(text, column, CREDIT, most=3) for text in paragraphs]
    most = max(int(height / (CREDIT * LINE / 72.0)), 1)
    splits = ([list(chain(*part)) for part in (blocks[:k], blocks[k:])] for k in range(len(blocks) + 1))
    left, right = min(splits, key=lambda split: max(map(len, split)))
    page.lines(x, top, left[:most], CREDIT)
    page.lines(x + column + 0.2, top, right[:most], CREDIT)


# -- scale and north ---------------------------------------------------------------------------------------------------
def draw_scale(page: FigurePage, x: float, top: float, view: MapFrame) -> None:
    """Draw the representative fraction, and a bar in each of miles, nautical miles and kilometres."""
    page.text(x, top - 0.11, f"Scale 1:{view.scale:,} when printed at full size", 7.5, bold=True)
    for number, (unit, metres) in enumerate(_UNITS):
        y = top - 0.34 - 0.2 * number
        length = round_length(_BAR_INCHES * view.scale * M_PER_INCH / metres)
        wide = length * metres / (view.scale * M_PER_INCH)
        for part in range(4):
            fill = INK if part % 2 == 0 else "white"
            page.box(x + 0.1 + wide * part / 4.0, y - 0.04, wide / 4.0, 0.045, fill=fill, thick=0.5)
        for part in (0, 2, 4):
            page.text(x + 0.1 + wide * part / 4.0, y + 0.025, f"{length * part / 4.0:g}", 6.0, across="center")
        page.text(x + 0.1 + wide + 0.18, y - 0.04, unit, 7.0)


def round_length(longest: float) -> float:
    """Return the longest of 1, 2, 4, 5 and 8 · 10ⁿ that is not above ``longest``."""
    power = 10.0 ** math.floor(math.log10(longest))
    return next(k * power for k in (8.0, 5.0, 4.0, 2.0, 1.0) if k * power <= longest * (1.0 + 1e-9))


def draw_north(page: FigurePage, x: float, top: float, width: float, content: ExportContent, view: MapFrame) -> float:
    """Draw arrows to true and to magnetic north, turned as on this map; return the height they take."""
    place = Georeference(view.grid)
    y, col = view.centre
    turn, at = grid_north(place, y, col), place.lonlat(y, col)
    foot = (x + 0.38, top - 0.78)
    days = content.sheet.days(content.project.calendar)
    when = content.project.calendar.time_of_step(days.start * content.project.calendar.steps_per_day)
    known = at is not None and content.project.calendar.is_dated
    declination = None if at is None or not known else Compass().declination(at[0], at[1], when)
    _needle(page, foot, -(turn or 0.0), 0.58)
    texts = ["N: north of the grid; its place on the Earth is unknown"]
    if turn is not None and declination is not None:
        _magnetic(page, foot, declination - turn, 0.46)
        side = "E" if declination >= 0 else "W"
        texts = [
            "N: true north",
            f"MN: magnetic, {abs(declination):.1f}° {side}",
            f"World Magnetic Model, {when:%Y-%m-%d}",
        ]
    elif turn is not None:
        texts = ["N: true north", "no declination known here"]
    if turn is not None and abs(turn) >= 0.05:
        texts.append(f"grid north {abs(turn):.1f}° {'east' if turn >= 0 else 'west'} of true")
    lines = [line for text in texts for line in wrapped(text, width - 0.85, 7.0)]
    page.lines(x + 0.85, top - 0.1, lines, 7.0, color=INK)
    return max(0.86, 0.1 + len(lines) * 7.0 * LINE / 72.0)


def _needle(page: FigurePage, foot: tuple[float, float], turn: float, length: float) -> None:
    across, up = math.sin(math.radians(turn)), math.cos(math.radians(turn))
    corners = ((0.0, length), (-0.07, 0.0), (0.0, 0.1), (0.07, 0.0))
    points = [(foot[0] + a * up + b * across, foot[1] - a * across + b * up) for a, b in corners]
    page.add(Polygon(points, facecolor=INK, edgecolor=INK, linewidth=0.5))
    page.text(foot[0] + (length + 0.03) * across, foot[1] + (length + 0.03) * up, "N", 8.0, bold=True, across="center")


def _magnetic(page: FigurePage, foot: tuple[float, float], turn: float, length: float) -> None:
    across, up = math.sin(math.radians(turn)), math.cos(math.radians(turn))
    tip = (foot[0] + length * across, foot[1] + length * up)
    page.rule(foot, tip, color=MUTED, linewidth=1.0)
    side = "left" if turn >= 0 else "right"
    page.text(tip[0] + (0.02 if turn >= 0 else -0.02), tip[1], "MN", 6.0, color=MUTED, across=side)


def _crs_name(text: str) -> str:
    """Return the name of a CRS with its code, or what PROJ can say of one without a name."""
    known, short = crs.parse(text), crs.short_name(text)
    named = known is not None and known.name not in (short, "unknown")
    # PROJ calls what has no name unknown, the datum of a sphere too.
    return f"{known.name} ({short})" if known is not None and named else short.removesuffix(", unknown")


CLASSES: tuple[tuple[float, str, str], ...] = (
    (0.0, "#c7d7ea", "below 5 kt"),
    (5.0, "#86a9d0", "5–10 kt"),
    (10.0, "#3f74b0", "10–20 kt"),
    (20.0, "#12325c", "20 kt and more"),
)
"""Lower bound in knots, colour and name of each class of the rose."""
_SECTORS = 16
MPH_PER_MS = 3600.0 / 1609.344


@dataclass(frozen=True, slots=True)
class Mean:
    """Wind of one day over the grid: where it comes from in degrees (``true``: from true north), and m/s."""

    from_deg: float
    speed: float
    low: float
    high: float
    true: bool

    @property
    def whence(self) -> str:
        """Where it comes from, as people say it."""
        degrees = round(self.from_deg) % 360 or 360
        return f"from {degrees:03d}° {'true' if self.true else 'grid'}"

    @property
    def knots(self) -> str:
        """Its speed."""
        return f"{self.speed * KNOTS_PER_MS:.0f} kt ({self.speed * MPH_PER_MS:.0f} mph)"

    @property
    def text(self) -> str:
        """Both."""
        return f"{self.whence} at {self.knots}"


def mean_wind(project: Project, day: int) -> Mean | None:
    """Return the mean wind of a day of the plan: vector mean for the direction, mean of the speeds.

    ``None`` for none.
    """
    speeds, directions = _wind_of(project, range(day, day + 1))
    known = np.isfinite(speeds) & np.isfinite(directions)
    if not known.any():
        return None
    speed, towards = (field[known].astype(np.float64) for field in (speeds, directions))
    east, north = float(np.mean(speed * np.cos(towards))), float(np.mean(speed * np.sin(towards)))
    turn = _turn(project)
    # Towards ψ counter-clockwise from east blows from the compass azimuth 270° − ψ.
    whence = (270.0 - math.degrees(math.atan2(north, east)) + (turn or 0.0)) % 360.0
    return Mean(whence, float(speed.mean()), float(speed.min()), float(speed.max()), turn is not None)


def _wind_of(project: Project, days: range) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return speed and direction of all periods of days of the plan, each ``[n, H, W]``."""
    periods = slice(days.start * project.wind_periods, days.stop * project.wind_periods)
    speeds, directions = project.planned_wind
    return np.asarray(speeds[periods]), np.asarray(directions[periods])


def rose(project: Project, days: range) -> NDArray[np.float64] | None:
    """Return a wind rose ``[16, 4]``.

    It holds the share of cells and days by the sector that the wind comes from and by speed class.
    """
    counts = np.zeros(_SECTORS * len(CLASSES), np.int64)
    # A wind that changes by the hour would take gigabytes for all days at once.
    for day in days:
        speeds, directions = _wind_of(project, range(day, day + 1))
        known = np.isfinite(speeds) & np.isfinite(directions)
        whence = (270.0 - np.degrees(directions[known].astype(np.float64)) + (_turn(project) or 0.0)) % 360.0
        sector = np.floor(whence / (360.0 / _SECTORS) + 0.5).astype(np.int64) % _SECTORS
        knots = speeds[known].astype(np.float64) * KNOTS_PER_MS
        number = np.searchsorted([low for low, _, _ in CLASSES], knots, side="right") - 1
        counts += np.bincount(sector * len(CLASSES) + number, minlength=len(counts))
    if not counts.any():
        return None
    return np.asarray(counts.reshape(_SECTORS, -1) / counts.sum(), np.float64)


def draw_wind_box(page: FigurePage, x: float, top: float, width: float, project: Project, days: range) -> float:
    """Draw the wind of ``days``, ``width`` inches wide from ``top`` down; return the height it takes."""
    if len(days) == 1:
        return _draw_day(page, x, top, width, project, days.start)
    shares = rose(project, days)
    return 0.0 if shares is None else _draw_rose(page, x, top, width, shares)


def _draw_day(page: FigurePage, x: float, top: float, width: float, project: Project, day: int) -> float:
    mean = mean_wind(project, day)
    if mean is None:
        return 0.0
    middle, radius = (x + 0.36, top - 0.36), 0.26
    _ring(page, middle, radius)
    turn = math.radians(mean.from_deg)
    tail = (middle[0] + radius * math.sin(turn), middle[1] + radius * math.cos(turn))
    head = (middle[0] - radius * math.sin(turn), middle[1] - radius * math.cos(turn))
    arrow(page, tail, head, WIND, 1.6)
    low, high = (value * KNOTS_PER_MS for value in (mean.low, mean.high))
    texts = (mean.whence, mean.knots, f"over the grid {low:.0f} to {high:.0f} kt", "mean of the day, 10 m")
    page.lines(x + 0.8, top - 0.06, [line for text in texts for line in wrapped(text, width - 0.8, 7.0)], 7.0)
    return 0.74


def _draw_rose(page: FigurePage, x: float, top: float, width: float, shares: NDArray[np.float64]) -> float:
    middle, radius = (x + 0.56, top - 0.62), 0.42
    longest = float(shares.sum(axis=1).max())
    _ring(page, middle, radius)
    for sector, row in enumerate(shares):
        reach = 0.0
        for share, (_, color, _) in zip(row, CLASSES, strict=True):
            inner, reach = reach, reach + share / longest * radius
            if share > 0.0:
                _wedge(page, middle, (inner, reach), sector, color)
    used = [k for k in range(len(CLASSES)) if shares[:, k].sum() > 0.0]
    for line, k in enumerate(used):
        y = top - 0.20 - 0.14 * line
        page.box(x + 1.22, y - 0.04, 0.16, 0.08, fill=CLASSES[k][1], edge="none")
        page.text(x + 1.44, y - 0.03, CLASSES[k][2], 7.0)
    text = f"where it comes from; the ring is {percent_text(longest, 0)} of area and days"
    page.lines(x + 1.22, top - 0.80, wrapped(text, width - 1.22, 6.0), 6.0, color=MUTED)
    return 1.22


def _ring(page: FigurePage, middle: tuple[float, float], radius: float) -> None:
    page.add(Circle(middle, radius, facecolor="none", edgecolor=MUTED, linewidth=0.6))
    page.text(middle[0], middle[1] + radius + 0.03, "N", 6.5, across="center")


def _wedge(page: FigurePage, middle: tuple[float, float], reach: tuple[float, float], sector: int, color: str) -> None:
    inner, outer = reach
    centre, half = 90.0 - sector * 360.0 / _SECTORS, 0.42 * 360.0 / _SECTORS
    style = {"facecolor": color, "edgecolor": "white", "linewidth": 0.3}
    page.add(Wedge(middle, outer, centre - half, centre + half, width=outer - inner, **style))


def _turn(project: Project) -> float | None:
    """Return true azimuth of the grid's north in its middle."""
    grid = project.scenario.grid
    return grid_north(Georeference(grid), (grid.rows - 1) / 2.0, (grid.columns - 1) / 2.0)
