"""Operational constraints from a file, as a person on a command line meets them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from firegui.domain.airspace import AirspaceRule
from firegui.domain.fleet import Fleet
from firegui.domain.operations import Daylight, Operations
from firegui.domain.settings import OptimizerSettings
from firegui.io.project.store import load_project, save_project
from firegui.runs.control import RunControl
from firegui.runs.run_requests import with_optimizer
from firegui.runs.runner import execute
from firegui.runs.spec import PlanSpec
from firegui.runs.stages import Stage
from tests.cli.conftest import Run
from tests.support import write_schedule

TEXT = """
hard_cap = 1
[daylight]
[sorties_per_day]
R = 2
[[grounding]]
aircraft = "R-2"
start = 2020-08-19T12:00:00-07:00
end = 2020-08-19T18:00:00-07:00
[[no_drop_zone]]
name = "lake"
rows = [0, 2]
columns = [0, 2]
[[pinned]]
time = 2020-08-19T12:00:00-07:00
aircraft = "R-1"
y = 8.0
x = 10.0
theta = 0.5
"""


@pytest.fixture
def constraints(tmp_path: Path) -> Path:
    path = tmp_path / "operations.toml"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_constraints_are_saved_said_and_cleared(firegui: Run, project: Path, constraints: Path) -> None:
    answer = firegui("configure", project, "--operations", constraints)
    assert answer.code == 0
    for expected in (
        "drops from 30 min after sunrise to 30 min before sunset", "R-2 on the ground 2020-08-19 12:00 to 18:00 local",
        "each R drops at most 2 times a day", "at most 1 drop in all", "no drop in lake", "1 pinned drop",
    ):  # fmt: skip
        assert expected in answer.out
    assert load_project(project).operations.daylight == Daylight()
    found = firegui("info", project, "--json").json["operations"]
    assert found["hard_cap"] == 1
    assert len(found["daylight"]["first_window"]) == 2

    assert firegui("configure", project, "--operations", "none").code == 0
    assert load_project(project).operations == Operations()
    assert firegui("info", project, "--json").json["operations"] == {}
    assert "rules " not in firegui("info", project).out


def test_everything_wrong_is_listed_and_nothing_is_changed(firegui: Run, project: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.toml"
    bad.write_text(
        TEXT.replace("R-2", "R-9").replace("R = 2", "Q = 2").replace("T12:00:00-07:00\na", "T01:00:00-07:00\na")
    )
    answer = firegui("configure", project, "--operations", bad, "--days", 9)
    answer.assert_refused("R-9", "Q is not an aircraft type", "outside daylight", "days 0 to 8")
    assert load_project(project).operations == Operations()


def test_airspace_rules_are_given_said_audited_and_cleared(firegui: Run, project: Path, tmp_path: Path) -> None:
    answer = firegui("configure", project, "--airspace", "1,300,200", "--airspace", "6,60,,R,BIG")
    assert answer.code == 0
    assert "at most 1 drop within 200 m in any 300 min" in answer.out
    assert "at most 6 drops in any 60 min, of R and BIG" in answer.out
    rules = AirspaceRule(1, 300.0, 200.0), AirspaceRule(6, 60.0, None, ("R", "BIG"))
    assert load_project(project).operations == Operations(airspace=rules)
    assert len(firegui("info", project, "--json").json["operations"]["airspace"]) == 2

    schedule = tmp_path / "s.csv"
    schedule.write_text("step,aircraft,y,x,theta\n4,R-1,8.0,10.0,0.5\n6,R-2,8.0,12.0,0.5\n", encoding="utf-8")
    found = firegui("audit", project, "--schedule", schedule)
    assert found.code == 1
    assert "against airspace rules" in found.out
    assert "R-2 drops at step 6, one of 2 where the airspace rule has at most 1 drop within 200 m" in found.out

    assert firegui("configure", project, "--airspace", "none", "--days", 1).code == 0
    assert load_project(project).operations == Operations()


def test_everything_wrong_with_airspace_rules_is_listed_and_nothing_is_changed(firegui: Run, project: Path) -> None:
    answer = firegui(
        "configure", project, "--airspace", "one,60", "--airspace", "0,-5,9e9,Q", "--airspace", "1.5,60",
        "--frequency", "Air=soon",
    )  # fmt: skip
    answer.assert_refused(
        "'one,60' is not an airspace rule", "Drops at most is 0", "Minutes is -5.0", "Radius is 9000000000.0",
        "Q is not an aircraft type of the fleet", "Drops at most is 1.5", "AM 'soon' is not a frequency",
    )  # fmt: skip
    assert load_project(project).operations == Operations()


def test_an_absent_file_is_said(firegui: Run, project: Path) -> None:
    answer = firegui("configure", project, "--operations", "nowhere.toml")
    answer.assert_refused("nowhere.toml: the file does not exist")


def test_the_audit_holds_a_schedule_against_the_constraints(
    firegui: Run, project: Path, constraints: Path, tmp_path: Path
) -> None:
    firegui("configure", project, "--operations", constraints)
    schedule = tmp_path / "s.csv"
    schedule.write_text("step,aircraft,y,x,theta\n0,R-1,8.0,10.0,0.5\n5,R-2,8.0,10.0,0.5\n", encoding="utf-8")
    found = firegui("audit", project, "--schedule", schedule, "--json")
    assert found.code == 1
    names = ("dark", "closed", "sorties", "cap", "zones", "pinned")
    assert {name: found.json[name] for name in names} == {
        "dark": 1, "closed": 1, "sorties": 0, "cap": 1, "zones": 0, "pinned": 1
    }  # fmt: skip
    assert found.json["turnaround"] == 0
    told = firegui("audit", project, "--schedule", schedule).out
    assert "outside daylight" in told
    assert "R-1 does not fly its pinned drop at step 5" in told


def test_a_plan_keeps_the_constraints_and_its_audit_says_so(
    firegui: Run, project: Path, constraints: Path, tmp_path: Path
) -> None:
    firegui("configure", project, "--operations", constraints)
    out = tmp_path / "run"
    answer = firegui("optimize", project, "--out", out, "--epochs", 3, "--json", "--progress", "none")
    assert answer.code == 0
    assert answer.json["audit"]["violations"] == []
    assert answer.json["audit"]["executed"] == 1
    assert firegui("audit", project, "--schedule", out / "plan.safetensors").code == 0
    assert firegui("audit", project, "--schedule", out / "schedule.csv").code == 0
    assert "made with other settings" not in firegui("info", project).out

    # Notes for crews are no rules: neither the plan nor its resume depends on them.
    firegui("configure", project, "--hazard", "Wires", "--frequency", "Air/Ground=122.925")
    assert "changed since" not in firegui("info", project).out
    resumed = firegui("optimize", project, "--out", out, "--epochs", 5, "--resume", "--progress", "none")
    assert resumed.code == 0
    firegui("configure", project, "--operations", "none")
    refused = firegui("optimize", project, "--out", out, "--epochs", 6, "--resume", "--progress", "none")
    refused.assert_refused("was run with other operational rules")


def test_no_plan_is_begun_in_which_no_drop_is_possible_but_a_schedule_is_scored_and_pruned(
    firegui: Run, project: Path, tmp_path: Path
) -> None:
    loaded = load_project(project)
    days = tuple(range(loaded.calendar.days))
    kinds = (kind.with_grounded_days(days) for kind in loaded.planned_fleet.types)
    save_project(loaded.with_fleet(Fleet(tuple(kinds))), project, replacing=True)
    out = tmp_path / "run"
    for command in ("plan", "optimize", "tactical"):
        answer = firegui(command, project, "--out", out, "--progress", "none")
        answer.assert_refused("No drop is possible", "every aircraft is grounded on every planned day")
        assert answer.err.count("•") == 1 and not out.exists()
    schedule = write_schedule(tmp_path / "s.csv", [(4, "R-1", 10.0, 10.0, 0.0)])
    assert firegui("evaluate", project, "--schedule", schedule, "--json").json["drops_executed"] == 0
    assert firegui("prune", project, "--schedule", schedule, "--out", out, "--progress", "none").code == 0


@pytest.mark.parametrize("command", ["optimize", "tactical"])
def test_no_run_is_resumed_in_which_no_drop_is_possible(
    firegui: Run, project: Path, tmp_path: Path, command: str
) -> None:
    loaded, out = load_project(project), tmp_path / "run"
    save_project(replace(loaded, operations=Operations(hard_cap=0)), project, replacing=True)
    # A run of Python's makes no such check: it stands for one of a firegui without the check.
    stage = Stage(command)
    spec = PlanSpec(load_project(project), out, "", stages=(stage,), project_folder=project)
    spec = replace(spec, project=with_optimizer(spec.project, OptimizerSettings(epochs=2)))
    execute(spec, lambda event: None, RunControl())
    options = ("--epochs", 4) if stage is Stage.OPTIMIZE else ()
    answer = firegui(command, project, "--out", out, "--resume", *options, "--progress", "none")
    answer.assert_refused("No drop is possible", "the limit on drops is 0")
    assert answer.err.count("•") == 1
