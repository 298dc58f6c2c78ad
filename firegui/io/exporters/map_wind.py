"""The wind of the chosen days beside a printed map: an arrow for one day, a rose for several."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from matplotlib.patches import Circle, Wedge
from numpy.typing import NDArray

from firegui.domain.project import Project
from firegui.io.exporters.figure_page import MUTED, FigurePage, wrapped
from firegui.io.exporters.map_layers import WIND, arrow
from firegui.io.exporters.map_view import grid_north
from firegui.io.exporters.table import KNOTS_PER_MS
from firegui.io.georeference import Georeference

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
    """The mean wind of a day of the plan: vector mean for the direction, mean of the speeds; ``None`` for none."""
    speeds, directions = project.planned_wind
    if day >= len(speeds):
        return None
    known = np.isfinite(speeds[day]) & np.isfinite(directions[day])
    if not known.any():
        return None
    speed, towards = (field[day][known].astype(np.float64) for field in (speeds, directions))
    east, north = float(np.mean(speed * np.cos(towards))), float(np.mean(speed * np.sin(towards)))
    turn = _turn(project)
    # Towards ψ counter-clockwise from east blows from the compass azimuth 270° − ψ.
    whence = (270.0 - math.degrees(math.atan2(north, east)) + (turn or 0.0)) % 360.0
    return Mean(whence, float(speed.mean()), float(speed.min()), float(speed.max()), turn is not None)


def rose(project: Project, days: range) -> NDArray[np.float64] | None:
    """``[16, 4]``: share of cells and days by the sector that the wind comes from and by speed class."""
    speeds, directions = (field[days.start : days.stop] for field in project.planned_wind)
    known = np.isfinite(speeds) & np.isfinite(directions)
    if not known.any():
        return None
    whence = (270.0 - np.degrees(directions[known].astype(np.float64)) + (_turn(project) or 0.0)) % 360.0
    sector = np.floor(whence / (360.0 / _SECTORS) + 0.5).astype(np.int64) % _SECTORS
    knots = speeds[known].astype(np.float64) * KNOTS_PER_MS
    number = np.searchsorted([low for low, _, _ in CLASSES], knots, side="right") - 1
    counts = np.zeros((_SECTORS, len(CLASSES)))
    np.add.at(counts, (sector, number), 1.0)
    return np.asarray(counts / counts.sum(), np.float64)


def draw_wind_box(page: FigurePage, x: float, top: float, width: float, project: Project, days: range) -> float:
    """The wind of ``days``, ``width`` inches wide from ``top`` down; returns the height that it takes."""
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
    text = f"where it comes from; the ring is {longest:.0%} of area and days"
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
    """True azimuth of the grid's north in its middle."""
    grid = project.scenario.grid
    return grid_north(Georeference(grid), (grid.rows - 1) / 2.0, (grid.columns - 1) / 2.0)
