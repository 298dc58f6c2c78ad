"""Small events for the fire model's tests."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from firegui.domain.grid import Grid
from firegui.domain.scenario import Scenario

START = datetime(2020, 8, 19, tzinfo=UTC)


def square(shape: tuple[int, int], half: int = 1) -> NDArray[np.bool_]:
    """A burning square in the middle."""
    mask = np.zeros(shape, bool)
    middle = (shape[0] // 2, shape[1] // 2)
    mask[middle[0] - half : middle[0] + half + 1, middle[1] - half : middle[1] + half + 1] = True
    return mask


def event(
    shape: tuple[int, int] = (9, 11),
    days: int = 3,
    *,
    speed: float = 0.0,
    towards: float = 0.0,
    layers: dict[str, NDArray[np.float32]] | None = None,
) -> Scenario:
    """A day-0 ignition in the middle of a raster with the same wind everywhere."""
    return Scenario(
        name="Small",
        grid=Grid(*shape, 30.0),
        start=START,
        utc_offset_h=0.0,
        wind_speed=np.full((days, *shape), speed, np.float32),
        wind_dir=np.full((days, *shape), towards, np.float32),
        layers={} if layers is None else layers,
        ignition=square(shape),
        steps_per_day=10,
    )


def observed(
    small: Scenario, masks: Sequence[NDArray[np.bool_]] | NDArray[np.bool_], skipped: Collection[int] = ()
) -> Scenario:
    """The event with these perimeters on days 0, 1, …, but not on those ``skipped``."""
    kept = [day for day in range(len(masks)) if day not in skipped]
    dates = tuple(START.date() + timedelta(days=day) for day in kept)
    return replace(small, observed=np.stack([masks[day] for day in kept]), observed_dates=dates)


def layer(shape: tuple[int, int], value: float) -> NDArray[np.float32]:
    """A layer with one value."""
    return np.full(shape, value, np.float32)
