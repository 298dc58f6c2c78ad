"""Rolling the scalar model out from an observed perimeter, without drops, and cutting an event to its fire."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from firegui.calibration.scores import Bools, day_score
from firegui.domain.fleet import Fleet
from firegui.domain.grid import Grid
from firegui.domain.scenario import Scenario
from firegui.domain.schedule import Schedule
from firegui.domain.settings import NOMINAL, ObjectiveWeights
from firegui.errors import InputError, Problem
from firegui.fire.card import DayScore
from firegui.fire.parameters import ScalarParameters
from firegui.fire.scalar import scalar_maps
from firegui.rollout.simulate import prepare, simulate

Check = Callable[[], None]


def forecast(
    event: Scenario, parameters: ScalarParameters, days: int, *, backend: str = "auto", check: Check | None = None
) -> NDArray[np.float32]:
    """``P [days + 1, H, W]`` at day boundaries, started from the perimeter of day 0 with all of it burning.

    Raises :class:`~firegui.errors.InputError` for an event without a perimeter on day 0 or without enough weather.
    """
    start = observed_start(event)
    if days > event.days:
        what = f"{days} days asked for with weather for {event.days}"
        raise InputError([Problem("forecast", what, f"use at most {event.days} days")])
    maps = scalar_maps(event, parameters, start, 0, days)
    nothing = np.zeros((0, *event.grid.shape), bool)
    model = prepare(maps, Fleet(()), nothing, (), weights=ObjectiveWeights(), effectiveness=NOMINAL, backend=backend)
    rollout = simulate(model, Schedule.empty(maps.n_steps, 0), check=check, keep_days=True)
    assert rollout.p_fire_days is not None
    return rollout.p_fire_days


def observed_start(event: Scenario) -> Bools:
    """The observed perimeter of day 0; a drawn or simulated ignition does not count."""
    start = event.observed_on(0)
    if start is None or not start.any():
        remedy = "import the event with perimeters that begin on its first day"
        raise InputError([Problem("forecast", "there is no observed perimeter on day 0", remedy)])
    return start


def score_days(event: Scenario, states: NDArray[np.float32], seen_days: int) -> tuple[DayScore, ...]:
    """Score the states ``[D + 1, H, W]`` on every day with a perimeter of its own, days only filled forward left out.

    Up to ``seen_days`` the reference holds the perimeter of day 0, afterwards that of day ``seen_days``.
    """
    scores = []
    for day in range(1, len(states)):
        observed = event.observed_on(day)
        held = event.observed_on(0 if day <= seen_days else seen_days)
        if observed is not None and held is not None and not event.is_filled_forward(day):
            scores.append(day_score(day, states[day], observed, held))
    return tuple(scores)


def cropped(event: Scenario, last_day: int, margin_cells: int) -> Scenario:
    """The event on the bounding box of its perimeter of ``last_day`` and ``margin_cells`` around it."""
    reached = event.observed_on(last_day)
    if reached is None or not reached.any():
        return event
    rows, columns = (_span(np.asarray(reached.any(axis=axis)), margin_cells) for axis in (1, 0))
    box = (rows, columns)
    days = (slice(None), *box)
    return replace(
        event,
        grid=_cropped_grid(event.grid, rows, columns),
        wind_speed=event.wind_speed[days],
        wind_dir=event.wind_dir[days],
        layers={key: layer[box] for key, layer in event.layers.items()},
        ignition=None if event.ignition is None else event.ignition[box],
        observed=None if event.observed is None else event.observed[days],
        markers=(),
    )


def _span(touched: Bools, margin: int) -> slice:
    inside = np.flatnonzero(touched)
    return slice(max(int(inside[0]) - margin, 0), min(int(inside[-1]) + 1 + margin, len(touched)))


def _cropped_grid(grid: Grid, rows: slice, columns: slice) -> Grid:
    height, width = rows.stop - rows.start, columns.stop - columns.start
    if grid.transform is None:
        return Grid(height, width, grid.cell_size_m, None, grid.crs)
    a, b, c, d, e, f = grid.transform
    west = c + a * columns.start + b * rows.start
    north = f + d * columns.start + e * rows.start
    return Grid(height, width, grid.cell_size_m, (a, b, west, d, e, north), grid.crs)
