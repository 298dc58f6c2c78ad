"""Rasters of the behaviour of a surface fire over an event, by Rothermel's model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from firegui.domain.physical import PhysicalSettings
from firegui.domain.scenario import Scenario
from firegui.domain.weather import HOURS_PER_DAY
from firegui.errors import Check
from firegui.fire.physical import PhysicalGround

UNITS: Mapping[str, str] = MappingProxyType(
    {
        "rate_of_spread": "m/min, of the head along the ground",
        "spread_direction": "degrees clockwise from grid north, towards",
        "flame_length": "m",
        "fireline_intensity": "kW/m",
    }
)
"""Unit of each raster."""


@dataclass(frozen=True, slots=True, eq=False)
class BehaviourRaster:
    """One raster.

    It has a ``name``, ``bands [P, H, W]``, one a period, NaN where nothing burns, and their ``titles``.
    """

    name: str
    bands: NDArray[np.float32]
    titles: tuple[str, ...]


def behaviour_rasters(
    event: Scenario, settings: PhysicalSettings, day: int, hour: int | None = None, check: Check | None = None
) -> Iterator[BehaviourRaster]:
    """Yield the rasters of :data:`UNITS` of a day, by its periods, or of one ``hour``.

    ``settings`` give moistures and periods. Raises :class:`~firegui.errors.InputError` for an event without usable
    fuel. ``check`` is called before each period and may raise to cancel.
    """
    ground = PhysicalGround.of(event, settings)
    each = ground.weather.periods_per_day
    first = ground.weather.period_at(day, hour or 0)
    numbers = range(first, first + (each if hour is None else 1))
    bands = {name: np.full((len(numbers), *event.grid.shape), np.nan, np.float32) for name in UNITS}
    for band, number in enumerate(numbers):
        if check is not None:
            check()
        fire = ground.fire(number, ground.wind(number))
        found = (fire.head, (90.0 - np.degrees(fire.direction)) % 360.0, fire.flame_length, fire.intensity)
        for name, values in zip(UNITS, found, strict=True):
            bands[name][band] = np.where(ground.burnable, values, np.nan)
    date = event.date_of_day(day).isoformat() if event.is_dated else f"day {day}"
    hours = HOURS_PER_DAY // each
    begins = ((number - day * each) * hours for number in numbers)
    titles = tuple(f"{date}, hours {begin} to {begin + hours}" for begin in begins)
    for name, stack in bands.items():
        yield BehaviourRaster(name, stack, titles)
