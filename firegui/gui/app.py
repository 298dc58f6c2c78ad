"""Start of the window: application, log, handling of unexpected errors, theme and main window."""

from __future__ import annotations

import gc
import logging
import os
import sys
import threading
import traceback
from collections.abc import Callable
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale, QObject, QStandardPaths, Qt, QTimer, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication, QMessageBox

from firegui.assets import installed_version, resource
from firegui.gui.base.dialogs import message_box
from firegui.gui.base.preferences import Preferences, user_store
from firegui.gui.base.theme import apply_theme, resolve_theme
from firegui.gui.window.main_window import MainWindow

if TYPE_CHECKING:
    from firegui.gui.window.event_log import LogEntry

_LOG_BYTES, _LOG_FILES = 1_000_000, 3


_PATIENCE_MS = 1000
_SWITCH_S = 0.0001
_FULL_COLLECTION = 100
"""Collections of young objects before Python looks through all of them; 10 by default."""
_UNEXPECTED = "Unexpected error: "
_LEVELS = {"warning": logging.WARNING, "error": logging.ERROR}


def log_file() -> Path:
    """Return the path of the user's log file; its folder is created."""
    place = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.AppLocalDataLocation)
    folder = Path(place) if place else Path.home() / ".firegui"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / "firegui.log"


def start_log(path: Path) -> logging.Logger:
    """Return the logger that writes to ``path``; the file is rotated at three million characters."""
    logger = logging.getLogger("firegui")
    handler = RotatingFileHandler(path, maxBytes=_LOG_BYTES, backupCount=_LOG_FILES - 1, encoding="utf-8", delay=True)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    return logger


class CrashReporter(QObject):
    """Hook for uncaught errors of all threads. It shows them in the GUI thread."""

    unexpected = Signal(str)

    def __init__(self, logger: logging.Logger, path: Path, show: Callable[[str, Path], None] | None = None) -> None:
        super().__init__()
        self._logger, self._path = logger, path
        self._show = show or show_unexpected
        self._showing = False
        self.unexpected.connect(self._show_once, Qt.ConnectionType.QueuedConnection)

    def install(self) -> None:
        """Report every uncaught error from now on."""
        sys.excepthook = self.report
        threading.excepthook = lambda args: self.report(args.exc_type, args.exc_value, args.exc_traceback)

    def report(self, kind: type[BaseException], error: BaseException | None, trace: TracebackType | None) -> None:
        """Log an error and show it; Ctrl+C in the terminal closes the window instead."""
        if issubclass(kind, KeyboardInterrupt):
            QApplication.closeAllWindows()
            return
        text = "".join(traceback.format_exception(kind, error, trace))
        self._logger.error("unexpected error\n%s", text)
        print(text, file=sys.stderr)
        self.unexpected.emit(text)

    def _show_once(self, text: str) -> None:
        # An error may repeat, for example on every repaint. One box is enough, as the log has all of them.
        if self._showing:
            return
        self._showing = True
        try:
            self._show(text, self._path)
        finally:
            self._showing = False


def show_unexpected(text: str, path: Path) -> None:
    """Show the error and where the log is, and say that the window can still be used."""
    box = message_box(
        None, QMessageBox.Icon.Critical, "Unexpected error",
        "An unexpected error occurred. Save your project under another name to be safe.",
        f"The last step may be incomplete. Please report the error with the log:\n{path}",
    )  # fmt: skip
    box.addButton(QMessageBox.StandardButton.Ok)
    box.setDetailedText(text)
    box.exec()


def main(project_folder: Path | None) -> int:
    """Open the window with ``project_folder`` or the start page, and return the exit status.

    The window is painted before the rest of the program and the engine are loaded.
    """
    app = make_application(sys.argv[:1])
    path = log_file()
    logger = start_log(path)
    reporter = CrashReporter(logger, path)
    reporter.install()
    own = path.parent
    preferences = Preferences(user_store(), own / "recent", own / "recovery", own / "demos")
    apply_theme(app, resolve_theme(app, preferences.theme))
    window = MainWindow(preferences=preferences)
    if project_folder is not None:
        window.start_page.show_state(f"Opening {project_folder.name}…")
    window.ui_built.connect(lambda: QTimer.singleShot(0, window, lambda: open_initial_project(window, project_folder)))
    window.ui_built.connect(lambda: connect_log(window, logger, reporter, path))
    window.first_painted.connect(window.build_ui_stepwise)
    # A window that is opened minimised is never painted.
    QTimer.singleShot(_PATIENCE_MS, window, window.build_ui_stepwise)
    window.show_on_screen()
    status = app.exec()
    # A window closed by the system has not stopped its runs.
    window.stop_work()
    return status


def connect_log(window: MainWindow, logger: logging.Logger, reporter: CrashReporter, path: Path) -> None:
    """Write the entries of the event log to the log file, and unexpected errors to both."""
    log = window.workbench.event_log
    reporter.unexpected.connect(lambda text: log.add(f"{_UNEXPECTED}{text.strip().splitlines()[-1]}", "error"))
    log.added.connect(lambda line: _write(logger, line))
    log.add(f"firegui {installed_version()}, process {os.getpid()}; the log file is {path}")


def _write(logger: logging.Logger, line: LogEntry) -> None:
    # The reporter has already logged the complete error.
    if not line.text.startswith(_UNEXPECTED):
        logger.log(_LEVELS.get(line.level, logging.INFO), line.text)


def make_application(arguments: list[str]) -> QApplication:
    """Return the Qt application, with plain numbers whatever the language of the computer is."""
    # A run also computes in Python in its thread. The window waits for this interval to get the interpreter lock, many
    # times in one repaint.
    sys.setswitchinterval(_SWITCH_S)
    # A full collection stops the program for about 50 ms. A run makes many long-lived objects and would trigger one
    # every few seconds.
    gc.set_threshold(*gc.get_threshold()[:2], _FULL_COLLECTION)
    # Qt would share out the painting of an image and wait for threads that compete with those of a run. Painting it in
    # one thread takes half the time then, and no longer on an idle computer.
    os.environ.setdefault("QT_NO_GUI_THREADPOOL", "1")
    QLocale.setDefault(QLocale.c())
    app = QApplication(arguments)
    app.setApplicationName("firegui")
    app.setOrganizationName("firegui")
    app.setApplicationDisplayName("firegui")
    app.setDesktopFileName("firegui")  # The desktop finds the entry, and so the icon, by this name.
    app.setWindowIcon(QIcon(str(resource("icons/firegui.png"))))
    return app


def open_initial_project(window: MainWindow, project_folder: Path | None) -> None:
    """Offer to restore unsaved work after a crash, then open ``project_folder`` if given.

    Without either, the start page stays.
    """
    window.workbench.monitor_work()
    recovery = window.workbench.recovery
    recovered = recovery is not None and recovery.offer()
    if project_folder is not None and not recovered:
        window.workbench.documents.open(project_folder)
    window.start_page.show_state("")
