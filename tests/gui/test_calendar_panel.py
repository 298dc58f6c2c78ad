"""Story S3 in the calendar dock: rectangles over the grid of types and days."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from firegui.domain.project import Project
from firegui.gui.scenario.calendar_panel import CalendarPanel
from firegui.gui.session.session import Session
from tests.gui.hands import LEFT, cell_text, centre_of, show_widget

S2T, CL415 = 0, 1


@pytest.fixture
def panel(qtbot: QtBot, session: Session) -> CalendarPanel:
    """Return four days of two types; the S-2T is grounded on the third."""
    shown = CalendarPanel(session)
    show_widget(qtbot, shown, 420, 400)
    return shown


def grounded(project: Project) -> list[tuple[int, ...]]:
    return [kind.grounded_days for kind in project.planned_fleet.types]


def drag(panel: CalendarPanel, start: tuple[int, int], end: tuple[int, int], *, release: bool = True) -> None:
    place = panel.view.viewport()
    QTest.mousePress(place, LEFT, pos=centre_of(panel.view, *start))
    QTest.mouseMove(place, centre_of(panel.view, *end))
    if release:
        QTest.mouseRelease(place, LEFT, pos=centre_of(panel.view, *end))


def click(panel: CalendarPanel, row: int, day: int) -> None:
    QTest.mouseClick(panel.view.viewport(), LEFT, pos=centre_of(panel.view, row, day))


def test_a_click_grounds_another_click_frees_and_undo_restores(session: Session, panel: CalendarPanel) -> None:
    click(panel, CL415, 0)
    assert grounded(session.project) == [(2,), (0,)]
    click(panel, S2T, 2)
    assert grounded(session.project) == [(), (0,)]
    session.undo_stack.undo()
    session.undo_stack.undo()
    assert grounded(session.project) == [(2,), ()]
    assert not session.undo_stack.canUndo()
    session.undo_stack.redo()
    assert grounded(session.project) == [(2,), (0,)]


def test_a_drag_along_a_row_is_one_step(session: Session, panel: CalendarPanel) -> None:
    drag(panel, (CL415, 0), (CL415, 3))
    assert grounded(session.project) == [(2,), (0, 1, 2, 3)]
    assert session.undo_stack.count() == 1
    session.undo_stack.undo()
    assert grounded(session.project) == [(2,), ()]


def test_a_diagonal_drag_sets_the_rectangle_between_its_ends(session: Session, panel: CalendarPanel) -> None:
    drag(panel, (S2T, 0), (CL415, 3))
    assert grounded(session.project) == [(0, 1, 2, 3), (0, 1, 2, 3)]
    assert session.undo_stack.count() == 1


def test_a_drag_that_goes_back_leaves_only_the_rectangle_to_the_present_cell(
    session: Session, panel: CalendarPanel
) -> None:
    drag(panel, (S2T, 0), (CL415, 3), release=False)
    assert cell_text(panel.view, CL415, 3) == "✕"
    place = panel.view.viewport()
    QTest.mouseMove(place, centre_of(panel.view, S2T, 1))
    assert cell_text(panel.view, CL415, 3) == "", "what the drag has left is shown as before"
    QTest.mouseRelease(place, LEFT, pos=centre_of(panel.view, S2T, 1))
    assert grounded(session.project) == [(0, 1, 2), ()], "day 3 was grounded before"


def test_a_drag_beyond_the_grid_ends_at_its_edge(session: Session, panel: CalendarPanel) -> None:
    drag(panel, (S2T, 1), (S2T, 1), release=False)
    place = panel.view.viewport()
    outside = QPoint(-50, place.height() + 50)
    QTest.mouseMove(place, outside)
    QTest.mouseRelease(place, LEFT, pos=outside)
    assert grounded(session.project) == [(0, 1, 2), (0, 1)]


def test_a_drag_paints_the_state_of_its_first_cell(session: Session, panel: CalendarPanel) -> None:
    drag(panel, (S2T, 2), (S2T, 0))
    assert grounded(session.project) == [(), ()]


def test_a_stroke_is_shown_before_it_ends_and_escape_gives_it_up(session: Session, panel: CalendarPanel) -> None:
    drag(panel, (CL415, 0), (CL415, 1), release=False)
    assert cell_text(panel.view, CL415, 1) == "✕"
    assert grounded(session.project) == [(2,), ()]
    QTest.keyClick(panel.view, Qt.Key.Key_Escape)
    assert cell_text(panel.view, CL415, 1) == ""
    QTest.mouseRelease(panel.view.viewport(), LEFT, pos=centre_of(panel.view, CL415, 1))
    assert session.undo_stack.count() == 0


def test_space_toggles_the_current_cell_and_arrows_move(session: Session, panel: CalendarPanel) -> None:
    panel.view.setFocus()
    panel.view.setCurrentIndex(panel.model.index(S2T, 0))
    QTest.keyClick(panel.view, Qt.Key.Key_Right)
    QTest.keyClick(panel.view, Qt.Key.Key_Space)
    assert grounded(session.project) == [(1, 2), ()]
    QTest.keyClick(panel.view, Qt.Key.Key_Space)
    assert grounded(session.project) == [(2,), ()]


def test_grounded_is_said_in_words_and_signs_not_by_colour_alone(panel: CalendarPanel) -> None:
    cell, free = panel.model.index(S2T, 2), panel.model.index(S2T, 1)
    assert (cell.data(), free.data()) == ("✕", "")
    spoken = cell.data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "S-2T Turbo Tracker, day 3, 21 Aug 2020: grounded"


def test_headers_count_days_from_one_and_give_the_local_date(panel: CalendarPanel) -> None:
    across = Qt.Orientation.Horizontal
    panel.model.set_roomy(False)
    assert panel.model.headerData(0, across) == "1\n19\nAug"
    assert panel.model.headerData(2, across) == "3\n21\n"
    panel.model.set_roomy(True)
    assert [panel.model.headerData(day, across) for day in (0, 2)] == ["Day 1\n19 Aug", "Day 3\n21 Aug"]
    assert "Friday 21 August 2020" in str(panel.model.headerData(2, across, Qt.ItemDataRole.ToolTipRole))


def test_days_are_named_in_words_as_long_as_their_text_fits(panel: CalendarPanel) -> None:
    view, header = panel.view, panel.view.horizontalHeader()
    days, across = panel.model.columnCount(), Qt.Orientation.Horizontal
    panel.model.set_roomy(True)
    needed = max(header.sectionSizeHint(day) for day in range(days))
    assert needed <= max(header.fontMetrics().horizontalAdvance(text) for text in ("Day 1", "20 Aug")) + 4
    for width, first in ((needed, "Day 1\n19 Aug"), (needed - 1, "1\n19\nAug")):
        view.resize(view.width() + days * width - view.viewport().width(), view.height())
        assert view.viewport().width() == days * width
        assert panel.model.headerData(0, across) == first


def test_moving_the_start_moves_the_grounded_day_not_its_date(session: Session, panel: CalendarPanel) -> None:
    session.set_plan("later", replace(session.project.plan, start_day=2))
    assert grounded(session.project) == [(0,), ()]
    assert session.project.grounded["S-2T"] == (date(2020, 8, 21),)
    assert cell_text(panel.view, S2T, 0) == "✕"


def test_dates_outside_the_plan_survive_an_edit(session: Session, panel: CalendarPanel) -> None:
    session.set_plan("later", replace(session.project.plan, start_day=3, days=2))
    click(panel, S2T, 0)
    assert session.project.grounded["S-2T"] == (date(2020, 8, 21), date(2020, 8, 22))


def test_the_footer_counts_aircraft_days(panel: CalendarPanel) -> None:
    assert panel.footer.startswith("2 of 12 aircraft-days grounded")
    click(panel, CL415, 0)
    assert panel.footer.startswith("3 of 12 aircraft-days grounded")
