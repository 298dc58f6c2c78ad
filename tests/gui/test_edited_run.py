"""A shown run whose drops are edited: the line above the map that keeps them, and what its result says."""

from __future__ import annotations

import pytest
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from firegui.gui.planning.result_panel import ResultPanel
from firegui.gui.planning.run_cards import card_lines
from firegui.gui.window.main_window import MainWindow
from tests.gui.fake_runs import wait_idle
from tests.gui.hands import LEFT
from tests.gui.plan_editor_scene import DROPS

pytestmark = pytest.mark.usefixtures("saved")


def test_edited_drops_are_kept_above_the_map_and_the_result_says_that_it_is_of_the_plan_before(
    qtbot: QtBot, window: MainWindow
) -> None:
    workbench = window.workbench
    bar, session, queue = workbench.shell.centre.bar, workbench.session, workbench.queue
    panel = workbench.panel("Result", ResultPanel)
    workbench.plan.start()
    wait_idle(qtbot, queue)
    panel.refresh()
    assert bar.edited.isHidden() and not bar.edited.button.isVisible() and "before your edit" not in panel.view.text
    session.plan_editor.edit("move the drops", DROPS, None)
    panel.refresh()
    assert bar.edited.isVisible() and bar.edited.button.text() == "Keep as a run"
    assert "before your edit" in panel.view.text
    QTest.mouseClick(bar.edited.button, LEFT)
    qtbot.waitUntil(lambda: len(queue.entries) == 2)
    assert bar.edited.isHidden() and not bar.edited.button.isVisible()
    wait_idle(qtbot, queue)


def test_a_run_of_edited_drops_names_the_run_that_it_was_edited_from(qtbot: QtBot, window: MainWindow) -> None:
    workbench = window.workbench
    session, queue = workbench.session, workbench.queue
    workbench.plan.start()
    wait_idle(qtbot, queue)
    session.plan_editor.edit("move the drops", DROPS, None)
    QTest.mouseClick(workbench.shell.centre.bar.edited.button, LEFT)
    qtbot.waitUntil(lambda: len(queue.entries) == 2)
    wait_idle(qtbot, queue)
    parent, edited = queue.entries
    assert parent.origin_text == "" and card_lines(edited)[0] == f"edited from {parent.title}"
    # The run of the test was played and wrote nothing. A name is kept beside a run's file.
    parent.folder.mkdir(parents=True)
    (parent.folder / "run.toml").touch()
    assert queue.rename(parent, "Evening plan")
    assert card_lines(edited)[0] == "edited from Evening plan"
