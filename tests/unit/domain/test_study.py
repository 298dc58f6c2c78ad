"""The cells of a study, what factors do to a project, and what a table comes to."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from firegui.analyses.study.report import columns_of
from firegui.domain.results import Violations
from firegui.domain.settings import Margin, ObjectiveWeights, Setting
from firegui.domain.stress import NOMINAL, StressDraw, StressResult, StressScenario, StressTable
from firegui.domain.study import Case, Cell, Sampling, StudySettings, Value, Vary, cells_of
from firegui.domain.study_factors import prepared, study_cells, study_problems, value_problems
from firegui.domain.study_table import StudyRow, StudyTable, front_of, heat_of, levels_of, tornado_of
from firegui.domain.units import Units
from firegui.errors import InputError
from tests.support import make_project
from tests.unit.analyses.study_stub import metrics

GRID = StudySettings(
    vary=(Vary("seed", (5, 6)), Vary("nominal", (), 0.6, 0.9, 4)), cases=(Case("a"), Case("b", {"days": 1}))
)  # fmt: skip


def set_to(name: str, value: Value) -> Cell:
    return Cell(0, ((name, value),))


def test_every_case_has_every_combination_the_last_factor_fastest() -> None:
    cells = cells_of(GRID)
    assert len(cells) == GRID.count == 16
    assert [cell.number for cell in cells] == list(range(16))
    assert [cell.case for cell in cells] == ["a"] * 8 + ["b"] * 8
    assert [cell.value("seed") for cell in cells[:8]] == [5] * 4 + [6] * 4
    assert [cell.value("nominal") for cell in cells[:4]] == pytest.approx([0.6, 0.7, 0.8, 0.9])
    assert cells[0].value("days") is None and cells[8].value("days") == 1
    assert GRID.names == ("case", "seed", "nominal", "days")


def test_a_latin_hypercube_uses_every_stratum_of_every_factor_once() -> None:
    study = StudySettings(
        vary=(Vary("nominal", (), 0.5, 0.9), Vary("fleet.R.count", (), 0, 3), Vary("setting", ("A", "B"))),
        sampling=Sampling.LATIN, samples=8, seed=3,
    )  # fmt: skip
    cells = study_cells(study, make_project())
    strata = sorted(int((float(str(cell.value("nominal"))) - 0.5) / 0.4 * 8) for cell in cells)
    assert strata == list(range(8))
    counts = [cell.value("fleet.R.count") for cell in cells]
    assert all(isinstance(count, int) for count in counts)
    assert sorted(counts) == [0, 0, 1, 1, 2, 2, 3, 3]  # type: ignore[type-var]
    assert sorted(str(cell.value("setting")) for cell in cells) == ["A"] * 4 + ["B"] * 4
    assert study_cells(study, make_project()) == cells
    assert study_cells(replace(study, seed=4), make_project()) != cells


def test_factors_change_the_project_that_a_cell_plans() -> None:
    project, study = make_project(), StudySettings()

    def planned(name: str, value: Value):  # type: ignore[no-untyped-def]
        return prepared(project, study, set_to(name, value))

    assert planned("fleet.R.count", 5).project.fleet.types[0].count == 5
    assert planned("fleet.BIG.turnaround_h", 2).project.fleet.types[1].turnaround_h == 2.0
    assert planned("lifted.all", (1,)).project.planned_fleet.types[1].grounded_days == ()
    assert [kind.grounded_days for kind in planned("grounded.all", (0,)).project.planned_fleet.types] == [(0,)] * 3
    assert planned("grounded.W", (0, 1)).project.planned_fleet.types[2].grounded_days == (0, 1)
    assert planned("grounded.W", (0, 1)).project.planned_fleet.types[1].grounded_days == (1,)
    assert planned("nominal", 0.5).project.plan.nominal.water == 0.5
    assert planned("design.water", 0.5).project.plan.design.retardant == project.plan.design.retardant
    weighted = planned("weights.burn", 7).project.plan
    assert (weighted.weights.burn, weighted.weights.prot, weighted.setting) == (7.0, 10.0, Setting.CUSTOM)
    assert planned("setting", "B").project.plan.weights == ObjectiveWeights.of(Setting.B)
    assert planned("seed", 9).project.plan.optimizer.seed == 9
    assert planned("optimizer.epochs", 4).project.plan.optimizer.epochs == 4
    assert planned("planner", "greedy").planner == "greedy"
    assert (planned("allowance", 7).allowance, planned("budget", 3).budget) == (7, 3)
    assert planned("seed", 9).wind is None


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("fleet.NO.count", 1, "R, BIG, W"), ("fleet.R.id", 1, "not a factor"), ("weather", 1, "not a factor"),
        ("optimizer", 1, "not a factor"), ("fleet.R.count", 1.5, "a whole number"),
        ("fleet.R.count", -1, "Number of aircraft is -1"),
        ("nominal", "high", "a number"), ("nominal", 1.5, "How well retardant works"),
        ("lifted.all", 2, "a list of days"),
        ("setting", "C", "A, B, AB, custom"), ("planner", "oracle", "oracle"), ("allowance", 0, "1 or more"),
        ("wind.speed_factor", 0.0, "above 0"), ("wind.delay_h", 2.0, "imported maps"), ("days", True, "whole number"),
    ],
)  # fmt: skip
def test_what_cannot_be_set_is_said_with_what_can(name: str, value: Value, words: str) -> None:
    found = value_problems(name, value, make_project())
    assert found and words in " ".join(map(str, found))
    with pytest.raises(InputError):
        prepared(make_project(), StudySettings(), set_to(name, value))


def test_problems_of_the_settings_are_all_found() -> None:
    study = StudySettings(
        vary=(Vary("seed"), Vary("seed", (1,), low=2.0), Vary("nominal", (), 0.9, 0.1), Vary("design", (), 0.1, 0.9)),
        cases=(Case("a"), Case("a")),
    )  # fmt: skip
    said = " ".join(map(str, study_problems(study, make_project())))
    for words in ("no values", "both values and a range", "goes from 0.9 to 0.1", "0 steps", "more than once"):
        assert words in said
    assert "nothing varies" in " ".join(map(str, StudySettings().problems()))


# -- tables -----------------------------------------------------------------------------------------------------------
def table_of(study: StudySettings, value: dict[int, float]) -> StudyTable:
    cells = cells_of(study)
    rows = {
        number: StudyRow(number, metrics(10.0, 0), metrics(objective, number), objective, 0, 1, Violations(0, 0, 0))
        for number, objective in value.items()
    }
    return StudyTable(study, cells, rows, {})


def test_areas_of_a_study_are_in_the_units_of_people_also_those_in_cells() -> None:
    table = table_of(GRID, {0: 3.0})
    shown, cell = table.in_units(Units.US, 0.09), table.cells[0]
    assert shown.label("protected_cells") == "Fire in protected regions, acres"
    assert shown.label("final_extent_ha") == shown.label("final_extent_cells") == "Final size, acres"
    cells, hectares = (table.measured(cell, name) for name in ("final_extent_cells", "final_extent_ha"))
    assert shown.measured(cell, "final_extent_cells") == pytest.approx(Units.US.area_value(0.09 * cells))
    assert shown.measured(cell, "final_extent_ha") == pytest.approx(Units.US.area_value(hectares))
    assert table.label("final_extent_cells") == "Final size, cells"


def test_cases_are_compared_with_the_first_cell_by_cell() -> None:
    study = StudySettings(vary=(Vary("seed", (0, 1, 2)),), cases=(Case("as it is"), Case("more", {"days": 1})))
    table = table_of(study, {0: 1.0, 1: 2.0, 2: 9.0, 3: 0.5, 4: 1.0})
    (bar,) = tornado_of(table, "objective")
    assert (bar.label, bar.pairs, bar.reference) == ("more", 2, 1.5)
    assert bar.change == pytest.approx(-0.75)
    assert bar.spread == pytest.approx(0.35355, abs=1e-4)


def test_a_factor_goes_from_its_lowest_to_its_highest_value() -> None:
    study = StudySettings(vary=(Vary("nominal", (0.9, 0.5)), Vary("planner", ("b", "a"))))
    table = table_of(study, {0: 1.0, 1: 2.0, 2: 5.0, 3: 8.0})
    first, second = tornado_of(table, "objective")
    assert (first.label, first.low_text, first.low, first.high) == ("nominal", "0.5", 6.5, 1.5)
    assert (second.label, second.low_text, second.high_text) == ("planner", "b", "a")


def test_a_heat_map_has_the_means_over_what_else_varies_and_holes() -> None:
    study = StudySettings(vary=(Vary("nominal", (0.5, 0.9)), Vary("design", (0.1, 0.2)), Vary("seed", (0, 1))))
    table = table_of(study, {0: 1.0, 1: 3.0, 2: 5.0, 4: 7.0})
    heat = heat_of(table, "nominal", "design", "objective")
    assert heat.values[0] == (2.0, 7.0) and heat.values[1][0] == 5.0
    assert heat.values[1][1] != heat.values[1][1]


def test_many_values_become_intervals_that_have_all_of_them() -> None:
    study = StudySettings(vary=(Vary("nominal", tuple(k / 100 for k in range(40))),))
    levels = levels_of(table_of(study, {}), "nominal")
    assert len(levels) == 8 and sum(len(level.cells) for level in levels) == 40


def test_the_front_has_whatever_no_other_beats_in_both() -> None:
    points = [(3.0, 1.0), (1.0, 5.0), (2.0, 5.0), (2.0, 3.0), (4.0, 1.0), (1.0, 6.0)]
    assert front_of(points) == (1, 3, 0)
    assert front_of([]) == ()
    assert front_of([(math.nan, 0.0), (1.0, math.nan), (2.0, 3.0)]) == (2,)


def with_stress(table: StudyTable, shares: dict[int, float]) -> StudyTable:
    """The same table with the scenario "late" in the rows of ``shares``."""

    def stress(share: float) -> StressTable:
        nominal = StressResult(NOMINAL, 4.0, 104.0, (StressDraw(5.0, 0.0, 0.01, 3),))
        late = StressResult(StressScenario("late"), 4.0, 104.0, (StressDraw(4.0, 0.0, share, 3),))
        return StressTable(3, nominal, (late,))

    return replace(table, rows={**table.rows, **{
        number: replace(table.rows[number], stress=stress(share)) for number, share in shares.items()
    }})  # fmt: skip


def test_the_worst_case_is_a_measure_that_rows_without_a_stress_table_do_not_have() -> None:
    study = StudySettings(vary=(Vary("nominal", (0.5, 0.9)), Vary("seed", (0, 1))))
    table = with_stress(table_of(study, {0: 1.0, 1: 2.0, 2: 3.0}), {0: 0.25, 2: 0.75})
    assert table.scenarios == ("late",)
    assert [table.measured(cell, "worst_growth_left") for cell in (table.cells[0], table.cells[2])] == [25.0, 75.0]
    assert table.mean(table.cells, "worst_growth_left") == 50.0 and table.mean(table.cells, "objective") == 2.0
    (bar,) = tornado_of(table, "worst_growth_left")
    assert (bar.low, bar.high) == (25.0, 75.0)


def test_the_sheet_of_a_study_has_every_scenario_and_the_worst_where_plans_were_tested() -> None:
    study = StudySettings(vary=(Vary("seed", (0, 1)),), measure=("objective", "worst_growth_left"))
    bare = table_of(study, {0: 1.0, 1: 2.0})
    assert list(columns_of(bare)) == ["cell", "seed", "objective", "worst_growth_left"]
    assert columns_of(bare)["worst_growth_left"] == [None, None]
    columns = columns_of(with_stress(bare, {1: 0.25}))
    assert list(columns) == [
        "cell", "seed", "objective", "worst_growth_left", "growth_left", "worst_scenario", "growth_left: late",
    ]  # fmt: skip
    assert columns["worst_growth_left"] == columns["growth_left: late"] == [None, 25.0]
    assert columns["worst_scenario"] == [None, "late"] and columns["growth_left"] == [None, 1.0]


def test_cells_are_planned_without_the_projects_margin_where_no_factor_names_one() -> None:
    project = make_project().with_margin(Margin.STRESS)
    assert prepared(project, StudySettings(), set_to("seed", 1)).project.plan.margin.kind is Margin.NONE
    named = prepared(project, StudySettings(), set_to("margin.kind", "design"))
    assert named.project.plan.margin.kind is Margin.DESIGN
