"""Invented weather: an hourly wind with a daily rhythm, and the daily wind that the engine takes."""

from __future__ import annotations

import math

import numpy as np

from firegui.fire.demo.terrain import Floats
from firegui.fire.landscape import Raster

HOURS = 24
CALMEST_HOUR = 3.0


def hourly_wind(generator: np.random.Generator, days: int) -> tuple[Floats, Floats]:
    """Eastward and northward wind in m/s, ``[days, 24]`` each.

    By day it blows toward the east-north-east, strongest at three in the afternoon; by night it falls to a third and
    turns toward the south-east, with the air that drains from the hills. Every day has its own strength and heading.
    """
    hour = np.arange(HOURS)
    daytime = 0.5 - 0.5 * np.cos(2.0 * math.pi * (hour - CALMEST_HOUR) / HOURS)
    strength = 5.0 * np.exp(0.22 * generator.standard_normal(days))
    heading = np.deg2rad(18.0 + 16.0 * generator.standard_normal(days))
    speed = strength[:, None] * (1.0 / 3.0 + 2.0 / 3.0 * daytime)
    towards = heading[:, None] - np.deg2rad(55.0) * (1.0 - daytime)
    return speed * np.cos(towards), speed * np.sin(towards)


def daily_wind(eastward: Floats, northward: Floats) -> tuple[Floats, Floats]:
    """Speed (m/s) and direction (radians towards, counter-clockwise from east) of each day's mean wind *vector*.

    Averaging the components and not the speeds is what daily means of reanalysis winds do: calm nights weaken the day's
    wind and hours that blow against each other cancel.
    """
    east, north = eastward.mean(axis=1), northward.mean(axis=1)
    return np.hypot(east, north), np.arctan2(north, east)


def spread_over(speed: Floats, towards: Floats, elevation: Floats, waver: Floats) -> tuple[Raster, Raster]:
    """Daily wind on the raster, two of ``[days, H, W]``: stronger on high ground, turned a little with ``waver``.

    ``waver [H, W]`` is a field with mean 0 and standard deviation 1.
    """
    height = (elevation - elevation.mean()) / elevation.std()
    exposure = np.clip(1.0 + 0.22 * height, 0.55, 1.5)
    turned = towards[:, None, None] + np.deg2rad(8.0) * waver
    return (speed[:, None, None] * exposure).astype(np.float32), turned.astype(np.float32)
