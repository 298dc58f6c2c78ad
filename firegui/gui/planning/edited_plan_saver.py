"""Sees to it that no plan made by hand is lost: each becomes a run of its own, and until then a draft in a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import QObject, QTimer

from firegui.domain.drops import DropList
from firegui.domain.project import Project
from firegui.domain.schedule import Schedule
from firegui.errors import InputError
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.planning.edited_plan_draft import UNSAVED, Draft, free, recovered
from firegui.gui.session.plan_editor import EditedPlan
from firegui.gui.session.reporting import refusing
from firegui.gui.session.session import Session
from firegui.io.schedule_file import read_project_schedule, write_plan_safetensors
from firegui.runs.run_requests import WarmStart, plan_spec
from firegui.runs.spec import EvaluateSpec, Stage

BY_HAND = "by-hand"
"""The folder of a project that holds the schedules made by hand."""
_BACK = "drops changed by hand"


@dataclass(frozen=True, slots=True, eq=False)
class _Made:
    """A plan made by hand for ``project``; its ``drops`` where they are known to be on the undo stack."""

    project: Project
    schedule: Schedule
    drops: DropList | None = None


class EditedPlanSaver(QObject):
    """Keeps an edited plan when the project is saved, when another plan replaces it, or on request.

    A project that has no folder of its own yet has its plans kept when it gets one. :meth:`shutdown` must be called.
    """

    def __init__(
        self, session: Session, queue: RunQueue, clock: Callable[[], datetime], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._session, self._editor, self._queue, self._clock = session, session.plan_editor, queue, clock
        self._unkept: EditedPlan | None = None
        self._aside: list[_Made] = []
        self._kept: list[DropList] = []
        self._waiting: list[tuple[Project, WarmStart]] = []
        self._given_up = False
        self._draft = Draft(self)
        self.spare: Callable[[], Path | None] = lambda: None
        """Where drafts lie while the project has no folder of its own."""
        self._run_later = QTimer(self, singleShot=True, interval=0)
        self._run_later.timeout.connect(self._run)
        self._editor.edited.connect(self._on_edited)
        self._editor.superseded.connect(self._on_left)
        self._editor.keep_requested.connect(self.keep)
        session.dirty_changed.connect(self._on_dirty)
        session.project_opened.connect(self._on_opened)

    @property
    def has_unkept(self) -> bool:
        """Whether there are drops made by hand that are in no run yet."""
        return self._unkept is not None or bool(self._aside)

    # -- keeping -----------------------------------------------------------------------------------------------------
    def keep(self) -> bool:
        """Write what was made by hand to files of the project, and score each as a run; whether all is kept."""
        folder = self._session.folder
        if folder is None or not self.has_unkept:
            return False
        with refusing(self._session, str(folder / BY_HAND)):
            while self._aside:
                self._write(self._aside[0], folder)
                self._aside.pop(0)
            if self._unkept is not None:
                self._write(self._made(self._unkept), folder)
                self._unkept = None
            self._draft.clear()
        return not self.has_unkept

    def take_back(self, files: Sequence[Path]) -> None:
        """Show the latest of the plans that a killed window left in ``files``; all are kept with the project."""
        project = self._session.project
        found: list[_Made] = []
        for file in files:
            try:
                found.append(_Made(project, read_project_schedule(file, project)))
            except InputError as error:
                self._session.refuse(error)
        self._draft.own(files)
        self._aside += found
        if found:
            if not self._session.is_dirty:
                # Nothing else is unsaved, and yet there is something to lose.
                self._session.edit("recovered drops", project)
            spec = EvaluateSpec(project, found[-1].schedule, backend=self._session.backend)
            self._queue.show_member(_BACK, spec)

    def give_up(self) -> None:
        """A person has saved it or decided to lose it."""
        self._given_up = True

    def shutdown(self) -> None:
        """Leave the next start what was not given up, and what there was no time to score."""
        self._run_later.stop()
        if self._given_up:
            self._draft.clear()
        else:
            self._draft.write()
        for _project, start in self._waiting:
            with suppress(OSError):
                start.file.rename(free(start.file.with_name(UNSAVED)))
        self._waiting.clear()

    def _write(self, made: _Made, folder: Path) -> None:
        file = free(folder / BY_HAND / f"{self._clock():%Y%m%d-%H%M%S}.safetensors")
        file.parent.mkdir(parents=True, exist_ok=True)
        write_plan_safetensors(file, made.schedule)
        if made.drops is not None:
            self._kept.append(made.drops)
        self._waiting.append((made.project, WarmStart(made.schedule, file)))
        # Not within the saving that may have asked for it.
        self._run_later.start()

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

    def _made(self, plan: EditedPlan) -> _Made:
        project = plan.origin.project or self._session.project
        schedule = plan.drops.schedule(project.calendar.n_steps, project.planned_fleet.n_aircraft)
        return _Made(project, schedule, plan.drops)

    # -- following ---------------------------------------------------------------------------------------------------
    def _on_edited(self) -> None:
        plan = self._editor.plan
        # What was undone can be done again, and what is as it was before needs no keeping.
        known = plan is None or plan.drops in self._kept or plan.drops == DropList.of(plan.origin.drops)
        known = known or any(made.drops == plan.drops for made in self._aside if plan is not None)
        self._unkept = None if known else plan
        place = self._session.folder or self.spare()
        if self._unkept is None or place is None:
            self._draft.drop()
        else:
            self._draft.note(place / BY_HAND, self._made(self._unkept).schedule)

    def _on_left(self, plan: EditedPlan) -> None:
        """The plan made by hand left the screen; what is in no run yet must not be lost with it."""
        if self._unkept is not plan:
            return
        if self._session.folder is None:
            self._aside.append(self._made(plan))
            self._draft.set_aside()
            self._unkept = None
        else:
            self.keep()

    def _on_dirty(self, dirty: bool) -> None:
        # Saving the project saves what was done to the drops too.
        if not dirty:
            self.keep()

    def _on_opened(self) -> None:
        self._unkept = None
        for each in (self._aside, self._waiting, self._kept):
            each.clear()
        self._draft.clear()
        folder = self._session.folder
        for left in recovered(folder / BY_HAND, self._clock()) if folder is not None else ():
            self._session.message.emit(f"Drops changed by hand that were not saved lie in {left}: start a run from it")
