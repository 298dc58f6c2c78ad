"""Start page: recent projects with their pictures, ways to begin, news."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from unittest.mock import Mock

import pytest
from PySide6.QtCore import QPoint, QRect, QSettings, Qt
from PySide6.QtGui import QImage, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from firegui.domain.units import Units
from firegui.gui.base.preferences import Preferences
from firegui.gui.window.action_registry import START_PAGE
from firegui.gui.window.main_window import MainWindow
from firegui.gui.window.start_page import StartPage
from firegui.gui.window.thumbnails import ThumbnailCache, relative_time
from firegui.io.project.store import save_project
from tests.gui.hands import LEFT
from tests.gui.shell_scene import ridge, settle, workbench

CHOICES = [choice.action for choices in START_PAGE.values() for choice in choices]


@pytest.fixture
def empty(qapp: QApplication, tmp_path: Path) -> Iterator[MainWindow]:
    """Return a window without a project, on its start page."""
    with workbench(tmp_path, opened=False) as window:
        yield window


def saved(window: MainWindow, folder: Path, name: str) -> Path:
    save_project(ridge(name), folder)
    window._preferences.add_recent(folder)
    window.start_page.refresh()
    return folder


def row_of(page: StartPage, folder: Path) -> int:
    return next(row for row, card in enumerate(page.recent.thumbnails) if card.folder == folder)


def click_row(page: StartPage, row: int) -> None:
    box = page.recent.visualItemRect(page.recent.item(row))
    QTest.mouseClick(page.recent.viewport(), LEFT, pos=QPoint(box.center()))


# -- keys --------------------------------------------------------------------------------------------------------------
def test_no_button_has_the_letter_of_a_menu_or_of_another_button(empty: MainWindow) -> None:
    texts = [choice.text for choices in START_PAGE.values() for choice in choices]
    texts += [action.text() for action in empty.menuBar().actions()] + [empty.start_page.close_button.text()]
    letters = [QKeySequence.mnemonic(text).toString() for text in texts]
    assert all(letters) and len(set(letters)) == len(letters), letters


@pytest.mark.parametrize(("letter", "action"), [("D", "new_demo"), ("A", "import_events"), ("Y", "import_folder")])
def test_the_underlined_letters_work_before_the_first_click(
    qtbot: QtBot, tmp_path: Path, letter: str, action: str
) -> None:
    store = QSettings(str(tmp_path / "preferences.ini"), QSettings.Format.IniFormat)
    window = MainWindow(preferences=Preferences(store, tmp_path / "recent"))
    qtbot.addWidget(window)
    chosen: list[str] = []
    window.start_page.action_chosen.disconnect()
    window.start_page.action_chosen.connect(chosen.append)
    window.show_on_screen()
    qtbot.waitUntil(window.start_page.button("new_demo").hasFocus)
    QTest.keyClick(
        window.start_page.button("new_demo"), getattr(Qt.Key, f"Key_{letter}"), Qt.KeyboardModifier.AltModifier
    )
    qtbot.waitUntil(lambda: chosen == [action])


# -- recent projects ---------------------------------------------------------------------------------------------------
def test_without_a_project_the_page_is_in_front_and_a_click_opens_a_recent_one(
    empty: MainWindow, tmp_path: Path
) -> None:
    page = empty.start_page
    assert not page.button("new_demo").visibleRegion().isEmpty()
    folder = saved(empty, tmp_path / "creek.firegui", "Crooked Creek")
    click_row(page, row_of(page, folder))
    assert empty.workbench.session.project.scenario.name == "Crooked Creek"
    assert not page.isVisible()


def test_enter_opens_and_delete_only_takes_out_of_the_list(empty: MainWindow, tmp_path: Path) -> None:
    page = empty.start_page
    first = saved(empty, tmp_path / "first.firegui", "First")
    second = saved(empty, tmp_path / "second.firegui", "Second")
    page.recent.setFocus()
    assert [card.folder for card in page.recent.thumbnails] == [second, first]
    QTest.keyClick(page.recent, Qt.Key.Key_Delete)
    assert [card.folder for card in page.recent.thumbnails] == [first]
    assert (second / "project.toml").is_file()
    assert empty._preferences.recent == (first,)
    QTest.keyClick(page.recent, Qt.Key.Key_Return)
    assert empty.workbench.session.project.scenario.name == "First"


def test_a_project_whose_folder_is_gone_is_marked_and_opening_it_says_what_is_wrong(
    qtbot: QtBot, empty: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[object] = []
    monkeypatch.setattr("firegui.gui.window.main_window.show_problems", lambda _parent, error: shown.append(error))
    gone = tmp_path / "gone.firegui"
    empty._preferences.add_recent(gone)
    empty.start_page.refresh()
    row = row_of(empty.start_page, gone)
    assert empty.start_page.recent.thumbnails[row].is_missing
    assert "folder not found" in empty.start_page.recent.item(row).text()
    click_row(empty.start_page, row)
    qtbot.waitUntil(lambda: len(shown) == 1)
    assert empty.start_page.isVisible()


def test_a_picture_of_the_map_and_the_facts_are_kept_when_a_project_is_left(empty: MainWindow, tmp_path: Path) -> None:
    folder = saved(empty, tmp_path / "creek.firegui", "Crooked Creek")
    assert empty.workbench.documents.open(folder)
    settle(10)
    empty.workbench.thumbnail_renderer.render()
    empty.show_start_page()
    (card,) = (card for card in empty.start_page.recent.thumbnails if card.folder == folder)
    assert card.name == "Crooked Creek"
    assert card.facts.startswith("19 Aug 2020, 4 days · ") and card.facts.endswith(" km²")
    empty.workbench.documents._preferences.units = Units.US
    empty.start_page.refresh()
    assert empty.start_page.recent.thumbnails[0].facts.endswith(" sq mi")
    assert card.picture is not None
    picture = QImage(str(card.picture))
    assert (picture.width(), picture.height()) == (320, 200)
    assert folder not in card.picture.parents, "nothing is written into the project"


def test_opening_and_saving_ask_for_a_picture(empty: MainWindow, tmp_path: Path) -> None:
    folder = saved(empty, tmp_path / "creek.firegui", "Crooked Creek")
    assert empty.workbench.documents.open(folder)
    assert empty.workbench.thumbnail_renderer._timer.isActive()


def test_a_project_kept_nowhere_gets_no_picture(qapp: QApplication, tmp_path: Path) -> None:
    with workbench(tmp_path) as window:
        window.workbench.thumbnail_renderer.render()
        assert not (tmp_path / "recent").exists()


def test_a_place_that_cannot_be_written_to_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    cards = ThumbnailCache(tmp_path / "file" / "recent")
    cards.keep(tmp_path / "x.firegui", "X", "facts", 100.0, QImage(10, 10, QImage.Format.Format_RGB32))
    assert cards.of(tmp_path / "x.firegui").picture is None


def test_a_note_that_is_nonsense_counts_as_none(tmp_path: Path) -> None:
    cards = ThumbnailCache(tmp_path)
    cards.keep(tmp_path / "x.firegui", "X", "facts", 100.0, QImage(10, 10, QImage.Format.Format_RGB32))
    (note,) = tmp_path.glob("*.json")
    assert cards.of(tmp_path / "x.firegui", Units.US).facts == "facts · 0 sq mi"
    for text in ("[1]", "{", "", '{"hectares": "many"}'):
        note.write_text(text)
        assert cards.of(tmp_path / "x.firegui").name == "x"


@pytest.mark.parametrize(
    ("when", "text"),
    [
        (datetime(2026, 3, 10, 8, 5), "today 08:05"),
        (datetime(2026, 3, 9, 23, 59), "yesterday"),
        (datetime(2026, 3, 1), "9 days ago"),
        (datetime(2026, 1, 1), "1 Jan 2026"),
    ],
)
def test_how_long_ago_in_words(when: datetime, text: str) -> None:
    assert relative_time(when, datetime(2026, 3, 10, 12)) == text


# -- ways to begin -----------------------------------------------------------------------------------------------------
def test_every_choice_runs_its_action(empty: MainWindow) -> None:
    for name in CHOICES:
        action = empty.workbench.actions[name]
        done = Mock()
        action.triggered.disconnect()
        action.triggered.connect(done)
        # A help page replaces this one.
        empty.show_start_page()
        button = empty.start_page.button(name)
        assert button.isVisible(), name
        QTest.mouseClick(button, LEFT)
        done.assert_called_once()


@pytest.mark.slow
def test_a_choice_made_before_the_window_is_built_is_kept(qtbot: QtBot) -> None:
    window = MainWindow(preferences=Preferences())
    qtbot.addWidget(window)
    window.show()
    settle()
    page, places = window.start_page, list[tuple[QPoint, QRect]]()

    def note() -> None:
        places.append((page.button("getting_started").mapTo(window, QPoint()), page.recent.geometry()))

    note()
    QTest.mouseClick(page.button("getting_started"), LEFT)
    with qtbot.waitSignal(window.ui_built, timeout=60_000):
        window.build_ui_stepwise()
    settle()
    note()
    assert places[0] == places[-1], "nothing on the page moves when the rest of the window has loaded"
    qtbot.waitUntil(lambda: not window.workbench.panels["Help"].isHidden())
    window.stop_work()


@pytest.mark.parametrize(
    ("name", "page"), [("getting_started", "getting-started"), ("tutorial", "tutorial"), ("news", "whats-new")]
)
def test_what_one_can_learn_is_shown_with_nothing_over_it(
    qtbot: QtBot, empty: MainWindow, name: str, page: str
) -> None:
    QTest.mouseClick(empty.start_page.button(name), LEFT)
    qtbot.waitUntil(lambda: empty.workbench.panels["Help"].isVisible() and not empty.start_page.isVisible())
    assert empty.workbench.help.page == page
    middle = empty.workbench.panels["Help"].mapTo(empty, empty.workbench.panels["Help"].rect().center())
    front = empty.childAt(middle)
    assert front is not None and empty.workbench.panels["Help"].isAncestorOf(front)
    empty.workbench.actions["start_page"].trigger()
    assert empty.start_page.isVisible()


def test_tab_goes_round_within_the_page(empty: MainWindow) -> None:
    page = empty.start_page
    page.button("new_demo").setFocus()
    seen = []
    for _press in range(2 * len(CHOICES) + 4):
        focus = empty.focusWidget()
        assert focus is not None and page.isAncestorOf(focus)
        seen.append(focus)
        QTest.keyClick(focus, Qt.Key.Key_Tab)
    assert {page.button(name) for name in CHOICES} <= set(seen)
    page.button("new_demo").setFocus()
    QTest.keyClick(page.button("new_demo"), Qt.Key.Key_Tab, Qt.KeyboardModifier.ShiftModifier)
    assert empty.focusWidget() is not page.button("new_demo")


def test_the_page_comes_back_over_an_open_project_and_escape_shuts_it(window: MainWindow) -> None:
    assert not window.start_page.isVisible()
    QTest.keyClick(window, Qt.Key.Key_H, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    assert window.start_page.isVisible()
    QTest.keyClick(window.start_page, Qt.Key.Key_Space)
    assert not window.workbench.timeline.is_playing, "keys do not reach what is hidden"
    QTest.keyClick(window.start_page, Qt.Key.Key_Escape)
    assert not window.start_page.isVisible()
    window.workbench.actions["start_page"].trigger()
    QTest.mouseClick(window.start_page.close_button, LEFT)
    assert not window.start_page.isVisible()


def test_escape_does_not_shut_the_page_when_there_is_nothing_behind_it(empty: MainWindow) -> None:
    QTest.keyClick(empty.start_page, Qt.Key.Key_Escape)
    assert empty.start_page.isVisible()


def test_the_page_covers_all_below_the_menus(empty: MainWindow) -> None:
    page, bar = empty.start_page, empty.menuBar()
    assert page.geometry().top() == bar.height()
    assert (page.width(), page.geometry().bottom() + 1) == (empty.width(), empty.height())
    empty.resize(1100, 700)
    settle()
    assert page.geometry().bottom() + 1 == empty.height()


def test_enter_presses_the_focused_button(empty: MainWindow) -> None:
    page, chosen = empty.start_page, list[str]()
    page.action_chosen.disconnect()
    page.action_chosen.connect(chosen.append)
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
        page.button("open").setFocus()
        QTest.keyClick(page.button("open"), key)
    assert chosen == ["open", "open"]
