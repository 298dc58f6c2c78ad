"""A real firegui driven by a script inside it, which reports its progress and is killed from outside.

``python -m tests.gui.kills.victim MODE PROJECT``: ``edit`` types one number after the other into a field, ``save`` also
presses Ctrl+S, ``run`` starts a plan; ``recover`` accepts what is offered at the start and reports what was recovered.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from firegui.domain.project import Project
from firegui.gui import app
from firegui.gui.jobs.run_entry import RunEntry
from firegui.gui.widgets.fields import WholeField
from firegui.gui.window.main_window import MainWindow
from firegui.gui.window.recovery import RecoverDialog
from firegui.runs.stages import EpochDone, RunState

FIRST = 1_000
"""The first typed number."""
_EDIT_MS, _LOOK_MS = 60, 50
_EDITS_A_SAVE = 3
CTRL = Qt.KeyboardModifier.ControlModifier
LEFT = Qt.MouseButton.LeftButton


def say(word: str, value: object = "") -> None:
    """Print one line for the parent process."""
    print(word, value, flush=True)


def number(window: MainWindow) -> int:
    """Return the number that the project has."""
    return window.workbench.session.project.plan.optimizer.epochs


def say_kept(project: Project | None) -> None:
    """Report which number would be recovered."""
    if project is not None:
        say("kept", project.plan.optimizer.epochs)


class Editor(QObject):
    """Types numbers that rise by one into the field of the epochs; saves now and then if it ``saves``."""

    def __init__(self, window: MainWindow, *, saves: bool) -> None:
        super().__init__(window)
        self._window, self._saves = window, saves
        self._next = FIRST
        recovery = window.workbench.recovery
        assert recovery is not None
        recovery.autosave.kept.connect(say_kept)
        window.workbench.show_panel("Objective")
        field = window.workbench.panels["Objective"].findChild(WholeField, "optimizer_epochs")
        assert isinstance(field, WholeField)
        self._field = field
        self._timer = QTimer(self, interval=_EDIT_MS)
        self._timer.timeout.connect(self._edit)
        self._timer.start()

    def _edit(self) -> None:
        if not self._window.isActiveWindow():
            # Keys of commands belong to the window that has the focus.
            self._window.activateWindow()
            return
        self._field.setFocus()
        self._field.selectAll()
        QTest.keyClicks(self._field, str(self._next))
        QTest.keyClick(self._field, Qt.Key.Key_Return)
        assert number(self._window) == self._next
        say("edit", self._next)
        self._next += 1
        if self._saves and self._next % _EDITS_A_SAVE == 0:
            QTest.keyClick(self._window, Qt.Key.Key_S, CTRL)
            if not self._window.workbench.session.is_dirty:
                say("saved", self._next - 1)


def start_run(window: MainWindow) -> None:
    """Press F5 and report every epoch."""
    if not window.isActiveWindow():
        window.activateWindow()
        QTimer.singleShot(_EDIT_MS, window, lambda: start_run(window))
        return
    window.workbench.queue.epochs_added.connect(say_epoch)
    QTest.keyClick(window, Qt.Key.Key_F5)
    say("started")


def say_epoch(entry: RunEntry) -> None:
    """Report the number of finished epochs."""
    if entry.epoch:
        say("epoch", entry.epoch)


class Recoverer(QObject):
    """Presses Recover when it is offered."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self.offered = False
        self._timer = QTimer(self, interval=_LOOK_MS)
        self._timer.timeout.connect(self._look)
        self._timer.start()

    def _look(self) -> None:
        dialog = QApplication.activeModalWidget()
        if isinstance(dialog, RecoverDialog):
            self.offered = True
            self._timer.stop()
            QTest.mouseClick(dialog.recover, LEFT)


def report(window: MainWindow, offered: bool) -> None:
    """Report what is open now and, for a resumed run, its first epochs; then close."""
    found = {
        "offered": offered, "number": number(window), "dirty": window.workbench.session.is_dirty,
        "name": window.workbench.session.project.scenario.name,
        "states": [entry.status for entry in window.workbench.queue.entries],
    }  # fmt: skip
    say("found", json.dumps(found))
    job = window.workbench.queue._job
    if job is None:
        leave(window)
    else:
        job.bridge.subscribe_batches(EpochDone, lambda rows: resumed(window, rows))


def resumed(window: MainWindow, rows: list[EpochDone]) -> None:
    """Report the first epoch of the resumed run, and stop it."""
    entry = window.workbench.queue.active
    if entry is not None and entry.state is not RunState.STOPPING:
        say("resumed", rows[0].epoch)
        window.workbench.queue.stop()
        window.workbench.queue.stop()
        leave(window)


def leave(window: MainWindow) -> None:
    """Discard the edits and close the window as a user would."""
    if window.workbench.queue.active is not None:
        QTimer.singleShot(_LOOK_MS, window, lambda: leave(window))
        return
    window.workbench.session.undo_stack.setClean()
    window.close()


def drive(mode: str) -> None:
    """Use the window in this way once it has opened its first project."""
    open_initial_project = app.open_initial_project

    def begin(window: MainWindow, project_folder: Path | None) -> None:
        # Kernels would be compiled again in every home folder, for a minute or two.
        window.workbench.session.set_backend("reference")
        if mode == "recover":
            recoverer = Recoverer(window)
            open_initial_project(window, project_folder)
            report(window, recoverer.offered)
            return
        open_initial_project(window, project_folder)
        say("ready")
        if mode == "run":
            start_run(window)
        else:
            Editor(window, saves=mode == "save")

    app.open_initial_project = begin


def main() -> int:
    """Run the mode named on the command line; return the exit status."""
    mode, project = sys.argv[1], Path(sys.argv[2])
    drive(mode)
    return app.main(project)


if __name__ == "__main__":
    raise SystemExit(main())
