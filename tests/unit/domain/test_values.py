"""Value layers: sums, shares of the goal and what keeps them from being used."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from firegui.domain.plan_summary import value_summaries
from firegui.domain.settings import ObjectiveWeights, PlanSettings, Setting, goal_short
from firegui.domain.stress import (
    StressDraw,
    StressResult,
    StressScenario,
    StressTable,
    missed_text,
    verdict_text,
)
from firegui.domain.values import ValueLayer, goal_shares, share_lost, value_problems
from tests.unit.io.builders import project as make_project

SHAPE = (4, 5)


def layer(name: str = "homes", value: float = 1.0, **changes: float) -> ValueLayer:
    return ValueLayer.of(name, "homes.csv", np.full(SHAPE, value), **changes)


def test_a_layer_knows_its_sum_and_equal_cells_make_equal_layers() -> None:
    one = layer(susceptibility=0.25)
    assert (one.terms.total, one.terms.at_risk) == (20.0, 5.0)
    assert one == layer(susceptibility=0.25)
    assert one != layer(value=2.0, susceptibility=0.25)


def test_shares_of_the_goal_are_by_weight_susceptibility_and_sum() -> None:
    terms = [layer(weight=3.0).terms, layer("people", 2.0, susceptibility=0.5).terms]
    assert goal_shares(terms) == pytest.approx((0.75, 0.25))
    assert goal_shares([replace(one, weight=0.0) for one in terms]) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("value", "what"),
    [(np.nan, "20 values are not a number"), (np.inf, "20 values are infinite"), (-1.0, "20 values are below 0"),
     (0.0, "every value is 0")],
)  # fmt: skip
def test_cells_that_are_no_values_are_refused(value: float, what: str) -> None:
    assert [problem.what for problem in value_problems([layer(value=value)], SHAPE)] == [what]


def test_every_problem_is_named() -> None:
    wrong = [
        layer(" "), layer("homes", weight=-1.0), layer("homes", susceptibility=2.0),
        ValueLayer.of("small", "", np.ones((2, 2))),
    ]  # fmt: skip
    found = " ".join(f"{problem.where}: {problem.what};" for problem in value_problems(wrong, SHAPE))
    for text in ("name is empty", "Weight", "Susceptibility", "2 × 2 cells on a grid of 4 × 5", "homes"):
        assert text.lower() in found.lower(), (text, found)


def test_layers_of_which_none_counts_are_refused() -> None:
    assert value_problems([layer(weight=0.0), layer("people")], SHAPE) == []
    assert "every weight" in value_problems([layer(weight=0.0)], SHAPE)[0].what


def test_a_goal_that_counts_values_needs_a_layer_and_says_so_in_words() -> None:
    bare = make_project()
    project = replace(bare, plan=PlanSettings()).counting_values()
    assert (project.plan.setting, project.plan.weights.val) == (Setting.CUSTOM, 100.0)
    assert any("no value layer" in problem.what for problem in project.problems())
    assert goal_short(project.plan) == "Whole fire and values"
    for weights, text in (
        (ObjectiveWeights(0.0, 1.0, 100.0, 0.0, val=50.0), "Regions and values"),
        (ObjectiveWeights(0.0, 0.0, 0.0, 0.0, val=50.0), "Values"),
        (ObjectiveWeights(1.0, 1.0, 1.0, 0.0, val=50.0), "Whole fire, regions and values"),
        (ObjectiveWeights(0.0, 0.0, 0.0, 0.0), "Whole fire"),
        (ObjectiveWeights(0.0, 1.0, 1.0, 0.0), "Regions"),
    ):
        assert goal_short(PlanSettings(setting=Setting.CUSTOM, weights=weights)) == text


def test_what_is_lost_is_reported_by_layer_with_and_without_the_plan() -> None:
    bare = make_project()
    half = ValueLayer.of("homes", "", np.full(bare.scenario.grid.shape, 2.0), susceptibility=0.5)
    project = replace(bare, values=(half, replace(half, terms=replace(half.terms, name="barns", weight=0.0))))
    cells = bare.scenario.grid.n_cells
    fires = [np.full(bare.scenario.grid.shape, share, np.float32) for share in (0.25, 0.75)]
    lost = [[layer.lost(fire) for layer in project.values] for fire in fires]
    assert lost[0] == pytest.approx([0.25 * cells] * 2)
    homes, barns = value_summaries(project.counting_values(), *lost)
    assert (homes.at_risk, homes.lost, homes.lost_no_drops, homes.is_in_goal) == (cells, lost[0][0], lost[1][0], True)
    assert not barns.is_in_goal
    figure = homes.figure("without drops")
    assert figure.title == "Value lost: homes"
    assert figure.text == f"{0.25 * cells:.1f} ({0.75 * cells:.1f} without drops; of {cells:.1f} at risk)"
    unknown = value_summaries(project, (), ())
    assert [one.lost for one in unknown] == [None, None]
    assert "not in the goal" in unknown[0].figure("without drops").text


def test_the_share_that_is_lost_weighs_the_layers() -> None:
    layers = (layer(weight=3.0), layer("people", 2.0, susceptibility=0.5))
    fire = np.zeros(SHAPE)
    fire[0] = 1.0
    assert share_lost(layers, fire) == pytest.approx(0.25)
    assert share_lost((), fire) == 0.0
    assert layers[0].lost(None) is None and layers[0].lost(np.zeros((2, 2))) is None


def test_a_goal_about_values_alone_is_judged_by_what_is_lost_of_them() -> None:
    held, weak = (StressDraw(900.0, 0.0, 0.9, 4, loss_val=loss) for loss in (0.1, 0.3))
    results = [StressResult(StressScenario(name), 4.0, 1000.0, (draw,), 0.0, 0.0, 0.1, 0.5)
               for name, draw in (("model", held), ("weak", weak))]  # fmt: skip
    table = StressTable(4, results[0], (results[1],))
    values = PlanSettings(setting=Setting.CUSTOM, weights=ObjectiveWeights(0.0, 1.0, 0.0, 0.0, val=100.0))
    assert results[1].value_share() == pytest.approx(0.5)
    assert missed_text(table, values) == (
        "Does not hold: 50 % of the growth in values lost left in “weak” (limit 5.0 %)"
    )
    kept = StressTable(4, results[0], (results[0],))
    assert verdict_text(kept, values, 0.09).startswith("The values hold in “model”; the fire grows to")
    assert missed_text(kept, PlanSettings()).startswith("Does not hold: 90 % of the growth left")
