from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from firegui.domain.physical import PhysicalSettings
from firegui.domain.plan_summary import plan_summary
from firegui.domain.project import EFFECTIVENESS, FireModel, Project, changed_inputs, same_spread
from firegui.domain.schedule import DropRecord
from firegui.domain.settings import PlanSettings
from firegui.domain.uncertainty import WeatherDraw
from firegui.domain.weather import PeriodWeather
from firegui.ensembles.weather import WindForecastModel, with_wind
from firegui.errors import InputError
from firegui.fire.behaviour_rasters import strongest_fire
from firegui.fire.drop_flames import flame_lengths
from firegui.fire.maps import project_maps
from firegui.fire.model_caveats import model_caveats
from firegui.fire.physical import PhysicalGround, with_physical_model
from firegui.io.fuel_models_file import standard_fuel_models
from firegui.io.project.store import project_hash
from firegui.planning.problem import build
from tests.support import make_project
from tests.unit.fire.events import event, layer, observed, square
from tests.unit.io.builders import drop

SHAPE = (9, 11)
USUAL = PhysicalSettings()


def physical(*, crown_fire: bool = False) -> Project:
    """Grass beside shrubs and a road, with a calm and a windy half of each day; the plan begins on the second."""
    fuel = layer(SHAPE, 102.0)
    fuel[:, 6:] = 145.0
    fuel[0] = 91.0
    small = observed(event(SHAPE, days=3, layers={"fuel": fuel}), [square(SHAPE)] * 2)
    speed = np.tile(np.array([0.5, 6.0], np.float32), 3)[:, None, None] * np.ones((1, 3, 3), np.float32)
    speed[4:] += 1.0
    small = replace(small, weather=PeriodWeather(2, 4, speed, np.zeros_like(speed)))
    made = Project(small, make_project().fleet, {}, (), PlanSettings(1, 2), FireModel("scalar", "test", {}))
    return with_physical_model(made, replace(USUAL, crown_fire=crown_fire))


def in_forest(project: Project) -> Project:
    """The project with crowns that burn."""
    canopy = {"canopy_base_height": 0.5, "canopy_density": 0.2, "canopy_height": 12.0, "canopy_cover": 40.0}
    layers = dict(project.scenario.layers) | {key: layer(SHAPE, value) for key, value in canopy.items()}
    return replace(project, scenario=replace(project.scenario, layers=layers))


def landing(step: int, column: int, y: float, x: float, **changes: bool) -> DropRecord:
    # The release point is elsewhere: what counts is where the drop lands.
    return drop(step, column, y=1.0, x=1.0, landing_y=y, landing_x=x, **changes)


@pytest.mark.parametrize("crowns", [False, True])
def test_a_drop_has_the_flames_of_its_landing_cell_in_the_period_of_its_step(crowns: bool) -> None:
    project = physical(crown_fire=crowns)
    project = in_forest(project) if crowns else project
    steps = project.scenario.steps_per_day
    half = steps // 2
    drops = [
        landing(0, 0, 4.4, 3.0), landing(half - 1, 0, 4.0, 8.0), landing(half, 0, 4.0, 8.49),
        landing(steps, 1, 5.0, 2.0), landing(steps + half, 1, 5.0, 2.0),
    ]  # fmt: skip
    found = flame_lengths(project, drops)
    ground = PhysicalGround.of(project.scenario, project.fire_model.physical)
    whole = [ground.fire(period, ground.wind(period)).flame_length for period in range(6)]
    # The plan begins with the second day, whose first period is the third of the event.
    expected = {(0, 0): whole[2][4, 3], (half - 1, 0): whole[2][4, 8], (half, 0): whole[3][4, 8]}
    expected |= {(steps, 1): whole[4][5, 2], (steps + half, 1): whole[5][5, 2]}
    assert found == pytest.approx(expected, rel=1e-5)
    assert len({round(value, 3) for value in expected.values()}) == 5


def test_the_strongest_fire_of_days_is_that_of_their_windiest_period() -> None:
    project = physical()
    ground = PhysicalGround.of(project.scenario, project.fire_model.physical)
    windy = ground.flame_length(5, ground.wind(5))

    found = strongest_fire(project, "flame_length", range(2))

    assert found is not None
    assert np.isnan(found[0]).all(), "a road does not burn"
    np.testing.assert_allclose(found[1:], windy[1:], rtol=1e-5)
    first = strongest_fire(project, "flame_length", range(1))
    assert first is not None
    assert (first[1:] < windy[1:]).all()
    assert strongest_fire(project.with_model(FireModel("scalar", "test", {})), "flame_length", range(1)) is None
    bare = replace(project, scenario=replace(project.scenario, layers={}))
    assert strongest_fire(bare, "flame_length", range(1)) is None


def test_custom_fuel_models_count() -> None:
    project, drops = physical(), [landing(0, 0, 4.0, 3.0)]
    shrubs = next(model for model in standard_fuel_models() if model.code == 145)
    own = with_physical_model(project, USUAL, fuels=(replace(shrubs, code=102, name="own"),))
    found, usual = flame_lengths(own, drops), flame_lengths(project, drops)
    assert found is not None and usual is not None
    assert found[0, 0] != pytest.approx(usual[0, 0], rel=0.05)


def test_roads_have_no_flames_and_drops_off_the_grid_or_the_plan_no_length() -> None:
    project = physical()
    after = project.calendar.n_steps
    drops = [landing(3, 0, 0.0, 4.0), landing(3, 1, -0.6, 4.0), landing(3, 2, 4.0, 11.0), landing(after, 0, 4.0, 4.0)]
    assert flame_lengths(project, drops) == {(3, 0): 0.0}


def test_other_models_know_no_flames_and_neither_does_an_event_without_its_fuel() -> None:
    project, drops = physical(), [landing(0, 0, 4.0, 4.0)]
    assert flame_lengths(make_project(), drops) is None
    assert flame_lengths(project.with_model(FireModel("scalar", "test", {})), drops) is None
    assert flame_lengths(replace(project, scenario=replace(project.scenario, layers={})), drops) is None


def test_the_summary_counts_executed_drops_above_the_limit_of_the_project_by_day() -> None:
    project = physical()
    steps = project.scenario.steps_per_day
    half = steps // 2
    drops = [
        landing(0, 0, 4.0, 8.0), landing(half, 0, 4.0, 8.0), landing(half, 1, 0.0, 8.0),
        landing(steps + half, 0, 4.0, 8.0), landing(steps + half, 1, 4.0, 8.0, executed=False),
    ]  # fmt: skip
    flames = flame_lengths(project, drops)
    assert flames is not None
    calm, windy = flames[0, 0], flames[half, 0]
    assert calm < windy

    def counted(limit: float) -> tuple[int | None, list[int | None]]:
        other = replace(project, plan=replace(project.plan, flame_limit_m=limit))
        found = plan_summary(other, drops, None, {}, {}, flames=flames)
        assert found.flame_limit_m == limit
        return found.long_flames, [day.long_flames for day in found.days]

    assert counted(calm - 0.01) == (3, [2, 1])
    assert counted((calm + windy) / 2) == (2, [1, 1])
    assert counted(windy) == (1, [0, 1])
    assert counted(29.0) == (0, [0, 0])


def failing(project: Project, limit: float = 2.4) -> Project:
    """The project in which drops fail in flames above ``limit``."""
    return replace(project, plan=replace(project.plan, flame_limit_m=limit, drops_fail_in_flames=True))


def fails(project: Project) -> np.ndarray:
    """Where drops fail, ``[D P, H, W]``."""
    cells = project_maps(project).drop_cells
    assert cells is not None
    return ~cells.whole()


@pytest.mark.parametrize("crowns", [False, True])
def test_drops_fail_in_the_periods_in_which_the_flames_of_a_cell_are_above_the_limit(crowns: bool) -> None:
    project = in_forest(physical(crown_fire=True)) if crowns else physical()
    assert project_maps(project).drop_cells is None
    ground = PhysicalGround.of(project.scenario, project.fire_model.physical)
    # The plan begins with the second day, whose first period is the third of the event.
    lengths = np.stack([ground.fire(period, ground.wind(period)).flame_length for period in range(2, 6)])
    lengths[:, 0] = 0.0  # the road
    found = fails(failing(project))
    np.testing.assert_array_equal(found, lengths > 2.4)
    assert 0.0 < found[:, 1:].mean() < 1.0
    assert not fails(failing(project, 29.0)).any()


def test_another_wind_has_other_flames() -> None:
    project = failing(physical())
    calm, windy = (fails(with_wind(project, WeatherDraw(factor, 0.0, 0.0))) for factor in (0.2, 3.0))
    assert not (calm & ~windy).any() and calm.sum() < fails(project).sum() < windy.sum()


@pytest.mark.parametrize("factor", [0.3, 1.0, 2.0])
def test_a_member_of_a_wind_ensemble_has_the_flames_of_its_wind(factor: float) -> None:
    project, draw = failing(physical()), WeatherDraw(factor, 0.3, 0.0)
    model = build(project, project.plan.nominal, backend="reference")
    box = slice(1, 8), slice(2, 11)
    found, where = WindForecastModel.of(project, model).under(draw, [box] * project.plan.days)
    assert where == box and found.maps.drop_cells is not None
    np.testing.assert_array_equal(~found.maps.drop_cells.whole(), fails(with_wind(project, draw))[:, 1:8, 2:11])
    plain = physical()
    model = build(plain, plain.plan.nominal, backend="reference")
    assert WindForecastModel.of(plain, model).under(draw, [box] * plain.plan.days)[0].maps.drop_cells is None


def test_the_option_is_an_input_of_a_plan_and_refused_without_the_physical_model() -> None:
    project = physical()
    other = failing(project)
    assert project_hash(other) != project_hash(project)
    # Then the limit is one, too.
    assert project_hash(failing(project, 5.0)) != project_hash(other)
    assert changed_inputs(project, other) == changed_inputs(other, failing(project, 5.0)) == (EFFECTIVENESS,)
    assert same_spread(project, other)
    assert other.problems() == project.problems()
    elsewhere = other.with_model(FireModel("scalar", "test", {}))
    assert [str(problem) for problem in elsewhere.problems()] == [
        *map(str, project.problems()),
        "plan: drops fail in long flames, and only the physical fire model knows how long flames are — choose the "
        "physical model, or let drops work in long flames",
    ]
    with pytest.raises(InputError, match="only the physical fire model"):
        build(elsewhere, elsewhere.plan.nominal, backend="reference")


def test_the_card_of_the_model_says_where_drops_have_no_effect() -> None:
    said = "Drops have no effect on cells where the head of a fire has flames over 3.0 m when they land."
    assert said in " ".join(model_caveats(failing(physical(), 3.0)))
    assert "no effect" not in " ".join(model_caveats(physical()))


def test_the_limit_changes_no_hash_of_a_project() -> None:
    project = physical()
    other = replace(project, plan=replace(project.plan, flame_limit_m=5.0))
    assert project_hash(other) == project_hash(project)
    assert project.plan.flame_limit_m == 2.4
    for limit in (0.4, 31.0, float("nan")):
        (problem,) = replace(project.plan, flame_limit_m=limit).problems()
        assert "Flame limit" in str(problem)
