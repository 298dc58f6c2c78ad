"""Settings carry their bounds, and what is out of bounds is named."""

from __future__ import annotations

import math
import pkgutil
from dataclasses import fields, is_dataclass
from importlib import import_module

import pytest

from firegui import domain
from firegui.calibration import scalar
from firegui.domain.benchmark import BenchmarkSettings
from firegui.domain.fit import NetworkFitSettings
from firegui.domain.options import bounds_problems, option_of, setting_fields
from firegui.domain.scaling import ScalingSettings
from firegui.domain.settings import (
    DESIGN,
    NOMINAL,
    SETTING_TITLES,
    Effectiveness,
    Margin,
    MarginSettings,
    ObjectiveWeights,
    OptimizerSettings,
    PlanSettings,
    RetardantSide,
    Setting,
)
from firegui.domain.study import StudySettings
from firegui.domain.uncertainty import UncertaintySettings


def test_the_defaults_are_the_papers() -> None:
    plan = PlanSettings()

    assert plan.weights == ObjectiveWeights(50.0, 50.0, 0.0, 1e-6)
    assert (plan.nominal, plan.design) == (Effectiveness(0.9, 0.9), Effectiveness(0.85, 0.75))
    assert (plan.nominal, plan.design) == (NOMINAL, DESIGN)
    assert plan.retardant_acts_on is RetardantSide.BOTH
    assert (plan.optimizer.epochs, plan.optimizer.patience, plan.optimizer.learning_rate) == (10_000, 2_000, 3e-3)
    assert plan.problems() == []


def test_a_new_plan_holds_in_every_stress_scenario_unless_something_else_is_chosen() -> None:
    assert PlanSettings().margin.kind is Margin.STRESS


def test_setting_b_protects_first_and_its_budget_is_zero() -> None:
    assert ObjectiveWeights.of(Setting.B) == ObjectiveWeights(burn=0.0, final=1.0, prot=100.0, budget=0.0)
    assert ObjectiveWeights.of(Setting.A) == ObjectiveWeights()
    assert ObjectiveWeights.of(Setting.BOTH) == ObjectiveWeights(burn=50.0, final=50.0, prot=100.0, budget=1e-6)
    assert ObjectiveWeights.of(Setting.CUSTOM) == ObjectiveWeights()


def test_every_setting_has_a_title() -> None:
    assert set(SETTING_TITLES) == set(Setting)


@pytest.mark.parametrize(
    ("plan", "where", "what"),
    [
        (PlanSettings(days=0), "plan", "Days is 0"),
        (PlanSettings(start_day=-1), "plan", "Start day is -1"),
        (PlanSettings(weights=ObjectiveWeights(burn=-1.0)), "objective", "Weight of burned area day by day is -1.0"),
        (PlanSettings(weights=ObjectiveWeights(prot=math.nan)), "objective", "Weight of protected places is nan"),
        (
            PlanSettings(nominal=Effectiveness(retardant=1.0)),
            "nominal effectiveness",
            "How well retardant works is 1.0",
        ),
        (PlanSettings(design=Effectiveness(water=-0.1)), "design effectiveness", "How well water works is -0.1"),
        (PlanSettings(optimizer=OptimizerSettings(epochs=0)), "optimizer", "Search steps is 0"),
        (PlanSettings(optimizer=OptimizerSettings(learning_rate=math.inf)), "optimizer", "Step size is inf"),
        (PlanSettings(optimizer=OptimizerSettings(seed=-1)), "optimizer", "Random seed is -1"),
    ],
)
def test_a_value_out_of_bounds_is_named_with_its_bounds(plan: PlanSettings, where: str, what: str) -> None:
    problems = plan.problems()

    assert [(problem.where, problem.what) for problem in problems] == [(where, what)]
    assert "use a value from" in problems[0].remedy


def test_every_value_out_of_bounds_is_reported() -> None:
    plan = PlanSettings(days=0, weights=ObjectiveWeights(-1.0, -1.0, 0.0, -1.0), optimizer=OptimizerSettings(epochs=0))

    assert len([problem for problem in plan.problems() if "use a value from" in problem.remedy]) == 5


def test_an_objective_that_asks_nothing_of_the_fire_is_refused() -> None:
    only_budget = PlanSettings(weights=ObjectiveWeights(0.0, 0.0, 0.0, 1.0))

    assert any("has a weight" in problem.what for problem in only_budget.problems())


@pytest.mark.parametrize(
    "settings",
    [
        PlanSettings(),
        NetworkFitSettings(),
        BenchmarkSettings(),
        ScalingSettings(),
        UncertaintySettings(),
        StudySettings(),
    ],
)
def test_every_number_says_what_it_is_and_its_default_is_within_its_bounds(settings: object) -> None:
    for item in setting_fields(settings):
        about = item.option
        assert about.title and about.help
        assert about.low is None or about.low <= item.value, item.path
        assert about.high is None or item.value <= about.high, item.path


def test_every_number_of_a_setting_has_a_lowest_and_a_highest_value() -> None:
    modules = [import_module(item.name) for item in pkgutil.iter_modules(domain.__path__, "firegui.domain.")]
    classes = {kind for module in (*modules, scalar) for kind in vars(module).values() if isinstance(kind, type)}
    declared = [
        (f"{kind.__name__}.{item.name}", option_of(kind, item.name))
        for kind in classes
        if is_dataclass(kind)
        for item in fields(kind)
        if item.type in ("int", "float")
    ]
    numbers = {name: option for name, option in declared if option is not None}
    assert len(numbers) > 50
    assert [name for name, option in numbers.items() if option.low is None or option.high is None] == []


def test_a_whole_number_too_large_for_a_float_is_out_of_bounds() -> None:
    (problem,) = bounds_problems(MarginSettings(limit=10**400), "margin")
    assert "use a value from" in str(problem)
