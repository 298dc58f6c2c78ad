from __future__ import annotations

import json
import shlex
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from firegui.domain.fit import NetworkFitSettings
from firegui.domain.project import Project
from firegui.io.project.store import load_project, save_project
from firegui.io.project.weights_file import read_weights
from firegui.runs.events import FitEpoch, StateChanged
from tests.cli.conftest import Run, Stop
from tests.support import watched_project

DAYS = ("--fit-days", 3)
SHORT = (*DAYS, "--epochs", 6, "--progress", "none")


@pytest.fixture
def one(tmp_path: Path) -> Path:
    return saved(tmp_path / "one.firegui", watched_project())


@pytest.fixture
def two(tmp_path: Path) -> Path:
    """Another event, with a slope as its only layer and a day without a perimeter of its own."""
    project = watched_project(skipped=(2,))
    slope = np.full(project.scenario.grid.shape, 12.0, np.float32)
    layers = {"slope": slope, "aspect": np.zeros_like(slope)}
    return saved(
        tmp_path / "two.firegui", replace(project, scenario=replace(project.scenario, name="Two", layers=layers))
    )


def saved(folder: Path, project: Project) -> Path:
    save_project(project, folder)
    return folder


# -- calibrating -------------------------------------------------------------------------------------------------------
@pytest.mark.slow
def test_two_events_are_fitted_jointly_and_each_gets_its_scores(
    firegui: Run, one: Path, two: Path, tmp_path: Path
) -> None:
    out = tmp_path / "w.safetensors"
    found = firegui("calibrate", one, two, "--out", out, *SHORT, "--seed", 4, "--json").json

    assert (found["reason"], found["epochs"], found["weights"]) == ("completed", 6, str(out))
    assert [(event["name"], event["days"]) for event in found["events"]] == [("Tiny", [1, 2, 3]), ("Two", [1, 3])]
    for event in found["events"]:
        assert event["mean_iou"] == pytest.approx(np.mean(event["iou"]))
        assert event["lowest_iou"] == min(event["iou"])
    assert found["training"]["seed"] == found["settings"]["seed"] == 4
    assert [item["event"] for item in found["corrections"]] == ["Tiny", "Two"]
    assert [event.name for event in read_weights(out).training.events] == ["Tiny", "Two"]
    assert not list(tmp_path.glob("*.part"))


def test_the_report_says_what_was_learned_what_is_published_and_what_was_never_seen(
    firegui: Run, two: Path, tmp_path: Path
) -> None:
    out = tmp_path / "w.safetensors"
    answer = firegui("calibrate", two, "--out", out, *SHORT)
    lines = answer.out.splitlines()

    assert answer.code == 0
    assert lines[0].startswith("Completed 6 rounds; the best is round ")
    assert "  day     1     3" in lines
    assert "Learned: rate of spread, ignition, fuel factor, effect of slope." in lines
    assert "From published values (Alexandridis et al. 2008): effect of wind strength, wind direction." in lines
    assert any("Never seen: elevation, fuel model, " in line and "slopes above 12°" in line for line in lines)
    assert f"Wrote {out}" in lines


def test_the_hints_can_be_typed_as_they_stand(firegui: Run, one: Path, tmp_path: Path) -> None:
    out = tmp_path / "my weights.safetensors"
    answer = firegui("calibrate", one, "--out", out, *SHORT)
    skill, configure = (shlex.split(line)[-4:] for line in answer.out.splitlines()[-2:])

    assert firegui(*skill, "--progress", "none").code == 0
    assert firegui(*configure).code == 0
    assert load_project(one).fire_model.label == "network trained on Tiny"


def test_without_a_word_as_many_days_are_fitted_as_every_event_has_perimeters_for(
    firegui: Run, one: Path, tmp_path: Path
) -> None:
    fewer = saved(tmp_path / "fewer.firegui", watched_project(skipped=(3, 4)))
    project = load_project(fewer)
    saved(tmp_path / "less.firegui", replace(project, scenario=replace(project.scenario, name="Less")))
    words = ("--epochs", 1, "--progress", "none", "--json")

    alone = firegui("calibrate", one, "--out", tmp_path / "a.safetensors", *words).json
    both = firegui("calibrate", one, tmp_path / "less.firegui", "--out", tmp_path / "b.safetensors", *words).json

    assert alone["settings"]["fit_days"] == 4
    assert both["settings"]["fit_days"] == 2


def test_the_same_seed_gives_the_same_bytes(firegui: Run, one: Path, tmp_path: Path) -> None:
    first, again, other = (tmp_path / f"{name}.safetensors" for name in "abc")
    firegui("calibrate", one, "--out", first, *SHORT)
    firegui("calibrate", one, "--out", again, *SHORT)
    firegui("calibrate", one, "--out", other, *SHORT, "--seed", 1)

    assert first.read_bytes() == again.read_bytes()
    assert first.read_bytes() != other.read_bytes()


def test_later_perimeters_change_nothing(firegui: Run, one: Path, tmp_path: Path) -> None:
    project = watched_project(skipped=(4,))
    fewer = saved(tmp_path / "fewer.firegui", project)
    weights = [tmp_path / f"{name}.safetensors" for name in "ab"]
    for folder, out in zip((one, fewer), weights, strict=True):
        firegui("calibrate", folder, "--out", out, *SHORT)

    assert weights[0].read_bytes() == weights[1].read_bytes()


def test_no_correction_fits_none_and_other_weights_can_be_tuned(firegui: Run, one: Path, tmp_path: Path) -> None:
    bare, tuned = tmp_path / "bare.safetensors", tmp_path / "tuned.safetensors"
    found = firegui("calibrate", one, "--out", bare, *SHORT, "--no-correction", "--json").json
    assert found["corrections"] == []
    assert found["best_epoch"] > 0  # what the first epoch tries is not what it ends with
    further = firegui(
        "calibrate", one, "--out", tuned, *DAYS, "--epochs", 1, "--no-correction", "--start", bare, "--json"
    ).json

    assert further["misfit"] == pytest.approx(found["misfit"], rel=1e-9)


def test_progress_is_told_for_programs(firegui: Run, one: Path, tmp_path: Path) -> None:
    words = ("calibrate", one, "--out", tmp_path / "w", *DAYS, "--epochs", 2, "--progress", "json", "--json")
    lines = [json.loads(line) for line in firegui(*words).err.splitlines()]

    assert [line["epoch"] for line in lines if line["event"] == "fit"] == [0, 1]
    assert all("mean_iou.Tiny" in line for line in lines if line["event"] == "fit")
    assert [line["event"] for line in lines][-3:] == ["weights", "state", "finished"]


# -- stopping ----------------------------------------------------------------------------------------------------------
def test_ctrl_c_keeps_the_best_and_resuming_ends_as_if_nothing_had_happened(
    firegui: Run, one: Path, two: Path, tmp_path: Path, stopping: Stop, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, out = tmp_path / "whole.safetensors", tmp_path / "my weights.safetensors"
    firegui("calibrate", one, two, "--out", whole, *SHORT)
    stopping(FitEpoch, 3)
    answer = firegui("calibrate", one, two, "--out", out, *SHORT)
    monkeypatch.undo()

    assert answer.code == 130
    assert answer.out.startswith("Stopped on request after 3 rounds")
    assert read_weights(out).training.epochs <= 3
    (line,) = (line for line in answer.out.splitlines() if line.startswith("To go on: firegui "))
    resumed = firegui(*shlex.split(line.removeprefix("To go on: firegui ")), "--progress", "none", "--json")
    assert (resumed.code, resumed.json["epochs"]) == (0, 6)
    assert out.read_bytes() == whole.read_bytes()
    assert not list(tmp_path.glob("*.part"))


def test_ctrl_c_before_the_first_epoch_writes_nothing(firegui: Run, one: Path, tmp_path: Path, stopping: Stop) -> None:
    stopping(StateChanged, 0)
    answer = firegui("calibrate", one, "--out", tmp_path / "w", *SHORT)

    assert answer.code == 130
    assert "nothing was written" in answer.err
    assert [path.name for path in tmp_path.iterdir()] == ["one.firegui"]


def test_an_interrupted_calibration_is_not_started_over_by_mistake(
    firegui: Run, one: Path, tmp_path: Path, stopping: Stop, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "w"
    stopping(FitEpoch, 2)
    firegui("calibrate", one, "--out", out, *SHORT)
    monkeypatch.undo()
    again = firegui("calibrate", one, "--out", out, *SHORT)
    other = firegui("calibrate", one, "--out", out, "--resume", "--lr", 0.5, "--progress", "none")

    assert (again.code, other.code) == (2, 2)
    assert "resume it (--resume)" in again.err
    assert f"was begun with Step size = {NetworkFitSettings().learning_rate}, now 0.5" in other.err


# -- bad input ---------------------------------------------------------------------------------------------------------
def test_everything_wrong_is_listed_and_nothing_written(firegui: Run, one: Path, tmp_path: Path) -> None:
    blind = watched_project()
    blind = replace(blind, scenario=replace(blind.scenario, name="Blind", observed=None, observed_dates=()))
    folder = saved(tmp_path / "blind.firegui", blind)
    out = tmp_path / "w.safetensors"
    out.write_text("mine")
    words = ("calibrate", one, folder, tmp_path / "gone", "--out", out, "--fit-days", 9, "--lr", -1, "--start", out)
    answer = firegui(*words, "--json")

    assert answer.code == 2
    found = {f"{problem['where']}: {problem['what']}" for problem in answer.json["problems"]}
    for text in (
        f"{tmp_path / 'gone'}: the project does not exist",
        "fit: --lr is -1.0",
        f"{out}: is there already",
        "Tiny: 9 days with weather for 4",
        "Blind: there is no observed perimeter on day 0",
    ):
        assert text in found
    assert any("w.safetensors: is not a safetensors file" in text for text in found)
    assert out.read_text() == "mine"
