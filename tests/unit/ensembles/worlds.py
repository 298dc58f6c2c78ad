"""Small projects whose fire model makes maps of any wind."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np

from firegui.domain.fleet import Fleet
from firegui.domain.grid import Grid
from firegui.domain.project import FireModel, Project
from firegui.domain.regions import Region
from firegui.domain.scenario import Scenario
from firegui.domain.schedule import Schedule
from firegui.domain.settings import NOMINAL, PlanSettings
from firegui.fire.maps import project_maps
from firegui.fire.shipped import network_weights
from firegui.io.rasters.masks import region_masks
from firegui.rollout.model import Model
from firegui.rollout.simulate import prepare
from tests.numerics.cases import random_schedule
from tests.support import small_fleet

SHAPE = (60, 70)
DAYS = 3
PARAMETERS = {"p": 0.5, "wind_gain": 0.5, "wind_alignment": 1.0, "slope": 0.0, "gamma": 0.5, "fuel": 0.5}


def blown_project(kind: str = "scalar", *, shape: tuple[int, int] = SHAPE) -> Project:
    """A fire of three days in the middle of a varied landscape, in a wind that turns and rises from day to day."""
    generator = np.random.default_rng(5)
    cells = np.ones((DAYS + 1, *shape), np.float32)
    speed = np.array([3.0, 5.0, 8.0, 6.0], np.float32)[:, None, None] * cells
    towards = np.array([0.3, 0.9, 1.5, 2.0], np.float32)[:, None, None] * cells
    layers = {
        "canopy_cover": generator.uniform(20.0, 60.0, shape).astype(np.float32),
        "canopy_density": generator.uniform(5.0, 20.0, shape).astype(np.float32),
        "slope": generator.uniform(0.0, 25.0, shape).astype(np.float32),
        "aspect": generator.uniform(0.0, 360.0, shape).astype(np.float32),
    }
    ignition = np.zeros(shape, bool)
    ignition[shape[0] // 2 - 1 : shape[0] // 2 + 2, shape[1] // 2 - 1 : shape[1] // 2 + 2] = True
    event = Scenario(
        name="Blown", grid=Grid(*shape, 30.0), start=datetime(2020, 8, 19, tzinfo=UTC), utc_offset_h=0.0,
        wind_speed=speed, wind_dir=towards, layers=layers, ignition=ignition, steps_per_day=8,
    )  # fmt: skip
    regions = (Region.rectangle("Village", (10, 24), (30, 50)),)
    model = FireModel("scalar", "test", PARAMETERS)
    project = Project(event, Fleet(()), {}, regions, PlanSettings(days=DAYS), model).with_fleet(small_fleet())
    return project if kind == "scalar" else project.with_network(network_weights())


def model_of(project: Project, backend: str = "cpu") -> Model:
    """The project's model at nominal effectiveness."""
    masks = region_masks(project.regions, project.scenario.grid.shape)
    return prepare(
        project_maps(project), project.planned_fleet, masks, [1.0] * len(masks), weights=project.plan.weights,
        effectiveness=NOMINAL, backend=backend,
    )  # fmt: skip


def plan_of(model: Model, seed: int = 1) -> Schedule:
    """A plan that drops all around the fire."""
    schedule = random_schedule(seed, model.maps, model.fleet)
    centre = np.array(model.shape) / 2.0
    poses = schedule.poses.copy()
    poses[:, :, :2] = centre + (poses[:, :, :2] - centre) * 0.3
    return replace(schedule, poses=poses)
