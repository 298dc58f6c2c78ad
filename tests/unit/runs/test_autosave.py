"""Slots: what a window keeps for the case that it is killed, and what the next one finds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from firegui.domain.project import Project
from firegui.errors import InputError
from firegui.io.project.store import load_project, save_project
from firegui.runs.autosave import BASE, EDITS, OPEN, AutosaveSlot, AutosaveState, recoverable_projects
from tests.support import make_project


def with_epochs(project: Project, epochs: int) -> Project:
    return replace(project, plan=replace(project.plan, optimizer=replace(project.plan.optimizer, epochs=epochs)))


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "recovery"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "p.firegui"
    save_project(make_project(), made)
    return made


def killed(slot: AutosaveSlot) -> None:
    """The system lets go of everything that a killed process held."""
    slot.release()


def test_a_slot_that_is_held_is_nobodys_to_take(place: Path, folder: Path) -> None:
    project = load_project(folder)
    slot = AutosaveSlot(place)
    assert not place.exists(), "nothing is there before there is something to keep"
    slot.keep(AutosaveState(with_epochs(project, 9), project, folder, edits=True))
    assert recoverable_projects(place) == []
    with pytest.raises(InputError):
        AutosaveSlot(place, slot.path)
    killed(slot)
    assert [left.path for left in recoverable_projects(place)] == [slot.path]


def test_edits_of_a_saved_project_come_back_on_top_of_it(place: Path, folder: Path) -> None:
    project = load_project(folder)
    slot = AutosaveSlot(place)
    for epochs in (9, 10):
        slot.keep(AutosaveState(with_epochs(project, epochs), project, folder, edits=True))
    killed(slot)
    (left,) = recoverable_projects(place)
    assert (left.folder, left.has_edits, left.runs) == (folder, True, ())
    saved, edited = left.read()
    assert saved.plan.optimizer.epochs == 6
    assert edited.plan.optimizer.epochs == 10
    assert not (slot.path / BASE).exists()


def test_a_project_that_was_never_saved_comes_back_whole(place: Path) -> None:
    opened = make_project()
    slot = AutosaveSlot(place)
    slot.keep(AutosaveState(opened, opened, None, edits=False))
    first = (slot.path / BASE / "project.toml").stat().st_mtime_ns
    slot.keep(AutosaveState(with_epochs(opened, 10), opened, None, edits=True))
    assert (slot.path / BASE / "project.toml").stat().st_mtime_ns == first, "the arrays are written once"
    killed(slot)
    (left,) = recoverable_projects(place)
    assert left.folder is None
    saved, edited = left.read()
    assert (saved.plan.optimizer.epochs, edited.plan.optimizer.epochs) == (6, 10)


def test_a_slot_that_was_taken_over_keeps_what_it_has_until_it_is_written_anew(place: Path) -> None:
    opened = make_project()
    slot = AutosaveSlot(place)
    slot.keep(AutosaveState(with_epochs(opened, 10), opened, None, edits=True))
    killed(slot)
    (left,) = recoverable_projects(place)
    saved, edited = left.read()
    again = AutosaveSlot(place, slot.path)
    again.note_base(saved)
    assert left.has_edits, "it is there until it is written anew"
    again.keep(AutosaveState(with_epochs(edited, 11), saved, None, edits=True))
    killed(again)
    assert recoverable_projects(place)[0].read()[1].plan.optimizer.epochs == 11


def test_once_it_is_saved_there_is_nothing_to_offer_even_when_the_slot_says_so(place: Path, folder: Path) -> None:
    project = load_project(folder)
    slot = AutosaveSlot(place)
    slot.keep(AutosaveState(with_epochs(project, 9), project, folder, edits=True))
    save_project(with_epochs(project, 9), folder, replacing=True)
    killed(slot)
    assert recoverable_projects(place) == []
    assert not slot.path.exists(), "what is of no use is removed"


def test_a_cleared_slot_offers_nothing(place: Path, folder: Path) -> None:
    project = load_project(folder)
    slot = AutosaveSlot(place)
    slot.keep(AutosaveState(with_epochs(project, 9), project, folder, edits=True))
    slot.clear()
    assert not (slot.path / OPEN).exists() and not (slot.path / EDITS).exists()
    killed(slot)
    assert recoverable_projects(place) == []
    assert list(place.iterdir()) == []


def test_a_run_at_work_is_offered_where_it_has_written_anything(place: Path, folder: Path) -> None:
    project = load_project(folder)
    begun, empty = folder / "runs" / "20260819-120000-A-plan", folder / "runs" / "20260819-120001-A-plan"
    for run in (begun, empty):
        run.mkdir(parents=True)
    (begun / "run.toml").write_text("format = 1\n")
    slot = AutosaveSlot(place)
    slot.keep(AutosaveState(project, project, folder, edits=False, runs=(begun, empty), waiting=2))
    killed(slot)
    (left,) = recoverable_projects(place)
    assert (left.runs, left.has_edits, left.note.waiting) == ((begun,), False, 2)
    saved, edited = left.read()
    assert edited is saved


def test_the_latest_comes_first_and_a_damaged_slot_is_left_alone(place: Path, folder: Path) -> None:
    project = load_project(folder)
    slots = [AutosaveSlot(place), AutosaveSlot(place), AutosaveSlot(place)]
    for number, slot in enumerate(slots):
        slot.keep(AutosaveState(with_epochs(project, 10 + number), project, folder, edits=True))
    for slot, when in zip(slots[:2], ("2026-08-19T10:00:00Z", "2026-08-19T11:00:00Z"), strict=True):
        lines = (slot.path / OPEN).read_text().splitlines()
        kept = [f"edited = {when}" if line.startswith("edited") else line for line in lines]
        (slot.path / OPEN).write_text("\n".join(kept) + "\n")
    (slots[2].path / OPEN).write_text("format = 1\nname = 3\n")
    for slot in slots:
        killed(slot)
    assert [left.path for left in recoverable_projects(place)] == [slots[1].path, slots[0].path]
    assert slots[2].path.exists()


def test_a_project_that_was_saved_after_the_last_edit_says_so(place: Path, folder: Path) -> None:
    project = load_project(folder)
    slot = AutosaveSlot(place)
    slot.keep(AutosaveState(with_epochs(project, 9), project, folder, edits=True))
    text = (slot.path / OPEN).read_text().splitlines()
    old = ["edited = 2020-08-19T10:00:00Z" if line.startswith("edited") else line for line in text]
    (slot.path / OPEN).write_text("\n".join(old) + "\n")
    killed(slot)
    assert recoverable_projects(place)[0].saved_since
