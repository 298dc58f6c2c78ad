"""Errors of the wind forecast: a member's wind, and the fire's maps under it.

They are the third source of uncertainty. The paper lists the forecast's error as unmeasured. Here a member has one
error for the whole plan: its wind is stronger or weaker by a factor, turned, and early or late
(:class:`~firegui.domain.uncertainty.WeatherSpread`). Whatever the wind enters is computed anew: the network's inputs,
the spread form, and the drift of the drops, whose release points stay.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from firegui.domain.grid import Box, grown
from firegui.domain.maps import FireMaps
from firegui.domain.project import Project
from firegui.domain.schedule import LISTED_LOGIT, UNLISTED_LOGIT, Schedule
from firegui.domain.uncertainty import WeatherDraw, WeatherSpread
from firegui.errors import Check, InputError, Problem
from firegui.fire.landscape import Raster
from firegui.fire.learned import REACH
from firegui.fire.windowed import DayMaps, day_maps, inside
from firegui.rollout.gains import SpreadGains
from firegui.rollout.model import Model

HOURS_PER_DAY = 24.0

_WINDS = 0x77696E64
"""Keeps the draws apart from whatever else is drawn from the same seed."""


def weather_of(spread: WeatherSpread, seed: int, member: int) -> WeatherDraw:
    """Return the error of the wind of member number ``member``."""
    numbers = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(_WINDS, member))).standard_normal(3)
    return WeatherDraw(
        math.exp(spread.speed_sd * float(numbers[0])),
        spread.direction_sd * float(numbers[1]),
        spread.timing_sd * float(numbers[2]),
    )


@dataclass(frozen=True, slots=True, eq=False)
class ForecastWind:
    """Forecast wind of an event, ``[D, H, W]``: ``speed``, ``towards``, ``east`` and ``north``.

    The last two are its components.
    """

    speed: Raster
    towards: Raster
    east: Raster
    north: Raster

    @staticmethod
    def of(speed: Raster, towards: Raster) -> ForecastWind:
        """Raise :class:`~firegui.errors.InputError` for a wind that has no number somewhere."""
        if not (np.isfinite(speed).all() and np.isfinite(towards).all()):
            problem = Problem("wind", "has cells without a number", "import the weather again, without gaps")
            raise InputError([problem], "The wind cannot be perturbed")
        return ForecastWind(speed, towards, speed * np.cos(towards), speed * np.sin(towards))

    def perturbed(self, draw: WeatherDraw, first: int, days: int, box: Box) -> tuple[Raster, Raster]:
        """Return the wind of ``draw``, ``[days, h, w]``, on the event's days from ``first`` on.

        It is speed and direction. A delay of a part of a day mixes two days: the mean of their speeds, and the
        direction of their mean wind. What lies before the first day or after the last is as that day.
        """
        later = draw.delay_h / HOURS_PER_DAY
        whole = math.floor(later)
        share = later - whole  # of the day before
        asked = np.arange(first, first + days) - whole
        now, before = (np.clip(asked - back, 0, len(self.speed) - 1) for back in (0, 1))
        at = (slice(None), *box)
        factor = np.float32(draw.speed_factor)
        if share == 0.0:
            return self.speed[at][now] * factor, self.towards[at][now] + np.float32(draw.direction)
        new, old = np.float32(1.0 - share), np.float32(share)
        speed = new * self.speed[at][now] + old * self.speed[at][before]
        east, north = (new * part[at][now] + old * part[at][before] for part in (self.east, self.north))
        return speed * factor, np.arctan2(north, east) + np.float32(draw.direction)


@dataclass(frozen=True, slots=True, eq=False)
class WindForecastModel:
    """A project's fire model under any wind. ``model`` is that under the wind as forecast."""

    project: Project
    model: Model
    winds: ForecastWind
    maps_of: DayMaps

    @staticmethod
    def of(project: Project, model: Model) -> WindForecastModel:
        """Raise :class:`~firegui.errors.InputError` for imported maps and for a wind with holes."""
        event = project.scenario
        return WindForecastModel(project, model, ForecastWind.of(event.wind_speed, event.wind_dir), day_maps(project))

    def under(
        self, draw: WeatherDraw, windows: Sequence[Box], also: Sequence[Box] = (), check: Check | None = None
    ) -> tuple[Model, Box]:
        """Return the model under a member's wind, and the box that it is cut to.

        The box contains ``windows`` and ``also``. Day ``d`` has its maps on ``windows[d]`` and no spread elsewhere:
        right as long as no fire gets to the edge of its day's window. It has no flight rules: what is executed has been
        decided.
        """
        model, shape = self.model, self.model.shape
        box = union([*windows, *also])
        around = grown(box, REACH, shape)
        first = self.project.plan.start_day
        speed, towards = self.winds.perturbed(draw, first, model.maps.days, around)
        size = (box[0].stop - box[0].start, box[1].stop - box[1].start)
        phi = np.zeros((model.maps.days, model.maps.phi.shape[1], *size), np.float32)
        gamma = np.zeros((model.maps.days, *size), np.float32)
        for day, window in enumerate(windows):
            if check is not None:
                check()
            here = inside(window, box)
            when = self.project.scenario.date_of_day(first + day)
            found = self.maps_of((speed[day], towards[day]), around, when, window)
            phi[(day, slice(None), *here)], gamma[(day, *here)] = found
        kept = (slice(None), *inside(box, around))
        like = model.maps
        maps = FireMaps(
            phi, gamma, like.burnable[box], speed[kept], towards[kept], like.ignition[box], like.t_burn,
            like.steps_per_day, like.cell_size_m, like.c_req,
        )  # fmt: skip
        return _cut(model, maps, box), box


def with_wind(project: Project, draw: WeatherDraw) -> Project:
    """Return ``project`` on an event with the wind of ``draw`` on all its days.

    Its maps are then made from that wind.

    Raises :class:`~firegui.errors.InputError` for imported maps, which know no other wind, and for a wind with holes.
    """
    event = project.scenario
    if project.fire_model.kind == "maps":
        problem = Problem("wind", "imported maps cannot be computed for another wind", "use a fire model of firegui")
        raise InputError([problem], "The wind cannot be perturbed")
    rows, columns = event.grid.shape
    winds = ForecastWind.of(event.wind_speed, event.wind_dir)
    speed, towards = winds.perturbed(draw, 0, event.days, (slice(0, rows), slice(0, columns)))
    return replace(project, scenario=replace(event, wind_speed=speed, wind_dir=towards))


def union(boxes: Sequence[Box]) -> Box:
    """Return the smallest box that contains all."""
    rows, columns = (
        slice(min(box[axis].start for box in boxes), max(box[axis].stop for box in boxes)) for axis in (0, 1)
    )
    return rows, columns


def moved(schedule: Schedule, executed: NDArray[np.bool_], box: Box) -> Schedule:
    """Return the ``executed [T, A]`` drops of ``schedule`` and no others, in the coordinates of ``box``."""
    corner = np.array([box[0].start, box[1].start, 0.0])
    logits = np.where(executed, LISTED_LOGIT, UNLISTED_LOGIT)
    return Schedule(logits, schedule.poses - corner)


def _cut(model: Model, maps: FireMaps, box: Box) -> Model:
    return replace(
        model, maps=maps, gains=SpreadGains(maps, model.dtype, model.device), rules=None,
        protection=model.protection[box].contiguous(), protected=model.protected[box].contiguous(),
    )  # fmt: skip
