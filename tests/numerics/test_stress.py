"""Worlds and flight errors of stress scenarios, each against the same thing done by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from firegui.domain.grid import widened
from firegui.domain.maps import FireMaps
from firegui.domain.operations import Operations, PinnedDrop
from firegui.domain.project import Project
from firegui.domain.regions import Region
from firegui.domain.results import Metrics
from firegui.domain.schedule import Schedule
from firegui.domain.settings import Effectiveness, RetardantSide
from firegui.domain.stress import NEEDS_EXERCISE, NOMINAL, StressScenario, StressSet, growth_share
from firegui.errors import CancelledError
from firegui.planning.exercise import FlownWorld
from firegui.planning.problem import build
from firegui.planning.stress import (
    FlightErrors,
    StressWorld,
    executed_only,
    flight_errors,
    flown_in,
    rollouts,
    stress_draw,
    stress_table,
    stress_world,
    stress_worlds,
)
from firegui.rollout import moving_start, reference
from firegui.rollout.gains import SpreadGains
from firegui.rollout.gates import gates_of
from firegui.rollout.kernels.cpu_model import layout_of
from firegui.rollout.moving_start import ahead_of_start
from firegui.rollout.simulate import Gradient, simulate, simulate_with_gradient
from firegui.rollout.zones import in_zones
from tests.numerics import independent
from tests.numerics.cases import model_of, random_maps, random_schedule, small_fleet
from tests.support import StopAt, make_project
from tests.unit.ensembles.worlds import blown_project
from tests.unit.ensembles.worlds import plan_of as plan_around

pytestmark = pytest.mark.usefixtures("short_repairs")

PROJECT = make_project()
FAILING = StressScenario("failing", failure_rate=0.3, draws=3)
OFF = StressScenario("off", pose_noise_m=45.0, heading_noise_deg=20.0, draws=3)
LATE = StressScenario("late", delay_minutes=290.0)  # two steps of 144 minutes


def maps_of(project: Project) -> FireMaps:
    assert project.maps is not None
    return project.maps


def plan_for(project: Project, seed: int = 4) -> Schedule:
    return random_schedule(seed, maps_of(project), project.planned_fleet, share=0.6)


def world(project: Project, scenario: StressScenario) -> StressWorld:
    return stress_world(project, build(project, project.plan.design, backend="cpu"), scenario)


def scored(project: Project, plan: Schedule, scenario: StressScenario, seed: int = 0) -> list[Metrics]:
    place = world(project, scenario)
    flown = executed_only(world(project, NOMINAL).model, plan)
    return [one.metrics for one in rollouts(place, flown, range(scenario.n_draws), seed)]


def extent_by_hand(project: Project, plan: Schedule, maps: FireMaps, eta: Effectiveness | None = None) -> float:
    """``Σ P_T`` of the independent reading, in float64."""
    eta = project.plan.nominal if eta is None else eta
    by_material = {"retardant": eta.retardant, "water": eta.water}
    no_regions = np.zeros((0, *maps.shape), bool)
    goal = independent.Objective(1.0, 1.0, 0.0, 0.0, no_regions, (), by_material)
    return float(independent.read(maps, project.planned_fleet, plan, goal).fire[-1].sum())


def with_drops(plan: Schedule, drops: dict[tuple[int, int], np.ndarray]) -> Schedule:
    """A schedule of exactly these drops."""
    made = Schedule.empty(plan.n_steps, plan.n_aircraft)
    for pair, pose in drops.items():
        made.logits[pair], made.poses[pair] = 3.0, pose
    return made


def drops_of(project: Project, plan: Schedule) -> dict[tuple[int, int], np.ndarray]:
    """The executed drops, by the independent reading of the gates."""
    _, dropped = independent.gates(plan, project.planned_fleet, maps_of(project).steps_per_day)
    return {pair: plan.poses[pair] for pair in dropped}


# -- worlds ---------------------------------------------------------------------------------------------------------
def test_the_nominal_world_is_the_model_itself() -> None:
    plan = plan_for(PROJECT)
    (found,) = scored(PROJECT, plan, NOMINAL)
    assert found == simulate(build(PROJECT, PROJECT.plan.nominal, backend="cpu"), executed_only_of(plan)).metrics
    assert found.final_extent_cells == pytest.approx(extent_by_hand(PROJECT, plan, maps_of(PROJECT)), rel=1e-4)


def executed_only_of(plan: Schedule) -> Schedule:
    return executed_only(build(PROJECT, PROJECT.plan.nominal, backend="cpu"), plan)


@pytest.mark.parametrize("factor", [0.7, 1.15, 2.0])
def test_a_faster_fire_has_its_ignition_gain_multiplied(factor: float) -> None:
    plan, maps = plan_for(PROJECT), maps_of(PROJECT)
    faster = replace(maps, gamma=(maps.gamma.astype(np.float64) * factor).astype(np.float32))
    (found,) = scored(PROJECT, plan, StressScenario("s", spread_factor=factor))
    assert found.final_extent_cells == pytest.approx(extent_by_hand(PROJECT, plan, faster), rel=1e-4)


def test_other_effectiveness_replaces_the_nominal() -> None:
    plan, eta = plan_for(PROJECT), Effectiveness(0.5, 0.3)
    (found,) = scored(PROJECT, plan, StressScenario("s", effectiveness=eta))
    assert found.final_extent_cells == pytest.approx(extent_by_hand(PROJECT, plan, maps_of(PROJECT), eta), rel=1e-4)


@pytest.mark.parametrize("side", list(RetardantSide))
def test_another_retardant_side_is_that_of_the_reference(side: RetardantSide) -> None:
    plan = plan_for(PROJECT)
    other = replace(PROJECT, plan=replace(PROJECT.plan, retardant_acts_on=side))
    (found,) = scored(PROJECT, plan, StressScenario("s", retardant_acts_on=side))
    by_hand = simulate(build(other, other.plan.nominal, backend="reference"), plan).metrics
    assert found.final_extent_cells == pytest.approx(by_hand.final_extent_cells, rel=1e-5)


def test_a_wider_start_burns_every_cell_within_the_distance_that_burns_at_all() -> None:
    plan, maps = plan_for(PROJECT), maps_of(PROJECT)
    wide = maps.ignition.copy()
    for row, column in np.argwhere(maps.ignition):
        for i in range(max(row - 2, 0), row + 3):
            for j in range(max(column - 2, 0), column + 3):
                if i < maps.shape[0] and j < maps.shape[1]:
                    wide[i, j] |= maps.burnable[i, j]
    assert wide.sum() > maps.ignition.sum()
    scenario = StressScenario("s", ignition_growth_m=60.0)
    place = world(PROJECT, scenario)
    assert place.start_cells == wide.sum()
    (found,) = scored(PROJECT, plan, scenario)
    assert found.final_extent_cells == pytest.approx(extent_by_hand(PROJECT, plan, maps.with_ignition(wide)), rel=1e-4)


def test_cells_at_the_edge_widen_without_reappearing_on_the_other_side() -> None:
    cells = np.zeros((4, 6), bool)
    cells[0, 0] = True
    wide = np.zeros_like(cells)
    wide[:3, :3] = True
    np.testing.assert_array_equal(widened(cells, 2), wide)
    assert widened(cells, 0) is cells


def test_another_wind_changes_the_fire_and_the_drift_of_drops() -> None:
    project = blown_project(shape=(36, 40))
    event = project.scenario
    # Turned and stronger by hand, through the components.
    turned = event.wind_speed * np.exp(1j * (event.wind_dir - math.radians(15.0))) * 1.2
    speed, towards = abs(turned).astype(np.float32), np.angle(turned).astype(np.float32)
    blown = replace(event, wind_speed=speed, wind_dir=towards)
    by_hand = build(replace(project, scenario=blown), project.plan.nominal, backend="reference")
    plan = plan_around(by_hand)
    scenario = StressScenario("s", wind_speed_factor=1.2, wind_turn_deg=-15.0)
    place = world(project, scenario)
    found = rollouts(place, executed_only(world(project, NOMINAL).model, plan), [0], 0)[0].metrics
    expected = simulate(by_hand, plan).metrics.final_extent_cells
    assert found.final_extent_cells == pytest.approx(expected, rel=1e-4)
    assert expected != pytest.approx(scored_nominal(project, plan), rel=1e-3)
    nothing = Schedule.empty(plan.n_steps, plan.n_aircraft)
    assert place.cells_no_drops == pytest.approx(simulate(by_hand, nothing).metrics.final_extent_cells, rel=1e-4)


def scored_nominal(project: Project, plan: Schedule) -> float:
    return simulate(build(project, project.plan.nominal, backend="reference"), plan).metrics.final_extent_cells


def test_imported_maps_know_no_other_wind_and_the_other_scenarios_are_computed() -> None:
    stress = StressSet((
        StressScenario("windy", wind_speed_factor=1.2), LATE,
        StressScenario("mended", failure_rate=0.1, repair_hours=24.0),
    ))  # fmt: skip
    model = build(PROJECT, PROJECT.plan.nominal, backend="cpu")
    table = stress_table(PROJECT, model, plan_for(PROJECT), stress)
    assert [result.scenario.name for result in table.results] == ["late"]
    assert table.left_out == (
        ("windy", "imported maps cannot be computed for another wind"),
        ("mended", NEEDS_EXERCISE),
    )


def test_worlds_with_one_fire_share_its_maps_and_its_spread_without_drops() -> None:
    model = build(PROJECT, PROJECT.plan.nominal, backend="cpu")
    weak = StressScenario("weak", effectiveness=Effectiveness(0.5, 0.5))
    (nominal, *rest), _ = stress_worlds(PROJECT, model, (weak, LATE, replace(NOMINAL, name="f", spread_factor=1.2)))
    assert [one.model.maps is nominal.model.maps for one in rest] == [True, True, False]
    assert [one.cells_no_drops == nominal.cells_no_drops for one in rest] == [True, True, False]


# -- errors in flying -----------------------------------------------------------------------------------------------
def test_the_tail_of_a_moving_start_is_worked_out_once_for_each_fire(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    def counted(maps: FireMaps) -> np.ndarray | None:
        made.append(maps)
        return ahead_of_start(maps)

    model = build(PROJECT, PROJECT.plan.design, backend="cpu")
    monkeypatch.setattr(moving_start, "ahead_of_start", counted)
    maps = replace(model.maps, moving_start=True)
    model = replace(model, maps=maps, gains=SpreadGains(maps, model.dtype, model.device))
    faster = replace(NOMINAL, name="f", spread_factor=1.2)
    worlds, _ = stress_worlds(PROJECT, model, (StressScenario("weak", Effectiveness(0.7, 0.6)), LATE, faster))
    assert len(made) == 2
    for place in worlds:
        assert place.start_cells == moving_start.start_fields(place.model.maps)[0].sum()


def test_a_wider_start_has_the_gains_of_the_nominal_fire_and_a_faster_fire_its_own() -> None:
    model = build(PROJECT, PROJECT.plan.design, backend="cpu")
    wide = replace(NOMINAL, name="wide", ignition_growth_m=60.0)
    fast = replace(NOMINAL, name="fast", spread_factor=1.2)
    worlds, _ = stress_worlds(PROJECT, model, (wide, fast))
    gains = {place.scenario.name: layout_of(place.model).gains.values for place in worlds}
    assert gains["wide"] is layout_of(model).gains.values
    assert not np.array_equal(gains["fast"], gains["wide"])
    assert len({id(layout_of(place.model).spaces) for place in worlds}) == 1
    alone = replace(worlds[1].model, gains=SpreadGains(worlds[1].model.maps, model.dtype, model.device))
    assert worlds[1].start_cells > worlds[0].start_cells
    assert simulate(alone, plan_for(PROJECT)).metrics == simulate(worlds[1].model, plan_for(PROJECT)).metrics


def test_late_drops_are_those_of_the_plan_some_steps_later() -> None:
    plan = plan_for(PROJECT)
    steps = maps_of(PROJECT).n_steps
    late = {(t + 2, a): pose for (t, a), pose in drops_of(PROJECT, plan).items() if t + 2 < steps}
    by_hand = with_drops(plan, late)
    (found,) = scored(PROJECT, plan, LATE)
    assert found.final_extent_cells == pytest.approx(extent_by_hand(PROJECT, by_hand, maps_of(PROJECT)), rel=1e-4)
    assert found.drops_executed == len(drops_of(PROJECT, by_hand)) < len(late)  # one type is grounded on day 1


def test_failed_drops_are_taken_out_and_nothing_takes_their_place() -> None:
    plan = plan_for(PROJECT)
    model = build(PROJECT, PROJECT.plan.nominal, backend="cpu")
    drops = drops_of(PROJECT, plan)
    refused = int(plan.proposed.sum()) - len(drops)
    assert refused > 0
    for draw, found in enumerate(scored(PROJECT, plan, FAILING, seed=11)):
        flown = flight_errors(FAILING, model, draw, 11).flown
        assert flown is not None
        by_hand = with_drops(plan, {pair: pose for pair, pose in drops.items() if flown[pair]})
        assert found.drops_executed == sum(flown[pair] for pair in drops) < len(drops)
        assert found.final_extent_cells == pytest.approx(extent_by_hand(PROJECT, by_hand, maps_of(PROJECT)), rel=1e-4)


def test_displaced_drops_come_down_elsewhere_and_stay_on_the_raster() -> None:
    plan = plan_for(PROJECT)
    model = build(PROJECT, PROJECT.plan.nominal, backend="cpu")
    height, width = model.shape
    for draw, found in enumerate(scored(PROJECT, plan, OFF, seed=3)):
        offsets = flight_errors(OFF, model, draw, 3).offsets
        assert offsets is not None
        moved = {}
        for pair, pose in drops_of(PROJECT, plan).items():
            y, x, theta = pose + offsets[pair]
            moved[pair] = np.array([min(max(y, 0.0), height - 1.0), min(max(x, 0.0), width - 1.0), theta])
        by_hand = extent_by_hand(PROJECT, with_drops(plan, moved), maps_of(PROJECT))
        assert found.final_extent_cells == pytest.approx(by_hand, rel=1e-4)


def test_all_errors_together_are_applied_to_the_drop_before_it_comes_late() -> None:
    plan = plan_for(PROJECT)
    scenario = replace(OFF, name="all", failure_rate=0.3, delay_minutes=290.0, draws=1)
    model = build(PROJECT, PROJECT.plan.nominal, backend="cpu")
    errors = flight_errors(scenario, model, 0, 8)
    assert errors.flown is not None
    assert errors.offsets is not None
    late = {}
    for (step, column), pose in drops_of(PROJECT, plan).items():
        if errors.flown[step, column] and step + 2 < model.n_steps:
            moved = pose + errors.offsets[step, column]
            moved[:2] = np.clip(moved[:2], 0.0, [model.shape[0] - 1.0, model.shape[1] - 1.0])
            late[step + 2, column] = moved
    (found,) = scored(PROJECT, plan, scenario, seed=8)
    by_hand = extent_by_hand(PROJECT, with_drops(plan, late), maps_of(PROJECT))
    assert found.final_extent_cells == pytest.approx(by_hand, rel=1e-4)


def test_draws_have_the_rates_and_sizes_of_the_scenario() -> None:
    model = model_of(random_maps(0), small_fleet())
    size = model.n_steps * model.fleet.n_aircraft
    failed = [1.0 - flight_errors(FAILING, model, draw, 0).flown.mean() for draw in range(200)]  # type: ignore[union-attr]
    assert np.mean(failed) == pytest.approx(0.3, abs=5.0 * math.sqrt(0.21 / (200 * size)))
    offsets = np.concatenate([flight_errors(OFF, model, draw, 0).offsets for draw in range(200)])
    sizes = offsets.reshape(-1, 3).std(axis=0)
    assert sizes == pytest.approx([45.0 / 30.0, 45.0 / 30.0, math.radians(20.0)], rel=0.02)
    np.testing.assert_allclose(np.corrcoef(offsets.reshape(-1, 3).T), np.eye(3), atol=0.03)


def test_a_delay_longer_than_the_plan_leaves_no_drop() -> None:
    plan = plan_for(PROJECT)
    place = world(PROJECT, StressScenario("s", delay_minutes=100_000.0))
    found = rollouts(place, executed_only(place.model, plan), [0], 0)[0].metrics
    assert (found.drops_executed, found.final_extent_cells) == (0, place.cells_no_drops)


# -- draws ----------------------------------------------------------------------------------------------------------
def test_a_seed_gives_the_same_bits_and_another_seed_other_draws() -> None:
    model, plan = build(PROJECT, PROJECT.plan.nominal, backend="cpu"), plan_for(PROJECT)
    stress = StressSet((FAILING, OFF), seed=5)
    first, second = (stress_table(PROJECT, model, plan, stress) for _ in range(2))
    assert first == second
    other = stress_table(PROJECT, model, plan, replace(stress, seed=6))
    assert all(one.draws != another.draws for one, another in zip(first.results, other.results, strict=True))
    again = stress_table(PROJECT, model, plan, replace(stress, scenarios=(replace(FAILING, seed=1), OFF)))
    assert again.results[0].draws != first.results[0].draws
    assert again.results[1] == first.results[1]


def test_draws_do_not_depend_on_the_other_scenarios_nor_on_their_number() -> None:
    model, plan = build(PROJECT, PROJECT.plan.nominal, backend="cpu"), plan_for(PROJECT)
    alone = stress_table(PROJECT, model, plan, StressSet((OFF,), seed=5))
    among = stress_table(PROJECT, model, plan, StressSet((FAILING, LATE, replace(OFF, draws=5)), seed=5))
    assert alone.results[0].draws == among.results[-1].draws[:3]
    assert [len(result.draws) for result in among.results] == [3, 1, 5]


def test_a_table_with_the_worlds_that_exist_is_the_same_and_computes_no_fire_again() -> None:
    model, plan = build(PROJECT, PROJECT.plan.nominal, backend="cpu"), plan_for(PROJECT)
    scenarios = (StressScenario("fast", spread_factor=1.2), StressScenario("wide", ignition_growth_m=30.0), FAILING)
    worlds, _ = stress_worlds(PROJECT, model, scenarios)
    again, _ = stress_worlds(PROJECT, model, scenarios, worlds)
    assert all(one.model.maps is other.model.maps for one, other in zip(again, worlds, strict=True))
    assert all(one.no_drops is other.no_drops for one, other in zip(again, worlds, strict=True))
    stress = StressSet(scenarios)
    assert stress_table(PROJECT, model, plan, stress, worlds) == stress_table(PROJECT, model, plan, stress)


def test_two_scenarios_of_one_kind_have_draws_of_their_own() -> None:
    model = model_of(random_maps(0), small_fleet())
    one, other = (flight_errors(replace(FAILING, name=name), model, 0, 0).flown for name in ("a", "b"))
    assert one is not None
    assert other is not None
    assert not np.array_equal(one, other)


def test_a_check_stops_between_worlds_and_rollouts() -> None:
    model, plan = build(PROJECT, PROJECT.plan.nominal, backend="cpu"), plan_for(PROJECT)
    for call in (1, 3, 6):
        with pytest.raises(CancelledError):
            stress_table(PROJECT, model, plan, StressSet((FAILING, LATE)), check=StopAt(call))


# -- gates ----------------------------------------------------------------------------------------------------------
def test_a_refused_proposal_does_not_fly_when_the_drop_before_it_fails() -> None:
    model = build(PROJECT, PROJECT.plan.nominal, backend="cpu")
    plan = Schedule.empty(model.n_steps, model.fleet.n_aircraft)
    plan.logits[[2, 3], 0] = 3.0  # the second is within the turnaround of the first
    plan.poses[:, :] = [8.0, 10.0, 0.5]
    certain = StressScenario("s", failure_rate=1.0)
    assert executed_only(model, plan).proposed.sum() == 1
    assert scored(PROJECT, plan, NOMINAL)[0].drops_executed == 1
    assert scored(PROJECT, plan, certain)[0].drops_executed == 0


def test_a_drop_that_comes_late_on_a_grounded_day_or_after_dark_does_not_fly() -> None:
    model = build(PROJECT, PROJECT.plan.nominal, backend="cpu")
    columns = {tail.name: tail.index for tail in model.fleet.tails}
    plan = Schedule.empty(model.n_steps, model.fleet.n_aircraft)
    plan.poses[:, :] = [8.0, 10.0, 0.5]
    plan.logits[9, [columns["BIG-1"], columns["R-1"]]] = 3.0  # BIG is grounded on day 1, from step 10
    assert scored(PROJECT, plan, NOMINAL)[0].drops_executed == 2
    assert scored(PROJECT, plan, LATE)[0].drops_executed == 1
    closed = np.zeros((model.n_steps, model.fleet.n_aircraft), bool)
    closed[11, columns["R-1"]] = True
    dark = replace(model, rules=replace(rules_of(planned(Operations(hard_cap=9))), closed=closed))
    place = stress_world(PROJECT, dark, LATE)
    found = rollouts(place, executed_only(dark, plan), [0], 0)[0].metrics
    assert found.drops_executed == 0


def planned(operations: Operations) -> Project:
    return replace(PROJECT, operations=operations)


def rules_of(project: Project):  # type: ignore[no-untyped-def]
    rules = build(project, project.plan.nominal, backend="cpu").rules
    assert rules is not None
    return rules


def test_drops_before_a_late_pinned_drop_keep_their_distance_to_it() -> None:
    pin = PinnedDrop(PROJECT.calendar.time_of_step(5), "R-1", 8.0, 10.0, 0.5)
    project = planned(Operations(pinned=(pin,)))
    model = build(project, project.plan.nominal, backend="cpu")
    plan = Schedule.empty(model.n_steps, model.fleet.n_aircraft)
    plan.poses[:, :] = [8.0, 10.0, 0.5]
    plan.logits[[2, 5], 0] = 3.0  # a turnaround of two steps leaves just room for both
    assert executed_only(model, plan).proposed.sum() == 2
    place = stress_world(project, model, LATE)
    found = rollouts(place, executed_only(model, plan), [0], 0)[0].metrics
    assert found.drops_executed == 2


def test_a_stronger_wind_carries_drops_into_zones_from_farther_away() -> None:
    project = blown_project(shape=(60, 70))
    zone = Region.rectangle("lake", (0.0, 60.0), (40.0, 41.0))
    fast = StressScenario("s", wind_speed_factor=10.0)
    project = replace(project, operations=Operations(no_drop_zones=(zone,)))
    model = build(project, project.plan.nominal, backend="cpu")
    windy = stress_world(project, model, fast).model
    plan = plan_around(model)
    assert windy.rules is not None
    assert windy.rules.zones is not None
    shut = in_zones(plan.poses, windy.fleet, windy.maps, windy.rules.zones)
    gates = gates_of(replace(plan, logits=np.ones_like(plan.logits)), windy.fleet, windy.maps, windy.rules)
    assert shut.any()
    assert not (gates.open & shut).any()


# -- gradient -------------------------------------------------------------------------------------------------------
def errors_for_gradient(model, seed: int) -> FlightErrors:  # type: ignore[no-untyped-def]
    rng = np.random.default_rng(seed)
    size = (model.n_steps, model.fleet.n_aircraft)
    return FlightErrors(2, rng.random(size) > 0.2, 0.4 * rng.standard_normal((*size, 3)))


def exact(seed: int):  # type: ignore[no-untyped-def]
    model = model_of(random_maps(seed), small_fleet(), precision="float64", backend="reference")
    plan = random_schedule(seed, model.maps, model.fleet)
    inner = plan.poses.copy()
    inner[..., 0] = 3.0 + inner[..., 0] * 0.5  # off the edges, which would stop a release point
    inner[..., 1] = 3.0 + inner[..., 1] * 0.5
    return replace(model, full_carry=True), Schedule(plan.logits, inner)


@pytest.mark.parametrize("seed", [0, 1])
def test_the_gradient_through_errors_is_that_of_autograd(seed: int) -> None:
    model, plan = exact(seed)
    errors = errors_for_gradient(model, seed)
    flown = errors.applied(plan, model.shape)
    _, gradient = simulate_with_gradient(model, flown)
    before = errors.pulled_back(gradient)
    logit, pose = before.logit, before.pose
    logits = torch.tensor(plan.logits, requires_grad=True)
    poses = torch.tensor(plan.poses, requires_grad=True)
    assert errors.offsets is not None
    assert errors.flown is not None
    happens = torch.from_numpy(errors.flown)
    kept = torch.where(happens, logits, torch.full_like(logits, -3.0))
    moved = poses + torch.from_numpy(errors.offsets)
    early = torch.full_like(kept[:2], -3.0)
    values = reference.Variables(torch.cat([early, kept[:-2]]), torch.cat([torch.zeros_like(moved[:2]), moved[:-2]]))
    dense = replace(model, dtype=torch.float64, gains=SpreadGains(model.maps, torch.float64, model.device))
    run = reference.simulate(dense, flown, differentiable=True, full_carry=True, values=values)
    by_logit, by_pose = torch.autograd.grad(run.objective, [logits, poses])
    executed = np.zeros(plan.logits.shape, bool)
    executed[:-2] = gates_of(flown, model.fleet, model.maps).executed[2:]
    np.testing.assert_allclose(logit, by_logit.numpy(), rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(pose, by_pose.numpy() * executed[..., None], rtol=1e-8, atol=1e-10)
    assert np.abs(logit).max() > 0.0
    assert np.abs(pose).max() > 0.0


def test_the_gradient_by_poses_through_errors_is_that_of_finite_differences() -> None:
    model, plan = exact(2)
    errors = errors_for_gradient(model, 2)

    def loss(schedule: Schedule) -> float:
        return simulate(model, errors.applied(schedule, model.shape)).metrics.objective

    _, gradient = simulate_with_gradient(model, errors.applied(plan, model.shape))
    pose = errors.pulled_back(gradient).pose
    largest = np.argsort(-np.abs(pose).max(axis=2), axis=None)[:6]
    for step, column in zip(*np.unravel_index(largest, pose.shape[:2]), strict=True):
        for part, width in ((0, 1e-5), (1, 1e-5), (2, 1e-6)):
            moved = [plan.poses.copy() for _ in range(2)]
            moved[0][step, column, part] += width
            moved[1][step, column, part] -= width
            up, down = (loss(Schedule(plan.logits, poses)) for poses in moved)
            assert pose[step, column, part] == pytest.approx((up - down) / (2 * width), rel=1e-4, abs=1e-7)


def test_without_errors_schedule_and_gradient_are_handed_through() -> None:
    model, plan = exact(3)
    same = FlightErrors().applied(plan, model.shape)
    np.testing.assert_array_equal(same.logits, plan.logits)
    np.testing.assert_array_equal(same.poses, plan.poses)
    gradient = Gradient(1.0, plan.logits, plan.poses)
    before = FlightErrors().pulled_back(gradient)
    logit, pose = before.logit, before.pose
    assert logit is gradient.logit
    assert pose is gradient.pose


# -- results --------------------------------------------------------------------------------------------------------
def test_a_result_states_the_growth_that_is_left_of_its_own_world() -> None:
    model, plan = build(PROJECT, PROJECT.plan.nominal, backend="cpu"), plan_for(PROJECT)
    fast = StressScenario("fast", spread_factor=1.5)
    table = stress_table(PROJECT, model, plan, StressSet((fast, FAILING)))
    place = world(PROJECT, fast)
    (metrics,) = scored(PROJECT, plan, fast)
    start = float(maps_of(PROJECT).ignition.sum())
    assert table.nominal.share_worst == growth_share(
        scored(PROJECT, plan, NOMINAL)[0].final_extent_cells, start, world(PROJECT, NOMINAL).cells_no_drops
    )
    assert table.results[0].share_worst == pytest.approx(
        (metrics.final_extent_cells - start) / (place.cells_no_drops - start), rel=1e-12
    )
    assert table.drops == len(drops_of(PROJECT, plan))
    draws = table.results[1].draws
    assert table.results[1].share_worst == max(draw.share for draw in draws)
    assert table.results[1].flown_mean == np.mean([draw.flown for draw in draws])
    assert table.worst.share_worst == max(result.share_worst for result in table.results)


def test_one_draw_alone_is_the_draw_of_the_table_with_its_fire_at_the_end() -> None:
    model, plan = build(PROJECT, PROJECT.plan.nominal, backend="cpu"), plan_for(PROJECT)
    both = replace(FAILING, name="both", delay_minutes=290.0)
    place = stress_world(PROJECT, model, both)
    flown = flown_in(place, model, plan, 2, 7)
    metrics, burns = stress_draw(place, flown)
    assert metrics == rollouts(place, executed_only(model, plan), [2], 7)[0].metrics
    days = simulate(place.model, flown, keep_days=True).p_fire_days
    assert days is not None
    np.testing.assert_array_equal(burns, days[-1] > 0.5)


def test_a_period_of_an_exercise_draws_from_the_fire_of_the_independent_reading() -> None:
    plan, maps = plan_for(PROJECT), maps_of(PROJECT)
    model = build(PROJECT, PROJECT.plan.nominal, backend="cpu")
    eta = Effectiveness(0.5, 0.3)
    scenario = StressScenario("s", effectiveness=eta, spread_factor=1.3, delay_minutes=290.0, failure_rate=0.3)
    truth = FlownWorld.of_draw(stress_world(PROJECT, model, scenario), model, 1, 5)
    fire, _ = truth.advanced(plan, 0, 7, truth.start())

    happens = flight_errors(scenario, model, 1, 5).flown
    assert happens is not None
    drops = {(t + 2, a): pose for (t, a), pose in drops_of(PROJECT, plan).items() if happens[t, a] and t + 2 < 20}
    goal = independent.Objective(
        1.0, 1.0, 0.0, 0.0, np.zeros((0, *maps.shape), bool), (), {"retardant": 0.5, "water": 0.3}
    )
    faster = replace(maps, gamma=(maps.gamma.astype(np.float64) * 1.3).astype(np.float32))
    burned = independent.read(faster, PROJECT.planned_fleet, with_drops(plan, drops), goal).fire[7]
    number = truth.numbers(7).random(maps.shape)
    clear = np.abs(number - (1.0 - burned)) > 1e-4
    assert clear.sum() > 0.95 * clear.size
    np.testing.assert_array_equal(fire.fire[clear], (number >= 1.0 - burned)[clear])
    assert maps.ignition.sum() < fire.fire.sum() < maps.burnable.sum()
