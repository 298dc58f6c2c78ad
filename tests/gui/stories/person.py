"""Simulated user of the workbench: panels, buttons and dialogs, all by mouse and keyboard."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QCheckBox,
    QDialog,
    QMenu,
    QRadioButton,
    QScrollArea,
    QTabWidget,
    QToolBar,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from firegui.gui.jobs.run_entry import RunEntry
from firegui.gui.planning.runs_panel import RunsPanel
from firegui.gui.widgets.settings_form import FoldedSection
from firegui.gui.widgets.split_panel import SplitPanel
from firegui.gui.window.main_window import MainWindow
from firegui.gui.window.shell import Rail
from firegui.gui.window.workspaces import PLACES, WorkspaceName
from tests.gui.hands import LEFT
from tests.gui.map_scene import NONE, Hand
from tests.gui.readouts import run_cells

LONG_MS = 120_000
_LOOK_MS = 20
Panel = TypeVar("Panel", bound=QWidget)
Dialog = TypeVar("Dialog", bound=QDialog)
CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


class Person:
    """Works at ``window``; :attr:`hand` is on its map."""

    def __init__(self, qtbot: QtBot, window: MainWindow) -> None:
        self.qtbot, self.window = qtbot, window
        self.session, self.queue = window.workbench.session, window.workbench.queue
        self.hand = Hand(window.workbench.map)

    # -- waiting -----------------------------------------------------------------------------------------------------
    def until(self, done: Callable[[], object]) -> None:
        """Wait until a condition is true."""
        self.qtbot.waitUntil(lambda: bool(done()), timeout=LONG_MS)

    def rests(self) -> None:
        """Wait until no computation runs."""
        self.until(lambda: not self.queue.is_busy and not self.queue.activity)

    # -- keys and buttons --------------------------------------------------------------------------------------------
    def key(self, key: Qt.Key, modifier: Qt.KeyboardModifier = NONE) -> None:
        """Press a key in the focused widget, like the window's own shortcuts."""
        if not self.window.isActiveWindow():
            # A window system does this once a menu or a dialog has closed.
            self.window.activateWindow()
            self.until(self.window.isActiveWindow)
        QTest.keyClick(self.window.focusWidget() or self.window, key, modifier)

    def undo(self, times: int = 1) -> None:
        """Press Ctrl+Z."""
        for _time in range(times):
            self.key(Qt.Key.Key_Z, CONTROL)

    def press(self, button: QAbstractButton) -> None:
        """Click a button that is visible and enabled; scroll to it first if needed."""
        self.see(button)
        assert button.isEnabled(), f"{button.text() or button.accessibleName()} cannot be used"
        QTest.mouseClick(button, LEFT, pos=_handle(button))

    def see(self, widget: QWidget) -> None:
        """Unfold what hides a widget, scroll to it, and check that it is on screen."""
        parent = widget.parentWidget()
        while parent is not None:
            if isinstance(parent, FoldedSection) and not widget.isVisibleTo(parent):
                title = next(each for each in parent.findChildren(QToolButton) if each.parentWidget() is parent)
                self.press(title)
            parent = parent.parentWidget()
        QApplication.processEvents()
        parent = widget.parentWidget()
        while parent is not None:
            if isinstance(parent, QScrollArea):
                parent.ensureWidgetVisible(widget)
            parent = parent.parentWidget()
        QApplication.processEvents()
        assert not widget.visibleRegion().isEmpty(), f"{widget.accessibleName() or widget.objectName()} is not seen"

    def tool(self, action: QAction) -> QAbstractButton:
        """Return the button of the tool bar for an action."""
        bar = self.window.findChild(QToolBar, "toolBar")
        assert isinstance(bar, QToolBar)
        button = bar.widgetForAction(action)
        assert isinstance(button, QAbstractButton)
        return button

    def front(self, title: str, kind: type[Panel]) -> Panel:
        """Go to a panel with clicks on the rail and its heading, or its key, and return it."""
        place, shell = PLACES[title], self.window.workbench.shell
        if place.workspace is None:
            self.window.workbench.actions[f"show_{title.lower()}"].trigger()
        else:
            if shell.workspace is not place.workspace or not shell.is_side_visible:
                rail = self.window.findChild(Rail)
                assert isinstance(rail, Rail)
                QTest.mouseClick(rail.buttons[list(WorkspaceName).index(place.workspace)], LEFT)
            section = shell.side.sections[title]
            if not section.is_open:
                self.press(section.heading)
        QApplication.processEvents()
        panel = self.window.workbench.panels[title]
        assert isinstance(panel, kind)
        shown = panel.settings if isinstance(panel, SplitPanel) else panel
        assert shown.isVisible(), f"{title} is not in front"
        return panel

    def page(self, pages: QTabWidget, title: str) -> None:
        """Show a page by a click on its tab."""
        bar = pages.tabBar()
        place = next(k for k in range(bar.count()) if bar.tabText(k) == title)
        QTest.mouseClick(bar, LEFT, pos=bar.tabRect(place).center())
        assert pages.currentIndex() == place

    def button(self, inside: QWidget, name: str) -> QAbstractButton:
        """Return a button of a button row, by the name of its icon."""
        found = inside.findChild(QAbstractButton, f"{name}Button")
        assert isinstance(found, QAbstractButton), name
        return found

    # -- menus and dialogs -------------------------------------------------------------------------------------------
    def choose_in(self, menu: QMenu | None, text: str) -> None:
        """Click an entry of an open menu."""
        assert menu is not None and menu.isVisible(), "no menu is open"
        entry = next((each for each in menu.actions() if each.text().startswith(text)), None)
        assert entry is not None, [each.text() for each in menu.actions()]
        QTest.mouseClick(menu, LEFT, pos=menu.actionGeometry(entry).center())

    def answering(self, kind: type[Dialog], answer: Callable[[Dialog], object]) -> None:
        """Call the function once a dialog of that kind is open. Must come before the action that opens it."""

        def look() -> None:
            front = QApplication.activeModalWidget()
            if isinstance(front, kind) and front.isVisible():
                answer(front)
            else:
                QTimer.singleShot(_LOOK_MS, self.window, look)

        QTimer.singleShot(_LOOK_MS, self.window, look)

    # -- runs --------------------------------------------------------------------------------------------------------
    @property
    def runs(self) -> RunsPanel:
        """The dock with the runs."""
        panel = self.window.workbench.panels["Runs"]
        assert isinstance(panel, RunsPanel)
        return panel

    def row(self, entry: RunEntry) -> dict[str, str]:
        """Return the texts of a run's row."""
        model = self.runs.model
        return run_cells(model, model.place_of(entry))

    def quick_plan(self) -> RunEntry:
        """Plan with the tactical heuristic by one click, and wait for the run."""
        self.press(self.tool(self.window.workbench.actions["quick"]))
        self.rests()
        return self.queue.entries[-1]

    def line_of(self, entry: RunEntry) -> QPoint:
        """Return the position of a run's row in the list."""
        table = self.runs.table
        index = self.runs.model.index(self.runs.model.place_of(entry), 0)
        table.scrollTo(index)
        return table.visualRect(index).center()

    def double_click(self, view: QAbstractItemView, place: QPoint) -> None:
        """Send both clicks of a double click."""
        QTest.mouseClick(view.viewport(), LEFT, pos=place)
        QTest.mouseDClick(view.viewport(), LEFT, pos=place)

    @property
    def said(self) -> str:
        """Return the latest message in the status bar."""
        return self.window.workbench.status.message.text()


def _handle(button: QAbstractButton) -> QPoint:
    # A check box is clicked at its box or text, not in the empty space behind them.
    middle = button.rect().center()
    return QPoint(8, middle.y()) if isinstance(button, (QCheckBox, QRadioButton)) else middle
