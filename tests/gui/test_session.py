"""Session: the consequences of an edit, a selection and a result."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from pytestqt.qtbot import QtBot

from firegui.domain.film import Film
from firegui.domain.results import Frames
from firegui.domain.stress import StressSet
from firegui.gui.session.session import FireView, Session, ShownResult


def frames() -> Frames:
    empty = Film.of(np.zeros((2, 40, 60), np.uint8))
    return Frames(100, empty, empty, empty)


def test_signals_say_which_part_changed(session: Session) -> None:
    heard: list[str] = []
    session.regions_changed.connect(lambda: heard.append("regions"))
    session.fleet_changed.connect(lambda: heard.append("fleet"))
    session.plan_changed.connect(lambda: heard.append("plan"))
    session.project_edited.connect(lambda: heard.append("project"))
    session.set_regions("clear", ())
    session.edit_planned_fleet("free", session.project.fleet)
    session.set_plan("days", replace(session.project.plan, days=2))
    assert heard == ["regions", "project", "fleet", "project", "plan", "project"]
    session.undo_stack.undo()
    assert heard[-2:] == ["plan", "project"]


def test_a_deleted_region_is_no_longer_selected(session: Session) -> None:
    session.select_region("R1")
    session.delete_region("R1")
    assert session.selected_region == ""


def test_deleting_a_region_that_is_not_there_is_no_edit(session: Session) -> None:
    session.delete_region("nowhere")
    assert session.undo_stack.count() == 0


def test_a_shorter_plan_pulls_the_shown_step_in(session: Session) -> None:
    session.set_step(150)
    session.set_plan("days", replace(session.project.plan, days=2))
    assert session.step == 100


def test_edits_with_the_same_key_are_one_step_until_the_project_is_saved(qtbot: QtBot, session: Session) -> None:
    for days in (3, 2):
        session.set_plan("days", replace(session.project.plan, days=days), merge=7)
    assert session.undo_stack.count() == 1
    session.undo_stack.setClean()
    session.set_plan("days", replace(session.project.plan, days=1), merge=7)
    assert session.is_dirty
    assert session.undo_stack.count() == 2


def test_the_view_goes_to_the_plan_when_one_appears_and_to_the_baseline_while_there_is_none(session: Session) -> None:
    seen: list[str] = []
    session.view_changed.connect(seen.append)
    session.show_result(ShownResult("fire", baseline=frames()))
    with_plan = ShownResult("fire", baseline=frames(), plan=frames())
    session.show_result(with_plan)
    session.set_view(FireView.DIFFERENCE)
    session.show_result(replace(with_plan, epoch=5))
    assert seen == ["baseline", "plan", "difference"]


def test_the_fleet_taken_from_a_file_brings_all_its_groundings(session: Session) -> None:
    kinds = session.project.fleet.types
    session.set_planned_fleet("import", replace(session.project.fleet, types=(kinds[0].with_grounded_days((0,)),)))
    assert [kind.grounded_days for kind in session.project.planned_fleet.types] == [(0,)]
    assert session.project.grounded["S-2T"] == (session.project.calendar.date_of_day(0),)


def test_stress_scenarios_are_edited_and_undone_with_the_project(session: Session) -> None:
    before = session.project.stress
    session.edit("remove scenarios", replace(session.project, stress=StressSet(before.scenarios[:2], seed=9)))
    assert session.is_dirty
    session.undo_stack.undo()
    assert session.project.stress == before
    session.undo_stack.redo()
    assert session.project.stress.seed == 9


def test_unsaved_edits_are_those_between_the_save_and_now(session: Session, tmp_path: Path) -> None:
    def edit(name: str) -> None:
        plan = session.project.plan
        session.set_plan(name, replace(plan, margin=replace(plan.margin), days=2 if plan.days != 2 else 3))

    for name in ("a", "b", "c"):
        edit(name)
    session.mark_saved(tmp_path)
    assert list(session.unsaved_edits) == []
    session.undo()
    assert list(session.unsaved_edits) == ["undo: c"]
    session.undo()
    assert list(session.unsaved_edits) == ["undo: c", "undo: b"]
    edit("d")
    assert list(session.unsaved_edits) == ["undo: c", "undo: b", "d"] and session.is_dirty
    session.undo()
    session.undo()
    assert list(session.unsaved_edits) == ["undo: c", "undo: b", "undo: a"]
    edit("e")
    assert list(session.unsaved_edits) == ["undo: c", "undo: b", "undo: a", "e"]
    session.mark_saved(tmp_path)
    edit("f")
    session.mark_unsaved()
    assert list(session.unsaved_edits) == ["f"]
