from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import rasterio

from firegui.domain.plan_summary import PlanSummary, RegionSummary
from firegui.errors import InputError
from firegui.runs.control import RunControl
from firegui.runs.events import RunEvent, RunFinished, StateChanged
from firegui.runs.history import COLUMNS, history_text, read_history
from firegui.runs.run_folder import SUMMARY, RunRecord, read_drops, read_run
from firegui.runs.run_repair import check_out
from firegui.runs.runner import execute
from firegui.runs.spec import PlanSpec
from firegui.runs.stages import EpochDone, FinishReason, RunState
from firegui.runs.summary import run_summary, saved_summary
from tests.support import forget_checksums, make_project
from tests.unit.runs.fakes import FakeEngine, carried_out, raise_at


@pytest.fixture
def spec(tmp_path: Path) -> PlanSpec:
    return PlanSpec(
        make_project(epochs=4), tmp_path / "run", "firegui optimize X --out run", project_folder=tmp_path / "X.firegui"
    )


@pytest.fixture
def finished_run(spec: PlanSpec) -> Path:
    carried_out(spec)
    return spec.out


def test_a_finished_run_holds_every_documented_file(finished_run: Path) -> None:
    expected = {"run.toml", "schedule.csv", "plan.safetensors", "metrics.json", "history.csv", "occupancy.tif"}
    assert {path.name for path in finished_run.iterdir()} >= expected | {"baseline.tif"}
    assert (finished_run / "history.csv").read_text().splitlines()[0] == (
        "epoch,rollouts,objective,best,burn,final,prot,drops,grad_norm,seconds"
    )


def test_occupancy_is_one_band_per_day_dated_at_its_end(finished_run: Path) -> None:
    with rasterio.open(finished_run / "occupancy.tif") as raster:
        assert raster.count == 2
        assert raster.descriptions == ("P(fire) 2020-08-20T00:00-07:00", "P(fire) 2020-08-21T00:00-07:00")


def test_the_record_says_what_was_run(finished_run: Path, spec: PlanSpec) -> None:
    record = read_run(finished_run)
    assert record.command == spec.command
    assert record.settings == spec.project.plan
    assert record.header.seed == spec.project.plan.optimizer.seed
    assert record.header.project_folder == str(spec.project_folder)
    assert len(record.project_hash) == 64
    assert {"python", "torch", "numpy", "firegui"} <= set(record.header.versions)
    assert (record.state, record.reason) == (RunState.FINISHED, FinishReason.COMPLETED)


def test_the_project_in_a_record_is_the_one_that_was_run_but_for_its_rasters(
    finished_run: Path, spec: PlanSpec
) -> None:
    kept, run = read_run(finished_run).project, spec.project
    assert kept.planned_fleet == run.planned_fleet
    assert kept.grounded == run.grounded
    assert kept.regions == run.regions
    assert kept.calendar == run.calendar
    assert kept.scenario.grid == run.scenario.grid
    assert kept.scenario.days == run.scenario.days


def test_drops_read_back_exactly(finished_run: Path) -> None:
    drops = read_drops(finished_run)
    assert [(drop.step, drop.aircraft, drop.landing_x) for drop in drops] == [(0, "R-1", 2.5)]


def test_the_summary_has_what_burns_of_the_regions_also_where_an_older_version_wrote_it(finished_run: Path) -> None:
    def regions(read: Callable[[RunRecord], PlanSummary | None]) -> tuple[RegionSummary, ...]:
        found = read(read_run(finished_run))
        assert found is not None
        return found.regions

    (region,) = regions(run_summary)
    assert (region.name, region.is_in_goal) == ("Village", True)
    assert region.burned_ha is not None and region.burned_ha_no_drops is not None
    path = finished_run / SUMMARY
    old = json.loads(path.read_text())
    del old["regions"], old["together"]
    path.write_text(json.dumps(old))
    assert regions(saved_summary) == ()
    assert regions(run_summary) == (region,)


def test_history_reads_back_exactly(tmp_path: Path) -> None:
    row = EpochDone(3, 9, 12, 0.1 + 0.2, 1 / 3, 1e-17, 2.0, 0.0, 7, 1e300, 0.123456789012345678)
    (tmp_path / "history.csv").write_text(history_text([row]))
    assert read_history(tmp_path / "history.csv", 9) == (row,)
    assert len(COLUMNS) == 11


def test_a_history_with_a_cell_without_end_is_named(tmp_path: Path) -> None:
    (tmp_path / "history.csv").write_text(",".join(COLUMNS) + "\n" + "9" * 200_000 + "\n")
    with pytest.raises(InputError, match="not a history of a run"):
        read_history(tmp_path / "history.csv", 9)


def test_a_damaged_history_is_named(tmp_path: Path) -> None:
    (tmp_path / "history.csv").write_text("epoch,rollouts\n1,x\n")
    with pytest.raises(InputError, match=r"history\.csv: not a history of a run"):
        read_history(tmp_path / "history.csv", 9)


def test_a_folder_with_something_else_in_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / "photo.jpg").write_bytes(b"")
    with pytest.raises(InputError, match="is not empty and is not a run"):
        check_out(tmp_path, resume=False)


def test_a_run_below_a_file_is_refused_before_anything_is_computed(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"file: is a file"):
        check_out(tmp_path / "file" / "runs" / "one", resume=False)


def test_a_file_in_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("")
    with pytest.raises(InputError, match="is a file"):
        check_out(tmp_path / "run", resume=False)


def test_hidden_leftovers_do_not_make_a_folder_somebody_elses(tmp_path: Path) -> None:
    (tmp_path / ".DS_Store").write_bytes(b"")
    assert check_out(tmp_path, resume=False) is None


def test_a_finished_run_is_not_overwritten(finished_run: Path, spec: PlanSpec) -> None:
    before = {path: path.read_bytes() for path in finished_run.iterdir()}
    last = carried_out(spec)[-1]
    assert isinstance(last, RunFinished)
    assert "holds a finished run — give another folder; its result can be read" in str(last.problems[0])
    assert {path: path.read_bytes() for path in finished_run.iterdir()} == before


def test_an_interrupted_run_is_not_overwritten_either(spec: PlanSpec) -> None:
    carried_out(spec, FakeEngine(during_epoch=raise_at(2, MemoryError)), RunControl())
    with pytest.raises(InputError, match="holds a finished run"):
        check_out(spec.out, resume=False)


def test_a_run_that_never_got_anywhere_may_be_overwritten(spec: PlanSpec) -> None:
    control = RunControl()
    control.request_stop()
    carried_out(spec, FakeEngine(), control)
    assert check_out(spec.out, resume=False) is None


@pytest.mark.parametrize("exists", [True, False])
def test_there_must_be_a_run_to_resume(tmp_path: Path, exists: bool) -> None:
    folder = tmp_path / "run"
    if exists:
        folder.mkdir()
    with pytest.raises(InputError, match="holds no run to resume"):
        check_out(folder, resume=True)


def test_a_folder_without_a_run_is_said_to_be_none(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"is not a run: it has no run\.toml"):
        read_run(tmp_path)


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        ("state = ", "cannot be read"),
        ("command = 3\n", "cannot be read"),
        ("format = 99\n", "newer firegui"),
        (f"project = {'[' * 9_000}", "cannot be read"),
        ('project = "x"', "cannot be read"),
        ("project.plan = 3", "cannot be read"),
    ],
)
def test_a_damaged_or_newer_record_is_said_to_be_so(finished_run: Path, damage: str, said: str) -> None:
    (finished_run / "run.toml").write_text(damage)
    with pytest.raises(InputError, match=said):
        read_run(finished_run)


@pytest.mark.parametrize("name", ["run.toml", "metrics.json", "history.csv"])
def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(finished_run: Path, name: str) -> None:
    (finished_run / name).unlink()
    os.mkfifo(finished_run / name)
    with pytest.raises(InputError, match=f"{name}: is a pipe or a device"):
        read_run(finished_run)


@pytest.mark.parametrize("text", ["{", "[" * 9_000, '{"a":' * 9_000])
def test_damaged_metrics_are_said_to_be_so(finished_run: Path, text: str) -> None:
    (finished_run / "metrics.json").write_text(text)
    with pytest.raises(InputError, match=r"metrics\.json: cannot be read"):
        read_run(finished_run)


def test_a_run_without_drops_yet_says_how_to_get_them(spec: PlanSpec) -> None:
    carried_out(spec, FakeEngine(during_epoch=raise_at(0, MemoryError)))
    with pytest.raises(InputError, match="has no finished plan — resume the run"):
        read_drops(spec.out)


def test_a_run_killed_between_two_checkpoints_can_be_read_and_resumed(spec: PlanSpec) -> None:
    # SystemExit is not an Exception: like a kill, the run does not catch it.
    with pytest.raises(SystemExit):
        carried_out(replace(spec, checkpoint_seconds=0.0), FakeEngine(during_epoch=raise_at(2, SystemExit)))
    record = read_run(spec.out)
    assert record.state is RunState.RUNNING
    assert record.can_resume
    assert record.has_plan
    assert [row.epoch for row in record.history] == [0, 1]
    assert not [path for path in spec.out.iterdir() if ".tmp" in path.name]
    carried_out(replace(spec, resume=True))
    assert [row.epoch for row in read_run(spec.out).history] == [0, 1, 2, 3]


def test_the_record_says_running_from_the_first_epoch_on_and_paused_while_it_is(spec: PlanSpec) -> None:
    said: list[RunState] = []
    control = RunControl()

    def during(epoch: int) -> None:
        said.append(read_run(spec.out).state)
        if epoch == 1:
            control.request_pause()

    def go_on() -> None:
        said.append(read_run(spec.out).state)
        control.request_resume()

    def emit(event: RunEvent) -> None:
        if event == StateChanged(RunState.PAUSED):
            threading.Timer(0.05, go_on).start()

    execute(spec, emit, control, engine=FakeEngine(during_epoch=during))
    assert said == [RunState.RUNNING, RunState.RUNNING, RunState.PAUSED, RunState.RUNNING, RunState.RUNNING]


@pytest.mark.parametrize("hours", ["nan", "inf", "-99.0"])
def test_a_run_with_an_offset_of_no_place_is_refused_and_named(finished_run: Path, hours: str) -> None:
    forget_checksums(finished_run)
    header = finished_run / "run.toml"
    text = header.read_text(encoding="utf-8")
    assert text.count("utc_offset_h = -7.0\n") == 1
    header.write_text(text.replace("utc_offset_h = -7.0", f"utc_offset_h = {hours}"), encoding="utf-8")
    with pytest.raises(InputError, match=r"run.toml, project: utc_offset_h is .* — use −14 to 14"):
        read_run(finished_run)


@pytest.mark.parametrize(
    ("line", "value", "said"),
    [
        ("rows", "-1", r"project: holds no cell"),
        ("columns", str(2**63), r"project: claims .* cells"),
        ("rows", "9" * 400, r"project\.grid\.rows is a whole number beyond"),
        ("days", "0", r"project: days is 0 — use 1 to 3,?650"),
        ("steps_per_day", "1000000", r"project: steps_per_day is 1000000"),
        ("cell_size_m", "9" * 400, r"cell_size_m is a whole number beyond"),
    ],
)
def test_a_run_of_a_size_that_no_project_has_is_refused_and_named(
    finished_run: Path, line: str, value: str, said: str
) -> None:
    forget_checksums(finished_run)
    header = finished_run / "run.toml"
    text, count = re.subn(rf"(?m)^{line} = .*$", f"{line} = {value}", header.read_text(encoding="utf-8"), count=1)
    assert count == 1
    header.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=said):
        read_run(finished_run)


def test_every_whole_number_of_a_header_that_no_float_holds_is_named(finished_run: Path) -> None:
    forget_checksums(finished_run)
    header, huge = finished_run / "run.toml", "9" * 400
    text, count = re.subn(r"(?m)^(rows|columns) = .*$", rf"\1 = {huge}", header.read_text(encoding="utf-8"))
    assert count == 2
    header.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as refused:
        read_run(finished_run)
    places = ["project.grid.rows", "project.grid.columns"]
    assert [problem.what.split(" is ")[0] for problem in refused.value.problems] == places
