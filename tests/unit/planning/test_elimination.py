from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from firegui.domain.schedule import Schedule
from firegui.domain.settings import EliminationSettings, ObjectiveWeights, RemovalOrder, Setting
from firegui.errors import CancelledError, InputError
from firegui.planning.elimination import Elimination, EliminationState, per_cost, removal_order
from firegui.planning.trials import Trial, constrained_terms, ratios, run, thresholds
from firegui.planning.two_stage import trials_of
from firegui.rollout.day_state import Bounds
from firegui.rollout.gates import apply_gates
from firegui.rollout.model import Model
from firegui.rollout.simulate import Rollout, simulate, simulate_with_gradient
from tests.numerics.cases import model_of, random_maps, random_schedule, small_fleet
from tests.support import stop

TERMS = ("burn", "final")
SETTINGS = EliminationSettings(slack=1.05, first_batch=8, largest_batch=16)


def case(seed: int, days: int = 3) -> tuple[Model, Schedule, Trial]:
    maps = random_maps(seed, days=days)
    model = model_of(maps, small_fleet())
    reference = random_schedule(seed, maps, model.fleet, share=0.6)
    (trial,) = trials_of(model, reference, SETTINGS, TERMS, seed=0)
    return model, reference, trial


def finished(elimination: Elimination) -> Elimination:
    while not elimination.finished:
        elimination.advance()
    return elimination


def holds(model: Model, schedule: Schedule, bounds: Bounds) -> bool:
    metrics = simulate(model, schedule).metrics
    return metrics.loss_burn <= bounds.burn and metrics.loss_final <= bounds.final and metrics.loss_prot <= bounds.prot


def by_the_rule(model: Model, reference: Schedule, bounds: Bounds, settings: EliminationSettings) -> np.ndarray:
    """The paper's sequential rule, a whole rollout for every test."""
    kept = apply_gates(reference.proposed, model.fleet, model.maps.steps_per_day).executed.copy()
    weights = ObjectiveWeights(1.0 / bounds.burn, 1.0 / bounds.final, 0.0, 0.0)

    def test(batch: list[int]) -> bool:
        left = kept.copy()
        left.ravel()[batch] = False
        if holds(model, reference.only(left), bounds):
            kept[:] = left
            return True
        if len(batch) > 1:
            test(batch[: len(batch) // 2])
            test(batch[len(batch) // 2 :])
        return False

    while True:
        before = int(kept.sum())
        scored = replace(model, weights=weights)
        slope = simulate_with_gradient(scored, reference.only(kept))[1].logit.ravel()
        flat = np.flatnonzero(kept)
        order = sorted(flat.tolist(), key=lambda k: (-slope[k], reference.logits.ravel()[k], k))
        position, size = 0, settings.first_batch
        while position < len(order):
            batch = order[position : position + size]
            size = min(2 * size, settings.largest_batch) if test(batch) else max(size // 2, 1)
            position += len(batch)
        if int(kept.sum()) == before:
            return kept


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("ahead", [1, 2, 5])
def test_it_keeps_exactly_what_the_sequential_rule_keeps(seed: int, ahead: int) -> None:
    model, reference, trial = case(seed)
    elimination = finished(Elimination(model, SETTINGS, [trial], reference, ahead=ahead))
    assert np.array_equal(elimination.kept, by_the_rule(model, reference, trial.bounds, SETTINGS))
    assert 0 < elimination.report.drops < elimination.report.drops_before


@pytest.mark.parametrize("seed", range(3))
def test_the_result_holds_and_no_single_drop_can_be_removed(seed: int) -> None:
    model, reference, trial = case(seed)
    elimination = finished(Elimination(model, SETTINGS, [trial], reference))
    assert elimination.finished == "minimal"
    assert holds(model, elimination.schedule, trial.bounds)
    for pair in np.argwhere(elimination.kept):
        left = elimination.kept.copy()
        left[tuple(pair)] = False
        assert not holds(model, reference.only(left), trial.bounds)


def test_a_drop_that_a_turnaround_had_blocked_does_not_take_the_place_of_a_removed_one() -> None:
    model, reference, trial = case(0)
    elimination = finished(Elimination(model, SETTINGS, [trial], reference))
    before = apply_gates(reference.proposed, model.fleet, model.maps.steps_per_day).executed
    after = apply_gates(elimination.schedule.proposed, model.fleet, model.maps.steps_per_day).executed
    assert reference.proposed.sum() > before.sum()
    assert np.array_equal(after, elimination.kept)
    assert not (after & ~before).any()


def test_what_is_kept_keeps_its_logits_and_poses() -> None:
    model, reference, trial = case(1)
    elimination = finished(Elimination(model, SETTINGS, [trial], reference))
    assert np.array_equal(elimination.schedule.logits[elimination.kept], reference.logits[elimination.kept])
    assert (elimination.schedule.logits[~elimination.kept] == -3.0).all()
    assert np.array_equal(elimination.schedule.poses, reference.poses)


@pytest.mark.parametrize("stop_after", [0, 1, 3, 7, 12])
def test_one_that_was_saved_at_any_moment_ends_like_an_unbroken_one(stop_after: int, tmp_path: Path) -> None:
    model, reference, trial = case(2)
    whole = finished(Elimination(model, SETTINGS, [trial], reference))
    broken = Elimination(model, SETTINGS, [trial], reference)
    for _ in range(stop_after):
        broken.advance()
    broken.state().save(tmp_path / "state.safetensors")
    state = EliminationState.load(tmp_path / "state.safetensors")
    resumed = finished(Elimination(model, SETTINGS, [trial], reference, state=state))
    assert np.array_equal(resumed.kept, whole.kept)
    assert repr(resumed.report) == repr(whole.report)


def test_a_cancelled_step_leaves_it_as_it_was() -> None:
    model, reference, trial = case(2)
    elimination = Elimination(model, SETTINGS, [trial], reference)
    elimination.advance()
    before = repr(elimination.report)

    with pytest.raises(CancelledError):
        elimination.advance(stop)
    assert repr(elimination.report) == before
    assert np.array_equal(finished(elimination).kept, by_the_rule(model, reference, trial.bounds, SETTINGS))


def test_it_stops_when_the_allowance_is_used_up_and_still_holds() -> None:
    model, reference, trial = case(1)
    settings = replace(SETTINGS, allowance=6)
    elimination = finished(Elimination(model, settings, [trial], reference))
    assert elimination.finished == "allowance"
    assert elimination.report.rollouts >= 6
    assert holds(model, elimination.schedule, trial.bounds)


def test_it_stops_at_exactly_as_many_as_are_to_be_kept() -> None:
    model, reference, trial = case(1)
    fewest = finished(Elimination(model, SETTINGS, [trial], reference)).report.drops
    elimination = finished(Elimination(model, replace(SETTINGS, keep=fewest + 3), [trial], reference))
    assert elimination.finished == "enough"
    assert elimination.report.drops == fewest + 3
    assert holds(model, elimination.schedule, trial.bounds)


def test_a_reference_with_no_more_than_is_to_be_kept_is_left_alone() -> None:
    model, reference, trial = case(1)
    before = Elimination(model, SETTINGS, [trial], reference).report.drops
    elimination = Elimination(model, replace(SETTINGS, keep=before), [trial], reference)
    assert elimination.finished == "enough"
    assert elimination.report.drops == before


def test_a_larger_allowance_goes_on_where_a_smaller_one_ended() -> None:
    model, reference, trial = case(1)
    small = finished(Elimination(model, replace(SETTINGS, allowance=9), [trial], reference))
    assert small.finished == "allowance"
    more = finished(Elimination(model, SETTINGS, [trial], reference, state=small.state()))
    whole = finished(Elimination(model, SETTINGS, [trial], reference))
    assert np.array_equal(more.kept, whole.kept)


def test_every_rollout_that_the_rule_asks_for_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    model, reference, _ = case(3)
    settings = replace(SETTINGS, perturbations=3, perturbation_scale=0.02)
    trials = trials_of(model, reference, settings, TERMS, seed=0)
    counted = [0]

    def counting(one: Trial, schedule: Schedule, **how: object) -> Rollout:
        counted[0] += 1
        return run(one, schedule, **how)  # type: ignore[arg-type]

    monkeypatch.setattr("firegui.planning.elimination.run", counting)
    elimination = Elimination(model, settings, trials, reference, ahead=1)
    nominal = 1
    while not elimination.finished:
        before = elimination.report
        elimination.advance()
        asked = elimination.report.rollouts - before.rollouts
        nominal += int(asked > 0)
    assert elimination.report.rollouts == counted[0] + nominal


def test_a_reference_that_breaks_its_constraints_is_left_alone() -> None:
    model, reference, trial = case(1)
    broken = replace(trial, bounds=Bounds(burn=trial.bounds.burn / 2.0))
    elimination = Elimination(model, SETTINGS, [broken], reference)
    assert elimination.finished == "infeasible"
    assert elimination.report.drops == elimination.report.drops_before


def test_every_trial_has_to_hold() -> None:
    model, reference, trial = case(3)
    shift = np.random.default_rng(0).normal(0.0, 0.02, (*reference.logits.shape, 3))
    moved = Trial(model, Bounds(), shift)
    metrics = simulate(model, moved.schedule(reference)).metrics
    moved = replace(moved, bounds=thresholds(metrics, TERMS, SETTINGS))
    strict = finished(Elimination(model, SETTINGS, [trial, moved], reference))
    plain = finished(Elimination(model, SETTINGS, [trial], reference))
    assert holds(model, moved.schedule(strict.schedule), moved.bounds)
    assert not holds(model, moved.schedule(plain.schedule), moved.bounds)


def test_the_order_is_by_the_falling_gradient() -> None:
    model, reference, trial = case(0)
    executed = apply_gates(reference.proposed, model.fleet, model.maps.steps_per_day).executed
    order = removal_order(model, trial, reference, executed, reference.only(executed), None)
    scored = replace(model, weights=ObjectiveWeights(1.0 / trial.bounds.burn, 1.0 / trial.bounds.final, 0.0, 0.0))
    slope = simulate_with_gradient(scored, reference.only(executed))[1].logit.ravel()[order]
    assert sorted(order) == np.flatnonzero(executed).tolist()
    assert (np.diff(-slope) >= 0.0).all()


def test_drops_without_any_effect_go_in_the_order_of_their_logits() -> None:
    maps = random_maps(0)
    still = replace(maps, phi=np.zeros_like(maps.phi))
    model = model_of(still, small_fleet())
    reference = random_schedule(0, still, model.fleet)
    (trial,) = trials_of(model, reference, SETTINGS, TERMS, seed=0)
    retardant = apply_gates(reference.proposed, model.fleet, still.steps_per_day).executed.copy()
    retardant[:, 3:] = False
    order = removal_order(model, trial, reference, retardant, reference, None)
    assert len(order) > 10
    assert (np.diff(reference.logits.ravel()[order]) > 0.0).all()


def test_a_state_of_another_schedule_is_refused() -> None:
    model, reference, trial = case(0)
    elimination = Elimination(model, SETTINGS, [trial], reference)
    elimination.advance()
    nothing = Schedule.empty(*reference.logits.shape)
    with pytest.raises(InputError, match="not of this schedule"):
        Elimination(model, SETTINGS, [trial], nothing, state=elimination.state())


def test_a_damaged_state_is_refused_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "state.safetensors"
    path.write_bytes(b"nothing of the kind")
    with pytest.raises(InputError, match="without resuming"):
        EliminationState.load(path)


@pytest.mark.parametrize(
    ("setting", "weights", "terms"),
    [
        (Setting.A, ObjectiveWeights.of(Setting.A), ("burn", "final")),
        (Setting.B, ObjectiveWeights.of(Setting.B), ("prot",)),
        (Setting.BOTH, ObjectiveWeights.of(Setting.BOTH), ("burn", "final", "prot")),
        (Setting.CUSTOM, ObjectiveWeights(0.0, 3.0, 1.0, 0.0), ("final", "prot")),
        (Setting.CUSTOM, ObjectiveWeights(5.0, 3.0, 0.0, 0.0, val=2.0), ("burn", "final", "val")),
    ],
)
def test_the_constrained_terms_are_the_papers(
    setting: Setting, weights: ObjectiveWeights, terms: tuple[str, ...]
) -> None:
    assert constrained_terms(setting, weights) == terms


def test_a_threshold_is_the_slack_on_the_reference_but_never_below_the_floor() -> None:
    model, reference, _ = case(0)
    metrics = simulate(model, reference).metrics
    found = thresholds(metrics, ("burn", "prot"), EliminationSettings(slack=1.5, floor=10.0))
    assert (found.burn, found.final, found.prot) == (10.0, np.inf, 10.0)
    loose = thresholds(metrics, ("burn", "prot"), EliminationSettings(slack=1.5, floor=0.0))
    assert (loose.burn, loose.prot) == (1.5 * metrics.loss_burn, 1.5 * metrics.loss_prot)
    shown = ratios(metrics, loose)
    assert shown["burn"] == pytest.approx(1.0 / 1.5)
    assert np.isnan(shown["final"])


def test_by_cost_the_dearest_drops_are_tried_first_and_what_is_left_is_minimal() -> None:
    model, reference, _ = case(0)
    prices = {"R": 100.0, "BIG": 5000.0, "W": 0.0}
    kinds = tuple(replace(kind, drop_price=prices[kind.id]) for kind in model.fleet.types)
    model = replace(model, fleet=replace(model.fleet, types=kinds))
    trial = Trial(model, case(0)[2].bounds)
    settings = replace(SETTINGS, order=RemovalOrder.COST)
    elements = apply_gates(reference.proposed, model.fleet, model.maps.steps_per_day).executed
    order = removal_order(model, trial, reference, elements, reference, None, costs=model.relative_costs)
    costs = model.relative_costs[order % elements.shape[1]]
    assert (np.diff(costs) <= 0.0).all() and len(set(costs.tolist())) == 3
    usual = removal_order(model, trial, reference, elements, reference, None)
    for cost in set(costs.tolist()):
        assert np.array_equal(order[costs == cost], usual[model.relative_costs[usual % elements.shape[1]] == cost])

    by_count, by_cost = (
        finished(Elimination(model, each, [trial], reference)) for each in (SETTINGS, settings)
    )  # fmt: skip
    assert by_cost.finished == "minimal" and holds(model, by_cost.schedule, trial.bounds)
    spent = [float((each.kept @ model.relative_costs).sum()) for each in (by_count, by_cost)]
    assert spent[1] <= spent[0]


def test_worth_by_cost_lets_the_dearest_go_first_among_drops_of_one_worth() -> None:
    worth, costs = np.array([[2.0, 2.0, 2.0], [-1.0, -1.0, 0.0]]), np.array([4.0, 1.0, 0.0])
    assert per_cost(worth, None) is worth
    assert per_cost(worth, costs).tolist() == [[0.5, 2.0, np.inf], [-4.0, -1.0, 0.0]]
