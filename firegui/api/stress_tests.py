"""Stress tests of a schedule: ``stress_test``."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

from firegui.analyses.stress.results import STORE, TITLE, StressHeader
from firegui.analyses.stress.run import stress_problems
from firegui.api.gather import Gather
from firegui.api.inputs import (
    Change,
    ScheduleSource,
    gather_scenarios,
    gather_schedule,
    kept_schedule_file,
    with_given,
)
from firegui.api.projects import ProjectSource, read_project
from firegui.api.python_words import python_interface
from firegui.api.running import ReadyRun, SavedRunResult, refusal, run_place, run_spec
from firegui.domain.calendar import STEPS_PER_DAY
from firegui.domain.schedule import Schedule
from firegui.domain.stress import StressSet, StressTable, StressTestSettings, verdict_text
from firegui.errors import Problems
from firegui.runs.control import RunControl
from firegui.runs.engine import Engine
from firegui.runs.events import Emit, RunFinished, StressReady
from firegui.runs.header import file_of
from firegui.runs.spec import StressSpec
from firegui.runs.stages import FinishReason


@dataclass(frozen=True, slots=True, eq=False)
class StressTestRequest:
    """Request for a stress test of ``schedule`` into the folder ``out``.

    ``settings`` changes the default settings with the project's scenarios, or those of the test that is resumed.
    ``scenarios`` replace the set.
    """

    project: ProjectSource
    schedule: ScheduleSource
    out: Path
    settings: Change[StressTestSettings]
    scenarios: StressSet | str | Path | None = None
    resume: bool = False
    backend: str = "auto"

    def read(self) -> ReadyRun:
        """Read every input and write nothing.

        Raises :class:`~firegui.errors.InputError` listing every problem.
        """
        gather, out = Gather(), self.out
        read = read_project(self.project, gather)
        project = None if read is None else read.project
        earlier = gather.attempt(lambda: STORE.check(out, self.resume))
        base = StressTestSettings(stress=StressSet() if project is None else project.stress)
        if earlier is not None:
            base = earlier.settings
        scenarios = gather_scenarios(self.scenarios, project, gather)
        base = base if scenarios is None else replace(base, stress=scenarios)
        settings = self.settings(base, gather)
        schedule = gather_schedule(self.schedule, project, gather)
        gather.attempt(lambda: Engine().check_backend(self.backend))
        file = kept_schedule_file(self.schedule)
        ready = None
        if read is not None and schedule is not None:
            scenarios_file = self._scenarios_file(earlier, read.folder)
            spec = StressSpec(
                project=read.project,
                out=out,
                command="",
                settings=settings,
                schedule=schedule,
                resume=self.resume,
                backend=self.backend,
                project_folder=read.folder,
                schedule_file=file,
                scenarios_file=scenarios_file,
            )
            can_read = scenarios_file is not None or settings.stress.scenarios == read.project.stress.scenarios
            is_repeatable = read.is_as_saved and file is not None and can_read
            ready = ReadyRun(spec, is_repeatable=is_repeatable).with_command()
            gather.extend(stress_problems(spec))
        else:
            gather.extend(settings.problems(STEPS_PER_DAY if project is None else project.scenario.steps_per_day))
        gather.raise_if_any(TITLE)
        assert ready is not None
        return ready

    def _scenarios_file(self, earlier: StressHeader | None, project_folder: Path | None) -> Path | None:
        """Return the file of scenarios: that of ``earlier`` where a resumed test is not given one."""
        if self.scenarios is None and earlier is not None:
            return file_of(earlier, earlier.scenarios_file, project_folder)
        return Path(self.scenarios) if isinstance(self.scenarios, str | Path) else None


@dataclass(frozen=True, slots=True, eq=False)
class FinishedStressTest:
    """Stress test that ended, with its table so far."""

    table: StressTable
    finished: RunFinished


def carry_out_stress_test(
    ready: ReadyRun, progress: Emit | None = None, cancel: RunControl | None = None
) -> FinishedStressTest:
    """Run it. Raises the error of a run that left no table."""
    event, finished = run_spec(ready.spec, StressReady, progress, cancel)
    if finished.reason is FinishReason.FAILED or event is None:
        raise refusal(finished, TITLE)
    return FinishedStressTest(event.table, finished)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class StressTestReport(SavedRunResult):
    """Stress test of ``schedule``; ``stress`` is the table, with every scenario that is done.

    ``stress.results`` are the scenarios in their order and ``stress.worst_first`` the same, the largest share first.
    ``stress.nominal`` is the model's own world. A result has its ``scenario``, ``draws``, ``share_worst`` and
    ``share_mean``.
    """

    store: ClassVar = STORE

    schedule: Schedule = field(repr=False)
    stress: StressTable = field(repr=False)

    @property
    def holds(self) -> bool:
        """Whether no scenario that is done leaves more growth than the limit of the project's margin."""
        return self.stress.holds(self.project.plan)

    @property
    def verdict(self) -> str:
        """Whether the plan holds and, where it does not, in which scenario most of the growth is left."""
        return verdict_text(self.stress, self.project.plan, self.project.scenario.grid.cell_area_ha)


@python_interface
def stress_test(
    project: ProjectSource,
    schedule: ScheduleSource,
    *,
    scenarios: StressSet | str | Path | None = None,
    draws: int | None = None,
    repair_hours: float | None = None,
    seed: int | None = None,
    out: str | Path | None = None,
    resume: bool = False,
    backend: str = "auto",
    progress: Emit | None = None,
    cancel: RunControl | None = None,
) -> StressTestReport:
    """Fly a schedule in worlds that differ from the model.

    The share of a scenario is the growth of the fire that is left: 0 is a plan that holds, 1 the fire without drops.

    Args:
        project: Project, or the folder of one.
        schedule: Schedule, result that has one, CSV, ``plan.safetensors`` of a run, or the run's folder.
        scenarios: Scenarios, or a TOML file of them, in place of the project's.
        draws: Draws of every scenario that has something random; 0 is each scenario's own number. The test takes longer
            with more of them. A replanned scenario such as ``"failures, repaired"`` takes most of the time, because
            every draw of it plans anew.
        repair_hours: Hours after which what is left is replanned in every scenario; 0 is as each scenario says.
        seed: Seed of all draws.
        out: Folder for the table, new or empty. Without it nothing is left on disk; the result can be saved.
        resume: Go on with the stress test in ``out``.
        backend: What computes: ``"auto"``, ``"cpu"``, ``"cuda"`` or ``"reference"``.
        progress: Receives every event of the run, in this thread.
        cancel: Token that stops the run; the scenarios that are done are then returned.

    Raises:
        InputError: Something is wrong with the input. Every problem is listed and nothing was written.
        CancelledError: The run was stopped before a scenario was done.
        RunFailedError: The run ended with an error that is not about its input.
    """
    given = {"draws": draws, "repair_hours": repair_hours, "seed": seed}

    def settings(base: StressTestSettings, problems: Problems) -> StressTestSettings:
        return with_given(base, given, problems)

    with run_place(out) as place:
        request = StressTestRequest(project, schedule, place.folder, settings, scenarios, resume, backend)
        ready = request.read()
        ended = carry_out_stress_test(ready, progress, cancel)
        header = STORE.read(place.folder)
        return StressTestReport(
            project=ready.spec.project,
            reason=ended.finished.reason,
            message=ended.finished.message,
            seconds=header.seconds,
            backend=header.backend,
            device=header.device,
            folder=place.kept,
            run=ready,
            content=place.content(),
            schedule=ready.spec.schedule,
            stress=ended.table,
        )
