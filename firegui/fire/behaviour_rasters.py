"""Rasters of the behaviour of a fire over an event, by the physical model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta, timezone
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from firegui.domain.fuel_models import FuelModel
from firegui.domain.physical import PhysicalSettings
from firegui.domain.project import Project
from firegui.domain.scenario import Scenario
from firegui.domain.weather import HOURS_PER_DAY
from firegui.errors import Check, InputError
from firegui.fire.crown_fire import CrownSpread
from firegui.fire.physical import PhysicalGround
from firegui.io.times import offset_text

UNITS: Mapping[str, str] = MappingProxyType(
    {
        "rate_of_spread": "m/min, of the head along the ground",
        "spread_direction": "degrees clockwise from grid north, towards",
        "flame_length": "m",
        "fireline_intensity": "kW/m",
        "crown_fraction_burned": "share of the crowns, 1 in an active crown fire",
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
    event: Scenario, settings: PhysicalSettings, fuels: tuple[FuelModel, ...], day: int, hour: int | None = None,
    check: Check | None = None, *, moistures: Mapping[str, float] | None = None,
) -> Iterator[BehaviourRaster]:  # fmt: skip
    """Yield the rasters of :data:`UNITS` of a day, by its periods, or of one ``hour`` since the day began.

    ``settings`` give moistures, periods and crown fire; where no crowns can burn, their fraction is left out.
    ``moistures`` in percent come before them and before those of the air. ``fuels`` are custom fuel models. Raises
    :class:`~firegui.errors.InputError` for an event without usable fuel. ``check`` is called before each period and may
    raise to cancel.
    """
    ground = PhysicalGround.of(event, settings, fuels)
    ground = replace(ground, moistures=tuple(replace(moist, **moistures or {}) for moist in ground.moistures))
    each = ground.weather.periods_per_day
    first = ground.weather.period_at(day, hour or 0)
    numbers = range(first, first + (each if hour is None else 1))
    names = tuple(UNITS)[: len(UNITS) - (ground.canopy is None)]
    bands = {name: np.full((len(numbers), *event.grid.shape), np.nan, np.float32) for name in names}
    for band, number in enumerate(numbers):
        if check is not None:
            check()
        fire = ground.fire(number, ground.wind(number))
        found = [fire.head, (90.0 - np.degrees(fire.direction)) % 360.0, fire.flame_length, fire.intensity]
        found += [fire.fraction] if isinstance(fire, CrownSpread) else []
        for name, values in zip(names, found, strict=True):
            bands[name][band] = np.where(ground.burnable, values, np.nan)
    hours = HOURS_PER_DAY // each
    titles = tuple(hours_text(event, day, (number - day * each) * hours, hours) for number in numbers)
    for name, stack in bands.items():
        yield BehaviourRaster(name, stack, titles)


def hours_text(event: Scenario, day: int, first: int, hours: int) -> str:
    """Return ``hours`` of a day from ``first`` on by the local clock.

    Days need not begin at midnight.
    """
    if not event.is_dated:
        return f"day {day}, hours {first} to {first + hours}"
    zone = timezone(timedelta(hours=event.utc_offset_h))
    begin = (event.time_of_day(day) + timedelta(hours=first)).astimezone(zone)
    end = begin + timedelta(hours=hours)
    ends = f"{end:%H:%M}" if hours < HOURS_PER_DAY else f"{end:%Y-%m-%d %H:%M}"
    return f"{begin:%Y-%m-%d %H:%M} to {ends} {offset_text(event.utc_offset_h)}"


def strongest_fire(project: Project, name: str, days: range, check: Check | None = None) -> NDArray[np.float32] | None:
    """Return the highest values ``[H, W]`` of a raster of :data:`UNITS` on days of the plan.

    They are NaN where nothing burns. ``None`` for other fire models, and without the fuel of the event.
    """
    model, highest = project.fire_model, None
    if model.kind != "physical":
        return None
    for day in days:
        try:
            found = behaviour_rasters(
                project.scenario, model.physical, model.fuels, project.plan.start_day + day, check=check
            )
            bands = next(raster.bands for raster in found if raster.name == name)
        except InputError:
            return None
        top = bands.max(axis=0)
        highest = top if highest is None else np.maximum(highest, top)
    return highest
