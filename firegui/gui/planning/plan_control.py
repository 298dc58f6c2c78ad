"""Commands on runs: start, pause, resume, stop, duplicate, compare and replan, with their dialogs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from firegui.domain.project import Project
from firegui.domain.stress import StressScenario
from firegui.errors import InputError, Problem
from firegui.gui.base.number_text import about_text
from firegui.gui.jobs.result_presenter import CompareMode, EvaluationRequest
from firegui.gui.jobs.run_entry import RunEntry
from firegui.gui.jobs.run_list import other_event_error
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.planning.duplicate_run_dialog import DuplicateRunDialog
from firegui.gui.planning.edited_plan_saver import EditedPlanSaver
from firegui.gui.planning.goal_question import GoalAnswer, ask_goal
from firegui.gui.planning.removal_plan import keep_and_resume
from firegui.gui.planning.replan_dialog import ReplanDialog, ReplanSource
from firegui.gui.planning.run_comparison import check_comparable, differing_inputs, run_comparison_spec
from firegui.gui.session.reporting import refusing
from firegui.gui.session.session import Session
from firegui.io.paths import PROJECT_FILE
from firegui.io.project.schedule_file import read_project_schedule
from firegui.planning.flight_rules import rule_problems
from firegui.runs.messages import counted
from firegui.runs.run_folder import DROPS, kept_plan
from firegui.runs.run_requests import WarmStart, new_replan_folder, replan_spec, stage_problems
from firegui.runs.spec import ReplanSpec
from firegui.runs.stages import DONE_REASONS, RunState, Stage
from firegui.runs.titles import schedule_title, short_title


@dataclass(frozen=True, slots=True)
class ExerciseRequest:
    """Exercise of the shown plan in draw ``draw`` of ``scenario``, until ``stop_at`` days after the start."""

    scenario: StressScenario
    draw: int
    stop_at: float | None


class PlanControl(QObject):
    """Commands on runs, and which of them are possible now."""

    changed = Signal()
    """Other commands may be possible."""
    started = Signal()
    """A run was started by a command."""
    checked = Signal()
    """:attr:`problems` are those of the project as it is now."""
    compared = Signal(tuple)
    """Two ``RunEntry`` are compared on the map, or more in their table alone."""

    result_ready = Signal()
    """A quick plan has ended: it takes so little time that the user waits for its result."""

    def __init__(
        self, session: Session, queue: RunQueue, save: Callable[[], bool], saver: EditedPlanSaver,
        parent: QObject | None = None,
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self._session, self._queue, self._save, self._saver = session, queue, save, saver
        self._window = parent if isinstance(parent, QWidget) else None
        for signal in (queue.changed, queue.shown_changed, session.project_opened):
            signal.connect(self.changed)
        self._problems = tuple[Problem, ...]()
        # The checks read whole rasters, so that a row of edits makes one.
        self._check_soon = QTimer(self, singleShot=True, interval=0)
        self._check_soon.timeout.connect(self._check)
        for signal in (session.project_opened, session.project_edited, session.next_run_changed):
            signal.connect(self._check_soon.start)
        self._check()
        self._opened: RunEntry | None = None
        self.selected: Callable[[], RunEntry | None] = lambda: None
        """Returns the run that is selected in the list."""
        self.listed: Callable[[], RunEntry | None] = lambda: None
        """Returns the only run that is selected in the list, if the list is in view."""
        queue.changed.connect(self._show_flown)
        self._quick: RunEntry | None = None
        self._has_saved = False
        queue.changed.connect(self._tell_quick)

    def start(self) -> None:
        """Save the project and plan it through the chosen stages. Problems that prevent it are listed.

        The project is saved first, so that the saved command repeats the run.
        """
        self._begin(self._session.stages, self._session.start_file)

    def quick(self) -> None:
        """Save the project and plan it with the tactical heuristic."""
        self._begin((Stage.TACTICAL,), None)

    def prune(self, entry: RunEntry) -> None:
        """Prune the saved plan of ``entry``, in a new run of the open project.

        Asks for which goal, if those of run and project differ.
        """
        self._begin_with_plan_of(entry, (Stage.PRUNE,))

    def start_from(self, entry: RunEntry) -> None:
        """Plan the open project through the chosen stages, from the saved plan of ``entry``.

        Asks for which goal, if those of run and project differ.
        """
        self._begin_with_plan_of(entry, self._session.stages)

    def duplicate(self, entry: RunEntry) -> None:
        """Start a run like ``entry`` with changes from a dialog. The open project takes its inputs."""
        session = self._session
        if entry.project is None or entry.project.scenario is not session.project.scenario:
            session.refuse(other_event_error(entry))
            return
        dialog = DuplicateRunDialog(entry, session.project, self._window)
        if dialog.exec() == DuplicateRunDialog.DialogCode.Accepted:
            if differing_inputs(session.project, dialog.project):
                session.edit(f"take the inputs of {entry.title}", dialog.project)
            session.set_stages(dialog.chosen_stages)
            if dialog.starts:
                self._begin(dialog.chosen_stages, None)
        dialog.deleteLater()

    def compare(self, entries: Sequence[RunEntry]) -> None:
        """Show the numbers of runs, and the plans of two side by side."""
        session = self._session
        try:
            check_comparable(entries)
            if len(entries) == 2:
                self._show_both(*entries)
        except InputError as error:
            session.refuse(error)
            return
        self.compared.emit(tuple(entries))

    def _show_both(self, one: RunEntry, other: RunEntry) -> None:
        spec = run_comparison_spec(one, other, self._session.backend)
        self._queue.show_evaluation(
            EvaluationRequest(
                other.title, spec, against=one.title, compare=CompareMode.SIDE_BY_SIDE, folder=other.folder
            )
        )

    def replan(self) -> None:
        """Replan the rest of the selected run's plan, else of the shown one's, with settings from a dialog.

        The project is saved first.
        """
        entry = self._to_replan
        file = None if entry is None else kept_plan(entry.folder)
        if entry is None or file is None or not self.can_replan:
            return
        session, out = self._session, self._replan_folder()
        if out is None or session.folder is None:
            return
        plan = ReplanSource(entry.title, file, entry.elapsed)
        dialog = ReplanDialog(session.project, session.folder, out, plan, session.backend, self._window)
        if dialog.exec() == ReplanDialog.DialogCode.Accepted and dialog.spec is not None:
            self._start(dialog.spec)
        dialog.deleteLater()

    def exercise(self, request: ExerciseRequest) -> None:
        """Save the project and fly the shown run's plan in a stress scenario, by the inputs of that run."""
        entry, session, out = self._queue.shown, self._session, self._replan_folder() if self.can_exercise else None
        file = None if entry is None else _exercise_source(entry)
        if out is None or session.folder is None or file is None:
            return
        with refusing(session, str(file)):
            self._start(
                replan_spec(
                    self.exercise_project, session.folder, out, file, 1, closed_loop=True, exercise=request.scenario,
                    draw=request.draw, stop_at=request.stop_at, backend=session.backend,
                )
            )  # fmt: skip

    def resume_exercise(self) -> None:
        """Resume the shown exercise that was stopped. If drops were edited since, start a new run."""
        entry, session, editor = self._queue.shown, self._session, self._session.plan_editor
        if entry is None or not self.can_resume_exercise:
            return
        note, project = entry.note, entry.project
        if editor.plan is None:
            self._queue.resume_stopped(entry)
            return
        out = self._replan_folder(needs_save=False)
        if note is not None and project is not None and session.folder is not None and out is not None:
            pinned = session.project.operations.pinned
            project = replace(project, operations=replace(project.operations, pinned=pinned))
            with refusing(session, str(session.folder)):
                file = self._saver.write_for_run(session.folder)
                self._start(
                    replan_spec(
                        project, session.folder, out, file, note.day, closed_loop=True, exercise=note.exercise,
                        draw=note.draw, after=entry.folder, backend=session.backend,
                    )
                )  # fmt: skip

    def _replan_folder(self, *, needs_save: bool = True) -> Path | None:
        """Save the project and return the folder of a new replanned run; ``None`` if that fails."""
        session = self._session
        if problems := _problems(session.project):
            session.refuse(InputError(problems, "The plan cannot be replanned yet"))
            return None
        self._has_saved = needs_save and self._needs_save
        if self._has_saved and not self._save():
            return None
        assert session.folder is not None
        taken = [other.folder for other in self._queue.entries]
        return new_replan_folder(session.folder, session.project.plan.setting, datetime.now(), taken)

    def _start(self, spec: ReplanSpec) -> None:
        self._tell(self._queue.start(spec))
        self.started.emit()

    def _tell_quick(self) -> None:
        """Emit :attr:`result_ready` once for a quick plan that ended with a plan and is on the map."""
        quick = self._quick
        if quick is not None and quick.is_over and quick.reason is not None:
            self._quick = None
            if quick is self._queue.shown and quick.nominal is not None:
                self.result_ready.emit()

    def _show_flown(self) -> None:
        """Show the drops that a closed loop flew, once it has ended. It makes no pictures before."""
        shown = self._queue.shown
        flown = shown is not None and shown.is_over and shown.replan is not None and bool(shown.replan.loop)
        if flown and shown is not self._opened and self._session.result.plan is None and not self._queue.is_busy:
            self._opened = shown
            assert shown is not None
            self._queue.show(shown)

    @property
    def can_replan(self) -> bool:
        """Whether the selected or the shown run has ended with a plan of more than one day."""
        return self._to_replan is not None

    @property
    def run_to_export(self) -> RunEntry | None:
        """The listed run if it has a plan that can be exported and is not on the map; ``None`` otherwise.

        While the map shows an ensemble or a stress scenario, it is the run before that where none is listed. A plan on
        the map is exported from there: its drops may have been edited.
        """
        result = self._session.result
        entry = self.listed() or (self._queue.shown_or_before if result.is_sample else None)
        if entry is None or entry.project is None or not entry.is_over or not (entry.folder / DROPS).is_file():
            return None
        return None if result.drops and result.folder == entry.folder and not result.against else entry

    @property
    def _to_replan(self) -> RunEntry | None:
        """The selected run if its plan can be replanned, else the shown one if its plan can be."""
        return next((entry for entry in (self.selected(), self._queue.shown) if self._has_rest(entry)), None)

    def _has_rest(self, entry: RunEntry | None) -> bool:
        """Return whether a run of the open event has ended with a plan of more than one day."""
        if entry is None or not entry.is_over or entry.project is None or not self._session.has_project:
            return False
        return self._session.project.plan.days > 1 and kept_plan(entry.folder) is not None

    @property
    def exercise_plan(self) -> str:
        """Text on the plan that an exercise begins with; empty for none."""
        entry = self._queue.shown
        if entry is None or not self.can_exercise:
            return ""
        file = entry.source if entry.flies_loop else None
        if file is None:
            return entry.title
        return schedule_title(file)

    @property
    def exercise_project(self) -> Project:
        """Project of the plan's run with the stress scenarios of the open project, for an exercise.

        The open project takes its place where the run is of another fire.
        """
        entry, project = self._queue.shown, self._session.project
        file = None if entry is None else _exercise_source(entry)
        ran = None if file is None else self._queue.project_of(file)
        return project if ran is None else replace(ran, stress=project.stress)

    @property
    def can_exercise(self) -> bool:
        """Whether the shown run has ended with a plan that can be flown, or is an exercise of one."""
        entry = self._queue.shown
        return self._has_rest(entry) and entry is not None and _exercise_source(entry) is not None

    @property
    def can_resume_exercise(self) -> bool:
        """Whether the shown run is an exercise that was stopped."""
        entry = self._queue.shown
        return self._queue.active is None and entry is not None and entry.flies_loop and entry.is_resumable

    def _begin_with_plan_of(self, entry: RunEntry, stages: tuple[Stage, ...]) -> None:
        file = kept_plan(entry.folder)
        if file is None:
            problem = Problem(entry.title, "kept no plan", "resume it, or choose another run")
            self._session.refuse(InputError([problem], "The plan cannot be started"))
        elif self._takes_goal(entry):
            self._begin(stages, file)

    def _takes_goal(self, entry: RunEntry) -> bool:
        """Ask for which goal a run begins with the plan of ``entry``, and return whether it may.

        The project takes the goal of the run if the user chooses it.
        """
        session, ran = self._session, entry.project
        if ran is None or not session.has_project:
            # The engine names both goals when the run begins.
            return session.has_project
        answer = ask_goal(self._window, entry, session.project)
        if answer is GoalAnswer.OF_RUN:
            plan = replace(session.project.plan, setting=ran.plan.setting, weights=ran.plan.weights)
            session.set_plan(f"take the goal of {entry.title}", plan)
        return answer is not GoalAnswer.CANCEL

    def _begin(self, stages: tuple[Stage, ...], file: Path | None) -> None:
        if not self._session.has_project:
            return
        if problems := start_problems(self._session.project, stages):
            self._session.refuse(InputError(problems, "The plan cannot be started yet"))
            return
        start = None
        if file is not None:
            try:
                start = WarmStart(read_project_schedule(file, self._session.project), file)
            except InputError as error:
                self._session.refuse(error)
                return
        self._has_saved = self._needs_save
        if self._has_saved and not self._save():
            return
        entry = self._queue.plan(stages, start)
        self._quick = entry if stages == (Stage.TACTICAL,) else self._quick
        self._tell(entry)
        self.started.emit()

    @property
    def _needs_save(self) -> bool:
        """Whether a run would not find the project as it is now in its folder."""
        folder = self._session.folder
        return folder is None or self._session.is_dirty or not (folder / PROJECT_FILE).is_file()

    def _tell(self, entry: RunEntry) -> None:
        """Say that a run has started or waits for the active one, and whether the project was saved for it."""
        active = self._queue.active
        waits = entry.state is RunState.QUEUED and active is not None and active is not entry
        text = f"{entry.title} waits for {active.title}" if waits and active is not None else f"Started {entry.title}"
        self._session.message.emit(f"{text}. Project saved with the run." if self._has_saved else text)

    def pause(self) -> None:
        """Pause before the next epoch or test."""
        self._queue.pause()

    def resume(self) -> None:
        """Continue the paused run, else resume the shown one that was stopped."""
        stopped = self.stopped
        if self._is_paused:
            self._queue.resume()
        elif stopped is not None:
            self._queue.resume_stopped(stopped)

    def keep_and_resume(self) -> None:
        """Save the plan of the shown run that was stopped as a run of its own, and resume the stopped run."""
        stopped = self.stopped
        if stopped is not None:
            keep_and_resume(self._session, self._queue, stopped)

    def stop(self) -> None:
        """Stop and keep the best plan so far. A second call skips its final score."""
        self._queue.stop()

    def _check(self) -> None:
        session = self._session
        self._problems = tuple(start_problems(session.project, session.stages)) if session.has_project else ()
        self.checked.emit()
        self.changed.emit()

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What prevents a new run of the project through its stages."""
        return self._problems

    @property
    def obstacle(self) -> str:
        """Text on why no run can be started; empty if one can, or without a project."""
        if not self._problems:
            return ""
        first, *others = self._problems
        more = f" · {counted(len(others), 'more problem')} under Before you start" if others else ""
        return f"No plan can be started. {first.for_window()}{more}"

    @property
    def can_start(self) -> bool:
        """Whether a new run can be started; it is queued if another is active."""
        return self._session.has_project and not self._problems

    @property
    def start_text(self) -> str:
        """Title of the command that plans: while a run is active, the next plan waits for it."""
        return self._queue.start_text

    @property
    def time_text(self) -> str:
        """Text on how long the latest complete run through the chosen stages took; empty if there is none."""
        stages = self._session.stages
        for entry in reversed(self._queue.entries):
            if entry.stages == stages and entry.reason in DONE_REASONS and entry.seconds and not entry.replans:
                return f"{short_title(entry.title)} took {about_text(entry.seconds)}"
        return ""

    @property
    def starts_at_once(self) -> bool:
        """Whether a new run need not wait for another."""
        return not self._queue.is_busy

    @property
    def can_pause(self) -> bool:
        """Whether the active run works and was not requested to pause."""
        active = self._queue.active
        return active is not None and active.state is RunState.RUNNING and not active.pausing

    @property
    def can_resume(self) -> bool:
        """Whether a run is paused, or the shown one was stopped before its end."""
        return self._is_paused or self.stopped is not None

    @property
    def stopped(self) -> RunEntry | None:
        """The shown run if it was stopped before its end and can go on now."""
        shown = self._queue.shown
        return shown if self._queue.active is None and shown is not None and shown.is_resumable else None

    @property
    def can_keep_stopped(self) -> bool:
        """Whether :attr:`stopped` has a plan that can be kept as a run of its own."""
        stopped = self.stopped
        return stopped is not None and not stopped.replans and kept_plan(stopped.folder) is not None

    @property
    def can_stop(self) -> bool:
        """Whether a run is active. A stopping run can still skip the score of the plan it keeps."""
        return self._queue.active is not None

    @property
    def is_stopping(self) -> bool:
        """Whether the active run was requested to stop."""
        active = self._queue.active
        return active is not None and active.state is RunState.STOPPING

    @property
    def _is_paused(self) -> bool:
        active = self._queue.active
        return active is not None and (active.pausing or active.state is RunState.PAUSED)


def _exercise_source(entry: RunEntry) -> Path | None:
    """Return the file with the plan of a run; for an exercise the plan that it began with."""
    return entry.source if entry.flies_loop else kept_plan(entry.folder)


def start_problems(project: Project, stages: Iterable[Stage]) -> list[Problem]:
    """Return what prevents a new run of ``project`` through ``stages``."""
    return _problems(project) or stage_problems(project, stages)


def _problems(project: Project) -> list[Problem]:
    """Return what prevents a run of ``project``.

    That includes pins in darkness and pins that drift into a no-drop zone.
    """
    return project.problems() or rule_problems(project)
