"""A project keeps its value layers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from firegui.domain.project import VALUES, Project, changed_inputs
from firegui.domain.values import ValueLayer
from firegui.io.project.migrations import CURRENT_FORMAT
from firegui.io.project.store import load_project, project_hash, read_edits, save_project, write_edits
from firegui.runs.header import event_hash
from firegui.runs.snapshot import ProjectSnapshot
from tests.unit.io.builders import assert_same_bits, change_text, project, refused_for


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "Fire.firegui"


def layer(name: str, seed: int, bare: Project, **changes: float) -> ValueLayer:
    rng = np.random.default_rng(seed)
    return ValueLayer.of(name, f"{name}.tif", rng.random(bare.scenario.grid.shape) * 1e5, **changes)


def valued() -> Project:
    bare = project()
    layers = (layer("structures", 1, bare, weight=2.0, susceptibility=0.4), layer("habitat", 2, bare))
    return replace(bare, values=layers).counting_values()


def files(folder: Path) -> set[str]:
    return {path.name for path in folder.glob("values-*")}


def test_a_project_comes_back_with_its_values(folder: Path) -> None:
    before = valued()
    save_project(before, folder)
    after = load_project(folder)
    assert after.values == before.values
    for one, other in zip(before.values, after.values, strict=True):
        assert_same_bits(one.cells, other.cells)
    assert after.plan.weights.val == 100.0
    assert project_hash(after) == project_hash(before)
    assert len(files(folder)) == 2


def test_an_edit_writes_no_file_again_and_removes_what_is_no_longer_named(folder: Path) -> None:
    before = valued()
    save_project(before, folder)
    held = {path: path.stat().st_mtime_ns for path in folder.glob("values-*")}
    heavier = replace(before.values[0], terms=replace(before.values[0].terms, weight=9.0))
    save_project(replace(before, values=(heavier, before.values[1])), folder, replacing=True)
    assert {path: path.stat().st_mtime_ns for path in folder.glob("values-*")} == held
    assert load_project(folder).values[0].terms.weight == 9.0
    save_project(replace(before, values=before.values[1:]), folder, replacing=True)
    assert len(files(folder)) == 1
    save_project(before, folder, replacing=True)
    assert load_project(folder).values == before.values


def test_two_layers_with_the_same_cells_share_a_file(folder: Path) -> None:
    bare = project()
    twice = replace(bare, values=(layer("people", 1, bare), layer("homes", 1, bare)))
    save_project(twice, folder)
    assert len(files(folder)) == 1
    save_project(replace(twice, values=twice.values[:1]), folder, replacing=True)
    assert load_project(folder).values == twice.values[:1]


def test_unsaved_edits_keep_new_values_beside_them(folder: Path, tmp_path: Path) -> None:
    before = valued()
    save_project(replace(before, values=before.values[:1]), folder)
    edits = tmp_path / "edits"
    edits.mkdir()
    write_edits(before, folder, edits)
    assert len(files(folder)) == len(files(edits)) == 1
    found = read_edits(load_project(folder), folder, edits)
    assert found.values == before.values
    assert_same_bits(found.values[1].cells, before.values[1].cells)


def test_a_missing_and_a_changed_file_are_both_named(folder: Path) -> None:
    save_project(valued(), folder)
    first, second = sorted(folder.glob("values-*"))
    first.unlink()
    second.write_bytes(second.read_bytes() + b"0")
    with refused_for(first.name, second.name):
        load_project(folder)


def test_a_project_of_format_15_counts_no_values(folder: Path) -> None:
    before = project()
    save_project(before, folder)
    text = (folder / "project.toml").read_text(encoding="utf-8")
    assert "val = 0.0\n" in text and "[[values]]" not in text
    change_text(folder / "project.toml", (f"format = {CURRENT_FORMAT}", "format = 15"), ("val = 0.0\n", ""))
    after = load_project(folder)
    assert (after.values, after.plan.weights.val) == ((), 0.0)
    assert project_hash(after) == project_hash(before)


def test_values_are_of_the_plan_and_not_of_the_event() -> None:
    before, bare = valued(), project()
    assert project_hash(before) != project_hash(replace(before, values=before.values[:1]))
    assert event_hash(before) == event_hash(bare)
    assert VALUES in changed_inputs(bare, before)
    renamed = replace(before.values[0], terms=replace(before.values[0].terms, source="elsewhere"))
    assert project_hash(replace(before, values=(renamed, before.values[1]))) == project_hash(before)


def test_a_snapshot_takes_its_values_from_the_project_as_long_as_they_are_there() -> None:
    before = valued()
    snapshot = ProjectSnapshot.of(before)
    assert [one.terms for one in snapshot.project().values] == [one.terms for one in before.values]
    later = replace(before, values=before.values[1:])
    assert snapshot.on(before).values == before.values
    assert snapshot.on(later).values == before.values[1:]
    gone = snapshot.on(project())
    assert (gone.values, gone.plan.weights.val) == ((), 0.0)
