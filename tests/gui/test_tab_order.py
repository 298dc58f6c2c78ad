"""The keyboard's way through the window: Tab and Shift+Tab, F6 from pane to pane, keys of workspaces, Esc."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QLineEdit, QTableView, QTabWidget, QWidget
from pytestqt.qtbot import QtBot

from firegui.errors import InputError, Problem
from firegui.gui.base.controls import focus_first
from firegui.gui.base.dialogs import Dialog, confirm
from firegui.gui.base.layouts import column, scroll_area, vertical
from firegui.gui.window.main_window import MainWindow
from firegui.gui.window.shell import Rail
from firegui.gui.window.workspaces import PLACES, WorkspaceName
from tests.gui.all_dialogs import dialogs
from tests.gui.hands import LEFT
from tests.gui.shell_scene import settle, workbench
from tests.gui.tab_order import steps_back, stops_in, walk

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture(scope="module")
def shared(qapp: QApplication, tmp_path_factory: pytest.TempPathFactory) -> Iterator[MainWindow]:
    """Return one window for all of these tests, in which everything stands at its first place before each."""
    with workbench(tmp_path_factory.mktemp("tab"), size=(1440, 900)) as window:
        yield window


@pytest.fixture
def window(shared: MainWindow) -> MainWindow:
    """Return the shared window with its first layout and the focus on the map."""
    shared.reset_layout()
    shared.activateWindow()
    shared.workbench.maps.setFocus()
    settle()
    return shared


def press(key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> QWidget:
    """Press a key where the focus is; return what has the focus then."""
    focus = QApplication.focusWidget()
    assert focus is not None
    QTest.keyClick(focus, key, modifier)
    settle()
    after = QApplication.focusWidget()
    assert after is not None, "the focus is lost"
    return after


def check_walk(top: QWidget, start: QWidget) -> None:
    """Check that Tab and Shift+Tab go through every control of ``top`` once, as it is read."""
    passed, back = walk(start), walk(start, back=True)
    assert set(passed) == stops_in(top)
    assert steps_back(passed, top) == []
    assert back == [passed[0], *reversed(passed[1:])]


# -- Tab ---------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", list(PLACES))
def test_tab_goes_through_the_window_as_it_is_read_with_each_panel_open(window: MainWindow, name: str) -> None:
    window.workbench.show_panel(name)
    settle()
    focus = QApplication.focusWidget()
    # A panel without anything to enter has the focus itself.
    check_walk(window, focus if focus in stops_in(window) else window.workbench.shell.side.search)


def test_tab_goes_through_all_sections_of_a_workspace_and_what_is_shown_around_it(window: MainWindow) -> None:
    shell = window.workbench.shell
    shell.show_workspace(WorkspaceName.PLAN)
    for section in shell.side.columns[WorkspaceName.PLAN].sections.values():
        section.set_open(True)
    for card in ("Layers", "Legend"):
        shell.stage.show_card(card, on=True)
    window.workbench.show_panel("Help")
    shell.set_drawer_visible(True)
    settle()
    check_walk(window, shell.side.search)


def test_tab_goes_through_every_dialog_as_it_is_read(window: MainWindow) -> None:
    for dialog in dialogs(window):
        dialog.show()
        dialog.activateWindow()
        settle()
        tabs: list[QTabWidget | None] = [*dialog.findChildren(QTabWidget)]
        for pages in tabs or [None]:
            for page in range(pages.count() if pages is not None else 1):
                if pages is not None:
                    pages.setCurrentIndex(page)
                    settle()
                focus_first(dialog)
                focus = QApplication.focusWidget()
                assert focus is not None, dialog
                check_walk(dialog, focus)
        dialog.close()
        dialog.deleteLater()
        settle()


def test_no_table_keeps_the_tab_key(window: MainWindow) -> None:
    tables = window.findChildren(QTableView)
    assert len(tables) > 15
    assert [table.accessibleName() for table in tables if table.tabKeyNavigation()] == []


# -- panes -------------------------------------------------------------------------------------------------------------
def test_f6_goes_from_pane_to_pane_and_back_to_what_had_the_focus_there(window: MainWindow) -> None:
    bench, shell = window.workbench, window.workbench.shell
    shell.show_workspace(WorkspaceName.PLAN)
    shell.set_drawer_visible(True)
    bench.show_panel("Fleet")
    in_side = QApplication.focusWidget()
    panes = (shell.stage, shell.drawer, bench.timeline, bench.actions.bar, window.findChild(Rail), shell.side)
    for pane in panes:
        focus = press(Qt.Key.Key_F6)
        assert pane is not None and pane.isAncestorOf(focus)
    assert QApplication.focusWidget() is in_side
    for pane in reversed(panes[:-1]):
        focus = press(Qt.Key.Key_F6, SHIFT)
        assert pane is not None and pane.isAncestorOf(focus)
    assert bench.map.isAncestorOf(press(Qt.Key.Key_F6)) is False
    assert press(Qt.Key.Key_F6, SHIFT) is bench.map.camera.widget


def test_f6_stays_on_the_map_while_nothing_else_is_shown(window: MainWindow) -> None:
    press(Qt.Key.Key_F11)
    assert press(Qt.Key.Key_F6) is window.workbench.map.camera.widget
    press(Qt.Key.Key_Escape)
    assert not window.workbench.shell.is_full_map


@pytest.mark.parametrize(("number", "workspace"), list(enumerate(WorkspaceName, 1)))
def test_the_key_of_a_workspace_puts_the_focus_into_its_panel(
    window: MainWindow, number: int, workspace: WorkspaceName
) -> None:
    shell = window.workbench.shell
    column = shell.side.columns[workspace]
    shell.set_side_visible(False)
    focus = press(Qt.Key(Qt.Key.Key_0 + number), CTRL)
    assert shell.workspace is workspace and shell.is_side_visible and column.isAncestorOf(focus)
    assert press(Qt.Key(Qt.Key.Key_0 + number), CTRL) is focus, "a second time it stays"
    assert not shell.side.isAncestorOf(press(Qt.Key.Key_F6))
    assert press(Qt.Key(Qt.Key.Key_0 + number), CTRL) is focus, "it returns to what had the focus there"


def test_a_click_on_the_rail_hides_the_panel_of_the_shown_workspace(window: MainWindow) -> None:
    rail = window.findChild(Rail)
    assert isinstance(rail, Rail)
    QTest.mouseClick(rail.buttons[0], LEFT)
    assert not window.workbench.shell.is_side_visible
    assert QApplication.focusWidget() is window.workbench.map.camera.widget


def test_tab_in_a_dialog_scrolls_to_the_control(qtbot: QtBot) -> None:
    dialog, above, fields = Dialog(), QLineEdit(), [QLineEdit() for _ in range(40)]
    qtbot.addWidget(dialog)
    area = scroll_area(column(*fields))
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    vertical(dialog, above, area)
    dialog.resize(300, 200)
    with qtbot.waitActive(dialog):
        dialog.show()
        dialog.activateWindow()
    above.setFocus()
    QTest.keyClick(above, Qt.Key.Key_Backtab, SHIFT)
    assert QApplication.focusWidget() is fields[-1]
    place = fields[-1].geometry().translated(0, -area.verticalScrollBar().value())
    assert area.viewport().rect().contains(place)


# -- Esc ---------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["Progress", "Drops", "Log", "Layers", "Legend", "Help"])
def test_escape_closes_what_is_open_beside_the_map_and_the_focus_returns(window: MainWindow, name: str) -> None:
    bench = window.workbench
    before = press(Qt.Key.Key_2, CTRL)
    bench.show_panel(name)
    settle()
    part = bench.panels[name]
    assert part.isVisible() and QApplication.focusWidget() is not before
    assert press(Qt.Key.Key_Escape) is before
    assert not part.isVisible()


@pytest.mark.parametrize("kind", ["problems", "question"])
def test_the_focus_returns_when_a_message_is_closed(window: MainWindow, qtbot: QtBot, kind: str) -> None:
    window.workbench.show_panel("Regions")
    before = QApplication.focusWidget()
    assert isinstance(before, QWidget) and before is not window.workbench.map.camera.widget

    def close() -> None:
        box = QApplication.activeModalWidget()
        if isinstance(box, QDialog):
            timer.stop()
            box.accept()

    timer = QTimer()
    timer.timeout.connect(close)
    timer.start(10)
    if kind == "problems":
        window.workbench.session.refuse(InputError([Problem("region R1", "it covers no cell", "make it larger")]))
    else:
        confirm(window, "Replace files", "Replace?")
    qtbot.waitUntil(lambda: not timer.isActive() and QApplication.focusWidget() is before)
