"""Plans with a margin: what the two stages promise, and that a broken run ends as an unbroken one."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from firegui.domain.project import Project
from firegui.domain.schedule import Schedule
from firegui.domain.settings import (
    Effectiveness,
    Margin,
    MarginSettings,
    ObjectiveWeights,
    OptimizerSettings,
    SearchMethod,
    Setting,
)
from firegui.domain.stress import StressScenario, StressSet
from firegui.errors import CancelledError, InputError
from firegui.planning import stress_placing, stress_pruning
from firegui.planning.elimination import PlanTried
from firegui.planning.initialization import start_schedule
from firegui.planning.margin import MarginPlanning
from firegui.planning.problem import build
from firegui.planning.stress import executed_only, rollouts, stress_worlds
from firegui.planning.stress_limits import REMOVALS, LimitMeasure, StressTests, WorldTest
from firegui.planning.stress_placing import StressPlanner
from firegui.planning.stress_pruning import WATCHED, Count, Phase, StressPruning
from firegui.planning.stress_training import Leaks, ScenarioTraining, falling
from firegui.rollout.gates import FlightRules, gates_of
from firegui.rollout.model import Model
from firegui.rollout.simulate import simulate
from tests.numerics.cases import random_maps
from tests.support import make_project, stop

MARGIN = MarginSettings(kind=Margin.STRESS, limit=0.9, draws=3, search_epochs=6, training_epochs=3, adapt_epochs=3)
STRESS = StressSet(
    (
        StressScenario("weak", effectiveness=Effectiveness(0.6, 0.5)),
        StressScenario("fast", spread_factor=1.1),
        StressScenario("late", delay_minutes=30.0),
        StressScenario("failures", failure_rate=0.2, draws=3),
        StressScenario("off", pose_noise_m=20.0, heading_noise_deg=5.0),
        StressScenario("failures, repaired", failure_rate=0.2, repair_hours=24.0),
    )
)
OPTIMIZER = OptimizerSettings(search=SearchMethod.PAPER, epochs=9, learning_rate=0.02, exclusion_cells=3.0, seed=3)


def project(kind: Margin = Margin.STRESS, **changes: float) -> Project:
    fire = random_maps(0)
    made = make_project(maps=replace(fire, phi=np.float32(0.4) * np.asarray(fire.phi)))
    margin = replace(MARGIN, kind=kind, **changes)  # type: ignore[arg-type]
    return replace(made, plan=replace(made.plan, optimizer=OPTIMIZER, margin=margin), stress=STRESS)


def planning(of: Project) -> tuple[Model, MarginPlanning]:
    model = build(of, of.plan.design, "cpu")
    return model, MarginPlanning(of, model)


def first_stage(of: Project) -> tuple[Model, MarginPlanning, StressPlanner]:
    model, margin = planning(of)
    return model, margin, margin.first_stage(model, of.plan.optimizer, start_schedule(model, of.plan.optimizer))


def placed(of: Project) -> tuple[Model, MarginPlanning, Schedule]:
    model, margin, planner = first_stage(of)
    while not planner.finished:
        planner.epoch()
    return model, margin, planner.best


def same_arrays(one: object, other: object) -> None:
    for name in one.__dataclass_fields__:  # type: ignore[attr-defined]
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)


def test_an_adaptation_looks_at_what_leaks_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stress_pruning, "LOOK_EVERY", 2)
    model, margin, reference = placed(project(adapt_epochs=7, limit=0.05))
    pruning = margin.second_stage(model, reference)
    while pruning.state().counts[Count.EPOCH] == 0:
        pruning.advance()
    seen = [pruning.state()]
    for _ in range(5):
        pruning.advance()
        seen.append(pruning.state())
    tests = [int(state.counts[Count.TESTS]) for state in seen]
    assert [later - tests[0] for later in tests] == [0, 1, 1, 2, 2, 3]
    # The draws that leaked are known by the number of the look.
    leaks = Leaks.of_array(seen[-1].leaks, 5)
    known = leaks.draws[leaks.draws[:, 0] >= 0]
    assert len(known) and set(known[:, 1].tolist()) <= set(range(tests[0], tests[-1] + 1))


def test_both_stages_resume_bit_for_bit_at_any_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stress_pruning, "LOOK_EVERY", 2)
    of = project()
    model, margin, unbroken = first_stage(of)
    planners = [first_stage(of)[2]]
    for epoch in range(9):
        unbroken.epoch()
        planners[-1].epoch()
        planners[-1].state().save(tmp_path / f"{epoch}")
        planners.append(margin.first_stage(model, of.plan.optimizer, unbroken.best, tmp_path / f"{epoch}"))
    assert unbroken.finished == planners[-1].finished == "epochs"
    same_arrays(planners[-1].state(), unbroken.state())

    whole, broken = margin.second_stage(model, unbroken.best), margin.second_stage(model, unbroken.best)
    number = 0
    while not whole.finished:
        number += 1
        assert whole.advance().rollouts == broken.advance().rollouts
        broken.state().save(tmp_path / f"pruning-{number}")
        broken = margin.second_stage(model, unbroken.best, tmp_path / f"pruning-{number}")
        same_arrays(broken.state(), whole.state())
    assert whole.report.drops < whole.report.drops_before and whole.state().counts[Count.SETTLING]


def test_the_training_weighs_scenarios_by_their_leaks_and_keeps_the_best_tested_plan() -> None:
    _, _, planner = first_stage(project())
    for _ in range(6):
        planner.epoch()
    searched = planner.state()
    assert np.isinf(searched.progress[3]) and (searched.progress[5:10] == 1.0).all()
    for _ in range(3):
        planner.epoch()
    trained = planner.state()
    assert np.isfinite(trained.progress[3]) and len(trained.progress) == 5 + 5 + 36
    assert not (trained.progress[5:10] == 1.0).all()
    assert planner.best_epoch == 8 and planner.rollouts == 3 * (6 + 4 * 3)
    np.testing.assert_array_equal(trained.best_pose_logits, trained.pose_logits)


def test_the_training_leaves_the_days_alone_that_the_end_of_the_nominal_fire_does_not_need(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Two days are too few for a reserve, so none is asked for.
    monkeypatch.setattr(stress_placing, "RESERVE", 1.0)
    monkeypatch.setattr(stress_placing, "OWN_LIMIT", 1.0)
    of = project(limit=0.99)
    model, _, planner = first_stage(of)
    for _ in range(6):
        planner.epoch()
    assert planner.last_day == model.maps.days
    while not planner.finished:
        planner.epoch()
    first = planner.last_day * model.maps.steps_per_day
    assert 0 < first < model.n_steps
    assert (planner.state().logits[first:] == -OPTIMIZER.logit_clamp).all()

    held, _, other = first_stage(project(limit=1e-4))
    while not other.finished:
        other.epoch()
    assert other.last_day == held.maps.days


def test_a_round_removes_drops_little_by_little_and_then_adapts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stress_pruning, "FIRST_CUT", 0.2)
    of = project(adapt_epochs=20)
    model, margin, reference = placed(of)
    pruning = margin.second_stage(model, reference)
    pruning.advance()
    before = int(pruning.state().kept.sum())
    left = []
    for _ in range(20):
        pruning.advance()
        left.append(int(pruning.state().trial.sum()))
    assert left[0] == left[1] == before and left == sorted(left, reverse=True)
    assert left[5] < before and left[5] > left[11] == left[-1] == before - int(0.2 * before)


def test_the_last_round_ranks_the_drops_by_what_burns_without_them_and_removes_the_least() -> None:
    of = project()
    of = replace(of, plan=replace(of.plan, elimination=replace(of.plan.elimination, allowance=1)))
    model, margin, reference = placed(of)
    pruning = margin.second_stage(model, reference)
    pruning.advance()
    assert pruning.state().counts[Count.LAST] == 1
    while pruning.state().counts[Count.PHASE] == Phase.RANKING:
        pruning.advance()
    ranked = pruning.state()
    drops = np.flatnonzero(ranked.trial)
    assert int(ranked.kept.sum()) == len(drops) == len(ranked.order) and len(ranked.watched) == WATCHED
    assert (np.diff(ranked.worth.ravel()[ranked.order]) >= 0.0).all()

    # What the least and the most valuable drop are worth, from the worlds themselves.
    weighed, _ = stress_worlds(of, model, STRESS.unrepaired)
    worlds = [world.with_weights(model.weights) for world in weighed]
    plan = executed_only(model, pruning.schedule)
    for drop in ranked.order[[0, -1]].tolist():
        fewer = plan.proposed.copy()
        fewer.ravel()[drop] = False
        rises = []
        for index, draw in ranked.watched.tolist():
            world, seed = worlds[index], (OPTIMIZER.seed, REMOVALS, 10)
            with_it, without = (
                world.held_share(rollouts(world, one, [draw], seed)[0].metrics) for one in (plan, plan.only(fewer))
            )
            rises.append(max(without - with_it, 0.0))
        assert ranked.worth.ravel()[drop] == pytest.approx(np.mean(rises), abs=1e-6)

    while pruning.state().counts[Count.PHASE] == Phase.REMOVING:
        pruning.advance()
    removed = ranked.trial & ~pruning.state().trial
    assert 0 < removed.sum() < len(drops)
    allowed = pruning.state().allowed
    for world, most in zip(worlds, allowed, strict=True):
        count = range(MARGIN.draws if world.scenario.is_random else 1)
        found = rollouts(world, plan.only(pruning.state().trial), count, (OPTIMIZER.seed, REMOVALS, 10))
        assert (
            WorldTest(world.scenario.name, tuple(world.held_share(one.metrics) for one in found)).excess(0.9)
            <= most
            <= 1.0
        )


def test_the_plan_that_is_kept_passes_its_limits_on_draws_of_its_own() -> None:
    of = project()
    model, margin, reference = placed(of)
    pruning = margin.second_stage(model, reference)
    while not pruning.finished:
        report = pruning.advance()
        assert report.tested <= report.to_test
    assert pruning.finished == "held"
    drops = int(gates_of(pruning.schedule, model.fleet, model.maps, model.rules).executed.sum())
    assert drops == pruning.report.drops == int(pruning.schedule.proposed.sum()) < pruning.report.drops_before
    assert pruning.report.ratios["final"] <= 1.0
    table = margin.table(model, pruning.schedule)
    assert table.drops == drops and {result.scenario.name for result in table.results} == {
        "weak", "fast", "late", "failures", "off",
    }  # fmt: skip
    assert table.worst.share_worst <= 2.0 * 0.9


def test_a_plan_that_cannot_hold_says_so_and_does_not_leak_more(tmp_path: Path) -> None:
    of = project(limit=1e-4)
    model, margin, reference = placed(of)
    pruning = margin.second_stage(model, reference)
    pruning.advance()
    first = pruning.state().excess
    while not pruning.finished:
        pruning.advance()
    assert pruning.finished == "leaking"
    assert pruning.report.ratios["final"] > 1.0
    excess = pruning.state().excess
    assert excess.max() == pruning.report.ratios["final"]
    assert np.maximum(excess - 1.0, 0.0).sum() <= np.maximum(first - 1.0, 0.0).sum()
    # What it says of its own test is known after a resumption as well.
    missed = pruning.missed
    assert missed is not None and missed.share / missed.allowed == pytest.approx(excess.max())
    pruning.state().save(tmp_path / "state")
    assert margin.second_stage(model, reference, tmp_path / "state").missed == missed


def settling(of: Project) -> tuple[StressPruning, StressPruning]:
    """Return a removal that has just begun to settle, and one of the same plan without settling, at its end."""
    model, margin, reference = placed(of)
    pruning = margin.second_stage(model, reference)
    while not pruning.state().counts[Count.SETTLING]:
        assert not pruning.finished
        pruning.advance()
    ended = margin.second_stage(model, reference)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(StressPruning, "_settle", StressPruning._end)
        while not ended.finished:
            ended.advance()
    return pruning, ended


def test_at_the_end_the_plan_settles_and_no_drop_goes() -> None:
    pruning, ended = settling(project(adapt_epochs=26))
    before = pruning.state()
    np.testing.assert_array_equal(before.kept, ended.state().kept)
    np.testing.assert_array_equal(before.pose_logits, ended.state().pose_logits)
    moved = []
    for _ in range(12):
        earlier = pruning.state().trial_poses
        assert pruning.advance().removed == ended.report.removed
        moved.append(float(np.abs(pruning.state().trial_poses - earlier).max()))
        np.testing.assert_array_equal(pruning.state().trial, before.kept)
    assert 0.0 < moved[-1] < 0.5 * moved[0]
    while not pruning.finished:
        pruning.advance()
    assert pruning.finished == ended.finished == "held"


@pytest.mark.parametrize("better", [True, False])
def test_the_settled_plan_is_taken_if_it_leaks_no_more_in_the_same_draws(
    better: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    pruning, ended = settling(project())
    while pruning.state().counts[Count.PHASE] == Phase.ADAPTING:
        pruning.advance()
    settled = pruning.state().trial_poses
    asked: list[tuple[int, int | None]] = []

    def shares(_self: StressTests, plan: Schedule, test: int, *, draws: int | None = None, **_more: object) -> object:
        asked.append((test, draws))
        assert plan.pose_logits is not None
        is_settled = np.array_equal(plan.pose_logits, settled)
        share = 0.5 if is_settled == better else 0.6
        yield WorldTest("failures", (share,) * (draws or 1))

    monkeypatch.setattr(StressTests, "shares", shares)
    pruning.advance()
    assert asked[0] == asked[1] and asked[0][1] == 4 * MARGIN.draws
    assert pruning.finished
    taken = settled if better else ended.state().pose_logits
    np.testing.assert_array_equal(pruning.state().pose_logits, taken)


def test_a_removal_that_an_older_version_saved_goes_on_and_settles(tmp_path: Path) -> None:
    of = project()
    model, margin, reference = placed(of)
    pruning = margin.second_stage(model, reference)
    pruning.advance()
    state = pruning.state()
    replace(state, counts=state.counts[: Count.SETTLING]).save(tmp_path / "older")
    older = margin.second_stage(model, reference, tmp_path / "older")
    # What the plan exceeds most was not kept then.
    counts = state.counts.copy()
    counts[Count.MEASURE] = LimitMeasure.UNKNOWN
    same_arrays(older.state(), replace(state, counts=counts))
    assert older.missed is None


def test_with_the_design_margin_nothing_but_the_model_counts() -> None:
    of = project(Margin.DESIGN)
    model, margin, planner = first_stage(of)
    while not planner.finished:
        planner.epoch()
    assert planner.epochs == planner.epochs_done == 6
    pruning = margin.second_stage(model, planner.best)
    assert (pruning.state().leaks == -1.0).all() and len(pruning.state().excess) == len(pruning.state().allowed) == 2
    while not pruning.finished:
        pruning.advance()
    assert pruning.finished in ("held", "leaking")


def test_pins_and_the_cap_hold_in_both_stages() -> None:
    of = project()
    model, margin = planning(of)
    start = start_schedule(model, OPTIMIZER)
    pinned = np.zeros(start.logits.shape, bool)
    pinned[2, 0] = pinned[5, 1] = True
    model = replace(model, rules=FlightRules(pinned=pinned, pinned_poses=start.poses, cap=9))
    planner = margin.first_stage(model, OPTIMIZER, start)
    while not planner.finished:
        report = planner.epoch()
        assert report.metrics.drops_executed <= 9
    pruning = margin.second_stage(model, planner.best)
    while not pruning.finished:
        pruning.advance()
    assert pruning.state().kept[pinned].all()
    np.testing.assert_array_equal(pruning.schedule.poses[pinned], planner.best.poses[pinned])
    np.testing.assert_allclose(pruning.schedule.poses[pinned], start.poses[pinned])
    assert pruning.report.drops <= 9


def test_a_cancelled_step_leaves_everything_as_it_was() -> None:
    of = project()
    model, margin, planner = first_stage(of)
    for _ in range(6):
        planner.epoch()
    before = planner.state()
    with pytest.raises(CancelledError):
        planner.epoch(stop)
    assert planner.state() is before
    pruning = margin.second_stage(model, planner.best)
    while pruning.state().counts[Count.ROUND] < 2 and not pruning.finished:
        now = pruning.state()
        with pytest.raises(CancelledError):
            pruning.advance(stop)
        same_arrays(pruning.state(), now)
        pruning.advance()


def test_states_of_another_size_are_refused(tmp_path: Path) -> None:
    of = project()
    model, margin, planner = first_stage(of)
    planner.state().save(tmp_path / "state")
    other = MarginPlanning(replace(of, stress=StressSet(STRESS.scenarios[:2])), model)
    with pytest.raises(InputError, match="another margin or stress set"):
        other.first_stage(model, OPTIMIZER, planner.best, tmp_path / "state")
    pruning = margin.second_stage(model, planner.best)
    pruning.state().save(tmp_path / "pruning")
    with pytest.raises(InputError, match="is not of this schedule"):
        other.second_stage(model, planner.best, tmp_path / "pruning")
    (tmp_path / "pruning").write_bytes(b"no tensors")
    with pytest.raises(InputError, match="cannot be read"):
        margin.second_stage(model, planner.best, tmp_path / "pruning")


def test_setting_b_holds_what_burns_in_the_regions() -> None:
    of = project()
    weights = ObjectiveWeights.of(Setting.B)
    of = replace(of, plan=replace(of.plan, setting=Setting.B, weights=weights))
    model, margin, reference = placed(of)
    pruning = margin.second_stage(model, reference)
    pruning.advance()
    assert np.isnan(pruning.report.ratios["burn"]) and not np.isnan(pruning.report.ratios["prot"])


def test_the_measure_that_a_test_exceeds_most() -> None:
    assert WorldTest("nominal", (0.02,)).nearest_limit(0.05)[1] is LimitMeasure.WORST
    assert WorldTest("failures", (0.0, 0.0, 0.12)).nearest_limit(0.05)[1] is LimitMeasure.MEAN
    assert WorldTest("failures", (0.0,) * 22 + (0.06, 0.06)).nearest_limit(0.05)[1] is LimitMeasure.MOST
    assert WorldTest("failures", (0.0,) * 23 + (0.12,)).nearest_limit(0.05)[1] is LimitMeasure.WORST
    two = WorldTest("failures", (0.0,) * 190 + (0.12, 0.3))
    assert two.nearest_limit(0.05)[1] is LimitMeasure.WORST
    assert two.excess(0.05) == pytest.approx(1.2)
    assert WorldTest("failures", (0.0,) * 191 + (0.3,)).excess(0.05) <= 1.0


def test_limits_of_a_test() -> None:
    assert WorldTest("weak", (0.04,)).excess(0.05) == pytest.approx(0.8)
    assert WorldTest("nominal", (0.02,)).excess(0.05) == pytest.approx(2.0)
    assert WorldTest("failures", (0.0, 0.0, 0.06)).excess(0.05) == pytest.approx(1.6)
    assert WorldTest("failures", (0.0,) * 23 + (0.06,)).excess(0.05) == pytest.approx(0.6)
    assert WorldTest("failures", (0.0,) * 22 + (0.06, 0.06)).excess(0.05) == pytest.approx(1.2)
    assert WorldTest("failures", (0.0,) * 23 + (0.12,)).excess(0.05) == pytest.approx(1.2)
    assert WorldTest("failures", (0.03, 0.03, 0.03)).excess(0.05) == pytest.approx(2.4)


def test_a_rollout_is_given_up_only_where_it_leaves_more_than_the_bound() -> None:
    of = project()
    model, _, reference = placed(of)
    flown = executed_only(model, reference)
    worlds, _ = stress_worlds(of, model, STRESS.unrepaired)
    for made in worlds:
        world = made.with_weights(ObjectiveWeights.of(Setting.A))
        share = world.held_share(rollouts(world, flown, [0], 1)[0].metrics)
        (within,) = rollouts(world, flown, [0], 1, bounds=world.bounds(1.001 * share))
        (beyond,) = rollouts(world, flown, [0], 1, bounds=world.bounds(0.999 * share))
        assert 0.0 < share < 1.0 and within.exceeded is None and beyond.exceeded is not None
        assert made.with_weights(ObjectiveWeights.of(Setting.B)).bounds(0.01).none and world.bounds(1.0).none


def test_a_pruning_that_used_its_allowance_up_goes_on_with_a_larger_one(tmp_path: Path) -> None:
    of = project(limit=1e-4)
    little = replace(of, plan=replace(of.plan, elimination=replace(of.plan.elimination, allowance=30)))
    model, margin, reference = placed(little)
    pruning = margin.second_stage(model, reference)
    while not pruning.finished:
        pruning.advance()
    assert pruning.finished == "allowance"
    pruning.state().save(tmp_path / "state")
    assert margin.second_stage(model, reference, tmp_path / "state").finished == "allowance"
    longer = MarginPlanning(of, model).second_stage(model, reference, tmp_path / "state")
    assert not longer.finished
    rollouts_before = longer.report.rollouts
    longer.advance()
    assert longer.report.rollouts > rollouts_before


def test_the_draw_that_ranks_drops_is_the_worst_that_holds() -> None:
    assert WorldTest("failures", (0.01, 0.04, 0.3, 0.02)).nearest(0.05) == 1
    assert WorldTest("failures", (0.4, 0.2, 0.3)).nearest(0.05) == 1


def test_step_sizes_fall_along_half_a_cosine() -> None:
    assert falling(3.0, 1.0, 0.0) == 3.0
    assert falling(3.0, 1.0, 0.5) == pytest.approx(2.0)
    assert falling(3.0, 1.0, 1.5) == 1.0


def test_a_plan_that_leaks_mends_before_what_was_removed_is_judged() -> None:
    of = project(adapt_epochs=4, limit=1e-4)
    # A round that has begun is finished, though the allowance is used up in it.
    of = replace(of, plan=replace(of.plan, elimination=replace(of.plan.elimination, allowance=30)))
    model, margin, reference = placed(of)
    pruning = margin.second_stage(model, reference)
    attempts, drops = [], []
    while not pruning.finished:
        pruning.advance()
        counts = pruning.state().counts
        if counts[Count.ROUND] == 1 and counts[Count.ATTEMPT] not in attempts:
            attempts.append(int(counts[Count.ATTEMPT]))
            drops.append((int(pruning.state().kept.sum()), int(pruning.state().trial.sum())))
    assert attempts == [0, 1, 2]
    assert drops[0][1] > drops[1][1] and len({kept for kept, _ in drops}) == 1
    assert drops[2][1] >= drops[1][1]
    assert pruning.finished == "allowance" and pruning.state().counts[Count.ROLLOUTS] > 30


def test_the_allowance_counts_no_gradients() -> None:
    of = project(adapt_epochs=40, limit=1e-4)
    of = replace(of, plan=replace(of.plan, elimination=replace(of.plan.elimination, allowance=300)))
    model, margin, reference = placed(of)
    pruning = margin.second_stage(model, reference)
    while pruning.state().counts[Count.ROUND] < 2:
        assert not pruning.finished
        pruning.advance()
    assert pruning.report.rollouts > 300


def test_only_removed_drops_come_back() -> None:
    of = project(adapt_epochs=12, limit=1e-4)
    model, margin, reference = placed(of)
    pruning = margin.second_stage(model, reference)
    trials: list[np.ndarray] = []
    while not pruning.finished and pruning.state().counts[Count.ROUND] < 2:
        pruning.advance()
        trials.append(pruning.state().trial)
        assert not (pruning.state().trial & ~pruning.state().kept).any()
    more = [bool((later & ~earlier).any()) for earlier, later in pairwise(trials)]
    assert any(more)


def test_a_slope_follows_a_scenario_no_further_than_its_fire_escapes() -> None:
    of = project()
    model, _, schedule = placed(of)
    worlds, _ = stress_worlds(of, model, STRESS.scenarios[:2])
    followed = []
    for limit in (1e-3, 0.1, 1.0):
        training = ScenarioTraining(model, worlds[1:], limit, 3)
        rollout, design, mean = training.step(schedule, 0, 2, Leaks.unknown(2))
        followed.append((rollout.metrics, design.pose, mean.pose))
    # The design is followed to its end whatever the limit is.
    assert len({metrics for metrics, _, _ in followed}) == 1
    np.testing.assert_array_equal(followed[0][1], followed[2][1])
    assert not np.array_equal(followed[0][2], followed[2][2])
    assert not np.array_equal(followed[0][2], followed[1][2])


def test_the_cells_at_a_share_of_the_growth() -> None:
    of = project()
    model, _ = planning(of)
    (world, *_), _ = stress_worlds(of, model, STRESS.scenarios[:1])
    assert world.cells_at(0.0) == world.start_cells
    cells = world.cells_at(0.25)
    assert world.start_cells < cells < world.cells_no_drops
    assert world.share(replace(world.no_drops, final_extent_cells=cells)) == pytest.approx(0.25)
    # All growth is no limit, and neither is a part of it where only regions count.
    assert world.cells_at(1.0) == np.inf
    assert world.with_weights(ObjectiveWeights(burn=0.0, final=1.0, prot=1.0)).cells_at(0.25) == np.inf


def test_leaks_remember_the_worst_draws_of_the_latest_test_of_each_world() -> None:
    leaks = Leaks.unknown(3).after(1, WorldTest("failures", (0.2, 0.0, 0.06, 0.5, 0.07, 0.3)), 7, 0.05)
    np.testing.assert_array_equal(leaks.weights, [1.0, 2.0, 1.0])
    np.testing.assert_array_equal(leaks.draws[:5], [[1, 7, 3], [1, 7, 5], [1, 7, 0], [1, 7, 4], [-1, -1, -1]])
    leaks = leaks.after(2, WorldTest("weak", (0.1,)), 8, 0.05).after(1, WorldTest("failures", (0.0, 0.0)), 9, 0.05)
    np.testing.assert_array_equal(leaks.weights, [1.0, 0.15, 2.0])
    np.testing.assert_array_equal(leaks.draws[:2], [[2, 8, 0], [-1, -1, -1]])
    same = Leaks.of_array(leaks.array(), 3)
    np.testing.assert_array_equal(same.draws, leaks.draws)
    np.testing.assert_array_equal(same.weights, leaks.weights)


def test_plans_on_the_way_are_told_and_telling_them_changes_nothing() -> None:
    """The states are those of a pruning that tells nothing, and what is told last is the plan."""
    of = project()
    model, margin, reference = placed(of)
    told, silent = margin.second_stage(model, reference), margin.second_stage(model, reference)
    plans: list[PlanTried] = []

    class NoList(list[PlanTried]):
        def append(self, plan: PlanTried) -> None:
            """Drop the plan."""

    silent.tried = NoList()
    for _ in range(400):
        told.advance()
        silent.advance()
        plans += told.tried
        for plan in told.tried:
            if plan.metrics is None:
                # As a run does for its curve, between two steps.
                simulate(model, plan.schedule)
        same_arrays(told.state(), silent.state())
        if told.finished:
            break
    assert told.finished == silent.finished != ""
    taken = [plan for plan in plans if plan.is_taken]
    assert np.array_equal(taken[0].schedule.proposed, margin.second_stage(model, reference).schedule.proposed)
    assert np.array_equal(taken[-1].schedule.proposed, told.schedule.proposed)
    assert np.array_equal(taken[-1].schedule.poses, told.schedule.poses)
    assert taken[-1].metrics == told.report.metrics
    assert taken[-1].excess == told.state().excess.max()
    assert all(not plan.is_taken or plan.metrics is not None for plan in plans)
