"""The tactical heuristic as a plan: the rules it keeps, what it is worth as a start, how it goes on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from firegui.domain.operations import Daylight, Operations, PinnedDrop
from firegui.domain.regions import Region
from firegui.domain.schedule import Schedule
from firegui.domain.settings import OptimizerSettings, Start
from firegui.errors import CancelledError, InputError
from firegui.planning.audit import Conditions, audit
from firegui.planning.initialization import initial_schedule, start_schedule
from firegui.planning.problem import build
from firegui.planning.tactical_plan import TacticalPlan, TacticalState, tactical_plan
from firegui.rollout.gates import gates_of
from firegui.rollout.model import Model
from firegui.rollout.simulate import simulate
from tests.support import make_project

SETTINGS = OptimizerSettings(exclusion_cells=3.0, jitter_cells=1.0, seed=4)


def made(model: Model, budget: int | None = None, settings: OptimizerSettings = SETTINGS) -> TacticalPlan:
    plan = TacticalPlan(model, settings, budget)
    while plan.passes_done < plan.passes:
        plan.advance()
    return plan


def same(one: Schedule, other: Schedule) -> bool:
    return np.array_equal(one.logits, other.logits) and np.array_equal(one.poses, other.poses)


def test_under_every_rule_it_lists_only_what_is_flown_and_all_that_is_pinned() -> None:
    base = make_project()
    pin = PinnedDrop(base.calendar.time_of_step(4), "R-1", 12.0, 14.0, 0.7)
    zone = Region.rectangle("lake", (4.0, 7.0), (6.0, 12.0))
    project = replace(base, operations=Operations(Daylight(0.0, 0.0), (), {"R": 2}, 9, (zone,), (pin,)))
    assert project.problems() == []
    planned = build(project, effectiveness=project.plan.design, backend="cpu")
    best = made(planned).best
    executed = gates_of(best, planned.fleet, planned.maps, planned.rules).executed
    assert np.array_equal(executed, best.proposed)
    assert executed[4, 0]
    assert best.poses[4, 0].tolist() == [12.0, 14.0, 0.7]
    assert 1 < executed.sum() <= 9
    pairs = [(int(step), int(column)) for step, column in np.argwhere(executed)]
    conditions = Conditions.of(project)
    assert audit(best, planned.fleet, planned.maps.steps_per_day, planned.shape, pairs, conditions=conditions).ok


def test_the_budget_counts_every_drop_and_is_used(model: Model) -> None:
    assert int(made(model, 7).best.proposed.sum()) == 7


def test_it_does_better_than_nothing_and_no_pass_before_it_did_better(model: Model) -> None:
    plan, scores = TacticalPlan(model, SETTINGS, None), []
    for _ in range(plan.passes):
        plan.advance()
        scores.append(simulate(model, plan.best).metrics.objective)
    assert scores[-1] == min(scores)
    nothing = Schedule.empty(model.n_steps, model.fleet.n_aircraft)
    assert scores[-1] < simulate(model, nothing).metrics.objective


def test_as_a_warm_start_it_is_the_tactical_start(model: Model) -> None:
    settings = replace(SETTINGS, start=Start.TACTICAL)
    warm = initial_schedule(model, settings, made(model, settings=settings).best, None)
    start = start_schedule(model, settings)
    assert np.array_equal(warm.logits, start.logits)
    assert warm.pose_logits == pytest.approx(start.pose_logits)


def test_with_an_initial_logit_of_zero_its_drops_are_still_listed(model: Model) -> None:
    assert made(model, settings=replace(SETTINGS, initial_logit=0.0)).best.proposed.any()


@pytest.mark.parametrize("passes", [1, 2])
def test_a_restored_one_ends_with_the_same_bits(model: Model, tmp_path: Path, passes: int) -> None:
    whole, broken = made(model), TacticalPlan(model, SETTINGS, None)
    for _ in range(passes):
        broken.advance()
    broken.state().save(tmp_path / "state.safetensors")
    again = tactical_plan(model, SETTINGS, None, tmp_path / "state.safetensors")
    assert (again.passes_done, again.rollouts) == (passes, broken.rollouts)
    while again.passes_done < again.passes:
        again.advance()
    assert same(again.best, whole.best)
    assert again.rollouts == whole.rollouts


def test_a_pass_that_is_cancelled_half_way_is_made_again_from_its_beginning(model: Model) -> None:
    calls = 0

    def count() -> None:
        nonlocal calls
        calls += 1

    plan = TacticalPlan(model, SETTINGS, None)
    plan.advance()
    plan.advance()
    # The last pass forecasts and then scores: cancel it at its very last question.
    probe = TacticalPlan(model, SETTINGS, None, plan.state())
    probe.advance(count)
    allowed = calls - 1

    def cancel() -> None:
        nonlocal allowed
        allowed -= 1
        if allowed < 0:
            raise CancelledError

    with pytest.raises(CancelledError):
        plan.advance(cancel)
    assert plan.passes_done == 2
    again = TacticalPlan(model, SETTINGS, None, plan.state())
    again.advance()
    assert same(again.best, made(model).best)


def test_a_damaged_state_is_refused_in_plain_words(tmp_path: Path) -> None:
    (tmp_path / "state.safetensors").write_bytes(b"nonsense")
    with pytest.raises(InputError, match="start the run again"):
        TacticalState.load(tmp_path / "state.safetensors")
