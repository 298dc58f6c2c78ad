"""Notes before a plan is started, and the notice of a region that plans do not protect."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRect, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QDialog, QLabel, QPushButton, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from firegui.domain.drops import Drop, DropList
from firegui.domain.film import Film
from firegui.domain.fleet import Fleet
from firegui.domain.operations import Daylight
from firegui.domain.project import Project
from firegui.domain.regions import Region
from firegui.domain.settings import Setting
from firegui.domain.units import Units
from firegui.errors import InputError, Problem
from firegui.fire.project_notes import Grade, GradedNote, Remedy, start_notes
from firegui.gui.jobs.run_entry import RunEntry
from firegui.gui.map.drop_edits import remove_marked
from firegui.gui.map.shape_edits import delete_zone
from firegui.gui.map.tools.draw_tools import BESIDE
from firegui.gui.planning import start_panel as start_panel_module
from firegui.gui.planning.start_panel import StartPanel
from firegui.gui.scenario.edit_notices import EditNotice, RefusedEditNotice, RegionNotice, UnreachedNotice
from firegui.gui.session.session import FireView, Session, ShownResult, Tool
from firegui.gui.widgets.notice import NoticeStack, OverlayNotice, PassingNotice
from firegui.gui.window.centre import CentreMode
from firegui.gui.window.main_window import MainWindow
from firegui.gui.window.workspaces import WorkspaceName
from firegui.io.paths import PROJECT_FILE
from firegui.runs.stages import FinishReason, RunState
from tests.gui.fake_runs import frames
from tests.gui.hands import LEFT, to_front
from tests.gui.map_scene import Hand
from tests.gui.plan_editor_scene import DROPS, FakePreviewer, show_plan
from tests.gui.shell_scene import settle


@pytest.fixture
def notice(window: MainWindow) -> RegionNotice:
    found = window.findChild(RegionNotice)
    assert isinstance(found, RegionNotice)
    return found


@pytest.fixture
def edits(window: MainWindow) -> EditNotice:
    found = window.findChild(EditNotice)
    assert isinstance(found, EditNotice)
    return found


@pytest.fixture
def start(window: MainWindow) -> StartPanel:
    """Return the start panel, on screen."""
    window.workbench.show_panel("Start")
    panel = window.workbench.panels["Start"]
    assert isinstance(panel, StartPanel) and panel.isVisible()
    panel.refresh()
    return panel


def draw_region(window: MainWindow, session: Session) -> str:
    """Draw a rectangle with the mouse, and return its name."""
    session.set_tool(Tool.RECTANGLE)
    Hand(window.workbench.map).drag((20, 20), (30, 40))
    return session.project.regions[-1].name


@pytest.mark.parametrize("is_reached", [False, True], ids=["beside the fire", "in the fire"])
def test_a_new_region_that_the_fire_without_drops_does_not_reach_is_told_of_and_deleted_by_one_click(
    window: MainWindow, session: Session, is_reached: bool
) -> None:
    unreached = window.findChild(UnreachedNotice)
    assert isinstance(unreached, UnreachedNotice)
    name = draw_region(window, session)
    # The fire without drops is not known yet.
    assert not unreached.is_wanted
    shape = session.project.scenario.grid.shape
    film = np.zeros((3, *shape), np.uint8)
    film[-1, 22 if is_reached else 0, 25] = 200
    fire = replace(frames(session.project), fire=Film.of(film))
    session.show_result(ShownResult("First run", baseline=fire))
    settle()
    assert unreached.is_wanted is not is_reached
    if not is_reached:
        said = f"The fire without drops does not reach {name}; protecting it changes nothing."
        assert unreached.label.text() == said
        press(unreached.button)
        assert name not in [region.name for region in session.project.regions] and not unreached.is_wanted
        session.undo()
        assert name in [region.name for region in session.project.regions]


@pytest.mark.parametrize(
    "other",
    [{"against": "Plan 1", "plan_name": "Plan 2"}, {"fire": "observed"}, {"mean_of": 3}, {"member": True}],
    ids=lambda other: next(iter(other)),
)
def test_a_region_is_never_judged_by_another_fire_than_that_without_drops(
    window: MainWindow, session: Session, other: dict[str, str | int]
) -> None:
    unreached = window.findChild(UnreachedNotice)
    assert isinstance(unreached, UnreachedNotice)
    draw_region(window, session)
    project = session.project
    empty = replace(frames(project), fire=Film.of(np.zeros((3, *project.scenario.grid.shape), np.uint8)))
    shown = ShownResult("Comparison", baseline=empty, plan=empty, project=project)
    session.show_result(replace(shown, **other))  # type: ignore[arg-type]
    assert not unreached.is_wanted and session.no_drops_fire is None
    # The same fire counts once it is that of the project, but not for other days.
    session.show_result(shown)
    assert unreached.is_wanted and session.no_drops_fire is empty
    later = replace(project, plan=replace(project.plan, days=project.plan.days + 1))
    session.show_result(replace(shown, project=later))
    assert unreached.is_wanted and session.no_drops_fire is None
    session.set_plan("more days", later.plan)
    assert not unreached.is_wanted


def test_a_region_that_the_fire_does_not_reach_is_not_offered_to_be_protected(
    window: MainWindow, session: Session, notice: RegionNotice, start: StartPanel
) -> None:
    name = draw_region(window, session)
    assert notice.is_wanted and name in notice.label.text()
    start.refresh()
    assert [note for note in start.notes.notes if note.remedy is Remedy.PROTECT]
    empty = Film.of(np.zeros((3, *session.project.scenario.grid.shape), np.uint8))
    fire = replace(frames(session.project), fire=empty)
    session.show_result(ShownResult("First run", baseline=fire, project=session.project))
    assert not notice.is_wanted
    notice.tell_all()
    assert not notice.is_wanted
    assert not [note for note in start.notes.notes if note.remedy is Remedy.PROTECT]


def test_an_unreached_region_is_told_of_once_and_again_after_the_fire_reached_it(
    qtbot: QtBot, window: MainWindow, session: Session
) -> None:
    unreached = window.findChild(UnreachedNotice)
    assert isinstance(unreached, UnreachedNotice)
    empty = replace(
        frames(session.project), fire=Film.of(np.zeros((3, *session.project.scenario.grid.shape), np.uint8))
    )
    run = ShownResult("First run", baseline=empty, project=session.project)
    session.show_result(run)
    name = draw_region(window, session)
    assert unreached.isVisible() and name in unreached.label.text()
    drawn, dialog = session.project.regions[-1], window.workbench.map.menu.name_dialog
    assert dialog is not None
    dialog.accept()

    def switch() -> None:
        other = replace(session.project, plan=replace(session.project.plan, days=session.project.plan.days + 1))
        session.show_result(replace(run, project=other))
        session.set_view(FireView.PLAN)
        window.workbench.shell.show_workspace(WorkspaceName.FIRE)
        session.show_result(run)

    close = unreached.findChildren(QToolButton)[-1]
    press(close)
    switch()
    assert not unreached.is_wanted
    # A region that undo brings back, and one that is renamed, are no new regions.
    session.delete_region(name)
    session.undo()
    session.set_regions("rename", (*session.project.regions[:-1], replace(drawn, name="Camp")))
    switch()
    assert not unreached.is_wanted
    # A new region with a name that is free again is.
    session.delete_region("Camp")
    again = Region.rectangle("Camp", (1, 4), (1, 4))
    session.set_regions("draw", (*session.project.regions, again))
    assert "Camp" in unreached.label.text() and unreached.is_wanted
    press(close)
    switch()
    assert not unreached.is_wanted
    film = np.zeros((3, *session.project.scenario.grid.shape), np.uint8)
    film[-1, 2, 2] = film[-1, 2, 8] = 200
    reaches = replace(run, baseline=replace(empty, fire=Film.of(film)))
    session.show_result(reaches)
    session.show_result(run)
    # It was closed, and the region is as it was.
    assert not unreached.is_wanted
    farm = Region.rectangle("Farm", (1, 4), (7, 10))
    session.set_regions("draw", (*session.project.regions, farm))
    assert unreached.is_wanted and "Camp" not in unreached.label.text()
    session.show_result(reaches)
    assert not unreached.is_wanted
    session.show_result(run)
    assert unreached.is_wanted and "Farm" in unreached.label.text() and "Camp" not in unreached.label.text()


def test_a_closed_notice_of_unprotected_regions_comes_back_only_for_a_changed_region(
    window: MainWindow, session: Session, notice: RegionNotice
) -> None:
    draw_region(window, session)
    # The name field is open beside the new region.
    dialog = window.workbench.map.menu.name_dialog
    assert dialog is not None and notice.is_wanted
    dialog.accept()
    notice.tell_all()
    press(notice.findChildren(QToolButton)[-1])
    assert not notice.is_wanted
    window.workbench.plan.started.emit()
    assert not notice.is_wanted
    region = session.project.regions[-1]
    session.set_regions("move", (*session.project.regions[:-1], region.moved(1, 1)))
    assert not notice.is_wanted
    window.workbench.plan.started.emit()
    assert notice.is_wanted and region.name in notice.label.text()


@pytest.mark.parametrize("end", ["time", "workspace"])
def test_the_notice_of_an_undone_edit_goes_by_itself_unless_the_pointer_is_on_it(
    qtbot: QtBot, window: MainWindow, session: Session, edits: EditNotice, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    session.edit("fewer days", replace(session.project, plan=replace(session.project.plan, days=2)))
    session.undo()
    assert edits.isVisible() and edits.timer.isActive() and edits.timer.interval() == 12_000
    if end == "workspace":
        window.workbench.shell.show_workspace(WorkspaceName.RUNS)
    else:
        monkeypatch.setattr(edits, "underMouse", lambda: True)
        edits.timer.timeout.emit()
        assert edits.isVisible() and edits.timer.isActive()
        monkeypatch.setattr(edits, "underMouse", lambda: False)
        edits.timer.timeout.emit()
    assert not edits.is_wanted and not edits.isVisible()


def test_a_notice_does_not_go_behind_a_dialog(qtbot: QtBot, window: MainWindow) -> None:
    notice = PassingNotice()
    window.workbench.shell.centre.notices.add(notice)
    notice.timer.setInterval(1)
    dialog = QDialog(window)
    dialog.open()
    notice.tell("A drop cannot be placed there.")
    qtbot.wait(50)
    assert notice.isVisible()
    dialog.reject()
    qtbot.waitUntil(lambda: not notice.isVisible())


def setting_of(session: Session) -> Setting:
    return session.project.plan.setting


def press(button: QAbstractButton | None) -> None:
    assert button is not None and button.isVisible() and button.isEnabled()
    QTest.mouseClick(button, LEFT)


def test_a_drawn_region_without_weight_is_told_over_the_map_and_protected_by_one_click(
    window: MainWindow, session: Session, notice: RegionNotice
) -> None:
    assert not notice.isVisible()
    name = draw_region(window, session)
    assert notice.isVisible() and name in notice.label.text() and "R1" not in notice.label.text().split(name)[0]
    assert window.workbench.shell.centre.rect().contains(notice.geometry())
    press(notice.button)
    assert setting_of(session) is Setting.BOTH and session.project.unprotected_regions == ()
    assert not notice.isVisible()
    session.undo_stack.undo()
    assert setting_of(session) is Setting.A


def test_a_refused_region_is_told_at_the_map_above_another_notice(
    window: MainWindow, session: Session, notice: RegionNotice
) -> None:
    refused = window.findChild(RefusedEditNotice)
    assert isinstance(refused, RefusedEditNotice) and not refused.isVisible()
    name = draw_region(window, session)
    assert notice.isVisible()
    for _again in range(2):
        session.set_tool(Tool.RECTANGLE)
        Hand(window.workbench.map).drag((10.0, 62.0), (20.0, 64.0))
        assert refused.isVisible() and refused.label.text() == BESIDE
        assert shown_notices(window)[0] is refused
        refused.dismiss()
    session.delete_region(name)
    assert not refused.isVisible()


@pytest.mark.parametrize("place", [(4.0, 6.0), (4.0, 54.0), (36.0, 6.0), (36.0, 54.0), (36.0, 30.0)])
def test_the_notice_and_the_card_of_a_drop_lie_side_by_side_on_a_small_map(
    window: MainWindow, session: Session, notice: RegionNotice, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch,
    place: tuple[float, float],
) -> None:  # fmt: skip
    monkeypatch.setattr(window.workbench.plan_preview, "_make_preview", FakePreviewer)
    window.resize(1280, 720)
    window.workbench.shell.set_side_visible(True)
    settle()
    drops = DropList((Drop(10, 0, *place, 0.0),))
    show_plan(session, drops)
    session.set_tool(Tool.DROP)
    session.plan_editor.select(drops.drops[0])
    notice.show_text("The settings do not protect R1 and R2 yet.")
    view = window.workbench.map
    view.flush()
    card, stage = view.drop_card, window.workbench.shell.stage
    assert card.isVisible() and notice.isVisible()
    there = QRect(card.mapTo(stage, QPoint()), card.size())
    assert not there.intersects(notice.geometry().translated(-stage.mapTo(window.workbench.shell.centre, QPoint())))
    assert not any(there.intersects(each.geometry()) for each in stage.cards.values() if each.isVisible())


@pytest.mark.parametrize("is_zone", [False, True])
def test_a_deletion_and_its_undo_are_told_over_the_map_with_the_way_back(
    window: MainWindow, session: Session, edits: EditNotice, is_zone: bool
) -> None:
    if is_zone:
        zones = (Region.rectangle("Creek", (2, 5), (2, 5)),)
        session.set_operations("draw", replace(session.project.operations, no_drop_zones=zones))
        delete_zone(session, 0)
    else:
        session.delete_region("R1")
    after = session.project
    assert edits.isVisible() and edits.button.text() == "Undo"
    assert f"{'Creek' if is_zone else 'R1'} was deleted" in edits.label.text()
    press(edits.button)
    assert session.project != after and edits.button.text() == "Redo"
    assert edits.label.text().startswith("Undone: delete ")
    press(edits.button)
    assert session.project == after and edits.button.text() == "Undo"
    assert edits.label.text().startswith("Redone: delete ")
    session.edit("fewer days", replace(after, plan=replace(after.plan, days=2)))
    assert not edits.isVisible()


def test_the_notice_of_removed_drops_says_how_the_burned_area_changes(
    qtbot: QtBot, window: MainWindow, session: Session, edits: EditNotice, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(window.workbench.plan_preview, "_make_preview", FakePreviewer)
    show_plan(session)
    before, cell_ha = session.result.plan_metrics, session.project.scenario.grid.cell_area_ha
    session.plan_editor.select(DROPS.drops[0])
    remove_marked(session)
    assert edits.label.text() == "1 drop was removed from the plan." and session.result.pending
    qtbot.waitUntil(lambda: not session.result.pending)
    after = session.result.plan_metrics
    assert before is not None and after is not None and after.final_extent_cells > before.final_extent_cells
    more = (after.final_extent_cells - before.final_extent_cells) * cell_ha
    assert edits.label.text() == f"1 drop was removed from the plan. Burned at end: {more:+,.1f} ha."
    # Two edits at once: the difference of the second alone is not known.
    session.plan_editor.select(session.plan_editor.drops.drops[0])
    remove_marked(session)
    session.plan_editor.select(session.plan_editor.drops.drops[0])
    remove_marked(session)
    qtbot.waitUntil(lambda: not session.result.pending)
    assert edits.label.text() == "1 drop was removed from the plan."


def test_a_change_that_the_page_does_not_show_is_told_when_a_key_undoes_it(
    window: MainWindow, session: Session, edits: EditNotice
) -> None:
    session.edit("change the payload", replace(session.project, plan=replace(session.project.plan, days=2)))
    assert not edits.isVisible()
    QTest.keyClick(window.workbench.map.camera.widget, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert edits.isVisible() and edits.label.text() == "Undone: change the payload"
    press(edits.button)
    assert session.project.plan.days == 2


def test_a_notice_with_a_button_stays_until_it_is_used_except_that_of_an_edit(
    qtbot: QtBot, window: MainWindow, session: Session, edits: EditNotice
) -> None:
    session.delete_region("R1")
    notices = [each for each in window.workbench.shell.centre.findChildren(OverlayNotice) if each.buttons]
    assert len(notices) > 4 and [each for each in notices if each.findChildren(QTimer)] == [edits]
    press(edits.button)
    assert edits.button.text() == "Redo" and session.project.regions


def test_a_notice_that_only_tells_goes_unless_it_is_in_use_and_stays_in_the_log(
    qtbot: QtBot, window: MainWindow
) -> None:
    centre, log = window.workbench.shell.centre, window.workbench.event_log
    tells, asks = PassingNotice(), OverlayNotice(QPushButton("Answer"))
    for each in (tells, asks):
        centre.notices.add(each)
    tells.timer.setInterval(20)
    asks.show_text("What now?")
    tells.show_text("Plan ready")
    window.activateWindow()
    tells.findChildren(QToolButton)[-1].setFocus()
    qtbot.wait(100)
    assert shown_notices(window) == [tells]
    window.workbench.maps.setFocus()
    qtbot.waitUntil(lambda: shown_notices(window) == [asks])
    assert [entry.text for entry in log.entries].count("Plan ready") == 1
    # The same text, as a run at work gives it again and again, does not come back.
    tells.show_text("Plan ready")
    assert shown_notices(window) == [asks]


def test_layers_opened_from_the_preview_of_a_page_show_the_map(window: MainWindow) -> None:
    shell, actions = window.workbench.shell, window.workbench.actions
    shell.show_workspace(WorkspaceName.HAND_OVER)
    shell.set_mode(CentreMode.CHART)
    settle()
    assert shell.stage.isHidden() and not actions["show_layers"].isChecked() and not actions["show_legend"].isChecked()
    button = next(each for each in shell.centre.bar.findChildren(QToolButton) if each.text() == "Layers")
    press(button)
    settle()
    assert shell.mode is CentreMode.BOTH and shell.stage.cards["Layers"].isVisible() and button.isChecked()
    assert shell.centre.result.isVisible() and actions["show_legend"].isChecked()


def test_no_notice_covers_the_preview_of_a_page(window: MainWindow, edits: EditNotice) -> None:
    shell = window.workbench.shell
    shell.show_workspace(WorkspaceName.HAND_OVER)
    shell.set_mode(CentreMode.CHART)
    settle()
    window.workbench.session.delete_region("R1")
    assert edits.is_wanted and not shown_notices(window)
    shell.set_mode(CentreMode.MAP)
    settle()
    assert shown_notices(window) == [edits]
    shell.set_mode(CentreMode.CHART)
    settle()
    assert not shown_notices(window)


def test_removed_drops_are_told_with_an_undo(window: MainWindow, session: Session, edits: EditNotice) -> None:
    drops = DropList((Drop(10, 0, 20.0, 20.0, 0.0), Drop(60, 0, 20.0, 30.0, 0.0)))
    show_plan(session, drops)
    session.plan_editor.select(drops.drops[0])
    remove_marked(session)
    assert edits.isVisible() and edits.label.text() == "1 drop was removed from the plan."
    press(edits.button)
    assert session.plan_editor.drops == drops


def test_the_notice_of_removed_drops_goes_with_their_plan(
    window: MainWindow, session: Session, edits: EditNotice
) -> None:
    drops = DropList((Drop(10, 0, 20.0, 20.0, 0.0), Drop(60, 0, 20.0, 30.0, 0.0)))
    show_plan(session, drops)
    session.plan_editor.select(drops.drops[0])
    remove_marked(session)
    # The fire of the edited drops comes later: that is the same plan.
    session.show_result(replace(session.result, pending=False))
    assert edits.isVisible()
    session.show_result(replace(session.result, title="Another run", by_hand=False))
    assert not edits.isVisible()


@pytest.mark.parametrize("end", ["undo", "open", "delete"])
def test_the_notice_of_a_region_ends_with_the_edit_that_caused_it(
    window: MainWindow, session: Session, notice: RegionNotice, end: str
) -> None:
    name = draw_region(window, session)
    assert notice.isVisible()
    if end == "undo":
        session.undo()
    elif end == "open":
        session.open_project(session.project, None)
    else:
        session.delete_region(name)
    assert not notice.isVisible()


def test_undo_of_a_drop_of_another_plan_shows_that_plan_as_it_was(window: MainWindow, session: Session) -> None:
    drops = DropList((Drop(10, 0, 20.0, 20.0, 0.0), Drop(60, 0, 20.0, 30.0, 0.0)))
    show_plan(session, drops)
    first = session.result
    session.plan_editor.select(drops.drops[0])
    remove_marked(session)
    show_plan(session, DropList(drops.drops[1:]))
    QTest.keyClick(window.workbench.map.camera.widget, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert session.result is first and session.plan_editor.drops == drops and session.plan_editor.plan is None
    session.redo()
    assert session.plan_editor.drops == DropList(drops.drops[1:]) and session.result.by_hand


def shown_notices(window: MainWindow) -> list[OverlayNotice]:
    """Return the notices on screen, from top to bottom."""
    found = [each for each in window.findChildren(OverlayNotice) if each.isVisible()]
    return sorted(found, key=lambda each: each.y())


@pytest.mark.parametrize("side_by_side", [False, True])
@pytest.mark.parametrize("size", [(1280, 720), (1440, 900)])
def test_one_notice_is_shown_at_a_time_the_newest_at_the_foot_of_the_map(
    window: MainWindow, session: Session, notice: RegionNotice, edits: EditNotice, size: tuple[int, int],
    side_by_side: bool,
) -> None:  # fmt: skip
    shell = window.workbench.shell
    window.resize(*size)
    shell.set_side_visible(side_by_side)
    show_plan(session)
    session.set_side_by_side(side_by_side)
    settle()
    stopped = OverlayNotice(QPushButton("Resume"))
    shell.centre.notices.add(stopped)
    stopped.show_text("Stopped at placing drops, step 12 of 3000")
    notice.show_text("The settings do not protect R1 and R2 yet.")
    assert shown_notices(window) == [notice]
    session.set_plan("fewer days", replace(session.project.plan, days=2))
    session.undo()
    shown = shown_notices(window)
    assert shown == [edits]
    stage = shell.stage
    covered = [each.translated(stage.mapTo(shell.centre, QPoint())) for each in (*stage.covered, *stage.decorations())]
    for each in shown:
        place = each.geometry()
        assert not any(place.intersects(part) for part in covered) and place.top() > stage.maps.height() / 2
        for part in (each.label, each.button):
            assert each.rect().contains(part.geometry())
        assert each.label.height() >= each.label.heightForWidth(each.label.width())
    edits.dismiss()
    notice.dismiss()
    assert shown_notices(window) == [stopped]


@pytest.mark.parametrize("side", [False, True])
def test_a_notice_covers_none_of_the_maps_side_by_side_where_there_is_room(
    window: MainWindow, session: Session, side: bool
) -> None:
    shell, board = window.workbench.shell, window.workbench.maps
    window.resize(1280, 720)
    shell.set_side_visible(side)
    show_plan(session)
    session.set_side_by_side(True)
    settle()
    ready = OverlayNotice(QPushButton("Show result"))
    shell.centre.notices.add(ready)
    ready.show_text("Plan ready: 4.2 ha (99.7 % saved), 332 drops. It does not hold: 59 % of the growth is left")
    settle()
    assert ready.isVisible()
    at, (rows, columns) = board.mapTo(shell.centre, QPoint()), session.project.scenario.grid.shape
    for pane in board.shown_maps:
        grid = QRect(pane.camera.to_point(0.0, 0.0), pane.camera.to_point(float(rows), float(columns)))
        grid.translate(at + pane.mapTo(board, QPoint()))
        assert not ready.geometry().intersects(grid)
    assert not any(ready.geometry().intersects(part.translated(at)) for part in board.decoration_boxes)
    assert side or ready.geometry().bottom() > at.y() + board.height() - 20, "there is room between the scales"


def test_a_notice_in_an_upper_corner_is_below_all_lines_of_the_captions(qtbot: QtBot) -> None:
    owner = QWidget()
    qtbot.addWidget(owner)
    stack, notice = NoticeStack(owner), OverlayNotice(QPushButton("Show"))
    stack.add(notice)
    notice.show_text("A notice")
    captions, drops = QRect(0, 0, 600, 72), QRect(0, 200, 600, 200)
    (place,) = stack.place(QRect(0, 0, 600, 400), [captions], [drops])
    assert not place.intersects(captions) and not place.intersects(drops)


def test_notices_are_laid_over_the_chart_where_it_is_alone(
    window: MainWindow, session: Session, edits: EditNotice
) -> None:
    shell = window.workbench.shell
    shell.show_panel("Stress")
    for mode in (CentreMode.CHART, CentreMode.MAP):
        shell.set_mode(mode)
        settle()
        session.delete_region(session.project.regions[0].name)
        assert edits.isVisible() and shell.centre.rect().contains(edits.geometry())
        session.undo()


def test_no_notice_where_regions_are_weighed_renamed_or_the_notice_was_closed(
    window: MainWindow, session: Session, notice: RegionNotice
) -> None:
    name = draw_region(window, session)
    regions = session.project.regions
    session.set_regions("rename", [replace(each, name="Camp") if each.name == name else each for each in regions])
    assert not notice.isVisible()
    session.edit("protect", session.project.protecting())
    draw_region(window, session)
    assert not notice.isVisible()


def test_a_start_tells_every_region_that_the_plan_leaves_out(
    window: MainWindow, session: Session, notice: RegionNotice
) -> None:
    window.workbench.plan.started.emit()
    assert notice.isVisible() and "R1" in notice.label.text()
    session.edit("protect", session.project.protecting())
    window.workbench.plan.started.emit()
    assert not notice.isVisible()


def test_the_list_before_the_start_settles_regions_and_night(
    window: MainWindow, session: Session, start: StartPanel
) -> None:
    assert {note.remedy for note in start.notes.notes} >= {Remedy.PROTECT, Remedy.DAYLIGHT}
    press(start.notes.button(Remedy.PROTECT))
    start.refresh()
    assert session.project.unprotected_regions == ()
    press(start.notes.button(Remedy.DAYLIGHT))
    start.refresh()
    assert session.project.operations.daylight == Daylight()
    assert start.notes.button(Remedy.PROTECT) is None and start.notes.button(Remedy.DAYLIGHT) is None


def test_the_button_below_the_list_starts_a_plan_unless_an_error_stands_against_it(
    qtbot: QtBot, window: MainWindow, session: Session, start: StartPanel, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = list[str]()
    monkeypatch.setattr(window.workbench.plan, "start", lambda: calls.append("start"))
    assert start.start_button.property("role") == "primary"
    press(start.start_button)
    assert calls == ["start"]
    session.edit("break", replace(session.project, plan=replace(session.project.plan, days=99)))
    qtbot.waitUntil(lambda: not start.start_button.isEnabled())
    assert start.notes.notes[0].grade is Grade.ERROR


def test_a_plan_that_can_have_no_drop_is_an_error_and_is_not_started_from_any_place(
    qtbot: QtBot, window: MainWindow, session: Session, start: StartPanel, saved: Path,
    refusals: list[InputError], monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr("firegui.gui.window.main_window.show_problems", lambda *_args: None)
    plan, actions = window.workbench.plan, window.workbench.actions
    tool = window.findChild(QToolButton, "startTool")
    assert isinstance(tool, QToolButton) and tool.isEnabled() and tool.property("role") == "primary"
    tips = [tool.toolTip(), start.start_button.toolTip(), actions["quick"].toolTip()]
    project, before = session.project, (saved / PROJECT_FILE).read_bytes()
    days = tuple(range(project.calendar.days))
    grounded = Fleet(tuple(kind.with_grounded_days(days) for kind in project.planned_fleet.types))
    session.edit_planned_fleet("ground everything", grounded)
    qtbot.waitUntil(lambda: not start.start_button.isEnabled())
    first = start.notes.notes[0]
    assert first.grade is Grade.ERROR and first.text.startswith("No drop is possible: every aircraft is grounded")
    assert not tool.isEnabled() and tool.property("role") == "" and not actions["quick"].isEnabled()
    for tip in (tool.toolTip(), start.start_button.toolTip(), actions["quick"].toolTip()):
        assert "No plan can be started. No drop is possible: every aircraft is grounded" in " ".join(tip.split())
    to_front(qtbot, window)
    QTest.keyClick(window, Qt.Key.Key_F5)
    QTest.mouseClick(tool, LEFT)
    assert window.workbench.queue.entries == () and session.is_dirty
    # A command that is still possible for another reason is refused with one message.
    plan.start()
    assert [len(error.problems) for error in refusals] == [1] and "No drop is possible" in str(refusals[0])
    assert (saved / PROJECT_FILE).read_bytes() == before
    QTest.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(start.start_button.isEnabled)
    assert tool.isEnabled() and tool.property("role") == "primary"
    assert tips == [tool.toolTip(), start.start_button.toolTip(), actions["quick"].toolTip()]


def test_several_reasons_against_a_plan_are_counted_in_the_explanation_of_its_button(
    qtbot: QtBot, window: MainWindow, session: Session
) -> None:
    plan, action = window.workbench.plan, window.workbench.actions["start"]
    settings = replace(session.project.plan, days=99, optimizer=replace(session.project.plan.optimizer, epochs=-1))
    session.set_plan("break", settings)
    qtbot.waitUntil(lambda: not action.isEnabled())
    assert f"{len(plan.problems) - 1} more problem" in action.toolTip() and "--" not in action.toolTip()


def test_what_a_run_reports_does_not_check_the_project_again(
    window: MainWindow, start: StartPanel, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = list[Project]()

    def notes(project: Project, units: Units, problems: Sequence[Problem]) -> tuple[GradedNote, ...]:
        asked.append(project)
        return start_notes(project, units, problems)

    monkeypatch.setattr(start_panel_module, "start_notes", notes)
    for _ in range(3):
        window.workbench.queue.changed.emit()
        qtbot.wait(10)
    assert asked == [] and start.start_button.isEnabled()


def test_the_panel_says_how_long_the_latest_plan_took(window: MainWindow, start: StartPanel) -> None:
    queue, stages = window.workbench.queue, window.workbench.session.stages
    run = RunEntry("Run 1, whole fire", Path("r"), state=RunState.FINISHED, reason=FinishReason.STOPPED, stages=stages)
    run.seconds = 125.0
    queue._list.add(run)
    run.title = "Run 1, whole fire"
    queue.changed.emit()
    assert start.after.text().startswith("Takes minutes"), "a stopped run says nothing of the whole"
    run.reason = FinishReason.COMPLETED
    queue.changed.emit()
    assert start.after.text() == "Run 1 took about 2 min; the result then opens in Runs."


def test_the_panel_says_where_the_result_will_be(start: StartPanel) -> None:
    texts = [label.text() for label in start.findChildren(QLabel) if label.isVisible()]
    assert "Takes minutes; the result then opens in Runs." in texts
