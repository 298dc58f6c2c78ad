from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from firegui.analyses.benchmark.results import BenchmarkHeader
from firegui.cli.benchmark import lines, result
from firegui.cli.output import print_json
from firegui.domain.benchmark import BenchmarkTable, PlannerName
from firegui.domain.results import Violations
from firegui.runs.events import RunFinished
from firegui.runs.snapshot import ProjectSnapshot
from firegui.runs.stages import FinishReason, RunState
from tests.support import make_project
from tests.unit.domain.benchmark_samples import made_table, whole_table, without

FINISHED = RunFinished(FinishReason.COMPLETED, "every run is done", None, None, Path("bench"))


def header_of(table: BenchmarkTable) -> BenchmarkHeader:
    """A header as a finished benchmark has it."""
    return BenchmarkHeader(
        command="firegui benchmark", settings=table.settings, state=RunState.FINISHED,
        started=datetime(2024, 1, 1, tzinfo=UTC), checkpoint_seconds=5.0, seconds=7200.0,
        machine="a machine", processes=2, notes=("Something was left out",), project_hash="",
        event_hash="", project=ProjectSnapshot.of(make_project()),
    )  # fmt: skip


def said(table: BenchmarkTable) -> list[str]:
    """The report."""
    return list(lines(table, header_of(table), FINISHED))


def test_people_read_every_table_with_its_columns_below_each_other() -> None:
    found = said(whole_table())
    for title in ("Performance:", "Cost:", "Matched allowance:", "Audit:", "Best planner for the time:"):
        assert title in found
    block = found[found.index("Performance:") + 1 :][:17]
    ends = {len(line) for line in block}
    assert len(ends) == 1, "numbers end below each other"
    assert block[1].split("  ")[-1].strip() == "0.870", "the best comes first"
    when = found[found.index("Best planner for the time:") + 1 :]
    column = when[0].index("Time available")
    assert [line[column:].split("  ")[0] for line in when[1:4]] == ["10 s to 1 min", "10 min", "1 h to no limit"]
    text = "\n".join(found)
    for fact in (
        "Tiny: planner benchmark, 2 days", "Allowance 6,000", "3 seeds from 0", "1,032 drops",
        "Matched allowance 25,686", "Something was left out.", "no violation in 38 tasks",
        "2 h by the clock with 2 processes, on a machine", "The lowest objective comes first.",
        "every run is done", "benchmark: bench",
    ):  # fmt: skip
        assert fact in text
    assert "Incomplete" not in text
    assert "±" in text and "±" not in "\n".join(said(made_table(seeds=1)))


def test_violations_are_shouted() -> None:
    table = made_table(PlannerName.TACTICAL, PlannerName.NONE, seeds=2)
    rows = (replace(table.rows[0], violations=Violations(1, 0, 2)), *table.rows[1:])
    text = "\n".join(said(replace(table, rows=rows)))
    assert "VIOLATIONS in Quick plan (by rule) 3" in text and "no violation" not in text


def test_what_is_missing_is_named_and_no_row_is_no_table() -> None:
    table = without(made_table(PlannerName.TACTICAL, seeds=2), "tactical-1")
    assert "Incomplete: 1 of 2 tasks done; still missing: Quick plan (by rule) (seed 1)." in said(table)
    nothing = said(replace(table, rows=(), budget=0))
    assert "Performance:" not in nothing and any("budget not yet known" in line for line in nothing)


def test_programs_get_every_row_and_line_as_one_object() -> None:
    table = without(whole_table(), "greedy-0", "greedy-1", "greedy-2")

    @click.command()
    def command() -> None:
        print_json(result(table, header_of(table), FINISHED))

    found = json.loads(CliRunner().invoke(command).stdout)
    assert (found["complete"], found["missing"]) == (False, ["greedy-0", "greedy-1", "greedy-2"])
    assert (found["budget"], found["matched_allowance"], found["gradient_charge"]) == (1_032, 25_686, 3)
    rows = {row["task"]: row for row in found["rows"]}
    assert len(rows) == len(table.rows)
    for row in table.rows:
        assert rows[row.task.name]["objective"] == row.objective
        assert rows[row.task.name]["curve"] == [list(point) for point in row.curve]
    groups = {(group["planner"], group["matched"]): group for group in found["groups"]}
    assert groups["two-stage", False]["objective_sd"] is None and groups["greedy", False]["seeds"] == 0
    assert groups["gradient", False]["objective_sd"] == pytest.approx(4.35 * 0.01)
    assert [row["planner"] for row in found["deployment"]][-1] == "two-stage"
    assert found["deployment"][-1]["available_seconds"] is None and found["setting"] == "custom"
