"""A project keeps the weights of its fire model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firegui.domain.project import FireModel
from firegui.domain.regions import Region
from firegui.domain.weights import NetworkWeights
from firegui.errors import InputError
from firegui.io.project.migrations import CURRENT_FORMAT
from firegui.io.project.store import load_project, project_hash, save_project
from tests.unit.domain.samples import training, weights
from tests.unit.io.builders import assert_same_bits, change_text, files_below, project, refused_for


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "Fire.firegui"


def weights_files(folder: Path) -> set[str]:
    return {path.name for path in folder.glob("*.safetensors")}


def assert_same(one: NetworkWeights | None, other: NetworkWeights | None) -> None:
    assert one is not None
    assert other is not None
    assert one.training == other.training
    for name, tensor in one.tensors.items():
        assert_same_bits(tensor, other.tensors[name])


def test_a_project_comes_back_with_its_own_weights(folder: Path) -> None:
    before = project().with_network(weights())
    save_project(before, folder)

    after = load_project(folder)

    assert_same(before.weights, after.weights)
    assert after.fire_model == FireModel("network", "test network", {})
    assert project_hash(after) == project_hash(before)
    assert len(weights_files(folder)) == 1


def test_an_edit_leaves_the_weights_where_they_are(folder: Path) -> None:
    before = project().with_network(weights())
    save_project(before, folder)
    held = {path: path.stat().st_mtime_ns for path in folder.glob("*.safetensors")}

    save_project(replace(before, regions=(Region.rectangle("new", (0, 2), (0, 2)),)), folder, replacing=True)

    assert {path: path.stat().st_mtime_ns for path in folder.glob("*.safetensors")} == held


def test_other_weights_take_the_place_of_the_old_ones(folder: Path) -> None:
    save_project(project().with_network(weights(0)), folder)
    first = weights_files(folder)

    save_project(project().with_network(weights(1)), folder, replacing=True)

    assert len(weights_files(folder)) == 1
    assert weights_files(folder) != first
    assert_same(load_project(folder).weights, weights(1))


def test_another_fire_model_takes_the_weights_out_of_the_project(folder: Path) -> None:
    before = project()
    save_project(before.with_network(weights()), folder)

    save_project(before, folder, replacing=True)

    assert weights_files(folder) == set()
    assert load_project(folder).weights is None


def test_a_save_that_fails_leaves_the_old_weights(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = project().with_network(weights(0))
    save_project(before, folder)
    held = files_below(folder)

    def fail(*_: Any) -> Any:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("firegui.io.project.store.write_text", fail)
    with pytest.raises(OSError, match="No space left"):
        save_project(project().with_network(weights(1)), folder, replacing=True)

    assert files_below(folder) == held
    assert_same(load_project(folder).weights, before.weights)


def test_files_that_the_project_does_not_name_are_left_alone(folder: Path) -> None:
    save_project(project().with_network(weights(0)), folder)
    (folder / "fire-mine.safetensors").write_bytes(b"mine")

    save_project(project(), folder, replacing=True)

    assert weights_files(folder) == {"fire-mine.safetensors"}


def test_weights_of_another_training_are_another_fire_to_a_run() -> None:
    ours = project().with_network(weights(0))

    assert project_hash(ours) == project_hash(project().with_network(weights(0)))
    assert project_hash(ours) != project_hash(project().with_network(weights(1)))
    other = replace(weights(0), training=training(learned=("wind_gain",)))
    assert project_hash(ours) != project_hash(project().with_network(other))


def test_weights_that_are_gone_or_changed_are_listed_with_everything_else(folder: Path) -> None:
    save_project(project().with_network(weights()), folder)
    (file,) = folder.glob("*.safetensors")
    (folder / "layers" / "elevation.tif").unlink()
    file.write_bytes(file.read_bytes()[:-1] + b"\x01")

    with refused_for(f"{file.name}: the file was changed", "elevation.tif: the file is missing"):
        load_project(folder)
    file.unlink()
    with pytest.raises(InputError, match=r"safetensors: the file is missing"):
        load_project(folder)


def test_damaged_text_does_not_hide_that_the_weights_are_gone(folder: Path) -> None:
    save_project(project().with_network(weights()), folder)
    (file,) = folder.glob("*.safetensors")
    file.unlink()
    change_text(folder / "project.toml", ("days = 2\n", ""))

    with refused_for("days is missing", f"{file.name}: the file is missing"):
        load_project(folder)


def test_a_network_whose_weights_are_not_listed_is_refused(folder: Path) -> None:
    save_project(project(), folder)
    change_text(folder / "project.toml", ('kind = "scalar"', 'kind = "network"'))

    with pytest.raises(InputError, match="its weights are not listed"):
        load_project(folder)


def test_a_project_of_format_1_opens_with_the_model_it_had(folder: Path) -> None:
    before = project()
    save_project(before, folder)
    change_text(folder / "project.toml", (f"format = {CURRENT_FORMAT}", "format = 1"))

    after = load_project(folder)

    assert after.fire_model == before.fire_model
    assert after.weights is None
    assert project_hash(after) == project_hash(before)
    np.testing.assert_array_equal(after.scenario.wind_speed, before.scenario.wind_speed)
