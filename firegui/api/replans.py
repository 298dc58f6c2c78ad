"""Plans that go on from an observed fire, or day by day from a drawn one: ``replan``."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

from firegui.api.argument_checks import is_number, is_string, is_whole
from firegui.api.gather import Gather
from firegui.api.inputs import (
    Change,
    ScheduleSource,
    check_source,
    gather_schedule,
    kept_schedule_file,
    schedule_file,
    with_given,
)
from firegui.api.plans import requested_settings, scored
from firegui.api.projects import ProjectSource, ReadProject, read_project
from firegui.api.python_words import python_interface
from firegui.api.running import ReadyRun, SavedRunResult, refusal, run_place, run_spec
from firegui.domain.project import Project
from firegui.domain.results import Metrics
from firegui.domain.schedule import DropRecord, Schedule
from firegui.domain.settings import PlanSettings
from firegui.domain.stress import NOMINAL, StressScenario
from firegui.errors import CancelledError, Problems
from firegui.io.project.observation_file import read_observation
from firegui.runs.control import RunControl
from firegui.runs.engine import Engine
from firegui.runs.events import Emit, RunFinished
from firegui.runs.replan_base import TITLE, ReplanScores, read_scores, replan_problems
from firegui.runs.run_folder import DROPS, STORE, RunRecord, kept_schedule, read_drops, read_run
from firegui.runs.run_repair import check_out
from firegui.runs.run_requests import next_run_number
from firegui.runs.spec import ReplanSpec
from firegui.runs.stages import FinishReason


@dataclass(frozen=True, slots=True, eq=False)
class ReplanRequest:
    """Request to replan what is left of ``schedule`` into the folder ``out``; fields as in :func:`replan`."""

    project: ProjectSource
    out: Path
    schedule: ScheduleSource
    settings: Change[PlanSettings]
    observed: Path | None = None
    day: int | None = None
    closed_loop: bool = False
    scenario: str | None = None
    every: float | None = None
    draw: int | None = None
    stop_at: float | None = None
    after: Path | None = None
    resume: bool = False
    backend: str = "auto"

    @property
    def turn(self) -> int:
        """Day to plan from."""
        return 1 if self.day is None else self.day

    def read(self) -> ReadyRun:
        """Read every input and write nothing.

        Raises :class:`~firegui.errors.InputError` listing every problem.
        """
        gather = Gather()
        unusable = self._unusable(gather)
        nothing: dict[str, Any] = dict.fromkeys(unusable)
        return replace(self, **nothing)._read(gather, unusable)

    def _unusable(self, gather: Gather) -> tuple[str, ...]:
        """Return which fields have a value of another type, which is added to the problems."""
        checks = {"day": is_whole, "scenario": is_string, "every": is_number, "draw": is_whole, "stop_at": is_number}
        return tuple(
            name
            for name, is_usable in checks.items()
            if not is_usable(getattr(self, name), f"--{name.replace('_', '-')}", gather, may_be_none=True)
        )

    def _read(self, gather: Gather, unusable: tuple[str, ...]) -> ReadyRun:
        read = read_project(self.project, gather)
        earlier = gather.attempt(lambda: check_out(self.out, self.resume))
        plan = requested_settings(PlanSettings() if read is None else read.project.plan, earlier, self.settings, gather)
        if self.day is None and not self.closed_loop and "day" not in unusable:
            gather.add("--day", "is missing", "give the day to plan from, counted from 0")
        if self.closed_loop and self.observed is not None:
            gather.add("--observed", "is of no use in a closed loop, which draws its fire", "leave one of them out")
        of_loop = (self.scenario, self.every, self.draw, self.stop_at, self.after)
        if not self.closed_loop and of_loop != (None,) * len(of_loop):
            what = "is of use in a closed loop only, as are --every, --draw, --stop-at and --after"
            gather.add("--scenario", what, "add --closed-loop, or leave them out")
        gather.attempt(lambda: Engine().check_backend(self.backend))
        ready = None
        if read is None:
            gather.extend(plan.problems())
            check_source(schedule_file(self.schedule), gather, "--schedule")
            check_source(self.observed, gather, "--observed")
        else:
            ready = self._ready(replace(read, project=replace(read.project, plan=plan)), gather)
        gather.raise_if_any(TITLE)
        assert ready is not None
        return ready

    def _ready(self, read: ReadProject, gather: Gather) -> ReadyRun | None:
        """Return the run on a project that could be read; ``None`` without a schedule."""
        project, turn, seen, unread = read.project, self.turn, None, True
        schedule, file = gather_schedule(self.schedule, project, gather), kept_schedule_file(self.schedule)
        # A day outside the plan is said below; what was observed on it would only confuse.
        is_there = check_source(self.observed, gather, "--observed")
        if is_there and not self.closed_loop and 1 <= turn < project.plan.days:
            seen = gather.attempt(lambda: read_observation(self.observed, project, turn))
            unread = seen is None
        if schedule is None:
            gather.extend(project.problems())
            return None
        spec = ReplanSpec(
            project=project,
            out=self.out,
            command="",
            schedule=schedule,
            day=turn,
            observed=seen,
            closed_loop=self.closed_loop,
            exercise=self._exercise(project, gather) if self.closed_loop else None,
            draw=self.draw or 0,
            stop_at=self.stop_at,
            after=self.after,
            resume=self.resume,
            backend=self.backend,
            frame_stride=project.calendar.n_steps,
            project_folder=read.folder,
            schedule_file=file,
            number=None if self.resume else next_run_number(self.out, read.folder),
        )
        # The reader of the perimeter has reported why there is none.
        gather.extend(item for item in replan_problems(spec) if item.where != "observed" or not unread)
        return ReadyRun(spec, self.observed, read.is_as_saved and file is not None).with_command()

    def _exercise(self, project: Project, gather: Gather) -> StressScenario | None:
        """Return the scenario of an exercise; ``None`` for a daily loop in the model."""
        if (self.scenario, self.every, self.draw) == (None, None, None):
            return None
        name = self.scenario or NOMINAL.name
        known = (NOMINAL, *project.stress.scenarios)
        found = next((one for one in known if one.name.casefold() == name.strip().casefold()), None)
        if found is None:
            remedy = f"use one of {', '.join(one.name for one in known)}"
            gather.add("--scenario", f"the project has no stress scenario {name}", remedy)
            return None
        hours = self.every if self.every is not None else found.repair_hours or 24.0
        return replace(found, repair_hours=hours)


@dataclass(frozen=True, slots=True, eq=False)
class FinishedReplan:
    """Replanned run that ended, with its folder as it stands."""

    record: RunRecord
    scores: ReplanScores
    finished: RunFinished


def carry_out_replan(ready: ReadyRun, progress: Emit | None = None, cancel: RunControl | None = None) -> FinishedReplan:
    """Run it. Raises the error of a run that kept nothing."""
    finished = run_spec(ready.spec, RunFinished, progress, cancel)[1]
    if finished.reason is FinishReason.FAILED or finished.folder is None:
        raise refusal(finished, TITLE)
    return FinishedReplan(read_run(finished.folder), read_scores(finished.folder), finished)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ReplannedPlan(SavedRunResult):
    """Plan of a replanned run.

    ``schedule`` is the whole plan, flown drops included, and ``drops`` are its proposed drops. ``scores`` are of the
    days from ``scores.day`` on: the new plan, the old one ``continued``, no further drops; and the days of a closed
    loop.
    """

    store: ClassVar = STORE

    schedule: Schedule = field(repr=False)
    drops: tuple[DropRecord, ...] = field(repr=False)
    scores: ReplanScores = field(repr=False)

    @property
    def metrics(self) -> Metrics:
        """Metrics of the new plan at nominal effectiveness, of the days from the day of replanning on.

        Raises :class:`~firegui.errors.FireguiError` where the run was stopped before the plan was scored.
        """
        return scored(self.scores.nominal)

    @property
    def baseline(self) -> Metrics | None:
        """Metrics of the same days without further drops."""
        return self.scores.baseline

    @property
    def continued(self) -> Metrics | None:
        """Metrics of the same days with the old schedule."""
        return self.scores.continued


@python_interface
def replan(
    project: ProjectSource,
    schedule: ScheduleSource,
    *,
    day: int | None = None,
    observed: str | Path | None = None,
    closed_loop: bool = False,
    scenario: str | None = None,
    every_hours: float | None = None,
    draw: int | None = None,
    stop_at_day: float | None = None,
    after: str | Path | None = None,
    epochs: int | None = None,
    patience: int | None = None,
    learning_rate: float | None = None,
    seed: int | None = None,
    out: str | Path | None = None,
    resume: bool = False,
    backend: str = "auto",
    progress: Emit | None = None,
    cancel: RunControl | None = None,
) -> ReplannedPlan:
    """Keep what a schedule flies before a day, take the observed fire in, and plan the other days anew.

    With ``closed_loop`` the fire is drawn, and the plan is observed, replanned and flown day by day. Both stages are
    the paper's, whatever the project's margin is.

    Args:
        project: Project, or the folder of one.
        schedule: Schedule that is being flown: a result, CSV, ``plan.safetensors`` of a run, or the run's folder.
        day: Day of the plan to plan from, counted from 0. A closed loop begins on day 1 unless given.
        observed: Fire at the start of that day (GeoTIFF, vector file or npz mask); the project's own unless given.
        closed_loop: Draw a fire; observe, replan and fly it day by day.
        scenario: Closed loop: the true world, a stress scenario of the project that the planner does not know.
        every_hours: Closed loop: hours between two observations.
        draw: Closed loop: draw of the scenario.
        stop_at_day: Closed loop: stop at the first observation this many days or more after the start.
        after: Closed loop: run to go on from, with ``schedule`` in place of what was left of its plan.
        epochs: Most gradient epochs of the first stage.
        patience: Stop after this many epochs without improvement.
        learning_rate: Step size of the optimizer, without a unit.
        seed: Seed of every random choice.
        out: Folder for the run, new or empty. Without it nothing is left on disk; the result can be saved.
        resume: Go on with the run in ``out``.
        backend: What computes: ``"auto"``, ``"cpu"``, ``"cuda"`` or ``"reference"``.
        progress: Receives every event of the run, in this thread.
        cancel: Token that stops the run; the best plan so far is then returned.

    Raises:
        InputError: Something is wrong with the input. Every problem is listed and nothing was written.
        CancelledError: The run was stopped before there was a plan.
        RunFailedError: The run ended with an error that is not about its input.
    """
    given = {"epochs": epochs, "patience": patience, "learning_rate": learning_rate, "seed": seed}

    def settings(plan: PlanSettings, problems: Problems) -> PlanSettings:
        return replace(plan, optimizer=with_given(plan.optimizer, given, problems))

    with run_place(out) as place:
        request = ReplanRequest(
            project, place.folder, schedule, settings, None if observed is None else Path(observed), day, closed_loop,
            scenario, every_hours, draw, stop_at_day, None if after is None else Path(after), resume, backend,
        )  # fmt: skip
        ready = request.read()
        ended = carry_out_replan(ready, progress, cancel)
        record, folder = ended.record, ended.record.folder
        if not record.has_plan:
            raise CancelledError(ended.finished.message)
        return ReplannedPlan(
            project=ready.spec.project,
            reason=ended.finished.reason,
            message=ended.finished.message,
            seconds=record.header.seconds,
            backend=record.header.backend,
            device=record.header.device,
            folder=place.kept,
            run=ready,
            content=place.content(),
            schedule=kept_schedule(folder, ready.spec.project),
            drops=read_drops(folder) if (folder / DROPS).is_file() else (),
            scores=ended.scores,
        )
