"""The fires that engines are timed on."""

from __future__ import annotations

import numpy as np
import pytest

from firegui.domain.fleet import Material
from firegui.domain.schedule import Schedule
from firegui.domain.settings import NOMINAL, ObjectiveWeights
from firegui.io.project.scenario_toml import default_fleet
from firegui.rollout.model import Model
from firegui.rollout.simulate import prepare, simulate
from firegui.rollout.synthetic_fires import bytes_of, enlarged, holding_schedule, poised_schedule, synthetic_fire
from tests.numerics.cases import model_of, random_maps, small_fleet


@pytest.fixture(scope="module")
def model() -> Model:
    """Three days of a small synthetic fire with the default fleet."""
    maps = synthetic_fire((180, 200), days=3, start_cells=300)
    nothing = np.zeros((0, *maps.shape), bool)
    return prepare(maps, default_fleet(), nothing, [], weights=ObjectiveWeights(), effectiveness=NOMINAL, backend="cpu")


def extent(model: Model, schedule: Schedule) -> float:
    return simulate(model, schedule).metrics.final_extent_cells


def test_the_synthetic_fire_begins_at_the_size_asked_for_and_grows_manifold(model: Model) -> None:
    assert model.maps.ignition.sum() == pytest.approx(300, rel=0.03)
    assert extent(model, Schedule.empty(150, 21)) > 6 * 300


def test_the_wind_of_the_synthetic_fire_changes_from_day_to_day(model: Model) -> None:
    first, second = model.maps.phi[:2, :, 0, 0]
    assert np.abs(first - second).max() > 0.01


def test_a_band_of_drops_holds_the_fire(model: Model) -> None:
    schedule = holding_schedule(model, 400, 8)
    rollout = simulate(model, schedule, keep_days=True)
    assert rollout.p_fire_days is not None
    second, third = (float(fire.sum()) for fire in rollout.p_fire_days[2:])
    assert rollout.metrics.drops_executed == 400
    assert third < 0.4 * extent(model, Schedule.empty(150, 21))
    assert third < 1.01 * second  # nothing leaks


def test_the_band_is_laid_with_both_materials(model: Model) -> None:
    flown = np.logical_or.reduce(holding_schedule(model, 200, 8).proposed, axis=0)
    carried = {tail.type.material for tail in model.fleet.tails if flown[tail.index]}
    assert carried == {Material.WATER, Material.RETARDANT}


def test_on_a_raster_that_ends_before_the_band_the_drops_fall_on_its_rim() -> None:
    model = model_of(random_maps(3), small_fleet())
    assert simulate(model, holding_schedule(model, 5, 40)).metrics.drops_executed == 5


def test_poised_aircraft_wait_over_the_fire_and_do_not_drop(model: Model) -> None:
    days = simulate(model, Schedule.empty(150, 21), keep_days=True).p_fire_days
    assert days is not None
    schedule = poised_schedule(model, days[-1])
    assert not schedule.proposed.any()
    cells = schedule.poses[:, :, :2].astype(int)
    fire = days[-1]
    assert bool(np.all(fire[cells[..., 0], cells[..., 1]] > 0.5))


@pytest.mark.parametrize("factor", [1, 2, 3])
def test_the_same_fire_burns_on_a_larger_raster(factor: int) -> None:
    maps = synthetic_fire((90, 100), days=1, start_cells=60)
    larger = enlarged(maps, factor)
    assert larger.shape == (90 * factor, 100 * factor)
    assert bytes_of(larger) == factor**2 * bytes_of(maps)
    fleet = small_fleet()
    idle = Schedule.empty(50, fleet.n_aircraft)
    first, second = (simulate(model_of(one, fleet), idle).metrics.final_extent_cells for one in (maps, larger))
    assert second == pytest.approx(first, rel=1e-6)
