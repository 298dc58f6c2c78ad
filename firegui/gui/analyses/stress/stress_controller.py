"""Stress tests of the open project: the run and the saved tables with their maps."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from datetime import date
from pathlib import Path
from typing import Any

from PySide6.QtCore import Signal

from firegui.analyses.requests import Paths, StressRequest
from firegui.analyses.stress.results import STORE, TABLE, StressHeader, read_table
from firegui.domain.project import Project
from firegui.domain.settings import ObjectiveWeights
from firegui.domain.stress import StressResult, StressTable, StressTestSettings, verdict_text
from firegui.errors import InputError
from firegui.gui.analyses.controller import AnalysisController, AnalysisResult
from firegui.gui.analyses.saved_results import SavedResults, TabulatedResult
from firegui.gui.base.number_text import duration
from firegui.gui.jobs.event_bridge import EventBridge
from firegui.gui.jobs.run_entry import RunEntry
from firegui.gui.jobs.run_job import RunJob
from firegui.io.project.schedule_file import read_project_schedule
from firegui.runs.events import RunFinished, StressReady
from firegui.runs.fire_specs import project_then
from firegui.runs.header import SavedHeader, file_of, schedule_fields, schedule_hash
from firegui.runs.leaks import LeakMaps, read_leaks
from firegui.runs.messages import counted
from firegui.runs.run_folder import LEAK, kept_plan, kept_schedule, read_run, same_folder
from firegui.runs.spec import StressSpec
from firegui.runs.stages import FinishReason


@dataclass(frozen=True, slots=True)
class SavedStressTest(TabulatedResult[StressHeader]):
    """A stress test in a project's folder."""

    table_file = TABLE
    verdict: str = ""
    """Whether the plan holds in every scenario; empty where the test has not ended."""

    @property
    def subject(self) -> str:
        """The verdict, else the number of scenarios."""
        return self.verdict or counted(len(self.header.settings.stress.scenarios), "scenario")

    @property
    def has_map(self) -> bool:
        """Whether it keeps where fire gets through."""
        return self.has_table and (self.folder / LEAK).is_file()


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanStressTest(SavedStressTest):
    """Table that a plan was given when it was made. ``folder`` is that of the run, ``name`` its title."""

    name: str
    table: StressTable

    def title(self, today: date) -> str:
        """Return the name of the plan and the verdict, for a list."""
        return f"Made with {self.name} · {self.subject}"

    @classmethod
    def of(cls, folder: Path, name: str, table: StressTable, project: Project) -> PlanStressTest | None:
        """Return the test of the run in ``folder`` for the open ``project``; ``None`` if it cannot be read."""
        with suppress(InputError):
            run, file = read_run(folder).header, kept_plan(folder)
            then = run.project.on(project)
            schedule = None if file is None else read_project_schedule(file, then)
            known = {each.name: getattr(run, each.name) for each in fields(SavedHeader)}
            stress = replace(then.stress, scenarios=tuple(one.scenario for one in table.results))
            header = StressHeader(
                **(known | {"reason": FinishReason.COMPLETED}), settings=StressTestSettings(stress=stress),
                seed=stress.seed, device=run.device, **schedule_fields(schedule, file),
            )  # fmt: skip
            return cls(
                folder, header, is_held=False, has_table=True, verdict=_verdict(table, header), name=name, table=table
            )
        return None


def _saved_test(folder: Path, header: StressHeader, is_held: bool) -> SavedStressTest | None:
    """Return the test in ``folder`` with its verdict; ``None`` if there is nothing to show or resume."""
    saved = SavedStressTest.load(folder, header, is_held)
    if saved is None or not saved.has_table:
        return saved
    return replace(saved, verdict=_verdict(read_table(folder), header))


def _verdict(table: StressTable | None, header: StressHeader | None) -> str:
    """Return whether a plan holds in every scenario; empty before its test has ended."""
    if table is None or header is None or header.reason is not FinishReason.COMPLETED:
        return ""
    return verdict_text(table, header.project.plan, header.project.grid.cell_area_ha)


def is_plan_in(folder: Path, header: StressHeader, project: Path | None) -> bool:
    """Return whether a test of the project in ``project`` is of a plan in the ``folder`` of a run.

    The plan may have changed since.
    """
    file = file_of(header, header.schedule_file, project)
    return file is not None and same_folder(file.parent, folder)


SAVED_STRESS_TESTS = SavedResults("stress", STORE, _saved_test)


@dataclass(frozen=True, slots=True, eq=False)
class StressTestResult(AnalysisResult[StressTable, StressHeader]):
    """Shown stress test. ``leaks`` are its maps by scenario, of those that are done."""

    leaks: LeakMaps = field(default_factory=dict)
    made_with_plan: bool = False
    """Whether it is the table that the plan was given when it was made, which has no folder of its own."""

    @property
    def verdict(self) -> str:
        """Whether the plan holds in every scenario; empty before the test has ended."""
        return _verdict(self.table, self.header)

    @property
    def worst(self) -> StressResult | None:
        """The scenario that the verdict names; of a plan that holds, that with most growth left."""
        if self.table is None:
            return None
        held = self.table.worst_held(self.weights)
        return held if held.held_share(self.weights) > self.limit else self.table.worst

    @property
    def limit(self) -> float:
        """Largest share of the growth that the plan may leave."""
        return self.project.plan.margin.limit

    @property
    def weights(self) -> ObjectiveWeights:
        """Weights of the plan's goal, which say what growth counts."""
        return self.project.plan.weights


class StressController(AnalysisController[StressRequest, StressTestResult, SavedStressTest]):
    """Controller of stress tests. The previous test stays on screen until a new one has a scenario."""

    title, kept = "The stress test", "finished draws"
    export_suffixes = (".csv", ".json", ".tif")
    saved_results, result_type = SAVED_STRESS_TESTS, StressTestResult
    plan_tested = Signal(Path)
    """A test of the plan in this folder is complete, and its thread has ended."""
    _of_run: StressTable | None = None
    """Table of a run that the test at work completes; ``None`` for a test of its own."""
    _tested: Path | None = None
    """Folder of the plan whose test is complete."""

    def complete_test(self, entry: RunEntry) -> None:
        """Test the plan of a run in all its scenarios, for those without a result and the map of all.

        Ignored while a test is at work.
        """
        file, project = kept_plan(entry.folder), entry.project
        if self.is_busy or file is None or project is None:
            return
        request = StressRequest(StressTestSettings(stress=project.stress), file)
        paths = Paths(self._project_folder, self._new_folder("stress"))
        self._of_run = entry.stress
        self._launch(lambda: self._spec(request, paths, project))

    def tests_of(self, folder: Path) -> list[SavedStressTest]:
        """Return the tests of the plan that the run in ``folder`` keeps, the latest first."""
        found = [each for each in self.saved() if is_plan_in(folder, each.header, self._session.folder)]
        if not found:
            return []
        with suppress(InputError):
            then = read_run(folder).header.project.on(self._session.project)
            kept = schedule_hash(kept_schedule(folder, then))
            return [each for each in found if each.header.schedule in ("", kept)]
        return []

    def _new_spec(self, request: StressRequest, project: Project) -> StressSpec:
        self._of_run = None
        return self._spec(request, Paths(self._project_folder, self._new_folder("stress")), project)

    def _resumed_spec(self, saved: SavedStressTest, request: StressRequest | None) -> StressSpec | None:
        """Return the spec that resumes ``saved``. Its settings and its schedule are kept."""
        if not saved.can_resume():
            return None
        self._of_run = None
        header = saved.header
        scenarios, schedule = (
            file_of(header, text, self._project_folder) for text in (header.scenarios_file, header.schedule_file)
        )
        if schedule is None:
            return None
        request = StressRequest(header.settings, schedule, scenarios)
        project = project_then(header, self._session.project, "stress test", "made", "make it again")
        spec = self._spec(request, Paths(self._project_folder, saved.folder), project)
        return replace(spec, resume=True)

    def _spec(self, request: StressRequest, paths: Paths, project: Project) -> StressSpec:
        schedule = read_project_schedule(request.file, project)
        return request.spec(project, paths, self._session.backend, schedule)

    def show_test_of_plan(self, test: PlanStressTest | None) -> None:
        """Show the table that a plan was given when it was made; nothing for ``None``."""
        shown = None if test is None else self._opened(test.folder, test.header, test.table)
        self._show(None if shown is None else _with_leaks(replace(shown, made_with_plan=True)))

    def _read(self, folder: Path) -> StressTestResult:
        return _with_leaks(self._opened(folder, STORE.read(folder), read_table(folder)))

    def _with_saved_header(self, shown: StressTestResult) -> StressTestResult:
        return _with_leaks(super()._with_saved_header(shown))

    def _ready_text(self, event: RunFinished) -> str:
        verdict = "" if self._shown is None else self._shown.verdict
        if not self.shows_running or not verdict:
            return super()._ready_text(event)
        sign, words = ("⚠ ", verdict[2:]) if verdict.startswith("⚠ ") else ("", verdict)
        return f"{sign}{self.name} is ready: {words[0].lower()}{words[1:]}"

    def _on_finished(self, event: RunFinished) -> None:
        super()._on_finished(event)
        if self._job is not None and event.reason is FinishReason.COMPLETED:
            spec: Any = self._job.spec
            self._tested = spec.schedule_file.parent

    def _on_ended(self, job: RunJob) -> None:
        tested = self._tested if job is self._job else None
        super()._on_ended(job)
        if tested is not None:
            self._tested = None
            self.plan_tested.emit(tested)

    def _progress_text(self) -> str:
        """Return the count and the time left of the whole test first: the end of a long text may be cut."""
        step, left = self._step, self.seconds_left
        if step is None:
            return "Preparing…"
        time = f"about {duration(left)} left" if left else ""
        return " · ".join(filter(None, (f"{min(step.done + 1, step.total)} of {step.total}", time, f"{step.text}…")))

    def _connect_events(self, bridge: EventBridge) -> None:
        bridge.subscribe(StressReady, self._on_table)

    def _on_table(self, event: StressReady) -> None:
        if self._job is not None:
            spec: Any = self._job.spec
            # The whole table of the plan stays on screen while it is completed.
            table = event.table if self._of_run is None else self._of_run.completed_by(event.table)
            self._show(StressTestResult(spec.out, spec.project, table, leaks=event.leaks))
            self._list_once()


def _with_leaks(shown: StressTestResult) -> StressTestResult:
    """Return the result with the maps in its folder; without them if they cannot be read."""
    if shown.table is not None:
        with suppress(InputError):
            return replace(shown, leaks=read_leaks(shown.folder, shown.table))
    return shown
