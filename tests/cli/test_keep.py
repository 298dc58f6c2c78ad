"""``firegui keep``: a schedule of one's own as a run."""

from __future__ import annotations

from pathlib import Path

from firegui.domain.drops import Drop, DropList
from firegui.io.project.schedule_file import read_schedule, write_plan_safetensors
from firegui.io.project.store import load_project
from tests.cli.conftest import Run

QUIET = ("--progress", "none")


def test_a_schedule_is_kept_as_it_is_and_the_command_in_the_run_repeats_it(
    firegui: Run, project: Path, tmp_path: Path
) -> None:
    loaded = load_project(project)
    drops = DropList((Drop(2, 0, 5.0, 6.0, 0.3), Drop(8, 0, 7.0, 9.0, 1.2)))
    file = tmp_path / "mine.safetensors"
    write_plan_safetensors(file, drops.schedule(loaded.calendar.n_steps, loaded.planned_fleet.n_aircraft))
    found = firegui("keep", project, "--schedule", file, "--out", tmp_path / "run", "--json", *QUIET).json
    assert found["stages"] == ["keep"] and found["nominal"]["drops_executed"] == 2
    size = (loaded.planned_fleet, loaded.calendar.n_steps, loaded.scenario.grid.shape)
    kept = read_schedule(tmp_path / "run" / "plan.safetensors", *size)
    assert sorted(map(tuple, kept.proposed.nonzero()[0].reshape(-1, 1).tolist())) == [(2,), (8,)]
    command = (tmp_path / "run" / "run.toml").read_text()
    assert "firegui keep" in command and str(file) in command


def test_without_a_schedule_it_says_what_to_give(firegui: Run, project: Path, tmp_path: Path) -> None:
    answer = firegui("keep", project, "--out", tmp_path / "run")
    assert answer.code == 2 and "--schedule" in answer.err


def test_a_point_of_the_removal_curve_is_written_and_kept_as_a_run(firegui: Run, project: Path, tmp_path: Path) -> None:
    found = firegui("plan", project, "--out", tmp_path / "run", "--epochs", 12, "--json", *QUIET).json
    points = found["removal"]["points"]
    assert points[0]["drops"] == found["pruned"]["drops_before"]
    assert points[-1]["drops"] == found["removal"]["plan_drops"] == found["pruned"]["drops"]
    assert points[-1]["final_extent_ha"] == found["nominal"]["final_extent_ha"]
    assert points[0]["final_extent_ha"] == found["reference"]["final_extent_ha"]
    assert found["removal"]["effectiveness"] == "nominal" and found["given_up"] == ""

    listed = firegui("removal", tmp_path / "run").out
    assert "Removal curve at expected effectiveness" in listed and "this run's plan" in listed
    chosen, file = points[1], tmp_path / "point.safetensors"
    said = firegui("removal", tmp_path / "run", "--drops", chosen["drops"], "--out", file).out
    assert f"Wrote {file}" in said and "firegui keep" in said
    kept = firegui("keep", project, "--schedule", file, "--out", tmp_path / "kept", "--json", *QUIET).json
    assert kept["nominal"]["drops_executed"] == chosen["drops"]
    assert kept["nominal"]["final_extent_ha"] == chosen["final_extent_ha"]


def test_every_problem_with_a_point_is_listed_and_nothing_is_written(
    firegui: Run, project: Path, tmp_path: Path
) -> None:
    firegui("plan", project, "--out", tmp_path / "run", "--epochs", 12, *QUIET)
    answer = firegui("removal", tmp_path / "run", "--drops", 100_000, "--out", tmp_path / "no" / "point.csv")
    assert answer.code == 2
    for text in ("the curve has no plan with 100,000 drops", "let it end in .safetensors", "its folder does not exist"):
        assert text in answer.err
    assert firegui("removal", tmp_path / "run", "--drops", 3).code == 2
    firegui("keep", project, "--schedule", tmp_path / "run", "--out", tmp_path / "kept", *QUIET)
    answer = firegui("removal", tmp_path / "kept")
    assert answer.code == 2 and "has no removal curve" in answer.err
