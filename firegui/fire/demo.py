"""Demo project: an invented event, and the notes that keep it from being taken for a real fire."""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from firegui.domain.fleet import AircraftType, Fleet
from firegui.domain.grid import Grid
from firegui.domain.operations import Daylight, Operations
from firegui.domain.physical import PhysicalSettings
from firegui.domain.project import Project
from firegui.domain.regions import Region
from firegui.domain.scenario import Scenario
from firegui.domain.settings import (
    EliminationSettings,
    MarginSettings,
    ObjectiveWeights,
    OptimizerSettings,
    PlanSettings,
    Setting,
)
from firegui.domain.weather import HOURS_PER_DAY, PeriodWeather, on_blocks
from firegui.fire.landscape import Raster, burns
from firegui.fire.physical import with_physical_model
from firegui.fire.shipped import scalar_model
from firegui.io.project.scenario_toml import default_fleet

SHAPE = (200, 240)
CELL_SIZE_M = 30.0
DAYS = 4
NAME = "Demo fire (synthetic)"

# Open water of the Gulf of Guinea, some 1° east and 1° south of where equator and prime meridian cross.
CRS = "EPSG:32731"
WEST_M, NORTH_M = 277_000.0, 9_890_000.0
START = datetime(2025, 7, 1, 6, tzinfo=UTC)
"""Sunrise: aircraft fly by daylight only, and a start at midnight gives the fire six hours before the first drop."""

FLEET = {"S-2T": 6, "AT-802F": 6, "BAe-146": 2, "CL-415": 8}
"""Enough to hold the fire by daylight in every scenario of the default stress set: some 1 % of the growth is left at
most. Two thirds of it hold the fire as well, with about twice as many drops."""
GOAL = Setting.BOTH
"""Setting B alone lets the fire grow wherever there is no region."""
GROUNDED_DAY = 2
GROUNDED_TYPES = ("S-2T", "AT-802F", "BAe-146")

OPTIMIZER = OptimizerSettings(epochs=400, patience=60)
MARGIN = MarginSettings(draws=8, search_epochs=300, training_epochs=400, adapt_epochs=200)
ELIMINATION = EliminationSettings(allowance=15_000)


def make_demo(seed: int = 7) -> Project:
    """Return an invented fire on 200 × 240 cells of 30 m over four days: a pure function of ``seed``.

    Terrain, fuels, weather, village, reservoir, road and fire come from random fields; fleet, regions and settings fit
    them. Aircraft drop by daylight, and the goal counts the regions beside the whole fire. Its plan holds in every
    scenario of the default stress set. The plan takes a little more than a minute on two cores.
    """
    generator = np.random.default_rng(seed)
    rough = invent_elevation(generator, SHAPE)
    places = choose_places(rough, relief_of(rough, CELL_SIZE_M).slope)
    relief = relief_of(np.where(places.reservoir, places.water_level_m, rough), CELL_SIZE_M)
    relief = _level(relief, places.reservoir)
    layers = make_layers(relief, places, power_law_field(generator, SHAPE, 2.6))
    ignition = start_of_fire(burns(layers["fuel"]), power_law_field(generator, SHAPE, 2.0))
    eastward, northward = hourly_wind(generator, DAYS)
    waver = power_law_field(generator, SHAPE, 3.0)
    wind_speed, wind_dir = spread_over(*daily_wind(eastward, northward), relief.elevation, waver)
    event = Scenario(
        name=NAME,
        grid=Grid(*SHAPE, CELL_SIZE_M, (CELL_SIZE_M, 0.0, WEST_M, 0.0, -CELL_SIZE_M, NORTH_M), CRS),
        start=START,
        utc_offset_h=0.0,
        wind_speed=wind_speed,
        wind_dir=wind_dir,
        weather=hourly_weather(eastward, northward, relief.elevation, waver),
        layers=layers,
        ignition=ignition,
        notes=_notes(seed),
        synthetic=True,
        markers=_markers(places),
    )
    return _project(event, places)


def _project(event: Scenario, places: DemoPlaces) -> Project:
    grounded = {name: (event.date_of_day(GROUNDED_DAY),) for name in GROUNDED_TYPES}
    plan = PlanSettings(
        days=DAYS,
        setting=GOAL,
        weights=ObjectiveWeights.of(GOAL),
        optimizer=OPTIMIZER,
        elimination=ELIMINATION,
        margin=MARGIN,
    )
    rules = Operations(daylight=Daylight())
    project = Project(event, demo_fleet(), grounded, _regions(places), plan, scalar_model(), operations=rules)
    return with_physical_model(project, PhysicalSettings())


def demo_fleet() -> Fleet:
    """Return a small part of the default fleet, nothing grounded."""
    fleet = default_fleet()
    return replace(fleet, types=tuple(_counted(kind) for kind in fleet.types if kind.id in FLEET))


def _counted(kind: AircraftType) -> AircraftType:
    return replace(kind, count=FLEET[kind.id], grounded_days=())


def _level(relief: Relief, water: Bools) -> Relief:
    """Level the ground under water."""
    return Relief(relief.elevation, np.where(water, 0.0, relief.slope), np.where(water, -1.0, relief.aspect))


def _regions(places: DemoPlaces) -> tuple[Region, ...]:
    """Return the village with a belt around it, and the shore where the reservoir is nearest to the fire."""
    rows, columns = np.nonzero(places.village)
    village = _box("Village", rows, columns, 6)
    rows, columns = np.nonzero(places.reservoir)
    shore = columns <= columns.min() + 3
    return village, _box("Reservoir intake", rows[shore], columns[shore], 7)


def _box(name: str, rows: NDArray[np.intp], columns: NDArray[np.intp], belt: int) -> Region:
    top, bottom = max(int(rows.min()) - belt, 0), min(int(rows.max()) + 1 + belt, SHAPE[0])
    left, right = max(int(columns.min()) - belt, 0), min(int(columns.max()) + 1 + belt, SHAPE[1])
    return Region.rectangle(name, (top, bottom), (left, right))


def _markers(places: DemoPlaces) -> tuple[tuple[str, str, tuple[tuple[float, float], ...]], ...]:
    rows, columns = np.nonzero(places.reservoir)
    lake = ((float(np.round(rows.mean(), 1)), float(np.round(columns.mean(), 1))),)
    village = ((float(places.village_centre[0]), float(places.village_centre[1])),)
    road = tuple((float(row), float(column)) for row, column in places.road)
    return (
        ("village", "Nowhere (invented village)", village),
        ("reservoir", "Invented reservoir", lake),
        ("road", "Invented road", road),
    )


def _notes(seed: int) -> tuple[str, ...]:
    return (
        f"Everything here is invented by firegui from seed {seed}: terrain, fuels, weather, places and fire. It is no "
        "real place and no real fire; nothing about one can be learned from it.",
        "The grid is put on open ocean in the Gulf of Guinea, only so that exports have coordinates.",
        "Wind, temperature and humidity are invented for every hour: windy, warm and dry in the afternoon, calm, cool "
        "and damp at night, when the wind turns.",
        "There are no observed perimeters: the fire starts from an invented patch.",
        "The fire spreads by the physical model, with published fuel models on invented ground. No speed was fitted.",
    )


URBAN, FIELD, WATER, ROCK = 91, 93, 98, 99
ROCK_DEG = 13.0
"""Steeper ground is rock."""

# FBFM40 code, up to which share of the moisture ranking, and (cover %, height m, base height m, bulk density kg/m³) of
# its canopy.
FUELS = (
    (142, 0.10, (6.0, 4.0, 1.0, 0.02)),  # SH2, low shrub
    (188, 0.46, (58.0, 22.0, 5.0, 0.12)),  # TL8, long-needle litter
    (186, 0.68, (62.0, 18.0, 5.0, 0.10)),  # TL6, broadleaf litter
    (185, 0.84, (66.0, 24.0, 6.0, 0.14)),  # TL5, conifer litter with dead wood
    (183, 1.00, (70.0, 28.0, 8.0, 0.18)),  # TL3, moist conifer litter
)


def moisture_rank(relief: Relief, noise: Floats) -> Floats:
    """Return the rank of every cell from dry to moist, 0 to 1.

    Low ground and slopes that face north are moist.
    """
    high = (relief.elevation - relief.elevation.mean()) / relief.elevation.std()
    northness = np.where(relief.aspect < 0.0, 0.0, np.cos(np.deg2rad(relief.aspect)))
    return ranked(-0.6 * high + 0.9 * northness * np.minimum(relief.slope / 15.0, 1.0) + 0.8 * noise)


def make_layers(relief: Relief, places: DemoPlaces, noise: Floats) -> dict[str, Raster]:
    """Return every landscape layer of :data:`firegui.domain.scenario.LAYERS`, float32 ``[H, W]``."""
    rank = moisture_rank(relief, noise)
    fuel = np.zeros(rank.shape)
    canopy = np.zeros((4, *rank.shape))
    lower = 0.0
    for code, upper, values in FUELS:
        inside = (rank >= lower) & (rank < upper)
        fuel[inside] = code
        vigour = 0.8 + 0.4 * (rank[inside] - lower) / (upper - lower)
        canopy[:, inside] = np.array(values)[:, None] * vigour
        lower = upper
    for code, bare in unburnable(relief, places, rank):
        fuel[bare] = code
        canopy[:, bare] = 0.0
    layers = {
        "elevation": relief.elevation,
        "slope": relief.slope,
        "aspect": relief.aspect,
        "fuel": fuel,
        "canopy_cover": np.round(canopy[0]),
        "canopy_height": np.round(canopy[1], 1),
        "canopy_base_height": np.round(canopy[2], 1),
        "canopy_density": np.round(canopy[3], 3),
    }
    return {key: layer.astype(np.float32) for key, layer in layers.items()}


def unburnable(relief: Relief, places: DemoPlaces, rank: Floats) -> list[tuple[int, Bools]]:
    """Return ``(code, cells)`` of what does not burn, later ones over earlier ones.

    Rock on the steepest ground, fields on gentle ground around the village, houses, water.
    """
    shape = (int(rank.shape[0]), int(rank.shape[1]))
    around = distance_from(places.village_centre, shape) < 17.0
    return [
        (ROCK, relief.slope > ROCK_DEG),
        (FIELD, around & (relief.slope < 9.0) & (rank > 0.3)),
        (URBAN, places.village),
        (WATER, places.reservoir),
    ]


CALMEST_HOUR = 3.0
WEATHER_BLOCK = 20
"""Cells of a block of the hourly weather in each direction."""
NIGHT_C, AFTERNOON_C, NIGHT_HUMIDITY, AFTERNOON_HUMIDITY = 14.0, 26.0, 80.0, 36.0


def daily_cycle() -> Floats:
    """Return the cycle of the weather by hour: 0 at the calmest hour, 1 twelve hours later."""
    return 0.5 - 0.5 * np.cos(2.0 * math.pi * (np.arange(HOURS_PER_DAY) - CALMEST_HOUR) / HOURS_PER_DAY)


def hourly_wind(generator: np.random.Generator, days: int) -> tuple[Floats, Floats]:
    """Return eastward and northward wind in m/s, ``[days, 24]`` each.

    By day it blows toward the east-north-east, strongest at three in the afternoon; by night it falls to a third and
    turns toward the south-east, with the air that drains from the hills. Every day has its own strength and heading.
    """
    cycle = daily_cycle()
    strength = 5.0 * np.exp(0.15 * generator.standard_normal(days))
    heading = np.deg2rad(18.0 + 16.0 * generator.standard_normal(days))
    speed = strength[:, None] * (1.0 / 3.0 + 2.0 / 3.0 * cycle)
    towards = heading[:, None] - np.deg2rad(55.0) * (1.0 - cycle)
    return speed * np.cos(towards), speed * np.sin(towards)


def daily_wind(eastward: Floats, northward: Floats) -> tuple[Floats, Floats]:
    """Return the speed (m/s) and direction of each day's mean wind *vector*.

    The direction is in radians towards, counter-clockwise from east. Averaging the components and not the speeds is
    what daily means of reanalysis winds do: calm nights weaken the day's wind and hours that blow against each other
    cancel.
    """
    east, north = eastward.mean(axis=1), northward.mean(axis=1)
    return np.hypot(east, north), np.arctan2(north, east)


def spread_over(speed: Floats, towards: Floats, elevation: Floats, waver: Floats) -> tuple[Raster, Raster]:
    """Return the wind on the raster, two arrays ``[n, H, W]`` for ``n`` days or hours.

    It is stronger on high ground and turned a little with ``waver``. ``waver [H, W]`` is a field with mean 0 and
    standard deviation 1.
    """
    height = (elevation - elevation.mean()) / elevation.std()
    exposure = np.clip(1.0 + 0.22 * height, 0.7, 1.3)
    turned = towards[:, None, None] + np.deg2rad(8.0) * waver
    return (speed[:, None, None] * exposure).astype(np.float32), turned.astype(np.float32)


def hourly_weather(eastward: Floats, northward: Floats, elevation: Floats, waver: Floats) -> PeriodWeather:
    """Return the weather of every hour.

    Its wind is the hourly one, ``[days, 24]``, on blocks of the raster. The air is the same everywhere, warmest and
    driest at three in the afternoon.
    """
    means = (on_blocks(field, WEATHER_BLOCK) for field in (elevation, waver))
    speed, towards = np.hypot(eastward, northward).ravel(), np.arctan2(northward, eastward).ravel()
    days, cycle = len(eastward), daily_cycle()
    return PeriodWeather(
        HOURS_PER_DAY, WEATHER_BLOCK, *spread_over(speed, towards, *means),
        temperature_c=np.tile(NIGHT_C + (AFTERNOON_C - NIGHT_C) * cycle, days),
        humidity=np.tile(NIGHT_HUMIDITY + (AFTERNOON_HUMIDITY - NIGHT_HUMIDITY) * cycle, days),
    )  # fmt: skip


Cell = tuple[int, int]
Bools = NDArray[np.bool_]

RESERVOIR_CELLS = 420
VILLAGE_CELLS = 130
IGNITION_CELLS = 64
"""About 6 hectares burning when the plan starts."""


@dataclass(frozen=True, slots=True, eq=False)
class DemoPlaces:
    """``reservoir`` and ``village`` as masks ``[H, W]``, ``road`` as cells from the west to the east edge."""

    reservoir: Bools
    water_level_m: float
    village: Bools
    village_centre: Cell
    road: tuple[Cell, ...]


def near(shape: tuple[int, int], row_share: float, column_share: float, radius: float) -> Bools:
    """Return the disc of ``radius`` cells around a point given as shares of the raster."""
    rows, columns = np.ogrid[: shape[0], : shape[1]]
    centre = (row_share * (shape[0] - 1), column_share * (shape[1] - 1))
    return np.asarray((rows - centre[0]) ** 2 + (columns - centre[1]) ** 2 <= radius**2)


def best_cell(cost: Floats, allowed: Bools) -> Cell:
    """Return the allowed cell of lowest cost, the first in row order among equals."""
    row, column = np.unravel_index(int(np.argmin(np.where(allowed, cost, np.inf))), cost.shape)
    return int(row), int(column)


def grown(cost: Floats, seed: Cell, cells: int, allowed: Bools | None = None) -> Bools:
    """Return a connected patch of ``cells`` cells.

    It grows from ``seed`` by the cheapest cell next to it.
    """
    taken = np.zeros(cost.shape, bool)
    queued = np.zeros(cost.shape, bool)
    queued[seed] = True
    heap = [(float(cost[seed]), seed)]
    while heap and cells > 0:
        _, (row, column) = heapq.heappop(heap)
        taken[row, column] = True
        cells -= 1
        for cell in ((row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column)):
            inside = 0 <= cell[0] < cost.shape[0] and 0 <= cell[1] < cost.shape[1]
            if inside and not queued[cell] and (allowed is None or allowed[cell]):
                queued[cell] = True
                heapq.heappush(heap, (float(cost[cell]), cell))
    return taken


def distance_from(cell: Cell, shape: tuple[int, int]) -> Floats:
    """Return distance of every cell from ``cell``, in cells."""
    rows, columns = np.ogrid[: shape[0], : shape[1]]
    return np.asarray(np.hypot(rows - cell[0], columns - cell[1]), np.float64)


def choose_places(elevation: Floats, slope: Floats) -> DemoPlaces:
    """Return the places of a reservoir, a village and a road.

    The reservoir is on low ground, the village on gentle ground north of it, both east of the fire.
    """
    shape = (int(elevation.shape[0]), int(elevation.shape[1]))
    outlet = best_cell(elevation, near(shape, 0.70, 0.64, 20.0))
    reservoir = grown(elevation + 2.0 * distance_from(outlet, shape), outlet, RESERVOIR_CELLS)
    dry = near(shape, 0.40, 0.50, 14.0) & ~reservoir
    centre = best_cell(slope, dry)
    village = grown(slope + 1.2 * distance_from(centre, shape), centre, VILLAGE_CELLS, ~reservoir)
    climb = elevation + np.where(reservoir, 1e4, 0.0)
    west, east = (
        easiest_way(climb[:, : centre[1] + 1], centre[0]),
        easiest_way(climb[:, centre[1] :][:, ::-1], centre[0]),
    )
    road = [(row, column) for column, row in enumerate(west)]
    road += [(row, shape[1] - 1 - column) for column, row in enumerate(east[:-1])][::-1]
    return DemoPlaces(reservoir, float(elevation[reservoir].max()), village, centre, tuple(road))


def start_of_fire(burnable: Bools, unevenness: Floats) -> Bools:
    """Return where the demo burns at the start.

    It is a connected patch in the west, on fuel, with an outline that is not round.
    """
    shape = (int(burnable.shape[0]), int(burnable.shape[1]))
    allowed = near(shape, 0.52, 0.31, 16.0) & burnable
    target = best_cell(distance_from((round(0.52 * shape[0]), round(0.31 * shape[1])), shape), allowed)
    return grown(distance_from(target, shape) + 1.5 * unevenness, target, IGNITION_CELLS, burnable)


def easiest_way(elevation: Floats, last_row: int) -> list[int]:
    """Return the rows of the way with the least climbing, one per column.

    The way leads from the first column to ``last_row`` in the last. Each column moves by at most one row; the cost of a
    move is the metres climbed or descended.
    """
    rows, columns = elevation.shape
    cost = np.zeros(rows)
    came_from = np.zeros((columns, rows), np.int64)
    for column in range(1, columns):
        options = np.full((3, rows), np.inf)
        for index, shift in enumerate((0, -1, 1)):
            to = slice(max(0, -shift), rows - max(0, shift))
            start = slice(to.start + shift, to.stop + shift)
            climb = np.abs(elevation[to, column] - elevation[start, column - 1]) + abs(shift)
            options[index, to] = cost[start] + climb
        choice = options.argmin(axis=0)
        came_from[column] = np.arange(rows) + np.array([0, -1, 1])[choice]
        cost = options.min(axis=0)
    way = [last_row]
    for column in range(columns - 1, 0, -1):
        way.append(int(came_from[column, way[-1]]))
    return way[::-1]


Floats = NDArray[np.float64]


def power_law_field(generator: np.random.Generator, shape: tuple[int, int], exponent: float) -> Floats:
    """Return a random field ``[H, W]`` of mean 0 and deviation 1 with power ``∝ k^−exponent``.

    White noise is filtered in the frequency domain by ``k^(−exponent/2)``. The field is cut from one of twice the size,
    so that opposite edges do not continue each other.
    """
    size = (2 * shape[0], 2 * shape[1])
    spectrum = np.fft.rfft2(generator.standard_normal(size))
    frequency = np.hypot(np.fft.fftfreq(size[0])[:, None], np.fft.rfftfreq(size[1])[None, :])
    frequency[0, 0] = np.inf
    field: Floats = np.fft.irfft2(spectrum * frequency ** (-exponent / 2.0), s=size)[: shape[0], : shape[1]]
    standard: Floats = (field - field.mean()) / field.std()
    return standard


def ranked(field: Floats) -> Floats:
    """Return every cell's rank as a share: 0 for the smallest, just under 1 for the largest.

    Ties are ordered by row, then column.
    """
    order = np.argsort(field, axis=None, kind="stable")
    ranks = np.empty(field.size)
    ranks[order] = np.arange(field.size) / field.size
    return ranks.reshape(field.shape)


@dataclass(frozen=True, slots=True, eq=False)
class Relief:
    """Terrain of the demo.

    ``elevation [H, W]`` is in m, ``slope`` in degrees, ``aspect`` in degrees from north towards which it faces, −1
    where flat.
    """

    elevation: Floats
    slope: Floats
    aspect: Floats


def relief_of(elevation: Floats, cell_size_m: float) -> Relief:
    """Return slope and aspect by central differences; rows run southward."""
    southward, eastward = np.gradient(elevation, cell_size_m)
    slope = np.rad2deg(np.arctan(np.hypot(southward, eastward)))
    # It faces downhill: against the gradient, whose northward part is −southward.
    aspect = np.rad2deg(np.arctan2(-eastward, southward)) % 360.0
    facing = np.where(slope < 0.05, -1.0, np.rint(aspect) % 360.0)
    return Relief(elevation, np.asarray(slope.round(1), np.float64), facing)


def invent_elevation(generator: np.random.Generator, shape: tuple[int, int]) -> Floats:
    """Return elevation in metres, to a decimetre: rough hills on a broad rise toward the north."""
    hills = power_law_field(generator, shape, 3.6)
    rise = np.linspace(1.0, -1.0, shape[0])[:, None]
    return np.round(620.0 + 45.0 * hills + 45.0 * rise, 1)
