"""``firegui tactical``, the answer for when there is a minute, and what follows from its plan."""

from __future__ import annotations

import json
from pathlib import Path

from firegui.runs.run_folder import read_run
from tests.cli.conftest import Run
from tests.support import assert_same_files

QUIET = ("--progress", "none")
FILES = {"run.toml", "schedule.csv", "plan.safetensors", "metrics.json", "history.csv", "occupancy.tif"}


def test_it_leaves_an_ordinary_run_that_is_audited_and_helps(firegui: Run, project: Path, tmp_path: Path) -> None:
    answer = firegui("tactical", project, "--out", tmp_path / "run", "--json", *QUIET)
    assert (answer.code, answer.err) == (0, "")
    found = answer.json
    assert found["stages"] == ["tactical"]
    assert found["swept"] == {"done": 3, "passes": 3, "rollouts": 4}
    assert found["audit"]["violations"] == []
    assert found["nominal"]["objective"] < found["baseline"]["objective"]
    assert found["nominal"]["drops_executed"] == found["nominal"]["drops_proposed"] > 0
    assert "placed by rule" in found["message"]
    assert {path.name for path in (tmp_path / "run").iterdir()} >= FILES


def test_people_are_told_what_it_is_and_what_to_do_next(firegui: Run, project: Path, tmp_path: Path) -> None:
    answer = firegui("tactical", project, "--out", tmp_path / "run")
    assert answer.code == 0
    for words in (
        "placed by rule, not searched for",
        "at cautious effectiveness",
        "At expected effectiveness",
        "0 violations",
    ):
        assert words in answer.out
    assert f"With more time: firegui plan {project} --out RUN" in answer.out
    assert "[3/3]" in answer.err


def test_its_progress_can_be_followed(firegui: Run, project: Path, tmp_path: Path) -> None:
    answer = firegui("tactical", project, "--out", tmp_path / "run", "--json", "--progress", "json")
    events = [json.loads(line) for line in answer.err.splitlines()]
    assert [(event["done"], event["total"]) for event in events if event["event"] == "progress"] == [
        (0, 3), (1, 3), (2, 3),
    ]  # fmt: skip
    assert [event["stage"] for event in events if event["event"] == "stage"] == ["tactical"]


def test_the_budget_is_kept_also_by_the_command_that_repeats_it(firegui: Run, project: Path, tmp_path: Path) -> None:
    words = ("tactical", project, "--out", tmp_path / "run", "--budget", 3, "--seed", 5, "--json", *QUIET)
    assert firegui(*words).json["nominal"]["drops_executed"] == 3
    again = read_run(tmp_path / "run").command.split()[1:]
    firegui(*[tmp_path / "twin" if word == str(tmp_path / "run") else word for word in again], *QUIET)
    assert_same_files(tmp_path / "run", tmp_path / "twin", "plan.safetensors", "schedule.csv")


def test_a_finished_one_is_not_computed_again_and_keeps_its_budget(firegui: Run, project: Path, tmp_path: Path) -> None:
    words = ("tactical", project, "--out", tmp_path / "run")
    firegui(*words, "--budget", 3, *QUIET)
    answer = firegui(*words, "--resume", "--json", *QUIET)
    assert answer.code == 0
    assert "nothing left to do" in answer.json["message"]
    other = firegui(*words, "--resume", "--budget", 4, "--json", *QUIET)
    assert other.code == 2
    assert "a budget of 3 drops, now a budget of 4 drops" in json.dumps(other.json)
    assert firegui(*words, "--json", *QUIET).code == 2


def test_the_plan_can_be_audited_exported_evaluated_pruned_and_improved(
    firegui: Run, project: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    made = firegui("tactical", project, "--out", run, "--json", *QUIET).json
    assert firegui("audit", project, "--schedule", run / "schedule.csv").code == 0
    assert firegui("export", run, "--format", "csv,geojson", "--out", tmp_path / "files").code == 0
    scored = firegui("evaluate", project, "--schedule", run, "--json").json
    assert scored["objective"] == made["nominal"]["objective"]
    pruned = firegui("prune", project, "--schedule", run, "--out", tmp_path / "pruned", "--json", *QUIET).json
    assert pruned["pruned"]["drops_before"] == made["nominal"]["drops_executed"]
    assert pruned["pruned"]["drops"] < pruned["pruned"]["drops_before"]
    words = ("--warm-start", run / "plan.safetensors", "--epochs", 12, "--out", tmp_path / "better", "--json")
    better = firegui("optimize", project, *words, *QUIET).json
    assert better["design"]["objective"] <= made["design"]["objective"]
