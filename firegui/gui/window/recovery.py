"""Autosave of unsaved work, and its recovery after a crash."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from enum import Enum, auto
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QDialogButtonBox,
    QListWidget,
    QListWidgetItem,
    QWidget,
)  # fmt: skip

from firegui.domain.project import Project
from firegui.errors import Check, FireguiError, InputError
from firegui.gui.base.dialogs import Dialog, confirm
from firegui.gui.base.layouts import plain_label, vertical
from firegui.gui.base.plain_text import tooltip
from firegui.gui.base.tasks import LatestTask, wait_for
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.planning.edited_plan_saver import BY_HAND, EditedPlanSaver, drafts_in
from firegui.gui.session.reporting import as_input_error
from firegui.gui.session.session import Session
from firegui.gui.window.documents import Documents
from firegui.runs.autosave import (
    AutosaveSlot,
    AutosaveState,
    RecoverableProject,
    recoverable_projects,
    recovery_gone_error,
)
from firegui.runs.messages import counted
from firegui.runs.run_folder import same_folder
from firegui.runs.titles import schedule_title

AFTER_MS = 1_500
"""An edit is saved after this time; later edits do not delay it."""

Key = tuple[object, ...]
_ABOUT = (
    "firegui did not end normally. Unsaved work was kept apart from your projects. Recovered edits can be undone with "
    "Ctrl+Z, and nothing is saved until you save it."
)


class Autosave(QObject):
    """Writer to a :class:`~firegui.runs.autosave.AutosaveSlot` in a thread of its own.

    A slow disk never blocks the window. It saves a project with unsaved edits, an imported one that was never saved,
    and the folders of unfinished runs.
    """

    kept = Signal(object)
    """The ``Project`` that is in the slot now, or ``None``."""
    failed = Signal(str)
    """Reason why the work could not be saved; emitted once for the same reason in a row."""

    def __init__(self, session: Session, queue: RunQueue, folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session, self._queue = session, queue
        self._slot = AutosaveSlot(folder)
        self._opened: Project | None = session.project if session.has_project else None
        self._kept: Key = ()
        self._asked: Key | None = None
        self._reported = ""
        self._given_up = False
        self._writer = LatestTask(self, settle_ms=0)
        self._writer.returned.connect(self._on_kept)
        self._writer.raised.connect(self._on_failed)
        self._timer = QTimer(self, singleShot=True, interval=AFTER_MS)
        self._timer.timeout.connect(self._keep)
        session.project_opened.connect(self._on_opened)
        session.dirty_changed.connect(self._on_saved)
        for signal in (session.project_edited, session.dirty_changed, session.folder_changed, queue.changed):
            signal.connect(self._schedule)
        self._schedule()

    @property
    def slot(self) -> Path:
        """Folder of the slot; it exists once there is something to save."""
        return self._slot.path

    # -- for the window ----------------------------------------------------------------------------------------------
    def adopt(self, slot: AutosaveSlot, opened: Project) -> None:
        """Continue in the slot that a crash left; ``opened`` is the project as it was last saved.

        The contents of the slot stay until the recovered project has replaced them.
        """
        self._writer.cancel()
        old, self._slot = self._slot, slot
        self._slot.note_base(opened)
        self._kept = ("adopted",)
        self._writer.shutdown()
        old.remove()
        self._schedule()

    def before_save(self) -> Callable[[], object]:
        """Return what must be done, in any thread, before the project is saved: write its current state.

        The slot may hold an older state. After a crash between saving and clearing the slot, the next start would offer
        that state.
        """
        self._writer.shutdown()
        self._timer.stop()
        self._asked = None
        if self._session.folder is None or not self._session.is_dirty:
            return lambda: None
        work, self._kept = self._work(), self._key()
        return lambda: work(lambda: None)

    def discard(self) -> None:
        """Delete the slot: everything is saved, or the user has discarded it."""
        self._given_up = True

    def shutdown(self) -> None:
        """Wait for the current write; work that was not discarded stays for the next start.

        A window that the system closed without a question has not discarded anything. A second call is harmless.
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
        self._schedule()

    def _on_saved(self, dirty: bool) -> None:
        if not dirty and self._session.has_project and self._session.folder is not None:
            # From here on, undo leads back to the saved state.
            self._opened = self._session.project
            self._timer.stop()
            self._keep()

    def _schedule(self) -> None:
        # The next edit does not delay it: during a drag of a minute, edits are saved all the time.
        known = self._kept if self._asked is None else self._asked
        if not self._given_up and not self._timer.isActive() and self._key() != known:
            self._timer.start()

    def _key(self) -> Key:
        """Return the identity of the work: equal keys need no second write."""
        what = self._what()
        return () if what is None else (what.project, what.folder, what.edits, what.runs, what.waiting)

    # -- what --------------------------------------------------------------------------------------------------------
    def _what(self) -> AutosaveState | None:
        session = self._session
        if not session.has_project or self._opened is None:
            return None
        working = [entry for entry in self._queue.entries if not entry.is_over]
        runs = tuple(entry.folder for entry in working if entry.folder.exists())
        # The demo is quickly made again, and a read-only project is in its folder. An imported one may be nowhere.
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

        def keep(_check: Check) -> Key:
            if what is None:
                slot.clear()
            else:
                slot.keep(what)
            return key

        return keep

    def _on_kept(self, key: Key) -> None:
        self._kept, self._asked, self._reported = key, None, ""
        self.kept.emit(key[0] if key else None)
        self._schedule()

    def _on_failed(self, error: object) -> None:
        # Retried after the next edit, not at once: a full disk does not become free by retrying.
        self._kept, self._asked = self._asked or (), None
        text = str(error) if isinstance(error, FireguiError) else f"{type(error).__name__}: {error}"
        if text != self._reported:
            self._reported = text
            self.failed.emit(text)

    def _write_now(self) -> None:
        try:
            self._work()(lambda: None)
        except (FireguiError, OSError) as error:
            self._on_failed(error)


class RecoveryChoice(Enum):
    """Choices for work that a crash left."""

    RECOVER = auto()
    DISCARD = auto()
    LATER = auto()


class RecoverDialog(Dialog):
    """Dialog with the work that crashed windows left.

    Closing it delays the question to the next start.
    """

    def __init__(self, left: Sequence[RecoverableProject], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Recover unsaved work")
        self._left = tuple(left)
        self.choice = RecoveryChoice.LATER
        self.list = self._make_list()
        self.resume = QCheckBox("&Resume the interrupted run")
        self.resume.setToolTip(tooltip("Resume the run from its last checkpoint once the project is open"))
        self.resume.setChecked(True)
        self._lay_out()
        self.list.setCurrentRow(0)

    @property
    def selected(self) -> RecoverableProject:
        """The selected work."""
        return self._left[max(self.list.currentRow(), 0)]

    @property
    def resumes(self) -> bool:
        """Whether to resume the interrupted run."""
        return self.resume.isChecked() and bool(self.selected.runs)

    def _make_list(self) -> QListWidget:
        view = QListWidget()
        view.setAccessibleName("Unsaved work")
        view.setToolTip(tooltip("Projects that were open when firegui was killed, the latest first"))
        view.setWordWrap(True)
        view.setSpacing(3)
        view.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)
        for each in self._left:
            view.addItem(QListWidgetItem(describe_recoverable(each)))
        view.setMinimumHeight(min(40 + 70 * len(self._left), 260))
        view.currentRowChanged.connect(lambda _row: self.resume.setEnabled(bool(self.selected.runs)))
        return view

    def _lay_out(self) -> None:
        about = plain_label(_ABOUT, wordWrap=True)
        roles = QDialogButtonBox.ButtonRole
        buttons = QDialogButtonBox()
        self.recover = buttons.addButton("&Recover", roles.AcceptRole)
        self.discard = buttons.addButton("&Discard…", roles.DestructiveRole)
        self.later = buttons.addButton("&Not now", roles.RejectRole)
        tips = {
            self.recover: "Open the project with its unsaved edits",
            self.discard: "Delete the unsaved work; the folder of the project stays as it is",
            self.later: "Ask again at the next start",
        }
        for button, tip in tips.items():
            button.setToolTip(tooltip(tip))
        self.recover.clicked.connect(lambda _checked=False: self._choose(RecoveryChoice.RECOVER))
        self.discard.clicked.connect(lambda _checked=False: self._discard())
        buttons.rejected.connect(self.reject)
        vertical(self, about, self.list, self.resume, buttons, least_width=600)
        self.recover.setDefault(True)
        self.list.itemDoubleClicked.connect(lambda _item: self._choose(RecoveryChoice.RECOVER))
        self.list.setFocus(Qt.FocusReason.OtherFocusReason)

    def _choose(self, choice: RecoveryChoice) -> None:
        self.choice = choice
        self.accept()

    def _discard(self) -> None:
        if self.selected.folder is not None and not self.selected.has_edits:
            # A run stays in its project even if the work is discarded here.
            self._choose(RecoveryChoice.DISCARD)
            return
        text = f"Delete the unsaved edits of “{self.selected.note.name}” for good?"
        if confirm(self, "Discard", text, "Delete"):
            self._choose(RecoveryChoice.DISCARD)


def describe_recoverable(left: RecoverableProject) -> str:
    """Return name, folder, unsaved edits and interrupted runs, one line each."""
    note, today = left.note, datetime.now().date()
    when = note.edited.astimezone()
    day = "today" if when.date() == today else f"on {when.day} {when:%b %Y}"
    lines = [note.name, "never saved" if left.folder is None else str(left.folder)]
    if left.has_edits:
        since = "; the project was saved since" if left.saved_since else ""
        lines.append(f"unsaved edits, the last kept {day} at {when:%H:%M:%S}{since}")
    if left.runs:
        titles = ", ".join(schedule_title(folder) for folder in left.runs)
        lines.append(f"interrupted: {titles}")
    if note.waiting:
        lines.append(f"{counted(note.waiting, 'run')} of the queue had not begun and must be started again")
    return "\n".join(lines)


class Recovery(QObject):
    """Offer of work to recover at the start; owner of this window's autosave.

    Windows keep their slots in ``folder``; the drops of ``saver`` are saved in them, too.
    """

    def __init__(
        self,
        session: Session,
        queue: RunQueue,
        documents: Documents,
        saver: EditedPlanSaver,
        folder: Path,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._session, self._queue, self._documents, self._window = session, queue, documents, window
        self._saver, self._folder = saver, folder
        self.autosave = Autosave(session, queue, folder, self)
        documents.before_save = self.autosave.before_save
        saver.fallback_folder = lambda: self.autosave.slot

    def offer(self) -> bool:
        """Ask about all work that crashes left; return whether a project was recovered and is open."""
        postponed: set[Path] = set()
        while left := [each for each in recoverable_projects(self._folder) if each.path not in postponed]:
            dialog = RecoverDialog(left, self._window)
            dialog.exec()
            choice, chosen, resumes = dialog.choice, dialog.selected, dialog.resumes
            dialog.deleteLater()
            if choice is RecoveryChoice.LATER:
                return False
            if choice is RecoveryChoice.DISCARD:
                _delete(chosen)
            elif self.recover(chosen, resumes=resumes):
                return True
            # The next start asks again about work that could not be recovered.
            postponed.add(chosen.path)
        return False

    def recover(self, left: RecoverableProject, *, resumes: bool) -> bool:
        """Open the work with its unsaved edits; refuse and keep what cannot be opened."""
        read = self._read(left)
        if read is None:
            return False
        slot, (saved, edited) = read
        if not self._documents.open_recovered(saved, edited, left.folder):
            slot.release()
            return False
        self.autosave.adopt(slot, saved)
        if left.folder is None and (drops := drafts_in(left.path / BY_HAND)):
            self._saver.recover(drops)
        self._session.message.emit(f"{saved.scenario.name} was recovered.")
        if resumes:
            self._resume_runs(left)
        return True

    def _read(self, left: RecoverableProject) -> tuple[AutosaveSlot, tuple[Project, Project]] | None:
        try:
            slot = AutosaveSlot(self._folder, left.path)
        except InputError:
            self._session.refuse(recovery_gone_error(left))
            return None
        try:
            return slot, wait_for(self._window, f"Recovering {left.note.name}…", left.read)
        except (FireguiError, OSError) as error:
            slot.release()
            self._session.refuse(as_input_error(error, str(left.path)))
            return None

    def _resume_runs(self, left: RecoverableProject) -> None:
        for entry in self._queue.entries:
            if entry.is_resumable and any(same_folder(entry.folder, folder) for folder in left.runs):
                self._queue.resume_stopped(entry)


def _delete(left: RecoverableProject) -> None:
    # Another window may be recovering it at this moment.
    with suppress(InputError):
        AutosaveSlot(left.path.parent, left.path).remove()
