"""Every control has a tooltip, a unit, an accessible name, and keyboard access."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QLabel,
    QLineEdit,
    QMenu,
    QSpinBox,
    QToolBar,
    QToolButton,
    QVBoxLayout,
)
from pytestqt.qtbot import QtBot

from firegui.gui.help.command_palette import Palette
from firegui.gui.help.tour import Tour
from firegui.gui.widgets.fields import WholeField
from firegui.gui.window.action_registry import ACTIONS, MENUS
from firegui.gui.window.main_window import MainWindow
from firegui.gui.window.shell import Rail
from firegui.gui.window.workspaces import WorkspaceName
from tests.gui.all_dialogs import dialogs
from tests.gui.controls import action_faults, controls_of, faults_of, report
from tests.gui.shell_scene import build_panels, workbench


@pytest.fixture(scope="module")
def shared(qapp: QApplication, tmp_path_factory: pytest.TempPathFactory) -> Iterator[MainWindow]:
    """Return one window for all of these tests; none of them changes it."""
    with workbench(tmp_path_factory.mktemp("controls")) as window:
        build_panels(window)
        yield window


def test_every_control_of_the_window_and_its_panels_has_tooltip_unit_name_and_a_way_by_keyboard(
    shared: MainWindow,
) -> None:
    # A hidden panel and the start page are created all the same.
    assert len(list(controls_of(shared))) > 250
    assert report(shared) == []


def test_every_command_has_a_picture_and_an_explanation(shared: MainWindow) -> None:
    entries = [action for menu in shared.menuBar().findChildren(QMenu) for action in menu.actions()]
    bar = shared.findChild(QToolBar)
    assert bar is not None
    commands = [action for action in (*shared.actions(), *entries, *bar.actions()) if is_command(action)]
    assert len(commands) > 60
    assert {action.text(): faults for action in commands if (faults := action_faults(action))} == {}


def is_command(action: QAction) -> bool:
    return not action.isSeparator() and bool(action.text()) and action.text() not in MENUS


def test_no_two_commands_share_a_key(shared: MainWindow) -> None:
    keys = [key.toString() for action in shared.actions() for key in action.shortcuts()]
    assert len(keys) >= sum(len(spec.keys) for spec in ACTIONS.values())
    assert sorted(key for key in set(keys) if keys.count(key) > 1) == []


def test_every_control_of_the_dialogs_has_them_too(shared: MainWindow) -> None:
    faults = []
    for dialog in dialogs(shared):
        assert any(True for _ in controls_of(dialog)), dialog
        faults += [f"{type(dialog).__name__}: {line}" for line in report(dialog)]
        dialog.deleteLater()
    assert faults == []


def test_enter_presses_the_focused_button_of_the_rail(shared: MainWindow) -> None:
    rail = shared.findChild(Rail)
    assert rail is not None
    for number, name in ((2, WorkspaceName.RUNS), (0, WorkspaceName.FIRE)):
        rail.buttons[number].setFocus(Qt.FocusReason.TabFocusReason)
        QTest.keyClick(rail.buttons[number], Qt.Key.Key_Return)
        assert shared.workbench.shell.workspace is name


def test_palette_and_tour_have_them_too(shared: MainWindow) -> None:
    palette, tour = (
        Palette(shared.workbench.guide.entries(), shared),
        Tour(shared, lambda _title: None, shared.workbench.shell.widget_of),
    )
    assert report(palette) == []
    assert report(tour) == []
    palette.deleteLater()
    tour.end()


# -- what would be found -----------------------------------------------------------------------------------------------
def test_a_bare_control_is_found(qtbot: QtBot) -> None:
    dialog = QDialog()
    qtbot.addWidget(dialog)
    column = QVBoxLayout(dialog)
    for widget in (QLineEdit(), QSpinBox(), QToolButton(), QLabel("no control")):
        column.addWidget(widget)
    dialog.findChild(QToolButton).setFocusPolicy(Qt.FocusPolicy.NoFocus)  # type: ignore[union-attr]
    faults = {type(widget).__name__: faults_of(widget) for widget in controls_of(dialog)}
    assert faults == {
        "QLineEdit": ["no accessible name", "no tooltip"],
        "QSpinBox": ["no accessible name", "no tooltip", "no unit", "changed by the wheel without the focus"],
        "QToolButton": ["no accessible name", "no tooltip", "no way by keyboard"],
    }


def test_a_dressed_control_is_not(qtbot: QtBot) -> None:
    box = WholeField(0, 9, suffix=" m")
    qtbot.addWidget(box)
    box.setToolTip("How high the drop is released")
    box.setAccessibleName("Height")
    assert faults_of(box) == []


def test_a_bare_command_is_found(qtbot: QtBot) -> None:
    assert action_faults(QAction("Do it")) == ["no icon", "no explanation"]
