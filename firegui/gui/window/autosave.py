"""Keeps what was not saved, a moment after every edit, so that a killed program loses next to nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from firegui.domain.project import Project
from firegui.errors import FireguiError
from firegui.gui.base.tasks import LatestTask
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.session.session import Session
from firegui.runs.autosave import AutosaveState, Slot

AFTER_MS = 1_500
"""So long after an edit it is kept; edits that follow do not put it off."""

Key = tuple[object, ...]


class Autosave(QObject):
    """Writes to a :class:`~firegui.runs.autosave.Slot` in a thread of its own: the window never waits for a disk.

    Kept are a project with unsaved edits, one that came from outside and was never saved, and the runs at work.
    """

    kept = Signal(object)
    """The ``Project`` that lies in the slot from now on, ``None`` for nothing."""
    failed = Signal(str)
    """Why it could not be kept; said once until it can be again."""

    def __init__(self, session: Session, queue: RunQueue, place: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session, self._queue, self._place = session, queue, place
        self._slot = Slot(place)
        self._opened: Project | None = session.project if session.has_project else None
        self._kept: Key = ()
        self._asked: Key | None = None
        self._said = ""
        self._given_up = False
        self._writer = LatestTask(self, settle_ms=0)
        self._writer.returned.connect(self._on_kept)
        self._writer.raised.connect(self._on_trouble)
        self._timer = QTimer(self, singleShot=True, interval=AFTER_MS)
        self._timer.timeout.connect(self._keep)
        session.project_opened.connect(self._on_opened)
        session.dirty_changed.connect(self._on_saved)
        for signal in (session.project_edited, session.dirty_changed, session.folder_changed, queue.changed):
            signal.connect(self._look)
        self._look()

    @property
    def slot(self) -> Path:
        """Where this window keeps what is not saved; nothing is there before there is something to keep."""
        return self._slot.path

    # -- for the window ----------------------------------------------------------------------------------------------
    def adopt(self, slot: Slot, opened: Project) -> None:
        """Go on in the slot that a killed window left; ``opened`` is the project that lies in it, or was saved last.

        What it holds stays until the recovered project has been kept in its place.
        """
        self._writer.cancel()
        old, self._slot = self._slot, slot
        self._slot.note_base(opened)
        self._kept = ("adopted",)
        self._writer.shutdown()
        old.remove()
        self._look()

    def ahead_of_save(self) -> Callable[[], object]:
        """What is to be done, in any thread, before the project is saved: keep all of it.

        What was kept before may be older than what is saved then. A kill between the save and the clearing of the slot
        would have the next start offer it; as it is, the slot holds no more than what is saved.
        """
        self._writer.shutdown()
        self._timer.stop()
        self._asked = None
        if self._session.folder is None or not self._session.is_dirty:
            return lambda: None
        work, self._kept = self._work(), self._key()
        return lambda: work(lambda: None)

    def give_up(self) -> None:
        """Everything is saved, or a person has decided to lose it: keep nothing any more."""
        self._given_up = True

    def shutdown(self) -> None:
        """Wait for what is being written. What was not given up is left for the next start. A second call is no harm.

        A window that the system shut, without a question, has not given up anything.
        """
        self._timer.stop()
        self._writer.shutdown()
        if self._given_up:
            self._slot.remove()
        elif self._key() != self._kept:
            self._write_now()
        self._slot.release()

    # -- when --------------------------------------------------------------------------------------------------------
    def _on_opened(self) -> None:
        self._opened = self._session.project
        self._look()

    def _on_saved(self, dirty: bool) -> None:
        if not dirty and self._session.has_project and self._session.folder is not None:
            # From here on, undo leads back to what is saved.
            self._opened = self._session.project
            self._timer.stop()
            self._keep()

    def _look(self) -> None:
        # Not put off by the next edit: one that is dragged for a minute is kept all the while.
        known = self._kept if self._asked is None else self._asked
        if not self._given_up and not self._timer.isActive() and self._key() != known:
            self._timer.start()

    def _key(self) -> Key:
        """Equal keys need no second writing; projects are equal where they are one value."""
        what = self._what()
        return () if what is None else (what.project, what.folder, what.edits, what.runs, what.waiting)

    # -- what --------------------------------------------------------------------------------------------------------
    def _what(self) -> AutosaveState | None:
        session = self._session
        if not session.has_project or self._opened is None:
            return None
        working = [entry for entry in self._queue.entries if not entry.is_over]
        runs = tuple(entry.folder for entry in working if entry.folder.exists())
        # The demo is made anew in a moment, and what is open read-only lies in its folder; what was imported may not.
        precious = session.source is None and not session.project.scenario.synthetic
        if not session.is_dirty and not runs and not precious:
            return None
        waiting = len(working) - len(runs)
        return AutosaveState(session.project, self._opened, session.folder, session.is_dirty, runs, waiting)

    def _keep(self) -> None:
        self._asked = self._key()
        self._writer.request(self._work())

    def _work(self) -> Callable[[Callable[[], None]], Key]:
        slot, what, key = self._slot, self._what(), self._key()

        def keep(_check: Callable[[], None]) -> Key:
            if what is None:
                slot.clear()
            else:
                slot.keep(what)
            return key

        return keep

    def _on_kept(self, key: Key) -> None:
        self._kept, self._asked, self._said = key, None, ""
        self.kept.emit(key[0] if key else None)
        self._look()

    def _on_trouble(self, error: object) -> None:
        # Tried again after the next edit, not at once: a full disk does not get emptier by asking.
        self._kept, self._asked = self._asked or (), None
        text = str(error) if isinstance(error, FireguiError) else f"{type(error).__name__}: {error}"
        if text != self._said:
            self._said = text
            self.failed.emit(text)

    def _write_now(self) -> None:
        try:
            self._work()(lambda: None)
        except (FireguiError, OSError) as error:
            self._on_trouble(error)
