"""The composition root: makes every part of the window once, in order, and takes them down again."""

from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtCore import QLocale, QTimer
from PySide6.QtWidgets import QApplication

from firegui.gui.crash import CrashReporter, log_file, start_log
from firegui.gui.main_window import MainWindow
from firegui.gui.preferences import Preferences, user_store
from firegui.gui.theme import apply_theme, wanted_theme

_PATIENCE_MS = 1000


def main(project_folder: Path | None) -> int:
    """Open the workbench, with ``project_folder`` or the start page in it; returns the exit status once it is shut.

    The window is painted before the rest of the program is loaded, and long before the engine is.
    """
    app = make_application(sys.argv[:1])
    path = log_file()
    reporter = CrashReporter(start_log(path), path)
    reporter.install()
    preferences = Preferences(user_store(), path.parent / "recent")
    apply_theme(app, wanted_theme(app, preferences.theme))
    window = MainWindow(preferences=preferences)
    if project_folder is not None:
        window.start_page.say(f"Opening {project_folder.name}…")
    window.furnished.connect(lambda: QTimer.singleShot(0, window, lambda: open_first(window, project_folder)))
    window.first_painted.connect(window.furnish_in_turns)
    # A window that is opened minimised is never painted.
    QTimer.singleShot(_PATIENCE_MS, window, window.furnish_in_turns)
    window.show()
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
    """Open what the window was started with; where that is nothing, or cannot be opened, the start page stays."""
    if project_folder is not None:
        window.documents.open(project_folder)
    window.start_page.say("")
