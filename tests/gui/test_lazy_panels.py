"""Panels are built when they are first shown, and then show what happened before."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from firegui.domain.regions import Region
from firegui.domain.units import Units
from firegui.gui.charts.chart import Chart
from firegui.gui.map.drop_edits import drop_of
from firegui.gui.session.session import Session
from firegui.gui.widgets.lazy_widget import LazyWidget
from firegui.gui.widgets.split_panel import SplitPanel
from firegui.gui.window.centre import CentreMode
from firegui.gui.window.main_window import MainWindow
from firegui.gui.window.workspaces import WorkspaceName, panels_of
from tests.gui.fake_runs import FakeExecute, wait_idle
from tests.gui.readouts import wait_for_same
from tests.gui.shell_scene import build_panels, settle

LASTING = {"Timeline", "Layers", "Legend"}
"""Panels that are shown at first or that other parts of the window need."""


@pytest.fixture
def execute() -> FakeExecute:
    return FakeExecute()


def built(window: MainWindow) -> set[str]:
    """Return the names of the panels that exist."""
    return {name for name in window.workbench.panels if window.workbench.panels.is_built(name)}


def test_a_panel_is_built_when_it_is_first_shown(window: MainWindow) -> None:
    shell = window.workbench.shell
    shell.set_side_visible(False)
    assert built(window) <= LASTING | {"Scenario"}
    assert not window.findChildren(Chart)
    QTest.keyClick(window, Qt.Key.Key_F7)
    assert "Progress" in built(window) and window.workbench.panels["Progress"].isVisible()
    shell.show_workspace(WorkspaceName.ANALYSE)
    assert "Uncertainty" in built(window) and not {"Stress", "Study", "Fleet"} & built(window)
    window.workbench.show_panel("Stress")
    stress = window.workbench.panel("Stress", SplitPanel)
    assert stress.settings.isVisible() and not stress.isVisible()
    shell.set_mode(CentreMode.BOTH)
    assert stress.result.isVisible()
    assert window.workbench.panels["Stress"] is stress
    with pytest.raises(KeyError):
        window.workbench.panels["Nothing"]
    with pytest.raises(KeyError):
        window.workbench.panel("Fleet", SplitPanel)


def test_a_panel_that_is_built_late_shows_what_happened_before(
    qtbot: QtBot, window: MainWindow, session: Session, tmp_path: Path
) -> None:
    build_panels(window)
    workbench, project = window.workbench, session.project
    session.open_project(project, tmp_path)
    region = Region.rectangle("R2", (20, 30), (30, 40))
    session.set_regions("add", (*project.regions, region))
    session.select_region(region.name)
    session.set_plan("fewer days", replace(session.project.plan, days=3))
    session.set_units(Units.US)
    session.mark_saved(tmp_path)
    workbench.queue.plan()
    wait_idle(qtbot, workbench.queue)
    qtbot.waitUntil(lambda: bool(session.result.drops))
    session.plan_editor.select(drop_of(session, session.result.drops[0]))
    session.message.emit("a line of the log")
    for name, make in workbench._panel_makers():
        if name not in LASTING:
            # What is hidden is drawn when it is shown again.
            workbench.shell.reveal_panel(name)
            workbench.shell.set_mode(CentreMode.BOTH)
            settle(20)
        # Not a window of its own: the focus would select a row of a table.
        early, late = workbench.panels[name], make(window)
        late.resize(early.size())
        late.show()
        for one, other in zip(parts_of(early), parts_of(late), strict=True):
            wait_for_same(qtbot, one, other)


def parts_of(panel: QWidget) -> tuple[QWidget, ...]:
    return (panel.settings, panel.result) if isinstance(panel, SplitPanel) else (panel,)


def test_the_search_also_finds_settings_that_were_never_shown(qtbot: QtBot, window: MainWindow) -> None:
    shell = window.workbench.shell
    shell.show_workspace(WorkspaceName.ANALYSE)
    assert "Study" not in built(window)
    QTest.keyClicks(shell.side.search, "cost of margin")
    found = shell.side.sections["Margin"]
    assert found.isVisible(), "by its heading at once"
    shell.side.search.setText("compared with their peers")
    shell.side.search.setText("processes")
    analyses = panels_of(WorkspaceName.ANALYSE)
    qtbot.waitUntil(lambda: set(analyses) <= built(window))
    assert shell.side.sections["Study"].isVisible() and shell.side.sections["Study"].content.isVisible()
    shell.side.search.clear()
    assert all(shell.side.sections[name].isVisible() for name in analyses)


def test_the_side_panel_makes_room_for_a_panel_that_is_built_unless_it_was_made_narrower(window: MainWindow) -> None:
    shell = window.workbench.shell
    window.resize(1600, 900)
    window.workbench.show_panel("Scenario")
    settle()
    usual = shell.side.width()
    wide_section(window, "Fleet", usual + 60)
    window.workbench.show_panel("Fleet")
    settle()
    assert shell.side.width() >= usual + 60
    shell._set_side_width(usual - 20)
    wide_section(window, "Constraints", usual + 120)
    window.workbench.show_panel("Constraints")
    settle()
    assert shell.side.width() == usual - 20


def wide_section(window: MainWindow, name: str, width: int) -> None:
    """Make a panel that was not built yet need this width."""
    place = window.workbench.shell.side.sections[name].content
    assert isinstance(place, LazyWidget)
    content = QLabel()
    content.setMinimumWidth(width)
    place._build = lambda: place.put(content)
