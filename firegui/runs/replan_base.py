"""What a replanned run and the closed loop share: their checks, their folder, their numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from firegui.domain.exercise import LoopDay
from firegui.domain.observation import FireState
from firegui.domain.options import bounds_problems
from firegui.domain.results import Metrics
from firegui.domain.schedule import Schedule
from firegui.domain.stress import StressScenario
from firegui.errors import InputError, Problem, Problems
from firegui.runs.control import RunControl
from firegui.runs.engine import Engine
from firegui.runs.events import Emit
from firegui.runs.header import new_header, path_text, schedule_hash
from firegui.runs.kept_fire import codes_hash
from firegui.runs.messages import counted
from firegui.runs.replan_stages import ReplanFolder
from firegui.runs.resume import differences, resume_problems
from firegui.runs.run_folder import LOOP_STATE, METRICS, RunRecord, RunScores, read_json, read_run
from firegui.runs.run_repair import check_out
from firegui.runs.session import RunSession, SessionRun
from firegui.runs.snapshot import ProjectSnapshot
from firegui.runs.spec import PlanSpec, ReplanSpec
from firegui.runs.stages import ReplanNote
from firegui.runs.state import RunMachine

if TYPE_CHECKING:
    from firegui.rollout.model import Model


TITLE = "The plan cannot be replanned"


@dataclass(frozen=True, slots=True)
class ReplanScores(RunScores):
    """``metrics.json`` of a replanned run: the days from ``day`` on, burned-out cells included.

    ``nominal`` and ``design`` are the new plan, ``continued`` the old one at nominal effectiveness and ``baseline`` no
    further drop, all counting drops from ``day`` on; ``drops_flown`` were executed before. A closed loop has ``loop``
    and ``drops_flown`` in all; once it has reached its end, ``nominal`` and ``baseline`` are its drawn fires.
    """

    day: int = 0
    drops_flown: int = 0
    continued: Metrics | None = None
    loop: tuple[LoopDay, ...] = ()

    def failed_text(self) -> str:
        """Return how many drops of a closed loop were ordered and did not happen, as a clause; empty for none.

        Its drops, tables and files are those that were ordered. They are known where the loop has reached its end.
        """
        if not self.loop or self.nominal is None or self.nominal.drops_executed <= self.drops_flown:
            return ""
        ordered = self.nominal.drops_executed
        failed = f"{ordered - self.drops_flown:,} of {counted(ordered, 'ordered drop')} did not happen"
        return f"{failed}; the map, tables and files have all that were ordered"


def replan_problems(spec: ReplanSpec) -> list[Problem]:
    """Return everything that is wrong with the input, but for the run folder and the observed fire."""
    project, days = spec.project, spec.project.plan.days
    found = list(project.problems())
    if not 1 <= spec.day < days:
        what = f"day {spec.day} of a plan of days 0 to {days - 1}"
        remedy = f"use 1 to {days - 1}" if days > 1 else "plan at least 2 days"
        found.append(Problem("day", what, remedy))
    found += spec.schedule.size_problems(project.calendar.n_steps, project.fleet.n_aircraft)
    if not spec.closed_loop:
        found += _observation_problems(spec)
    elif spec.exercise is not None:
        found += _exercise_problems(spec.exercise, spec)
    return found + _stop_problems(spec)


def _exercise_problems(scenario: StressScenario, spec: ReplanSpec) -> list[Problem]:
    found = [_of_interval(problem) for problem in bounds_problems(scenario, "exercise", has_flag=False)]
    found += scenario.repair_problems(spec.project.scenario.steps_per_day)
    if scenario.repair_hours == 0.0:
        found.append(Problem("exercise", "the fire is never observed", "give the hours between two observations"))
    if spec.draw < 0:
        found.append(Problem("exercise", f"draw is {spec.draw}", "draws are counted from 0"))
    return found


def _of_interval(problem: Problem) -> Problem:
    """Return a problem of the exercise; the interval of its scenario is given apart from the scenario."""
    names = problem.setting
    if names is None or names.name != "repair_hours":
        return problem
    return replace(problem, setting=replace(names, name="every_hours", flag="--every"))


def _stop_problems(spec: ReplanSpec) -> list[Problem]:
    days = spec.project.plan.days
    if spec.stop_at is None or 0.0 < spec.stop_at < days:
        return []
    what = f"day {spec.stop_at:g} of a plan of {days} days"
    return [Problem("stop", what, f"use more than 0 and less than {days} days after the start")]


def _observation_problems(spec: ReplanSpec) -> list[Problem]:
    seen, shape = spec.observed, spec.project.scenario.grid.shape
    if seen is None:
        return [Problem("observed", "no perimeter was given", "give the fire as it was observed")]
    if seen.fire.shape != shape:
        what = f"has {seen.fire.shape[0]} × {seen.fire.shape[1]} cells, the project {shape[0]} × {shape[1]}"
        return [Problem("observed", what, "give a perimeter on the project's grid")]
    if not seen.fire.any():
        return [Problem("observed", "nothing has burned", "give the perimeter of this fire")]
    return []


class ReplanJob(SessionRun[ReplanSpec, ReplanFolder]):
    """Base class of replanning runs: it checks the input and opens the run folder."""

    title = TITLE

    def __init__(self, spec: ReplanSpec, emit: Emit, control: RunControl, engine: Engine, machine: RunMachine) -> None:
        super().__init__(spec, emit, control, engine, machine, ReplanFolder(spec.out, spec.resume))
        self._plan: PlanSpec = spec.as_plan()

    @property
    def _stride(self) -> int | None:
        """Steps between the frames to show; ``None`` where frames are not shown."""
        stride = self._spec.stride
        return stride if stride < self._spec.project.calendar.n_steps else None

    def _checked(self, note: ReplanNote) -> RunRecord | None:
        """Return the run to resume. Raises :class:`~firegui.errors.InputError` with everything that is wrong."""
        problems = Problems()
        problems.extend(replan_problems(self._spec))
        try:
            previous = check_out(self._spec.out, self._spec.resume)
            if previous is not None and not problems:
                problems.extend(self._resume_problems(previous, note))
            elif self._spec.after is not None and not problems:
                problems.extend(self._after_problems(read_run(self._spec.after), note))
        except InputError as error:
            problems.extend(error.problems)
        problems.raise_if_any(TITLE)
        return previous

    def _resume_problems(self, previous: RunRecord, note: ReplanNote) -> list[Problem]:
        then, where = previous.header.replan, str(previous.folder)
        if then is None:
            return [Problem(where, "is not a replanned run", "give the folder of one, or start one (without --resume)")]
        found = resume_problems(replace(previous, header=replace(previous.header, replan=None)), self._plan)
        if replace(then, fire="", notes=()) != replace(note, fire="", notes=()):
            found.append(Problem(where, "was run with another day, perimeter or schedule", "give the same again"))
        if self._spec.closed_loop:
            before, now = previous.settings, ProjectSnapshot.of(self._plan.project).plan
            shown = {text for text, _, _ in differences(before, now)}
            for title, old, new in differences(before, now, all_of=True):
                if title not in shown:
                    found.append(Problem(where, f"was run with {title} = {old}, now {new}", "set it back"))
        return found + self._world_problems(previous)

    def _after_problems(self, before: RunRecord, note: ReplanNote) -> list[Problem]:
        """Return the problems of a run after the closed loop ``before``.

        Its pinned drops may differ.
        """
        then, where, header = before.header.replan, str(before.folder), before.header
        if then is None or not then.closed_loop:
            return [Problem(where, "is not a closed loop", "give the folder of an exercise that was stopped")]
        if not (before.folder / LOOP_STATE).is_file():
            return [Problem(where, "stopped before a day was flown", "start a new one with this schedule")]
        if before.is_live:
            return [Problem(where, "is still being flown", "stop it first")]
        pinned = self._spec.project.operations.pinned
        ran = replace(header.project, operations=replace(header.project.operations, pinned=pinned))
        found = resume_problems(
            replace(before, header=replace(header, project=ran, replan=None)), replace(self._plan, warm_start=None)
        )
        if (then.exercise, then.draw, then.day) != (note.exercise, note.draw, note.day):
            found.append(Problem(where, "was flown in another scenario or draw", "give the same again"))
        return found + self._world_problems(before)

    def _world_problems(self, before: RunRecord) -> list[Problem]:
        if self._spec.exercise is None or before.header.project.stress == self._spec.project.stress:
            return []
        return [Problem(str(before.folder), "was flown with another stress set", "set it back")]

    def _open(self, model: Model, previous: RunRecord | None, note: ReplanNote, plan: PlanSpec) -> RunSession:
        then = previous.header if previous else None
        header = replace(new_header(plan, model.backend, model.device, then), replan=note)
        session = self._begin_session(plan, model, then, header)
        self._speaker.say_device(model)
        return session


def read_scores(folder: Path) -> ReplanScores:
    """Read the scores of a replanned run. Raises :class:`~firegui.errors.InputError`."""
    scores: ReplanScores = read_json(folder / METRICS, ReplanScores, ReplanScores())
    return scores


def note_of(spec: ReplanSpec, state: FireState | None = None, notes: Sequence[str] = ()) -> ReplanNote:
    """Return the note that the run folder keeps."""
    seen = spec.observed
    return ReplanNote(
        day=spec.day,
        flown=schedule_hash(spec.schedule),
        closed_loop=spec.closed_loop,
        observed="" if seen is None or spec.closed_loop else seen.source,
        observed_file="" if seen is None or spec.closed_loop else seen.sha256,
        fire="" if state is None else codes_hash(state.codes),
        notes=tuple(notes),
        exercise=spec.exercise,
        draw=spec.draw,
        after=path_text(spec.after),
    )


def no_drops(model: Model) -> Schedule:
    """Return a schedule for ``model`` that flies nothing."""
    return Schedule.empty(model.maps.n_steps, model.fleet.n_aircraft)
