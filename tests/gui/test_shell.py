"""Main window: first painting, workspaces and their layout, theme, and what closing leaves."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QByteArray, QEvent, QPoint, QRect, QSettings, QSize, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QLabel,
    QLineEdit,
    QMainWindow,
    QScrollArea,
    QToolBar,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from firegui.domain.drops import Drop, DropList
from firegui.domain.film import Film
from firegui.domain.fleet import Fleet
from firegui.gui.analyses.registry import ANALYSES
from firegui.gui.base.controls import FocusFrame, focus_first, tab_stops
from firegui.gui.base.layouts import vertical
from firegui.gui.base.preferences import Preferences
from firegui.gui.base.screen_geometry import default_size, is_small, visible_geometry
from firegui.gui.base.theme import Theme, apply_theme, current_theme, set_role
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.session.session import Session, ShownResult, Tool
from firegui.gui.widgets.split_panel import SplitPanel
from firegui.gui.window.action_registry import MENUS
from firegui.gui.window.centre import CentreMode, MapStage
from firegui.gui.window.main_window import MainWindow
from firegui.gui.window.shell import Rail
from firegui.gui.window.workspaces import PLACES, WorkspaceName, panels_of
from firegui.io.project.store import save_project
from tests.gui.fake_runs import frames
from tests.gui.hands import LEFT
from tests.gui.plan_editor_scene import show_plan
from tests.gui.shell_scene import ridge, settle

_NAMED = Qt.ToolButtonStyle.ToolButtonTextBesideIcon
REPOSITORY = Path(__file__).resolve().parents[2]

PAINT_AND_CLOSE = """
import json, sys, threading
from firegui.cli.main import main
from firegui.gui.window.action_registry import MENUS
from firegui.gui.window.centre import CentreMode
from firegui.gui.window.main_window import MainWindow
from firegui.gui.window.shell import Rail
from firegui.gui.window.workspaces import PLACES, WorkspaceName
from firegui.gui.widgets.split_panel import SplitPanel
LARGE = ("torch", "numba", "matplotlib", "rasterio", "pyproj", "shapely", "numpy", "firegui.gui.window.workbench")
make = MainWindow.__init__
def listen(window, *given, **named):
    make(window, *given, **named)
    window.first_painted.connect(lambda: print(json.dumps([name for name in LARGE if name in sys.modules])))
    getattr(window, WHEN).connect(window.close)
MainWindow.__init__ = listen
code = 0
try:
    main(sys.argv[1:], prog_name="firegui")
except SystemExit as error:
    code = error.code
print("THREADS", [thread.name for thread in threading.enumerate() if thread is not threading.main_thread()])
sys.exit(code)
"""


def start(home: Path, *words: str, close: str) -> subprocess.CompletedProcess[str]:
    """Start firegui with ``words`` in a process; it is closed at the signal ``close`` of its window."""
    places = {name: str(home) for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME")}
    environment = os.environ | places | {"PYTHONPATH": str(REPOSITORY), "QT_QPA_PLATFORM": "offscreen"}
    code = PAINT_AND_CLOSE.replace("WHEN", repr(close))
    command = [sys.executable, "-c", code, *words]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)


# -- start-up ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("close", ["first_painted", "ui_built"])
def test_the_window_is_painted_before_anything_large_is_loaded_and_can_be_shut_at_any_time(
    tmp_path: Path, close: str
) -> None:
    done = start(tmp_path, close=close)
    assert done.returncode == 0, done.stderr
    painted, threads = done.stdout.splitlines()
    assert json.loads(painted) == []
    assert threads == "THREADS []"
    assert "QThread" not in done.stderr and "Traceback" not in done.stderr


@pytest.mark.slow
def test_a_project_named_on_the_command_line_waits_for_the_first_paint_too(tmp_path: Path) -> None:
    save_project(ridge(), tmp_path / "ridge.firegui")
    done = start(tmp_path, "open", str(tmp_path / "ridge.firegui"), close="ui_built")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[0]) == []


def test_a_bare_window_is_built_step_by_step_and_keeps_choices_made_meanwhile(qtbot: QtBot) -> None:
    window = MainWindow()
    qtbot.addWidget(window)
    window.show()
    assert [action.text() for action in window.menuBar().actions()] == list(MENUS)
    assert not any(action.isEnabled() for action in window.menuBar().actions())
    done: list[str] = []
    window.when_ready(lambda: done.append("wish"))
    with qtbot.waitSignal(window.ui_built, timeout=60_000):
        window.build_ui_stepwise()
        window.build_ui_stepwise()
    qtbot.waitUntil(lambda: done == ["wish"])
    assert [action.text() for action in window.menuBar().actions()] == list(MENUS)
    assert set(window.workbench.panels) == set(PLACES)
    # The menu bar that it stands in was visible before it.
    bar = window.findChild(QToolBar, "toolBar")
    assert isinstance(bar, QToolBar) and bar.isVisible()
    window.stop_work()


def test_closing_a_window_that_is_being_built_ends_the_building(qtbot: QtBot) -> None:
    window = MainWindow()
    window.show()
    window.build_ui_stepwise()
    settle(3)
    assert window.close()
    with qtbot.assertNotEmitted(window.ui_built, wait=200):
        settle(20)
    window.deleteLater()


# -- layout ------------------------------------------------------------------------------------------------------------
def reopen(window: MainWindow, queue: RunQueue, store: QSettings, qtbot: QtBot) -> MainWindow:
    session = window.workbench.session
    session.undo_stack.setClean()
    window.close()
    store.sync()
    opened = MainWindow(session, queue, Preferences(QSettings(store.fileName(), QSettings.Format.IniFormat)))
    qtbot.addWidget(opened)
    opened.show()
    settle()
    return opened


def test_every_panel_has_a_place_and_an_action_that_shows_it(window: MainWindow) -> None:
    """The names are those of the docks of earlier versions: none of them was lost."""
    earlier = {
        "Scenario", "Layers", "Help", "Regions", "Fleet", "Calendar", "Objective", "Constraints", "Timeline",
        "Progress", "Runs", "Log", "Exercise", *(analysis.name for analysis in ANALYSES),
    }  # fmt: skip
    assert earlier <= set(PLACES) == set(window.workbench.panels)
    for name in sorted(PLACES):
        window.workbench.shell.reset()
        action = window.workbench.actions[f"show_{name.lower()}"]
        if action.isCheckable():
            action.setChecked(False)
            window.workbench.shell.stage.show_card(name, on=False)
        action.trigger()
        panel = window.workbench.panels[name]
        shown = panel.settings if isinstance(panel, SplitPanel) else panel
        assert shown.isVisible(), name


def test_the_rail_and_its_keys_show_a_workspace_and_only_its_foot_hides_the_panel(window: MainWindow) -> None:
    shell, rail = window.workbench.shell, window.findChild(Rail)
    assert isinstance(rail, Rail)
    for number, workspace in enumerate(WorkspaceName):
        QTest.keyClick(window, Qt.Key(Qt.Key.Key_1 + number), Qt.KeyboardModifier.ControlModifier)
        assert shell.workspace is workspace and shell.is_side_visible
        assert [button.isChecked() for button in rail.buttons].index(True) == number
        assert [name for name, section in shell.side.sections.items() if section.heading.isVisible()] == [
            name for name in shell.side.sections if PLACES[name].workspace is workspace
        ]
    QTest.mouseClick(rail.buttons[1], LEFT)
    assert shell.workspace is WorkspaceName.PLAN and shell.is_side_visible
    QTest.mouseClick(rail.buttons[1], LEFT)
    assert shell.workspace is WorkspaceName.PLAN and shell.is_side_visible, "a second click loses nothing"
    QTest.mouseClick(rail.side_button, LEFT)
    assert shell.workspace is WorkspaceName.PLAN and not shell.is_side_visible
    QTest.mouseClick(rail.buttons[1], LEFT)
    assert shell.workspace is WorkspaceName.PLAN and shell.is_side_visible
    for is_shown in (False, True):
        QTest.keyClick(window, Qt.Key.Key_Backslash, Qt.KeyboardModifier.ControlModifier)
        assert shell.is_side_visible is is_shown is window.workbench.actions["side_panel"].isChecked()
    for _press in range(2):
        QTest.keyClick(window, Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier)
        assert shell.workspace is WorkspaceName.PLAN and shell.is_side_visible
    QTest.mouseClick(rail.side_button, LEFT)
    QTest.keyClick(window, Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier)
    assert shell.is_side_visible, "a key shows what a click has hidden"
    QTest.keyClick(window, Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    assert shell.workspace is WorkspaceName.RUNS, "the list in which two runs are selected"


def test_a_window_that_becomes_wide_at_once_shows_the_whole_tool_bar(window: MainWindow) -> None:
    start = window.findChild(QToolButton, "startTool")
    assert isinstance(start, QToolButton)
    bar = start.parentWidget()
    assert isinstance(bar, QToolBar)
    tool, stop = (bar.widgetForAction(window.workbench.actions[name]) for name in ("tool:drop", "stop"))
    assert isinstance(tool, QToolButton) and isinstance(stop, QToolButton)
    seen = []
    for width in (900, 1700, *range(900, 1700, 50)):
        window.resize(width, 800)
        settle()
        assert start.isVisible() and bar.rect().contains(start.geometry())
        assert bar.width() >= bar.sizeHint().width()
        for button in (tool, stop):
            assert button.width() >= button.sizeHint().width() and button.toolTip()
        seen.append(tuple(button.toolButtonStyle() is _NAMED for button in (tool, stop)))
    neither, tools, both = (False, False), (True, False), (True, True)
    assert seen[:2] == [neither, both] and seen[2:] == sorted(seen[2:]), "names only come with more room"
    assert {neither, tools, both} == set(seen), "the tools of the map have theirs first"


def test_the_tool_bar_keeps_its_place_when_the_button_start_plan_changes(window: MainWindow) -> None:
    start = window.findChild(QToolButton, "startTool")
    assert isinstance(start, QToolButton)
    window.resize(1440, 900)
    settle()
    bar, action = window.workbench.actions.bar, window.workbench.actions["start"]
    before = bar.geometry(), start.geometry()
    for text in ("&Plan next", "&Start plan"):
        for role in ("", "primary"):
            action.setText(text)
            set_role(start, role)
            window.resize(1441, 900)
            window.resize(1440, 900)
            settle()
            assert (bar.geometry(), start.geometry()) == before, (text, role)


def test_the_drawer_is_closed_at_first_and_takes_half_of_the_height_at_most(window: MainWindow) -> None:
    shell = window.workbench.shell
    assert not shell.is_drawer_visible
    QTest.keyClick(window, Qt.Key.Key_F7)
    settle()
    assert shell.is_drawer_visible and not window.workbench.panels["Progress"].visibleRegion().isEmpty()
    shell._down.setSizes([1, 10_000])
    settle()
    assert shell.drawer.height() <= shell.height() // 2
    QTest.keyClick(window, Qt.Key.Key_F7)
    assert not shell.is_drawer_visible


def test_ctrl_f_goes_to_the_search_of_settings_and_in_the_help_to_that_of_the_help(window: MainWindow) -> None:
    shell = window.workbench.shell
    for hidden in (False, True):
        shell.set_side_visible(not hidden)
        shell.stage.maps.setFocus()
        QTest.keyClick(shell.stage.maps, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
        assert shell.side.search.isVisible() and shell.side.search.hasFocus()
    shell.show_panel("Help")
    settle()
    assert shell.help is not None
    focus = QApplication.focusWidget()
    assert focus is not None and shell.help.isAncestorOf(focus)
    QTest.keyClick(focus, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    focus = QApplication.focusWidget()
    assert focus is not None and shell.help.isAncestorOf(focus) and not shell.side.search.hasFocus()


def test_escape_closes_the_help_as_its_cross_says(window: MainWindow) -> None:
    shell = window.workbench.shell
    window.workbench.show_panel("Help")
    focus = QApplication.focusWidget()
    assert shell.help is not None and focus is not None and shell.help.isAncestorOf(focus)
    QTest.keyClick(focus, Qt.Key.Key_Escape)
    assert shell.help.isHidden()


@pytest.mark.parametrize("where", ["map", "timeline", "panel"])
def test_escape_closes_the_open_help_before_anything_else(window: MainWindow, session: Session, where: str) -> None:
    shell, editor = window.workbench.shell, session.plan_editor
    drops = DropList((Drop(10, 0, 20.0, 20.0, 0.0),))
    show_plan(session, drops)
    session.set_tool(Tool.DROP)
    editor.select(drops.drops[0])
    session.select_region("R1")
    window.workbench.show_panel("Help")
    focus = {
        "map": window.workbench.map.camera.widget,
        "timeline": window.workbench.timeline.track,
        "panel": shell.side.entry,
    }[where]
    focus.setFocus()
    QTest.keyClick(focus, Qt.Key.Key_Escape)
    assert not shell.is_help_visible and focus.hasFocus()
    assert session.selected_region == "R1" and editor.selected is not None and session.tool is Tool.DROP
    for _ in range(3):
        QTest.keyClick(window.workbench.map.camera.widget, Qt.Key.Key_Escape)
    assert session.selected_region == "" and editor.selected is None and session.tool is Tool.PAN


def test_escape_on_the_map_closes_help_and_explained_caution_one_after_the_other(window: MainWindow) -> None:
    view, shell = window.workbench.map, window.workbench.shell
    window.workbench.show_panel("Help")
    view.camera.widget.setFocus()
    view._escape.setEnabled(True)
    closed: list[bool] = []
    view.caution_card.closed.connect(partial(closed.append, True))
    view.caution_card.closed.connect(partial(view._escape.setEnabled, False))
    QTest.keyClick(view.camera.widget, Qt.Key.Key_Escape)
    assert len(closed) + (not shell.is_help_visible) == 1
    QTest.keyClick(view.camera.widget, Qt.Key.Key_Escape)
    assert closed == [True] and not shell.is_help_visible


def test_only_one_analysis_is_open_and_its_result_is_that_of_the_centre(window: MainWindow) -> None:
    shell = window.workbench.shell
    window.workbench.show_panel("Stress")
    window.workbench.show_panel("Margin")
    assert [name for name in panels_of(WorkspaceName.ANALYSE) if shell.side.sections[name].is_open] == ["Margin"]
    margin = window.workbench.panel("Margin", SplitPanel)
    assert window.workbench.map.isVisible() and not margin.result.isVisible()
    margin.result_requested.emit()
    assert window.workbench.map.isVisible() and margin.result.isVisible()
    window.workbench.show_panel("Fleet")
    assert window.workbench.map.isVisible() and not margin.result.isVisible()


@pytest.mark.parametrize(("width", "is_beside"), [(1280, False), (1440, False), (1920, False), (2560, True)])
def test_with_a_result_the_map_keeps_most_of_the_width_of_the_window(
    window: MainWindow, width: int, is_beside: bool
) -> None:
    shell = window.workbench.shell
    window.workbench.show_panel("Stress")
    window.workbench.panel("Stress", SplitPanel).result_requested.emit()
    window.resize(width, width * 9 // 16)
    settle()
    result, stage = shell.centre.result, shell.stage
    assert result.isVisible() and stage.width() >= 0.59 * width
    assert (result.x() > stage.x(), result.y() > stage.y()) == (is_beside, not is_beside)
    assert result.width() >= 600


def test_a_result_leaves_the_map_alone_where_a_person_chose_so(window: MainWindow) -> None:
    window.workbench.show_panel("Stress")
    window.workbench.shell.set_mode(CentreMode.MAP)
    window.workbench.panel("Stress", SplitPanel).result_requested.emit()
    assert window.workbench.shell.mode is CentreMode.MAP


def test_an_analysis_of_another_workspace_leaves_the_centre_alone(window: MainWindow) -> None:
    window.workbench.show_panel("Runs")
    window.workbench.panel("Stress", SplitPanel).result_requested.emit()
    assert window.workbench.shell.workspace is WorkspaceName.RUNS and window.workbench.map.isVisible()


def test_all_headings_of_the_plan_are_seen_without_scrolling_and_say_what_is_set(
    window: MainWindow, session: Session
) -> None:
    window.resize(1440, 900)
    rail = window.findChild(Rail)
    assert rail is not None
    QTest.mouseClick(rail.buttons[list(WorkspaceName).index(WorkspaceName.PLAN)], Qt.MouseButton.LeftButton)
    settle()
    column, sections = window.workbench.shell.side.columns[WorkspaceName.PLAN], window.workbench.shell.side.sections
    for name in panels_of(WorkspaceName.PLAN):
        assert not sections[name].heading.visibleRegion().isEmpty(), name
    assert column.verticalScrollBar().maximum() == 0
    fleet = sections["Fleet"]
    planned = session.project.planned_fleet
    text = f"{len(planned.types)} aircraft types, {planned.n_aircraft} aircraft"
    assert fleet.summary.isVisible() and fleet.summary.text() == fleet.heading.accessibleDescription() == text
    session.edit_planned_fleet("keep one type", Fleet(planned.types[:1]))
    assert fleet.summary.text().startswith("1 aircraft type, ")
    fleet.heading.setFocus()
    QTest.keyClick(fleet.heading, Qt.Key.Key_Space)
    assert not fleet.summary.isVisible() and window.workbench.panels["Fleet"].isVisible()


def test_an_analysis_says_which_question_it_answers(window: MainWindow) -> None:
    window.workbench.show_panel("Stress")
    side = window.workbench.shell.side
    for name in panels_of(WorkspaceName.ANALYSE):
        question = side.sections[name].summary
        assert question.text().endswith("?")
        assert question.isVisible(), name
    QTest.keyClicks(side.search, "goes wrong")
    assert [name for name, section in side.sections.items() if section.isVisible()] == ["Stress"]


def test_a_changed_layout_comes_back_as_it_was_and_reset_restores_the_first(
    qtbot: QtBot, window: MainWindow, queue: RunQueue, preferences_store: QSettings
) -> None:
    shell = window.workbench.shell
    window.workbench.show_panel("Stress")
    shell.set_mode(CentreMode.CHART)
    shell._set_side_width(400)
    shell.set_drawer_visible(True)
    shell.stage.show_card("Layers", on=True)
    shell.side.sections["Fleet"].set_open(True)
    QTest.keyClick(shell.stage.cards["Legend"].heading, Qt.Key.Key_Space)
    settle()
    kept = shell.state()
    shell.reset()
    shell.restore(kept)
    settle()
    assert shell.side.width() == 400, "in a window of the same size"
    second = reopen(window, queue, preferences_store, qtbot)
    again = second.workbench.shell
    assert (again.workspace, again.mode, again.is_side_visible) == (WorkspaceName.ANALYSE, CentreMode.CHART, True)
    assert again.is_drawer_visible
    assert not again.stage.cards["Layers"].isHidden() and again.side.sections["Fleet"].is_open
    assert again.stage.folded_cards == ["Legend"]
    assert second.workbench.panel("Stress", SplitPanel).result.isVisible()
    second.workbench.actions["reset_layout"].trigger()
    assert (again.workspace, again.mode, again.is_drawer_visible) == (WorkspaceName.FIRE, CentreMode.MAP, False)
    assert again.stage.cards["Layers"].isHidden() and not again.side.sections["Fleet"].is_open
    assert again.stage.folded_cards == []


def test_the_legend_has_one_width_whatever_it_shows_and_the_fitted_map_keeps_clear_of_it(window: MainWindow) -> None:
    bench = window.workbench
    stage, camera, layers = bench.shell.stage, bench.map.camera, bench.map.layers
    legend = stage.cards["Legend"]
    bench.shell.set_side_visible(False)
    settle()

    def grid() -> QRect:
        rows, columns = bench.session.project.scenario.grid.shape
        return QRect(camera.to_point(0, 0), camera.to_point(rows, columns))

    stage.show_card("Legend", on=False)
    alone = grid()
    stage.show_card("Legend", on=True)
    assert alone.intersects(legend.geometry()), "the test needs a map that the legend would cover"
    width = legend.width()
    shown = grid()

    def hidden_share() -> float:
        part, whole = grid() & legend.geometry(), grid()
        return part.width() * part.height() / (whole.width() * whole.height()) if part.isValid() else 0.0

    assert hidden_share() < 0.045 and shown.width() > 0.6 * alone.width()
    for layer in layers:
        layers.set_visible(layer.key, not layer.visible)
    settle()
    stage.place_cards()
    assert legend.width() == width and grid() == shown
    bench.session.select_region(bench.session.project.regions[0].name)
    bench.map.zoom_to_selection()
    region = bench.session.project.regions[0].bounds
    box = QRect(camera.to_point(region[0], region[1]), camera.to_point(region[2], region[3]))
    assert bench.map.rect().contains(box) and not box.intersects(legend.geometry())
    legend.heading.setFocus()
    QTest.keyClick(legend.heading, Qt.Key.Key_Space)
    bench.map.fit()
    assert legend.is_folded and legend.content.isHidden() and legend.height() < 60
    assert hidden_share() < 0.045


def test_a_small_map_folds_the_legend_and_the_choice_of_the_user_wins(qtbot: QtBot) -> None:
    stage = MapStage(QWidget())
    content = QScrollArea()
    content.setWidget(QWidget())
    stage.add_card("Legend", content)
    qtbot.addWidget(stage)
    legend = stage.cards["Legend"]
    stage.resize(900, 600)
    stage.show()
    stage.show_card("Legend", on=True)
    for small in (QSize(500, 600), QSize(900, 300)):
        assert not legend.is_folded
        stage.resize(small)
        assert legend.is_folded and legend.heading.isVisible() and stage.folded_cards == []
        legend.heading.click()
        stage.resize(small - QSize(10, 10))
        assert not legend.is_folded, "the user's choice"
        stage.resize(900, 600)
    legend.heading.click()
    stage.resize(500, 300)
    legend.heading.click()
    stage.resize(900, 600)
    assert legend.is_folded, "as it was on a map of this size"
    assert stage.folded_cards == ["Legend"]


class _Legends(QWidget):
    """Legends of a height, in columns."""

    high, columns = 100, 1

    def set_columns(self, count: int) -> None:
        self.columns = count

    def height_in(self, count: int) -> int:
        return self.high // count

    def sizeHint(self) -> QSize:
        return QSize(200, self.height_in(self.columns))

    def grow(self, high: int) -> None:
        self.high = high
        QApplication.sendEvent(self, QEvent(QEvent.Type.LayoutRequest))


@pytest.fixture
def legends(qtbot: QtBot) -> tuple[MapStage, _Legends]:
    stage, content, legends = MapStage(QWidget()), QScrollArea(), _Legends()
    content.setWidget(legends)
    stage.add_card("Legend", content)
    qtbot.addWidget(stage)
    stage.resize(1200, 700)
    stage.show()
    stage.show_card("Legend", on=True)
    return stage, legends


def test_a_legend_that_needs_two_columns_is_folded_on_a_low_map(legends: tuple[MapStage, _Legends]) -> None:
    (stage, view), legend = legends, legends[0].cards["Legend"]
    view.grow(340)
    assert not legend.is_folded and view.columns == 1
    stage.resize(1200, 500)
    assert legend.is_folded and stage.folded_cards == []
    legend.heading.click()
    view.grow(200)
    view.grow(360)
    assert not legend.is_folded and view.columns == 2, "the user's choice"
    stage.resize(1200, 700)
    view.grow(100)
    stage.resize(1200, 500)
    assert not legend.is_folded, "one column is enough"
    # A run that begins explains more: it does not cover the map that is watched.
    view.grow(340)
    assert legend.is_folded
    view.grow(100)
    view.grow(340)
    assert legend.is_folded


def test_a_click_closes_the_legend_that_is_filled_anew_under_the_mouse(legends: tuple[MapStage, _Legends]) -> None:
    (stage, view), legend = legends, legends[0].cards["Legend"]
    cross = legend.close_button
    at = cross.mapToGlobal(cross.rect().center())
    QTest.mousePress(cross, Qt.MouseButton.LeftButton, pos=cross.mapFromGlobal(at))
    before = legend.geometry()
    view.grow(300)
    settle()
    assert legend.geometry() == before
    QTest.mouseRelease(cross, Qt.MouseButton.LeftButton, pos=cross.mapFromGlobal(at))
    assert legend.isHidden()
    stage.show_card("Legend", on=True)
    QTest.mousePress(cross, Qt.MouseButton.LeftButton)
    view.grow(200)
    QTest.mouseMove(cross, QPoint(-50, 50))
    QTest.mouseRelease(cross, Qt.MouseButton.LeftButton, pos=QPoint(-50, 50))
    assert legend.isVisible() and legend.height() > 200, "placed once the mouse is let go"


def test_an_unfolded_legend_on_a_small_map_keeps_clear_of_the_fire(qtbot: QtBot) -> None:
    stage, content = MapStage(QWidget()), QScrollArea()
    body = QWidget()
    body.setMinimumSize(200, 200)
    content.setWidget(body)
    stage.add_card("Legend", content)
    qtbot.addWidget(stage)
    legend, covered = stage.cards["Legend"], list[QRect]()
    stage.covered_changed.connect(covered.append)
    stage.resize(640, 720)
    stage.show()
    stage.show_card("Legend", on=True)
    assert legend.is_folded
    for fire in (QRect(50, 420, 200, 200), QRect(400, 420, 200, 200), QRect(0, 400, 640, 320)):
        stage.fire_box = partial(QRect, fire)
        legend.set_folded(False)
        assert not legend.geometry().intersects(fire) and stage.rect().contains(legend.geometry())
        assert covered[-1].isEmpty(), "the map does not move for it"
        legend.set_folded(True)
    stage.resize(1000, 720)
    assert not legend.is_folded and legend.x() < 20 and covered[-1].contains(legend.geometry())


@pytest.mark.parametrize("size", [(1280, 720), (1440, 900)])
def test_the_legend_explains_drops_to_come_once_they_are_edited_and_fits(
    window: MainWindow, size: tuple[int, int]
) -> None:
    bench = window.workbench
    window.resize(*size)
    show_plan(bench.session)
    bench.session.set_tool(Tool.PAN)
    settle()
    legend = bench.shell.stage.cards["Legend"]

    def texts() -> str:
        return " ".join(label.text() for label in legend.content.findChildren(QLabel) if label.isVisible())

    assert "still to come" not in texts()
    bench.session.set_tool(Tool.DROP)
    settle()
    assert "dotted: still to come" in texts()
    assert not legend.content.verticalScrollBar().isVisible()
    bench.session.set_tool(Tool.PAN)
    settle()
    assert "still to come" not in texts()


@pytest.mark.parametrize("size", [(1280, 720), (1440, 900)])
def test_the_legend_of_maps_side_by_side_covers_none_of_them_and_is_folded_without_room(
    window: MainWindow, size: tuple[int, int]
) -> None:
    bench = window.workbench
    window.resize(*size)
    show_plan(bench.session)
    bench.session.set_side_by_side(True)
    settle()
    stage, legend = bench.shell.stage, bench.shell.stage.cards["Legend"]

    def is_apart() -> bool:
        panes = [QRect(pane.mapTo(stage, QPoint()), pane.size()) for pane in bench.maps.shown_maps]
        return stage.rect().contains(legend.geometry()) and not any(
            legend.geometry().intersects(each) for each in panes
        )

    assert legend.isVisible() and not legend.is_folded and is_apart()
    assert not legend.content.verticalScrollBar().isVisible()
    assert legend.height() < 0.4 * stage.height(), "the legends stand beside each other"
    bench.shell.set_drawer_visible(True)
    window.resize(size[0], 660)
    settle()
    assert legend.is_folded and legend.heading.isVisible() and is_apart()
    bench.shell.set_drawer_visible(False)
    window.resize(*size)
    settle()
    assert not legend.is_folded and is_apart()
    QTest.mouseClick(legend.close_button, Qt.MouseButton.LeftButton)
    settle()
    assert stage.maps.height() == stage.height(), "without a legend the maps have all the room"
    bench.session.set_side_by_side(False)
    stage.show_card("Legend", on=True)
    settle()
    assert stage.maps.height() == stage.height() and legend.x() < 20 and legend.width() < stage.width() / 2


@pytest.mark.parametrize("size", [(1280, 720), (1440, 900)])
@pytest.mark.parametrize("has_help", [False, True])
def test_the_legend_needs_no_scroll_bar_and_leaves_the_fire_in_view(
    window: MainWindow, session: Session, size: tuple[int, int], *, has_help: bool
) -> None:
    burned = np.zeros((2, *session.project.scenario.grid.shape), np.uint8)
    burned[1, 20:28, 8:16] = 255
    fire_low_at_the_left = replace(frames(session.project), fire=Film.of(burned))
    session.show_result(ShownResult("A", plan=fire_low_at_the_left, project=session.project))
    shell = window.workbench.shell
    window.resize(*size)
    shell.set_side_visible(True)
    if has_help:
        window.workbench.show_panel("Help")
    settle()
    legend, fire = shell.stage.cards["Legend"], window.workbench.map.fire_box
    assert legend.isVisible() and not fire.isEmpty()
    for _ in range(2):
        assert not legend.geometry().intersects(window.workbench.map.fire_box)
        assert not legend.content.verticalScrollBar().isVisible()
        legend.heading.click()
        settle()


@pytest.mark.parametrize("state", ["", "nonsense", "[]", '{"workspace": 3, "modes": 7, "side_width": "wide"}'])
def test_a_layout_that_cannot_be_read_does_no_harm(
    qtbot: QtBot, session: Session, queue: RunQueue, preferences_store: QSettings, state: str
) -> None:
    kept = Preferences(preferences_store)
    kept.save_layout(QByteArray(b"nonsense"), state)
    opened = MainWindow(session, queue, kept)
    qtbot.addWidget(opened)
    opened.show()
    assert opened.workbench.shell.workspace is WorkspaceName.FIRE and opened.workbench.map.isVisible()


SCREENS = [QRect(0, 0, 1280, 800), QRect(1280, 0, 1920, 1080)]


@pytest.mark.parametrize(
    ("frame", "place"),
    [
        (QRect(100, 50, 900, 600), QRect(100, 50, 900, 600)),
        (QRect(2000, 100, 900, 600), QRect(2000, 100, 900, 600)),
        (QRect(4000, 100, 900, 600), QRect(380, 100, 900, 600)),
        (QRect(100, -700, 900, 600), QRect(100, 0, 900, 600)),
        (QRect(1300, 2000, 3000, 2000), QRect(0, 0, 1280, 800)),
    ],
    ids=["seen", "on the second screen", "its screen is gone", "above the screen", "too large"],
)
def test_a_window_that_could_not_be_taken_hold_of_comes_back_to_a_screen(frame: QRect, place: QRect) -> None:
    assert visible_geometry(frame, SCREENS) == place


def test_the_first_window_fits_the_screen_with_its_frame() -> None:
    assert default_size(QSize(1440, 900)) == QSize(1436, 858)
    assert default_size(QSize(2560, 1440)) == QSize(2048, 1152)
    assert is_small(QSize(1280, 720)) and is_small(QSize(1440, 900)) and not is_small(QSize(1920, 1040))


def test_on_a_small_screen_the_first_window_is_maximised_and_a_later_one_as_it_was_left(
    qtbot: QtBot, preferences_store: QSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    for small in (True, False):
        monkeypatch.setattr("firegui.gui.window.main_window.is_small", lambda _size, small=small: small)
        first = MainWindow(preferences=Preferences(preferences_store))
        qtbot.addWidget(first)
        first.show_on_screen()
        assert first.isMaximized() is small
        first.hide()
    Preferences(preferences_store).save_layout(first.saveGeometry(), "{}")
    monkeypatch.setattr("firegui.gui.window.main_window.is_small", lambda _size: True)
    later = MainWindow(preferences=Preferences(preferences_store))
    qtbot.addWidget(later)
    later.show_on_screen()
    assert not later.isMaximized()


def test_the_window_can_be_as_small_as_a_screen_at_200_percent_leaves_room_for(window: MainWindow) -> None:
    window.workbench.shell.set_side_visible(True)
    window.workbench.shell.set_drawer_visible(True)
    window.resize(960, 480)
    settle()
    assert (window.width(), window.height()) == (960, 480)
    assert window.rect().contains(window.statusBar().geometry())
    assert window.workbench.map.width() >= 240


# -- theme -------------------------------------------------------------------------------------------------------------
@pytest.fixture
def theme_restored(qapp: QApplication) -> Iterator[None]:
    """Restore the dark theme for other tests, whatever the system has."""
    yield
    qapp.styleHints().unsetColorScheme()
    apply_theme(qapp, Theme.DARK)


@pytest.mark.slow
def test_without_a_choice_the_theme_follows_the_system(
    qapp: QApplication,
    window: MainWindow,
    preferences_store: QSettings,
    theme_restored: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    window.workbench.actions["theme:light"].trigger()
    window.workbench.actions["theme:system"].trigger()
    assert Preferences(preferences_store).theme is None
    assert current_theme(qapp) is Theme.DARK, "where the system says nothing"
    for scheme, theme in ((Qt.ColorScheme.Light, Theme.LIGHT), (Qt.ColorScheme.Dark, Theme.DARK)):
        monkeypatch.setattr("firegui.gui.base.theme.system_theme", lambda _app, theme=theme: theme)
        qapp.styleHints().colorSchemeChanged.emit(scheme)
        assert current_theme(qapp) is theme


@pytest.mark.slow
def test_a_chosen_theme_stays_when_the_system_changes(
    qapp: QApplication, window: MainWindow, theme_restored: None
) -> None:
    window.workbench.actions["theme:light"].trigger()
    qapp.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Dark)
    assert current_theme(qapp) is Theme.LIGHT


def test_the_first_field_of_a_panel_takes_the_focus_and_its_end_leaves_the_menus_usable(qtbot: QtBot) -> None:
    window, panel, label, first = QMainWindow(), QWidget(), QLabel("Legend"), QLineEdit()
    empty, below = QWidget(), QWidget()
    vertical(panel, label, first, QLineEdit())
    vertical(below, panel, empty)
    window.setCentralWidget(below)
    action = window.menuBar().addAction("Save")
    window.show()
    qtbot.addWidget(window)
    focus_first(empty)
    assert window.focusWidget() is empty
    focus_first(panel)
    assert window.focusWidget() is first
    for gone in (empty, label, panel):
        gone.deleteLater()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        assert isValid(action) and action.text() == "Save"


@pytest.mark.parametrize("by_mouse", [False, True])
def test_from_workspace_to_workspace_the_focus_is_where_space_plays(window: MainWindow, by_mouse: bool) -> None:
    bench, rail = window.workbench, window.findChild(Rail)
    assert rail is not None
    bench.maps.setFocus()
    for workspace in (*reversed(WorkspaceName), *WorkspaceName):
        column, number = bench.shell.side.columns[workspace], list(WorkspaceName).index(workspace)
        focus = QApplication.focusWidget()
        assert focus is not None
        if by_mouse:
            QTest.mouseClick(rail.buttons[number], LEFT)
        else:
            QTest.keyClick(focus, Qt.Key(Qt.Key.Key_1 + number), Qt.KeyboardModifier.ControlModifier)
        settle()
        focus = QApplication.focusWidget()
        assert focus is (bench.runs.table if workspace is WorkspaceName.RUNS else column)
        assert focus is not column or any(frame.isVisible() for frame in column.findChildren(FocusFrame))
        for is_playing in (True, False):
            QTest.keyClick(focus, Qt.Key.Key_Space)
            assert bench.timeline.is_playing is is_playing
        # The next change of workspace starts at a control that Space would use.
        stop = tab_stops(column)[-1]
        stop.setFocus()


def test_tab_goes_from_the_panel_of_a_workspace_to_its_first_control_and_back(window: MainWindow) -> None:
    shell = window.workbench.shell
    shell.go_to_workspace(WorkspaceName.PLAN)
    settle()
    column = shell.side.columns[WorkspaceName.PLAN]
    QTest.keyClick(column, Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is tab_stops(column)[0]
    shell.go_to_workspace(WorkspaceName.PLAN)
    QTest.keyClick(column, Qt.Key.Key_Backtab, Qt.KeyboardModifier.ShiftModifier)
    assert QApplication.focusWidget() is shell.side.search
