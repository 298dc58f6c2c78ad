"""Scrolling of the side panel: to what is opened, and back to the top of a workspace."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractSlider, QApplication, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from firegui.domain.plan_summary import DaySummary, PlanSummary
from firegui.gui.jobs.run_entry import RunEntry
from firegui.gui.scenario.objective_panel import ObjectivePanel
from firegui.gui.widgets.settings_form import FoldedSection
from firegui.gui.window.main_window import MainWindow
from firegui.gui.window.side_panel import SectionColumn
from firegui.gui.window.workspaces import WorkspaceName
from firegui.runs.stages import FinishReason, RunState
from tests.gui.hands import LEFT
from tests.gui.shell_scene import settle, workbench

CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def small(qapp: QApplication, tmp_path: Path) -> Iterator[MainWindow]:
    """Return a window of the least height, in the workspace Plan."""
    with workbench(tmp_path, size=(1280, 720)) as window:
        QTest.keyClick(window, Qt.Key.Key_2, CTRL)
        settle(10)
        yield window


def plan_column(window: MainWindow) -> SectionColumn:
    return window.workbench.shell.side.columns[WorkspaceName.PLAN]


def shown_part(column: SectionColumn, part: QWidget) -> tuple[int, int]:
    """Return how many pixels of a part are in view, and how many there could be."""
    top = part.mapTo(column.viewport(), QPoint(0, 0)).y()
    height = column.viewport().height()
    return min(top + part.height(), height) - max(top, 0), min(part.height(), height)


def test_a_section_that_is_opened_at_the_bottom_is_scrolled_into_view(small: MainWindow) -> None:
    column = plan_column(small)
    section = column.sections["Constraints"]
    bar = column.verticalScrollBar()
    bar.setValue(bar.maximum())
    settle()
    QTest.mouseClick(section.heading, LEFT)
    settle(10)
    seen, most = shown_part(column, section)
    assert section.height() > 200 and seen >= most // 2 - 2
    assert shown_part(column, section.heading)[0] == section.heading.height()


def test_a_section_that_is_opened_stays_under_the_mouse_where_there_is_room(small: MainWindow) -> None:
    column = plan_column(small)
    column.sections["Start"].set_open(False)
    column.sections["Objective"].set_open(False)
    settle(10)
    section, bar = column.sections["Objective"], column.verticalScrollBar()
    before = section.mapTo(column.viewport(), QPoint(0, 0)).y()
    QTest.mouseClick(section.heading, LEFT)
    column.sections["Start"].set_open(True)
    settle(10)
    assert bar.value() > 0
    assert section.mapTo(column.viewport(), QPoint(0, 0)).y() == before


def test_an_analysis_that_is_opened_shows_its_beginning_and_what_is_above_it(small: MainWindow) -> None:
    column = small.workbench.shell.side.columns[WorkspaceName.ANALYSE]
    small.resize(1280, 690)
    small.workbench.show_panel("Uncertainty")
    settle(10)
    section, bar = column.sections["Sensitivity"], column.verticalScrollBar()
    bar.setValue(bar.maximum())
    settle()
    QTest.mouseClick(section.heading, LEFT)
    settle(10)
    assert section.y() + section.height() > column.viewport().height(), "it does not fit below what is above it"
    assert bar.value() == 0 and shown_part(column, section)[0] >= column.viewport().height() // 2 - 2


def test_a_folded_part_of_a_form_is_scrolled_into_view(small: MainWindow) -> None:
    small.workbench.show_panel("Objective")
    settle(10)
    column = plan_column(small)
    panel = small.workbench.panel("Objective", ObjectivePanel)
    titles = {button.text(): button for button in panel.findChildren(QToolButton)}
    titles["Search"].click()
    button = titles["Advanced: search"]
    settle(10)
    fold = button.parentWidget()
    assert isinstance(fold, FoldedSection)
    column.ensureWidgetVisible(button)
    QTest.mouseClick(button, LEFT)
    settle(10)
    seen, most = shown_part(column, fold)
    assert fold.height() > 100 and seen >= most // 2 - 2
    assert shown_part(column, button)[0] == button.height()


def test_a_workspace_opens_at_its_top_unless_the_user_has_scrolled_it(small: MainWindow) -> None:
    column = plan_column(small)
    bar = column.verticalScrollBar()
    small.workbench.shell.reveal_panel("Constraints")
    settle(10)
    assert bar.value() > 0
    QTest.keyClick(small, Qt.Key.Key_1, CTRL)
    QTest.keyClick(small, Qt.Key.Key_2, CTRL)
    settle(5)
    assert bar.value() == 0
    bar.setValue(bar.maximum() // 2)
    place = bar.value()
    QTest.keyClick(small, Qt.Key.Key_1, CTRL)
    QTest.keyClick(small, Qt.Key.Key_2, CTRL)
    settle(5)
    assert bar.value() == place > 0


def test_a_section_that_was_just_revealed_stays_at_the_top_until_the_user_scrolls(small: MainWindow) -> None:
    column = plan_column(small)
    bar, above, section = column.verticalScrollBar(), column.sections["Objective"], column.sections["Constraints"]
    small.workbench.shell.reveal_panel("Constraints")
    for height in (900, above.sizeHint().height()):
        above.setFixedHeight(height)
        settle(10)
        assert bar.value() == min(section.y(), bar.maximum()) > 0
    above.setFixedHeight(500)
    settle(10)
    bar.triggerAction(QAbstractSlider.SliderAction.SliderSingleStepSub)
    place = bar.value()
    above.setFixedHeight(600)
    settle(10)
    assert bar.value() == place


def test_the_runs_open_at_their_top_although_their_list_takes_the_focus(small: MainWindow, tmp_path: Path) -> None:
    queue = small.workbench.queue
    day = DaySummary(0, None, (), None, 5.5, 1204.0)
    made = PlanSummary((day,) * 30, 5.5, 1204.0, "", False, 0.09)
    entry = RunEntry("one", tmp_path / "one", state=RunState.FINISHED, reason=FinishReason.COMPLETED, summary=made)
    queue._list.add(entry)
    queue._presenter.set_shown(entry)
    queue.changed.emit()
    QTest.keyClick(small, Qt.Key.Key_3, CTRL)
    settle(20)
    bar = small.workbench.shell.side.columns[WorkspaceName.RUNS].verticalScrollBar()
    assert bar.maximum() > 0 and bar.value() == 0


def test_a_bar_that_comes_back_at_once_does_not_go_on_for_ever(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    column = SectionColumn((), is_exclusive=False)
    qtbot.addWidget(column)
    bar, margins = column.verticalScrollBar(), []
    true_set = column.setViewportMargins

    def wrap_the_other_way(left: int, top: int, right: int, bottom: int) -> None:
        margins.append(right)
        true_set(left, top, right, bottom)
        bar.setRange(0, 0 if bar.maximum() else 10)

    monkeypatch.setattr(column, "setViewportMargins", wrap_the_other_way)
    bar.setRange(0, 10)
    assert len(margins) == 1


def test_the_question_of_an_analysis_stays_while_it_is_open_and_other_summaries_go(small: MainWindow) -> None:
    sections = small.workbench.shell.side.columns
    fleet = sections[WorkspaceName.PLAN].sections["Fleet"]
    assert fleet.summary.isVisible()
    QTest.mouseClick(fleet.heading, LEFT)
    assert not fleet.summary.isVisible()
    QTest.keyClick(small, Qt.Key.Key_4, CTRL)
    settle(10)
    exercise = sections[WorkspaceName.ANALYSE].sections["Exercise"]
    QTest.mouseClick(exercise.heading, LEFT)
    settle(10)
    assert exercise.is_open and exercise.summary.isVisible()
    assert exercise.summary.text() == "How does the plan do, day by day, in a fire that differs?"
