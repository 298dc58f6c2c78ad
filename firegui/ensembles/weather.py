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

from firegui.domain.compact_maps import DropCells
from firegui.domain.grid import Box, grown
from firegui.domain.maps import FireMaps
from firegui.domain.project import Project
from firegui.domain.schedule import LISTED_LOGIT, UNLISTED_LOGIT, Schedule
from firegui.domain.uncertainty import WeatherDraw, WeatherSpread
from firegui.domain.weather import HOURS_PER_DAY, PeriodWeather
from firegui.errors import Check, InputError, Problem
from firegui.fire.landscape import Raster
from firegui.fire.learned import REACH
from firegui.fire.physical import PhysicalGround, Wind
from firegui.fire.windowed import PeriodMaps, inside, period_maps
from firegui.rollout.gains import SpreadGains
from firegui.rollout.model import Model

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
    """Forecast wind of an event, by the periods that its fire model takes."""

    weather: PeriodWeather

    @staticmethod
    def of(weather: PeriodWeather) -> ForecastWind:
        """Raise :class:`~firegui.errors.InputError` for a wind that has no number somewhere."""
        if not (np.isfinite(weather.speed).all() and np.isfinite(weather.towards).all()):
            problem = Problem("wind", "has cells without a number", "import the weather again, without gaps")
            raise InputError([problem], "The wind cannot be perturbed")
        return ForecastWind(weather)

    def perturbed(self, draw: WeatherDraw, first: int, count: int, box: Box) -> tuple[Raster, Raster]:
        """Return the wind of ``draw``, ``[count, h, w]``, in the event's periods from ``first`` on.

        It is speed and direction. A delay of a part of a period mixes two: the mean of their speeds, and the direction
        of their mean wind. What lies before the first period or after the last is as that period.
        """
        later = draw.delay_h * self.weather.periods_per_day / HOURS_PER_DAY
        whole = math.floor(later)
        share = later - whole  # of the period before
        winds = [_perturbed(*self._mixed(number - whole, share, box), draw) for number in range(first, first + count)]
        speed, towards = (np.stack(parts) for parts in zip(*winds, strict=True))
        return speed, towards

    def _mixed(self, number: int, share: float, box: Box) -> Wind:
        """Return the wind of a period and, by ``share``, of that before."""
        last = len(self.weather.speed) - 1
        speed, towards = self.weather.wind(min(max(number, 0), last), box)
        if share == 0.0:
            return speed, towards
        earlier, earlier_towards = self.weather.wind(min(max(number - 1, 0), last), box)
        new, old = np.float32(1.0 - share), np.float32(share)
        east, north = (
            new * (speed * part(towards)) + old * (earlier * part(earlier_towards)) for part in (np.cos, np.sin)
        )
        return new * speed + old * earlier, np.arctan2(north, east)


@dataclass(frozen=True, slots=True, eq=False)
class WindForecastModel:
    """A project's fire model under any wind. ``model`` is that under the wind as forecast.

    ``ground`` says how long flames are, ``None`` where drops work in flames of any length.
    """

    project: Project
    model: Model
    winds: ForecastWind
    maps_of: PeriodMaps
    ground: PhysicalGround | None

    @staticmethod
    def of(project: Project, model: Model) -> WindForecastModel:
        """Raise :class:`~firegui.errors.InputError` for imported maps and for a wind with holes."""
        ground, fire_model = None, project.fire_model
        if project.plan.failing_flame_m is not None:
            ground = PhysicalGround.of(project.scenario, fire_model.physical, fire_model.fuels)
        return WindForecastModel(project, model, ForecastWind.of(project.model_weather), period_maps(project), ground)

    def under(
        self, draw: WeatherDraw, windows: Sequence[Box], also: Sequence[Box] = (), check: Check | None = None
    ) -> tuple[Model, Box]:
        """Return the model under a member's wind, and the box that it is cut to.

        The box contains ``windows`` and ``also``. The periods of day ``d`` have their maps on ``windows[d]`` and no
        spread elsewhere: right as long as no fire gets to the edge of its day's window. It has no flight rules: what is
        executed has been decided.
        """
        model, shape = self.model, self.model.shape
        box = union([*windows, *also])
        around = grown(box, REACH, shape)
        periods = model.maps.periods_per_day
        first, count = self.project.plan.start_day * periods, model.maps.days * periods
        speed, towards = self.winds.perturbed(draw, first, count, around)
        size = (box[0].stop - box[0].start, box[1].stop - box[1].start)
        phi = np.zeros((count, model.maps.phi.shape[1], *size), np.float32)
        gamma = np.zeros((count, *size), np.float32)
        for number in range(count):
            if check is not None:
                check()
            window = windows[number // periods]
            here = inside(window, box)
            found = self.maps_of((speed[number], towards[number]), around, first + number, window)
            phi[(number, slice(None), *here)], gamma[(number, *here)] = found
        kept = (slice(None), *inside(box, around))
        like = model.maps
        maps = FireMaps(
            phi, gamma, like.burnable[box], speed[kept], towards[kept], like.ignition[box], like.t_burn,
            like.steps_per_day, like.cell_size_m, like.c_req, periods,
            None if like.burned_out is None else like.burned_out[box],
            self._drop_cells(speed[kept], towards[kept], box), like.moving_start,
            None if like.barriers is None else like.barriers.part(box),
        )  # fmt: skip
        return _cut(model, maps, box), box

    def _drop_cells(self, speed: Raster, towards: Raster, box: Box) -> DropCells | None:
        """Return where drops work on ``box`` under the wind ``[D P, h, w]`` there."""
        ground, limit = self.ground, self.project.plan.failing_flame_m
        if ground is None or limit is None:
            return None
        first = self.project.plan.start_day * self.model.maps.periods_per_day

        def find(number: int, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[np.bool_]:
            place = rows + box[0].start, columns + box[1].start
            wind = speed[number, rows, columns], towards[number, rows, columns]
            works: NDArray[np.bool_] = ground.flame_length(first + number, wind, place) <= limit
            return works

        return DropCells.of(find, len(speed), (speed.shape[1], speed.shape[2]))


def with_wind(project: Project, draw: WeatherDraw) -> Project:
    """Return ``project`` on an event with the wind of ``draw`` on all its days.

    Its maps are then made from that wind.

    Raises :class:`~firegui.errors.InputError` for imported maps, which know no other wind, and for a wind with holes.
    """
    event = project.scenario
    if project.fire_model.kind == "maps":
        problem = Problem("wind", "imported maps cannot be computed for another wind", "use a fire model of firegui")
        raise InputError([problem], "The wind cannot be perturbed")
    daily, weather = _with_wind(event.weather_of(1), draw), event.weather
    changed = replace(event, wind_speed=daily.speed, wind_dir=daily.towards)
    return replace(
        project, scenario=changed if weather is None else replace(changed, weather=_with_wind(weather, draw))
    )


def _with_wind(weather: PeriodWeather, draw: WeatherDraw) -> PeriodWeather:
    """Return the weather with the wind of ``draw`` in all its periods, computed on its blocks."""
    blocks = replace(weather, block=1)
    rows, columns = weather.speed.shape[1:]
    whole = (slice(0, rows), slice(0, columns))
    return weather.with_wind(*ForecastWind.of(blocks).perturbed(draw, 0, len(weather.speed), whole))


def _perturbed(speed: Raster, towards: Raster, draw: WeatherDraw) -> Wind:
    return speed * np.float32(draw.speed_factor), towards + np.float32(draw.direction)


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
        values=None if model.values is None else model.values.within(box),
    )  # fmt: skip
