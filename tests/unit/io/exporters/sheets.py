"""Plans to print: a fire that grows, drops by the dozen, names that do not fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from firegui.domain.grid import Grid
from firegui.domain.operations import Operations
from firegui.domain.project import Project
from firegui.domain.regions import Region
from firegui.domain.schedule import DropRecord
from firegui.io.exporters.content import ExportContent, Occupancy, Sheet, export_content
from tests.unit.io.builders import drop, project
from tests.unit.io.exporters.plans import grid_at

GRID = grid_at("EPSG:3310", -104430.0, 210000.0, shape=(60, 80))
MADE = datetime(2020, 8, 18, 21, 5, tzinfo=UTC)


def growing(grid: Grid, days: int, pace: float) -> Occupancy:
    """A round fire in the middle, certain inside and less likely towards its edge, at every day boundary."""
    rows, columns = np.mgrid[0 : grid.rows, 0 : grid.columns]
    away = np.hypot(rows - grid.rows / 2, columns - grid.columns / 2)
    states = [np.clip(1.0 - (away - 4.0 - pace * day) / 4.0, 0.0, 1.0) for day in range(days + 1)]
    return Occupancy(np.stack(states).astype(np.float32), 0)


def planned(grid: Grid = GRID, days: int = 3, **changes: Any) -> Project:
    """A project with a region, a zone, a place, fuel with water, relief, and wind from the south-west."""
    whole = project(grid)
    rows, columns = np.mgrid[0 : grid.rows, 0 : grid.columns]
    fuel = np.where(columns > 0.8 * grid.columns, 98.0, np.where(rows < 10, 102.0, 165.0)).astype(np.float32)
    relief = (500.0 + 80.0 * np.sin(rows / 5.0) + 5.0 * columns).astype(np.float32)
    lit = np.hypot(rows - grid.rows / 2, columns - grid.columns / 2) < 3.0
    wind = np.full((days + 2, *grid.shape), 4.0, np.float32)
    event = replace(
        whole.scenario, layers={"elevation": relief, "fuel": fuel}, ignition=lit, observed=np.stack([lit, lit]),
        wind_speed=wind, wind_dir=np.full_like(wind, np.pi / 4), synthetic=False,
        markers=(("village", "Dörfli", ((5.0, 60.0),)), ("road", "Road 7", ((50.0, 0.0), (52.0, 79.0)))),
    )  # fmt: skip
    zone = Operations(no_drop_zones=(Region.rectangle("Camp", (50, 58), (5, 20)),))
    made = replace(
        whole, scenario=event, regions=(Region.rectangle("Upper village", (2, 14), (40, 70)),), operations=zone,
        plan=replace(whole.plan, start_day=1, days=days), grounded={},
    )  # fmt: skip
    return replace(made, **changes)


def around(grid: Grid, count: int, day: int = 0) -> list[DropRecord]:
    """``count`` drops around the middle of ``grid`` on one day, at different pairs of step and aircraft."""
    rng = np.random.default_rng(11)
    found = []
    for number in range(count):
        turn, far = rng.uniform(0.0, 2 * np.pi), rng.uniform(0.1, 0.3) * min(grid.shape)
        y, x = grid.rows / 2 + far * np.sin(turn), grid.columns / 2 + far * np.cos(turn)
        step, column = 50 * day + number // 3 % 50, number % 3
        material = "water" if column == 2 else "retardant"
        placed = {"y": y, "x": x, "landing_y": y + 0.5, "landing_x": x + 0.5, "theta": float(turn % np.pi)}
        found.append(drop(step, column, material=material, **placed))
    return found


def content(
    count: int = 12, grid: Grid = GRID, days: int = 3, sheet: Sheet | None = None, **changes: Any
) -> ExportContent:
    """A plan of ``count`` drops on its first day, with both fires."""
    whole: Project = changes.pop("project", planned(grid, days))
    drops: Sequence[DropRecord] = changes.pop("drops", around(grid, count))
    fires = {"plan": growing(grid, days, 1.0), "baseline": growing(grid, days, 3.0)} | changes
    run = fires.pop("run", "first plan")
    return export_content(whole, drops, run=run, made=MADE, sheet=sheet or Sheet(author="A. Núñez"), **fires)


def boxes(figure: Figure) -> list[tuple[str, tuple[float, float, float, float]]]:
    """Every text of a page and where it lies, in pixels: left, bottom, right, top."""
    renderer = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]
    found = []
    for text in figure.findobj(Text):
        assert isinstance(text, Text)
        if text.get_text() and text.get_visible():
            box = Text.get_window_extent(text, renderer)
            found.append((text.get_text(), (box.x0, box.y0, box.x1, box.y1)))
    return found


def overlaps(figure: Figure, slack: float = 1.0) -> list[tuple[str, str]]:
    """Pairs of texts that lie on each other by more than ``slack`` pixels both ways."""
    found = boxes(figure)
    pairs = []
    for number, (one, (l0, b0, r0, t0)) in enumerate(found):
        for other, (l1, b1, r1, t1) in found[number + 1 :]:
            if min(r0, r1) - max(l0, l1) > slack and min(t0, t1) - max(b0, b1) > slack:
                pairs.append((one, other))
    return pairs


def outside(figure: Figure) -> list[str]:
    """Texts that reach past the edge of the page."""
    width, height = figure.get_size_inches() * figure.dpi
    return [
        text for text, (left, low, right, top) in boxes(figure) if min(left, low) < 0 or right > width or top > height
    ]


def texts_of(figure: Figure) -> list[str]:
    """Every text that a figure shows, in the order in which it was put there."""
    shown = figure.findobj(lambda artist: isinstance(artist, Text) and artist.get_visible())
    return [text for text in (artist.get_text() for artist in shown if isinstance(artist, Text)) if text]
