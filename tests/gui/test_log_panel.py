"""Event log: its entries, filters and copying, and a scroll position that stays."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from firegui.errors import InputError, Problem
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.session.session import Session
from firegui.gui.window.event_log import MOST, EventLog, LogLevel, LogPanel, one_line
from firegui.gui.window.main_window import MainWindow
from tests.gui.hands import LEFT, centre_of, show_widget

CTRL = Qt.KeyboardModifier.ControlModifier
NOON = datetime(2026, 8, 19, 12, 0, 5)


@pytest.fixture
def book(session: Session, queue: RunQueue) -> EventLog:
    return EventLog(session, queue, clock=lambda: NOON)


@pytest.fixture
def panel(qtbot: QtBot, book: EventLog) -> LogPanel:
    made = LogPanel(book)
    show_widget(qtbot, made, 520, 200)
    return made


def test_a_refusal_is_one_line_with_its_first_reason() -> None:
    problems = [Problem("aircraft S-2T", "Aircraft is -1", "use 0 or more"), Problem("fleet", "is empty")]
    for many, more in ((1, ""), (2, " (and 1 more)")):
        text = str(InputError(problems[:many], "The fleet was not changed"))
        assert one_line(text) == f"The fleet was not changed: aircraft S-2T: Aircraft is -1 — use 0 or more{more}"
    assert one_line("finished\nwith details") == "finished" and one_line("") == ""


def texts(book: EventLog) -> list[tuple[str, str]]:
    return [(line.level.value, line.text) for line in book.entries]


def choose_with_keys(panel: LogPanel, title: str) -> None:
    """Focus the box, go to its first entry, and down to the title."""
    panel.levels.setFocus()
    QTest.keyClick(panel.levels, Qt.Key.Key_Home)
    for _press in range(panel.levels.findText(title)):
        QTest.keyClick(panel.levels, Qt.Key.Key_Down)
    assert panel.levels.currentText() == title


# -- what goes in ------------------------------------------------------------------------------------------------------
def test_edits_runs_messages_and_refusals_are_written_once_each(
    session: Session, queue: RunQueue, book: EventLog
) -> None:
    session.set_regions("clear the regions", ())
    said: list[str] = []
    session.message.connect(said.append)
    session.undo()
    session.redo()
    assert said == ["Undone: clear the regions", "Redone: clear the regions"]
    queue._log("Whole fire, 19 Aug 12:00 · completed: 40 epochs\nwith a second line")
    session.message.emit("Saved to p.firegui")
    session.refuse(InputError([Problem("fleet", "is empty", "add one")], "No plan"))
    assert texts(book) == [
        ("edit", "clear the regions"),
        ("edit", "Undone: clear the regions"),
        ("edit", "clear the regions"),
        ("info", "Whole fire, 19 Aug 12:00 · completed: 40 epochs\nwith a second line"),
        ("info", "Saved to p.firegui"),
        ("warning", "No plan:\n  • fleet: is empty — add one"),
    ]


def test_an_edit_that_goes_on_is_one_line(session: Session, book: EventLog) -> None:
    plan = session.project.plan
    for days in (1, 2, 3):
        session.set_plan("change days", replace(plan, days=days), merge=7)
    assert texts(book) == [("edit", "change days")]


def test_old_lines_are_forgotten(book: EventLog, panel: LogPanel) -> None:
    for number in range(2 * MOST):
        book.add(f"line {number}")
    assert len(book.entries) == MOST
    assert MOST <= panel.shown.rowCount() <= 1.1 * MOST
    assert panel.lines[-1].endswith(f"line {2 * MOST - 1}")


# -- what is shown -----------------------------------------------------------------------------------------------------
def test_levels_are_chosen_with_the_keyboard(book: EventLog, panel: LogPanel) -> None:
    for level in LogLevel:
        book.add(f"an {level.value}", level)
    assert len(panel.lines) == 4
    choose_with_keys(panel, "Without edits")
    assert [line.split("an ")[1] for line in panel.lines] == ["info", "warning", "error"]
    choose_with_keys(panel, "Errors")
    assert [line.split("an ")[1] for line in panel.lines] == ["error"]


def test_letters_find_lines(book: EventLog, panel: LogPanel) -> None:
    book.add("Saved to bear.firegui")
    book.add("Started A")
    QTest.keyClicks(panel.words, "BEAR")
    assert [line[-21:] for line in panel.lines] == ["Saved to bear.firegui"]
    QTest.keyClick(panel.words, Qt.Key.Key_A, CTRL)
    QTest.keyClick(panel.words, Qt.Key.Key_Delete)
    assert len(panel.lines) == 2


def test_a_line_of_several_is_cut_and_its_tooltip_has_all_of_it(book: EventLog, panel: LogPanel) -> None:
    book.add("No plan:\n  • fleet: is empty", LogLevel.WARNING)
    index = panel.shown.index(0, 2)
    assert index.data() == "No plan: fleet: is empty"
    assert "fleet: is empty" in str(index.data(Qt.ItemDataRole.ToolTipRole))


def test_a_line_is_read_to_its_end_in_a_box_of_its_own(qtbot: QtBot, book: EventLog, panel: LogPanel) -> None:
    remedy = "choose a folder such as NAME.firegui"
    book.add(f"The project cannot be opened:\n  • weather.csv: is a file — {remedy}", LogLevel.WARNING)
    book.add("Saved to p.firegui")
    QTest.mouseClick(panel.table.viewport(), LEFT, pos=panel.table.visualRect(panel.shown.index(0, 2)).center())
    QTest.keyClick(panel.table, Qt.Key.Key_Return)
    assert read_message(qtbot, panel).endswith(remedy)
    panel.to_end()
    QTest.mouseClick(panel.button("details"), LEFT)
    assert read_message(qtbot, panel) == "Saved to p.firegui", "the latest line"


def read_message(qtbot: QtBot, panel: LogPanel) -> str:
    """Return the text of the open message, and close it."""
    (box,) = panel.findChildren(QMessageBox)
    text = box.text()
    box.accept()
    qtbot.waitUntil(lambda: not panel.findChildren(QMessageBox))
    return text


# -- copying -----------------------------------------------------------------------------------------------------------
def test_selected_lines_are_copied_and_all_that_are_shown_where_none_is(book: EventLog, panel: LogPanel) -> None:
    for number in range(4):
        book.add(f"line {number}")
    QTest.mouseClick(panel.button("copy"), LEFT)
    assert QGuiApplication.clipboard().text().count("\n") == 3
    QTest.mouseClick(panel.table.viewport(), LEFT, pos=centre_of(panel.table, 1, 2))
    QTest.mouseClick(panel.table.viewport(), LEFT, CTRL, centre_of(panel.table, 3, 2))
    panel.table.setFocus()
    QTest.keyClick(panel.table, Qt.Key.Key_C, CTRL)
    assert QGuiApplication.clipboard().text() == (
        "2026-08-19 12:00:05  info     line 1\n2026-08-19 12:00:05  info     line 3"
    )


# -- staying where one reads -------------------------------------------------------------------------------------------
def test_it_follows_the_latest_line_until_one_scrolls_away(qtbot: QtBot, book: EventLog, panel: LogPanel) -> None:
    for number in range(60):
        book.add(f"line {number}")
    bar = panel.table.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 0 and bar.value() == bar.maximum())
    bar.setValue(3)
    book.add("one more")
    assert bar.value() == 3
    QTest.mouseClick(panel.button("end"), LEFT)
    assert bar.value() == bar.maximum()
    book.add("and one more")
    qtbot.waitUntil(lambda: bar.value() == bar.maximum())


def test_the_log_is_in_the_drawer_and_hears_the_window(window: MainWindow) -> None:
    window.workbench.show_panel("Log")
    panel = window.workbench.panel("Log", LogPanel)
    assert not panel.table.viewport().visibleRegion().isEmpty()
    window.workbench.session.delete_region("R1")
    assert panel.lines[-1].endswith("edit     delete R1")
