"""What runs and commands need of the engine, named without importing it: the real one loads torch, tests have fakes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from firegui.domain.benchmark import BenchmarkTable, PlannerName, TaskTerms
from firegui.domain.ensemble import Ensemble, EnsembleProgress, EnsembleState
from firegui.domain.fit import FitProgress, FitState, NetworkFitSettings
from firegui.domain.fleet import Fleet
from firegui.domain.maps import FireMaps
from firegui.domain.observation import FireState
from firegui.domain.project import Project
from firegui.domain.results import Frames, Metrics
from firegui.domain.scaling import QualityRow, QualityTask, ScalingCase, ScalingRow, ScalingSettings, ScalingTable
from firegui.domain.scenario import Scenario
from firegui.domain.schedule import DropRecord, Schedule
from firegui.domain.sensitivity import Row, SensitivityKind, SensitivitySettings, SensitivityTable
from firegui.domain.settings import Effectiveness, ObjectiveWeights, OptimizerSettings, PlanSettings
from firegui.domain.uncertainty import ErrorFit, ErrorModel, UncertaintySettings, WeatherDraw
from firegui.domain.weights import NetworkWeights
from firegui.planning.audit import AuditReport, Conditions
from firegui.rollout.gates import FlightRules
from firegui.rollout.remark import Tell, silent
from firegui.runs.spec import MemberOf

Check = Callable[[], None]
"""Called often by long work; raises :class:`~firegui.errors.CancelledError` to end it."""


class EngineModel(Protocol):
    """A prepared model: the fire, the fleet and the objective on a device."""

    @property
    def backend(self) -> str:
        """What computes: ``reference``, ``cpu`` or ``cuda``."""

    @property
    def device(self) -> str:
        """Where it computes."""

    @property
    def maps(self) -> FireMaps:
        """The fire of the planned days."""

    @property
    def fleet(self) -> Fleet:
        """The fleet, with grounded days of the plan."""

    @property
    def rules(self) -> FlightRules | None:
        """The operational constraints."""

    @property
    def shape(self) -> tuple[int, int]:
        """``(n_y, n_x)``."""

    def with_effectiveness(self, effectiveness: Effectiveness) -> EngineModel:
        """The same model with another suppressant."""

    def with_weights(self, weights: ObjectiveWeights) -> EngineModel:
        """The same model with another objective."""


class RolloutResult(Protocol):
    """One simulated plan."""

    @property
    def metrics(self) -> Metrics:
        """Its numbers."""

    @property
    def frames(self) -> Frames | None:
        """Pictures of the fire, if asked for."""

    @property
    def p_fire_days(self) -> NDArray[np.float32] | None:
        """``P [D+1, H, W]`` at day boundaries, if asked for."""


class GradientResult(Protocol):
    """Derivatives of the objective."""

    @property
    def loss(self) -> float:
        """The objective."""

    @property
    def logit(self) -> NDArray[np.float64]:
        """``[T, A]``."""

    @property
    def pose(self) -> NDArray[np.float64]:
        """``[T, A, 3]``, with respect to ``(y, x, θ)`` in cells and radians."""


class EpochResult(Protocol):
    """What one gradient epoch reports."""

    @property
    def epoch(self) -> int:
        """Counted from 0."""

    @property
    def metrics(self) -> Metrics:
        """The schedule that this epoch evaluated."""

    @property
    def best(self) -> float:
        """The lowest objective so far, this epoch's included."""

    @property
    def improved(self) -> bool:
        """Whether this epoch's schedule is the new best."""

    @property
    def grad_norm(self) -> float:
        """Norm of the gradient before clipping."""

    @property
    def rollout(self) -> RolloutResult:
        """The rollout behind ``metrics``."""


class PlannerStateFile(Protocol):
    """A planner's whole state, which can be written and restored exactly."""

    def save(self, path: Path) -> None:
        """Write it atomically."""


class Planner(Protocol):
    """Stage 1 as a run drives it. A cancelled epoch leaves the planner as it was before that epoch."""

    @property
    def best(self) -> Schedule:
        """The best schedule so far."""

    @property
    def best_epoch(self) -> int:
        """The epoch it comes from, −1 before the first."""

    @property
    def epochs_done(self) -> int:
        """Epochs completed, over all sessions of the run."""

    @property
    def finished(self) -> str:
        """``""`` while it can go on, else ``"epochs"`` or ``"patience"``."""

    def epoch(self, check: Check | None = None, frame_stride: int | None = None) -> EpochResult:
        """One gradient step."""

    def state(self) -> PlannerStateFile:
        """Everything needed to go on bit for bit."""


class EliminationResult(Protocol):
    """Where a second stage is."""

    @property
    def passes(self) -> int:
        """The pass at work, from 1."""

    @property
    def rollouts(self) -> int:
        """Rollouts that the rule has asked for."""

    @property
    def drops(self) -> int:
        """What is left."""

    @property
    def drops_before(self) -> int:
        """What there was."""

    @property
    def removed(self) -> int:
        """What this pass has removed so far."""

    @property
    def tested(self) -> int:
        """Drops that this pass has decided."""

    @property
    def to_test(self) -> int:
        """Drops that this pass decides."""

    @property
    def batch(self) -> int:
        """The size of the next batch."""

    @property
    def ratios(self) -> Mapping[str, float]:
        """``ℓ_k / τ_k`` of burn, final and prot."""


class Eliminator(Protocol):
    """Stage 2 as a run drives it. A cancelled call leaves it as it was."""

    @property
    def schedule(self) -> Schedule:
        """What is left of the plan."""

    @property
    def finished(self) -> str:
        """``""`` while it can go on, else how it ended."""

    @property
    def report(self) -> EliminationResult:
        """Where it is."""

    def advance(self, check: Check | None = None) -> EliminationResult:
        """Decide on the next few tests."""

    def state(self) -> PlannerStateFile:
        """Everything needed to go on bit for bit."""


class TacticalSearch(Protocol):
    """The tactical heuristic as a run drives it. A cancelled pass leaves it as it was."""

    @property
    def passes(self) -> int:
        """How many passes there are."""

    @property
    def passes_done(self) -> int:
        """How many are done."""

    @property
    def rollouts(self) -> int:
        """Rollouts so far."""

    @property
    def best(self) -> Schedule:
        """The best schedule so far, of drops that are all executed; none before the end of the first pass."""

    def advance(self, check: Check | None = None) -> None:
        """The next pass."""

    def state(self) -> PlannerStateFile:
        """Everything needed to go on bit for bit."""


class ScoredRest(Protocol):
    """What is left of a plan, rolled out; cells that had burned out before count as fire."""

    @property
    def metrics(self) -> Metrics:
        """Its numbers."""

    @property
    def p_fire_days(self) -> NDArray[np.float32] | None:
        """``P`` at day boundaries from the first day that is left, if asked for."""


class LeftToPlan(Protocol):
    """See :class:`firegui.planning.replan.Left`."""

    @property
    def design(self) -> EngineModel:
        """The problem at design effectiveness."""

    @property
    def rest(self) -> Schedule:
        """The old schedule of the days that are left."""

    @property
    def flown(self) -> int:
        """Drops executed before them."""

    def joined(self, rest: Schedule) -> Schedule:
        """The whole plan with ``rest`` at its end."""

    def score(
        self, rest: Schedule, *, design: bool = False, keep_days: bool = False, check: Check | None = None
    ) -> ScoredRest:
        """Roll ``rest`` out."""

    def pictures(self, rest: Schedule, stride: int, check: Check | None = None) -> Frames | None:
        """The whole plan for the map; ``None`` where ``stride`` does not divide what was flown."""


class Replanner(Protocol):
    """See :class:`firegui.planning.replan.Replanner`."""

    @property
    def whole(self) -> EngineModel:
        """The whole plan at nominal effectiveness."""

    def simulated(self, schedule: Schedule, day: int, check: Check | None = None) -> NDArray[np.bool_]:
        """Where the model has fire with ``P > 0.5`` at the start of ``day``."""

    def left(self, schedule: Schedule, day: int, state: FireState, check: Check | None = None) -> LeftToPlan:
        """What is left on ``day``."""

    def next_day(
        self, schedule: Schedule, day: int, state: FireState, generator: np.random.Generator,
        check: Check | None = None,
    ) -> FireState:  # fmt: skip
        """The fire a day later, drawn."""

    def drops_on(self, schedule: Schedule, day: int) -> int:
        """Drops executed on ``day``."""

    def protected_cells(self, fire: NDArray[np.bool_]) -> int:
        """Cells of the protected regions in ``fire``."""

    def table(self, schedule: Schedule) -> tuple[tuple[DropRecord, ...], AuditReport]:
        """The drops of the whole plan, and their audit."""


class Smoother(Protocol):
    """The smoothing of poses as a run drives it. A cancelled epoch leaves it as it was."""

    @property
    def best(self) -> Schedule:
        """The same drops at their best poses so far."""

    @property
    def epochs_done(self) -> int:
        """Epochs completed, over all sessions of the run."""

    @property
    def finished(self) -> bool:
        """Whether all epochs are done."""

    def epoch(self, check: Check | None = None) -> object:
        """One step."""

    def state(self) -> PlannerStateFile:
        """Everything needed to go on bit for bit."""


class TaskRun(Protocol):
    """See :class:`firegui.planning.trial_run.TaskRun`."""

    @property
    def finished(self) -> bool:
        """Whether the planner has nothing more to do."""

    @property
    def spent(self) -> int:
        """Rollout-equivalents charged so far."""

    @property
    def best(self) -> Schedule:
        """The best schedule so far."""

    @property
    def best_objective(self) -> float:
        """Its shared objective, infinite before the first."""

    @property
    def curve(self) -> tuple[tuple[int, float], ...]:
        """``(spent, best objective)`` at every improvement."""

    @property
    def dimension(self) -> int:
        """How many variables are searched."""

    @property
    def gradient_cost(self) -> float | None:
        """What a gradient epoch took, in rollouts."""

    @property
    def seconds(self) -> float:
        """Processor time, every session's."""

    def advance(self, check: Check | None = None) -> None:
        """The planner's next step."""

    def save(self, path: Path) -> None:
        """Write what going on needs, as of the last whole step."""


class ScalingBench(Protocol):
    """See :class:`firegui.planning.scaling.ScalingBench`."""

    @property
    def model(self) -> EngineModel:
        """The largest problem."""

    @property
    def machine(self) -> Mapping[str, str | int]:
        """What decides how fast anything is."""

    def times(
        self, cases: Sequence[ScalingCase], settings: ScalingSettings, done: Sequence[ScalingRow], *,
        hear: Callable[[int, int, str], None], keep: Callable[[tuple[ScalingRow, ...]], None], check: Check,
    ) -> tuple[ScalingRow, ...]:  # fmt: skip
        """The rest of every row after those ``done``; ``keep`` hears all rows after each round."""

    def search(
        self, cases: Sequence[ScalingCase], task: QualityTask, settings: ScalingSettings, check: Check
    ) -> QualityRow:
        """One search."""


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

    def drops(self, model: Any, schedule: Schedule) -> tuple[DropRecord, ...]:
        """The finished table of a schedule's proposed drops, by the model's fleet, wind and rules."""

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
