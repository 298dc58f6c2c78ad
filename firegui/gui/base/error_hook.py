"""Handling of unexpected errors: they are logged and shown, and the window stays open."""

from __future__ import annotations

import logging
import sys
import threading
import traceback
from collections.abc import Callable
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QObject, QStandardPaths, Qt, Signal
from PySide6.QtWidgets import QApplication, QMessageBox

from firegui.gui.base.dialogs import message_box

_LOG_BYTES, _LOG_FILES = 1_000_000, 3


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
