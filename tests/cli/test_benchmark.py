from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from firegui.analyses.benchmark.results import HEADER, read_header
from firegui.analyses.task_files import TASKS
from firegui.domain.benchmark import DEFAULT_PLANNERS, MATCHED_PLANNERS, BenchmarkSettings, PlannerName, tasks_of
from firegui.io.project.store import load_project
from firegui.planning import benchmark as factory
from firegui.runs.command import repeat_command
from firegui.runs.spec import BenchmarkSpec
from firegui.runs.stages import FinishReason
from tests.cli.conftest import Run
from tests.unit.analyses.workers import Workplace

ALL = {name.value for name in DEFAULT_PLANNERS}


def planners_of(out: Path) -> list[str]:
    return [name.value for name in read_header(out).settings.planners]


@pytest.fixture
def without_nevergrad(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine that has only what is always installed."""
    missing = {PlannerName.DIFFERENTIAL_EVOLUTION, PlannerName.PARTICLE_SWARM}
    monkeypatch.setattr(factory, "missing_extra", lambda name: "nevergrad" if name in missing else "")


def test_a_small_benchmark_comes_with_its_table_and_its_files_and_grows_with_resume(
    firegui: Run, project: Path, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    words = ("--planners", "none,random-uniform", "--seeds", 2, "--allowance", 30, "--processes", 1, "--out", out)
    answer = firegui("benchmark", project, *words)

    assert answer.code == 0, answer.err
    for text in ("No drops", "Random (anywhere)", "Two-stage", "no violation", "4/4 tasks", str(out)):
        assert text in answer.out + answer.err
    names = {path.name for path in (out / TASKS).iterdir()}
    assert names == {"two-stage-0", "none-0", "random-uniform-0", "random-uniform-1"}
    assert {"rows.csv", "curves.csv", HEADER} <= {path.name for path in out.iterdir()}
    assert any(out.glob("*.tex")) and any(out.glob("*.png")) and any(out.glob("*.svg"))

    found = firegui("benchmark", project, "--planners", "tactical", "--out", out, "--resume", "--json").json
    assert found["complete"] and found["reason"] == "completed" and found["budget"] > 0
    rows = {row["task"]: row for row in found["rows"]}
    assert set(rows) == names | {"tactical-0", "tactical-1"}
    assert rows["none-0"]["drops_executed"] == 0 and rows["two-stage-0"]["drops_executed"] == found["budget"]
    assert rows["none-0"]["objective"] > rows["two-stage-0"]["objective"]


@pytest.mark.slow
def test_the_command_that_is_kept_asks_for_the_same(
    firegui: Run, project: Path, workplace: Workplace, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    words = ("--planners", "gradient, cma-es", "--matched", "all", "--seeds", 2, "--seed", 7, "--allowance", 50)
    firegui("benchmark", project, *words, "--budget", 12, "--excess", 3.5, "--out", out)
    header = read_header(out)
    assert header.settings.matched == MATCHED_PLANNERS and header.settings.excess == 3.5
    assert re.search(r"--seed 7 .*--budget 12 --excess 3\.5", header.command)
    again = shlex.split(header.command.replace(str(out), str(tmp_path / "two")))[1:]
    assert firegui(*again).code == 0
    assert read_header(tmp_path / "two").settings == header.settings


def test_the_command_of_a_benchmark_at_the_matched_allowance_alone_asks_for_the_same(
    firegui: Run, project: Path, workplace: Workplace, tmp_path: Path
) -> None:
    settings = BenchmarkSettings(planners=(), matched=(PlannerName.GRADIENT,), seeds=1)
    command = repeat_command(BenchmarkSpec(load_project(project), tmp_path / "run", "", settings, project))
    assert firegui(*shlex.split(command)[1:]).code == 0
    assert set(tasks_of(read_header(tmp_path / "run").settings)) == set(tasks_of(settings))


@pytest.mark.slow
def test_all_planners_are_what_is_meant_without_a_name(
    firegui: Run, project: Path, workplace: Workplace, tmp_path: Path
) -> None:
    assert firegui("benchmark", project, "--out", tmp_path / "run").code == 0
    assert set(planners_of(tmp_path / "run")) == ALL
    firegui("benchmark", project, "--planners", "cma-es-native", "--resume", "--out", tmp_path / "run")
    assert set(planners_of(tmp_path / "run")) == ALL | {"cma-es-native"}


def test_without_nevergrad_two_planners_are_left_out_and_named(
    firegui: Run, project: Path, workplace: Workplace, without_nevergrad: None, tmp_path: Path
) -> None:
    answer = firegui("benchmark", project, "--planners", "all", "--out", tmp_path / "run")
    assert answer.code == 0
    assert set(planners_of(tmp_path / "run")) == ALL - {"differential-evolution", "particle-swarm"}
    for text in ("Particle swarm is left out", "Differential evolution is left out", "pip install nevergrad"):
        assert text in answer.out and text in answer.err
    refused = firegui("benchmark", project, "--planners", "particle-swarm", "--out", tmp_path / "two")
    assert refused.code == 2 and "needs the package nevergrad" in refused.err and "pip install" in refused.err
    assert not (tmp_path / "two").exists()


def test_at_the_matched_allowance_all_leaves_out_what_cannot_be_run_and_names_it(
    firegui: Run, project: Path, workplace: Workplace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(factory, "missing_extra", lambda name: "cma" if name.startswith("cma") else "")
    answer = firegui("benchmark", project, "--planners", "none", "--matched", "all", "--out", tmp_path / "run")
    assert answer.code == 0, answer.err
    assert read_header(tmp_path / "run").settings.matched == (PlannerName.GRADIENT,)
    assert "CMA-ES (daily basis) is left out" in answer.out and "pip install cma" in answer.out


def test_a_benchmark_whose_project_is_gone_says_where_it_was_and_goes_on_where_it_is_now(
    firegui: Run, project: Path, workplace: Workplace, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    words = ("--planners", "none,tactical", "--budget", 5, "--seeds", 1, "--out", out)
    assert firegui("benchmark", project, *words).code == 0
    moved = project.rename(tmp_path / "elsewhere.firegui")
    before = (out / HEADER).read_bytes()
    answer = firegui("benchmark", project, "--planners", "greedy", "--out", out, "--resume")
    assert answer.code == 2 and (out / HEADER).read_bytes() == before
    assert f"{project}: the project does not exist" in answer.err
    assert f"kept in {project.resolve()} — give the folder it is in now" in answer.err
    assert firegui("benchmark", moved, "--planners", "greedy", "--out", out, "--resume").code == 0
    assert read_header(out).project_folder == str(moved.resolve())


def test_what_the_project_and_the_options_lack_is_listed_together(firegui: Run, project: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    words = ("--planners", "magic", "--matched", "two-stage", "--budget", -3, "--processes", -2, "--resume")
    answer = firegui("benchmark", project, *words, "--out", out)
    assert answer.code == 2 and not out.exists()
    for text in ("'magic'", "matched allowance", "--budget is", "-2 of them", "no benchmark to resume"):
        assert text in answer.err
    lost = firegui("benchmark", tmp_path / "lost.firegui", *words, "--out", out)
    lost.assert_refused(
        "lost.firegui", "'magic'", "matched allowance", "--budget is", "-2 of them", "no benchmark to resume"
    )
    empty = firegui("benchmark", project, "--planners", ",", "--out", out)
    assert empty.code == 2 and empty.err.count("•") == 1 and "is empty" in empty.err


def test_resuming_under_other_terms_is_refused(
    firegui: Run, project: Path, workplace: Workplace, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    firegui("benchmark", project, "--planners", "gradient", "--seeds", 2, "--allowance", 50, "--out", out)
    before = (out / HEADER).read_bytes()
    answer = firegui("benchmark", project, "--seeds", 1, "--allowance", 60, "--budget", 4, "--resume", "--out", out)
    assert answer.code == 2 and (out / HEADER).read_bytes() == before
    for text in ("Fire simulations = 50, now 60", "Drop budget = 0, now 4", "gradient-1", "can only be added"):
        assert text in answer.err


def test_a_task_that_went_wrong_ends_with_its_name_and_the_table_of_the_others(
    firegui: Run, project: Path, workplace: Workplace, tmp_path: Path
) -> None:
    done = workplace.answer
    workplace.answer = lambda terms: None if terms.task.name == "gradient-0" else done(terms)
    answer = firegui("benchmark", project, "--planners", "gradient,none", "--seeds", 1, "--out", tmp_path / "run")
    assert answer.code == 1 and "gradient-0: its process was killed" in answer.out
    assert "No drops" in answer.out
    assert read_header(tmp_path / "run").reason is FinishReason.FAILED


def test_programs_can_follow_the_tasks(firegui: Run, project: Path, workplace: Workplace, tmp_path: Path) -> None:
    words = ("--planners", "none", "--budget", 5, "--progress", "json", "--json", "--out", tmp_path / "run")
    answer = firegui("benchmark", project, *words)
    assert answer.json["complete"]
    assert '"event": "benchmark_table", "rows": 1, "tasks": 1, "budget": 5, "complete": true' in answer.err
