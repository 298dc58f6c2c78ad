from __future__ import annotations

import csv
import io
import math
import re
from dataclasses import replace
from pathlib import Path

import pytest

from firegui.analyses.benchmark.report import (
    benchmark_table,
    cells_digits,
    cost_table,
    deployment_table,
    dropless,
    duration_text,
    feasibility_table,
    matched_table,
    objective_digits,
    printed_tables,
    seconds_text,
    spread_text,
    stress_table,
    unequal_effort,
)
from firegui.analyses.benchmark.tables import CURVES, ROWS, SCENARIOS, papers, sheets, write_tables
from firegui.domain.benchmark import BenchmarkTable, PlannerName, SeedSpread
from firegui.domain.project import Project
from firegui.domain.results import Violations
from firegui.domain.settings import ObjectiveWeights, Setting
from tests.support import make_project
from tests.unit.domain.benchmark_samples import made_table, whole_table, with_stress, without

NONE, TACTICAL, GRADIENT, TWO_STAGE = (
    PlannerName.NONE, PlannerName.TACTICAL, PlannerName.GRADIENT, PlannerName.TWO_STAGE,
)  # fmt: skip


@pytest.fixture
def setting_b() -> Project:
    """A project with the paper's other objective."""
    project = make_project()
    plan = replace(project.plan, setting=Setting.B, weights=ObjectiveWeights.of(Setting.B))
    return replace(project, plan=plan)


def read(table: BenchmarkTable, name: str) -> list[dict[str, str]]:
    """A sheet as a program reads it."""
    return list(csv.DictReader(io.StringIO(sheets(table)[name])))


def cells(rows: tuple[tuple[str, ...], ...], first: str) -> tuple[str, ...]:
    """The cells of the line that begins with ``first``."""
    return next(row[1:] for row in rows if row[0] == first)


def test_every_number_of_every_row_reads_back_exactly() -> None:
    table = whole_table()
    lines = read(table, ROWS)
    assert len(lines) == len(table.rows) == 38
    for row, line in zip(sorted(table.rows, key=lambda row: row.task), lines, strict=True):
        assert (line["task"], line["matched"]) == (row.task.name, str(row.task.matched).lower())
        assert float(line["objective"]) == row.objective and float(line["seconds"]) == row.seconds
        assert float(line["final_extent_cells"]) == row.metrics.final_extent_cells
        assert float(line["objective_before_penalty"]) == row.metrics.objective
        assert int(line["evaluations"]) == row.evaluations and int(line["candidate"]) == row.candidate
        assert line["gradient_cost"] == ("" if row.gradient_cost is None else repr(row.gradient_cost))


def test_every_curve_reads_back_exactly() -> None:
    table = made_table(NONE, GRADIENT, seeds=2)
    found: dict[str, list[tuple[int, float]]] = {}
    for line in read(table, CURVES):
        found.setdefault(line["task"], []).append((int(line["evaluations"]), float(line["best"])))
    assert found == {row.task.name: list(row.curve) for row in table.rows}


def test_sheets_of_planners_hold_the_means_and_deviations_exactly() -> None:
    table = made_table(NONE, GRADIENT, seeds=2)
    one, other = read(table, "planner_benchmark.csv"), table.groups
    assert [line["planner"] for line in one] == ["gradient", "none"]
    assert [line["objective_sd"] for line in one] == [repr(other[0].objective.sd), ""]
    assert float(one[0]["final_extent_cells"]) == other[0].metric("final_extent_cells").mean
    cost = read(table, "planner_cost.csv")
    assert [line["gradient_charge"] for line in cost] == ["3", ""] and cost[0]["dimension"] == "63000"
    assert float(cost[0]["gradient_cost"]) == pytest.approx(2.05 * 1.005)


def test_planners_without_a_run_are_in_the_sheets_with_no_seed_done() -> None:
    table = without(made_table(NONE, TACTICAL, GRADIENT, seeds=2), "tactical-0", "tactical-1", "gradient-1")
    seeds = {line["planner"]: (line["seeds"], line["seeds_asked"]) for line in read(table, "planner_benchmark.csv")}
    assert seeds == {"none": ("1", "1"), "gradient": ("1", "2"), "tactical": ("0", "2")}
    assert read(table, "planner_benchmark.csv")[-1]["objective"] == ""


def test_a_time_without_a_planner_is_empty_and_no_deadline_is_infinite() -> None:
    lines = read(made_table(TWO_STAGE), "planner_deployment.csv")
    assert (lines[0]["available_seconds"], lines[0]["planner"], lines[0]["seconds"]) == ("10.0", "", "")
    assert float(lines[-1]["available_seconds"]) == math.inf and lines[-1]["planner"] == "two-stage"


def test_the_performance_table_reads_as_the_papers() -> None:
    rows = benchmark_table(whole_table(), make_project()).rows
    assert cells(rows, "No drops") == ("0", "167,865", "1,007,190", "50,360", "24.58")
    assert cells(rows, "Budgeted gradient") == ("1,032", "27,902 ± 276", "165,756", "8,288", "4.39 ± 0.04")
    assert cells(rows, "Two-stage")[-1] == "0.870"
    means = [group.objective.mean for group in whole_table().groups]
    assert means == sorted(means) and [row[0] for row in rows] == [g.title for g in whole_table().groups]


def test_the_cost_table_has_the_measured_epoch_beside_the_charge() -> None:
    rows = cost_table(whole_table(), make_project()).rows
    assert cells(rows, "Budgeted gradient") == ("63,000", "6,000", "422.6 ± 4.2", "2.07 ± 0.02 / 3")
    assert cells(rows, "No drops") == ("0", "1", "<0.01", "–")
    assert cells(rows, "Quick plan (by rule)") == ("0", "7", "5.28 ± 0.05", "–")


def test_a_budget_that_the_two_stage_plan_was_not_made_for_is_told() -> None:
    own = benchmark_table(whole_table(), make_project())
    small = benchmark_table(replace(whole_table(), budget=500), make_project())
    assert cells(own.rows, "Two-stage")[-1] == "0.870" and "before the penalty" not in own.caption
    assert cells(small.rows, "Two-stage")[-1].endswith(" (0.870)") and "before the penalty" in small.caption
    assert "(" not in cells(small.rows, "Budgeted gradient")[-1]


def test_over_the_budget_the_objective_before_the_penalty_is_in_brackets() -> None:
    table = whole_table()
    rows = matched_table(table, make_project()).rows
    assert [row[0] for row in rows] == [
        "Two-stage", "Budgeted gradient", "CMA-ES (daily basis)", "CMA-ES (native space, diagonal)",
    ]  # fmt: skip
    assert rows[3][-2:] == ("20.99 (2.21)", "25,686") and rows[1][-2:] == ("2.91", "25,686")


def test_without_a_matched_allowance_there_is_no_table_of_it() -> None:
    table = made_table(NONE, TWO_STAGE)
    assert "planner_matched.csv" not in sheets(table) and "planner_matched.tex" not in papers(table, make_project())


def test_violations_are_added_up_over_the_seeds() -> None:
    table = made_table(TACTICAL, seeds=3)
    rows = tuple(replace(row, violations=Violations(1, 0, 2, 3)) for row in table.rows)
    found = feasibility_table(replace(table, rows=rows), make_project())
    assert cells(found.rows, "Quick plan (by rule)") == ("1,032", "1,032", "3", "0", "6", "9")
    assert "sums" in found.caption and "means over" in found.caption


def test_the_deployment_table_says_when_nothing_fits() -> None:
    table = deployment_table(made_table(NONE, TWO_STAGE), make_project())
    assert table.rows[0][2:] == ("No drops", "<0.1 s", "24.58", "0.0 %")
    assert table.rows[-1][2:] == ("Two-stage", "29 min", "0.870", "97.5 %")
    alone = deployment_table(made_table(TWO_STAGE), make_project()).rows[0]
    assert alone[2:] == ("none of those run takes so little", "–", "–", "–")


def test_captions_are_made_of_the_facts(setting_b: Project) -> None:
    table = whole_table()
    for text in (
        "Tiny, 2 days", "goal: keep the fire out of the regions", "protected 100", "1,032 drops", "λ = 10",
        "6,000 fire simulations", "25,686, what the two-stage plan cost", "over 3 seeds", "(retardant 0.9, water 0.9)",
        "searched at retardant 0.85, water 0.75",
    ):  # fmt: skip
        assert text in benchmark_table(table, setting_b).caption
    plain = benchmark_table(made_table(NONE, TACTICAL, seeds=1), replace(make_project(), regions=())).caption
    assert "searched at" not in plain and "matched" not in plain and "two-stage" not in plain
    assert "one seed" in plain and "No region is protected." in plain and "own weights" in plain


def test_a_table_that_is_not_complete_says_what_is_missing_everywhere() -> None:
    table = without(made_table(NONE, TACTICAL, GRADIENT, seeds=2, matched=(GRADIENT,)), "tactical-1", "two-stage-0")
    missing = "Incomplete: 5 of 7 tasks done; still missing: Two-stage (seed 0); Quick plan (by rule) (seed 1)."
    for printed in printed_tables(table, make_project()):
        wanted = missing if printed.name != "planner_matched" else "Incomplete: 1 of 2 tasks done"
        assert wanted in printed.caption, printed.name
    for printed in printed_tables(whole_table(), make_project()):
        assert "Incomplete" not in printed.caption


def test_the_latex_is_balanced_and_has_a_cell_a_column(setting_b: Project) -> None:
    project = replace(setting_b, scenario=replace(setting_b.scenario, name="50% {A_1} & co"))
    found = papers(whole_table(), project)
    assert len(found) == 5
    for name, text in found.items():
        bare = re.sub(r"\\[{}&%$#_]", "", text.partition("\n")[2])
        assert bare.count("{") == bare.count("}") and bare.count("$") % 2 == 0, name
        assert not re.search(r"[%#±ηλ–<>]", re.sub(r"\$[<>]\$", "", bare)), name
        body = bare.partition(r"\toprule")[2].partition(r"\bottomrule")[0]
        lines = [line for line in body.splitlines() if line.endswith(r"\\")]
        assert len({line.count("&") for line in lines}) == 1 and len(lines) > 3, name
        assert rf"\label{{tab:{name.removesuffix('.tex')}_b}}" in text
        assert r"50\% \{A\_1\} \& co" in text
    bare = found["planner_cost.tex"]
    assert r"No drops & 0 & 1 & $<$0.01 & -- \\" in bare.splitlines()


def test_every_table_is_written_and_written_again_as_it_grows(tmp_path: Path) -> None:
    table = whole_table()
    for stage in (without(table, *(row.task.name for row in table.rows[1:])), table):
        write_tables(tmp_path, stage, make_project())
        expected = {**sheets(stage), **papers(stage, make_project())}
        assert {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()} == expected
        assert len(expected) == 12


def test_no_row_at_all_can_be_written_too(tmp_path: Path) -> None:
    table = replace(made_table(NONE, TACTICAL), rows=(), budget=0)
    write_tables(tmp_path, table, make_project())
    assert "Incomplete: 0 of 4 tasks done" in (tmp_path / "planner_benchmark.tex").read_text(encoding="utf-8")
    assert "that the two-stage plan will give" in (tmp_path / "planner_benchmark.tex").read_text(encoding="utf-8")


def test_planners_that_end_without_a_drop_are_named() -> None:
    table = made_table(NONE, TACTICAL, GRADIENT, seeds=2)
    assert not dropless(table)
    rows = [
        replace(row, metrics=replace(row.metrics, drops_executed=0))
        if row.task.planner is GRADIENT or row.task.name == "tactical-1" else row
        for row in table.rows
    ]  # fmt: skip
    said = dropless(replace(table, rows=tuple(rows)))
    assert len(said) == 1 and ": Budgeted gradient. Allow more" in said[0]
    found = benchmark_table(replace(table, rows=tuple(rows)), make_project())
    assert said[0] in found.caption
    assert "Budgeted gradient (found no drops)" in [row[0] for row in found.rows]


def test_a_planner_that_spent_more_than_the_others_were_allowed_is_named() -> None:
    table = whole_table()
    (said,) = unequal_effort(table)
    assert "allowed 6,000 fire simulations" in said and "Two-stage 25,686" in said
    assert said in benchmark_table(table, make_project()).caption
    assert not unequal_effort(made_table(NONE, TACTICAL, GRADIENT))


def test_times_with_the_same_planner_are_one_row() -> None:
    alone = deployment_table(made_table(NONE, TWO_STAGE), make_project()).rows
    assert [row[2] for row in alone] == ["No drops", "Two-stage"]
    assert alone[1][:2] == ("Re-planning within a period to study without a deadline", "1 h to no limit")


@pytest.mark.parametrize(
    ("spread", "text"),
    [
        (SeedSpread(1032.4, 2.6), "1,032 ± 3"), (SeedSpread(69.74, None), "69.7"), (SeedSpread(0.0, None), "0"),
        (SeedSpread(4211.0, 0.0), "4,211"), (SeedSpread(161920.2, 1032.0), "161,920 ± 1,032"),
    ],
)  # fmt: skip
def test_cells_are_rounded_as_in_the_paper(spread: SeedSpread, text: str) -> None:
    assert spread_text(spread, cells_digits) == text


@pytest.mark.parametrize(
    ("spread", "text"),
    [
        (SeedSpread(29.7, None), "29.70"),
        (SeedSpread(0.87, None), "0.870"),
        (SeedSpread(4.351, 0.19), "4.35 ± 0.19"),
        (SeedSpread(0.0123456, None), "0.0123"),
        (SeedSpread(0.0, None), "0.00"),
        (SeedSpread(1e-30, None), "0.000000000"),
    ],
)
def test_objectives_keep_three_digits(spread: SeedSpread, text: str) -> None:
    assert spread_text(spread, objective_digits) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.01, "<0.1 s"), (5.23, "5.2 s"), (5.0, "5 s"), (59.4, "59 s"), (60.0, "1 min"), (420.0, "7 min"),
        (1728.0, "29 min"), (43_200.0, "12 h"), (86_400.0, "24 h"), (200_000.0, "2.3 d"), (math.inf, "no limit"),
    ],
)  # fmt: skip
def test_times_read_as_deadlines_do(seconds: float, text: str) -> None:
    assert duration_text(seconds) == text


def test_runtimes_keep_what_can_be_told_apart() -> None:
    spreads = (
        SeedSpread(0.001, 0.0004),
        SeedSpread(0.0312, 0.0094),
        SeedSpread(5.234, 0.141),
        SeedSpread(1745.63, None),
    )
    assert [seconds_text(spread) for spread in spreads] == ["<0.01", "0.031 ± 0.009", "5.23 ± 0.14", "1,745.6"]


def test_the_stress_table_of_every_planner_is_written_with_its_worst_case() -> None:
    table = with_stress(made_table(NONE, GRADIENT, seeds=2))
    gradient, *_, none = read(table, "planner_stress.csv")
    assert (gradient["planner"], gradient["worst_scenario"]) == ("gradient", "late")
    assert float(gradient["worst_growth_left"]) == pytest.approx(0.505)
    assert float(gradient["worst_growth_left_sd"]) == pytest.approx(0.01 / math.sqrt(2.0))
    assert float(gradient["growth_left: failing"]) == pytest.approx(0.255)
    assert (gradient["growth_left"], gradient["growth_left_sd"]) == ("0.0625", "0.0")
    assert (none["worst_scenario"], none["worst_growth_left"], none["growth_left: late"]) == ("", "", "")
    rows = {line["task"]: line for line in read(table, ROWS)}
    assert (rows["gradient-1"]["worst_scenario"], rows["none-0"]["worst_growth_left"]) == ("late", "")
    assert float(rows["gradient-1"]["worst_growth_left"]) == 0.51
    lines = [line for line in read(table, SCENARIOS) if line["task"] == "gradient-0"]
    assert [(line["scenario"], line["draws"], line["share_worst"]) for line in lines] == [
        ("nominal", "1", "0.0625"), ("failing", "2", "0.25"), ("late", "1", "0.5"),
    ]  # fmt: skip


def test_people_read_the_worst_case_beside_the_objective_and_every_scenario() -> None:
    table = with_stress(made_table(NONE, GRADIENT, seeds=2))
    performance = benchmark_table(table, make_project())
    assert performance.heads[-1] == "Worst case"
    assert cells(performance.rows, "Budgeted gradient")[-1] == "50.5 ± 0.7 % (late)"
    assert cells(performance.rows, "No drops")[-1] == "–"
    stress = stress_table(table, make_project())
    assert stress.heads == ("Planner", "Model", "failing", "late", "Worst case")
    assert cells(stress.rows, "Budgeted gradient") == ("6.2 %", "25.5 ± 0.7 %", "50.5 ± 0.7 %", "50.5 ± 0.7 % (late)")
    assert "planner_stress.tex" in papers(table, make_project())


def test_rows_without_a_stress_table_have_the_tables_that_they_had() -> None:
    table = made_table(NONE, GRADIENT)
    assert not {"planner_stress.csv", SCENARIOS} & set(sheets(table))
    assert "Worst case" not in benchmark_table(table, make_project()).heads
    assert "planner_stress.tex" not in papers(table, make_project())
    assert {line["worst_scenario"] for line in read(table, ROWS)} == {""}


def test_material_flight_hours_and_cost_have_a_table_of_their_own_where_they_are_known() -> None:
    table = whole_table()
    assert "planner_resources.csv" not in sheets(table)
    rows = tuple(
        replace(row, metrics=replace(row.metrics, gallons=900.0, flight_hours=12.25, cost=None if n == 0 else 5000.0))
        for n, row in enumerate(table.rows)
    )
    known = replace(table, rows=rows)
    lines = read(known, "planner_resources.csv")
    assert list(lines[0])[-6:] == ["gallons", "gallons_sd", "flight_hours", "flight_hours_sd", "cost", "cost_sd"]
    assert {line["cost"] for line in lines if line["gallons"]} == {"", "5000.0"}
    assert list(read(known, "rows.csv")[0])[-3:] == ["gallons", "flight_hours", "cost"]
    assert list(read(table, "rows.csv")[0])[:-3] == list(read(known, "rows.csv")[0])[:-3]
    printed = next(one for one in printed_tables(known, make_project()) if one.name == "planner_resources")
    assert printed.heads[-1] == "Cost (USD)" and ("900", "12.2") in {row[2:4] for row in printed.rows}
    assert "–" in {row[4] for row in printed.rows} and "No price for" in printed.caption
