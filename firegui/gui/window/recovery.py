"""Offers at the start what a killed window left behind, and keeps what this one has not saved."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from firegui.domain.project import Project
from firegui.errors import FireguiError, InputError
from firegui.gui.base.tasks import wait_for
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.planning.edited_plan_saver import BY_HAND, EditedPlanSaver, drafts_in
from firegui.gui.session.reporting import as_input_error
from firegui.gui.session.session import Session
from firegui.gui.window.autosave import Autosave
from firegui.gui.window.documents import Documents
from firegui.gui.window.recovery_dialog import Choice, RecoverDialog
from firegui.runs.autosave import RecoverableProject, Slot, gone, left_behind
from firegui.runs.folder import same_folder


class Recovery(QObject):
    """See the module; ``place`` is where windows keep what is not saved, drops that the ``saver`` has included."""

    def __init__(
        self,
        session: Session,
        queue: RunQueue,
        documents: Documents,
        saver: EditedPlanSaver,
        place: Path,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._session, self._queue, self._documents, self._window = session, queue, documents, window
        self._saver, self._place = saver, place
        self.autosave = Autosave(session, queue, place, self)
        documents.ahead_of_save = self.autosave.ahead_of_save
        saver.spare = lambda: self.autosave.slot

    def offer(self) -> bool:
        """Ask about everything that was left behind; ``True`` once a project was recovered and is open."""
        put_off: set[Path] = set()
        while left := [each for each in left_behind(self._place) if each.path not in put_off]:
            dialog = RecoverDialog(left, self._window)
            dialog.exec()
            choice, chosen, resumes = dialog.choice, dialog.selected, dialog.resumes
            dialog.deleteLater()
            if choice is Choice.LATER:
                return False
            if choice is Choice.DISCARD:
                _delete(chosen)
            elif self.recover(chosen, resumes=resumes):
                return True
            # One that could not be recovered is asked about at the next start again.
            put_off.add(chosen.path)
        return False

    def recover(self, left: RecoverableProject, *, resumes: bool) -> bool:
        """Open what was left behind, unsaved edits and all; what cannot be opened is refused and stays for later."""
        read = self._read(left)
        if read is None:
            return False
        slot, (saved, edited) = read
        if not self._documents.bring_back(saved, edited, left.folder):
            slot.release()
            return False
        self.autosave.adopt(slot, saved)
        if left.folder is None and (drops := drafts_in(left.path / BY_HAND)):
            self._saver.recover(drops)
        self._session.message.emit(f"{saved.scenario.name} is back as it was.")
        if resumes:
            self._go_on(left)
        return True

    def _read(self, left: RecoverableProject) -> tuple[Slot, tuple[Project, Project]] | None:
        try:
            slot = Slot(self._place, left.path)
        except InputError:
            self._session.refuse(gone(left))
            return None
        try:
            return slot, wait_for(self._window, f"Recovering {left.note.name}…", left.read)
        except (FireguiError, OSError) as error:
            slot.release()
            self._session.refuse(as_input_error(error, str(left.path)))
            return None

    def _go_on(self, left: RecoverableProject) -> None:
        for entry in self._queue.entries:
            if entry.can_go_on and any(same_folder(entry.folder, folder) for folder in left.runs):
                self._queue.go_on(entry)


def _delete(left: RecoverableProject) -> None:
    # Another window may be recovering it at this moment.
    with suppress(InputError):
        Slot(left.path.parent, left.path).remove()
