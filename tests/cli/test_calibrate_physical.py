"""Calibration of the physical fire model from the command line."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from firegui.domain.project import FireModel
from firegui.domain.spread_factors import SpreadFactors
from firegui.io.project.store import load_project, project_hash, save_project
from firegui.runs.events import FitEpoch
from firegui.runs.lock import editing
from tests.cli.conftest import Run, Stop
from tests.unit.calibration.physical_fires import physical_fire, two_fires

SHORT = ("--fit-days", 2, "--rollouts", 12, "--progress", "none")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made") / "burned.firegui"
    save_project(physical_fire(), folder)
    return folder


@pytest.fixture
def burned(made: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "burned.firegui"
    save_project(load_project(made), folder)
    return folder


@pytest.fixture
def two(tmp_path: Path) -> list[Path]:
    """Return a fire in grass and one in shrub, made with the same factors."""
    folders = [tmp_path / "grass.firegui", tmp_path / "shrub.firegui"]
    for project, folder in zip(two_fires(), folders, strict=True):
        save_project(project, folder)
    return folders


def test_the_table_comes_first_and_the_hint_uses_the_factors(firegui: Run, burned: Path) -> None:
    before = (burned / "project.toml").read_bytes()
    answer = firegui("calibrate", burned, *SHORT)
    lines = answer.out.splitlines()
    assert answer.code == 0, answer.err
    assert lines[0].startswith("Completed 12 rollouts; the best is rollout ")
    assert lines[1].startswith("Factors: grass × 0.")
    heads = ("present model", "calibrated model", "day 0 held", "last perimeter held", "disc of ")
    assert all(any(line.strip().startswith(head) for line in lines) for head in heads)
    assert any("day 3, held out" in line and "new growth" in line for line in lines)
    assert any(line.startswith("The calibrated model is better than the present one") for line in lines)
    assert (burned / "project.toml").read_bytes() == before, "nothing is replaced before it is accepted"

    (hint,) = (line for line in lines if line.startswith("To use it: firegui "))
    assert firegui(*shlex.split(hint.removeprefix("To use it: firegui "))).code == 0
    saved = load_project(burned)
    assert saved.fire_model.physical.factors.grass_speed < 1.0
    assert f"calibrated: {lines[1].removeprefix('Factors: ')}" in firegui("info", burned).out


def test_apply_saves_what_the_json_says_and_the_factors_can_be_reset(firegui: Run, burned: Path) -> None:
    plain = load_project(burned)
    found = firegui("calibrate", burned, *SHORT, "--apply", "--json").json
    saved = load_project(burned)
    assert SpreadFactors(**found["factors"]) == saved.fire_model.physical.factors != SpreadFactors()
    assert found["applied"] and found["factors"]["litter_speed"] == 1.0
    (fire,) = found["fires"]
    assert fire["project"] == str(burned) and SpreadFactors(**fire["before"]) == SpreadFactors()
    keys = [each["key"] for each in fire["forecasts"]]
    assert keys == ["present", "calibrated", "start", "held", "disc"]
    present, calibrated = fire["forecasts"][:2]
    assert calibrated["held_out_iou"] > present["held_out_iou"]
    assert calibrated["new_growth_iou"] > 0.0
    assert project_hash(saved) != project_hash(plain)
    words = ("--grass-speed", 1, "--shrub-speed", 1, "--moisture-shift", 0, "--wind-factor", 1)
    assert firegui("configure", burned, *words).code == 0
    assert project_hash(load_project(burned)) == project_hash(plain)


def test_several_fires_get_the_same_factors_and_are_left_out_in_turn(firegui: Run, two: list[Path]) -> None:
    answer = firegui("calibrate", *two, *SHORT, "--leave-one-out", "--apply")
    lines = answer.out.splitlines()
    assert answer.code == 0, answer.err
    for name, folder in zip(("Grass", "Shrub"), two, strict=True):
        first = lines.index(name)
        assert any(line.strip().startswith("fitted to other fires") for line in lines[first : first + 8])
        assert f"Saved {folder}" in lines
    grass, shrub = (load_project(folder).fire_model.physical.factors for folder in two)
    assert grass == shrub and grass.grass_speed < 1.0 < grass.shrub_speed
    found = firegui("calibrate", *two, "--fit-days", 1, "--rollouts", 2, "--progress", "none", "--json").json
    assert [SpreadFactors(**fire["before"]) for fire in found["fires"]] == [grass, grass]
    assert [fire["factors_of_others"] for fire in found["fires"]] == [None, None] and not found["applied"]


def test_what_is_wrong_with_any_project_is_said_before_anything_is_fitted_or_saved(
    firegui: Run, two: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scalar = tmp_path / "scalar.firegui"
    event = load_project(two[0]).scenario
    named = replace(event, name="Scalar", observed=None, observed_dates=())
    save_project(replace(load_project(two[0]), scenario=named, fire_model=FireModel("scalar", "test", {})), scalar)
    answer = firegui("calibrate", *two, two[0], scalar, tmp_path / "gone", *SHORT, "--apply")
    answer.assert_refused(
        "gone", "2 events are called 'Grass'", "Scalar: the fire model is the scalar one, which has no factors",
        "Scalar: there is no observed perimeter on day 0",
    )  # fmt: skip

    monkeypatch.setattr("firegui.runs.lock._EDIT_WAIT_S", 0.1)
    before = [(folder / "project.toml").read_bytes() for folder in two]
    words = ("calibrate", *two, "--fit-days", 1, "--rollouts", 4, "--progress", "none", "--apply")
    with editing(two[1]):
        answer, told = firegui(*words), firegui(*words, "--json")
    assert answer.code == 2 and "is being changed by process" in answer.err
    assert "Saved" not in answer.out and f"To use it: firegui configure {two[0]} " in answer.out
    told.assert_refused("is being changed by process")
    assert told.json["factors"]["grass_speed"] < 1.0 and not told.json["applied"]
    assert [(folder / "project.toml").read_bytes() for folder in two] == before


def test_ctrl_c_keeps_the_best_factors_so_far(firegui: Run, burned: Path, stopping: Stop) -> None:
    stopping(FitEpoch, 4)
    answer = firegui("calibrate", burned, *SHORT)
    assert answer.code == 130
    assert answer.out.startswith("Stopped on request after 4 rollouts")
    assert "was not compared" in answer.out and "To use it: " in answer.out


def test_progress_is_told_for_programs(firegui: Run, burned: Path) -> None:
    words = ("calibrate", burned, "--fit-days", 1, "--rollouts", 2, "--progress", "json", "--json")
    lines = [json.loads(line) for line in firegui(*words).err.splitlines()]
    assert [line["epoch"] for line in lines if line["event"] == "fit"] == [0, 1]
    assert "factors" in [line["event"] for line in lines]


def test_options_of_the_other_model_and_other_projects_are_refused(firegui: Run, burned: Path, tmp_path: Path) -> None:
    for words, said in (
        ((burned, "--epochs", 3), "--epochs: of a network, which needs --out"),
        ((burned, "--leave-one-out"), "no fire is left where one is left out"),
        ((burned, "--out", tmp_path / "w", "--apply"), "of the physical model: leave --out out"),
        ((burned, "--resume"), "are of a network: give --out"),
        ((burned, "--rollouts", 0), "--rollouts is 0"),
    ):
        answer = firegui("calibrate", *words)
        assert answer.code == 2 and said in answer.err, answer.err
