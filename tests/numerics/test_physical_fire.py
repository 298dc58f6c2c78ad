"""The fire of the physical model on simple grounds: its size, the time it takes, and its gradient."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from firegui.domain.fleet import Fleet, Material
from firegui.domain.grid import Grid
from firegui.domain.maps import FireMaps
from firegui.domain.physical import PhysicalSettings
from firegui.domain.project import FireModel, Project
from firegui.domain.scenario import Scenario
from firegui.domain.schedule import Schedule
from firegui.domain.settings import NOMINAL, ObjectiveWeights, PlanSettings
from firegui.domain.stress import StressScenario, StressSet
from firegui.fire.maps import project_maps
from firegui.fire.physical import PhysicalGround, with_physical_model
from firegui.planning.problem import build
from firegui.planning.stress import stress_table
from firegui.rollout.simulate import prepare, simulate, simulate_with_gradient
from tests.numerics.cases import aircraft, model_of, random_schedule, small_fleet
from tests.numerics.front_cases import assert_near
from tests.numerics.test_full_carry import autograd

USUAL = PhysicalSettings()


def project_of(fuel: np.ndarray, ignition: np.ndarray, cell: float, *, wind: float, towards: float = 0.0) -> Project:
    shape = fuel.shape
    event = Scenario(
        name="Ground",
        grid=Grid(shape[0], shape[1], cell),
        start=datetime(2020, 8, 1, tzinfo=UTC),
        utc_offset_h=0.0,
        wind_speed=np.full((1, *shape), wind, np.float32),
        wind_dir=np.full((1, *shape), towards, np.float32),
        layers={"fuel": fuel.astype(np.float32)},
        ignition=ignition,
    )
    project = Project(event, Fleet(()), {}, (), PlanSettings(days=1), FireModel("scalar", "", {}))
    return with_physical_model(project, USUAL)


def rolled(maps: FireMaps) -> np.ndarray:
    """``P [days + 1, H, W]`` without drops."""
    model = prepare(
        maps, Fleet(()), np.empty((0, *maps.shape), bool), [], weights=ObjectiveWeights(1.0, 1.0, 1.0, 1.0),
        effectiveness=NOMINAL, backend="cpu",
    )  # fmt: skip
    states = simulate(model, Schedule.empty(maps.n_steps, 0), keep_days=True).p_fire_days
    assert states is not None
    return states


def sliced(project: Project, count: int) -> FireMaps:
    """The maps of a day as ``count`` shorter ones, so that the fire can be seen in between."""
    steps = -(-project.scenario.steps_per_day // count)
    maps = project_maps(project.with_steps_per_day(count * steps))
    of = np.zeros(count, int)
    return replace(
        maps, phi=maps.phi[of], gamma=maps.gamma[of], wind_speed=maps.wind_speed[of], wind_dir=maps.wind_dir[of],
        steps_per_day=steps,
    )  # fmt: skip


@pytest.mark.parametrize("cell", [15.0, 30.0, 60.0])
def test_a_fire_has_the_size_of_the_ellipse_but_for_the_cells_that_its_start_costs(cell: float) -> None:
    count = int(5760.0 / cell)
    middle = (np.arange(count) + 0.5) * cell
    ignition = (np.abs(middle - 2880.0) <= 240.0)[:, None] & (np.abs(middle - 2160.0) <= 240.0)
    project = project_of(np.full((count, count), 102.0), ignition, cell, wind=1.5, towards=0.4)
    project = with_physical_model(project, replace(USUAL, moving_start=False))
    event = project.scenario
    ground = PhysicalGround.of(event, USUAL)
    fire = ground.spread(0, ground.wind(0))
    speed, ratio = float(fire.speed[0, 0]), float(fire.ratio[0, 0])
    eccentricity = np.sqrt(1.0 - ratio**-2)
    half = 1440.0 * speed / (1.0 + eccentricity)
    area = float(rolled(project_maps(project))[-1].sum()) * cell**2
    # The ellipse swept over the square of the start: of half length a it covers π a²/LW + about 2 a (1 + 1/LW) s + s².
    side = ignition.any(axis=0).sum() * cell
    terms = [np.pi / ratio, 2.0 * (1.0 + 1.0 / ratio) * side, side**2 - area]
    reached = float(np.roots(terms).max())
    assert 3.5 < (half - reached) / cell < 5.5


@pytest.mark.parametrize("codes", [(121.0, 102.0), (102.0, 121.0)])
def test_the_front_has_the_speed_of_each_fuel_and_takes_its_time_from_some_cells_ahead(
    codes: tuple[float, float],
) -> None:
    rows, columns, cell, border, count = 60, 150, 30.0, 70, 96
    fuel = np.full((rows, columns), codes[0])
    fuel[:, border:] = codes[1]
    ignition = np.zeros((rows, columns), bool)
    ignition[:, :4] = True
    project = project_of(fuel, ignition, cell, wind=4.0)
    event = project.scenario
    ground = PhysicalGround.of(event, USUAL)
    speed = ground.spread(0, ground.wind(0)).speed[0]
    states = rolled(sliced(project, count))[:, rows // 2]
    hours = np.arange(count + 1) * 24.0 / count
    at = np.array([np.interp(0.5, states[:, column], hours) for column in range(columns)])
    for first, last in ((30, 60), (90, 130)):
        assert (last - first) * cell / 60.0 / speed[first] == pytest.approx(at[last] - at[first], rel=0.05)
    # Its far tail, some 13 cells ahead, decides its speed: it changes that much before the border of a faster fuel.
    minutes = cell / speed
    expected = (minutes[30:border].sum() + minutes[border:130].sum()) / 60.0
    assert abs(at[130] - at[30] - expected) < 18.0 * abs(minutes[0] - minutes[-1]) / 60.0


def lined(*, fails: bool, limit: float = 0.5) -> tuple[Project, Schedule]:
    """A fire in brush that runs east, and a line of retardant across its whole way, laid in the first step."""
    ignition = np.zeros((30, 60), bool)
    ignition[:, :4] = True
    project = project_of(np.full((30, 60), 145.0), ignition, 30.0, wind=1.0)
    craft = aircraft("R", Material.RETARDANT, 12, payload_gal=9000.0, sigma_parallel_m=90.0, sigma_perpendicular_m=25.0)
    plan = replace(project.plan, flame_limit_m=limit, drops_fail_in_flames=fails)
    project = replace(project, fleet=Fleet((craft,)), plan=plan)
    schedule = Schedule.empty(project.calendar.n_steps, 12)
    schedule.logits[0] = 3.0
    schedule.poses[0] = np.stack([np.linspace(0.0, 29.0, 12), np.full(12, 20.0), np.full(12, np.pi / 2)], axis=1)
    return project, schedule


def test_a_line_of_drops_in_long_flames_stops_the_fire_unless_drops_fail_there() -> None:
    def behind(project: Project, schedule: Schedule) -> float:
        model = build(project, project.plan.nominal, backend="cpu")
        days = simulate(model, schedule, keep_days=True).p_fire_days
        assert days is not None
        return float(days[-1, :, 24:].sum())

    project, schedule = lined(fails=False)
    ground = PhysicalGround.of(project.scenario, USUAL)
    length = float(ground.flame_length(0, ground.wind(0))[0, 0])
    assert length > 1.0
    stopped = behind(project, schedule)
    fails = lined(fails=True)[0]
    alone = behind(project, Schedule.empty(*schedule.logits.shape))
    assert stopped < 0.05 * alone
    assert behind(fails, schedule) == behind(fails, Schedule.empty(*schedule.logits.shape)) == alone
    # Flames that are just as long as the limit are no longer than it.
    assert behind(lined(fails=True, limit=length + 1e-4)[0], schedule) == stopped


def test_a_stress_test_knows_that_drops_fail() -> None:
    stress = StressSet(
        (StressScenario("weaker", wind_speed_factor=0.5), StressScenario("wide", ignition_growth_m=30.0))
    )
    shares = {}
    for fails in (False, True):
        project, schedule = lined(fails=fails)
        model = build(project, project.plan.nominal, backend="cpu")
        table = stress_table(project, model, schedule, stress)
        shares[fails] = [result.share_worst for result in (table.nominal, *table.results)]
    assert len(shares[False]) == 3 and max(shares[False]) < 0.6
    assert shares[True] == pytest.approx([1.0, 1.0, 1.0])


def test_the_gradient_on_it_agrees_with_the_dense_reference() -> None:
    rng = np.random.default_rng(0)
    fuel = rng.choice([101.0, 102.0, 122.0, 98.0], size=(14, 17), p=[0.4, 0.3, 0.2, 0.1])
    ignition = np.zeros(fuel.shape, bool)
    ignition[6:9, 6:9] = True
    fuel[ignition] = 102.0
    maps = project_maps(project_of(fuel, ignition, 30.0, wind=1.0, towards=2.0))
    maps = replace(maps, phi=np.repeat(maps.phi, 2, axis=0), gamma=np.repeat(maps.gamma, 2, axis=0),
                   wind_speed=np.repeat(maps.wind_speed, 2, axis=0), wind_dir=np.repeat(maps.wind_dir, 2, axis=0),
                   steps_per_day=30)  # fmt: skip
    fleet = small_fleet()
    schedule = random_schedule(3, maps, fleet)
    model = replace(model_of(maps, fleet), full_carry=True)
    _, found = simulate_with_gradient(model, schedule)
    for actual, expected in zip((found.logit, found.pose), autograd(model, schedule), strict=True):
        assert_near(actual, expected, 1e-3)
