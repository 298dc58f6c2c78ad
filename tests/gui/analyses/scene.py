"""Inputs of the contract suite for each analysis: a request, run events, and an unfinished result."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from firegui.analyses.calibration.checkpoint import FitCheckpoint, part_of, write_checkpoint
from firegui.analyses.margin.results import write_curve
from firegui.analyses.requests import (
    BenchmarkRequest,
    MarginRequest,
    SensitivityRequest,
    StressRequest,
    UncertaintyRequest,
)
from firegui.analyses.sensitivity.results import write_table
from firegui.analyses.stress.results import StressTally, write_results
from firegui.analyses.study.settings import StudyRequest
from firegui.analyses.uncertainty.ensemble_file import write_members
from firegui.analyses.uncertainty.results import STATE
from firegui.domain.benchmark import BenchmarkSettings, PlannerName, PlannerTask
from firegui.domain.ensemble import Ensemble
from firegui.domain.fit import EventProgress, FitProgress, NetworkFitSettings
from firegui.domain.margin_curve import MarginCurveSettings
from firegui.domain.project import Project
from firegui.domain.sensitivity import RolloutSummary, SensitivityKind, SensitivitySettings, SensitivityTable
from firegui.domain.settings import Effectiveness, ObjectiveWeights, RetardantSide, Setting
from firegui.domain.stress import (
    NEEDS_EXERCISE,
    NOMINAL,
    StressDraw,
    StressResult,
    StressScenario,
    StressSet,
    StressTable,
    StressTestSettings,
)
from firegui.domain.study import StudySettings, Vary
from firegui.domain.study_factors import study_cells
from firegui.domain.study_table import StudyTable
from firegui.domain.uncertainty import UncertaintyKind, UncertaintySettings
from firegui.fire.skill_report import SkillReport
from firegui.gui.analyses.calibration.calibration_controller import (
    CALIBRATIONS,
    CalibrationRequest,
    SavedCalibration,
)
from firegui.gui.analyses.registry import ANALYSES, Analysis, Controller
from firegui.gui.analyses.skill.skill_controller import SkillRequest
from firegui.io.project.store import project_hash
from firegui.io.project.study_file import StudyFile
from firegui.runs.control import RunControl
from firegui.runs.events import (
    BenchmarkProgress,
    BenchmarkReady,
    DeviceUsed,
    EnsembleReady,
    FitEpoch,
    MarginReady,
    MembersDone,
    Message,
    Progress,
    RunEvent,
    RunFinished,
    SensitivityReady,
    SkillReady,
    StressReady,
    StudyProgress,
    StudyReady,
    TaskProgress,
    WeightsReady,
)
from firegui.runs.header import event_hash
from firegui.runs.leaks import LeakCounts
from firegui.runs.snapshot import ProjectSnapshot
from firegui.runs.spec import RunSpec
from firegui.runs.stages import FinishReason, RunState
from tests.gui.fake_benchmarks import finish, row_of, table
from tests.gui.saved_ensembles import state_of
from tests.unit.domain.margin_curves import margin_curve
from tests.unit.domain.samples import weights

DEVICE = DeviceUsed("auto", "the CPU of the contract")
TASK = PlannerTask(PlannerName.TACTICAL, 0)
BENCHMARK = BenchmarkSettings(
    planners=(PlannerName.NONE, PlannerName.TACTICAL, PlannerName.GRADIENT), seeds=2, allowance=600, budget=40
)
STUDY = StudySettings(name="Seeds", planner="tactical", vary=(Vary("seed", (0, 1, 2)),), measure=("objective",))
MEMBERS = UncertaintySettings(UncertaintyKind.ALEATORIC, 6, seed=5)
STRESS = StressTestSettings(
    stress=StressSet(
        (
            StressScenario("late", delay_minutes=30.0),
            StressScenario("failing", failure_rate=0.2, draws=2),
            StressScenario("mended", failure_rate=0.2, repair_hours=24.0),
        ),
        seed=3,
    )
)
MARGIN = MarginCurveSettings(seed=3)
SCHEDULE = Path("plan.safetensors")
"""Schedule of the requests, in the working folder."""
EPOCH = FitProgress(0, 60, 9.0, 9.0, 0, {}, (EventProgress("Tiny", (1,), (0.1,)),), 1.0)


class FakeRun:
    """Test double of the runner: reports the device and the events of an analysis, then ends.

    An ``endless`` run works until it is stopped, one with an ``error`` fails, and with ``first_only`` there is progress
    but no result. ``alive`` counts the threads in it.
    """

    def __init__(
        self, events: Callable[[RunSpec], Sequence[RunEvent]], *, endless: bool = False,
        error: Exception | None = None, first_only: bool = False,
    ) -> None:  # fmt: skip
        self._events, self.endless, self.error, self._first_only = events, endless, error, first_only
        self.specs: list[Any] = []
        self.alive = 0
        self.working = threading.Event()

    def __call__(self, spec: RunSpec, emit: Callable[[RunEvent], None], control: RunControl) -> None:
        self.specs.append(spec)
        self.alive += 1
        try:
            emit(Message("Computing on the CPU of the contract", device=DEVICE))
            for event in self._events(spec)[: 1 if self._first_only else None]:
                emit(event)
            self.working.set()
            while self.endless and not control.stop_requested:
                threading.Event().wait(0.001)
            if self.error is not None:
                raise self.error
            reason = FinishReason.STOPPED if control.stop_requested else FinishReason.COMPLETED
            emit(RunFinished(reason, "all of it", None, None, getattr(spec, "out", None)))
        finally:
            self.alive -= 1


@dataclass(frozen=True, slots=True)
class Case:
    """Analysis under the contract suite.

    ``save`` writes an unfinished result to a project's folder and returns its path.
    """

    request: Any
    events: Callable[[RunSpec], Sequence[RunEvent]]
    save: Callable[[Controller, Project, Path], Path] | None = None
    saved: Callable[[Controller, Path], Any] = lambda controller, _place: controller.saved()[0]


def write_header(controller: Controller, project: Project, folder: Path, settings: Any, **fields: Any) -> Path:
    """Write the header of a result that was stopped, and return its folder."""
    assert controller.saved_results is not None
    out = folder / controller.saved_results.directory / "20260101-000000-result"
    out.mkdir(parents=True)
    place = controller.saved_results.store
    place.write(out, place.kind(
        command="again", settings=settings, state=RunState.FINISHED, reason=FinishReason.STOPPED,
        started=datetime(2026, 1, 1, tzinfo=UTC), project_hash=project_hash(project), event_hash=event_hash(project),
        project=ProjectSnapshot.of(project), project_folder=os.path.realpath(folder), **fields,
    ))  # fmt: skip
    return out


def _save_benchmark(controller: Controller, project: Project, folder: Path) -> Path:
    out = write_header(controller, project, folder, BENCHMARK, processes=2, checkpoint_seconds=5.0)
    finish(out, row_of(TASK, BENCHMARK), project)
    return out


def _save_study(controller: Controller, project: Project, folder: Path) -> Path:
    return write_header(controller, project, folder, STUDY)


def _save_ensemble(controller: Controller, project: Project, folder: Path) -> Path:
    out = write_header(controller, project, folder, MEMBERS, members_done=4, seed=5)
    write_members(out / STATE, state_of(project, plan=False))
    return out


def _save_sweep(controller: Controller, project: Project, folder: Path) -> Path:
    out = write_header(controller, project, folder, SensitivitySettings(), kind=SensitivityKind.DESIGN, seed=0)
    write_table(out, _sweep())
    return out


def _save_stress(controller: Controller, project: Project, folder: Path) -> Path:
    out = write_header(controller, project, folder, STRESS, seed=3, schedule_file=str(SCHEDULE))
    write_results(out, StressTally(stress_table(), LeakCounts(*stress_maps(project))), project)
    return out


def _save_margin(controller: Controller, project: Project, folder: Path) -> Path:
    out = write_header(controller, project, folder, MARGIN)
    write_curve(out, margin_curve(replanned=False))
    return out


def stress_table() -> StressTable:
    """Return a table with a scenario without leaks, one with a leak in one of two draws, and one left out."""

    def result(scenario: StressScenario, *cells: float) -> StressResult:
        draws = tuple(StressDraw(each, 0.0, (each - 10.0) / 200.0, 12) for each in cells)
        return StressResult(scenario, 10.0, 210.0, draws)

    late, failing, _mended = STRESS.stress.scenarios
    results = (result(late, 12.0), result(failing, 14.0, 110.0))
    return StressTable(12, result(NOMINAL, 11.0), results, (("mended", NEEDS_EXERCISE),))


def stress_maps(project: Project) -> tuple[np.ndarray[Any, Any], dict[str, np.ndarray[Any, Any]]]:
    """Return the fire in the model, and the draws in which a cell leaks, of :func:`stress_table`."""
    shape = project.scenario.grid.shape
    leaks = {name: np.zeros(shape, np.uint16) for name in ("late", "failing")}
    leaks["failing"][3:6, 7] = 1
    return np.zeros(shape, bool), leaks


def _save_calibration(_controller: Controller, project: Project, folder: Path) -> Path:
    out = folder / CALIBRATIONS / "20260101-000000.safetensors"
    out.parent.mkdir()
    write_checkpoint(part_of(out), _checkpoint())
    return out


def _checkpoint() -> FitCheckpoint:
    return FitCheckpoint("again", NetworkFitSettings(), (), None, None, ())


def _sweep() -> Any:
    reading = RolloutSummary(20.0, 2000.0, 180.0, 20.0, 12)
    return SensitivityTable(
        SensitivityKind.DESIGN, "Test Ridge", "model", Setting.A, ObjectiveWeights.of(Setting.A),
        Effectiveness(0.9, 0.9), RetardantSide.BOTH, "", reading, None, (), SensitivitySettings(), False,
    )  # fmt: skip


def _ensemble() -> Ensemble:
    extent = np.full((1, 4, 3), 20.0)
    maps = np.zeros((1, 3, 2, 2), np.float32)
    return Ensemble(UncertaintyKind.ALEATORIC, extent, extent, maps, maps, 0.5, 6, ())


def _study_events(spec: Any) -> Sequence[RunEvent]:
    cells = study_cells(spec.settings, spec.project)
    return (
        StudyProgress(1, 0, len(cells), (), (), 3.0, 6.0),
        StudyReady(StudyTable(spec.settings, cells, {}, {})),
    )


CASES = {
    "Skill": Case(
        SkillRequest(3, 1),
        lambda _spec: (
            Progress(1, 3, "Rolling out"),
            SkillReady(cast(SkillReport, None), np.zeros((1, 2, 2), np.float32)),
        ),
    ),
    "Calibrate": Case(
        CalibrationRequest(NetworkFitSettings()),
        lambda _spec: (FitEpoch(EPOCH), WeightsReady(weights(), EPOCH, 1)),
        _save_calibration,
        lambda _controller, place: SavedCalibration(place, _checkpoint()),
    ),
    "Sensitivity": Case(
        SensitivityRequest(SensitivityKind.DESIGN, SensitivitySettings(), 3),
        lambda _spec: (Progress(1, 3, "Planning"), SensitivityReady(_sweep())),
        _save_sweep,
    ),
    "Stress": Case(
        StressRequest(STRESS, SCHEDULE),
        lambda _spec: (Progress(1, 3, "late: draw 1 of 1"), StressReady(stress_table())),
        _save_stress,
    ),
    "Margin": Case(
        MarginRequest(MARGIN),
        lambda _spec: (Progress(1, 8, "No margin: stress test"), MarginReady(margin_curve())),
        _save_margin,
    ),
    "Uncertainty": Case(
        UncertaintyRequest(MEMBERS),
        lambda _spec: (MembersDone(4, 6, 20.0, None, None, 3.0, 2.0), EnsembleReady(_ensemble())),
        _save_ensemble,
    ),
    "Benchmark": Case(
        BenchmarkRequest(BENCHMARK),
        lambda _spec: (
            BenchmarkProgress((TaskProgress(TASK, 30, 600, 20.0, 1.0),), 1, 5, 60.0),
            BenchmarkReady(table(BENCHMARK, 1)),
        ),
        _save_benchmark,
    ),
    "Study": Case(StudyRequest(StudyFile(".", STUDY)), _study_events, _save_study),
}


def other_event(project: Project) -> Project:
    """Return a project with another fire."""
    return replace(project, scenario=replace(project.scenario, name="Other Ridge"))


def _of(analyses: Sequence[Analysis]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("analysis", analyses, ids=lambda analysis: analysis.name)


_SAVING = [one for one in ANALYSES if CASES[one.name].save is not None]
_STORES = [one for one in _SAVING if one.controller.saved_results is not None]  # type: ignore[attr-defined]
every = _of(ANALYSES)
every_saving = _of(_SAVING)
every_store = _of(_STORES)
every_export = _of([one for one in _STORES if one.controller.export_suffixes])  # type: ignore[attr-defined]
