"""Arrival times of the physical model's fire against minimum travel time on the same speeds."""

from __future__ import annotations

from dataclasses import replace
from math import gcd

import numpy as np
import pytest

from firegui.domain.project import Project
from firegui.fire.physical import GroundSpread, PhysicalGround, with_physical_model
from tests.numerics.test_physical_fire import USUAL, project_of, rolled, sliced

COUNT, CELL, SLICES, REACH = 160, 30.0, 48, 6
MOVES = [
    (down, right)
    for down in range(-REACH, REACH + 1)
    for right in range(-REACH, REACH + 1)
    if gcd(down, right) == 1
]  # fmt: skip
Place = tuple[slice, slice]


def places(down: int, right: int) -> tuple[Place, Place]:
    """The cells from which a move stays on the ground, and those where it ends."""
    first = tuple(slice(max(0, -by), COUNT - max(0, by)) for by in (down, right))
    last = tuple(slice(max(0, by), COUNT + min(0, by)) for by in (down, right))
    return (first[0], first[1]), (last[0], last[1])


def is_open(burnable: np.ndarray, down: int, right: int) -> np.ndarray:
    """Whether every cell on the way of a move burns."""
    (first, _last), count = places(down, right), 4 * max(abs(down), abs(right))
    rows, columns = np.mgrid[first[0], first[1]]
    ways = [(rows + down * k / count, columns + right * k / count) for k in range(count + 1)]
    return np.asarray(
        np.logical_and.reduce([burnable[np.rint(y).astype(int), np.rint(x).astype(int)] for y, x in ways])
    )


def travel_hours(spread: GroundSpread, burnable: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Hours of the fastest way from the start, by moves of up to six cells (Bellman and Ford's method).

    In direction φ from the focus of the ellipse the fire moves at R (1 − e) / (1 − e cos (φ − φ₀)). R is the speed of
    its head, φ₀ the direction.
    """
    head, ratio, direction = (np.asarray(each, float) for each in (spread.speed, spread.ratio, spread.direction))
    head, eccentricity = np.where(burnable, head, 1.0), np.sqrt(1.0 - ratio**-2)
    moves: list[tuple[Place, Place, np.ndarray]] = []
    for down, right in MOVES:
        first, last = places(down, right)
        angle = np.arctan2(-down, right) - direction
        minutes = CELL * np.hypot(down, right) * (1.0 - eccentricity * np.cos(angle)) / (head * (1.0 - eccentricity))
        takes = np.where(is_open(burnable, down, right), 0.5 * (minutes[first] + minutes[last]), np.inf)
        moves.append((first, last, takes))
    best, before = np.where(start, 0.0, np.inf), np.empty((COUNT, COUNT))
    while not np.array_equal(best, before):
        before = best.copy()
        for first, last, takes in moves:
            best[last] = np.minimum(best[last], best[first] + takes)
    return best / 60.0


def arrival_hours(project: Project) -> np.ndarray:
    """Hours until half of a cell has burned, ∞ where that is not within the day."""
    states = rolled(sliced(project, SLICES))
    after = np.argmax(states >= 0.5, axis=0)
    before = np.maximum(after - 1, 0)
    low, high = (np.take_along_axis(states, at[None], axis=0)[0] for at in (before, after))
    hours = (before + (0.5 - low) / np.maximum(high - low, 1e-9)) * 24.0 / SLICES
    return np.where(after > 0, hours, np.inf)


def started(column: int) -> np.ndarray:
    found = np.zeros((COUNT, COUNT), bool)
    found[72:89, column - 8 : column + 9] = True
    return found


def on_slope(project: Project, degrees: np.ndarray, aspect: np.ndarray) -> Project:
    layers = {"slope": degrees.astype(np.float32), "aspect": aspect.astype(np.float32)}
    event = replace(project.scenario, layers={**project.scenario.layers, **layers})
    return with_physical_model(replace(project, scenario=event), USUAL)


def two_fuels(first: float, then: float) -> Project:
    fuel = np.full((COUNT, COUNT), first)
    fuel[:, 80:] = then
    return project_of(fuel, started(40), CELL, wind=1.0, towards=0.4)


def grass(towards: float) -> Project:
    return project_of(np.full((COUNT, COUNT), 102.0), started(60), CELL, wind=1.0, towards=towards)


def hill() -> Project:
    rows, columns = np.mgrid[:COUNT, :COUNT]
    height = 400.0 * np.exp(-((rows - 80.0) ** 2 + (columns - 90.0) ** 2) / (2.0 * 35.0**2))
    south, east = np.gradient(height, CELL)
    return on_slope(
        grass(0.9), np.degrees(np.arctan(np.hypot(south, east))), np.degrees(np.arctan2(-east, south)) % 360.0
    )


def road_with_an_end() -> Project:
    fuel = np.full((COUNT, COUNT), 102.0)
    fuel[30:, 90] = 98.0
    return project_of(fuel, started(60), CELL, wind=1.2)


GROUNDS = {
    "grass": lambda: grass(0.3),
    "grass, then litter": lambda: two_fuels(102.0, 181.0),
    "shrub, then grass": lambda: two_fuels(122.0, 102.0),
    "slope": lambda: on_slope(grass(0.9), np.full((COUNT, COUNT), 20.0), np.full((COUNT, COUNT), 250.0)),
    "hill": hill,
    "road with an end": road_with_an_end,
}


SLOW = [pytest.param(name, marks=pytest.mark.slow) for name in GROUNDS if name not in ("hill", "road with an end")]


@pytest.mark.parametrize("name", ["hill", "road with an end", *SLOW])
def test_the_fire_arrives_when_minimum_travel_time_says(name: str) -> None:
    project = GROUNDS[name]()
    ground, start = PhysicalGround.of(project.scenario, USUAL), project.scenario.ignition
    assert start is not None
    expected = travel_hours(ground.spread(0, ground.wind(0)), ground.burnable, start)
    found = arrival_hours(project)
    compared = np.isfinite(found) & (expected > 1.0) & (expected < 24.0)
    assert compared.sum() > 3000
    assert np.isfinite(found[(expected > 1.0) & (expected < 20.0)]).mean() > 0.98
    errors = np.abs(found[compared] / expected[compared] - 1.0)
    assert np.median(errors) < 0.05
    print(f"{name}: median error {np.median(errors):.1%}")
