"""Combo box of the schedules that can be analysed."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, QSignalBlocker, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.widgets.fields import narrow_combo
from firegui.runs.run_folder import kept_plan

_NONE, _BROWSE = "", "browse"
_FILES = "Schedules (*.safetensors *.csv);;All files (*)"


class ScheduleChoice(QObject):
    """Choice of a schedule: plans of runs, the latest first, then files, then ``none`` if it has a title.

    It follows the shown run, unless the user has chosen another schedule.
    """

    changed = Signal()
    """The selected schedule or the offered schedules changed."""

    def __init__(self, queue: RunQueue, window: QWidget, ask: str, none: str = "") -> None:
        super().__init__(window)
        self._queue, self._window, self._ask, self._none = queue, window, ask, none
        self._files: list[Path] = []
        self._awaits_shown = self._is_by_hand = False
        self.box = narrow_combo("Schedule", "schedule")
        self.box.currentIndexChanged.connect(self._on_index)
        self.box.activated.connect(self._on_chosen)
        queue.changed.connect(self.refresh)
        queue.shown_changed.connect(self._follow_shown)
        self.refresh()
        self._follow_shown()

    @property
    def file(self) -> Path | None:
        """The selected schedule; ``None`` for none."""
        data = self.box.currentData()
        return Path(data) if isinstance(data, str) and data not in (_NONE, _BROWSE) else None

    def add_file(self, file: Path) -> None:
        """Add a schedule file that the user chose, and select it."""
        if file not in self._files:
            self._files.append(file)
        self.refresh()
        self.box.setCurrentIndex(self.box.findData(str(file)))
        self._awaits_shown, self._is_by_hand = False, True
        self.changed.emit()

    def choose_run(self, folder: Path) -> None:
        """Select the plan of the run in ``folder``, if it is offered."""
        file = kept_plan(folder)
        index = -1 if file is None else self.box.findData(str(file))
        if index >= 0:
            self._is_by_hand = False
            self.box.setCurrentIndex(index)

    def refresh(self) -> None:
        """Refresh the list; the selection stays."""
        kept = ((entry, kept_plan(entry.folder)) for entry in reversed(self._queue.entries) if entry.is_over)
        offers = [(entry.title, str(file)) for entry, file in kept if file is not None and entry.project is not None]
        offers += [(file.name, str(file)) for file in self._files if str(file) not in dict(offers).values()]
        offers += [(self._none, _NONE)] if self._none else []
        offers.append(("File…", _BROWSE))
        if offers == [(self.box.itemText(k), self.box.itemData(k)) for k in range(self.box.count())]:
            return
        chosen = self.box.currentData()
        with QSignalBlocker(self.box):
            self.box.clear()
            for title, file in offers:
                self.box.addItem(title, file)
            found = self.box.findData(chosen) if chosen and chosen != _BROWSE else -1
            self.box.setCurrentIndex(found if found >= 0 else self._first())
            self._is_by_hand = self._is_by_hand and (found >= 0 or chosen == _NONE)
        if self._awaits_shown:
            self._follow_shown()
        self.changed.emit()

    def _on_chosen(self, index: int) -> None:
        self._awaits_shown = False
        # Who chooses the shown run again lets the choice follow the map again.
        self._is_by_hand = index != self._shown_index()

    def _first(self) -> int:
        """Return the default entry: the shown run's plan, else the latest, else none."""
        shown = self._shown_index()
        return shown if shown >= 0 else 0 if self.box.count() > 1 else -1

    def _shown_index(self) -> int:
        shown = self._queue.shown
        file = None if shown is None or not shown.is_over else kept_plan(shown.folder)
        return -1 if file is None else self.box.findData(str(file))

    def _follow_shown(self) -> None:
        if self._is_by_hand:
            return
        index = self._shown_index()
        # A run that is shown while it works has a plan to choose once it has ended.
        self._awaits_shown = index < 0 and self._queue.shown is not None
        if index >= 0:
            self.box.setCurrentIndex(index)

    def _on_index(self, _index: int) -> None:
        if self.box.currentData() == _BROWSE:
            with QSignalBlocker(self.box):
                self.box.setCurrentIndex(self._first())
            name, _filter = QFileDialog.getOpenFileName(self._window.window(), self._ask, "", _FILES)
            if name:
                self.add_file(Path(name))
        self.changed.emit()
