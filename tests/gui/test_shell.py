"""Main window: first painting, arrangement of docks, theme, and what closing leaves."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray, QRect, QSettings, QSize, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QDockWidget, QTabBar
from pytestqt.qtbot import QtBot

from firegui.gui.analyses.registry import ANALYSES
from firegui.gui.base.preferences import Preferences
from firegui.gui.base.theme import Theme, apply_theme, current_theme
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.session.session import Session
from firegui.gui.window.action_registry import MENUS
from firegui.gui.window.docks import HIDDEN_AT_FIRST, RIGHT, default_size, default_sizes, visible_geometry
from firegui.gui.window.main_window import MainWindow
from firegui.io.project.store import save_project
from tests.gui.hands import LEFT
from tests.gui.shell_scene import ridge, settle, workbench

REPOSITORY = Path(__file__).resolve().parents[2]

PAINT_AND_CLOSE = """
import json, sys, threading
from firegui.cli.main import main
from firegui.gui.window.action_registry import MENUS
from firegui.gui.window.main_window import MainWindow
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


def test_a_project_named_on_the_command_line_waits_for_the_first_paint_too(tmp_path: Path) -> None:
    save_project(ridge(), tmp_path / "ridge.firegui")
    done = start(tmp_path, "open", str(tmp_path / "ridge.firegui"), close="ui_built")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[0]) == []


def test_a_bare_window_is_built_step_by_step_and_keeps_choices_made_meanwhile(qtbot: QtBot) -> None:
    window = MainWindow()
    qtbot.addWidget(window)
    assert [action.text() for action in window.menuBar().actions()] == list(MENUS)
    assert not any(action.isEnabled() for action in window.menuBar().actions())
    done: list[str] = []
    window.when_ready(lambda: done.append("wish"))
    with qtbot.waitSignal(window.ui_built, timeout=60_000):
        window.build_ui_stepwise()
        window.build_ui_stepwise()
    qtbot.waitUntil(lambda: done == ["wish"])
    assert [action.text() for action in window.menuBar().actions()] == list(MENUS)
    assert set(RIGHT) <= set(window.workbench.docks)
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


def tab_bars(window: MainWindow) -> list[QTabBar]:
    """Return the visible tab bars of docks."""
    bars = (bar for bar in window.findChildren(QTabBar) if bar.parentWidget() is window and bar.isVisible())
    return [bar for bar in bars if bar.geometry().intersects(window.rect())]


def tab_titles(bar: QTabBar) -> list[str]:
    return [bar.tabText(index) for index in range(bar.count())]


def tabs_with(window: MainWindow, title: str) -> QTabBar:
    return next(bar for bar in tab_bars(window) if title in tab_titles(bar))


def test_every_dock_has_one_tab_at_most_and_one_of_each_stack_is_in_front_after_start_and_reset(
    window: MainWindow,
) -> None:
    for _ in range(2):
        settle()
        titles = [title for bar in tab_bars(window) for title in tab_titles(bar)]
        assert {*RIGHT, "Progress", "Runs", "Log"} <= set(titles)
        assert len(titles) == len(set(titles))
        assert {bar.tabText(bar.currentIndex()) for bar in tab_bars(window)} == {"Fleet", "Progress", "Runs"}
        window.workbench.actions["reset_layout"].trigger()


def test_moved_hidden_floating_and_tabbed_docks_come_back_as_they_were(
    qtbot: QtBot, window: MainWindow, queue: RunQueue, preferences_store: QSettings
) -> None:
    docks = window.workbench.docks
    window.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, docks["Fleet"])
    window.tabifyDockWidget(docks["Layers"], docks["Fleet"])
    docks["Fleet"].raise_()
    docks["Runs"].hide()
    docks["Skill"].setFloating(True)
    settle()
    docks["Objective"].raise_()
    docks["Fleet"].raise_()
    settle()
    for title in ("Fleet", "Objective"):
        assert not docks[title].visibleRegion().isEmpty()
    second = reopen(window, queue, preferences_store, qtbot)
    assert second.dockWidgetArea(second.workbench.docks["Fleet"]) is Qt.DockWidgetArea.LeftDockWidgetArea
    assert second.workbench.docks["Layers"] in second.tabifiedDockWidgets(second.workbench.docks["Fleet"])
    assert second.workbench.docks["Runs"].isHidden() and second.workbench.docks["Skill"].isFloating()
    for title in ("Fleet", "Objective"):
        assert not second.workbench.docks[title].visibleRegion().isEmpty(), title
    second.workbench.actions["reset_layout"].trigger()
    settle()
    assert second.dockWidgetArea(second.workbench.docks["Fleet"]) is Qt.DockWidgetArea.RightDockWidgetArea
    assert not second.workbench.docks["Skill"].isFloating()
    assert {title for title, dock in second.workbench.docks.items() if dock.isHidden()} == set(HIDDEN_AT_FIRST)


def test_a_layout_of_another_version_is_left_alone_and_one_that_cannot_be_read_does_no_harm(
    qtbot: QtBot, session: Session, queue: RunQueue, preferences_store: QSettings
) -> None:
    for version in (Preferences.LAYOUT_VERSION - 1, Preferences.LAYOUT_VERSION):
        kept = Preferences(preferences_store)
        kept.save_layout(QByteArray(b"nonsense"), QByteArray(b"nonsense"), ())
        preferences_store.setValue("layout/version", version)
        opened = MainWindow(session, queue, kept)
        names = ",".join(opened.workbench.docks)
        preferences_store.setValue("layout/names", names)
        again = MainWindow(session, queue, Preferences(preferences_store))
        qtbot.addWidget(opened)
        qtbot.addWidget(again)
        again.show()
        assert {title for title, dock in again.workbench.docks.items() if dock.isHidden()} == set(HIDDEN_AT_FIRST)
        assert again.dockWidgetArea(again.workbench.docks["Fleet"]) is Qt.DockWidgetArea.RightDockWidgetArea


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


def test_a_dock_that_floated_on_a_screen_that_is_gone_is_put_on_one_there_is(
    qtbot: QtBot, window: MainWindow, queue: RunQueue, preferences_store: QSettings
) -> None:
    window.workbench.docks["Runs"].setFloating(True)
    window.workbench.docks["Runs"].move(9000, 9000)
    settle()
    second = reopen(window, queue, preferences_store, qtbot)
    screen = QGuiApplication.primaryScreen().availableGeometry()
    assert second.workbench.docks["Runs"].isFloating()
    assert screen.intersects(second.workbench.docks["Runs"].geometry())


def test_the_window_opens_as_large_as_its_screen_allows() -> None:
    assert default_size(QSize(1024, 768)) == QSize(1024, 768)
    assert default_size(QSize(1440, 900)) == QSize(1440, 900)
    assert default_size(QSize(2560, 1440)) == QSize(2048, 1152)
    for width in (1024, 1280, 1440, 2560):
        left, right, _lower = default_sizes(QSize(width, 800))
        assert width - left - right >= 400, "the map has room"


@pytest.mark.parametrize("size", [(1024, 768), (1280, 720), (1280, 800), (1440, 900)])
def test_titles_and_buttons_are_not_cut_at_any_usual_size(
    qapp: QApplication, tmp_path: Path, size: tuple[int, int]
) -> None:
    with workbench(tmp_path, size=size) as window:
        settle()
        assert (window.width(), window.height()) == size
        for title in ("Progress", *(analysis.dock for analysis in ANALYSES), *RIGHT):
            window.workbench.show_dock(title)
            settle()
            bar = tabs_with(window, title)
            room = bar.fontMetrics().horizontalAdvance(title)
            assert bar.tabRect(bar.currentIndex()).width() >= room, title
        start = window.findChild(QDockWidget, "runsDock")
        assert start is not None and not start.visibleRegion().isEmpty()
        assert window.workbench.map.width() >= 360


# -- docks by keyboard -------------------------------------------------------------------------------------------------
def test_a_hidden_dock_comes_back_from_the_menu_and_takes_the_focus_from_the_palette(window: MainWindow) -> None:
    dock = window.workbench.docks["Fleet"]
    dock.hide()
    toggle = dock.toggleViewAction()
    assert toggle.text() == "Fleet" and not toggle.isChecked()
    toggle.trigger()
    assert not dock.isHidden()
    window.workbench.show_dock("Fleet")
    focus = QApplication.focusWidget()
    assert focus is not None and dock.isAncestorOf(focus)


def test_a_dock_is_closed_and_floated_with_the_buttons_of_its_frame(window: MainWindow) -> None:
    dock = window.workbench.docks["Runs"]
    for name, check in (
        ("qt_dockwidget_floatbutton", dock.isFloating),
        ("qt_dockwidget_floatbutton", lambda: not dock.isFloating()),
        ("qt_dockwidget_closebutton", dock.isHidden),
    ):
        button = dock.findChild(QAbstractButton, name)
        assert button is not None
        QTest.mouseClick(button, LEFT)
        settle()
        assert check()


# -- theme -------------------------------------------------------------------------------------------------------------
@pytest.fixture
def theme_restored(qapp: QApplication) -> Iterator[None]:
    """Restore the dark theme for other tests, whatever the system has."""
    yield
    qapp.styleHints().unsetColorScheme()
    apply_theme(qapp, Theme.DARK)


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


def test_a_chosen_theme_stays_when_the_system_changes(
    qapp: QApplication, window: MainWindow, theme_restored: None
) -> None:
    window.workbench.actions["theme:light"].trigger()
    qapp.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Dark)
    assert current_theme(qapp) is Theme.LIGHT
