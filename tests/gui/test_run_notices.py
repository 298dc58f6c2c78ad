"""What the window says of the run at work and of others meanwhile: notices over the map, and what is exported."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from firegui.domain.project import Project
from firegui.domain.regions import Region
from firegui.domain.schedule import Schedule
from firegui.domain.stress import StressScenario
from firegui.gui.exporting.export_dialog import ExportDialog
from firegui.gui.jobs.run_entry import RunEntry
from firegui.gui.planning.run_notices import FollowNotice, RunEndNotice, end_text
from firegui.gui.session.session import FireView, ShownResult
from firegui.gui.widgets.notice import NoticeStack, OverlayNotice
from firegui.gui.window.main_window import MainWindow
from firegui.gui.window.workspaces import WorkspaceName
from firegui.io.project.schedule_file import write_plan_safetensors
from firegui.runs.run_folder import DROPS
from firegui.runs.stages import FinishReason, ReplanNote, RunState, Stage
from tests.gui.analyses.scene import stress_table
from tests.gui.conftest import Execute
from tests.gui.fake_runs import FakeExecute, drop, wait_idle
from tests.gui.hands import LEFT
from tests.gui.map_scene import drop_at
from tests.gui.plan_editor_scene import DROPS as EDITED_DROPS
from tests.gui.test_run_cards import summary

pytestmark = pytest.mark.usefixtures("saved")


@pytest.fixture
def execute() -> Execute:
    return FakeExecute(endless=True)


@pytest.fixture
def window(qtbot: QtBot, window: MainWindow) -> Iterator[MainWindow]:
    """Return the workbench on a saved project, in another workspace than the runs."""
    window.workbench.session.set_stages((Stage.OPTIMIZE,))
    window.workbench.shell.show_workspace(WorkspaceName.PLAN)
    yield window
    window.workbench.queue.stop()
    wait_idle(qtbot, window.workbench.queue)


def notice(window: MainWindow, kind: type[OverlayNotice]) -> OverlayNotice:
    return next(each for each in window.findChildren(OverlayNotice) if isinstance(each, kind))


def start(qtbot: QtBot, window: MainWindow) -> RunEntry:
    """Start a run and wait until it has a plan."""
    window.workbench.plan.start()
    entry = window.workbench.queue.entries[-1]
    qtbot.waitUntil(lambda: entry.epoch > 2)
    return entry


def stop(qtbot: QtBot, window: MainWindow, entry: RunEntry) -> None:
    """Stop a run, which keeps a plan."""
    project = window.workbench.session.project
    nothing = Schedule.empty(project.calendar.n_steps, project.fleet.n_aircraft)
    write_plan_safetensors(entry.folder / "plan.safetensors", nothing)
    window.workbench.queue.stop()
    wait_idle(qtbot, window.workbench.queue)


def test_while_another_result_is_shown_one_click_leads_back_to_the_run_at_work(
    qtbot: QtBot, window: MainWindow
) -> None:
    queue, follow = window.workbench.queue, notice(window, FollowNotice)
    first = start(qtbot, window)
    stop(qtbot, window, first)
    second = start(qtbot, window)
    assert not follow.is_wanted
    queue.show(first)
    assert follow.isVisible() and follow.label.text() == f"{second.title} goes on; the map shows another result."
    QTest.mouseClick(follow.button, LEFT)
    assert queue.shown is second and not follow.is_wanted
    queue.show(first)
    queue.pause()
    qtbot.waitUntil(lambda: second.state is RunState.PAUSED)
    assert follow.label.text().startswith(f"{second.title} is paused;")
    queue.stop()
    wait_idle(qtbot, queue)
    assert not follow.is_wanted


def test_the_end_of_a_run_is_said_over_the_map_and_a_button_shows_its_result(qtbot: QtBot, window: MainWindow) -> None:
    workbench, end = window.workbench, notice(window, RunEndNotice)
    entry = start(qtbot, window)
    stop(qtbot, window, entry)
    assert end.isVisible() and end.label.text().startswith("Run stopped")
    # Where it stopped is said after that.
    stopped = workbench.shell.centre.bar.stopped
    qtbot.waitUntil(lambda: stopped.is_wanted)
    assert not stopped.isVisible()
    QTest.mouseClick(end.button, LEFT)
    assert workbench.shell.workspace is WorkspaceName.RUNS and workbench.panels["Result"].isVisible()
    assert workbench.runs.selected is workbench.queue.shown is entry
    assert not end.is_wanted
    # Nothing is said of a run whose result is in view.
    later = start(qtbot, window)
    stop(qtbot, window, later)
    assert workbench.queue.shown is later and not end.is_wanted


def test_the_result_of_a_run_that_is_not_on_the_map_is_shown_from_the_notice(qtbot: QtBot, window: MainWindow) -> None:
    queue, end = window.workbench.queue, notice(window, RunEndNotice)
    first = start(qtbot, window)
    stop(qtbot, window, first)
    second = start(qtbot, window)
    assert not end.is_wanted
    queue.show(first)
    stop(qtbot, window, second)
    assert second.title in end.label.text()
    QTest.mouseClick(end.button, LEFT)
    assert queue.shown is second


def test_the_notice_goes_when_the_run_goes_on_or_is_deleted(qtbot: QtBot, window: MainWindow) -> None:
    queue, end = window.workbench.queue, notice(window, RunEndNotice)
    entry = start(qtbot, window)
    stop(qtbot, window, entry)
    assert end.is_wanted
    queue.resume_stopped(entry)
    assert not end.is_wanted
    qtbot.waitUntil(lambda: entry.state is RunState.RUNNING)
    stop(qtbot, window, entry)
    assert end.is_wanted
    queue.discard(entry)
    assert not end.is_wanted


def test_the_end_of_a_run_is_one_line(project: Project) -> None:
    entry = RunEntry("Whole fire", Path("run"), project, RunState.FINISHED, FinishReason.COMPLETED, message="done")
    entry.summary, entry.stress = summary(5.5, 312, 0), stress_table()
    assert end_text(entry).startswith("Plan ready: 5.5 ha (99.5 % saved), 312 drops")
    assert " drops · ⚠ Does not hold: " in end_text(entry)
    entry.note = ReplanNote(1, "", closed_loop=True, exercise=StressScenario("weak"))
    assert end_text(entry) == "Exercise ready: 5.5 ha (99.5 % saved), 312 drops · Flown in “weak”"
    entry.note = None
    entry.reason, entry.stress = FinishReason.STOPPED, None
    assert end_text(entry, is_named=True).startswith("Stopped, best plan so far (Whole fire): 5.5 ha")
    entry.reason, entry.message = FinishReason.FAILED, "The disk is full."
    assert end_text(entry) == "The run failed: The disk is full."


# -- what is exported --------------------------------------------------------------------------------------------------
@pytest.fixture
def exported(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[ExportDialog]]:
    """Yield the export dialogs that were opened."""
    opened: list[ExportDialog] = []
    monkeypatch.setattr(ExportDialog, "exec", lambda dialog: opened.append(dialog))
    yield opened
    for dialog in opened:
        dialog.done(0)


def export(window: MainWindow, dialogs: list[ExportDialog]) -> ExportDialog:
    """Press Ctrl+E and return the dialog."""
    QTest.keyClick(window, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
    return dialogs[-1]


def stopped_with_a_drop(qtbot: QtBot, window: MainWindow) -> RunEntry:
    """Return a stopped run whose plan has one drop."""
    entry = start(qtbot, window)
    stop(qtbot, window, entry)
    (entry.folder / DROPS).write_bytes(msgspec.json.encode([drop(3)]))
    return entry


def test_the_run_that_is_selected_in_the_open_list_is_exported_and_named(
    qtbot: QtBot, window: MainWindow, exported: list[ExportDialog]
) -> None:
    workbench = window.workbench
    first = stopped_with_a_drop(qtbot, window)
    second = start(qtbot, window)
    workbench.shell.show_workspace(WorkspaceName.RUNS)
    workbench.runs.select(first)
    assert workbench.queue.shown is second
    dialog = export(window, exported)
    assert dialog.windowTitle() == f"Export the plan: {first.title}"
    assert dialog.summary.text().startswith(f"{first.title}: 1 drop to fly")
    assert dialog.note.text() == f"This is the plan of {first.title}. The map shows {second.title}."
    assert dialog._source is not None and dialog._source.folder == first.folder
    assert first.title.startswith("Run 1, ") and dialog.stem.text().endswith("-run-1")
    # Of a run without a saved plan, what is on the map.
    first_drops = (first.folder / DROPS).read_bytes()
    (first.folder / DROPS).unlink()
    dialog = export(window, exported)
    assert dialog.windowTitle() == f"Export the plan: {second.title}"
    assert f"{first.title}, which is selected in the list, has no plan to export." in dialog.note.text()
    # The list is not in view: what is selected in it does not count.
    (first.folder / DROPS).write_bytes(first_drops)
    workbench.shell.show_workspace(WorkspaceName.PLAN)
    dialog = export(window, exported)
    assert dialog.windowTitle() == f"Export the plan: {second.title}" and not dialog.note.text()


def test_the_export_of_a_run_whose_drops_were_edited_on_the_map_warns_and_offers_the_edited_plan(
    qtbot: QtBot, window: MainWindow, exported: list[ExportDialog]
) -> None:
    workbench, session = window.workbench, window.workbench.session
    entry = stopped_with_a_drop(qtbot, window)
    workbench.shell.show_workspace(WorkspaceName.RUNS)
    workbench.runs.select(entry)
    session.plan_editor.edit("move the drops", EDITED_DROPS, None)
    dialog = export(window, exported)
    assert dialog.summary.text().startswith(f"{entry.title}: 1 drop to fly") and dialog.note.isHidden()
    assert dialog.outdated.text() == (
        f"⚠ The map now shows {entry.title}, edited by hand: 3 drops to fly. "
        "This export is of the plan before the edit."
    )
    assert not dialog.outdated_row.isHidden() and dialog.update_button.text() == "Export the edited plan"
    assert not dialog.update_button.isEnabled(), "the fire of the edited drops is being computed"
    session.show_result(replace(session.result, pending=False))
    assert dialog.update_button.isEnabled()
    dialog.update_button.click()
    assert dialog.windowTitle() == f"Export the plan: {entry.title}, edited by hand"
    assert dialog.summary.text().startswith(f"{entry.title}, edited by hand: 3 drops to fly")
    assert dialog.outdated_row.isHidden()


def test_a_selected_run_can_be_exported_while_its_fire_is_computed_for_the_map(
    qtbot: QtBot, window: MainWindow, exported: list[ExportDialog]
) -> None:
    workbench = window.workbench
    first = stopped_with_a_drop(qtbot, window)
    workbench.shell.show_workspace(WorkspaceName.RUNS)
    workbench.queue.show_baseline()
    wait_idle(qtbot, workbench.queue)
    workbench.runs.select(first)
    assert workbench.session.result.plan is None and workbench.actions["export"].isEnabled()
    assert workbench.runs.button("export").isEnabled()
    assert first.title in export(window, exported).windowTitle()
    workbench.shell.show_workspace(WorkspaceName.PLAN)
    assert not workbench.actions["export"].isEnabled()


def test_a_notice_covers_no_region_or_drop_while_a_corner_is_free(qtbot: QtBot) -> None:
    owner, one = QWidget(), OverlayNotice()
    qtbot.addWidget(owner)
    owner.resize(900, 600)
    owner.show()
    stack, area, bar = NoticeStack(owner), QRect(0, 0, 900, 600), QRect(0, 560, 250, 40)
    stack.add(one)
    one.tell("The plan is ready.")
    (usual,) = stack.place(area, [bar])
    assert abs(usual.center().x() - area.center().x()) < 2 and usual.top() > 500
    assert stack.place(area, [bar], [QRect(10, 10, 50, 50)], QRect(300, 200, 100, 100)) == [usual]
    region, fire = usual.adjusted(-5, -5, 5, 5), QRect(300, 200, 100, 100)
    (corner,) = stack.place(area, [bar], [region], fire)
    assert corner.left() < 20 and corner.bottom() < bar.top() and not corner.intersects(region)
    # Each corner in turn, and the head of the map at last.
    taken = [region]
    for _corner in range(4):
        taken.append(corner)
        (corner,) = stack.place(area, [bar], taken, fire)
        assert area.contains(corner) and not any(corner.intersects(each) for each in (*taken, bar, fire))
    assert stack.place(area, [bar], [area]) == [usual], "without a free corner it stays where it is looked for"


def test_the_map_tells_where_regions_and_drops_are(window: MainWindow) -> None:
    workbench = window.workbench
    regions = (Region.rectangle("R1", (2.0, 6.0), (2.0, 6.0)), Region.rectangle("R2", (20.0, 26.0), (30.0, 40.0)))
    workbench.session.edit("regions", replace(workbench.session.project, regions=regions))
    window.show()
    camera = workbench.map.camera
    boxes = workbench.shell.stage.marks()
    assert len(boxes) == 2
    assert boxes[1].contains(camera.to_point(23.0, 35.0)) and not boxes[0].contains(camera.to_point(23.0, 35.0))
    drops = [drop_at(row, column, 0.0) for row, column in ((10.0, 5.0), (10.1, 5.0), (28.0, 9.5))]
    workbench.session.show_result(ShownResult("run", drops=tuple(drops)))
    workbench.session.set_view(FireView.PLAN)
    of_drops = workbench.shell.stage.marks()[2:]
    assert len(of_drops) == 2, "drops that lie on each other share a box"
    near = QPoint(8, 8)
    for each in drops:
        place = camera.to_point(each.landing_y, each.landing_x)
        assert any(box.contains(QRect(place - near, place + near - QPoint(1, 1))) for box in of_drops)
    pixels = camera.to_pixels(np.array([(each.landing_y, each.landing_x) for each in drops]))
    assert pixels == pytest.approx(
        np.array([camera.to_pixel(each.landing_y, each.landing_x).toTuple() for each in drops])
    )
