"""The workbench as a whole: title, shortcuts, docks, theme, dropping files, closing."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, QSettings, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolBar, QToolButton
from pytestqt.qtbot import QtBot

from firegui.domain.drops import DropList
from firegui.domain.project import Project
from firegui.domain.regions import Region
from firegui.errors import CancelledError, InputError, Problem
from firegui.gui.base.elided_label import ElidedLabel
from firegui.gui.base.preferences import Preferences
from firegui.gui.base.theme import COLORS, Theme, apply_theme, current_theme
from firegui.gui.jobs.run_job import UnfinishedWork
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.scenario.calendar_panel import CalendarPanel
from firegui.gui.scenario.fleet_panel import FleetPanel
from firegui.gui.session.session import FireView, Session, Tool
from firegui.gui.widgets.fields import WholeField
from firegui.gui.window import documents as documents_module
from firegui.gui.window import main_window as main_window_module
from firegui.gui.window.centre import CentreMode
from firegui.gui.window.documents import RunningAnswer, UnsavedAnswer
from firegui.gui.window.main_window import MainWindow
from firegui.gui.window.workspaces import WorkspaceName
from firegui.io.paths import PROJECT_FILE
from firegui.io.project.store import load_project, save_project
from firegui.runs.control import RunControl
from firegui.runs.events import RunEvent, RunFinished, StateChanged
from firegui.runs.spec import PlanSpec, RunSpec
from firegui.runs.stages import FinishReason, RunState
from tests.gui.hands import LEFT, centre_of
from tests.gui.map_scene import Hand
from tests.gui.plan_editor_scene import show_plan
from tests.gui.saved_runs import stopped_run
from tests.gui.shell_scene import settle

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def shown_problems(monkeypatch: pytest.MonkeyPatch) -> list[InputError]:
    """Return what the window would have shown in its dialog, one entry per dialog."""
    found: list[InputError] = []
    monkeypatch.setattr(main_window_module, "show_problems", lambda _parent, error: found.append(error))
    return found


def answer_unsaved(monkeypatch: pytest.MonkeyPatch, answer: UnsavedAnswer) -> list[str]:
    asked: list[str] = []

    def ask(_parent: object, name: str, _edits: object) -> UnsavedAnswer:
        asked.append(name)
        return answer

    monkeypatch.setattr(documents_module, "ask_unsaved", ask)
    return asked


def answer_running(monkeypatch: pytest.MonkeyPatch, answer: RunningAnswer) -> list[str]:
    asked: list[str] = []

    def ask(_parent: object, work: UnfinishedWork, _purpose: str) -> RunningAnswer:
        asked.append(work.title)
        return answer

    monkeypatch.setattr(documents_module, "ask_running", ask)
    return asked


def drop_on(window: MainWindow, path: Path) -> bool:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    buttons, keys, action = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, Qt.DropAction.CopyAction
    enter = QDragEnterEvent(QPoint(5, 5), action, data, buttons, keys)
    QApplication.sendEvent(window, enter)
    if enter.isAccepted():
        QApplication.sendEvent(window, QDropEvent(QPointF(5, 5), action, data, buttons, keys))
    return enter.isAccepted()


# -- title and saving --------------------------------------------------------------------------------------------------
def test_the_title_names_the_project_and_marks_unsaved_edits(window: MainWindow, saved: Path) -> None:
    assert window.windowTitle() == "Test Ridge[*] — firegui"
    assert not window.isWindowModified()
    window.workbench.session.set_regions("clear", ())
    assert window.isWindowModified()
    QTest.keyClick(window, Qt.Key.Key_S, CTRL)
    assert not window.isWindowModified()
    window.workbench.session.undo_stack.undo()
    assert window.isWindowModified()
    window.workbench.session.undo_stack.redo()
    assert not window.isWindowModified()


def edited_parts(project: Project) -> tuple[object, ...]:
    return project.regions, project.fleet, project.plan


def test_undo_and_redo_work_by_keyboard_for_every_kind_of_edit(window: MainWindow) -> None:
    session = window.workbench.session
    start = session.project
    session.set_regions("add", (*start.regions, Region.rectangle("R9", (1, 3), (1, 3))))
    more = replace(start.planned_fleet.types[0], count=4)
    session.edit_planned_fleet("count", session.project.planned_fleet.replace_type(0, more))
    session.set_plan("days", replace(session.project.plan, days=3))
    last = session.project
    for _ in range(3):
        QTest.keyClick(window, Qt.Key.Key_Z, CTRL)
    assert edited_parts(session.project) == edited_parts(start)
    QTest.keyClick(window, Qt.Key.Key_Z, CTRL | SHIFT)
    QTest.keyClick(window, Qt.Key.Key_Y, CTRL)
    QTest.keyClick(window, Qt.Key.Key_Y, CTRL)
    assert edited_parts(session.project) == edited_parts(last)


def test_undo_says_what_it_undoes(window: MainWindow) -> None:
    assert not window.workbench.actions["undo"].isEnabled()
    window.workbench.session.delete_region("R1")
    undo = window.workbench.actions["undo"]
    assert undo.text() == "&Undo delete R1" and "Undo delete R1" in undo.toolTip()


def test_a_number_still_being_typed_counts_when_a_menu_entry_is_used(window: MainWindow, saved: Path) -> None:
    window.workbench.show_panel("Objective")
    box = window.workbench.panels["Objective"].findChild(WholeField, "optimizer_epochs")
    assert isinstance(box, WholeField)
    box.setFocus()
    box.selectAll()
    QTest.keyClicks(box, "77")
    window.workbench.actions["save"].trigger()
    assert window.workbench.session.project.plan.optimizer.epochs == 77
    assert not window.workbench.session.is_dirty


# -- opening -----------------------------------------------------------------------------------------------------------
def test_a_corrupted_project_is_refused_in_one_dialog_with_every_problem_and_the_open_one_stays(
    qtbot: QtBot, window: MainWindow, saved: Path, shown_problems: list[InputError]
) -> None:
    text = (saved / PROJECT_FILE).read_text(encoding="utf-8")
    broken = text.replace("payload_gal = 1200.0", 'payload_gal = "much"').replace("epochs = 3", "epochs = 0.5")
    assert broken.count('"much"') == 1 and broken.count("epochs = 0.5") == 1
    (saved / PROJECT_FILE).write_text(broken, encoding="utf-8")
    before = window.workbench.session.project
    assert not window.workbench.documents.open(saved)
    qtbot.waitUntil(lambda: len(shown_problems) == 1)
    text = str(shown_problems[0])
    assert "payload_gal" in text and "epochs" in text
    assert window.workbench.session.project is before
    assert window.workbench.session.folder == saved


def test_dropping_a_project_folder_opens_it(window: MainWindow, project: Project, tmp_path: Path) -> None:
    other = tmp_path / "other.firegui"
    save_project(replace(project, scenario=replace(project.scenario, name="Other Ridge")), other)
    assert drop_on(window, other)
    assert window.workbench.session.project.scenario.name == "Other Ridge"
    assert window.workbench.documents.recent == (other,)


def test_dropping_something_else_is_refused_with_the_reason(
    qtbot: QtBot, window: MainWindow, shown_problems: list[InputError], tmp_path: Path
) -> None:
    before = window.workbench.session.project
    assert drop_on(window, tmp_path)
    qtbot.waitUntil(lambda: len(shown_problems) == 1)
    assert "is not a firegui project" in str(shown_problems[0])
    assert window.workbench.session.project is before


def test_a_refused_edit_reaches_the_person_in_one_dialog(
    qtbot: QtBot, window: MainWindow, shown_problems: list[InputError]
) -> None:
    panel = window.workbench.panel("Fleet", FleetPanel)
    for _ in range(2):
        panel.view.setCurrentIndex(panel.model.index(0, 0))
        panel.remove()
    qtbot.waitUntil(lambda: len(shown_problems) == 1)
    assert "no aircraft" in str(shown_problems[0])


def test_what_is_refused_while_the_window_shuts_opens_no_box_that_would_keep_the_program_alive(
    qtbot: QtBot, window: MainWindow, saved: Path, shown_problems: list[InputError]
) -> None:
    window.workbench.session.refuse(InputError([Problem("the benchmark", "was stopped")]))
    assert window.close()
    qtbot.wait(50)
    assert shown_problems == []


# -- keys --------------------------------------------------------------------------------------------------------------
def test_delete_on_the_map_deletes_the_selected_region(window: MainWindow) -> None:
    window.workbench.session.select_region("R1")
    window.workbench.map.setFocus()
    QTest.keyClick(window.workbench.map.focusWidget() or window.workbench.map, Qt.Key.Key_Delete)
    assert window.workbench.session.project.regions == ()


def test_delete_in_the_calendar_deletes_no_region(window: MainWindow) -> None:
    window.workbench.show_panel("Calendar")
    window.workbench.session.select_region("R1")
    view = window.workbench.panel("Calendar", CalendarPanel).view
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_Delete)
    assert len(window.workbench.session.project.regions) == 1


def test_space_plays_from_the_map_but_toggles_in_the_calendar(window: MainWindow) -> None:
    window.workbench.map.setFocus()
    QTest.keyClick(window.workbench.map.focusWidget() or window.workbench.map, Qt.Key.Key_Space)
    assert window.workbench.timeline.is_playing
    window.workbench.timeline.play(False)
    window.workbench.show_panel("Calendar")
    view = window.workbench.panel("Calendar", CalendarPanel).view
    QTest.mouseClick(view.viewport(), LEFT, pos=centre_of(view, 1, 0))
    QTest.keyClick(view, Qt.Key.Key_Space)
    assert not window.workbench.timeline.is_playing
    assert window.workbench.session.undo_stack.count() == 2


def test_escape_outside_the_map_gives_up_the_drawing_tool(window: MainWindow) -> None:
    window.workbench.session.set_tool(Tool.POLYGON)
    QTest.keyClick(window.workbench.panels["Regions"], Qt.Key.Key_Escape)
    assert window.workbench.session.tool is Tool.PAN
    assert window.workbench.actions["tool:pan"].isChecked()


def test_number_keys_choose_tools_and_the_bar_follows(window: MainWindow) -> None:
    window.workbench.map.setFocus()
    QTest.keyClick(window, Qt.Key.Key_2)
    assert window.workbench.session.tool is Tool.RECTANGLE
    assert window.workbench.actions["tool:rectangle"].isChecked()
    window.workbench.session.set_view(FireView.BASELINE)
    assert window.workbench.actions["view:baseline"].isChecked()


# -- look --------------------------------------------------------------------------------------------------------------
@pytest.fixture
def theme_restored(qapp: QApplication) -> Iterator[None]:
    """Restore the theme for other tests."""
    yield
    apply_theme(qapp, Theme.DARK)


@pytest.mark.slow
def test_the_theme_can_be_switched_and_is_remembered(
    qapp: QApplication, window: MainWindow, preferences_store: QSettings, theme_restored: None
) -> None:
    for theme in (Theme.LIGHT, Theme.DARK, Theme.LIGHT):
        window.workbench.actions[f"theme:{theme}"].trigger()
        assert current_theme(qapp) is theme
        assert qapp.palette().window().color().name() == COLORS[theme].window
        assert window.workbench.actions[f"theme:{theme}"].isChecked()
        assert Preferences(preferences_store).theme is theme


def test_everything_fits_a_small_screen(window: MainWindow) -> None:
    window.resize(1280, 800)
    QApplication.processEvents()
    assert (window.width(), window.height()) == (1280, 800)
    assert window.workbench.map.width() >= 400
    assert window.workbench.map.height() >= 300


def test_every_tool_bar_button_says_what_it_does(window: MainWindow) -> None:
    bar = window.findChild(QToolBar)
    assert isinstance(bar, QToolBar)
    buttons = [bar.widgetForAction(action) for action in bar.actions()]
    tips = [button.toolTip() for button in buttons if isinstance(button, QToolButton)]
    assert len(tips) == 12
    assert all("\n" in tip for tip in tips), "title and shortcut on the first line, the meaning on the second"


def test_without_a_project_the_window_opens_and_offers_to_open_one(qtbot: QtBot) -> None:
    empty = Session()
    runs = RunQueue(empty, execute=lambda *_: None)
    bare = MainWindow(empty, runs)
    qtbot.addWidget(bare)
    bare.show()
    assert bare.workbench.actions["open"].isEnabled()
    assert not bare.workbench.actions["start"].isEnabled()
    assert not bare.workbench.actions["save"].isEnabled()
    runs.shutdown()


# -- closing -----------------------------------------------------------------------------------------------------------
def test_closing_without_edits_asks_nothing(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = answer_unsaved(monkeypatch, UnsavedAnswer.CANCEL)
    assert window.close()
    assert asked == []


@pytest.mark.parametrize(
    ("answer", "closes"), [(UnsavedAnswer.SAVE, True), (UnsavedAnswer.DISCARD, True), (UnsavedAnswer.CANCEL, False)]
)
def test_closing_with_unsaved_edits_asks_and_obeys(
    window: MainWindow, saved: Path, monkeypatch: pytest.MonkeyPatch, answer: UnsavedAnswer, closes: bool
) -> None:
    before = (saved / PROJECT_FILE).read_bytes()
    window.workbench.session.set_regions("clear", ())
    asked = answer_unsaved(monkeypatch, answer)
    assert window.close() is closes
    assert asked == ["Test Ridge"]
    assert window.isVisible() is not closes
    assert ((saved / PROJECT_FILE).read_bytes() != before) is (answer is UnsavedAnswer.SAVE)


def test_a_start_says_that_it_saved_and_closing_then_names_only_what_was_undone_since(
    qtbot: QtBot, window: MainWindow, saved: Path, messages: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    session, asked = window.workbench.session, list[Sequence[str]]()

    def ask(_parent: object, _name: str, edits: Sequence[str]) -> UnsavedAnswer:
        asked.append(edits)
        return UnsavedAnswer.DISCARD

    monkeypatch.setattr(documents_module, "ask_unsaved", ask)
    session.set_plan("fewer days", replace(session.project.plan, days=2))
    session.set_regions("clear", ())
    QTest.keyClick(window, Qt.Key.Key_F5)
    qtbot.waitUntil(lambda: bool(window.workbench.queue.entries) and not window.workbench.queue.is_busy)
    assert any(text.startswith("Started ") and text.endswith("Project saved with the run.") for text in messages)
    QTest.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert window.close()
    assert asked == [("undo: clear",)] and load_project(saved).regions == ()


def test_opening_another_project_with_unsaved_edits_asks_first(
    window: MainWindow, saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.workbench.session.set_regions("clear", ())
    before = window.workbench.session.project
    answer_unsaved(monkeypatch, UnsavedAnswer.CANCEL)
    assert not window.workbench.documents.open(saved)
    assert window.workbench.session.project is before
    answer_unsaved(monkeypatch, UnsavedAnswer.DISCARD)
    assert window.workbench.documents.open(saved)
    assert len(window.workbench.session.project.regions) == 1


class _UntilStopped:
    """An optimizer that works until it is requested to stop."""

    def __init__(self) -> None:
        self.stopped = threading.Event()

    def __call__(self, spec: RunSpec, emit: Callable[[RunEvent], None], control: RunControl) -> None:
        if isinstance(spec, PlanSpec):
            spec.out.mkdir(parents=True)
            emit(StateChanged(RunState.RUNNING))
            while not control.stop_requested:
                threading.Event().wait(0.005)
            self.stopped.set()
        emit(RunFinished(FinishReason.STOPPED, "stopped", None, None, None))


@pytest.fixture
def busy(qtbot: QtBot, window: MainWindow, saved: Path) -> Iterator[tuple[MainWindow, _UntilStopped]]:
    """Return a window whose plan is being computed."""
    queue = window.workbench.queue
    queue._execute = work = _UntilStopped()
    QTest.keyClick(window, Qt.Key.Key_F5)
    qtbot.waitUntil(lambda: queue.active is not None and queue.active.state is RunState.RUNNING)
    yield window, work
    queue.shutdown()


def test_while_a_plan_is_worked_out_it_can_be_paused_and_stopped_but_not_resumed(
    busy: tuple[MainWindow, _UntilStopped],
) -> None:
    actions = busy[0].workbench.actions
    enabled = [action.isEnabled() for action in (actions["pause"], actions["resume"], actions["stop"])]
    assert enabled == [True, False, True]


def test_a_second_stop_leaves_out_the_final_score(qtbot: QtBot, window: MainWindow, saved: Path) -> None:
    abandoned = threading.Event()

    def scoring(spec: RunSpec, emit: Callable[[RunEvent], None], control: RunControl) -> None:
        while isinstance(spec, PlanSpec) and not abandoned.is_set():
            threading.Event().wait(0.005)
            try:
                control.check_abandoned()
            except CancelledError:
                abandoned.set()
        emit(RunFinished(FinishReason.STOPPED, "stopped", None, None, None))

    window.workbench.queue._execute = scoring
    stop = window.workbench.actions["stop"]
    QTest.keyClick(window, Qt.Key.Key_F5)
    QTest.keyClick(window, Qt.Key.Key_F6, Qt.KeyboardModifier.ControlModifier | SHIFT)
    assert stop.isEnabled()
    assert "do not wait" in stop.toolTip()
    assert not abandoned.is_set()
    QTest.keyClick(window, Qt.Key.Key_F6, Qt.KeyboardModifier.ControlModifier | SHIFT)
    qtbot.waitUntil(lambda: window.workbench.queue.active is None)
    assert abandoned.is_set()
    assert not stop.isEnabled()
    assert "keep the best" in stop.toolTip()


def test_a_long_message_is_cut_with_an_ellipsis_and_its_whole_text_is_the_tooltip(window: MainWindow) -> None:
    text = "a plan that was stopped on request and says much about it " * 5
    window.workbench.session.message.emit(text)
    (label,) = (label for label in window.statusBar().findChildren(ElidedLabel) if label.text() == text)
    assert label.isVisible()
    assert " ".join(label.toolTip().split()) == text.strip()
    window.workbench.session.message.emit("")
    assert not label.isVisible()


def test_closing_during_a_run_asks_and_keep_running_keeps_everything(
    busy: tuple[MainWindow, _UntilStopped], monkeypatch: pytest.MonkeyPatch
) -> None:
    window, work = busy
    asked = answer_running(monkeypatch, RunningAnswer.KEEP)
    assert not window.close()
    assert len(asked) == 1
    assert window.isVisible()
    assert not work.stopped.is_set()


@pytest.mark.parametrize(("answer", "kept"), [(RunningAnswer.STOP_AND_SAVE, True), (RunningAnswer.DISCARD, False)])
def test_closing_during_a_run_stops_it_and_waits(
    busy: tuple[MainWindow, _UntilStopped], monkeypatch: pytest.MonkeyPatch, answer: RunningAnswer, kept: bool
) -> None:
    window, work = busy
    active = window.workbench.queue.active
    assert active is not None
    answer_running(monkeypatch, answer)
    assert window.close()
    assert work.stopped.is_set()
    assert window.workbench.queue.active is None
    assert active.folder.exists() is kept


def test_cancelling_the_question_about_edits_leaves_the_run_working(
    busy: tuple[MainWindow, _UntilStopped], monkeypatch: pytest.MonkeyPatch
) -> None:
    window, work = busy
    window.workbench.session.set_regions("clear", ())
    answer_running(monkeypatch, RunningAnswer.DISCARD)
    answer_unsaved(monkeypatch, UnsavedAnswer.CANCEL)
    assert not window.close()
    assert not work.stopped.is_set()


def test_a_plan_that_cannot_start_says_everything_that_keeps_it(
    qtbot: QtBot, window: MainWindow, saved: Path, shown_problems: list[InputError]
) -> None:
    weights = replace(window.workbench.session.project.plan.weights, prot=1.0)
    window.workbench.session.set_plan("bad", replace(window.workbench.session.project.plan, days=99, weights=weights))
    window.workbench.session.set_regions("clear", ())
    QTest.keyClick(window, Qt.Key.Key_F5)
    qtbot.waitUntil(lambda: len(shown_problems) == 1)
    assert len(shown_problems[0].problems) == 2
    assert window.workbench.queue.entries == ()


def test_how_a_tool_is_used_is_said_above_the_map_where_it_covers_nothing(window: MainWindow) -> None:
    window.workbench.session.set_tool(Tool.POLYGON)
    note = window.workbench.shell.centre.bar.note
    assert "Click corners" in note.text()
    window.workbench.session.set_tool(Tool.PAN)
    assert note.text() == ""


def test_the_hint_of_a_tool_goes_with_it_while_the_map_is_hidden(window: MainWindow) -> None:
    session, shell = window.workbench.session, window.workbench.shell
    session.set_tool(Tool.DROP)
    assert "Drag" in shell.centre.bar.note.text()
    note = shell.centre.bar.note
    assert all(key in note.text() for key in ("arrows", "[ ]", "N ", "Enter", "Ins", "Del", "Esc"))
    assert note.width_of(note.text()) < 420, "the width that a window of 1440 pixels has left in a comparison"
    shell.show_workspace(WorkspaceName.HAND_OVER)
    assert not window.workbench.map.isVisible()
    assert note.text() == "", "how a tool of the map is used is said with the map"
    shell.set_mode(CentreMode.MAP)
    assert "Drag" in note.text()
    session.set_tool(Tool.PAN)
    assert note.text() == ""


def test_the_hint_of_every_tool_is_whole_beside_the_side_panel_in_a_small_window(window: MainWindow) -> None:
    session, shell = window.workbench.session, window.workbench.shell
    window.resize(1280, 720)
    shell.show_workspace(WorkspaceName.PLAN)
    note = shell.centre.bar.note
    assert shell.is_side_visible
    for tool in Tool:
        session.set_tool(tool)
        settle()
        assert note.width() >= note.width_of(note.text()), note.text()


@pytest.mark.parametrize("tool", [Tool.POLYGON, Tool.ZONE_POLYGON, Tool.EDIT])
def test_what_is_drawn_and_said_of_it_goes_with_the_workspace(window: MainWindow, tool: Tool) -> None:
    session, workbench = window.workbench.session, window.workbench
    shell, view = workbench.shell, workbench.map
    shell.show_workspace(WorkspaceName.PLAN)
    session.set_tool(tool)
    hand = Hand(view)
    if tool is not Tool.EDIT:
        for corner in ((20.0, 20.0), (20.0, 30.0), (30.0, 30.0)):
            hand.click(corner)
        assert view.sketch.outline is not None and view.sketch.outline.text
    shell.show_panel("Regions")
    assert session.tool is tool and shell.centre.bar.note.text()
    shell.show_workspace(WorkspaceName.RUNS)
    assert session.tool is Tool.PAN and view.sketch.outline is None and shell.centre.bar.note.text() == ""


def test_the_place_under_the_mouse_goes_with_the_map(window: MainWindow) -> None:
    shell, status = window.workbench.shell, window.workbench.status
    Hand(window.workbench.map).move((20.0, 20.0))
    window.workbench.map.flush()
    assert status.place.text()
    shell.show_workspace(WorkspaceName.HAND_OVER)
    assert not window.workbench.map.isVisible() and status.place.text() == ""


def test_maps_side_by_side_show_the_same_part_again_after_they_were_lower(window: MainWindow) -> None:
    workbench = window.workbench
    show_plan(workbench.session)
    workbench.show_panel("Stress")
    workbench.shell.set_mode(CentreMode.MAP)
    workbench.session.set_side_by_side(True)
    settle()
    maps = workbench.maps.shown_maps
    assert len(maps) == 3
    maps[0].camera.zoom(2.5)
    settle()
    areas, size = [view.camera.area for view in maps], maps[0].size()
    workbench.shell.set_mode(CentreMode.BOTH)
    settle()
    assert maps[0].size() != size
    workbench.shell.set_mode(CentreMode.MAP)
    settle()
    for view, area in zip(maps, areas, strict=True):
        assert view.camera.area == pytest.approx(area, abs=0.5)


def test_a_measurement_leaves_the_status_bar_with_its_tool(window: MainWindow) -> None:
    session, hand = window.workbench.session, Hand(window.workbench.map)
    session.set_tool(Tool.MEASURE)
    for corner in ((20.0, 20.0), (20.0, 30.0)):
        hand.click(corner)
    QTest.keyClick(window.workbench.map.camera.widget, Qt.Key.Key_Return)
    assert window.workbench.status.message.text().startswith("Measured: ")
    session.set_tool(Tool.PAN)
    assert window.workbench.status.message.text() == ""


def test_a_run_that_was_copied_into_the_folder_is_listed_when_the_window_is_active_again(
    window: MainWindow, saved: Path
) -> None:
    queue, app = window.workbench.queue, QApplication.instance()
    assert isinstance(app, QApplication) and not queue.entries
    copied = stopped_run(saved, DropList())
    app.applicationStateChanged.emit(Qt.ApplicationState.ApplicationInactive)
    assert not queue.entries
    app.applicationStateChanged.emit(Qt.ApplicationState.ApplicationActive)
    assert [entry.folder for entry in queue.entries] == [copied]
