"""Every planner of the benchmark by its name: it keeps what the benchmark promises of all of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from safetensors.numpy import load, save

from firegui.domain.benchmark import PlannerName
from firegui.domain.results import Violations
from firegui.domain.settings import DESIGN, NOMINAL, PlanSettings
from firegui.errors import CancelledError
from firegui.planning import benchmark
from firegui.planning.audit import AuditReport, audit
from firegui.planning.benchmark import missing_extra, planner_of, searches_at
from firegui.planning.evaluations import Arrays
from firegui.rollout.gates import gates_of
from firegui.rollout.model import Model
from firegui.rollout.simulate import simulate
from tests.support import stop
from tests.unit.planning.planners.planner_contexts import ALLOWANCE, BUDGET, contest_of, finish, rounds

PLANNERS = [
    pytest.param(name, marks=pytest.mark.skipif(bool(missing_extra(name)), reason=f"needs {missing_extra(name)}"))
    for name in PlannerName
    if name is not PlannerName.TWO_STAGE
]
every_planner = pytest.mark.parametrize("name", PLANNERS)


def stored(arrays: Arrays) -> Arrays:
    """As a checkpoint brings them back."""
    loaded: Arrays = load(save({name: np.ascontiguousarray(array) for name, array in arrays.items()}))
    return loaded


@every_planner
def test_one_that_is_interrupted_after_any_round_ends_with_the_same_bits(model: Model, name: PlannerName) -> None:
    context = contest_of(model)
    snapshots = [(stored(planner.state()), stored(context.evaluations.state())) for planner in rounds(name, context)]
    last, spent = snapshots[-1]
    for state, counted in snapshots[:: max(len(snapshots) // 3, 1)]:
        again = contest_of(model, state=counted)
        planner = finish(name, again, state)
        assert planner.state().keys() == last.keys()
        assert all(np.array_equal(planner.state()[key], last[key]) for key in last)
        ended = again.evaluations.state()
        measured = {"spans"}  # the clock's, but for the best objective
        assert all(np.array_equal(ended[key], spent[key]) for key in spent.keys() - measured)
        assert ended["spans"][0] == spent["spans"][0]


@every_planner
def test_it_keeps_its_allowance_and_its_best_breaks_no_rule(model: Model, name: PlannerName) -> None:
    context = contest_of(model)
    planner = finish(name, context)
    evaluations = context.evaluations
    assert 0 < evaluations.spent <= ALLOWANCE
    assert evaluations.objective.value(simulate(model, evaluations.best).metrics) == pytest.approx(
        evaluations.best_objective, rel=1e-12
    )
    assert [best for _, best in evaluations.curve] == sorted({best for _, best in evaluations.curve}, reverse=True)
    executed = gates_of(evaluations.best, model.fleet, model.maps, model.rules).executed
    drops = [(step, column) for step, column in np.argwhere(executed).tolist()]
    report = audit(evaluations.best, model.fleet, model.maps.steps_per_day, model.shape, drops)
    assert report.counts == Violations(0, 0, 0, 0)
    assert (planner.dimension > 0) == (name.value.startswith(("cma", "gradient", "diff", "particle")))


@every_planner
def test_a_cancelled_round_raises_and_charges_nothing_that_is_not_whole(model: Model, name: PlannerName) -> None:
    context = contest_of(model)

    with pytest.raises(CancelledError):
        planner_of(name, context).advance(stop)
    assert context.evaluations.spent == 0


@pytest.mark.parametrize("name", [PlannerName.UNIFORM, PlannerName.FOOTPRINT, PlannerName.TACTICAL, PlannerName.GREEDY])
def test_constructions_never_exceed_the_budget(model: Model, name: PlannerName) -> None:
    context = contest_of(model)
    finish(name, context)
    assert simulate(model, context.evaluations.best).metrics.drops_executed == BUDGET


def test_the_two_stage_plan_is_no_planner_under_an_allowance(model: Model) -> None:
    with pytest.raises(ValueError, match="two-stage"):
        planner_of(PlannerName.TWO_STAGE, contest_of(model))


def test_two_planners_search_at_the_design_effectiveness() -> None:
    at_design = {name for name in PlannerName if searches_at(name, PlanSettings()) == DESIGN}
    assert at_design == {PlannerName.GRADIENT_DESIGN, PlannerName.TWO_STAGE}
    assert searches_at(PlannerName.GRADIENT, PlanSettings()) == NOMINAL


def test_only_planners_of_a_package_that_is_not_there_miss_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(benchmark, "find_spec", lambda package: None if package == "nevergrad" else object())
    missing = {name: missing_extra(name) for name in PlannerName if missing_extra(name)}
    assert missing == {PlannerName.DIFFERENTIAL_EVOLUTION: "nevergrad", PlannerName.PARTICLE_SWARM: "nevergrad"}


def test_the_papers_three_rules_are_counted_apart_and_all_others_together() -> None:
    report = AuditReport(9, 8, 1, 2, 3, 4, (), dark=5, closed=6, sorties=7, cap=8, zones=9, pinned=10)
    assert report.counts == Violations(1, 2, 3, 4 + 5 + 6 + 7 + 8 + 9 + 10)
    assert replace(report, outside=0).counts.others == 45
