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
