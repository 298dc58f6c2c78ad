"""Requests for analyses: what a form or a command line asks for, and the specs that come of it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from firegui.domain.benchmark import BenchmarkSettings
from firegui.domain.margin_curve import MarginCurveSettings
from firegui.domain.project import Project
from firegui.domain.schedule import Schedule
from firegui.domain.sensitivity import SensitivityKind, SensitivitySettings
from firegui.domain.settings import Margin
from firegui.domain.stress import StressTestSettings
from firegui.domain.uncertainty import UncertaintySettings
from firegui.domain.workers import WorkerSettings
from firegui.runs.command import with_command
from firegui.runs.spec import BenchmarkSpec, MarginSpec, SensitivitySpec, StressSpec, UncertaintySpec


@dataclass(frozen=True, slots=True)
class Paths:
    """Where the ``project`` is kept, and where its analysis is to be saved (``out``)."""

    project: Path
    out: Path


@dataclass(frozen=True, slots=True)
class BenchmarkRequest:
    """Request for a benchmark on ``processes`` processes (0: one a core), or on those of ``scheduler``.

    ``notes`` say what was left out.
    """

    settings: BenchmarkSettings
    processes: int = 0
    notes: tuple[str, ...] = ()
    scheduler: str = ""

    def spec(self, project: Project, paths: Paths, backend: str) -> BenchmarkSpec:
        """Return the spec of the benchmark of ``project``."""
        spec = BenchmarkSpec(
            project, paths.out, "", self.settings, paths.project, backend=backend, processes=self.processes,
            notes=self.notes, scheduler=self.scheduler,
        )  # fmt: skip
        return with_command(spec)


@dataclass(frozen=True, slots=True, eq=False)
class SensitivityRequest:
    """Request for a table, of the schedule in ``file`` or of a sweep's plans of at most ``epochs`` epochs."""

    kind: SensitivityKind
    settings: SensitivitySettings
    epochs: int
    file: Path | None = None
    workers: WorkerSettings = field(default_factory=WorkerSettings)

    def spec(self, project: Project, paths: Paths, backend: str, schedule: Schedule | None) -> SensitivitySpec:
        """Return the spec of the table of ``project``; ``schedule`` is the content of ``file``."""
        optimizer = replace(project.plan.optimizer, epochs=self.epochs)
        project = replace(project, plan=replace(project.plan, optimizer=optimizer))
        spec = SensitivitySpec(
            project, paths.out, "", self.kind, self.settings, schedule, backend=backend,
            project_folder=paths.project, schedule_file=self.file, workers=self.workers,
        )  # fmt: skip
        return with_command(spec)


@dataclass(frozen=True, slots=True, eq=False)
class StressRequest:
    """Request for a stress test of the schedule in ``file``; ``scenarios_file`` is where the set was read."""

    settings: StressTestSettings
    file: Path
    scenarios_file: Path | None = None

    def spec(self, project: Project, paths: Paths, backend: str, schedule: Schedule) -> StressSpec:
        """Return the spec of the stress test of ``project``; ``schedule`` is the content of ``file``."""
        spec = StressSpec(
            project, paths.out, "", self.settings, schedule, backend=backend, project_folder=paths.project,
            schedule_file=self.file, scenarios_file=self.scenarios_file,
        )  # fmt: skip
        return with_command(spec)


@dataclass(frozen=True, slots=True)
class MarginRequest:
    """Request for a margin curve. The plans are made with the project's settings."""

    settings: MarginCurveSettings

    def spec(self, project: Project, paths: Paths, backend: str) -> MarginSpec:
        """Return the spec of the curve of ``project``, whose own margin does not matter."""
        project = project.with_margin(Margin.NONE)
        return with_command(
            MarginSpec(project, paths.out, "", self.settings, backend=backend, project_folder=paths.project)
        )


@dataclass(frozen=True, slots=True, eq=False)
class UncertaintyRequest:
    """Request for an ensemble: with the schedule in ``file``, or of fires without drops alone."""

    settings: UncertaintySettings
    file: Path | None = None
    workers: WorkerSettings = field(default_factory=WorkerSettings)

    def spec(self, project: Project, paths: Paths, backend: str, schedule: Schedule | None) -> UncertaintySpec:
        """Return the spec of the ensemble of ``project``; ``schedule`` is the content of ``file``."""
        spec = UncertaintySpec(
            project, paths.out, "", self.settings, schedule, backend=backend, project_folder=paths.project,
            schedule_file=self.file, workers=self.workers,
        )  # fmt: skip
        return with_command(spec)
