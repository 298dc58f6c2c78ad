"""A project keeps its barriers; older ones open without; runs and hashes depend on what changes the fire."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from firegui.domain.barriers import Barrier, BarrierKind
from firegui.domain.project import Project
from firegui.io.project.migrations import CURRENT_FORMAT
from firegui.io.project.store import load_project, project_hash, read_edits, save_project, write_edits
from firegui.runs.header import event_hash
from firegui.runs.snapshot import ProjectSnapshot
from tests.unit.io.builders import change_text, project, refused_for

LOCAL = timezone(timedelta(hours=-7))
LINE = Barrier(
    "Dozer 1", BarrierKind.DOZER, (((1.0, 1.5), (3.25, 4.0)), ((2.0, 2.0), (4.0, 1.0))), width_m=4.0, strength=0.9,
    exists_from=datetime(2020, 8, 20, 14, tzinfo=LOCAL),
)  # fmt: skip
AREA = Barrier("Burn", BarrierKind.BURNED_OUT, areas=((((1.0, 1.0), (1.0, 3.0), (3.0, 3.0)),),))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "Fire.firegui"


def barred() -> Project:
    return replace(project(), barriers=(LINE, AREA))


def test_a_project_comes_back_with_its_barriers(folder: Path) -> None:
    before = barred()
    save_project(before, folder)
    after = load_project(folder)
    assert after.barriers == before.barriers
    assert after.barriers[0].exists_from == datetime(2020, 8, 20, 21, tzinfo=UTC)
    assert project_hash(after) == project_hash(before)
    assert "exists_from = 2020-08-20T21:00:00Z" in (folder / "project.toml").read_text(encoding="utf-8")


def test_unsaved_edits_keep_barriers(folder: Path, tmp_path: Path) -> None:
    before = project()
    save_project(before, folder)
    (tmp_path / "edits").mkdir()
    write_edits(replace(before, barriers=(AREA,)), folder, tmp_path / "edits")
    assert read_edits(load_project(folder), folder, tmp_path / "edits").barriers == (AREA,)


def test_an_older_project_opens_without_and_has_the_hash_of_before(folder: Path) -> None:
    save_project(project(), folder)
    bare = project_hash(load_project(folder))
    assert "barrier" not in (folder / "project.toml").read_text(encoding="utf-8")
    change_text(folder / "project.toml", (f"format = {CURRENT_FORMAT}", "format = 18"))
    after = load_project(folder)
    assert after.barriers == ()
    assert project_hash(after) == bare == project_hash(project())


def test_the_hash_depends_on_what_changes_the_fire() -> None:
    before = barred()
    assert project_hash(before) != project_hash(project())
    same = replace(before, barriers=(replace(LINE, name="other", kind=BarrierKind.ROAD), AREA))
    assert project_hash(same) == project_hash(before)
    for change in ({"strength": 0.8}, {"width_m": 5.0}, {"exists_from": None}, {"lines": (LINE.lines[0],)}):
        assert project_hash(replace(before, barriers=(replace(LINE, **change), AREA))) != project_hash(before)
    assert event_hash(before) == event_hash(project())  # a run goes on the event with its own barriers


def test_a_run_keeps_the_barriers_that_it_was_made_with(folder: Path) -> None:
    before = barred()
    kept = ProjectSnapshot.of(before)
    assert kept.project().barriers == before.barriers
    assert kept.on(project()).barriers == before.barriers
    assert ProjectSnapshot.of(project()).on(before).barriers == ()
    assert kept == ProjectSnapshot.of(kept.on(project()))


def test_a_damaged_barrier_is_named_with_everything_else(folder: Path) -> None:
    save_project(barred(), folder)
    change_text(folder / "project.toml", ('kind = "dozer_line"', 'kind = "wall"'))
    change_text(folder / "project.toml", ("strength = 1.0", 'strength = "all"'))
    with refused_for("kind", "strength"):
        load_project(folder)


def test_values_out_of_range_open_and_are_said(folder: Path) -> None:
    save_project(barred(), folder)
    change_text(folder / "project.toml", ("strength = 0.9", "strength = 9.0"))
    change_text(folder / "project.toml", ("2020-08-20T21:00:00Z", "2020-08-20T21:00:00"))
    said = "\n".join(map(str, load_project(folder).problems()))
    assert "Strength is 9.0" in said
    assert "has no offset from UTC" in said
