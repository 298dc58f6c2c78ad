"""Saver of edited plans: each becomes a run, and until then a draft in a file.

A crash of the program loses only the last moments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import QObject, QTimer

from firegui.domain.drops import DropList
from firegui.domain.project import Project
from firegui.domain.schedule import Schedule
from firegui.errors import FireguiError, InputError
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.session.plan_editor import EditedPlan
from firegui.gui.session.reporting import refusing
from firegui.gui.session.session import Session
from firegui.io.project.schedule_file import read_project_schedule, write_plan_safetensors
from firegui.runs.result_store import unused
from firegui.runs.run_requests import WarmStart, plan_spec
from firegui.runs.spec import EvaluateSpec
from firegui.runs.stages import Stage

BY_HAND = "by-hand"
"""Folder of a project for the schedules edited by hand."""
AFTER_MS = 1_500
"""Time from an edit until the draft is written. Further edits do not delay it."""
_STEM, _SUFFIX = "unsaved", ".safetensors"
UNSAVED = _STEM + _SUFFIX
_RECOVERED_TITLE = "drops changed by hand"


class Draft(QObject):
    """File with the edited drops that are in no run yet, and those of earlier plans.

    The files are deleted once all plans are saved.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._waiting: tuple[Path, Schedule] | None = None
        self._file: Path | None = None
        self._earlier: list[Path] = []
        self._timer = QTimer(self, singleShot=True, interval=AFTER_MS)
        self._timer.timeout.connect(self.write)

    def schedule(self, folder: Path, schedule: Schedule) -> None:
        """Write ``schedule`` to ``folder`` soon."""
        self._waiting = folder / UNSAVED, schedule
        if not self._timer.isActive():
            self._timer.start()

    def write(self) -> None:
        """Write the waiting schedule now. A failure is ignored: saving the project will report it."""
        waiting, self._waiting = self._waiting, None
        if waiting is None:
            return
        with suppress(FireguiError, OSError):
            waiting[0].parent.mkdir(parents=True, exist_ok=True)
            write_plan_safetensors(*waiting)
            self._file = waiting[0]

    def set_aside(self) -> None:
        """Keep the current file under another name; the next draft gets a new file."""
        self.write()
        if self._file is not None:
            with suppress(OSError):
                self._earlier.append(self._file.rename(unused(self._file)))
            self._file = None

    def adopt(self, files: Iterable[Path]) -> None:
        """Treat ``files`` as earlier drafts."""
        self._earlier.extend(files)

    def drop(self) -> None:
        """Delete the current draft; the earlier ones stay."""
        self._timer.stop()
        self._waiting = None
        if self._file is not None:
            with suppress(OSError):
                self._file.unlink(missing_ok=True)
            self._file = None

    def clear(self) -> None:
        """Delete every draft."""
        self.drop()
        for file in self._earlier:
            with suppress(OSError):
                file.unlink(missing_ok=True)
        self._earlier.clear()


def write_by_hand(folder: Path, schedule: Schedule, now: datetime) -> Path:
    """Write a schedule among those of the project in ``folder`` that no search made, and return its file.

    Raises :class:`OSError` and :class:`~firegui.errors.FireguiError` as writing does.
    """
    file = unused(folder / BY_HAND / f"{now:%Y%m%d-%H%M%S}{_SUFFIX}")
    file.parent.mkdir(parents=True, exist_ok=True)
    write_plan_safetensors(file, schedule)
    return file


def drafts_in(folder: Path) -> tuple[Path, ...]:
    """Return the drafts that a crash left in ``folder``, the oldest first."""
    return tuple(sorted(folder.glob(f"{_STEM}*{_SUFFIX}"), key=lambda file: (file.stat().st_mtime, file.name)))


def recovered_drafts(folder: Path, now: datetime) -> tuple[Path, ...]:
    """Rename the drafts that a crash left in ``folder`` so that they stay, and return them."""
    kept = []
    for left in drafts_in(folder):
        with suppress(OSError):
            kept.append(left.rename(unused(folder / f"recovered-{now:%Y%m%d-%H%M%S}{_SUFFIX}")))
    return tuple(kept)


@dataclass(frozen=True, slots=True, eq=False)
class _EditedSchedule:
    """Edited plan for ``project``, and its ``drops`` if they are known to be on the undo stack.

    ``parent`` is the folder of the run whose plan was edited.
    """

    project: Project
    schedule: Schedule
    drops: DropList | None = None
    parent: Path | None = None


class EditedPlanSaver(QObject):
    """Saver of an edited plan: with the project, when another plan replaces it, or on request.

    The plans of a project without a folder are saved when it gets one. :meth:`shutdown` must be called before the
    program ends.
    """

    def __init__(
        self, session: Session, queue: RunQueue, clock: Callable[[], datetime], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._session, self._editor, self._queue, self._clock = session, session.plan_editor, queue, clock
        self._unkept: EditedPlan | None = None
        self._superseded: list[_EditedSchedule] = []
        self._kept: list[DropList] = []
        self._waiting: list[tuple[Project, WarmStart]] = []
        self._given_up = False
        self._draft = Draft(self)
        self.fallback_folder: Callable[[], Path | None] = lambda: None
        """Folder for drafts while the project has no folder of its own."""
        self._run_later = QTimer(self, singleShot=True, interval=0)
        self._run_later.timeout.connect(self._run)
        self._editor.edited.connect(self._on_edited)
        self._editor.superseded.connect(self._on_superseded)
        self._editor.save_requested.connect(self.keep)
        session.dirty_changed.connect(self._on_dirty)
        session.project_opened.connect(self._on_opened)

    @property
    def has_unsaved(self) -> bool:
        """Whether there are edited drops that are in no run yet."""
        return self._unkept is not None or bool(self._superseded)

    # -- keeping -----------------------------------------------------------------------------------------------------
    def keep(self) -> bool:
        """Write every edited plan to a file of the project and score it as a run. Return whether all succeed."""
        folder = self._session.folder
        if folder is None or not self.has_unsaved:
            return False
        with refusing(self._session, str(folder / BY_HAND)):
            while self._superseded:
                self._write(self._superseded[0], folder)
                self._superseded.pop(0)
            if self._unkept is not None:
                self._write(self._schedule_of(self._unkept), folder)
                self._unkept = None
            self._draft.clear()
        return not self.has_unsaved

    def write_for_run(self, folder: Path) -> Path:
        """Write the edited plan to a file of the project in ``folder`` for another run, which saves it.

        Raises :class:`OSError` and :class:`~firegui.errors.FireguiError` as writing does.
        """
        plan = self._editor.plan
        assert plan is not None
        file = self._file_of(self._schedule_of(plan), folder)
        self._unkept = None
        self._draft.drop()
        return file

    def recover(self, files: Sequence[Path]) -> None:
        """Show the latest of the plans in ``files``, which a crash left. All are saved with the project."""
        project = self._session.project
        found: list[_EditedSchedule] = []
        for file in files:
            try:
                found.append(_EditedSchedule(project, read_project_schedule(file, project)))
            except InputError as error:
                self._session.refuse(error)
        self._draft.adopt(files)
        self._superseded += found
        if found:
            if not self._session.is_dirty:
                # Nothing else is unsaved, but these plans can be lost.
                self._session.edit("recovered drops", project)
            spec = EvaluateSpec(project, found[-1].schedule, backend=self._session.backend)
            self._queue.show_member(_RECOVERED_TITLE, spec)

    def discard(self) -> None:
        """Delete the drafts at the end: they were saved, or the user discarded them."""
        self._given_up = True

    def shutdown(self) -> None:
        """Leave drafts of everything that was not discarded or not scored yet, for the next start."""
        self._run_later.stop()
        if self._given_up:
            self._draft.clear()
        else:
            self._draft.write()
        for _project, start in self._waiting:
            with suppress(OSError):
                start.file.rename(unused(start.file.with_name(UNSAVED)))
        self._waiting.clear()

    def _write(self, edited: _EditedSchedule, folder: Path) -> None:
        file = self._file_of(edited, folder)
        self._waiting.append((edited.project, WarmStart(edited.schedule, file, edited.parent)))
        # Later, because saving the project may have called this.
        self._run_later.start()

    def _file_of(self, edited: _EditedSchedule, folder: Path) -> Path:
        file = write_by_hand(folder, edited.schedule, self._clock())
        if edited.drops is not None:
            self._kept.append(edited.drops)
        return file

    def _run(self) -> None:
        waiting, self._waiting = self._waiting, []
        folder = self._session.folder
        if folder is None:
            return
        for project, start in waiting:
            taken = [entry.folder for entry in self._queue.entries]
            self._queue.start(
                plan_spec(
                    project, folder, self._clock(), stages=(Stage.KEEP,), start=start, backend=self._session.backend,
                    taken=taken,
                )
            )  # fmt: skip

    def _schedule_of(self, plan: EditedPlan) -> _EditedSchedule:
        project = plan.origin.project or self._session.project
        schedule = plan.drops.schedule(project.calendar.n_steps, project.planned_fleet.n_aircraft)
        return _EditedSchedule(project, schedule, plan.drops, plan.origin.folder)

    # -- following the session ---------------------------------------------------------------------------------------
    def _on_edited(self) -> None:
        plan = self._editor.plan
        # An undone edit can be redone. Unchanged drops need no saving.
        known = plan is None or plan.drops in self._kept or plan.drops == DropList.of(plan.origin.drops)
        known = known or any(edited.drops == plan.drops for edited in self._superseded if plan is not None)
        self._unkept = None if known else plan
        place = self._session.folder or self.fallback_folder()
        if self._unkept is None or place is None:
            self._draft.drop()
        else:
            self._draft.schedule(place / BY_HAND, self._schedule_of(self._unkept).schedule)

    def _on_superseded(self, plan: EditedPlan) -> None:
        if self._unkept is not plan:
            return
        if self._session.folder is None:
            self._superseded.append(self._schedule_of(plan))
            self._draft.set_aside()
            self._unkept = None
        else:
            self.keep()

    def _on_dirty(self, dirty: bool) -> None:
        # Saving the project saves the edited drops too.
        if not dirty:
            self.keep()

    def _on_opened(self) -> None:
        self._unkept = None
        for each in (self._superseded, self._waiting, self._kept):
            each.clear()
        self._draft.clear()
        folder = self._session.folder
        for left in recovered_drafts(folder / BY_HAND, self._clock()) if folder is not None else ():
            self._session.message.emit(f"Drops changed by hand that were not saved lie in {left}: start a run from it")
