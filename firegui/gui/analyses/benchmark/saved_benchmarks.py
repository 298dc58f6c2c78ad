"""The benchmarks in a project's folder: what is asked for, what lies there, and the plans that their tasks kept."""

from __future__ import annotations

from collections.abc import Container
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from importlib.util import find_spec
from pathlib import Path

from firegui.domain.benchmark import (
    ALWAYS_ONE_SEED,
    FIXED_COST,
    PLANNERS,
    BenchmarkSettings,
    BenchmarkTable,
    PlannerName,
    Task,
    tasks_of,
)
from firegui.domain.project import Project
from firegui.domain.schedule import Schedule
from firegui.errors import InputError, Problem
from firegui.gui.base.number_text import duration
from firegui.gui.jobs.saved_runs import kept_plan, kept_schedule
from firegui.planning.flight_rules import rule_problems
from firegui.runs.benchmark_folder import ROW, BenchmarkHeader, read_header, task_folder
from firegui.runs.command import with_command
from firegui.runs.events import FinishReason
from firegui.runs.header import event_hash
from firegui.runs.lock import is_held
from firegui.runs.messages import counted
from firegui.runs.spec import BenchmarkSpec, EvaluateSpec

FOLDER = "benchmarks"
"""The folder of a project that holds its benchmarks."""


@dataclass(frozen=True, slots=True)
class SavedBenchmark:
    """A benchmark that lies in the project's folder. ``held``: somebody works on it now."""

    folder: Path
    header: BenchmarkHeader
    done: int
    held: bool

    @property
    def tasks(self) -> int:
        """How many tasks it was asked for."""
        return len(tasks_of(self.header.settings))

    @property
    def is_finished(self) -> bool:
        """Whether it came to its end: one that was cut short after its last task still lacks its figures."""
        return self.header.reason is FinishReason.COMPLETED and self.done >= self.tasks

    def wanted(self, settings: BenchmarkSettings) -> BenchmarkSettings:
        """Its own settings with the planners and seeds that ``settings`` asks for besides."""
        own = self.header.settings
        return replace(
            own,
            planners=tuple(dict.fromkeys((*own.planners, *settings.planners))),
            matched=tuple(dict.fromkeys((*own.matched, *settings.matched))),
            seeds=max(own.seeds, settings.seeds),
        )

    def can_resume(self, settings: BenchmarkSettings) -> bool:
        """Whether something is left to do of it, be it the figures alone, or ``settings`` ask for more of the same."""
        own = self.header.settings
        same = (own.allowance, own.budget, own.seed) == (settings.allowance, settings.budget, settings.seed)
        more = not self.is_finished or len(tasks_of(self.wanted(settings))) > self.done
        return not self.held and same and more

    def title(self, today: date) -> str:
        """Time, setting and size of a benchmark, for a list."""
        when = self.header.started.astimezone()
        clock = f"{when:%H:%M:%S}" if when.date() == today else f"{when.day} {when:%b %H:%M}"
        size = f"{self.done} tasks" if self.done >= self.tasks else f"{self.done} of {self.tasks} tasks"
        if self.done >= self.tasks and not self.is_finished:
            size += ", not finished"
        return f"{clock} · {self.header.project.plan.setting.value} · {'at work' if self.held else size}"


def saved_benchmarks(project_folder: Path | None) -> tuple[SavedBenchmark, ...]:
    """The benchmarks in a project's folder, the latest first; what cannot be read is left out."""
    if project_folder is None or not (project_folder / FOLDER).is_dir():
        return ()
    found = []
    for folder in sorted((project_folder / FOLDER).iterdir()):
        with suppress(InputError):
            header = read_header(folder)
            done = sum((task_folder(folder, task) / ROW).is_file() for task in tasks_of(header.settings))
            found.append(SavedBenchmark(folder, header, done, is_held(folder)))
    return tuple(sorted(found, key=lambda each: each.header.started, reverse=True))


@dataclass(frozen=True, slots=True)
class BenchmarkRequest:
    """A benchmark that is asked for; ``processes`` 0 is one for every core."""

    settings: BenchmarkSettings
    processes: int = 0


def missing_package(planner: PlannerName) -> str:
    """The package that has to be installed before ``planner`` can be run; empty where nothing is missing."""
    package = PLANNERS[planner].package
    return package if package and find_spec(package) is None else ""


def requested_spec(request: BenchmarkRequest, project: Project, folder: Path, out: Path, backend: str) -> BenchmarkSpec:
    """What is carried out for ``request``; planners that cannot be run here are noted as left out."""
    left_out = tuple(
        f"{PLANNERS[planner].title} is left out: it needs the package {package}"
        for planner in PlannerName
        if (package := missing_package(planner))
        and planner not in (*request.settings.planners, *request.settings.matched)
    )
    spec = BenchmarkSpec(
        project, out, "", request.settings, folder, backend=backend, processes=request.processes, notes=left_out
    )
    return with_command(spec)


def lacks(project: Project, settings: BenchmarkSettings) -> list[Problem]:
    """What keeps a benchmark of ``project`` from being run."""
    found = list(project.problems() or rule_problems(project)) + settings.problems()
    for planner in dict.fromkeys((*settings.planners, *settings.matched)):
        if package := missing_package(planner):
            remedy = f"pip install {package}, or leave the planner out"
            found.append(Problem(PLANNERS[planner].title, f"{package} is not installed", remedy))
    return found


# -- what it costs ----------------------------------------------------------------------------------------------------
def searches_in(tasks: tuple[Task, ...]) -> tuple[Task, ...]:
    """Those of ``tasks`` that may use a whole allowance."""
    return tuple(task for task in tasks if task.planner not in FIXED_COST | ALWAYS_ONE_SEED)


def cost_text(settings: BenchmarkSettings, pace: float | None = None) -> str:
    """What a benchmark takes, in words; nobody knows before what the two-stage plan will.

    ``pace`` is the processor time of a rollout-equivalent in the benchmark that is shown, where there is one.
    """
    tasks = tasks_of(settings)
    shared = sum(not task.matched for task in searches_in(tasks)) * settings.allowance
    matched = sum(task.matched for task in tasks)
    text = counted(len(tasks), "task")
    text += f", at most {shared:,} rollout-equivalents" if shared else ""
    if any(task.planner is PlannerName.TWO_STAGE for task in tasks):
        text += "; the two-stage plan comes first, at a cost that shows only then"
        text += f", and {_searches(matched)} at that cost again" if matched else ""
    if pace is None:
        return f"{text}. How long it takes shows after the first tasks."
    took = f"about {duration(shared * pace)} of processor time" if shared else "little time"
    return f"{text}. At the pace of the one shown {took}, shared out over the processes."


def _searches(count: int) -> str:
    return counted(count, "search", "searches")


def seconds_left(table: BenchmarkTable, spent: int, seconds: float, failed: Container[Task] = ()) -> float | None:
    """About what the rest takes at the pace so far: ``spent`` rollout-equivalents in ``seconds`` by the clock.

    Those of its tasks that ``failed`` take nothing more. ``None`` before there is a pace, and before the two-stage plan
    has said what it cost.
    """
    left = tuple(task for task in table.missing if task not in failed)
    if PlannerName.TWO_STAGE in {task.planner for task in table.missing} or not spent or not seconds:
        return None
    allowances = {True: table.matched_allowance, False: table.settings.allowance}
    total = sum(row.evaluations for row in table.rows)
    total += sum(allowances[task.matched] for task in searches_in(left))
    return max(total - spent, 0) * seconds / spent


# -- on the map -------------------------------------------------------------------------------------------------------
def project_then(header: BenchmarkHeader, project: Project) -> Project:
    """The project as the benchmark had it, on the open project's event.

    Raises :class:`InputError` where the event or the fire model is another one by now.
    """
    if header.event_hash != event_hash(project):
        what = "was run on another event or fire model than the open project's"
        problem = Problem("the benchmark", what, "set the fire model back, or run it again")
        raise InputError([problem], "The benchmark does not fit the project")
    return header.project.on(project)


def task_schedule(folder: Path, task: Task, project: Project) -> Schedule | None:
    """The best schedule of a finished task; ``None`` for the fire without drops. Raises :class:`InputError`."""
    place = task_folder(folder, task)
    if task.planner is PlannerName.NONE:
        return None
    if kept_plan(place) is None:
        problem = Problem(str(place), "has no plan", "resume the benchmark, or choose another line")
        raise InputError([problem], "The plan cannot be shown")
    return kept_schedule(place, project)


def task_spec(folder: Path, task: Task, project: Project, backend: str) -> EvaluateSpec:
    """The fire without drops and the fire of a task, for the map. Raises :class:`InputError`."""
    return EvaluateSpec(project, task_schedule(folder, task, project), backend=backend)


def comparison_spec(folder: Path, one: Task, other: Task, project: Project, backend: str) -> EvaluateSpec:
    """The fire of ``one`` as the plan, that of ``other`` in place of the fire without drops.

    Raises :class:`InputError`.
    """
    none = Schedule.empty(project.calendar.n_steps, project.planned_fleet.n_aircraft)
    plan = task_schedule(folder, one, project) or none
    return EvaluateSpec(project, plan, backend=backend, against=task_schedule(folder, other, project))
