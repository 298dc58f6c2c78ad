"""Comparisons of planners: ``benchmark``."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

from firegui.analyses.benchmark.results import STORE, BenchmarkHeader, read_header, task_schedule
from firegui.analyses.benchmark.run import asked_problems, usable_planners
from firegui.analyses.execution.executor import cluster_problems
from firegui.analyses.task_files import TITLE
from firegui.api.gather import Gather
from firegui.api.inputs import Change, with_given
from firegui.api.projects import OpenProject, ProjectSource, read_project
from firegui.api.python_words import python_interface
from firegui.api.running import ReadyRun, SavedRunResult, refusal, run_place, run_spec
from firegui.domain.benchmark import (
    DEFAULT_PLANNERS,
    MATCHED_PLANNERS,
    BenchmarkRow,
    BenchmarkSettings,
    BenchmarkTable,
    PlannerName,
)
from firegui.domain.project import Project
from firegui.domain.results import Metrics
from firegui.domain.schedule import Schedule
from firegui.errors import Problems
from firegui.io.project.store import save_project
from firegui.runs.control import RunControl
from firegui.runs.engine import Engine
from firegui.runs.events import BenchmarkReady, Emit, RunFinished
from firegui.runs.spec import BenchmarkSpec
from firegui.runs.stages import FinishReason

ALL = "all"
PlannerNames = str | Sequence[str]
"""``all``, names with commas between them, or a sequence of names."""


@dataclass(frozen=True, slots=True, eq=False)
class PlannerComparison:
    """Request for a benchmark into the folder ``out``, on ``processes`` processes, 0 for one a core.

    With ``scheduler``, the address of a Dask scheduler, its workers carry the tasks out.

    ``settings`` changes everything but the planners: the default settings, or those of the benchmark that is resumed.
    ``planners`` and ``matched`` are added to those of the benchmark that is resumed; without ``planners`` a new one has
    all that can be used.
    """

    project: ProjectSource
    out: Path
    settings: Change[BenchmarkSettings]
    planners: PlannerNames | None = None
    matched: PlannerNames | None = None
    processes: int = 0
    resume: bool = False
    backend: str = "auto"
    scheduler: str = ""

    def read(self) -> ReadyRun:
        """Read every input and write nothing.

        Raises :class:`~firegui.errors.InputError` listing every problem.
        """
        gather, engine, out = Gather(), Engine(), self.out
        read = read_project(self.project, gather)
        earlier = gather.attempt(lambda: STORE.check(out, self.resume))
        wanted = self._wanted(earlier, engine, gather)
        gather.attempt(lambda: engine.check_backend(self.backend))
        # A list with an unknown name was told of already; it may be empty without it.
        found = asked_problems(wanted.settings, self.processes, engine)
        gather.extend(item for item in found if not (wanted.unread and item.where == "planners"))
        ready = None
        if read is not None:
            gather.extend(read.project.problems())
        if read is not None and read.folder is not None:
            spec = BenchmarkSpec(
                read.project, out, "", wanted.settings, read.folder, self.resume, self.backend, self.processes,
                notes=wanted.notes, scheduler=self.scheduler,
            )  # fmt: skip
            ready = ReadyRun(spec, is_repeatable=read.is_as_saved).with_command()
            gather.extend(cluster_problems(self.scheduler))
        elif read is not None:
            gather.add("project", "has no folder with its event", "save it first")
        elif earlier is not None:
            place = earlier.project_folder or "a project that was not noted"
            gather.add(str(out), f"was run on {earlier.project.name}, kept in {place}", "give the folder it is in now")
        gather.raise_if_any(TITLE)
        assert ready is not None
        return ready

    def _wanted(self, earlier: BenchmarkHeader | None, engine: Engine, gather: Gather) -> _RequestedBenchmark:
        """Return what is requested, added to what was ``earlier``; every problem is noted."""
        base = BenchmarkSettings(planners=()) if earlier is None else earlier.settings
        notes = () if earlier is None else earlier.notes
        named = self.planners if self.planners is not None or earlier is not None else ALL
        if named == ALL:
            planners, notes = usable_planners(DEFAULT_PLANNERS, engine)
        else:
            planners = _names(named, "--planners", gather)
        if self.matched == ALL:
            matched, lacking = usable_planners(MATCHED_PLANNERS, engine)
            notes = tuple(dict.fromkeys((*notes, *lacking)))
        else:
            matched = _names(self.matched, "--matched", gather)
        settings = replace(
            self.settings(base, gather),
            planners=tuple(dict.fromkeys((*base.planners, *planners))),
            matched=tuple(dict.fromkeys((*base.matched, *matched))),
        )
        return _RequestedBenchmark(settings, notes, any(item.where in ("--planners", "--matched") for item in gather))


@dataclass(frozen=True, slots=True)
class _RequestedBenchmark:
    """Requested settings. ``unread`` says that a name of a planner could not be read."""

    settings: BenchmarkSettings
    notes: tuple[str, ...] = ()
    unread: bool = False


def _names(names: PlannerNames | None, where: str, gather: Gather) -> tuple[PlannerName, ...]:
    """Return the planners with these names; what is unknown is noted and left out."""
    if names is None:
        return ()
    parts = names.split(",") if isinstance(names, str) else [str(name) for name in names]
    parts = [part.strip() for part in parts if part.strip()]
    found = []
    if not parts:
        gather.add(where, "is empty", f"give {ALL}, or any of {', '.join(PlannerName)}")
    for part in parts:
        try:
            found.append(PlannerName(part))
        except ValueError:
            gather.add(where, f"{part!r} is not a planner", f"give {ALL}, or any of {', '.join(PlannerName)}")
    return tuple(found)


@dataclass(frozen=True, slots=True, eq=False)
class FinishedBenchmark:
    """Benchmark that ended, with its header as it is saved."""

    table: BenchmarkTable
    header: BenchmarkHeader
    finished: RunFinished


def carry_out_benchmark(
    ready: ReadyRun, progress: Emit | None = None, cancel: RunControl | None = None
) -> FinishedBenchmark:
    """Run it. Raises the error of a run that left no row."""
    event, finished = run_spec(ready.spec, BenchmarkReady, progress, cancel)
    table = None if event is None else event.table
    if table is None or (finished.reason is FinishReason.FAILED and not table.rows):
        raise refusal(finished, TITLE)
    return FinishedBenchmark(table, read_header(ready.spec.out), finished)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class BenchmarkReport(SavedRunResult):
    """Comparison of planners.

    ``table`` has a row for each task that is done. ``best`` is the one with the lowest objective, ``schedule`` its
    schedule, ``None`` where that is the fire without drops.
    """

    store: ClassVar = STORE

    table: BenchmarkTable = field(repr=False)
    best: BenchmarkRow = field(repr=False)
    schedule: Schedule | None = field(repr=False)

    @property
    def metrics(self) -> Metrics:
        """Metrics of the best row at nominal effectiveness."""
        return self.best.metrics


@python_interface
def benchmark(
    project: ProjectSource,
    *,
    planners: PlannerNames | None = None,
    matched: PlannerNames | None = None,
    seeds: int | None = None,
    seed: int | None = None,
    allowance: int | None = None,
    budget: int | None = None,
    processes: int = 0,
    scheduler: str = "",
    out: str | Path | None = None,
    resume: bool = False,
    backend: str = "auto",
    progress: Emit | None = None,
    cancel: RunControl | None = None,
) -> BenchmarkReport:
    """Compare planners with one simulator, objective, drop budget and allowance of rollouts.

    The work is shared out over processes of one thread each. In a script the call must therefore stand below
    ``if __name__ == "__main__":``.

    Args:
        project: Project, or the folder of one.
        planners: ``"all"``, names with commas between them, or a sequence of names.
        matched: Planners that also run once at the two-stage plan's whole cost, likewise.
        seeds: How often each planner that draws random numbers is run.
        seed: First seed; the others follow it.
        allowance: Rollout-equivalents of each search; a gradient epoch is charged three.
        budget: Soft limit on executed drops; 0 is the number of the two-stage plan.
        processes: Number of processes, 0 for one a core.
        scheduler: Address of a Dask scheduler whose workers carry the tasks out, such as ``"tcp://10.0.0.5:8786"``.
        out: Folder for the tables, new or empty. Without it nothing is left on disk; the result can be saved.
        resume: Go on with the benchmark in ``out``; planners and seeds may be added.
        backend: What computes: ``"auto"``, ``"cpu"``, ``"cuda"`` or ``"reference"``.
        progress: Receives every event of the run, in this thread.
        cancel: Token that stops the run; the tasks that are done are then returned.

    Raises:
        InputError: Something is wrong with the input. Every problem is listed and nothing was written.
        CancelledError: The run was stopped before a task was done.
        RunFailedError: The run ended with an error that is not about its input.
    """
    given = {"seeds": seeds, "seed": seed, "allowance": allowance, "budget": budget}

    def settings(base: BenchmarkSettings, problems: Problems) -> BenchmarkSettings:
        return with_given(base, given, problems)

    with ExitStack() as stack:
        source, is_temporary = _with_folder(project, stack)
        place = stack.enter_context(run_place(out))
        request = PlannerComparison(
            source, place.folder, settings, planners, matched, processes, resume, backend, scheduler
        )
        ready = request.read()
        if is_temporary:
            ready = replace(ready, is_repeatable=False).with_command()
        ended = carry_out_benchmark(ready, progress, cancel)
        if not ended.table.rows:
            raise refusal(ended.finished, TITLE)
        header = ended.header
        if is_temporary:
            header = replace(header, project_folder="")
            STORE.write(place.folder, header)
        best = min(ended.table.rows, key=lambda row: row.objective)
        return BenchmarkReport(
            project=ready.spec.project,
            reason=ended.finished.reason,
            message=ended.finished.message,
            seconds=header.seconds,
            backend=header.backend,
            device=header.device,
            folder=place.kept,
            run=ready,
            content=place.content(),
            table=ended.table,
            best=best,
            schedule=task_schedule(place.folder, best.task, ready.spec.project),
        )


def _with_folder(project: ProjectSource, stack: ExitStack) -> tuple[ProjectSource, bool]:
    """Return the project with a folder that holds its event, and whether it is temporary.

    The processes of a benchmark read the event there.
    """
    read = read_project(project, Gather()) if isinstance(project, Project) else None
    if read is None or read.folder is not None:
        return project, False
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="firegui-"))) / "project.firegui"
    save_project(read.project, folder)
    return OpenProject.of(read.project, folder), True
