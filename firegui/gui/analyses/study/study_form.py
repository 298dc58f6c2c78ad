"""Form of a study: its text, which is the content of its file, and the processes that compute it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, QTimer, Signal
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLabel, QLineEdit, QMenu, QPlainTextEdit, QWidget

from firegui.analyses.study.settings import STUDY_TEMPLATES, StudyRequest
from firegui.gui.base.layouts import vertical
from firegui.gui.widgets.fields import WholeField
from firegui.gui.widgets.table_buttons import ButtonRow

_FILES = "Studies (*.toml);;All files (*)"
_MOST_WORKERS = 256
_SETTLE_MS = 250
_WORKERS_TIP = "processes of one thread each that compute the cells; 0 is one for every core"
_SCHEDULER_TIP = (
    "the address of a Dask scheduler, such as tcp://10.0.0.5:8786, whose workers compute the cells; empty: this machine"
)
_TEXT_TIP = (
    "The study as its file has it: planner, what is set for every cell, [[vary]] and [[case]] tables, what is measured."
    " F1 explains every key"
)


class StudyForm(QWidget):
    """Form of a study; its text is saved with the study."""

    changed = Signal()
    """The text was edited a moment ago, or replaced."""
    begun = Signal(str)
    """A new study is requested, from this template of :data:`STUDY_TEMPLATES`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text, self.workers, self.scheduler = QPlainTextEdit(), WholeField(0, _MOST_WORKERS), QLineEdit()
        self.file: Path | None = None
        self._start: Callable[[], Path] = Path.home
        self._refuse: Callable[[Path, OSError], object] = lambda path, error: None
        self._settle = QTimer(self, singleShot=True, interval=_SETTLE_MS)
        self._settle.timeout.connect(self.changed)
        self._dress()
        vertical(self, self._files(), self._workers(), (self.text, 1), margins=0, spacing=4)
        self.text.textChanged.connect(self._settle.start)

    # -- for others --------------------------------------------------------------------------------------------------
    def request(self) -> StudyRequest:
        """Return the request for the study."""
        return StudyRequest(self.text.toPlainText(), self.workers.value() or None, self.scheduler.text().strip())

    def set_text(self, text: str, file: Path | None = None) -> None:
        """Show another study; ``file`` is where it is saved, if anywhere."""
        self.file = file
        with QSignalBlocker(self.text):
            self.text.setPlainText(text)
        self._settle.stop()
        self.changed.emit()

    def open(self, path: Path) -> bool:
        """Show the study in a file; return whether it could be read as text."""
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            text = path.read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            self._refuse(path, error)
            return False
        self.set_text(text, path)
        return True

    def set_host(self, start: Callable[[], Path], refuse: Callable[[Path, OSError], object]) -> None:
        """Set the folder of file dialogs, and the callback for files that cannot be read."""
        self._start, self._refuse = start, refuse

    # -- layout ------------------------------------------------------------------------------------------------------
    def _dress(self) -> None:
        self.text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setPlaceholderText("Click New, or open a study file")
        self.text.setMinimumHeight(150)
        self.text.setTabChangesFocus(True)
        self.workers.setFixedWidth(70)
        for field, name, tip in ((self.text, "Study", _TEXT_TIP), (self.workers, "Workers", _WORKERS_TIP),
                                 (self.scheduler, "Scheduler", _SCHEDULER_TIP)):  # fmt: skip
            field.setAccessibleName(name)
            field.setToolTip(tip)
        self.workers.setObjectName("studyWorkers")
        self.scheduler.setPlaceholderText("tcp://… or empty: this machine")
        self.scheduler.setMinimumWidth(150)
        self.scheduler.textChanged.connect(self._on_scheduler)

    def _files(self) -> QWidget:
        buttons = ButtonRow()
        new = buttons.add(
            "new-study", "New", "Create a study of this project from a template", lambda: None, show_text=True
        )
        self.beginnings = QMenu(self)
        for name in STUDY_TEMPLATES:
            self.beginnings.addAction(name, partial(self.begun.emit, name))
        new.clicked.connect(lambda: self.beginnings.popup(new.mapToGlobal(new.rect().bottomLeft())))
        buttons.add("open", "Open…", "Open a study file", self._choose, show_text=True)
        self.save_button = buttons.add("save-as", "Save as…", "Save the study to a file", self._save, show_text=True)
        return buttons

    def _workers(self) -> QHBoxLayout:
        line = QHBoxLayout()
        for name, field in (("Workers", self.workers), ("Scheduler", self.scheduler)):
            label = QLabel(name)
            label.setBuddy(field)
            line.addWidget(label)
            line.addWidget(field, 1 if field is self.scheduler else 0)
        return line

    # -- what happens ------------------------------------------------------------------------------------------------
    def _choose(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self.window(), "Open a study", str(self._start()), _FILES)
        if name:
            self.open(Path(name))

    def _save(self) -> None:
        start = self.file or self._start() / "study.toml"
        name, _ = QFileDialog.getSaveFileName(self.window(), "Save the study", str(start), _FILES)
        if not name:
            return
        try:
            Path(name).write_text(self.text.toPlainText(), encoding="utf-8")
        except OSError as error:
            self._refuse(Path(name), error)
            return
        self.file = Path(name)

    def _on_scheduler(self, text: str) -> None:
        self.workers.setEnabled(not text.strip())
