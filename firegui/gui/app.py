"""The composition root: makes every part of the window once, in order, and takes them down again."""

from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtCore import QLocale, QTimer
from PySide6.QtWidgets import QApplication

from firegui.gui.crash import CrashReporter, log_file, start_log
from firegui.gui.jobs.queue import RunQueue
from firegui.gui.main_window import MainWindow
from firegui.gui.preferences import Preferences, user_store
from firegui.gui.session import Session
from firegui.gui.theme import apply_theme, system_theme


def main(project_folder: Path | None) -> int:
    """Open the workbench, with ``project_folder`` or the demo in it; returns the exit status once it is shut.

    The window is on screen before anything is read, and before the engine is loaded.
    """
    app = make_application(sys.argv[:1])
    path = log_file()
    reporter = CrashReporter(start_log(path), path)
    reporter.install()
    preferences = Preferences(user_store())
    apply_theme(app, preferences.theme or system_theme(app))
    session = Session()
    queue = RunQueue(session)
    window = MainWindow(session, queue, preferences)
    window.show()
    QTimer.singleShot(0, window, lambda: open_first(window, project_folder))
    status = app.exec()
    # A window that was shut by the system has not had its chance to stop the runs.
    window.stop_work()
    return status


def make_application(arguments: list[str]) -> QApplication:
    """The one Qt application, named and with plain numbers whatever the computer's language is."""
    QLocale.setDefault(QLocale.c())
    app = QApplication(arguments)
    app.setApplicationName("firegui")
    app.setOrganizationName("firegui")
    app.setApplicationDisplayName("firegui")
    return app


def open_first(window: MainWindow, project_folder: Path | None) -> None:
    """Open what the window was started with; the demo when that is nothing or cannot be opened."""
    if project_folder is None or not window.documents.open(project_folder):
        window.documents.new_demo()
