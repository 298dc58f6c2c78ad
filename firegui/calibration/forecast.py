"""Rollout of a fire model from an observed perimeter without drops; events cropped to their fire."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from firegui.domain.fleet import Fleet
from firegui.domain.grid import Box, Grid, bounding_box, grown
from firegui.domain.maps import FireMaps
from firegui.domain.project import Project
from firegui.domain.scenario import Scenario
from firegui.domain.schedule import Schedule
from firegui.domain.settings import NOMINAL, ObjectiveWeights
from firegui.errors import Check, InputError, Problem
from firegui.fire.card import DayScore
from firegui.fire.maps import compute_maps
from firegui.fire.parameters import ScalarParameters
from firegui.fire.scalar import scalar_maps
from firegui.fire.skill import day_score, observed_start, scored_days
from firegui.rollout.engine_message import MessageCallback, ignore_message
from firegui.rollout.simulate import prepare, simulate


def forecast(
    project: Project,
    days: int,
    *,
    backend: str = "auto",
    check: Check | None = None,
    tell: MessageCallback = ignore_message,
) -> NDArray[np.float32]:
    """Return ``P [days + 1, H, W]`` at day boundaries, from the perimeter of event day 0 alone.

    It is computed by the project's fire model. The model is given the event without its later perimeters, so it cannot
    have read them. ``check`` may raise to cancel; ``tell`` hears what the engine has to say. Raises
    :class:`~firegui.errors.InputError` for an event without a perimeter on day 0 or a model without maps for that many
    days.
    """
    event = blindfolded(project.scenario)
    plan = replace(project.plan, start_day=0, days=days)
    maps = compute_maps(replace(project, scenario=event, plan=plan), check)
    return roll_out(maps, backend=backend, check=check, tell=tell)


def scalar_forecast(
    event: Scenario, parameters: ScalarParameters, days: int, *, backend: str = "auto", check: Check | None = None
) -> NDArray[np.float32]:
    """Return :func:`forecast` of the constant-parameter model, on an event without a project."""
    start = observed_start(event)
    if days > event.days:
        what = f"{days} days asked for with weather for {event.days}"
        raise InputError([Problem("forecast", what, f"use at most {event.days} days")])
    return roll_out(scalar_maps(event, parameters, start, 0, days), backend=backend, check=check)


def roll_out(
    maps: FireMaps, *, backend: str = "auto", check: Check | None = None, tell: MessageCallback = ignore_message
) -> NDArray[np.float32]:
    """Return ``P [D + 1, H, W]`` at day boundaries of one rollout without drops.

    It starts from the ignition of ``maps``.
    """
    nothing = np.zeros((0, *maps.shape), bool)
    model = prepare(
        maps, Fleet(()), nothing, (), weights=ObjectiveWeights(), effectiveness=NOMINAL, backend=backend, tell=tell
    )
    rollout = simulate(model, Schedule.empty(maps.n_steps, 0), check=check, keep_days=True)
    assert rollout.p_fire_days is not None
    return rollout.p_fire_days


def blindfolded(event: Scenario) -> Scenario:
    """Return the event with no perimeter but that of day 0.

    Raises :class:`~firegui.errors.InputError` if it has none.
    """
    start = observed_start(event)
    return replace(event, observed=start[np.newaxis], observed_dates=(event.date_of_day(0),))


def score_days(event: Scenario, states: NDArray[np.float32], seen_days: int) -> tuple[DayScore, ...]:
    """Score the states ``[D + 1, H, W]`` on every day with a perimeter of its own.

    Scores are as in a model card. Up to ``seen_days`` the reference holds the perimeter of day 0, afterwards that of
    day ``seen_days``.
    """
    scores = []
    for day in scored_days(event, len(states) - 1):
        observed = event.observed_on(day)
        held = event.observed_on(0 if day <= seen_days else seen_days)
        if observed is not None and held is not None:
            scores.append(day_score(day, states[day], observed, held))
    return tuple(scores)


def misfit(scores: Sequence[DayScore], start_cells: int) -> float:
    """Return how far shape, size and growth are off. The fit minimizes this number.

    ``mean(1 − soft IoU) + ½ mean|area error| + ½ Σ|ΔP − ΔO| / ΣΔO``, the last over the growth from one scored day to
    the next, beginning with ``start_cells``. Shape and size alone would accept a fire that passes the observed one at
    full speed on the last fitted day; the growth term makes it slow down where the observed one did.
    """
    shape = float(np.mean([1.0 - score.soft_iou for score in scores]))
    size = float(np.mean([abs(score.area_error) for score in scores]))
    grown = np.diff([start_cells, *(score.observed_cells for score in scores)])
    expected = np.diff([start_cells, *(score.expected_cells for score in scores)])
    growth = float(np.abs(expected - grown).sum()) / max(float(grown.sum()), 1.0)
    return shape + 0.5 * size + 0.5 * growth


def fit_box(event: Scenario, last_day: int, margin_cells: int) -> Box:
    """Return the rows and columns of the perimeter of ``last_day`` and ``margin_cells`` around it.

    Without a perimeter they are all rows and columns.
    """
    reached = event.observed_on(last_day)
    box = None if reached is None else bounding_box(reached)
    if box is None:
        return slice(0, event.grid.rows), slice(0, event.grid.columns)
    return grown(box, margin_cells, event.grid.shape)


def cropped(event: Scenario, last_day: int, margin_cells: int) -> Scenario:
    """Return the event cropped to :func:`fit_box`."""
    return cropped_to(event, fit_box(event, last_day, margin_cells))


def cropped_to(event: Scenario, box: Box) -> Scenario:
    """Return the event cropped to some rows and columns."""
    days = (slice(None), *box)
    return replace(
        event,
        grid=_cropped_grid(event.grid, *box),
        wind_speed=np.ascontiguousarray(event.wind_speed[days]),
        wind_dir=np.ascontiguousarray(event.wind_dir[days]),
        layers={key: np.ascontiguousarray(layer[box]) for key, layer in event.layers.items()},
        ignition=None if event.ignition is None else event.ignition[box],
        observed=None if event.observed is None else event.observed[days],
        markers=(),
    )


def _cropped_grid(grid: Grid, rows: slice, columns: slice) -> Grid:
    height, width = rows.stop - rows.start, columns.stop - columns.start
    if grid.transform is None:
        return Grid(height, width, grid.cell_size_m, None, grid.crs)
    a, b, c, d, e, f = grid.transform
    west = c + a * columns.start + b * rows.start
    north = f + d * columns.start + e * rows.start
    return Grid(height, width, grid.cell_size_m, (a, b, west, d, e, north), grid.crs)
