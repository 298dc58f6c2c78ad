"""Stress tests of the open project: the run and the saved tables with their maps."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from firegui.analyses.requests import Paths, StressRequest
from firegui.analyses.stress.results import STORE, TABLE, StressHeader, read_leaks, read_table
from firegui.domain.project import Project
from firegui.domain.settings import ObjectiveWeights
from firegui.domain.stress import StressTable, verdict_text
from firegui.errors import InputError
from firegui.gui.analyses.controller import AnalysisController, AnalysisResult
from firegui.gui.analyses.saved_results import SavedResults, TabulatedResult
from firegui.gui.jobs.event_bridge import EventBridge
from firegui.io.project.schedule_file import read_project_schedule
from firegui.runs.events import StressReady
from firegui.runs.messages import counted
from firegui.runs.spec import StressSpec
from firegui.runs.stages import FinishReason

Leaks = Mapping[str, NDArray[np.float32]]


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


SAVED_STRESS_TESTS = SavedResults("stress", STORE, _saved_test)


@dataclass(frozen=True, slots=True, eq=False)
class StressTestResult(AnalysisResult[StressTable, StressHeader]):
    """Shown stress test. ``leaks`` are its maps by scenario, empty before the test has ended."""

    leaks: Leaks = field(default_factory=dict)

    @property
    def verdict(self) -> str:
        """Whether the plan holds in every scenario; empty before the test has ended."""
        return _verdict(self.table, self.header)

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

    def _new_spec(self, request: StressRequest) -> StressSpec:
        return self._spec(request, Paths(self._project_folder, self._new_folder("stress")), self._session.project)

    def _resumed_spec(self, saved: SavedStressTest, request: StressRequest | None) -> StressSpec | None:
        """Return the spec that resumes ``saved``. Its settings and its schedule are kept."""
        if not saved.can_resume():
            return None
        header = saved.header
        scenarios = Path(header.scenarios_file) if header.scenarios_file else None
        request = StressRequest(header.settings, Path(header.schedule_file), scenarios)
        spec = self._spec(request, Paths(self._project_folder, saved.folder), self._session.project)
        return replace(spec, resume=True)

    def _spec(self, request: StressRequest, paths: Paths, project: Project) -> StressSpec:
        schedule = read_project_schedule(request.file, project)
        return request.spec(project, paths, self._session.backend, schedule)

    def _read(self, folder: Path) -> StressTestResult:
        return _with_leaks(self._opened(folder, STORE.read(folder), read_table(folder)))

    def _with_saved_header(self, shown: StressTestResult) -> StressTestResult:
        return _with_leaks(super()._with_saved_header(shown))

    def _progress_text(self) -> str:
        """Return the count first: the end of a long text may be cut."""
        step = self._step
        return "Preparing…" if step is None else f"{min(step.done + 1, step.total)} of {step.total} · {step.text}…"

    def _connect_events(self, bridge: EventBridge) -> None:
        bridge.subscribe(StressReady, self._on_table)

    def _on_table(self, event: StressReady) -> None:
        self._show_table(event.table)


def _with_leaks(shown: StressTestResult) -> StressTestResult:
    """Return the result with the maps in its folder; without them if they cannot be read."""
    if shown.table is not None:
        with suppress(InputError):
            return replace(shown, leaks=read_leaks(shown.folder, shown.table))
    return shown
