"""``configure`` chooses the fire model, and ``info`` says what it does without."""

from __future__ import annotations

from pathlib import Path

import pytest

from firegui.fire import shipped
from firegui.fire.shipped import NETWORK_FILE, scalar_model
from firegui.io.project.store import load_project
from firegui.io.project.weights_file import write_weights
from tests.cli.conftest import Run
from tests.unit.domain.samples import weights


@pytest.fixture
def weights_file(tmp_path: Path) -> Path:
    write_weights(tmp_path / "mine.safetensors", weights(3))
    return tmp_path / "mine.safetensors"


def test_weights_of_ones_own_are_kept_in_the_project(firegui: Run, project: Path, weights_file: Path) -> None:
    answer = firegui("configure", project, "--fire-weights", weights_file, "--json")
    weights_file.unlink()

    assert answer.code == 0
    assert answer.json["fire_model"]["kind"] == "network"
    saved = load_project(project).weights
    assert saved is not None
    assert (saved.tensors["head.bias"] == weights(3).tensors["head.bias"]).all()


def test_the_fire_model_goes_to_the_scalar_one_and_back_to_the_maps(
    firegui: Run, project: Path, weights_file: Path
) -> None:
    assert firegui("configure", project, "--model", "network", "--fire-weights", weights_file).code == 0
    assert firegui("configure", project, "--model", "scalar").code == 0
    scalar = load_project(project)
    assert (scalar.fire_model, scalar.weights) == (scalar_model(), None)

    assert firegui("configure", project, "--model", "maps").code == 0
    assert load_project(project).fire_model.kind == "maps"


def test_the_shipped_network_is_taken_by_name(
    firegui: Run, project: Path, weights_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shipped, "resource", {NETWORK_FILE: weights_file}.__getitem__)

    assert firegui("configure", project, "--model", "network").code == 0

    assert load_project(project).fire_model.label == "test network"


def test_bad_weights_are_listed_with_everything_else_and_nothing_is_changed(
    firegui: Run, project: Path, tmp_path: Path
) -> None:
    before = (project / "project.toml").read_bytes()
    (tmp_path / "bad.safetensors").write_bytes(b"nothing")

    answer = firegui(
        "configure", project, "--fire-weights", tmp_path / "bad.safetensors", "--model", "scalar", "--days", 99
    )

    answer.assert_refused("not a safetensors file", "the model scalar has no weights", "weather for 2 days")
    assert (project / "project.toml").read_bytes() == before


def test_info_says_what_the_network_does_without(firegui: Run, project: Path, weights_file: Path) -> None:
    firegui("configure", project, "--fire-weights", weights_file)

    report, told = firegui("info", project).out, firegui("info", project, "--json").json["fire_model"]

    assert "test network" in report
    assert any("trained with canopy cover, canopy bulk density" in line for line in told["left_out"])
    assert all(line in report for line in told["left_out"])
    assert told["training"]["events"][0]["start"] == "2020-08-19"
