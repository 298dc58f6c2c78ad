from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from firegui.domain.coverage import RequiredCoverage
from firegui.domain.fleet import Fleet
from firegui.domain.maps import FireMaps
from firegui.domain.project import FireModel, Project
from firegui.domain.settings import BurningAtStart, Effectiveness, PlanSettings
from firegui.errors import InputError
from firegui.fire import maps as maps_module
from firegui.fire.first_project import first_project
from firegui.fire.maps import compute_maps, project_maps
from firegui.fire.parameters import ScalarParameters
from firegui.fire.shipped import network_weights
from firegui.io.array_cache import ArrayCache
from firegui.io.project.scenario_toml import default_fleet
from tests.support import random_maps
from tests.unit.fire.events import event, square

PARAMETERS = ScalarParameters(p=0.05, wind_gain=1.0, wind_alignment=1.0, slope=2.0, gamma=1.0, fuel=0.0)
SHAPE = (9, 11)


def scalar_project(start_day: int = 0, days: int = 3) -> Project:
    small = event(SHAPE, days=5)
    small.wind_speed[:] = np.arange(5, dtype=np.float32)[:, None, None]
    observed = np.stack([square(SHAPE, 1), square(SHAPE, 2)])
    watched = replace(small, observed=observed, observed_dates=(date(2020, 8, 19), date(2020, 8, 21)))
    model = FireModel("scalar", "test", PARAMETERS.as_mapping())
    return Project(watched, Fleet(()), {}, (), PlanSettings(start_day=start_day, days=days), model)


def maps_project(maps: FireMaps, start_day: int = 0, days: int = 1) -> Project:
    small = replace(event(maps.shape, days=maps.days), ignition=maps.ignition)
    plan = PlanSettings(start_day=start_day, days=days)
    return Project(small, Fleet(()), {}, (), plan, FireModel("maps", "imported", {}), maps)


def test_a_scalar_project_is_cut_to_its_planning_window() -> None:
    maps = project_maps(scalar_project(start_day=2, days=2))

    assert maps.days == 2
    assert maps.wind_speed[:, 0, 0].tolist() == [2.0, 3.0]


@pytest.mark.parametrize("kind", ["scalar", "maps"])
def test_of_the_growth_burns_what_is_new_and_the_rest_has_burned_out(kind: str) -> None:
    project = scalar_project(start_day=2)
    if kind == "maps":
        held = project_maps(scalar_project(days=5))
        project = replace(project, fire_model=FireModel("maps", "own", {}), maps=held)
    growth = replace(project, plan=replace(project.plan, days=1, burning_at_start=BurningAtStart.GROWTH))
    maps = project_maps(growth)
    assert maps.burned_out is not None
    assert (int(maps.ignition.sum()), int(maps.burned_out.sum())) == (16, 9)
    assert project_maps(replace(growth, plan=replace(growth.plan, start_day=0))).burned_out is None


def test_the_fire_starts_from_the_perimeter_of_the_start_day() -> None:
    assert project_maps(scalar_project(start_day=0)).ignition.sum() == 9
    assert project_maps(scalar_project(start_day=1)).ignition.sum() == 9  # the day before, filled forward
    assert project_maps(scalar_project(start_day=2)).ignition.sum() == 25


def test_imported_maps_are_cut_to_the_window_and_keep_their_own_settings() -> None:
    imported = random_maps(days=3)
    project = maps_project(imported)
    start = imported.ignition.copy()
    start[0, 0] = True
    watched = replace(project.scenario, observed=start[None], observed_dates=(date(2020, 8, 20),))

    maps = project_maps(replace(project, scenario=watched, plan=PlanSettings(start_day=1, days=2)))

    np.testing.assert_array_equal(maps.phi, imported.phi[1:3])
    np.testing.assert_array_equal(maps.gamma, imported.gamma[1:3])
    np.testing.assert_array_equal(maps.wind_dir, imported.wind_dir[1:3])
    np.testing.assert_array_equal(maps.ignition, start)
    assert (maps.t_burn, maps.steps_per_day) == (imported.t_burn, imported.steps_per_day)


@pytest.mark.parametrize(
    ("project", "message"),
    [
        (scalar_project(start_day=3, days=3), "maps for 5 days"),
        (maps_project(random_maps(days=2), days=3), "maps for 2 days"),
        (replace(maps_project(random_maps()), maps=None), "no imported maps"),
        (replace(maps_project(random_maps()), maps=random_maps(shape=(8, 8))), "cover 8 × 8 cells"),
        (replace(scalar_project(), fire_model=FireModel("oracle", "", {})), "'oracle' is unknown"),
        (replace(scalar_project(), fire_model=FireModel("scalar", "", {})), "p is missing"),
    ],
)
def test_a_project_whose_fire_cannot_be_run_says_why(project: Project, message: str) -> None:
    with pytest.raises(InputError, match=message):
        project_maps(project)


def test_every_reason_is_given_at_once() -> None:
    project = scalar_project(start_day=4, days=3)
    unwatched = replace(project.scenario, observed=None, observed_dates=())

    with pytest.raises(InputError) as caught:
        project_maps(replace(project, scenario=unwatched))

    assert len(caught.value.problems) == 2


def test_all_days_of_imported_maps_are_planned_and_the_papers_fifteen_of_an_event() -> None:
    maps = random_maps(0, days=20)
    long = replace(event(maps.shape, days=20), ignition=maps.ignition)
    assert first_project(long, maps).plan.days == 20
    assert first_project(long).plan.days == 15


def test_the_papers_grounded_days_can_be_left_out() -> None:
    where = event((9, 11))
    assert any(first_project(where).grounded.values())
    assert not any(first_project(where, of_paper=False).grounded.values())
    assert all(not kind.grounded_days for kind in first_project(where, of_paper=False).planned_fleet.types)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ArrayCache:
    """A cache of its own, which also keeps small maps."""
    found = ArrayCache(tmp_path / "maps")
    monkeypatch.setattr(maps_module, "maps_cache", lambda: found)
    monkeypatch.setattr(maps_module, "LEAST_CELL_DAYS", 0)
    return found


def same_maps(one: FireMaps, other: FireMaps) -> bool:
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in FireMaps.__slots__)


def test_kept_maps_are_those_that_are_computed(cache: ArrayCache, monkeypatch: pytest.MonkeyPatch) -> None:
    project = replace(scalar_project(start_day=1, days=2), coverage=RequiredCoverage(3.1))
    computed = project_maps(project)
    assert same_maps(computed, compute_maps(project)) and len(cache.sizes()) == 1
    monkeypatch.setattr(maps_module, "compute_maps", lambda *_: pytest.fail("computed again"))
    assert same_maps(project_maps(project), computed)
    growth = replace(project, plan=replace(project.plan, burning_at_start=BurningAtStart.GROWTH))
    assert np.array_equal(project_maps(growth).phi, computed.phi)


def test_damaged_maps_are_computed_again(cache: ArrayCache) -> None:
    project = scalar_project()
    computed = project_maps(project)
    (path,) = cache.sizes()
    path.write_bytes(path.read_bytes()[:-500])
    assert same_maps(project_maps(project), computed)
    assert len(cache.sizes()) == 1


def test_a_plan_without_a_fire_is_refused_though_its_maps_are_kept(cache: ArrayCache) -> None:
    project = scalar_project()
    project_maps(project)
    with pytest.raises(InputError, match="nothing burns"):
        project_maps(replace(project, scenario=replace(project.scenario, observed=None, ignition=None)))


def test_maps_are_kept_by_everything_that_decides_them(monkeypatch: pytest.MonkeyPatch) -> None:
    project = scalar_project()
    event, key = project.scenario, maps_module.maps_key(project)
    wind = event.wind_speed.copy()
    wind[0, 0, 0] += 1.0
    others = [
        replace(project, scenario=replace(event, wind_speed=wind)),
        replace(project, scenario=replace(event, name="another")),
        replace(project, plan=replace(project.plan, start_day=1)),
        replace(project, fire_model=FireModel("scalar", "", {**PARAMETERS.as_mapping(), "p": 0.06})),
        replace(project, weights=network_weights()),
    ]
    keys = {maps_module.maps_key(other) for other in others}
    monkeypatch.setattr(maps_module, "code_digest", lambda *_: "another code")
    assert len({key, *keys, maps_module.maps_key(project)}) == len(others) + 2
    monkeypatch.undo()
    plan = replace(project.plan, nominal=Effectiveness(0.1, 0.1))
    assert maps_module.maps_key(replace(project, plan=plan, fleet=default_fleet())) == key


def test_physical_and_imported_maps_are_not_kept(cache: ArrayCache) -> None:
    project_maps(maps_project(random_maps(days=3)))
    assert cache.sizes() == {}
