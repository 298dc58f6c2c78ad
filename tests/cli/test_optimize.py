from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import rasterio

from firegui.runs.control import RunControl
from firegui.runs.run_folder import read_run
from firegui.runs.stages import EpochDone, FinishReason, RunState
from tests.cli.conftest import Run
from tests.support import DAYS, assert_same_files, write_schedule

FILES = {"run.toml", "schedule.csv", "plan.safetensors", "metrics.json", "history.csv", "occupancy.tif"}
QUIET = ("--progress", "none")


def test_optimize_reports_one_json_object_and_a_complete_folder(firegui: Run, project: Path, tmp_path: Path) -> None:
    answer = firegui("optimize", project, "--out", tmp_path / "run", "--epochs", 8, "--json", *QUIET)
    assert (answer.code, answer.err) == (0, "")
    found = answer.json
    assert found["reason"] == "completed"
    assert found["epochs"] == 8
    assert found["nominal"]["objective"] < 0.5 * found["baseline"]["objective"]
    assert found["audit"]["violations"] == []
    assert {path.name for path in (tmp_path / "run").iterdir()} >= FILES


def test_the_schedule_of_a_run_evaluates_to_what_the_run_says(firegui: Run, project: Path, tmp_path: Path) -> None:
    said = firegui("optimize", project, "--out", tmp_path / "run", "--json", *QUIET).json
    for name in ("schedule.csv", "plan.safetensors"):
        found = firegui("evaluate", project, "--schedule", tmp_path / "run" / name, "--json").json
        assert {key: found[key] for key in said["nominal"]} == said["nominal"], name


def test_the_last_band_of_the_occupancy_is_the_final_extent(firegui: Run, project: Path, tmp_path: Path) -> None:
    said = firegui("optimize", project, "--out", tmp_path / "run", "--json", *QUIET).json
    with rasterio.open(tmp_path / "run" / "occupancy.tif") as raster:
        assert raster.count == DAYS
        last = raster.read(raster.count)
    assert last.sum(dtype=float) == pytest.approx(said["nominal"]["final_extent_cells"], rel=1e-6)


def test_the_saved_command_repeats_the_run(firegui: Run, project: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "run", tmp_path / "again"
    options = ("--epochs", 4, "--lr", 0.02, "--patience", 3, "--seed", 5, "--design-retardant", 0.8)
    firegui("optimize", project, "--out", first, *options, *QUIET)
    plan = read_run(first).settings
    optimizer = plan.optimizer
    assert (optimizer.epochs, optimizer.learning_rate, optimizer.patience, optimizer.seed) == (4, 0.02, 3, 5)
    assert plan.design.retardant == 0.8
    words = read_run(first).command.split()
    assert words[0] == "firegui"
    firegui(*[str(second) if word == str(first) else word for word in words[1:]], *QUIET)
    assert_same_files(first, second, "plan.safetensors", "schedule.csv", "metrics.json")


def test_a_resumed_run_takes_its_own_settings_and_a_higher_cap(firegui: Run, project: Path, tmp_path: Path) -> None:
    short, long = tmp_path / "short", tmp_path / "long"
    firegui("optimize", project, "--out", long, "--epochs", 9, "--seed", 5, "--lr", 0.03, *QUIET)
    firegui("optimize", project, "--out", short, "--epochs", 4, "--seed", 5, "--lr", 0.03, *QUIET)
    answer = firegui("optimize", project, "--out", short, "--resume", "--epochs", 9, *QUIET)
    assert answer.code == 0
    assert_same_files(short, long, "plan.safetensors", "schedule.csv", "metrics.json")


def test_a_run_is_not_overwritten(firegui: Run, project: Path, tmp_path: Path) -> None:
    firegui("optimize", project, "--out", tmp_path / "run", "--epochs", 2, *QUIET)
    answer = firegui("optimize", project, "--out", tmp_path / "run", "--epochs", 2, "--json", *QUIET)
    assert answer.code == 2
    assert "--resume" in answer.json["problems"][0]["remedy"]


def test_a_warm_start_begins_better_than_the_front(firegui: Run, project: Path, tmp_path: Path) -> None:
    drops = [
        (0, "R-1", 6.0, 9.0, 0.0),
        (0, "R-2", 10.0, 9.0, 0.0),
        (0, "BIG-1", 8.0, 12.0, 1.57),
        (1, "W-1", 7.0, 9.0, 0.0),
    ]
    schedule = write_schedule(tmp_path / "start.csv", drops)
    firegui("optimize", project, "--out", tmp_path / "cold", "--epochs", 1, *QUIET)
    firegui("optimize", project, "--out", tmp_path / "warm", "--epochs", 1, "--warm-start", schedule, *QUIET)
    cold, warm = (read_run(tmp_path / name).history[0] for name in ("cold", "warm"))
    assert warm.drops == 4
    assert warm.objective < cold.objective


def test_a_bad_warm_start_is_bad_input(firegui: Run, project: Path, tmp_path: Path) -> None:
    schedule = write_schedule(tmp_path / "start.csv", [(0, "NOPE-1", 6.0, 9.0, 0.0)])
    answer = firegui("optimize", project, "--out", tmp_path / "run", "--warm-start", schedule, *QUIET)
    answer.assert_refused("NOPE-1")
    assert not (tmp_path / "run").exists()


def test_json_progress_is_one_scalar_record_a_line(firegui: Run, project: Path, tmp_path: Path) -> None:
    answer = firegui("optimize", project, "--out", tmp_path / "run", "--epochs", 3, "--progress", "json", "--json")
    records = [json.loads(line) for line in answer.err.splitlines()]
    names = [record["event"] for record in records]
    assert names.count("epoch") == 3
    assert (names[0], names[-1]) == ("state", "finished")
    assert all(not isinstance(value, (list, dict)) for record in records for value in record.values())
    assert answer.json["epochs"] == 3


def test_the_bar_goes_to_standard_error_only(firegui: Run, project: Path, tmp_path: Path) -> None:
    answer = firegui("optimize", project, "--out", tmp_path / "run", "--epochs", 3, "--json")
    assert "step 3/3" in answer.err
    assert answer.json


def test_a_stopped_run_exits_with_130_and_its_best_saved(
    firegui: Run, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    control, handler = RunControl(), signal.getsignal(signal.SIGINT)
    monkeypatch.setattr("firegui.cli.carry_out.RunControl", lambda: control)

    def show(event: object) -> None:
        if isinstance(event, EpochDone) and event.epoch == 3:
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr("firegui.cli.plan_runs.emitter", lambda mode: show)
    answer = firegui("optimize", project, "--out", tmp_path / "run", "--json")
    assert answer.code == 130
    assert control.stop_requested
    assert answer.json["reason"] == "stopped"
    assert answer.json["nominal"] is not None
    assert signal.getsignal(signal.SIGINT) is handler


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for one child process")
@pytest.mark.parametrize("presses", [pytest.param(1, marks=pytest.mark.slow), 3])
def test_ctrl_c_however_often_leaves_a_complete_folder(project: Path, tmp_path: Path, presses: int) -> None:
    out = tmp_path / "run"
    epochs = ["--epochs", "1000000", "--patience", "1000000", "--progress", "json", "--json"]
    words = ["optimize", str(project), "--out", str(out), *epochs]
    child = subprocess.Popen(
        [sys.executable, "-m", "firegui", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )  # fmt: skip
    assert child.stderr is not None
    for line in child.stderr:
        if _event(line).get("epoch", -1) >= 5:
            break
    for _ in range(presses):
        child.send_signal(signal.SIGINT)
    stdout, stderr = child.communicate(timeout=60)
    assert child.returncode == 130, stderr
    assert "Traceback" not in stderr
    record = read_run(out)
    assert (record.state, record.reason) == (RunState.FINISHED, FinishReason.STOPPED)
    assert record.header.epochs_done >= 6
    assert len(record.history) == record.header.epochs_done
    assert json.loads(stdout)["epochs"] == record.header.epochs_done
    expected = FILES if presses == 1 else FILES - {"occupancy.tif"}
    assert {path.name for path in out.iterdir()} >= expected


def _event(line: str) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except ValueError:
        return {}
    return found if isinstance(found, dict) and found.get("event") == "epoch" else {}


def test_a_resumed_run_still_names_the_schedule_it_started_from(firegui: Run, project: Path, tmp_path: Path) -> None:
    schedule = write_schedule(tmp_path / "start.csv", [(0, "R-1", 6.0, 9.0, 0.0)])
    out = tmp_path / "run"
    firegui("optimize", project, "--out", out, "--epochs", 2, "--warm-start", schedule, *QUIET)
    first = read_run(out)
    # What is left of it is in the checkpoint, so the file is not needed again.
    schedule.unlink()
    answer = firegui("optimize", project, "--out", out, "--resume", "--epochs", 3, *QUIET)
    assert answer.code == 0, answer.err
    again = read_run(out)
    assert f"--warm-start {schedule.resolve()}" in again.command
    assert again.warm_start_file == first.warm_start_file == schedule.resolve()
    assert again.header.warm_start == first.header.warm_start != ""


def test_a_warm_started_run_without_a_checkpoint_reads_its_schedule_again(
    firegui: Run, project: Path, tmp_path: Path
) -> None:
    schedule = write_schedule(tmp_path / "start.csv", [(0, "R-1", 6.0, 9.0, 0.0)])
    out = tmp_path / "run"
    firegui("optimize", project, "--out", out, "--epochs", 2, "--warm-start", schedule, *QUIET)
    for name in ("checkpoint.safetensors", "metrics.json"):
        (out / name).unlink()
    assert firegui("optimize", project, "--out", out, "--resume", *QUIET).code == 0
    assert read_run(out).history[0].drops == 1
    for name in ("checkpoint.safetensors", "metrics.json"):
        (out / name).unlink()
    schedule.unlink()
    answer = firegui("optimize", project, "--out", out, "--resume", *QUIET)
    answer.assert_refused(str(schedule))


def test_a_schedule_given_to_a_run_that_began_without_one_is_not_recorded(
    firegui: Run, project: Path, tmp_path: Path
) -> None:
    schedule = write_schedule(tmp_path / "start.csv", [(0, "R-1", 6.0, 9.0, 0.0)])
    out = tmp_path / "run"
    firegui("optimize", project, "--out", out, "--epochs", 2, *QUIET)
    firegui("optimize", project, "--out", out, "--resume", "--epochs", 3, "--warm-start", schedule, *QUIET)
    assert "--warm-start" not in read_run(out).command
