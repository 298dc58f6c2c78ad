"""The drops table: rows, filter, selection with the map, copy, and edits that can be undone."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from firegui.domain.drops import DropList
from firegui.domain.physical import PhysicalSettings
from firegui.domain.project import Project
from firegui.domain.schedule import DropRecord
from firegui.domain.units import Units
from firegui.fire.drop_flames import flame_lengths
from firegui.fire.physical import with_physical_model
from firegui.gui.exporting.export_dialog import ExportSource, content_of
from firegui.gui.map.drop_edits import card_rows, pin_marked, unpin_marked
from firegui.gui.planning.drops_panel import DropsPanel
from firegui.gui.session import drop_flames
from firegui.gui.session.session import Session, ShownResult, Tool
from firegui.gui.window.main_window import MainWindow
from firegui.io.coordinates import CoordinateFormat
from firegui.io.exporters.briefing_days import drop_lines, periods_of
from firegui.io.exporters.csv import write_csv
from tests.gui.hands import LEFT, cell_text, centre_of, choose, show_widget
from tests.gui.map_scene import Hand
from tests.gui.plan_editor_scene import FakePreviewer, show_plan

CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def panel(qtbot: QtBot, session: Session) -> DropsPanel:
    """Return the table of a plan of three drops."""
    show_plan(session)
    session.set_tool(Tool.PAN)
    found = DropsPanel(session)
    show_widget(qtbot, found, 1000, 300)
    return found


def click(panel: DropsPanel, row: int, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    QTest.mouseClick(panel.view.viewport(), LEFT, modifier, centre_of(panel.view, row, 3))


def titles(panel: DropsPanel) -> dict[str, str]:
    heads = (title.replace(" L", "") for title in panel.model.titles)
    return {head: cell_text(panel.view, 0, place) for place, head in enumerate(heads)}


def test_a_row_says_everything_about_a_drop(panel: DropsPanel, session: Session) -> None:
    assert panel.model.rowCount() == 3
    row = titles(panel)
    assert (row["Drop"], row["Day"]) == ("1", "1") and row["Aircraft"].startswith("S-2T") and "S-2T" in row["Type"]
    assert row["Load"] == "4,542" and row["Position"].count("°") == 2 and row["Heading"].endswith("°")
    assert ":" in row["Time"]
    session.drawing.set_coordinates(CoordinateFormat.UTM)
    panel.refresh()
    assert titles(panel)["Position"].split()[0] == "9S"


def test_words_day_and_type_filter_the_rows(panel: DropsPanel) -> None:
    panel.words.setFocus()
    QTest.keyClicks(panel.words, "water")
    assert panel.model.rowCount() == 1 and panel.count.text().startswith("1 of 3 drops")
    panel.words.clear()
    choose(panel.day_box, "2")
    assert panel.model.rowCount() == 2
    choose(panel.type_box, panel.model.row(0).record.type)
    assert panel.model.rowCount() == 1


def test_what_a_filter_hides_is_selected_no_more(panel: DropsPanel, session: Session) -> None:
    for row in range(3):
        click(panel, row, CONTROL)
    assert len(session.plan_editor.marked) == 3
    panel.words.setFocus()
    QTest.keyClicks(panel.words, "water")
    assert [drop.key for drop in session.plan_editor.marked] == [panel.model.row(0).key]


def test_tab_leads_out_of_the_table(panel: DropsPanel) -> None:
    click(panel, 0)
    panel.view.setFocus()
    QTest.keyClick(panel.view, Qt.Key.Key_Tab)
    assert not panel.view.hasFocus()


def test_rows_are_selected_on_the_map_and_a_click_on_the_map_selects_the_row(
    panel: DropsPanel, session: Session, hand: Hand
) -> None:
    click(panel, 0)
    click(panel, 2, CONTROL)
    drops = session.plan_editor.drops.drops
    assert session.plan_editor.marked == (drops[0], drops[2])
    click(panel, 1)
    assert session.plan_editor.selected == drops[1]
    session.set_step(10)
    hand.view.flush()
    y, x = session.plan_editor.rules.landing(drops[0])
    hand.click((y + 0.5, x + 0.5))
    assert [index.row() for index in panel.view.selectionModel().selectedRows()] == [0]


def test_a_double_click_goes_to_the_time_of_the_drop(panel: DropsPanel, session: Session) -> None:
    wanted: list[object] = []
    panel.go_to_requested.connect(wanted.append)
    click(panel, 2)
    QTest.mouseDClick(panel.view.viewport(), LEFT, pos=centre_of(panel.view, 2, 3))
    assert wanted == [session.plan_editor.drops.drops[2]]


def test_the_selected_rows_are_copied_with_tabs(panel: DropsPanel) -> None:
    click(panel, 1)
    QTest.keyClick(panel.view, Qt.Key.Key_C, CONTROL)
    lines = QGuiApplication.clipboard().text().splitlines()
    assert len(lines) == 2 and lines[0].split("\t")[:3] == ["Drop", "Day", "Time"]
    assert lines[1].split("\t")[:2] == ["2", "2"]


def test_delete_removes_the_selected_drops_as_one_step_and_undo_brings_them_back(
    panel: DropsPanel, session: Session
) -> None:
    before = session.plan_editor.drops
    click(panel, 0)
    click(panel, 1, CONTROL)
    QTest.keyClick(panel.view, Qt.Key.Key_Delete)
    assert session.plan_editor.drops.drops == before.drops[2:]
    panel.refresh()
    assert panel.model.rowCount() == 1
    session.undo_stack.undo()
    assert session.plan_editor.drops == before


def test_pinned_drops_say_so_and_are_unpinned_again(panel: DropsPanel, session: Session) -> None:
    click(panel, 0)
    click(panel, 1, CONTROL)
    pin_marked(session)
    assert len(session.project.operations.pinned) == 2
    panel.refresh()
    assert "pinned" in titles(panel)["Status"]
    unpin_marked(session)
    assert not session.project.operations.pinned


def test_the_actions_of_the_window_work_on_the_selected_drops(
    window: MainWindow, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    actions, drops = window.workbench.actions, window.workbench.panel("Drops", DropsPanel)
    monkeypatch.setattr(window.workbench.plan_preview, "_make_preview", FakePreviewer)
    show_plan(session)
    assert not actions["pin_drops"].isEnabled()
    actions["show_drops"].trigger()
    assert drops.isVisible() and drops.model.rowCount() == 3
    click(drops, 2)
    actions["go_to_drop"].trigger()
    assert session.step == 70
    actions["pin_drops"].trigger()
    assert len(session.project.operations.pinned) == 1
    actions["edit_drop"].trigger()
    dialog = window.workbench.map.drop_menu.dialog
    assert dialog is not None and dialog.isVisible()
    dialog.reject()


def test_an_export_of_selected_drops_has_only_these_and_says_so(panel: DropsPanel, session: Session) -> None:
    click(panel, 1)
    keys = {drop.key for drop in session.plan_editor.marked}
    content = content_of(ExportSource.of(session, keys), None)
    assert [(row.drop.step, row.drop.column) for row in content.rows] == [(60, 1)]
    assert any("1 of the plan's 3 drops" in note for note in content.notes)


def test_a_drop_has_one_number_in_table_card_briefing_and_csv(
    panel: DropsPanel, session: Session, tmp_path: Path
) -> None:
    content = content_of(ExportSource.of(session), None)
    calendar = content.project.calendar
    lines = [line for period in periods_of(content) for line in drop_lines(period, calendar)]
    write_csv(tmp_path / "plan.csv", content)
    with (tmp_path / "plan.csv").open(newline="", encoding="utf-8") as file:
        written = [(row["drop"], row["aircraft"]) for row in csv.DictReader(file)]
    assert written == [("1", "S-2T-1"), ("2", "S-2T-2"), ("3", "CL-415-1")]
    assert [(line[0], line[3]) for line in lines] == written
    assert [(str(row.number), row.record.aircraft) for row in panel.model.rows] == written
    for row, (number, aircraft) in zip(panel.model.rows, written, strict=True):
        session.plan_editor.select(DropList.of([row.record]).drops[0])
        card = card_rows(session)
        assert card is not None and card[0].startswith(f"Drop {number} · {aircraft} · ")
    # Selected drops keep the numbers of the whole plan.
    some = content_of(ExportSource.of(session, [panel.model.rows[2].key]), None)
    assert [row.number for row in some.rows] == [3]


def test_the_table_is_listed_only_while_it_is_seen(panel: DropsPanel, session: Session) -> None:
    panel.hide()
    session.plan_editor.select(None)
    session.show_result(ShownResult())
    assert panel.model.rowCount() == 3
    panel.show()
    assert panel.model.rowCount() == 0
    assert panel.empty.isVisible() and panel.empty.wordWrap() and "start a plan" in panel.empty.text()


def in_brush(project: Project) -> Project:
    """The project with the physical model, in brush and, in the west, grass."""
    event = project.scenario
    fuel = np.full(event.grid.shape, 145.0, np.float32)
    fuel[:, :25] = 101.0
    return with_physical_model(
        replace(project, scenario=replace(event, layers={**event.layers, "fuel": fuel})), PhysicalSettings()
    )


def set_limit(session: Session, limit: float) -> None:
    session.set_plan("limit", replace(session.project.plan, flame_limit_m=limit))


def test_drops_in_long_flames_are_marked_with_the_physical_model(
    qtbot: QtBot, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []

    def counted(project: Project, drops: tuple[DropRecord, ...]) -> dict[tuple[int, int], float] | None:
        calls.append(drops)
        return flame_lengths(project, drops)

    monkeypatch.setattr(drop_flames, "flame_lengths", counted)
    plain = session.project
    session.open_project(in_brush(plain), None)
    show_plan(session)
    panel = DropsPanel(session)
    show_widget(qtbot, panel, 1000, 300)
    assert "Flames m" in panel.model.titles
    qtbot.waitUntil(lambda: all(row.flames is not None for row in panel.model.rows))
    lengths = flame_lengths(session.project, session.result.drops)
    assert lengths is not None and len(calls) == 1
    assert [row.flames for row in panel.model.rows] == [lengths[row.key] for row in panel.model.rows]
    least, *_, most = sorted(lengths.values())
    set_limit(session, (least + most) / 2)
    panel.refresh()
    assert {"long flames" in row.status for row in panel.model.rows} == {True, False}
    for row in panel.model.rows:
        assert row.is_marked == ("long flames" in row.status) == (lengths[row.key] > (least + most) / 2)
    session.set_plan("fail", replace(session.project.plan, drops_fail_in_flames=True))
    panel.refresh()
    assert not any("no effect" in row.status for row in panel.model.rows), "the plan was made with drops that work"
    show_plan(session)
    panel.refresh()
    for row in panel.model.rows:
        assert row.is_marked == ("no effect in long flames" in row.status)
    panel.words.setText("long flames")
    assert 0 < panel.model.rowCount() < 3
    panel.words.clear()
    set_limit(session, 30.0)
    panel.refresh()
    assert not any("flames" in row.status for row in panel.model.rows)
    assert len(calls) == 1, "neither a refresh nor another limit computes them again"
    session.set_units(Units.US)
    panel.refresh()
    assert "Flames ft" in panel.model.titles
    length = lengths[panel.model.rows[0].key]
    assert cell_text(panel.view, 0, panel.model.titles.index("Flames ft")) == f"{length / 0.3048:,.1f}"
    session.undo_stack.clear()
    session.open_project(plain, None)
    show_plan(session)
    panel.refresh()
    assert panel.model.rowCount() == 3 and not any("Flames" in title for title in panel.model.titles)
