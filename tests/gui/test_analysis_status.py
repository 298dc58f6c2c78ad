"""The status bar says how far an analysis is from every page, and a notice tells its end."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from firegui.gui.analyses.stress.stress_controller import StressController
from firegui.gui.session.session import Session
from firegui.gui.window.centre import CentreMode
from firegui.gui.window.main_window import MainWindow
from firegui.gui.window.map_notices import ReadyNotice
from firegui.gui.window.workspaces import WorkspaceName
from firegui.runs.events import Progress
from tests.gui.analyses.scene import CASES, FakeRun
from tests.gui.shell_scene import settle

LEFT = Qt.MouseButton.LeftButton
some = pytest.mark.parametrize("name", ["Stress", "Margin", "Uncertainty", "Benchmark"])


@pytest.fixture(autouse=True)
def folder_of_schedule(schedule_file: Path, saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in the folder of the schedule, which requests name; the project is saved."""
    monkeypatch.chdir(schedule_file.parent)


@some
def test_an_analysis_at_work_is_seen_stopped_and_opened_from_another_page(
    qtbot: QtBot, window: MainWindow, name: str
) -> None:
    workbench, case = window.workbench, CASES[name]
    status, controller = workbench.status.analysis, workbench.controllers[name]
    assert not status.isVisible()
    run = FakeRun(case.events, endless=True, first_only=True)
    controller._execute = run
    workbench.shell.go_to_workspace(WorkspaceName.FIRE)
    controller.start(case.request)
    try:
        qtbot.waitUntil(lambda: run.working.is_set() and controller.share > 0)
        settle()
        assert status.isVisible() and status.progress.value() == round(1000 * controller.share)
        assert status.open.text().startswith(controller.name.partition(" of ")[0])
        assert status.open.toolTip().startswith(controller.name)
        QTest.mouseClick(status.open, LEFT)
        assert workbench.shell.shows_result_of(name)
        QTest.mouseClick(status.stop, LEFT)
        qtbot.waitUntil(lambda: not controller.is_busy)
    finally:
        run.endless = False
    assert not status.isVisible()


@some
def test_the_end_of_an_analysis_is_told_on_another_page_with_a_way_to_its_result(
    qtbot: QtBot, window: MainWindow, name: str
) -> None:
    workbench, case = window.workbench, CASES[name]
    controller, notice = workbench.controllers[name], window.findChild(ReadyNotice)
    assert isinstance(notice, ReadyNotice)
    controller._execute = FakeRun(lambda _spec: ())
    workbench.shell.go_to_workspace(WorkspaceName.FIRE)
    controller.start(case.request)
    named = controller.name
    qtbot.waitUntil(lambda: not controller.is_busy)
    settle()
    assert notice.isVisible() and notice.label.text() == f"{named} is ready: all of it"
    QTest.mouseClick(notice.button, LEFT)
    assert workbench.shell.shows_result_of(name) and not notice.isVisible()


def test_a_result_that_the_map_alone_hides_is_offered_above_the_map(qtbot: QtBot, window: MainWindow) -> None:
    workbench, case = window.workbench, CASES["Stress"]
    shell, controller = workbench.shell, workbench.controllers["Stress"]
    offer = shell.centre.bar.hidden
    workbench.show_panel("Stress")
    shell.set_mode(CentreMode.MAP)
    assert not offer.isVisible(), "there is no result yet"
    controller._execute = FakeRun(case.events)
    controller.start(case.request)
    qtbot.waitUntil(lambda: not controller.is_busy and controller.shown is not None)
    settle()
    assert offer.isVisible() and offer.text() == "Show stress test" and not shell.shows_result_of("Stress")
    workbench.show_panel("Margin")
    assert not offer.isVisible()
    workbench.show_panel("Stress")
    QTest.mouseClick(offer, LEFT)
    assert shell.shows_result_of("Stress") and not offer.isVisible()


def test_the_time_left_falls_with_the_work_and_between_two_reports(
    session: Session,
) -> None:
    case, now = CASES["Stress"], [datetime(2026, 1, 1)]
    controller = StressController(session, execute=FakeRun(lambda _spec: (), endless=True), clock=lambda: now[0])
    controller.start(case.request)
    controller._on_step(Progress(0, 8, "late"))
    left = []
    for seconds, done in ((10.0, 2), (10.0, 4), (10.0, 6)):
        now[0] += timedelta(seconds=seconds)
        controller._on_step(Progress(done, 8, "late"))
        left.append(controller.seconds_left)
    assert left == [pytest.approx(30.0), pytest.approx(20.0), pytest.approx(10.0)]
    now[0] += timedelta(seconds=4.0)
    assert controller.seconds_left == pytest.approx(6.0)
    controller.shutdown()
