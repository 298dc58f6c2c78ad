from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from firegui.domain.project import Project
from firegui.domain.scenario import LAYERS
from firegui.domain.schedule import Schedule
from firegui.fire.demo import make_demo
from firegui.fire.maps import project_maps
from firegui.fire.project_notes import Grade, project_notes, start_notes
from firegui.io.georeference import Georeference
from firegui.io.project.scenario_toml import default_fleet
from firegui.io.rasters.masks import region_masks
from firegui.rollout.simulate import prepare, simulate


@cache
def demo() -> Project:
    return make_demo()


def rasters(project: Project) -> dict[str, np.ndarray[tuple[int, ...], np.dtype[np.generic]]]:
    event = project.scenario
    assert event.ignition is not None
    return {**event.layers, "speed": event.wind_speed, "direction": event.wind_dir, "ignition": event.ignition}


def test_the_same_seed_gives_the_same_bits() -> None:
    first, second = rasters(demo()), rasters(make_demo())

    assert first.keys() == second.keys()
    for name, values in first.items():
        assert values.tobytes() == second[name].tobytes(), name
    assert demo().regions == make_demo().regions
    assert demo().scenario.markers == make_demo().scenario.markers


def test_another_seed_gives_another_landscape_weather_and_fire() -> None:
    first, second = rasters(demo()), rasters(make_demo(8))

    for name, values in first.items():
        assert not np.array_equal(values, second[name]), name


@pytest.mark.parametrize("seed", [0, 1, 2, 3, 7])
def test_every_seed_gives_a_project_that_can_be_planned(seed: int) -> None:
    project = make_demo(seed)

    assert project.problems() == []
    assert set(project.scenario.layers) == set(LAYERS)
    assert all(np.isfinite(values).all() for values in rasters(project).values())
    assert all(mask.any() for mask in region_masks(project.regions, project.scenario.grid.shape))


def test_nobody_can_take_it_for_a_real_fire() -> None:
    event = demo().scenario

    assert event.synthetic
    assert "synthetic" in event.name
    assert any("invented" in note and "no real" in note for note in event.notes)
    assert any("ocean" in note for note in event.notes)
    assert all("nvented" in name for _, name, _ in event.markers)
    assert any("No speed was fitted" in note for note in event.notes)
    assert event.observed is None


def test_it_lies_on_open_ocean_and_can_still_be_exported() -> None:
    grid = demo().scenario.grid
    place = Georeference(grid)

    for y, x in ((0, 0), (0, grid.columns - 1), (grid.rows - 1, 0), (grid.rows - 1, grid.columns - 1)):
        found = place.lonlat(float(y), float(x))
        assert found is not None
        assert 0.5 < found[0] < 1.5
        assert -1.5 < found[1] < -0.5


def test_water_houses_fields_and_rock_do_not_burn_and_the_fire_starts_on_fuel() -> None:
    event = demo().scenario
    maps = project_maps(demo())
    codes = set(np.unique(event.layers["fuel"]).astype(int).tolist())

    assert {91, 93, 98, 99} < codes
    assert len(codes) == 9
    assert not maps.burnable[np.isin(event.layers["fuel"], (91, 93, 98, 99))].any()
    assert maps.burnable.mean() > 0.9
    assert event.ignition is not None
    assert maps.burnable[event.ignition].all()
    assert 40 <= int(event.ignition.sum()) <= 100


def test_the_reservoir_is_level() -> None:
    layers = demo().scenario.layers
    water = layers["fuel"] == 98

    assert np.unique(layers["elevation"][water]).size == 1
    assert (layers["slope"][water] == 0).all()
    assert (layers["aspect"][water] == -1).all()


def test_moist_ground_carries_more_canopy_than_dry_ground() -> None:
    layers = demo().scenario.layers

    assert layers["canopy_cover"][layers["fuel"] == 183].mean() > layers["canopy_cover"][layers["fuel"] == 142].mean()
    assert (layers["canopy_height"][layers["fuel"] == 98] == 0).all()


def test_village_reservoir_and_road_are_on_the_map() -> None:
    markers = {kind: points for kind, _, points in demo().scenario.markers}
    columns = [x for _, x in markers["road"]]

    assert set(markers) == {"village", "reservoir", "road"}
    assert columns == list(range(240))
    assert markers["village"][0] in markers["road"]
    steps = np.diff([y for y, _ in markers["road"]])
    assert np.abs(steps).max() == 1


def test_the_village_and_the_intake_are_protected() -> None:
    fuel = demo().scenario.layers["fuel"]
    village, intake = region_masks(demo().regions, fuel.shape)

    assert [region.name for region in demo().regions] == ["Village", "Reservoir intake"]
    assert (fuel[village] == 91).sum() == (fuel == 91).sum()
    assert (fuel[intake] == 98).any()


def test_it_drops_by_day_and_its_goal_counts_regions_and_the_whole_fire() -> None:
    project = demo()

    assert [note for note in start_notes(project) if note.remedy is not None] == []
    assert {note.grade for note in (*project_notes(project), *start_notes(project))} == {Grade.NOTE}
    assert project.operations.daylight is not None
    assert project.unprotected_regions == ()
    assert project.plan.weights.burn > 0.0


def test_the_fleet_is_a_small_part_of_the_default_fleet_and_one_day_is_grounded() -> None:
    project = demo()
    known = {kind.id: kind for kind in default_fleet().types}

    assert {kind.id: kind.count for kind in project.fleet.types} == {"S-2T": 6, "AT-802F": 6, "BAe-146": 2, "CL-415": 8}
    assert all(kind.sigma_parallel_m == known[kind.id].sigma_parallel_m for kind in project.fleet.types)
    assert all(kind.grounded_days == () for kind in project.fleet.types)
    grounded = {day for kind in project.planned_fleet.types for day in kind.grounded_days}
    assert grounded == {2}


def test_it_burns_by_the_physical_model_under_weather_by_the_hour() -> None:
    project, weather = demo(), demo().scenario.weather

    assert project.fire_model.kind == "physical"
    assert weather is not None
    assert (weather.periods_per_day, weather.days, weather.has_air) == (24, project.scenario.days, True)
    assert weather.temperature_c is not None
    assert weather.humidity is not None
    windiest = weather.speed[:24].mean((1, 2)).argmax()
    assert weather.temperature_c[:24].argmax() == weather.humidity[:24].argmin() == windiest


def test_the_wind_of_a_day_is_the_mean_of_its_hours() -> None:
    event = demo().scenario
    assert event.weather is not None
    day, hours = 2, slice(48, 72)

    blown = event.weather.speed[hours] * np.exp(1j * event.weather.towards[hours])
    of_day = event.wind_speed[day] * np.exp(1j * event.wind_dir[day])

    assert abs(blown.mean() - of_day.mean()) < 0.05 * abs(of_day.mean())


def test_left_alone_the_fire_takes_a_twentieth_to_a_fifth_of_the_raster() -> None:
    project, maps = demo(), project_maps(demo())
    masks = region_masks(project.regions, maps.shape)
    model = prepare(
        maps,
        project.planned_fleet,
        masks,
        [1.0, 1.0],
        weights=project.plan.weights,
        effectiveness=project.plan.nominal,
    )

    metrics = simulate(model, Schedule.empty(maps.n_steps, project.fleet.n_aircraft)).metrics

    assert 0.05 < metrics.final_extent_cells / project.scenario.grid.n_cells < 0.2
    assert metrics.protected_cells > 10
