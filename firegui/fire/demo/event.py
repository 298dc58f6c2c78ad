"""The demo project: everything put together, and everything said that keeps it from being taken for a real fire."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from firegui.domain.fleet import AircraftType, Fleet
from firegui.domain.grid import Grid
from firegui.domain.project import Project
from firegui.domain.regions import Region
from firegui.domain.scenario import Scenario
from firegui.domain.settings import ObjectiveWeights, OptimizerSettings, PlanSettings, Setting
from firegui.fire.demo.landscape import make_layers
from firegui.fire.demo.places import Bools, Places, choose_places, start_of_fire
from firegui.fire.demo.terrain import Relief, invent_elevation, power_law_field, relief_of
from firegui.fire.demo.weather import daily_wind, hourly_wind, spread_over
from firegui.fire.landscape import burns
from firegui.fire.shipped import network_weights, scalar_model
from firegui.io.fleet_toml import default_fleet

SHAPE = (200, 240)
CELL_SIZE_M = 30.0
DAYS = 6
NAME = "Demo fire (synthetic)"

# Open water of the Gulf of Guinea, some 1° east and 1° south of where equator and prime meridian cross.
CRS = "EPSG:32731"
WEST_M, NORTH_M = 277_000.0, 9_890_000.0
START = datetime(2025, 7, 1, tzinfo=UTC)

FLEET = {"S-2T": 2, "AT-802F": 2, "BAe-146": 1, "CL-415": 2}
GROUNDED_DAY = 2
GROUNDED_TYPES = ("S-2T", "AT-802F", "BAe-146")

OPTIMIZER = OptimizerSettings(epochs=150, patience=60, learning_rate=2e-3)


def make_demo(seed: int = 7) -> Project:
    """An invented fire on 200 × 240 cells of 30 m over six days: a pure function of ``seed``.

    Terrain, fuels, weather, village, reservoir, road and fire come from random fields; fleet, regions and settings fit
    them. Planning it takes less than two minutes on two cores.
    """
    generator = np.random.default_rng(seed)
    rough = invent_elevation(generator, SHAPE)
    places = choose_places(rough, relief_of(rough, CELL_SIZE_M).slope)
    relief = relief_of(np.where(places.reservoir, places.water_level_m, rough), CELL_SIZE_M)
    relief = _level(relief, places.reservoir)
    layers = make_layers(relief, places, power_law_field(generator, SHAPE, 2.6))
    ignition = start_of_fire(burns(layers["fuel"]), power_law_field(generator, SHAPE, 2.0))
    speed, towards = daily_wind(*hourly_wind(generator, DAYS))
    wind_speed, wind_dir = spread_over(speed, towards, relief.elevation, power_law_field(generator, SHAPE, 3.0))
    event = Scenario(
        name=NAME,
        grid=Grid(*SHAPE, CELL_SIZE_M, (CELL_SIZE_M, 0.0, WEST_M, 0.0, -CELL_SIZE_M, NORTH_M), CRS),
        start=START,
        utc_offset_h=0.0,
        wind_speed=wind_speed,
        wind_dir=wind_dir,
        layers=layers,
        ignition=ignition,
        notes=_notes(seed),
        synthetic=True,
        markers=_markers(places),
    )
    return _project(event, places)


def _project(event: Scenario, places: Places) -> Project:
    grounded = {name: (event.date_of_day(GROUNDED_DAY),) for name in GROUNDED_TYPES}
    weights = ObjectiveWeights.of(Setting.A)
    plan = PlanSettings(days=DAYS, setting=Setting.A, weights=weights, optimizer=OPTIMIZER)
    project = Project(event, demo_fleet(), grounded, _regions(places), plan, scalar_model())
    return project.with_network(network_weights())


def demo_fleet() -> Fleet:
    """A small part of the default fleet, nothing grounded."""
    return Fleet(tuple(_counted(kind) for kind in default_fleet().types if kind.id in FLEET))


def _counted(kind: AircraftType) -> AircraftType:
    return replace(kind, count=FLEET[kind.id], grounded_days=())


def _level(relief: Relief, water: Bools) -> Relief:
    """Water lies flat."""
    return Relief(relief.elevation, np.where(water, 0.0, relief.slope), np.where(water, -1.0, relief.aspect))


def _regions(places: Places) -> tuple[Region, ...]:
    """The village with a belt around it, and the shore where the reservoir is nearest to the fire."""
    rows, columns = np.nonzero(places.village)
    village = _box("Village", rows, columns, 6)
    rows, columns = np.nonzero(places.reservoir)
    shore = columns <= columns.min() + 3
    return village, _box("Reservoir intake", rows[shore], columns[shore], 7)


def _box(name: str, rows: NDArray[np.intp], columns: NDArray[np.intp], belt: int) -> Region:
    top, bottom = max(int(rows.min()) - belt, 0), min(int(rows.max()) + 1 + belt, SHAPE[0])
    left, right = max(int(columns.min()) - belt, 0), min(int(columns.max()) + 1 + belt, SHAPE[1])
    return Region.rectangle(name, (top, bottom), (left, right))


def _markers(places: Places) -> tuple[tuple[str, str, tuple[tuple[float, float], ...]], ...]:
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
        "The wind of a day is the vector mean of an invented hourly wind, strong in the afternoon and weak and turned "
        "at night; the engine sees one wind a day, so the daily rhythm itself is not simulated.",
        "There are no observed perimeters: the fire starts from an invented patch.",
        "The fire model is the shipped network, which was trained on one real fire elsewhere.",
    )
