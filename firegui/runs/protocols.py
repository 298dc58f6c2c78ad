"""What runs and commands need of the engine, named without importing it: the real one loads torch, tests have fakes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from firegui.domain.benchmark import BenchmarkTable, PlannerName, TaskTerms
from firegui.domain.ensemble import Ensemble, EnsembleProgress, EnsembleState
from firegui.domain.fit import FitProgress, FitState, NetworkFitSettings
from firegui.domain.fleet import Fleet
from firegui.domain.project import Project
from firegui.domain.scaling import ScalingTable
from firegui.domain.scenario import Scenario
from firegui.domain.schedule import DropRecord, Schedule
from firegui.domain.sensitivity import Row, SensitivityKind, SensitivitySettings, SensitivityTable
from firegui.domain.settings import Effectiveness, OptimizerSettings, PlanSettings
from firegui.domain.uncertainty import ErrorFit, ErrorModel, UncertaintySettings, WeatherDraw
from firegui.domain.weights import NetworkWeights
from firegui.planning.audit import AuditReport, Conditions
from firegui.rollout.remark import Tell, silent
from firegui.runs.engine_values import Check, EngineModel, RolloutResult
from firegui.runs.planner_protocols import Eliminator, Planner, ScalingBench, Smoother, TacticalSearch, TaskRun
from firegui.runs.replan_protocols import Replanner
from firegui.runs.spec import MemberOf


class Engine(Protocol):
    """Everything a run asks of the engine. A model is the engine's own value: runs only hand it back."""

    def device_name(self, device: str) -> str:
        """A model's device as people call it: ``the CPU``, or ``the GPU`` and its make."""

    def method(self, model: Any) -> str:
        """How a model is computed, as people call it: ``active-front kernels``."""

    def build(
        self, project: Project, effectiveness: Effectiveness, backend: str, *, tell: Tell = silent,
        check: Check | None = None,
    ) -> EngineModel:  # fmt: skip
        """The project's fire model, regions and fleet on a device. ``tell`` hears what the engine has to say."""

    def blown(self, project: Project, draw: WeatherDraw) -> Project:
        """The project on an event whose wind is as ``draw`` has it."""

    def simulate(
        self,
        model: Any,
        schedule: Schedule,
        *,
        check: Check | None = None,
        frame_stride: int | None = None,
        keep_days: bool = False,
    ) -> RolloutResult:
        """Roll a schedule out."""

    def forecast(
        self, project: Project, days: int, *, backend: str, check: Check | None, tell: Tell
    ) -> NDArray[np.float32]:
        """``P [days + 1, H, W]`` of the project's fire model from the perimeter of event day 0, without drops."""

    def fit_network(
        self,
        events: Sequence[Scenario],
        settings: NetworkFitSettings,
        *,
        begin: NetworkWeights | None,
        state: FitState | None,
        progress: Callable[[FitProgress], None],
        keep: Callable[[FitState], None],
        check: Check | None,
        tell: Tell,
    ) -> FitState:
        """Fit the network to the first days of the events; ``keep`` hears the state after every epoch."""

    def fitted_weights(
        self, events: Sequence[Scenario], settings: NetworkFitSettings, state: FitState, begin: NetworkWeights | None
    ) -> NetworkWeights:
        """The weights of a fit's best epoch, with what they were trained on."""

    def start(
        self, model: Any, settings: OptimizerSettings, warm_start: Schedule | None, check: Check | None, *,
        reopen: bool = False,
    ) -> Schedule:  # fmt: skip
        """The schedule that stage 1 starts from: the front's, or the warm start.

        ``reopen`` puts whatever the warm start does not propose back on the front, just below the threshold.
        """

    def planner(self, model: Any, settings: OptimizerSettings, start: Schedule) -> Planner:
        """Stage 1 before its first epoch."""

    def restore(self, model: Any, settings: OptimizerSettings, checkpoint: Path) -> Planner:
        """Stage 1 where a checkpoint left it."""

    def eliminator(
        self, model: Any, plan: PlanSettings, reference: Schedule, checkpoint: Path | None, check: Check | None
    ) -> Eliminator:
        """Stage 2 of ``reference``, at its beginning or where a checkpoint left it."""

    def smoother(
        self, model: Any, plan: PlanSettings, reference: Schedule, schedule: Schedule, checkpoint: Path | None,
        check: Check | None,
    ) -> Smoother:  # fmt: skip
        """The smoothing of ``schedule``, which stage 2 left of ``reference``, or where a checkpoint left it."""

    def tactical(
        self, model: Any, settings: OptimizerSettings, budget: int | None, checkpoint: Path | None
    ) -> TacticalSearch:
        """The tactical heuristic before its first pass, or where a checkpoint left it.

        ``budget`` is the most drops, pinned ones included; the model's own cap holds beside it.
        """

    def sensitivity_rows(
        self,
        model: Any,
        schedule: Schedule,
        kind: SensitivityKind,
        settings: SensitivitySettings,
        *,
        hear: Callable[[int, int, str], None],
        check: Check,
    ) -> tuple[Row, ...]:
        """The rows of a schedule's robustness table; ``hear`` is told before each what comes next."""

    def fit_error(self, project: Project, model: Any, settings: UncertaintySettings, *, check: Check) -> ErrorFit:
        """The error model of the project's fire model against its perimeters, with what it was fitted to."""

    def ensemble(
        self,
        project: Project,
        model: Any,
        schedule: Schedule | None,
        settings: UncertaintySettings,
        error: ErrorModel | None,
        *,
        state: EnsembleState | None,
        progress: Callable[[EnsembleProgress], None],
        keep: Callable[[EnsembleState], None],
        check: Check,
    ) -> Ensemble:
        """Draw what is missing of an ensemble after ``state``; ``keep`` hears a state now and then and at a cancel."""

    def member(
        self, project: Project, model: Any, schedule: Schedule | None, member: MemberOf, *, frame_stride: int | None,
        check: Check,
    ) -> RolloutResult:  # fmt: skip
        """One member of an ensemble again, with the schedule or without drops."""

    def weather(self, settings: UncertaintySettings) -> tuple[WeatherDraw, ...]:
        """The wind of every member, empty where none is drawn."""

    def error_field(
        self, error: ErrorModel, shape: tuple[int, int], seed: int, member: int, day: int
    ) -> NDArray[np.float32]:
        """The field ``[2, H, W]`` of an error model that a member meets at the end of a day."""

    def draw_ensemble(self, ensemble: Ensemble, project: Project, folder: Path) -> list[Path]:
        """Write the pictures of an ensemble and return their paths."""

    def draw_sensitivity(self, table: SensitivityTable[Row], folder: Path) -> list[Path]:
        """Write the pictures of a robustness table and return their paths."""

    def draw_benchmark(self, table: BenchmarkTable, project: Project, folder: Path) -> list[Path]:
        """Write the pictures of a benchmark and return their paths."""

    def missing_extra(self, planner: PlannerName) -> str:
        """What has to be installed before a planner of the benchmark can be run; empty where nothing is missing."""

    def task_run(self, model: Any, plan: PlanSettings, terms: TaskTerms, checkpoint: Path | None) -> TaskRun:
        """A task of the benchmark on a model at nominal effectiveness, at its beginning or where a checkpoint left it.

        The two-stage plan is none: it is a run of its own.
        """

    def smoothing_charge(self, plan: PlanSettings) -> int:
        """What an epoch of the second stage's smoothing is charged, in rollouts."""

    def scaling(self, project: Project, backend: str, *, tell: Tell, check: Check) -> ScalingBench:
        """The problems of the project's scaling study."""

    def draw_scaling(self, table: ScalingTable, folder: Path) -> list[Path]:
        """Write the pictures of a scaling study and return their paths."""

    def drops(self, model: Any, schedule: Schedule, *, flown: bool = False) -> tuple[DropRecord, ...]:
        """The finished table of a schedule's proposed or ``flown`` drops, by the model's fleet, wind and rules."""

    def audit(
        self,
        schedule: Schedule,
        fleet: Fleet,
        steps_per_day: int,
        shape: tuple[int, int],
        executed: Sequence[tuple[int, int]],
        conditions: Conditions | None = None,
    ) -> AuditReport:
        """Check the ``(step, column)`` that a schedule is said to execute against the rules, the project's included."""

    def replanner(
        self, project: Project, backend: str, *, tell: Tell = silent, check: Check | None = None
    ) -> Replanner:
        """A plan of the project that is being flown."""
