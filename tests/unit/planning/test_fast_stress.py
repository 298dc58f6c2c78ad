"""The fast search for plans with a margin: what its stages do, and that a broken run ends as an unbroken one."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from firegui.domain.project import Project
from firegui.domain.schedule import Schedule
from firegui.domain.settings import Margin, ObjectiveWeights, SearchMethod, Setting
from firegui.domain.stress import StressScenario
from firegui.errors import CancelledError
from firegui.planning import fast_stress, stress_placing, stress_pruning, stress_training
from firegui.planning.fast_search import FastPlanner
from firegui.planning.fast_stress import SLOPES, FastStressPlanner
from firegui.planning.initialization import start_schedule
from firegui.planning.margin import MarginPlanning
from firegui.planning.problem import build
from firegui.planning.stress import (
    FlightErrors,
    Seed,
    StressWorld,
    executed_only,
    flight_errors,
    rollouts,
    stress_worlds,
)
from firegui.planning.stress_limits import TESTS, LimitMeasure, StressTests, WorldTest, strict_errors_in
from firegui.planning.stress_placing import StressPlanner
from firegui.planning.stress_pruning import Count, Phase, StressPruning
from firegui.planning.stress_training import Leaks, ScenarioTraining
from firegui.rollout.gates import FlightRules, gates_of
from firegui.rollout.model import Model
from firegui.rollout.simulate import simulate
from tests.support import stop
from tests.unit.planning.test_margin import OPTIMIZER, STRESS, same_arrays
from tests.unit.planning.test_margin import project as paper_project

TRAINED = 3
STEPS = {"search_epochs": 12, "training_epochs": 4, "adapt_epochs": 17}
"""Few: the fires are small."""


def project(kind: Margin = Margin.STRESS, **changes: float) -> Project:
    made = paper_project(kind, **(STEPS | changes))
    optimizer = replace(OPTIMIZER, search=SearchMethod.FAST, epochs=1000)
    return replace(made, plan=replace(made.plan, optimizer=optimizer))


def first_stage(of: Project, rules: FlightRules | None = None) -> tuple[Model, MarginPlanning, FastStressPlanner]:
    model = replace(build(of, of.plan.design, "cpu"), rules=rules)
    planning = MarginPlanning(of, model)
    planner = planning.first_stage(model, of.plan.optimizer, start_schedule(model, of.plan.optimizer))
    assert isinstance(planner, FastStressPlanner)
    return model, planning, planner


def searched(planner: FastStressPlanner) -> FastStressPlanner:
    while not planner.state().progress[-1]:
        planner.epoch()
    return planner


def ended(planner: FastStressPlanner) -> FastStressPlanner:
    while not planner.finished:
        planner.epoch()
    return planner


def test_the_settings_choose_the_search_and_the_pace() -> None:
    of = project()
    model, fast, _ = first_stage(of)
    paper = replace(of, plan=replace(of.plan, optimizer=OPTIMIZER))
    start = start_schedule(model, OPTIMIZER)
    assert type(MarginPlanning(paper, model).first_stage(model, OPTIMIZER, start)) is StressPlanner
    long = MarginPlanning(paper, model).second_stage(model, start)
    quick = fast.second_stage(model, start)
    assert long.state().cut[0] == stress_pruning.FIRST_CUT
    assert quick.state().cut[0] == fast_stress.pace_of(of.plan.margin).first_cut


def test_it_begins_as_the_search_for_the_model_alone() -> None:
    of = project()
    model, _, planner = first_stage(of)
    alone = FastPlanner(model, of.plan.optimizer, start_schedule(model, OPTIMIZER), epochs=6)
    while not alone.finished:
        alone.epoch()
        assert not planner.finished
        report = planner.epoch()
        assert report.epoch < planner.epochs
    assert planner.searched == planner.epochs_done == alone.epochs_done
    assert planner.epochs == planner.searched + TRAINED
    np.testing.assert_array_equal(planner.state().pose_logits, alone.state().pose_logits)
    np.testing.assert_array_equal(planner.best.logits, alone.best.logits)
    assert ended(planner).epochs_done == alone.epochs_done + TRAINED
    assert planner.best_epoch == planner.epochs_done - 1


def test_the_training_begins_with_a_reserve_beside_the_drops_of_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast_stress, "RESERVE", 1.0)
    monkeypatch.setattr(fast_stress, "OWN_LIMIT", 1.0)
    model, _, planner = first_stage(project(limit=0.99))
    search = executed_only(model, searched(planner).best)
    report = planner.epoch()
    flown = report.schedule
    last = planner.last_day * model.maps.steps_per_day
    assert 0 < last <= model.n_steps
    everything = replace(flown, logits=np.full_like(flown.logits, 3.0))
    can = gates_of(everything, model.fleet, model.maps, model.rules).executed
    executed = gates_of(flown, model.fleet, model.maps, model.rules).executed
    # Each aircraft is used as often as it can be, and not after the last day.
    assert int(executed[:last].sum()) >= int(can[:last].sum())
    assert not flown.proposed[last:].any()
    places, beside = search.poses[search.proposed][:, :2], flown.poses[executed][:, :2]
    apart = np.linalg.norm(beside[:, None] - places[None], axis=2).min(axis=1)
    assert len(beside) > len(places) and apart.max() < 6.0 * fast_stress.NEAR_CELLS
    kept = search.proposed & flown.proposed
    np.testing.assert_array_equal(flown.poses[kept], search.poses[kept])


def test_more_drops_fail_in_its_harder_draws() -> None:
    of = project()
    model, _, planner = first_stage(of)
    worlds, _ = stress_worlds(of, model, (StressScenario("failures", failure_rate=0.1),))
    flown: dict[bool, list[int]] = {}
    for is_fast in (False, True):
        training = ScenarioTraining(model, worlds[1:], 0.9, 3, worlds[0] if is_fast else None)
        harder = stress_training._harder(worlds[1], training._harder_failures)
        errors = [flight_errors(harder.scenario, model, draw, (3,)) for draw in range(40)]
        flown[is_fast] = [int(each.applied(planner.best, model.shape).proposed.sum()) for each in errors]
    drops = int(planner.best.proposed.sum())
    assert drops - np.mean(flown[True]) == pytest.approx(1.5 * (drops - np.mean(flown[False])), rel=0.25)


def test_the_training_follows_the_design_no_further_than_the_scenarios() -> None:
    of = project()
    model, _, planner = first_stage(of)
    schedule = planner.best
    worlds, _ = stress_worlds(of, model, STRESS.scenarios[:2])
    ends = []
    for limit in (1e-3, 0.9):
        training = ScenarioTraining(model, worlds[1:], limit, 3, worlds[0])
        rollout, _, _ = training.step(schedule, 0, 2, Leaks.unknown(2))
        ends.append(rollout.metrics.final_extent_cells)
        assert training.is_whole(rollout.metrics) == (limit == 0.9) or ends[0] == ends[-1]
    assert ends[0] <= ends[1]


def test_draws_that_hold_have_no_slope_unless_regions_count() -> None:
    of = project()
    model, _, planner = first_stage(of)
    schedule = ended(planner).best
    worlds, _ = stress_worlds(of, model, STRESS.scenarios[:2])
    for weights, has_slope in ((ObjectiveWeights.of(Setting.A), False), (ObjectiveWeights.of(Setting.B), True)):
        weighed = [world.with_weights(weights) for world in worlds]
        training = ScenarioTraining(model.with_weights(weights), weighed[1:], 4.9, 3, weighed[0])
        assert training.mean(schedule, 0, 2, Leaks.unknown(2)).pose.any() == has_slope
        leaking = ScenarioTraining(model.with_weights(weights), weighed[1:], 0.01, 3, weighed[0])
        assert leaking.mean(schedule, 0, 2, Leaks.unknown(2)).pose.any()


def test_slopes_have_the_same_bits_on_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    of = project()
    model, _, planner = first_stage(of)
    schedule, found = searched(planner).best, list[tuple[np.ndarray, ...]]()
    worlds = stress_worlds(of, model, of.stress.scenarios)[0]
    # The second is of a draw that is known to leak, and may begin first.
    known = Leaks(np.ones(len(worlds) - 1), np.array([[0, 1, 0], [1, 2, 0]]))
    for threads in ("1", "2"):
        monkeypatch.setenv("FIREGUI_THREADS", threads)
        training = ScenarioTraining(model, worlds[1:], 0.01, 3, worlds[0])
        _, design, step = training.step(schedule, 0, 5, known)
        mean = training.mean(schedule, 3, 4, known)
        found.append((design.logit, design.pose, step.logit, step.pose, mean.logit, mean.pose))
    assert found[0][3].any() and found[0][5].any()
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)


def test_slopes_of_flown_drops_alone_are_those_of_all() -> None:
    of = project()
    model, _, planner = first_stage(of)
    schedule = searched(planner).best
    worlds, leaks = stress_worlds(of, model, STRESS.scenarios[:2])[0], Leaks.unknown(2)
    every, flown = (
        ScenarioTraining(model, worlds[1:], 0.01, 3, worlds[0], flown_only=only).mean(schedule, 0, 4, leaks)
        for only in (False, True)
    )
    np.testing.assert_array_equal(every.pose, flown.pose)
    assert (flown.logit != 0.0).any() and (every.logit[flown.logit == 0.0] != 0.0).any()
    np.testing.assert_array_equal(every.logit[flown.logit != 0.0], flown.logit[flown.logit != 0.0])


def test_both_stages_resume_bit_for_bit_at_any_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stress_placing, "TEST_EVERY", 2)
    monkeypatch.setattr(fast_stress, "FAST_LOOK_EVERY", 2)
    of = project()
    model, planning, unbroken = first_stage(of)
    broken = first_stage(of)[2]
    while not unbroken.finished:
        unbroken.epoch()
        broken.epoch()
        path = tmp_path / f"{unbroken.epochs_done}"
        broken.state().save(path)
        resumed = planning.first_stage(model, of.plan.optimizer, unbroken.best, path)
        assert isinstance(resumed, FastStressPlanner)
        broken = resumed
        same_arrays(broken.state(), unbroken.state())
        assert (broken.finished, broken.epochs) == (unbroken.finished, unbroken.epochs)

    whole, parts = planning.second_stage(model, unbroken.best), planning.second_stage(model, unbroken.best)
    while not whole.finished:
        # No drop is ranked by what burns without it: that takes a rollout for each.
        assert whole.state().counts[Count.PHASE] != Phase.RANKING
        assert whole.advance().rollouts == parts.advance().rollouts
        parts.state().save(tmp_path / "pruning")
        parts = planning.second_stage(model, unbroken.best, tmp_path / "pruning")
        same_arrays(parts.state(), whole.state())
    assert whole.report.drops < whole.report.drops_before and whole.state().counts[Count.SETTLING]


def test_a_cancelled_epoch_leaves_the_planner_as_it_was() -> None:
    _, _, planner = first_stage(project())
    while not planner.finished:
        before = planner.state()
        with pytest.raises(CancelledError):
            planner.epoch(stop)
        assert planner.state() is before
        planner.epoch()


def test_pins_and_the_cap_hold_in_both_stages() -> None:
    of = project()
    model, _, _ = first_stage(of)
    start = start_schedule(model, of.plan.optimizer)
    pinned = np.zeros(start.logits.shape, bool)
    pinned[2, 0] = pinned[5, 1] = True
    rules = FlightRules(pinned=pinned, pinned_poses=start.poses, cap=9)
    model, planning, planner = first_stage(of, rules)
    while not planner.finished:
        assert planner.epoch().metrics.drops_executed <= 9
    pruning = planning.second_stage(model, planner.best)
    while not pruning.finished:
        pruning.advance()
    assert pruning.state().kept[pinned].all() and pruning.report.drops <= 9
    np.testing.assert_allclose(pruning.schedule.poses[pinned], start.poses[pinned])


def test_an_epoch_of_the_removal_takes_the_slopes_of_scenarios_alone() -> None:
    of = project(limit=0.99)
    model, planning, planner = first_stage(of)
    pruning = planning.second_stage(model, ended(planner).best)
    pruning.advance()
    while pruning.state().counts[Count.PHASE] == Phase.ADAPTING and not pruning.state().counts[Count.EPOCH]:
        pruning.advance()
    counts = pruning.state().counts
    assert counts[Count.GRADIENTS] == SLOPES * counts[Count.EPOCH]


def test_a_plan_that_leaks_little_adapts_in_fewer_epochs(tmp_path: Path) -> None:
    of = project(limit=0.99, adapt_epochs=520)
    model, planning, planner = first_stage(of)
    pruning = planning.second_stage(model, ended(planner).best)
    pruning.advance()
    state = pruning.state()
    for excess, strained, epochs in ((1.1, 0, 180), (0.25, 0, 45), (0.01, 0, 22), (0.01, 1, 180)):
        counts = state.counts.copy()
        counts[Count.STRAINED] = strained
        replace(state, excess=np.full_like(state.excess, excess), counts=counts).save(tmp_path / "pruning")
        assert planning.second_stage(model, planner.best, tmp_path / "pruning").report.to_test == epochs


@pytest.mark.parametrize("attempt", [0, 1])
@pytest.mark.parametrize(("shares", "is_taken"), [((0.02, 0.9), True), ((0.3, 0.3), True), ((0.4, 0.4), False)])
def test_of_plans_that_leak_one_with_fewer_drops_is_taken_where_it_leaves_less_in_the_same_draws(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shares: tuple[float, float], is_taken: bool, attempt: int
) -> None:
    of = project(limit=0.2)
    model, planning, planner = first_stage(of)
    pruning = planning.second_stage(model, ended(planner).best)
    pruning.advance()
    state = pruning.state()
    known, counts, trial = np.full_like(state.excess, 0.5), state.counts.copy(), state.kept.copy()
    known[1] = 1.1
    trial.ravel()[np.flatnonzero(trial)[0]] = False
    counts[[Count.ROUND, Count.ATTEMPT, Count.PHASE]] = 1, attempt, Phase.TESTING
    replace(state, excess=known, trial=trial, counts=counts).save(tmp_path / "pruning")
    tested = planning.second_stage(model, planner.best, tmp_path / "pruning")
    worse = known + 1.0
    monkeypatch.setattr(StressPruning, "_excess", lambda *_, **__: (worse, LimitMeasure.WORST))

    def found(tests: StressTests, plan: Schedule, *_: object, **__: object) -> Iterator[WorldTest]:
        few = int(plan.proposed.sum()) == int(trial.sum())
        yield WorldTest(tests.names[2], shares if few else (0.3, 0.3))

    monkeypatch.setattr(StressTests, "shares", found)

    tested.advance()

    assert tested.report.drops == (trial if is_taken else state.kept).sum()
    ends = is_taken or attempt == 1
    assert bool(tested.state().counts[Count.SETTLING]) is ends


@pytest.mark.parametrize("limit", [1e-4, 0.99])
def test_a_quick_round_that_did_not_hold_at_once_is_followed_by_one_with_all_its_epochs(
    tmp_path: Path, limit: float
) -> None:
    of = project(limit=limit)
    model, planning, planner = first_stage(of)
    pruning = planning.second_stage(model, ended(planner).best)
    pruning.advance()
    state = pruning.state()
    # A refused plan has mended, and had as many epochs.
    for strained, cut in ((0, 0.3 if limit == 0.99 else 0.15), (1, 0.15)):
        counts = state.counts.copy()
        counts[[Count.ATTEMPT, Count.PHASE, Count.STRAINED]] = 2, Phase.TESTING, strained
        replace(state, excess=np.full_like(state.excess, 0.01), counts=counts).save(tmp_path / "pruning")
        after = planning.second_stage(model, planner.best, tmp_path / "pruning")
        after.advance()
        # With a limit of 0.99 the plan is taken over, with the other it is refused.
        assert len(after.tried) == 1 and after.tried[0].is_taken == (limit == 0.99)
        assert after.state().cut[0] == pytest.approx(cut) and after.state().counts[Count.STRAINED] == 1


@pytest.mark.parametrize(("excess", "attempt"), [(1.0, 0), (0.01, 1)])
def test_a_plan_that_leaks_much_is_refused_at_once_unless_its_round_was_short(
    tmp_path: Path, excess: float, attempt: int
) -> None:
    of = project(limit=1e-4)
    model, planning, planner = first_stage(of)
    pruning = planning.second_stage(model, ended(planner).best)
    pruning.advance()
    counts = pruning.state().counts.copy()
    counts[[Count.ROUND, Count.PHASE]] = 3, Phase.TESTING
    fewer = np.zeros_like(pruning.state().kept)
    state = replace(pruning.state(), trial=fewer, excess=np.full_like(pruning.state().excess, excess), counts=counts)
    state.save(tmp_path / "pruning")
    after = planning.second_stage(model, planner.best, tmp_path / "pruning")
    after.advance()
    assert after.tried[0].excess > fast_stress.pace_of(of.plan.margin).mends_below
    # A smaller share is not worth a round: the plan settles.
    assert (after.state().counts[Count.ATTEMPT], after.state().counts[Count.SETTLING]) == (attempt, 1 - attempt)


def test_a_plan_is_tested_on_eight_times_the_draws_of_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def shares(self: StressTests, schedule: Schedule, test: int, **options: int) -> Iterator[WorldTest]:
        asked.append(options["draws"])
        return iter([WorldTest(name, (0.0,)) for name in self.names])

    of = project()
    model, planning, planner = first_stage(of)
    pruning = planning.second_stage(model, ended(planner).best)
    monkeypatch.setattr(StressTests, "shares", shares)
    pruning.advance()
    assert asked == [8 * of.plan.margin.draws]


def test_every_other_draw_of_its_tests_is_harder_than_the_scenario() -> None:
    of = project()
    model, _, planner = first_stage(of)
    plan = executed_only(model, ended(planner).best)
    scenario = StressScenario("both", failure_rate=0.2, pose_noise_m=30.0, heading_noise_deg=5.0)
    harder = replace(scenario, failure_rate=0.4, pose_noise_m=36.0, heading_noise_deg=6.0)
    worlds, _ = stress_worlds(of, model, (scenario, harder))
    found = {
        is_strict: list(StressTests(worlds[:2], 0.9, 6, 3, is_strict=is_strict).shares(plan, 5))[1].shares
        for is_strict in (False, True)
    }
    seed = (3, TESTS, 5)
    # The name is part of a scenario's draws.
    twice = replace(worlds[2], scenario=replace(harder, name=scenario.name))
    for draw in range(6):
        world = twice if draw % 2 else worlds[1]
        (rollout,) = rollouts(world, plan, [draw], seed)
        assert found[True][draw] == world.held_share(rollout.metrics)
        assert (found[True][draw] == found[False][draw]) == (draw % 2 == 0)
    # A draw that is known to leak is trained on as it was tested.
    errors = strict_errors_in(worlds[1], 3, seed)
    assert errors.flown is not None and 0.5 < errors.flown.mean() < 0.7
    training = ScenarioTraining(model, worlds[1:2], 0.9, 3, worlds[0])
    known = training.no_leaks.after(0, WorldTest("both", (0.0, 0.0, 0.0, 0.95)), 5, 0.9)
    asked: list[int] = []

    def errors_of(world: StressWorld, draw: int, of_seed: Seed) -> FlightErrors:
        asked.append(draw)
        assert of_seed == seed
        return strict_errors_in(world, draw, of_seed)

    training._tested_errors = errors_of
    training.mean(plan, 0, 8, known)
    assert asked and set(asked) == {3}


def test_more_leaking_draws_are_remembered_than_without_the_fast_search() -> None:
    of = project()
    model, _, _ = first_stage(of)
    worlds, _ = stress_worlds(of, model, STRESS.scenarios[:2])
    leaking = WorldTest("any", tuple(np.linspace(0.5, 1.0, 30).tolist()))
    for nominal, of_a_world in ((None, 4), (worlds[0], 8)):
        leaks = ScenarioTraining(model, worlds[1:], 0.1, 3, nominal).no_leaks.after(0, leaking, 1, 0.1)
        assert int((leaks.draws[:, 0] == 0).sum()) == of_a_world
        again = Leaks.of_array(leaks.array(), len(worlds) - 1)
        np.testing.assert_array_equal(again.draws, leaks.draws)
        np.testing.assert_array_equal(again.weights, leaks.weights)


def test_with_the_design_margin_there_is_no_training() -> None:
    of = project(Margin.DESIGN)
    model, planning, planner = first_stage(of)
    assert ended(planner).epochs_done == planner.searched == planner.epochs
    pruning = planning.second_stage(model, planner.best)
    while not pruning.finished:
        pruning.advance()
    assert pruning.finished in ("held", "leaking")


def test_the_epochs_of_the_settings_are_the_most() -> None:
    of = project()
    of = replace(of, plan=replace(of.plan, optimizer=replace(of.plan.optimizer, epochs=4)))
    _, _, planner = first_stage(of)
    assert ended(planner).epochs_done == 4


def test_setting_b_is_searched_as_well() -> None:
    of = project()
    of = replace(of, plan=replace(of.plan, setting=Setting.B, weights=ObjectiveWeights.of(Setting.B)))
    model, planning, planner = first_stage(of)
    assert math.isfinite(ended(planner).best_objective)
    pruning = planning.second_stage(model, planner.best)
    pruning.advance()
    assert not math.isnan(pruning.report.ratios["prot"])
    assert simulate(model, pruning.schedule).metrics.drops_executed == pruning.report.drops
