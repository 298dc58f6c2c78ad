"""Fires that the physical model itself made with known factors."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from firegui.calibration.forecast import forecast
from firegui.domain.fleet import Fleet
from firegui.domain.physical import PhysicalSettings
from firegui.domain.project import FireModel, Project
from firegui.domain.settings import PlanSettings
from firegui.domain.spread_factors import SpreadFactors
from firegui.fire.physical import with_factors, with_physical_model
from firegui.fire.skill import LIKELY
from tests.unit.fire.events import event, observed, square

SHAPE = (61, 71)
DAYS = 3
TRUTH = SpreadFactors(grass_speed=0.6, shrub_speed=1.6)


GRASS, SHRUB = 101.0, 142.0


def physical_fire(
    truth: SpreadFactors = TRUTH, *, name: str = "Small", west: float = GRASS, east: float = SHRUB
) -> Project:
    """Return a project without factors whose perimeters of days 0 to 3 the model made with ``truth``.

    Grass lies in the west, shrub in the east and timber litter in a strip in the north that the fire does not reach.
    """
    fuel = np.full(SHAPE, west, np.float32)
    fuel[:, SHAPE[1] // 2 :] = east
    fuel[:4] = 183.0
    small = replace(event(SHAPE, days=DAYS, layers={"fuel": fuel}), name=name)
    for array, values in ((small.wind_speed, (1.5, 0.8, 2.0)), (small.wind_dir, (0.3, 2.0, 5.0))):
        array[:] = np.array(values, np.float32)[:, None, None]
    start = observed(small, [square(SHAPE, 3)])
    # A front in motion at the start would reach the edge of the raster within the days.
    project = with_physical_model(
        Project(start, Fleet(()), {}, (), PlanSettings(days=2), FireModel("scalar", "test", {})),
        PhysicalSettings(moving_start=False),
    )
    states = forecast(with_factors(project, truth), DAYS)
    return replace(project, scenario=observed(project.scenario, states >= LIKELY))


@cache
def two_fires() -> tuple[Project, Project]:
    """Return a fire in grass and one in shrub, made with the same factors."""
    return physical_fire(name="Grass", east=GRASS), physical_fire(name="Shrub", west=SHRUB)
