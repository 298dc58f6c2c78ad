"""Memory after a project was closed: nothing refers to it, and what was freed is returned to the system."""

from __future__ import annotations

import gc
import threading
import weakref
from dataclasses import replace

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from firegui.domain.project import Project
from firegui.domain.scenario import Scenario
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.session.session import FireView, Session, ShownResult
from firegui.gui.window.main_window import MainWindow
from firegui.gui.window.memory import MemoryTrimmer
from tests.gui.fake_runs import drop, frames, metrics


def test_nothing_refers_to_a_closed_project_whatever_was_shown_of_it(
    qtbot: QtBot, session: Session, project: Project, window: MainWindow
) -> None:
    workbench = window.workbench
    closed = show_everything(qtbot, session, project, window)
    session.open_project(project, None)
    qtbot.waitUntil(lambda: not workbench.queue.activity)
    qtbot.waitUntil(lambda: workbench.map.drawn_step == 0)
    QApplication.processEvents()
    gc.collect()
    assert closed() is None, [type(each).__name__ for each in gc.get_referrers(closed())]


def show_everything(qtbot: QtBot, session: Session, project: Project, window: MainWindow) -> weakref.ref[Scenario]:
    """Open a copy of the project, show all layers and views of a result, edit it, and hide the layers again."""
    maps = window.workbench.maps
    session.open_project(replace(project, scenario=replace(project.scenario, name="Closed")), None)
    qtbot.waitUntil(lambda: not window.workbench.queue.activity)
    shown = ShownResult(
        "run", frames(session.project, 12), metrics(), frames(session.project, 4), metrics(), (drop(3),)
    )
    session.show_result(shown)
    hidden = [layer.key for layer in maps.main.layers if not layer.visible]
    for key in hidden:
        maps.main.layers.set_visible(key, True)
    for view in FireView:
        session.set_view(view)
        session.set_step(60)
        qtbot.waitUntil(lambda: maps.main.drawn_step == 60)
    session.set_side_by_side(True)
    session.set_step(70)
    qtbot.waitUntil(lambda: all(pane.drawn_step == 70 for pane in maps.panes))
    session.set_side_by_side(False)
    session.set_regions("delete all", ())
    session.undo_stack.undo()
    for key in (*hidden, "wind", "canopy", "observed"):
        maps.main.layers.set_visible(key, False)
    maps.main.identify_here()
    qtbot.wait(100)
    return weakref.ref(session.project.scenario)


def test_freed_memory_is_returned_in_a_thread_after_a_project_was_opened_and_after_work(
    qtbot: QtBot, session: Session, project: Project, queue: RunQueue
) -> None:
    threads: list[threading.Thread] = []
    trimmer = MemoryTrimmer(session, queue, trim=lambda: threads.append(threading.current_thread()), settle_ms=0)
    session.open_project(project, None)
    qtbot.waitUntil(lambda: bool(threads) and not queue.activity)
    assert threading.main_thread() not in threads
    trimmer.shutdown()
