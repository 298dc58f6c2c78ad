from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from firegui.domain.settings import Margin, SearchMethod
from firegui.io.project.schedule_file import read_schedule
from firegui.io.project.store import load_project
from firegui.runs.engine import Engine
from firegui.runs.run_folder import ELIMINATION_CHECKPOINT, REFERENCE, read_run
from tests.cli.conftest import Run
from tests.support import assert_same_files, write_random_maps

QUIET = ("--progress", "none")
FEW = ("--epochs", 12)
FILES = {"run.toml", "schedule.csv", "plan.safetensors", "metrics.json", "history.csv", "elimination.csv",
         "reference.safetensors", "occupancy.tif"}  # fmt: skip


def test_plan_reports_both_stages_and_leaves_a_complete_folder(firegui: Run, project: Path, tmp_path: Path) -> None:
    answer = firegui("plan", project, "--out", tmp_path / "run", *FEW, "--json", *QUIET)
    assert (answer.code, answer.err) == (0, "")
    found = answer.json
    assert found["stages"] == ["optimize", "prune"]
    assert found["pruned"]["finished"] == "minimal"
    assert 0 < found["pruned"]["drops"] < found["pruned"]["drops_before"]
    assert found["nominal"]["drops_executed"] == found["pruned"]["drops"]
    assert found["reference"]["drops_executed"] == found["pruned"]["drops_before"]
    assert found["audit"]["violations"] == []
    (region,) = found["summary"]["regions"]
    assert region == found["summary"]["regions_together"] and region["name"] == "Village"
    assert 0.0 <= region["burned_ha"] <= region["burned_ha_no_drops"] <= region["area_ha"]
    assert {path.name for path in (tmp_path / "run").iterdir()} >= FILES


def test_what_is_planned_holds_within_the_slack_at_design_effectiveness(
    firegui: Run, project: Path, tmp_path: Path
) -> None:
    found = firegui("plan", project, "--out", tmp_path / "run", *FEW, "--slack", 1.1, "--json", *QUIET).json
    at_design = ("--eta-retardant", 0.85, "--eta-water", 0.75, "--json")
    before = firegui("evaluate", project, "--schedule", tmp_path / "run" / REFERENCE, *at_design).json
    after = firegui("evaluate", project, "--schedule", tmp_path / "run", *at_design).json
    for term in ("loss_burn", "loss_final"):
        assert after[term] <= max(1.1 * before[term], 1e-4)
    assert after["objective"] == pytest.approx(found["design"]["objective"])


def test_prune_works_on_any_schedule_and_its_csv_is_the_plan(firegui: Run, project: Path, tmp_path: Path) -> None:
    firegui("optimize", project, "--out", tmp_path / "first", *FEW, *QUIET)
    schedule = tmp_path / "first" / "schedule.csv"
    found = firegui("prune", project, "--schedule", schedule, "--out", tmp_path / "run", "--json", *QUIET).json
    assert found["stages"] == ["prune"]
    loaded = load_project(project)
    size = (loaded.planned_fleet, loaded.calendar.n_steps, loaded.scenario.grid.shape)
    csv = read_schedule(tmp_path / "run" / "schedule.csv", *size)
    plan = read_schedule(tmp_path / "run" / "plan.safetensors", *size)
    assert int(csv.proposed.sum()) == found["pruned"]["drops"]
    assert np.array_equal(csv.proposed, plan.proposed)
    assert np.array_equal(csv.poses[csv.proposed], plan.poses[csv.proposed])


def test_pruning_again_removes_nothing_more_of_what_it_left(firegui: Run, project: Path, tmp_path: Path) -> None:
    first = firegui("plan", project, "--out", tmp_path / "run", *FEW, "--slack", 1.0, "--json", *QUIET).json
    words = ("--schedule", tmp_path / "run", "--out", tmp_path / "again", "--slack", 1.0, "--json")
    again = firegui("prune", project, *words, *QUIET).json
    assert again["pruned"]["drops_before"] == first["pruned"]["drops"]
    assert again["pruned"]["drops"] <= first["pruned"]["drops"]


def test_the_same_seed_gives_the_same_plan_and_another_one_another(firegui: Run, project: Path, tmp_path: Path) -> None:
    for name, seed in (("a", 5), ("b", 5), ("c", 6)):
        firegui("plan", project, "--out", tmp_path / name, *FEW, "--seed", seed, *QUIET)
    plans = [(tmp_path / name / "plan.safetensors").read_bytes() for name in "abc"]
    assert plans[0] == plans[1]
    assert plans[0] != plans[2]


FAST = ("--lr", 0.05)
BRIEF = (*FEW, *FAST, "--adapt-epochs", 2, "--draws", 1)


@pytest.fixture
def imported(firegui: Run, tmp_path: Path) -> Path:
    """A new project, with the settings that every new project has."""
    write_random_maps(tmp_path / "maps.npz")
    assert firegui("import", "maps", tmp_path / "maps.npz", "--out", tmp_path / "new.firegui").code == 0
    return tmp_path / "new.firegui"


def test_a_new_project_is_planned_to_hold_in_every_stress_scenario(
    firegui: Run, imported: Path, tmp_path: Path
) -> None:
    found = firegui("plan", imported, "--out", tmp_path / "run", *BRIEF, "--json", *QUIET).json
    assert found["pruned"]["finished"] in ("held", "leaking", "allowance")
    record = read_run(tmp_path / "run")
    assert record.settings.margin.kind is Margin.STRESS
    assert "--margin stress" in record.command


def test_without_a_margin_a_new_project_gets_the_plan_of_the_papers_method(
    firegui: Run, imported: Path, tmp_path: Path
) -> None:
    without = ("--margin", "none", "--json", *QUIET)
    found = firegui("plan", imported, "--out", tmp_path / "run", *FEW, *FAST, *without).json
    assert found["pruned"]["finished"] == "minimal"
    project = load_project(imported).with_margin(Margin.NONE)
    plan = replace(project.plan, optimizer=replace(project.plan.optimizer, epochs=12, learning_rate=0.05))
    engine = Engine()
    model = engine.build(project, plan.design)
    planner = engine.planner(model, plan.optimizer, engine.start_schedule(model, plan.optimizer, None, None))
    for _ in range(plan.optimizer.epochs):
        planner.epoch()
    size = (project.planned_fleet, project.calendar.n_steps, project.scenario.grid.shape)
    reference = read_schedule(tmp_path / "run" / REFERENCE, *size)
    assert np.array_equal(reference.logits, planner.best.logits)
    elimination = engine.eliminator(model, plan, planner.best, None)
    while not elimination.finished:
        elimination.advance()
    kept = read_schedule(tmp_path / "run" / "plan.safetensors", *size)
    assert np.array_equal(kept.proposed, elimination.schedule.proposed)
    assert np.array_equal(kept.poses, elimination.schedule.poses)


@pytest.mark.parametrize("start", ["centroid", "tactical"])
def test_other_starts_lead_to_other_plans(firegui: Run, project: Path, tmp_path: Path, start: str) -> None:
    firegui("plan", project, "--out", tmp_path / "front", *FEW, *QUIET)
    found = firegui("plan", project, "--out", tmp_path / "run", *FEW, "--start", start, "--json", *QUIET).json
    plans = [(tmp_path / name / "plan.safetensors").read_bytes() for name in ("front", "run")]
    assert plans[0] != plans[1]
    assert found["nominal"]["objective"] < found["baseline"]["objective"]
    assert f"--start {start}" in read_run(tmp_path / "run").command


def test_the_command_in_the_run_repeats_it(firegui: Run, project: Path, tmp_path: Path) -> None:
    firegui("plan", project, "--out", tmp_path / "run", *FEW, "--slack", 1.2, *QUIET)
    words = read_run(tmp_path / "run").command.split()[1:]
    firegui(*[tmp_path / "twin" if word == str(tmp_path / "run") else word for word in words], *QUIET)
    assert_same_files(tmp_path / "run", tmp_path / "twin", "plan.safetensors", "schedule.csv")


def test_the_fast_search_is_kept_with_the_run_and_gives_the_same_plan_for_the_same_seed(
    firegui: Run, project: Path, tmp_path: Path
) -> None:
    fast = ("--search", "fast", "--lr", 0.02, "--epochs", 40, "--json", *QUIET)
    found = firegui("plan", project, "--out", tmp_path / "run", *fast).json
    assert found["pruned"]["finished"] == "minimal"
    assert "no single remaining drop can be removed" in found["message"]
    assert 0 < found["nominal"]["drops_executed"] < found["pruned"]["drops_before"]
    assert found["nominal"]["objective"] < 0.9 * found["baseline"]["objective"]
    record = read_run(tmp_path / "run")
    assert record.settings.optimizer.search is SearchMethod.FAST
    assert "--search fast" in record.command
    firegui("plan", project, "--out", tmp_path / "again", *fast)
    assert_same_files(tmp_path / "run", tmp_path / "again", "plan.safetensors", "schedule.csv")
    paper = firegui("plan", project, "--out", tmp_path / "run", "--resume", "--search", "paper")
    assert paper.code == 2 and "Search method = fast, now paper" in paper.err


def test_a_finished_plan_is_not_computed_again(firegui: Run, project: Path, tmp_path: Path) -> None:
    firegui("plan", project, "--out", tmp_path / "run", *FEW, *QUIET)
    answer = firegui("plan", project, "--out", tmp_path / "run", "--resume", "--json", *QUIET)
    assert answer.code == 0
    assert "nothing left to do" in answer.json["message"]


def test_prune_without_a_schedule_says_what_to_give(firegui: Run, project: Path, tmp_path: Path) -> None:
    answer = firegui("prune", project, "--out", tmp_path / "run")
    answer.assert_refused("--schedule")


@pytest.mark.slow
@pytest.mark.parametrize("wait_for", ["history.csv", "reference.safetensors", "elimination.safetensors"])
def test_a_killed_process_goes_on_in_another_and_ends_alike(
    firegui: Run, project: Path, tmp_path: Path, wait_for: str
) -> None:
    words = ["plan", str(project), "--epochs", "40", "--progress", "none"]
    assert firegui(*words, "--out", tmp_path / "whole").code == 0
    command = [sys.executable, "-m", "firegui", *words, "--out", str(tmp_path / "run")]
    process = subprocess.Popen(command, env={**os.environ})
    deadline = time.monotonic() + 120.0
    while not (tmp_path / "run" / wait_for).exists() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert firegui(*words, "--out", tmp_path / "run", "--resume").code == 0
    assert_same_files(tmp_path / "run", tmp_path / "whole", "plan.safetensors", "schedule.csv", ELIMINATION_CHECKPOINT)
