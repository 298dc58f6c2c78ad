"""Window in a process of its own that is brought into a state and closed with one of three answers.

``python -m tests.gui.closing.child PROJECT STATE ANSWER`` prints one line of JSON on what it saw and ends as the
program does. PROJECT is a folder that the test may change.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEventLoop, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QCheckBox, QDialog, QMessageBox, QWidget

from firegui.gui import app
from firegui.gui.analyses.panel import AnalysisPanel
from firegui.gui.jobs.run_entry import RunEntry
from firegui.gui.planning.replan_dialog import ReplanDialog
from firegui.gui.planning.runs_panel import RunsPanel
from firegui.gui.window.main_window import MainWindow
from firegui.runs.stages import RunState

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
SHIFT, CONTROL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier
PATIENCE_MS = 120_000
_LOOK_MS = 20
WORDS = {"keep": "Cancel", "stop": "Stop, save", "discard": "Delete"}
"""Beginning of the label of each answer's button."""


def until(done: Callable[[], bool]) -> None:
    """Process events until ``done``. Raises ``TimeoutError`` if that takes too long."""
    left = PATIENCE_MS // _LOOK_MS
    while not done():
        loop = QEventLoop()
        QTimer.singleShot(_LOOK_MS, loop.quit)
        loop.exec()
        left -= 1
        if left <= 0:
            raise TimeoutError("the window never came into the state")


class Hand:
    """Brings the window into a state as a user would, closes it, and answers its questions."""

    def __init__(self, window: MainWindow) -> None:
        self.window = window
        self.seen: dict[str, object] = {}
        self.asked: list[str] = []

    # -- the states --------------------------------------------------------------------------------------------------
    def reach(self, state: str) -> None:
        """Bring the window into ``state``.

        Raises ``KeyError`` for an unknown state, ``TimeoutError`` if it is never reached.
        """
        ways: dict[str, Callable[[], object]] = {
            "none": self.rest, "evaluating": self.evaluating, "starting": self.starting, "running": self.running,
            "paused": self.paused, "pruning": self.pruning, "stopping": self.stopping, "finished": self.finished,
            "replanning": self.replanning, "uncertainty": lambda: self.controller("Uncertainty"),
            "benchmark": lambda: self.controller("Benchmark"), "sensitivity": lambda: self.controller("Sensitivity"),
            "resumed": self.resumed,
        }  # fmt: skip
        ways[state]()
        active = self.window.workbench.queue.active
        self.seen |= {"folder": str(active.folder) if active else "", "status": active.status if active else ""}

    def key(self, key: Qt.Key, modifier: Qt.KeyboardModifier = NONE) -> None:
        """Press a key in the window, which a window system activates again after a dialog has closed."""
        self.window.activateWindow()
        until(self.window.isActiveWindow)
        QTest.keyClick(self.window, key, modifier)

    def rest(self) -> None:
        queue = self.window.workbench.queue
        until(lambda: not queue.is_busy and not queue.activity)

    def evaluating(self) -> None:
        until(lambda: bool(self.window.workbench.queue.activity))
        self.seen["activity"] = self.window.workbench.queue.activity

    def starting(self) -> RunEntry:
        self.key(Qt.Key.Key_F5)
        active = self.window.workbench.queue.active
        assert active is not None, "the run did not start"
        return active

    def running(self) -> RunEntry:
        entry = self.starting()
        until(lambda: entry.epoch >= 2)
        return entry

    def paused(self) -> None:
        entry = self.running()
        self.key(Qt.Key.Key_F6, Qt.KeyboardModifier.ControlModifier)
        until(lambda: entry.state is RunState.PAUSED)

    def pruning(self) -> None:
        """Prune a plan of many drops."""
        self.finished()
        (planned,) = self.window.workbench.queue.entries
        self.click(self.choose(planned).button("prune"))
        until(lambda: self.window.workbench.queue.active is not None)
        entry = self.window.workbench.queue.active
        assert entry is not None
        until(lambda: len(entry.removals) > 0 or entry.is_over)
        assert not entry.is_over, entry.message

    def stopping(self) -> None:
        self.running()
        self.key(Qt.Key.Key_F6, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)

    def finished(self) -> None:
        self.rest()
        self.key(Qt.Key.Key_F5, SHIFT)
        until(lambda: bool(self.window.workbench.queue.entries))
        self.rest()

    def replanning(self) -> None:
        self.finished()
        self.when(ReplanDialog, self.fill_replan)
        self.key(Qt.Key.Key_F5, CONTROL)
        active = self.window.workbench.queue.active
        assert active is not None and active.replans, "nothing is replanned"
        until(lambda: active.state is RunState.RUNNING)

    def fill_replan(self, dialog: QWidget) -> None:
        assert isinstance(dialog, ReplanDialog)
        box = dialog.loop
        assert isinstance(box, QCheckBox)
        self.click(box)
        self.click(dialog.go)

    def controller(self, title: str) -> None:
        self.finished()
        self.window.workbench.show_panel(title)
        button = self.window.workbench.panel(title, AnalysisPanel).button("start")
        until(button.isEnabled)
        self.click(button)
        controller = self.window.workbench.controllers[title]
        until(lambda: controller.is_busy and controller.share > 0.0)
        self.seen["busy"] = controller.is_busy

    def resumed(self) -> None:
        """Resume the stopped run, and wait until it has made progress."""
        self.rest()
        (entry,) = (each for each in self.window.workbench.queue.entries if each.is_resumable)
        self.seen["before"] = [entry.epoch, len(entry.removals)]
        self.click(self.choose(entry).button("resume"))
        done = (entry.epoch, len(entry.removals))
        until(lambda: (entry.epoch, len(entry.removals)) > done or entry.is_over)
        self.seen["after"] = [entry.epoch, len(entry.removals)]

    def choose(self, entry: RunEntry) -> RunsPanel:
        """Click the line of a run."""
        panel = self.window.workbench.panels["Runs"]
        assert isinstance(panel, RunsPanel)
        self.window.workbench.show_panel("Runs")
        index = panel.model.index(panel.model.place_of(entry), 0)
        panel.table.scrollTo(index)
        QTest.mouseClick(panel.table.viewport(), LEFT, NONE, panel.table.visualRect(index).center())
        return panel

    # -- closing -----------------------------------------------------------------------------------------------------
    def close(self, answer: str) -> None:
        """Close the window and give ``answer``.

        After ``keep``, check that all work continues, and close with ``stop``.
        """
        if answer == "keep":
            self.when(QMessageBox, lambda box: self.answer(box, answer))
            shut = self.window.close()
            self.seen["kept"] = not shut and self.window.isVisible() and bool(self.works())
            answer = "stop"
        self.when(QMessageBox, lambda box: self.answer(box, answer))
        self.seen["shut"] = self.window.close()
        self.seen["asked"] = self.asked
        print(json.dumps(self.seen), flush=True)

    def works(self) -> list[str]:
        return [work.title for work in self.window.workbench.documents._works()]

    def answer(self, box: QWidget, answer: str) -> None:
        assert isinstance(box, QMessageBox)
        self.asked.append(box.text())
        self.click(next(button for button in box.buttons() if button.text().startswith(WORDS[answer])))

    @staticmethod
    def click(button: QAbstractButton) -> None:
        """Click a button at its check mark, if it has one."""
        place = button.rect().center()
        place.setX(min(place.x(), 8))
        QTest.mouseClick(button, LEFT, NONE, place)

    def when(self, kind: type[QDialog], do: Callable[[QWidget], object]) -> None:
        """Call ``do`` once a dialog of that ``kind`` is open."""

        def look() -> None:
            front = QApplication.activeModalWidget()
            if isinstance(front, kind) and front.isVisible():
                do(front)
            else:
                QTimer.singleShot(_LOOK_MS, self.window, look)

        QTimer.singleShot(_LOOK_MS, self.window, look)


def main(folder: Path, state: str, answer: str) -> int:
    """Open, reach the state and close; return the program's exit status, or 3 if it was never reached."""
    open_initial_project, failed = app.open_initial_project, list[BaseException]()

    def begin(window: MainWindow, project: Path | None) -> None:
        open_initial_project(window, project)
        hand = Hand(window)
        try:
            hand.reach(state)
            hand.close(answer)
        except BaseException as error:
            failed.append(error)
            QApplication.exit(3)
            raise

    app.open_initial_project = begin  # type: ignore[assignment]
    status = app.main(folder)
    return 3 if failed else status


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), *sys.argv[2:4]))
