"""The keyboard's way through the window: Tab and Shift+Tab, F6 from pane to pane, keys of workspaces, Esc."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QCheckBox,
    QComboBox,
    QDialog,
    QLineEdit,
    QRadioButton,
    QTableView,
    QTabWidget,
    QWidget,
)
from pytestqt.qtbot import QtBot

from firegui.errors import InputError, Problem
from firegui.gui.base.controls import focus_first, is_tab_stop, tab_stops
from firegui.gui.base.dialogs import Dialog, confirm, show_problems
from firegui.gui.base.layouts import column, scroll_area, vertical
from firegui.gui.importing.landscape.wizard import LandscapeWizard
from firegui.gui.widgets.fields import commit_editing
from firegui.gui.widgets.settings_form import FoldedSection
from firegui.gui.window.action_registry import ACTIONS
from firegui.gui.window.main_window import MainWindow
from firegui.gui.window.shell import Rail
from firegui.gui.window.workspaces import PLACES, WorkspaceName
from tests.gui.all_dialogs import dialogs
from tests.gui.hands import LEFT
from tests.gui.shell_scene import settle, workbench
from tests.gui.tab_order import steps_back, stops_in, walk

FIELDS = (QAbstractSpinBox, QCheckBox, QComboBox, QLineEdit, QRadioButton, QTableView)
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


def test_every_dialog_opens_with_the_focus_on_its_first_field(window: MainWindow) -> None:
    for dialog in dialogs(window):
        dialog.show()
        dialog.activateWindow()
        settle()
        fields = [stop for stop in tab_stops(dialog) if isinstance(stop, FIELDS)]
        assert QApplication.focusWidget() is next(iter(fields), QApplication.focusWidget()), dialog
        if isinstance(dialog, LandscapeWizard):
            for page in dialog.pages[1:]:
                QTest.keyClick(dialog.next, Qt.Key.Key_Space)
                focus = QApplication.focusWidget()
                has_field = any(isinstance(stop, FIELDS) for stop in tab_stops(page))
                assert focus is not None and dialog.page is page
                assert page.isAncestorOf(focus) is has_field, page.title
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


def test_the_focus_of_a_panel_that_is_hidden_goes_to_the_map(window: MainWindow) -> None:
    rail = window.findChild(Rail)
    assert isinstance(rail, Rail)
    QTest.mouseClick(rail.buttons[0], LEFT)
    assert window.workbench.shell.is_side_visible
    QTest.mouseClick(rail.side_button, LEFT)
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


# -- fields of numbers and words ---------------------------------------------------------------------------------------
def open_all(window: MainWindow, panel: str) -> None:
    """Show a panel with all of its folded sections."""
    window.workbench.show_panel(panel)
    for section in window.workbench.panels[panel].findChildren(FoldedSection):
        section.set_open(True)
    settle()


@pytest.mark.parametrize("panel", ["Objective", "Constraints", "Stress", "Study", "Drops", "Log"])
def test_f1_in_a_field_opens_the_page_of_its_panel(window: MainWindow, panel: str) -> None:
    bench = window.workbench
    open_all(window, panel)
    fields = [each for each in window.findChildren(QWidget) if _is_field_of(window, each, panel)]
    assert fields
    for field in fields:
        field.setFocus()
        press(Qt.Key.Key_F1)
        assert bench.help.page == ACTIONS[f"show_{panel.lower()}"].topic, field
        bench.shell.close_help()
        assert QApplication.focusWidget() is field


def _is_field_of(window: MainWindow, widget: QWidget, panel: str) -> bool:
    if not isinstance(widget, QAbstractSpinBox | QLineEdit | QTableView | QComboBox) or not is_tab_stop(widget):
        return False
    widget.setFocus()
    return window.workbench.shell.panel_with_focus() == panel


def close_message(window: MainWindow, qtbot: QtBot) -> None:
    """Show a refusal as after an action, and close it."""
    commit_editing()

    def close() -> None:
        if isinstance(box := QApplication.activeModalWidget(), QDialog):
            timer.stop()
            QTest.keyClick(box, Qt.Key.Key_Escape)

    timer = QTimer()
    timer.timeout.connect(close)
    timer.start(10)
    show_problems(window, InputError([Problem("a.firegui", "it cannot be opened")]))
    qtbot.waitUntil(lambda: QApplication.focusWidget() is not None and not timer.isActive())


def test_after_a_message_the_focus_is_in_the_field_where_it_was(window: MainWindow, qtbot: QtBot) -> None:
    open_all(window, "Objective")
    field = window.workbench.panels["Objective"].findChild(QWidget, "optimizer_epochs")
    assert field is not None
    field.setFocus()
    close_message(window, qtbot)
    assert QApplication.focusWidget() is field


def test_after_a_message_a_window_without_a_focused_control_has_the_focus_on_the_map(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.workbench.shell.side.search.setFocus()
    window.workbench.shell.side.search.clearFocus()
    assert window.focusWidget() is None
    close_message(window, qtbot)
    assert QApplication.focusWidget() is window.workbench.map.camera.widget


def test_undo_in_the_empty_search_field_undoes_the_edit_of_the_project(window: MainWindow) -> None:
    bench = window.workbench
    before = bench.session.project
    bench.session.set_plan("days", replace(before.plan, days=before.plan.days - 1))
    search = bench.shell.side.search
    search.setFocus()
    QTest.keyClicks(search, "w")
    press(Qt.Key.Key_Z, CTRL)
    assert search.text() == "" and bench.session.project != before
    press(Qt.Key.Key_Z, CTRL)
    assert bench.session.project == before


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


@pytest.mark.parametrize("key", [Qt.Key.Key_Escape, Qt.Key.Key_F1])
@pytest.mark.parametrize("control", ["text", "search", "contents"])
def test_escape_and_f1_close_the_help_from_each_of_its_controls_and_the_region_stays_selected(
    window: MainWindow, key: Qt.Key, control: str
) -> None:
    bench = window.workbench
    before = window.focusWidget()
    bench.session.select_region("R1")
    press(Qt.Key.Key_F1)
    assert bench.help.isVisible() and bench.help.page == "map"
    getattr(bench.help, control).setFocus()
    assert press(key) is before
    assert not bench.help.isVisible() and bench.session.selected_region == "R1"


def test_f1_in_a_panel_closes_the_help_if_it_shows_the_page_of_the_panel(window: MainWindow) -> None:
    bench = window.workbench
    press(Qt.Key.Key_F1)
    bench.show_panel("Regions")
    there = window.focusWidget()
    press(Qt.Key.Key_F1)
    assert bench.help.isVisible() and bench.help.page == "regions" and there is not None
    there.setFocus()
    assert press(Qt.Key.Key_F1) is there
    assert not bench.help.isVisible()


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
        confirm(window, "Replace files", "Replace?", "Replace")
    qtbot.waitUntil(lambda: not timer.isActive() and QApplication.focusWidget() is before)
