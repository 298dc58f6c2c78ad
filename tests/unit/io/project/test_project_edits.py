"""Edits that are kept apart from a project: what is written, what comes back, what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from firegui.domain.project import Project
from firegui.domain.regions import Region
from firegui.errors import InputError
from firegui.io.paths import PROJECT_FILE
from firegui.io.project.store import holds_edits, load_project, read_edits, save_project, write_edits
from tests.support import make_project
from tests.unit.domain.samples import weights


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    folder = tmp_path / "p.firegui"
    save_project(make_project(), folder)
    return folder


@pytest.fixture
def apart(tmp_path: Path) -> Path:
    folder = tmp_path / "edits"
    folder.mkdir()
    return folder


def edited(project: Project) -> Project:
    optimizer = replace(project.plan.optimizer, epochs=77)
    region = Region.rectangle("New", (1, 2), (3, 4))
    return replace(project, regions=(region,), plan=replace(project.plan, optimizer=optimizer))


def test_edits_come_back_and_the_project_is_not_touched(saved: Path, apart: Path) -> None:
    before = {path: path.read_bytes() for path in saved.rglob("*") if path.is_file()}
    project = load_project(saved)
    write_edits(edited(project), saved, apart)
    back = read_edits(project, saved, apart)
    assert [region.name for region in back.regions] == ["New"]
    assert back.plan.optimizer.epochs == 77
    assert back.scenario is project.scenario and back.maps is project.maps
    assert before == {path: path.read_bytes() for path in saved.rglob("*") if path.is_file()}
    assert [path.name for path in apart.iterdir()] == [PROJECT_FILE]


def test_weights_that_the_project_does_not_have_are_kept_with_the_edits(saved: Path, apart: Path) -> None:
    project = load_project(saved)
    write_edits(project.with_network(weights()), saved, apart)
    assert not list(saved.glob("*.safetensors"))
    back = read_edits(project, saved, apart)
    assert back.fire_model.kind == "network"
    assert back.weights is not None
    save_project(back, saved, replacing=True)
    write_edits(edited(back), saved, apart)
    assert read_edits(back, saved, apart).weights is not None


def test_what_is_saved_is_no_edit(saved: Path, apart: Path) -> None:
    project = load_project(saved)
    assert not holds_edits(saved, apart), "there are none"
    write_edits(project, saved, apart)
    assert not holds_edits(saved, apart)
    write_edits(edited(project), saved, apart)
    assert holds_edits(saved, apart)
    save_project(edited(project), saved, replacing=True)
    assert not holds_edits(saved, apart)


def test_damaged_edits_are_refused_with_what_is_wrong(saved: Path, apart: Path) -> None:
    project = load_project(saved)
    write_edits(edited(project), saved, apart)
    text = (apart / PROJECT_FILE).read_text(encoding="utf-8")
    (apart / PROJECT_FILE).write_text(text.replace("epochs = 77", 'epochs = "many"'), encoding="utf-8")
    with pytest.raises(InputError, match="epochs"):
        read_edits(project, saved, apart)


def test_edits_of_a_project_that_is_gone_are_not_written(tmp_path: Path, apart: Path) -> None:
    with pytest.raises(InputError, match="were not kept"):
        write_edits(make_project(), tmp_path / "nowhere.firegui", apart)
    assert list(apart.iterdir()) == []
