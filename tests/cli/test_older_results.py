"""Projects, runs and results that an older firegui wrote are opened, resumed and exported.

``tests/samples/results.tar.xz`` was written by version 0.1.0 at commit d893c3a, before runs and saved results shared
one format: a project with runs that finished or were stopped, and one result of each analysis. Figures were left out.
"""

from __future__ import annotations

import csv
import json
import tarfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firegui.analyses.benchmark.results import read_benchmark, task_schedule
from firegui.analyses.scaling.results import STORE as SCALING
from firegui.analyses.scaling.results import read_table as read_scaling
from firegui.analyses.study.results import plan_file, read_header, read_study, write_header
from firegui.analyses.uncertainty.results import read_ensemble
from firegui.domain.benchmark import tasks_of
from firegui.io.project.maps_file import read_maps
from firegui.io.project.store import load_project
from firegui.io.project.weights_file import read_weights
from firegui.runs.control import RunControl
from firegui.runs.events import RunFinished
from firegui.runs.header import installed_versions
from firegui.runs.run_folder import read_run
from firegui.runs.runner import execute
from firegui.runs.spec import EnsembleExportSpec, EnsemblePart
from firegui.runs.stages import FinishReason, RunState
from tests.cli.conftest import Run

SAMPLES = Path(__file__).resolve().parents[1] / "samples" / "results.tar.xz"
QUIET = ("--progress", "none")
DROPS = ("--schedule", "drops.csv")
PROJECT = Path("maps.firegui")
FORMATS = "csv,geojson,kml,gpx,gpkg,geotiff,ics220"


@pytest.fixture(autouse=True)
def samples(tmp_path: Path, undrawn: None, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the samples, which is the working folder."""
    with tarfile.open(SAMPLES) as archive:
        archive.extractall(tmp_path, filter="data")
    monkeypatch.chdir(tmp_path)
    return tmp_path


# -- projects and runs -------------------------------------------------------------------------------------------------
def test_a_project_opens_with_its_runs(firegui: Run) -> None:
    found = firegui("info", PROJECT).out

    for text in (
        "20 × 16 cells (width × height)",
        "4 observed",
        "random test maps",
        "2 × Type R",
        "Village",
        "runs       4",
    ):
        assert text in found
    for text in ("finished: completed, 4 epochs", "stopped: stopped, 2 epochs", "replan: completed, 2 epochs"):
        assert text in found


def test_a_projects_fire_is_the_one_that_was_exported_as_maps() -> None:
    fire = load_project(PROJECT).maps
    assert fire is not None
    np.testing.assert_array_equal(read_maps(Path("maps.npz")).maps.phi, fire.phi)


def test_a_run_is_exported_in_every_format(firegui: Run) -> None:
    assert firegui("export", PROJECT / "runs" / "finished", "--format", FORMATS, "--out", "files").code == 0
    suffixes = {path.suffix for path in Path("files").iterdir()}
    assert suffixes >= {".csv", ".geojson", ".kml", ".gpx", ".gpkg", ".tif", ".pdf"}


@pytest.mark.parametrize(("run", "before"), [("finished", 0), ("stopped", 0), ("pruning", 0), ("replan", 4)])
def test_the_drops_of_a_run_are_exported(firegui: Run, run: str, before: int) -> None:
    """``before`` drops were flown before the day of the new plan."""
    assert firegui("export", PROJECT / "runs" / run, "--format", "csv", "--out", "files").code == 0
    (table,) = Path("files").glob("*_drops.csv")
    with table.open(encoding="utf-8") as file:
        executed = sum(row["executed"] == "true" for row in csv.DictReader(file))
    metrics = read_run(PROJECT / "runs" / run).metrics

    assert metrics is not None
    assert executed == metrics.drops_executed + before


def test_a_run_scores_what_it_says(firegui: Run) -> None:
    run = PROJECT / "runs" / "finished"
    found = firegui("evaluate", PROJECT, "--schedule", run, "--json").json
    metrics = read_run(run).metrics

    assert metrics is not None
    assert found["objective"] == pytest.approx(metrics.objective, rel=1e-4)
    assert found["drops_executed"] == metrics.drops_executed


@pytest.mark.parametrize("run", ["stopped", "pruning"])
def test_a_stopped_plan_is_resumed_to_the_plan_of_the_finished_one(firegui: Run, run: str) -> None:
    assert read_run(PROJECT / "runs" / run).reason is FinishReason.STOPPED
    found = firegui("plan", PROJECT, "--out", PROJECT / "runs" / run, "--resume", "--json", *QUIET)

    assert found.code == 0
    resumed, finished = (read_run(PROJECT / "runs" / name) for name in (run, "finished"))
    assert resumed.header.state is RunState.FINISHED and resumed.header.epochs_done == 4
    assert found.json["audit"]["violations"] == []
    assert resumed.metrics is not None and finished.metrics is not None
    # Another processor may round otherwise.
    assert resumed.metrics.objective == pytest.approx(finished.metrics.objective, rel=0.01)


# -- the results of analyses -------------------------------------------------------------------------------------------
def test_weights_are_read_and_scored(firegui: Run) -> None:
    assert [event.name for event in read_weights(Path("finished.safetensors")).training.events] == ["Tiny"]
    found = firegui("skill", PROJECT, "--weights", "finished.safetensors", "--json").json
    with Path("skill/skill.csv").open(encoding="utf-8") as file:
        days = {int(row["day"]) for row in csv.DictReader(file)}
    assert {day["day"] for day in found["model"]["days"]} == days


def test_a_stopped_calibration_is_resumed(firegui: Run) -> None:
    found = firegui("calibrate", PROJECT, "--out", "stopped.safetensors", "--resume", "--json", *QUIET).json

    assert (found["reason"], found["epochs"], found["settings"]["epochs"]) == ("completed", 4, 4)
    assert not Path("stopped.safetensors.part").exists()


@pytest.mark.parametrize("kind", ["effectiveness", "pose", "retardant-side", "design"])
def test_a_sensitivity_table_is_resumed_with_nothing_left_to_do(firegui: Run, kind: str) -> None:
    out = Path(f"sensitivity-{kind}")
    before = json.loads((out / "sensitivity.json").read_text(encoding="utf-8"))
    words = ("--kind", kind, "--out", out, "--resume", "--json", *QUIET)
    found = firegui("sensitivity", PROJECT, *DROPS, *words).json

    assert found["complete"] and found["kind"] == kind
    after = json.loads((out / "sensitivity.json").read_text(encoding="utf-8"))
    assert len(after["rows"]) == len(before["rows"]) > 0
    assert _known(after["rows"], before["rows"]) == _known(before["rows"], before["rows"])


def _known(value: Any, before: Any) -> Any:
    """Return the part of ``value`` that the older version knew.

    The sentences that say why a number is missing are for people and follow the words of today.
    """
    if isinstance(before, list):
        return [_known(each, old) for each, old in zip(value, before, strict=True)]
    if isinstance(before, dict):
        return {key: _known(value[key], old) for key, old in before.items() if key != "reason"}
    return value


@pytest.mark.parametrize(("kind", "project"), [("aleatoric", PROJECT), ("epistemic", PROJECT), ("weather", "scalar")])
def test_an_ensemble_is_resumed_with_more_members(firegui: Run, kind: str, project: Path | str) -> None:
    out = Path(f"uq-{kind}")
    _, before = read_ensemble(out)
    words = ("--kind", kind, "--members", 3, "--out", out, "--resume", "--json", *QUIET)
    found = firegui("uq", Path(project).with_suffix(".firegui"), *DROPS, *words).json

    assert found["complete"] and found["members"] == 3
    _, after = read_ensemble(out)
    np.testing.assert_array_equal(after.extent[:, : before.members], before.extent)


def test_an_ensemble_is_exported() -> None:
    events: list[object] = []
    execute(
        EnsembleExportSpec(Path("uq-aleatoric"), Path("files"), (EnsemblePart.TABLES, EnsemblePart.MAPS)),
        events.append,
        RunControl(),
    )

    assert isinstance(events[-1], RunFinished) and events[-1].reason is FinishReason.COMPLETED
    assert {"ensemble.csv", "mean_plan.tif"} <= {path.name for path in Path("files").iterdir()}


def test_a_benchmark_is_opened_and_its_plans_are_exported() -> None:
    header, table = read_benchmark(Path("benchmark"))
    project = load_project(PROJECT)

    tasks = tasks_of(header.settings)
    assert [row.task for row in table.rows] == list(tasks)
    drops = {}
    for task in tasks:
        schedule = task_schedule(Path("benchmark"), task, project)
        drops[task.planner.value] = 0 if schedule is None else int((schedule.logits > 0).sum())
    assert drops["none"] == 0 < drops["random-uniform"]


@pytest.mark.slow
def test_a_benchmark_is_resumed_with_another_planner(firegui: Run) -> None:
    words = ("--planners", "tactical", "--out", "benchmark", "--resume", "--json", *QUIET)
    found = firegui("benchmark", PROJECT, *words).json

    assert found["complete"]
    assert {row["task"] for row in found["rows"]} == {"two-stage-0", "none-0", "random-uniform-0", "tactical-0"}


def test_a_study_is_resumed_and_its_plans_score_what_its_rows_say(firegui: Run) -> None:
    folder = Path("study")
    header, table = read_study(folder)
    assert sorted(table.rows) == [0, 1]
    # A study is only resumed with the programs that it was begun with.
    write_header(folder, replace(header, versions={**header.versions, **installed_versions()}))
    found = firegui("study", "study.toml", "--out", folder, "--workers", 0, "--resume", "--json", *QUIET).json
    assert (found["complete"], found["done"]) == (True, 2)
    assert read_header(folder).state is RunState.FINISHED

    evaluated = firegui("evaluate", PROJECT, "--schedule", plan_file(folder, 1), "--json").json
    assert evaluated["objective"] == pytest.approx(table.rows[1].plan.objective, rel=1e-4)


def test_a_scaling_study_is_opened() -> None:
    header, table = SCALING.read(Path("scaling")), read_scaling(Path("scaling"))

    assert header.machine
    assert table.complete and table.rows and table.quality
