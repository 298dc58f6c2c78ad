"""Calibration of the physical fire model from the command line."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from firegui.domain.spread_factors import SpreadFactors
from firegui.io.project.store import load_project, project_hash, save_project
from firegui.runs.events import FitEpoch
from tests.cli.conftest import Run, Stop
from tests.unit.calibration.physical_fires import physical_fire

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
    keys = [each["key"] for each in found["forecasts"]]
    assert keys == ["present", "calibrated", "start", "held", "disc"]
    present, calibrated = found["forecasts"][:2]
    assert calibrated["held_out_iou"] > present["held_out_iou"]
    assert calibrated["new_growth_iou"] > 0.0
    assert project_hash(saved) != project_hash(plain)
    words = ("--grass-speed", 1, "--shrub-speed", 1, "--moisture-shift", 0, "--wind-factor", 1)
    assert firegui("configure", burned, *words).code == 0
    assert project_hash(load_project(burned)) == project_hash(plain)


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
        ((burned, burned), "fitted to one PROJECT"),
        ((burned, "--out", tmp_path / "w", "--apply"), "of the physical model: leave --out out"),
        ((burned, "--resume"), "are of a network: give --out"),
        ((burned, "--rollouts", 0), "--rollouts is 0"),
    ):
        answer = firegui("calibrate", *words)
        assert answer.code == 2 and said in answer.err, answer.err
