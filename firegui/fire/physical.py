"""The physical fire model: Rothermel's surface spread on the landscape of an event.

:mod:`firegui.fire.physical_maps` makes maps of it. The steps a day follow from the fastest cell of the event, so that
the same landscape burns alike at any cell size.

The wind is that in the open at 10 m of the day, or of its periods where the event has them; canopy cover and height
shelter the fire from it. Moisture is the same everywhere; that of dead 1-h and 10-h fuel follows from the temperature
and humidity of the period where the event has them. Speeds are those over the map: along the head, a slope is longer
than it looks from above. Crown fire is an option of the settings, as are the factors of a calibration, which
multiply the head's speed and the wind and shift the moisture of dead fuel. Spotting is left out.

This module needs NumPy and nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from firegui.domain.calendar import STEPS_PER_DAY_LIMITS
from firegui.domain.fuel import fuel_name
from firegui.domain.fuel_models import STEEPEST, FuelModel, FuelMoisture, fuel_model_problems
from firegui.domain.grid import Box
from firegui.domain.physical import PhysicalSettings
from firegui.domain.project import FireModel, Project
from firegui.domain.scenario import Scenario
from firegui.domain.spread_factors import SpreadFactors
from firegui.domain.weather import PeriodWeather
from firegui.errors import Check, InputError, Problem
from firegui.fire.card import physical_card
from firegui.fire.crown_fire import Canopy, active_crown_fire, with_crown_fire
from firegui.fire.fuel_moisture import moistures_of
from firegui.fire.landscape import Raster, burns, missing_crown_layers
from firegui.fire.surface_spread import SurfaceSpread, midflame_factor, surface_spread
from firegui.io.fuel_models_file import standard_fuel_models

P = TypeVar("P", bound=Project)

Wind = tuple[Raster, Raster]
"""Speed in m/s and the direction it blows to, radians counter-clockwise from east, ``[h, w]`` each."""
TITLE = "The physical fire model cannot be used"
_SHOWN_CODES = 5
_BINS = 12
"""Classes of slope, and of shelter, of each fuel."""
Place = Box | tuple[NDArray[np.int64], NDArray[np.int64]]
"""A part of the raster, or rows and columns of cells."""
WHOLE: Box = (slice(None), slice(None))


@dataclass(frozen=True, slots=True, eq=False)
class GroundSpread:
    """Fire of a period, each ``[h, w]``.

    ``speed`` is the head's in m/min over the map, 0 where nothing burns, ``direction`` its direction in radians,
    counter-clockwise from east, and ``ratio`` the length-to-width ratio.
    """

    speed: Raster
    direction: Raster
    ratio: Raster


@dataclass(frozen=True, slots=True, eq=False)
class PhysicalGround:
    """Fuel, terrain and the shelter of the canopy, each ``[H, W]``, and the weather.

    ``place`` is the fuel's place in ``models``, of any value where the ground does not burn. ``wind_factor`` is the
    wind at the height of the flames over that in the open. ``slope`` is rise over run, ``upslope`` its direction in
    radians, counter-clockwise from east. ``weather`` is by as many periods as the settings ask for, and ``moistures``
    has that of each of them. ``canopy`` is ``None`` where no crowns burn; ``foliar_moisture`` is in percent.
    ``speed_factors`` are those of ``models``, and ``wind_multiplier`` is that of the wind in the open
    (:class:`~firegui.domain.spread_factors.SpreadFactors`); ``moistures`` are shifted already.
    """

    models: tuple[FuelModel, ...]
    weather: PeriodWeather
    moistures: tuple[FuelMoisture, ...]
    place: NDArray[np.int64]
    burnable: NDArray[np.bool_]
    wind_factor: Raster
    slope: Raster
    upslope: Raster
    canopy: Canopy | None
    foliar_moisture: float
    speed_factors: NDArray[np.float64]
    wind_multiplier: float

    @staticmethod
    def of(event: Scenario, settings: PhysicalSettings, fuels: tuple[FuelModel, ...] = ()) -> PhysicalGround:
        """Raise :class:`~firegui.errors.InputError` for an event without usable fuel.

        ``fuels`` are custom models, which take the place of standard ones of the same code.
        A cell without data does not burn. Without slope or aspect the ground is level, without canopy cover or height
        nothing shelters from the wind, and without canopy base height or bulk density no crowns burn.
        """
        models, weather = (*standard_fuel_models(), *fuels), event.weather_of(settings.periods_per_day)
        place, burnable = _fuel(event, models, fuels)
        steep, aspect = _both(event, "slope", "aspect")
        steep = np.where(aspect < 0.0, 0.0, np.clip(steep, 0.0, STEEPEST))  # aspect −1: flat
        cover, height = _both(event, "canopy_cover", "canopy_height")
        depth = np.array([model.depth_ft for model in models])[place]
        moistures = moistures_of(weather, settings.moisture, from_air=settings.air_moisture)
        factor = midflame_factor(depth, np.clip(cover, 0.0, 100.0) / 100.0, np.maximum(height, 0.0))
        return PhysicalGround(
            models=models,
            weather=weather,
            moistures=tuple(settings.factors.shifted(moisture) for moisture in moistures),
            place=place,
            burnable=burnable,
            wind_factor=factor.astype(np.float32),
            slope=np.tan(np.radians(steep)).astype(np.float32),
            upslope=np.radians(270.0 - aspect).astype(np.float32),
            canopy=_canopy(event, burnable) if settings.crown_fire else None,
            foliar_moisture=settings.foliar_moisture,
            speed_factors=settings.factors.speeds(np.array([float(model.code) for model in models])),
            wind_multiplier=settings.factors.wind_factor,
        )

    def fire(self, period: int, wind: Wind, box: Place = WHOLE) -> SurfaceSpread:
        """Return the fire on ``box`` at the moisture of ``period`` under ``wind``, in the open there.

        Where the ground does not burn, the result is of any value.
        """
        wind_speed, wind_dir = wind[0] * np.float32(self.wind_multiplier), wind[1]
        place, moisture, factor = self.place[box], self._moisture(period), self.wind_factor[box]
        ground = wind_dir, self.slope[box], self.upslope[box]
        fire = surface_spread(self.models, place, moisture, wind_speed * factor * 60.0, *ground)
        fire = replace(fire, head=fire.head * self.speed_factors[place])
        if self.canopy is not None:
            fire = with_crown_fire(
                fire, self.models, place, moisture, wind_speed * 60.0, factor, *ground, self.canopy.on(box),
                self.foliar_moisture, speed_factor=self.speed_factors[place],
            )  # fmt: skip
        return fire

    def flame_length(self, period: int, wind: Wind, box: Place = WHOLE) -> Raster:
        """Return the flame length in m at the head of :meth:`fire`, 0 where the ground does not burn."""
        length = np.where(self.burnable[box], self.fire(period, wind, box).flame_length, 0.0)
        return length.astype(np.float32)

    def _moisture(self, period: int) -> NDArray[np.float64]:
        return np.array(self.moistures[period].values) / 100.0

    def spread(self, period: int, wind: Wind, box: Place = WHOLE) -> GroundSpread:
        """Return what the maps are made of, of :meth:`fire`."""
        fire = self.fire(period, wind, box)
        along = np.hypot(1.0, self.slope[box] * np.cos(fire.direction - self.upslope[box]))
        speed = np.where(self.burnable[box], fire.head / along, 0.0)
        return GroundSpread(*(part.astype(np.float32) for part in (speed, fire.direction, fire.length_to_width)))

    def wind(self, period: int) -> Wind:
        """Return the wind of a period, each ``[H, W]``."""
        rows, columns = self.place.shape
        return self.weather.wind(period, (slice(0, rows), slice(0, columns)))

    def fastest(self, percentile: float, check: Check | None = None) -> float:
        """Return a percentile of the speeds in m/min of all cells in all periods, 0 where nothing burns.

        ``check`` is called before each period and may raise to cancel.
        """
        periods: NDArray[np.int64] = np.arange(len(self.moistures))
        if percentile < 100.0:
            speeds = []
            for period in periods:
                if check is not None:
                    check()
                speeds.append(self.spread(int(period), self.wind(int(period))).speed[self.burnable])
            every = np.concatenate(speeds) if speeds else np.empty(0)
            return float(np.percentile(every, percentile)) if every.size else 0.0
        classes, limits = self._speed_limits()
        fastest = 0.0
        for period in periods[np.argsort(-limits.max(axis=1, initial=0.0), kind="stable")]:
            # Periods and cells that could be the fastest come first.
            if limits[period].max(initial=0.0) <= fastest:
                return fastest
            if check is not None:
                check()
            rows, columns = np.argwhere((limits[period] > fastest)[classes] & self.burnable).T.astype(np.int64)
            wind = self.weather.wind_of_cells(int(period), rows, columns)
            fastest = max(fastest, float(self.spread(int(period), wind, (rows, columns)).speed.max(initial=0.0)))
        return fastest

    def _speed_limits(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return classes of cells ``[H, W]`` and the speed limit of each in m/min, ``[P, classes]``.

        No cell of a class is faster than its limit. Cells of a class have one fuel and about the same slope and
        shelter. The limit is the speed on the steepest slope in the strongest wind of the period, up the slope, where
        the class is sheltered least, or that of an active crown fire on the steepest slope with crowns.
        """
        has_crowns = np.zeros(self.place.shape, bool) if self.canopy is None else np.asarray(self.canopy.density) > 0.0
        number = (
            (self.place * _BINS + _binned(self.slope, self.burnable)) * _BINS
            + _binned(self.wind_factor, self.burnable)
        ) * 2 + has_crowns  # fmt: skip
        known, classes = np.unique(np.where(self.burnable, number, -1), return_inverse=True)
        classes = classes.reshape(self.place.shape)
        shelter, steepest = np.zeros(len(known)), np.zeros(len(known))
        np.maximum.at(shelter, classes[self.burnable], self.wind_factor[self.burnable])
        np.maximum.at(steepest, classes[self.burnable], self.slope[self.burnable])
        fuel, crowned = np.maximum(known, 0) // (2 * _BINS * _BINS), (known % 2 == 1) & (known >= 0)
        factors = self.speed_factors[fuel]
        strongest = self.wind_multiplier * self.weather.speed.reshape(len(self.moistures), -1).max(axis=1)
        limits = np.zeros((len(self.moistures), len(known)))
        for period, wind in enumerate(strongest):
            moisture = self._moisture(period)
            fire = surface_spread(self.models, fuel, moisture, wind * shelter * 60.0, 0.0, steepest, 0.0)
            head = fire.head * factors
            if crowned.any():
                crown = active_crown_fire(moisture, wind * 60.0, 0.0, steepest, 0.0)  # it has no factor
                head = np.where(crowned, np.maximum(head, crown.head), head)
            limits[period] = head
        limits[:, known < 0] = 0.0
        return classes, limits * (1.0 + 1e-5)  # speeds are rounded to float32


def _binned(values: Raster, burnable: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the place of values in :data:`_BINS` equal steps from their least to their largest."""
    inside = values[burnable]
    low, high = (float(inside.min()), float(inside.max())) if inside.size else (0.0, 0.0)
    share = (values - low) / (high - low) if high > low else np.zeros(values.shape)
    return np.clip((share * _BINS).astype(np.int64), 0, _BINS - 1)


def with_physical_model(
    project: P, settings: PhysicalSettings, check: Check | None = None, *, fuels: tuple[FuelModel, ...] | None = None
) -> P:
    """Return the project with the physical model, and with the steps a day that the fastest cell needs.

    All days that have weather count, so that the steps stay when the planned days change. ``fuels`` are its custom fuel
    models, those that it has where they are ``None``. Raises :class:`~firegui.errors.InputError` for settings and fuel
    models out of range, for an event without usable fuel, and for more steps than a day can have.
    """
    event = project.scenario
    fuels = project.fire_model.fuels if fuels is None else fuels
    problems = settings.problems() + fuel_model_problems(fuels)
    if problems:
        raise InputError(problems, TITLE)
    ground = PhysicalGround.of(event, settings, fuels)
    fastest = ground.fastest(settings.speed_percentile, check)
    steps = settings.steps_per_day(fastest, event.grid.cell_size_m, ground.weather.periods_per_day)
    most = STEPS_PER_DAY_LIMITS[1]
    if steps > most:
        least = 1440.0 * fastest / (settings.cells_per_step * most)
        what = f"at {fastest:.0f} m/min needs {steps:,} steps a day; there can be {most:,}"
        remedy = f"lower the speed limit below {settings.speed_percentile:g} %, or use cells of {math.ceil(least)} m"
        raise InputError([Problem("the fastest fire", what, remedy)], TITLE)
    label = physical_card().label + (", calibrated" if settings.factors.are_set else "")
    model = FireModel("physical", label, settings.as_mapping(), fuels)
    return replace(project, fire_model=model, weights=None).with_steps_per_day(steps)


def with_factors(project: P, factors: SpreadFactors, check: Check | None = None) -> P:
    """Return a project of the physical model with these factors, and the steps a day it then needs.

    Raises :class:`~firegui.errors.InputError` like :func:`with_physical_model`.
    """
    return with_physical_model(project, replace(project.physical, factors=factors), check)


def fuel_problems(event: Scenario, fuels: Sequence[FuelModel] = ()) -> list[Problem]:
    """Return why the event's fuel cannot be used: no layer, or codes that are not fuel models.

    Fuel models are the standard ones and ``fuels``.
    """
    fuel = event.layers.get("fuel")
    if fuel is None:
        return [Problem("fuel", "the event has no fuel model layer", "import one, or choose another fire model")]
    known = {model.code for model in (*standard_fuel_models(), *fuels)}
    codes, counts = np.unique(fuel[np.isfinite(fuel) & burns(fuel)], return_counts=True)
    wrong = [(float(code), int(count)) for code, count in zip(codes, counts, strict=True) if float(code) not in known]
    if not wrong:
        return []
    shown = ", ".join(f"{fuel_name(code)} ({count:,} cells)" for code, count in wrong[:_SHOWN_CODES])
    more = f" and {len(wrong) - _SHOWN_CODES} more" if len(wrong) > _SHOWN_CODES else ""
    remedy = (
        "give their models (firegui configure --fuel-models FILE), import a layer of FBFM40 or FBFM13 codes, or choose "
        "another fire model"
    )
    which = "neither a standard fuel model nor a custom one" if fuels else "no standard fuel model"
    return [Problem("fuel", f"{shown}{more}: {which}", remedy)]


def _fuel(
    event: Scenario, models: tuple[FuelModel, ...], fuels: tuple[FuelModel, ...]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the place of each cell's model in ``models``, and what burns.

    Of models with one code the last counts.
    """
    problems = fuel_problems(event, fuels)
    if problems:
        raise InputError(problems, TITLE)
    fuel = event.layers["fuel"]
    burnable = np.isfinite(fuel) & burns(fuel)
    at = np.zeros(max(model.code for model in models) + 1, np.int64)
    for number, model in enumerate(models):
        at[model.code] = number
    return at[np.where(burnable, fuel, 1.0).astype(np.int64)], burnable


def _canopy(event: Scenario, burnable: NDArray[np.bool_]) -> Canopy | None:
    """Return the crowns that can burn; ``None`` for an event without their base height or bulk density."""
    if missing_crown_layers(event):
        return None
    base, density = event.layers["canopy_base_height"], event.layers["canopy_density"]
    can_burn = burnable & np.isfinite(base) & (density > 0.0)
    height = np.nan_to_num(event.layers.get("canopy_height", np.zeros_like(density)))
    return Canopy(base, height, np.where(can_burn, density, np.float32(0.0)))


def _both(event: Scenario, one: str, other: str) -> tuple[Raster, Raster]:
    """Return two layers with 0 where there is no data, and 0 everywhere where one of them is missing."""
    layers = [event.layers.get(key) for key in (one, other)]
    found = [np.nan_to_num(layer) for layer in layers if layer is not None]
    if len(found) < len(layers):
        level = np.zeros(event.grid.shape, np.float32)
        return level, level
    return found[0], found[1]
