"""Flame length where drops land, by the physical fire model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from firegui.domain.project import Project
from firegui.domain.schedule import DropRecord
from firegui.errors import InputError
from firegui.fire.physical import PhysicalGround


def flame_lengths(project: Project, drops: Sequence[DropRecord]) -> dict[tuple[int, int], float] | None:
    """Return the flame length in m where each drop lands, by step and column of the aircraft.

    It is that of the head of a free-burning fire in the cell, in the weather of the step, whether or not the fire of
    the plan comes there; 0 where the ground does not burn. Drops off the grid or outside the planned steps are left
    out. ``None`` for other fire models, and without the fuel of the event.
    """
    event, model, n_steps = project.scenario, project.fire_model, project.calendar.n_steps
    if model.kind != "physical":
        return None
    settings = model.physical
    try:
        ground = PhysicalGround.of(event, settings, model.fuels)
    except InputError:
        return None
    height, width = event.grid.shape
    found: dict[tuple[int, int], float] = {}
    each = ground.weather.periods_per_day
    by_period: dict[int, list[tuple[tuple[int, int], int, int]]] = {}
    for drop in drops:
        row, column = round(drop.landing_y), round(drop.landing_x)
        if 0 <= drop.step < n_steps and 0 <= row < height and 0 <= column < width:
            period = project.plan.start_day * each + drop.step * each // event.steps_per_day
            by_period.setdefault(period, []).append(((drop.step, drop.column), row, column))
    for period, landed in by_period.items():
        keys, rows, columns = zip(*landed, strict=True)
        place = np.array(rows, np.int64), np.array(columns, np.int64)
        lengths = ground.flame_length(period, ground.weather.wind_of_cells(period, *place), place)
        found.update(zip(keys, map(float, lengths), strict=True))
    return found
