"""Which fire model a new project begins with."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from firegui.errors import InputError
from firegui.fire import shipped
from firegui.fire.first_project import first_project, with_model
from firegui.fire.shipped import NETWORK_FILE
from firegui.io.project.weights_file import write_weights
from tests.support import random_maps
from tests.unit.domain.samples import weights
from tests.unit.fire.events import event

SHAPE = (9, 11)


@pytest.fixture
def with_network(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "network.safetensors"
    write_weights(path, weights())
    monkeypatch.setattr(shipped, "resource", {NETWORK_FILE: path}.__getitem__)


@pytest.mark.usefixtures("with_network")
def test_a_new_project_has_the_shipped_network_with_weights_of_its_own() -> None:
    project = first_project(event(SHAPE))

    assert project.fire_model.kind == "network"
    assert project.fire_model.label == "test network"
    assert project.weights is not None
    assert project.weights.problems() == []


@pytest.mark.usefixtures("with_network")
def test_imported_maps_stay_the_fire_model_of_their_project() -> None:
    maps = random_maps(shape=SHAPE)

    project = first_project(event(SHAPE), maps)

    assert (project.fire_model.kind, project.weights) == ("maps", None)


@pytest.mark.usefixtures("with_network")
def test_a_project_can_go_from_one_model_to_another_and_back() -> None:
    imported = first_project(event(SHAPE), random_maps(shape=SHAPE))

    network = with_model(imported, "network")
    scalar = with_model(network, "scalar")
    back = with_model(scalar, "maps")

    assert [project.fire_model.kind for project in (network, scalar, back)] == ["network", "scalar", "maps"]
    assert [project.weights is None for project in (network, scalar, back)] == [False, True, True]
    assert back.fire_model == imported.fire_model
    assert back.maps is imported.maps


def test_a_project_without_maps_cannot_go_to_them() -> None:
    project = replace(first_project(event(SHAPE)), maps=None)

    with pytest.raises(InputError, match="not imported with maps"):
        with_model(project, "maps")
