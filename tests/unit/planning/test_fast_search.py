"""The fast search on small fires: how well it protects, and that it can be stopped and resumed."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from firegui.domain.schedule import Schedule
from firegui.domain.settings import ObjectiveWeights, OptimizerSettings, PlanSettings, SearchMethod
from firegui.errors import CancelledError, InputError
from firegui.planning import fast_removal, fast_search
from firegui.planning.elimination import Elimination
from firegui.planning.fast_removal import FastRemoval, FastRemovalState
from firegui.planning.fast_search import FastPlanner, planner, restore_planner
from firegui.planning.gradient import GradientPlanner
from firegui.planning.initialization import front_schedule
from firegui.planning.trials import passes, run
from firegui.planning.two_stage import eliminator
from firegui.rollout.model import Model
from firegui.rollout.simulate import simulate
from tests.numerics.cases import model_of, random_maps, small_fleet
from tests.support import stop

SETTINGS = OptimizerSettings(search=SearchMethod.FAST, exclusion_cells=3.0, learning_rate=0.02)
PLAN = PlanSettings(optimizer=SETTINGS)
STATE = ("logits", "pose_logits", "best_logits", "best_pose_logits", "pose_square", "progress")


@pytest.fixture(scope="module")
def model() -> Model:
    return model_of(random_maps(1, shape=(24, 26)), small_fleet(), weights=ObjectiveWeights())


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few epochs: the fires are small."""
    monkeypatch.setattr(fast_search, "EPOCHS", 20)
    monkeypatch.setattr(fast_removal, "EPOCHS", 8)


def first_stage(model: Model, settings: OptimizerSettings = SETTINGS) -> FastPlanner:
    return FastPlanner(model, settings, front_schedule(model, settings))


def placed(model: Model, settings: OptimizerSettings = SETTINGS) -> FastPlanner:
    search = first_stage(model, settings)
    while not search.finished:
        search.epoch()
    return search


def removal_of(model: Model, reference: Schedule, checkpoint: Path | None = None) -> FastRemoval:
    removal = eliminator(model, PLAN, reference, checkpoint)
    assert isinstance(removal, FastRemoval)
    return removal


def ended(removal: FastRemoval | Elimination) -> FastRemoval | Elimination:
    while not removal.finished:
        removal.advance()
    return removal


def same_schedule(one: Schedule, other: Schedule) -> bool:
    return np.array_equal(one.logits, other.logits) and np.array_equal(one.poses, other.poses)


def test_the_settings_choose_the_search(model: Model) -> None:
    start = front_schedule(model, SETTINGS)
    assert type(planner(model, SETTINGS, start)) is FastPlanner
    assert type(planner(model, replace(SETTINGS, search=SearchMethod.PAPER), start)) is GradientPlanner
    assert type(eliminator(model, PlanSettings(), start)) is Elimination


def test_the_search_protects_as_well_as_the_papers_in_as_many_steps_and_its_best_plan_is_scored_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.undo()
    model = model_of(random_maps(2, shape=(24, 26), days=3), small_fleet(), weights=ObjectiveWeights())
    settings = OptimizerSettings(exclusion_cells=3.0)
    fast = placed(model, settings)
    paper = GradientPlanner(model, replace(settings, epochs=fast.epochs_done), front_schedule(model, settings))
    while not paper.finished:
        paper.epoch()
    assert simulate(model, fast.best).metrics.objective == pytest.approx(fast.best_objective, abs=0.0)
    assert fast.best_objective < 1.02 * paper.best_objective


def test_the_extent_widens_until_a_plan_keeps_it_and_each_has_its_own_best_plan(model: Model) -> None:
    search = first_stage(model)
    extents, wholes = [], []
    while not search.finished:
        report = search.epoch()
        extents.append(search.extent)
        wholes.append(report.is_whole)
        assert report.is_whole == (report.metrics.final_extent_cells <= search.extent)
        assert search.epochs >= search.epochs_done
    assert extents == sorted(extents)
    assert extents[0] < extents[-1]
    assert not wholes[0]
    assert any(wholes[-20:])
    assert search.best_epoch >= len(extents) - 20


def test_an_objective_without_the_growth_of_the_fire_has_no_extent() -> None:
    weights = ObjectiveWeights(burn=0.0, final=1.0, prot=100.0, budget=0.0)
    model = model_of(random_maps(1, shape=(24, 26)), small_fleet(), weights=weights)
    search = FastPlanner(model, SETTINGS, front_schedule(model, SETTINGS), epochs=20)
    assert math.isinf(search.extent)
    for _ in range(20):
        assert search.epoch().is_whole
    assert search.finished == "epochs"


def test_the_epochs_of_the_settings_are_the_most(model: Model) -> None:
    search = first_stage(model, replace(SETTINGS, epochs=7))
    while not search.finished:
        search.epoch()
    assert search.epochs_done == 7


@pytest.mark.parametrize("stop_after", [5, 20, 23])
def test_a_resumed_search_ends_with_the_bits_of_an_unbroken_one(model: Model, stop_after: int, tmp_path: Path) -> None:
    unbroken, broken = first_stage(model), first_stage(model)
    for _ in range(stop_after):
        broken.epoch()
    broken.state().save(tmp_path / "state.safetensors")
    resumed = restore_planner(model, SETTINGS, tmp_path / "state.safetensors")
    for _ in range(26):
        unbroken.epoch()
    for _ in range(26 - stop_after):
        resumed.epoch()
    for name in STATE:
        np.testing.assert_array_equal(getattr(resumed.state(), name), getattr(unbroken.state(), name))


def test_a_cancelled_epoch_leaves_the_search_as_it_was_also_where_the_extent_widens(model: Model) -> None:
    search = first_stage(model)
    for _ in range(20):
        search.epoch()
    before = search.state()
    with pytest.raises(CancelledError):
        search.epoch(stop)
    assert search.state() is before


def test_a_state_of_the_papers_search_is_refused(model: Model) -> None:
    paper = GradientPlanner(model, SETTINGS, front_schedule(model, SETTINGS))
    with pytest.raises(InputError, match="checkpoint"):
        FastPlanner(model, SETTINGS, front_schedule(model, SETTINGS), state=paper.state())


def test_the_removal_holds_what_the_papers_holds_with_no_more_drops(model: Model) -> None:
    reference = placed(model).best
    fast = ended(removal_of(model, reference))
    paper = ended(eliminator(model, replace(PLAN, optimizer=replace(SETTINGS, search=SearchMethod.PAPER)), reference))
    assert fast.finished == "minimal"
    assert fast.report.drops <= 1.1 * paper.report.drops
    assert fast.report.drops_before == paper.report.drops_before
    assert all(ratio <= 1.0 for ratio in fast.report.ratios.values() if not math.isnan(ratio))


def test_no_single_drop_that_is_left_can_be_removed(model: Model) -> None:
    reference = placed(model).best
    removal = ended(removal_of(model, reference))
    trials = removal._trials
    assert passes(trials[0], run(trials[0], removal.schedule))
    kept = removal.schedule.proposed
    for pair in np.argwhere(kept):
        left = kept.copy()
        left[tuple(pair)] = False
        assert not passes(trials[0], run(trials[0], removal.schedule.only(left)))


@pytest.mark.parametrize("stop_after", [3, *(pytest.param(count, marks=pytest.mark.slow) for count in (0, 15, 10_000))])
def test_a_resumed_removal_ends_like_an_unbroken_one(model: Model, stop_after: int, tmp_path: Path) -> None:
    reference = placed(model).best
    whole, broken = ended(removal_of(model, reference)), removal_of(model, reference)
    for _ in range(stop_after):
        broken.advance()
        if broken.finished:
            break
    broken.state().save(tmp_path / "state.safetensors")
    resumed = ended(removal_of(model, reference, tmp_path / "state.safetensors"))
    assert same_schedule(resumed.schedule, whole.schedule)
    assert repr(resumed.report) == repr(whole.report)


def test_every_plan_that_the_removal_takes_over_holds_and_a_cancelled_step_keeps_the_latest(model: Model) -> None:
    removal = removal_of(model, placed(model).best)
    taken = 0
    while not removal.finished:
        before, report = removal.schedule, repr(removal.report)
        with suppress(CancelledError):
            removal.advance(stop)
            continue  # a step without a fire to compute
        assert same_schedule(removal.schedule, before)
        assert repr(removal.report) == report
        removal.advance()
        for plan in removal.tried:
            taken += 1
            assert plan.metrics == simulate(model, plan.schedule).metrics
            assert passes(removal._trials[0], run(removal._trials[0], plan.schedule))
    assert taken > 1


def test_the_removal_ends_when_the_allowance_is_used_up_and_goes_on_with_a_larger_one(
    model: Model, tmp_path: Path
) -> None:
    reference = placed(model).best
    short = replace(PLAN, elimination=replace(PLAN.elimination, allowance=20))
    removal = ended(eliminator(model, short, reference))
    assert removal.finished == "allowance"
    removal.state().save(tmp_path / "state.safetensors")
    assert ended(removal_of(model, reference, tmp_path / "state.safetensors")).finished == "minimal"


def test_as_many_drops_are_kept_as_are_asked_for(model: Model) -> None:
    reference = placed(model).best
    fewest = ended(removal_of(model, reference)).report.drops + 3
    removal = ended(eliminator(model, replace(PLAN, elimination=replace(PLAN.elimination, keep=fewest)), reference))
    assert (removal.finished, removal.report.drops) == ("enough", fewest)


def test_a_removal_of_another_schedule_is_refused(model: Model, tmp_path: Path) -> None:
    removal_of(model, placed(model).best).state().save(tmp_path / "state.safetensors")
    nothing = Schedule.empty(model.n_steps, model.fleet.n_aircraft)
    with pytest.raises(InputError, match="not of this schedule"):
        removal_of(model, nothing, tmp_path / "state.safetensors")
    assert FastRemovalState.load(tmp_path / "state.safetensors").kept.any()
