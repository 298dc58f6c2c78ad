"""The units switch of the View menu reaches every part of the window at once, and is kept."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from firegui.domain.plan_summary import DaySummary, PlanSummary, TypeDrops
from firegui.domain.results import Metrics
from firegui.domain.units import Units
from firegui.gui.base.layouts import column, scroll_area
from firegui.gui.base.preferences import MemoryStore, Preferences
from firegui.gui.jobs.run_entry import RunEntry
from firegui.gui.map.map_board import MirrorSession
from firegui.gui.planning.result_view import ResultView
from firegui.gui.planning.runs_table import run_columns
from firegui.gui.session.session import FireView
from firegui.gui.widgets.settings_form import FoldedSection
from firegui.runs.stages import FinishReason
from tests.gui.shell_scene import ridge, workbench


@pytest.fixture
def entry(tmp_path: Path) -> RunEntry:
    """Return a finished run of 10 ha, 100 ha without drops."""
    metrics = Metrics(100.0, 10.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0, 0, 1.0)
    made = RunEntry("Whole fire, 19 Aug 12:00", tmp_path, reason=FinishReason.COMPLETED, nominal=metrics)
    made.baseline = replace(metrics, final_extent_ha=100.0)
    day = DaySummary(0, None, (), None, 10.0, 100.0)
    made.summary = PlanSummary((day,), 10.0, 100.0, "no date", False, 0.09)
    return made


def test_the_result_is_in_the_chosen_units(qtbot: QtBot, entry: RunEntry) -> None:
    view = ResultView()
    qtbot.addWidget(view)
    view.show_run(entry)
    assert "10.0&nbsp;ha" in view.text and "acres" not in view.text
    view.show_run(entry, Units.US)
    text = view.text.replace("&nbsp;", " ")
    assert "24.7 acres" in text and "247 acres" in text and re.search(r"\d ha\b|, ha,", text) is None


def test_the_list_of_runs_is_in_the_chosen_units(entry: RunEntry) -> None:
    units = Units.METRIC
    size = next(column for column in run_columns(lambda: units) if column.title == "Final size")
    assert size.text(entry) == "10.0 ha (−90 %)"
    units = Units.US
    assert size.text(entry) == "24.7 acres (−90 %)"


def test_the_switch_is_kept_and_unreadable_ones_are_metric() -> None:
    store = MemoryStore()
    assert Preferences(store).units is Units.METRIC
    Preferences(store).units = Units.US
    assert Preferences(store).units is Units.US
    store.setValue("units", "furlongs")
    assert Preferences(store).units is Units.METRIC


def test_the_menu_switches_the_window_at_once(qtbot: QtBot, tmp_path: Path) -> None:
    with workbench(tmp_path) as window:
        session, actions = window.workbench.session, window.workbench.actions
        session.open_project(ridge(), None)
        changes = []
        session.units_changed.connect(lambda: changes.append(session.units))
        actions["units:us"].trigger()
        assert changes == [Units.US] and actions["units:us"].isChecked()
        texts = [label.text() for label in window.workbench.panels["Scenario"].findChildren(QLabel)]
        assert any(" mi" in text for text in texts)
        mirror = MirrorSession(session, FireView.PLAN)
        shown = [mirror.units]
        actions["units:metric"].trigger()
        assert session.units is Units.METRIC
        shown.append(mirror.units)
        mirror.set_units(Units.US)
        assert [*shown, mirror.units, session.units] == [Units.US, Units.METRIC, Units.US, Units.US]


def test_in_a_narrow_view_the_table_of_days_is_folded_and_no_line_of_the_headline_is_cut_off(
    qtbot: QtBot, entry: RunEntry
) -> None:
    used = tuple(
        TypeDrops(f"Aircraft type with quite a long name number {number}", "water", 10, 8_000.0) for number in range(4)
    )
    assert entry.summary is not None
    entry.summary = replace(entry.summary, days=(replace(entry.summary.days[0], types=used, night=12),))
    view = ResultView()
    qtbot.addWidget(view)
    view.resize(1200, 600)
    view.show()
    view.show_run(entry)
    headline, days = (
        next(each for each in view.findChildren(QLabel) if each.accessibleName() == name)
        for name in ("Result of the run", "Days of the plan")
    )
    assert "By type" in days.text()
    view.resize(310, 100)
    qtbot.waitUntil(lambda: view.verticalScrollBar().maximum() > 0)
    qtbot.waitUntil(lambda: view.horizontalScrollBar().maximum() == 0)
    assert headline.height() >= headline.heightForWidth(headline.width())
    # Nothing of the table goes; what does not fit beside the numbers has a line of its own.
    assert "By type" not in days.text()
    for text in (used[0].type, "12 at night", "Fire, ha", "Without drops, ha", "100"):
        assert text in days.text()
    view.resize(1200, 600)
    qtbot.waitUntil(lambda: "By type" in days.text())


def test_a_whole_view_is_as_high_as_its_text_and_has_no_scroll_bar_of_its_own(qtbot: QtBot, entry: RunEntry) -> None:
    view = ResultView(is_whole=True)
    area = scroll_area(column(view, margins=0))
    qtbot.addWidget(area)
    area.resize(310, 120)
    area.show()
    view.show_run(entry)
    qtbot.waitUntil(lambda: area.verticalScrollBar().maximum() > 0 and view.verticalScrollBar().maximum() == 0)
    needed = view.body.minimumSizeHint().height()
    # A longer text leaves no gap behind.
    view.show_run(entry, note=" ".join(["longer"] * 200))
    qtbot.waitUntil(lambda: view.body.minimumSizeHint().height() > 2 * needed)
    view.show_run(entry)
    qtbot.waitUntil(lambda: view.body.minimumSizeHint().height() == needed and view.height() < 2 * needed)
    before = view.height()
    view.findChildren(FoldedSection)[0].set_open(True)
    qtbot.waitUntil(lambda: view.height() > before and view.verticalScrollBar().maximum() == 0)
