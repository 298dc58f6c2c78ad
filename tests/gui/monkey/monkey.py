"""Random sequence of user actions from a seed, and what must hold at every step and at its end."""

from __future__ import annotations

import inspect
import time
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from unittest.mock import patch

from PySide6.QtCore import QEvent, QEventLoop, QTimer
from PySide6.QtWidgets import QApplication, QDialog

from firegui.domain.project import Project
from firegui.gui.widgets.fields import commit_editing
from firegui.gui.window import main_window as main_window_module
from firegui.gui.window.main_window import MainWindow
from firegui.io.project.layers import contents_of
from firegui.io.project.store import load_project
from firegui.io.project.text import to_tables
from tests.gui.monkey.actions import Hands
from tests.gui.monkey.sandbox import playground
from tests.gui.monkey.watch import Watch, working_threads

_PATIENCE_S = 300.0
"""A first run may have to compile the engine's kernels, which cannot be interrupted."""
_TRIES = 60


@dataclass(slots=True)
class Sequence:
    """Result of a sequence; ``troubles`` is empty for a good one."""

    seed: int
    trail: list[str] = field(default_factory=list)
    troubles: list[str] = field(default_factory=list)
    edits: int = 0
    seconds: float = 0.0

    def line(self) -> str:
        """Return a report of the sequence, with the last actions before a failure."""
        head = f"seed {self.seed:>4}  {len(self.trail):>4} actions  {self.edits:>3} edits  {self.seconds:6.1f} s"
        if not self.troubles:
            return f"{head}  good"
        last = "\n".join(f"    {number}: {said}" for number, said in list(enumerate(self.trail))[-12:])
        return f"{head}  BAD\n  after\n{last}\n  " + "\n  ".join(self.troubles)


def play(seed: int, actions: int, place: Path, *, real: bool = True) -> Sequence:
    """Play ``actions`` random actions in the empty folder ``place``; ``real``: runs use the real engine."""
    random, found, watch = Random(seed), Sequence(seed), Watch()
    began, threads = time.perf_counter(), len(working_threads())
    with watch.kept():
        with playground(place, random, real=real) as window:
            _Monkey(window, Hands(window, random), watch, found).go(actions)
            if not found.troubles:
                # No action closes a dialog any more. The last request may be refused as at any other time.
                with patch.object(main_window_module, "show_problems", lambda _window, _error: None):
                    commit_editing()
                    found.troubles += _edits_lost(window, place, found)
        _drain()
        left = working_threads()
        if len(left) > threads:
            found.troubles.append(f"threads are left over: {left}")
    found.troubles += watch.heard
    found.seconds = time.perf_counter() - began
    return found


class _Monkey:
    """Acts once per turn of the current event loop, so that it continues inside dialogs and menus."""

    def __init__(self, window: MainWindow, hands: Hands, watch: Watch, found: Sequence) -> None:
        self._window, self._hands, self._watch, self._found = window, hands, watch, found
        self._loop = QEventLoop()
        self._left, self._tries, self._depth = 0, 0, 0

    def go(self, actions: int) -> None:
        """Do that many actions; then close what is open and return."""
        self._left = actions
        QTimer.singleShot(0, self._window, self._turn)
        self._loop.exec()

    def _turn(self) -> None:
        if _is_waiting():
            # Reading and writing take no input meanwhile.
            QTimer.singleShot(5, self._window, self._turn)
            return
        over = self._left <= 0 or bool(self._found.troubles)
        open_still = QApplication.activePopupWidget() is not None or QApplication.activeModalWidget() is not None
        if over and not open_still and self._depth == 0:
            self._loop.quit()
            return
        # Scheduled before acting: the action may block in a dialog until the next action.
        QTimer.singleShot(1, self._window, self._turn)
        # Process what the last action left to the event loop, as a user is never faster.
        QApplication.sendPostedEvents()
        self._depth += 1
        try:
            self._step(over)
        finally:
            self._depth -= 1

    def _step(self, over: bool) -> None:
        if over:
            self._tries += 1
            if self._tries < _TRIES:
                self._hands.give_up()
            elif isinstance(front := QApplication.activeModalWidget(), QDialog):
                self._found.troubles.append(f"Esc does not shut {front.windowTitle()!r}")
                front.done(0)
            return
        self._left -= 1
        self._found.trail.append("…")
        place = len(self._found.trail) - 1
        self._found.trail[place] = self._hands.act()
        self._look()

    def _look(self) -> None:
        session = self._window.workbench.session
        if self._watch.heard:
            self._found.troubles.append("something was said")
        elif session.has_project and self._window.isWindowModified() != session.is_dirty:
            self._found.troubles.append(f"the title's mark is {self._window.isWindowModified()}")


def _is_waiting() -> bool:
    frame = inspect.currentframe()
    while frame is not None:
        # A dialog on another failure may open meanwhile, and takes all input.
        if frame.f_code.co_name in ("wait_for", "show_problems"):
            return frame.f_code.co_name == "wait_for"
        frame = frame.f_back
    return False


# -- at the end --------------------------------------------------------------------------------------------------------
def _edits_lost(window: MainWindow, place: Path, found: Sequence) -> list[str]:
    """Undo everything, redo everything, save and load; return what differs."""
    session, lost = window.workbench.session, list[str]()
    window.workbench.timeline.play(False)
    if works := _what_goes_on(window):
        return [f"this does not end: {works}"]
    stack, end = session.undo_stack, session.project
    found.edits = stack.count()
    here = stack.index()
    for _step in range(here):
        stack.undo()
    if stack.index() != 0 or stack.count() != found.edits:
        lost.append(f"undoing {here} of {found.edits} edits leaves {stack.index()} of {stack.count()}")
    first = session.project
    for _step in range(here):
        stack.redo()
    if not same(session.project, end):
        lost.append("redoing everything does not return to where undoing began")
    for _step in range(stack.index()):
        stack.undo()
    if not same(session.project, first):
        lost.append("undoing everything twice does not lead to the same project")
    for _step in range(here):
        stack.redo()
    return lost + _not_saved(window, place, end)


def _not_saved(window: MainWindow, place: Path, end: Project) -> list[str]:
    folder = window.workbench.session.folder or place / "last.firegui"
    if not window.workbench.documents._save_to(folder, replacing=True):
        return ["the project cannot be saved"]
    return [] if same(load_project(folder), end) else ["what was saved is not what was in memory"]


def same(one: Project, other: Project) -> bool:
    """Return whether two projects are equal, in everything that can be edited and in every array."""
    return to_tables(one) == to_tables(other) and contents_of(one) == contents_of(other)


def _what_goes_on(window: MainWindow) -> list[str]:
    """Return what still runs some time after it was requested to stop; paused runs must stop too."""
    queue, bench = window.workbench.queue, window.workbench
    controllers = bench.controllers.values()
    for entry in queue.entries:
        queue.stop(entry)
    for controller in controllers:
        controller.stop()

    def works() -> list[str]:
        runs = [f"{entry.title}, {entry.status}" for entry in queue.entries if not entry.is_over]
        return [
            *runs,
            *filter(None, [queue.activity]),
            *(type(controller).__name__ for controller in controllers if controller.is_busy),
        ]

    until = time.perf_counter() + _PATIENCE_S
    while works() and time.perf_counter() < until:
        QApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 50)
        time.sleep(0.005)
    return works()


def _drain() -> None:
    for _turn in range(3):
        QApplication.processEvents()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
