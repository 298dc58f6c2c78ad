"""An engine without torch whose every epoch is known beforehand, and which can be told what happens in it."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firegui.domain.benchmark import PlannerName
from firegui.domain.ensemble import UNIT, Ensemble, EnsembleProgress, EnsembleState
from firegui.domain.film import Film
from firegui.domain.fit import EventProgress, FitProgress, FitState, NetworkFitSettings
from firegui.domain.fleet import Fleet
from firegui.domain.maps import FireMaps
from firegui.domain.project import Project
from firegui.domain.results import Frames, Metrics
from firegui.domain.scaling import QualityTask
from firegui.domain.scenario import Scenario
from firegui.domain.schedule import DropRecord, Schedule
from firegui.domain.sensitivity import (
    EffectivenessRow,
    RolloutSummary,
    Row,
    SensitivitySettings,
)
from firegui.domain.settings import (
    Effectiveness,
    ObjectiveWeights,
    OptimizerSettings,
)
from firegui.domain.stress import NOMINAL, StressDraw, StressResult, StressSet, StressTable
from firegui.domain.uncertainty import (
    PAPER_BEAR,
    ErrorFit,
    ErrorModel,
    Semivariogram,
    UncertaintyKind,
    UncertaintySettings,
    WeatherDraw,
)
from firegui.domain.weights import NetworkWeights
from firegui.errors import Check
from firegui.io.array_files import read_arrays, write_arrays
from firegui.planning.audit import AuditReport
from firegui.rollout.engine_message import MessageCallback, ignore_message
from firegui.rollout.gates import FlightRules
from firegui.runs.control import RunControl
from firegui.runs.events import Message, RunEvent, RunFinished, StateChanged
from firegui.runs.runner import execute
from firegui.runs.spec import RunSpec
from firegui.runs.stages import FinishReason, RunState
from tests.unit.analyses.fake_scaling import FakeBench
from tests.unit.domain.samples import training, weights

BASELINE = 10.0
PAUSED_ONCE = [RunState.PREPARING, RunState.RUNNING, RunState.PAUSED, RunState.RUNNING, RunState.FINISHED]
"""The states of a run that is paused, resumed and goes on to its end."""


def two_drops(project: Project) -> Schedule:
    """Return a schedule of two drops in the first step."""
    plan = Schedule.empty(project.calendar.n_steps, project.fleet.n_aircraft)
    plan.logits[0, :2] = 1.0
    return plan


def metrics(objective: float, drops: int = 0) -> Metrics:
    """Metrics with a given objective."""
    return Metrics(
        objective * 10, objective, objective * 5, 1.0, objective / 3, objective / 5, 0.0, drops, drops, objective
    )


@dataclass(frozen=True, slots=True, eq=False)
class FakeModel:
    maps: FireMaps
    fleet: Fleet
    effectiveness: Effectiveness
    backend: str = "fake"
    device: str = "none"
    weights: ObjectiveWeights = field(default_factory=ObjectiveWeights)
    rules: FlightRules | None = None

    @property
    def shape(self) -> tuple[int, int]:
        return self.maps.shape

    def with_effectiveness(self, effectiveness: Effectiveness) -> FakeModel:
        return replace(self, effectiveness=effectiveness)

    def with_weights(self, weights: ObjectiveWeights) -> FakeModel:
        return replace(self, weights=weights)


@dataclass(frozen=True, slots=True, eq=False)
class FakeRollout:
    metrics: Metrics
    frames: Frames | None
    p_fire_days: Any = None


def step(during: Callable[[int], None], number: int, check: Check | None) -> None:
    """Tell the test of a step of the work, and ask whether to go on."""
    during(number)
    if check is not None:
        check()


@dataclass(frozen=True, slots=True)
class FakeState:
    epochs_done: int
    best_epoch: int

    def save(self, path: Path) -> None:
        path.write_text(json.dumps([self.epochs_done, self.best_epoch]))


class FakePlanner:
    """Epoch ``e`` has the objective ``objectives[e]``, the last one from then on."""

    def __init__(self, engine: FakeEngine, model: FakeModel, settings: OptimizerSettings, state: FakeState) -> None:
        self._engine, self._model, self._settings, self._state = engine, model, settings, state

    def _objective(self, epoch: int) -> float:
        return self._engine.objectives[min(epoch, len(self._engine.objectives) - 1)]

    @property
    def epochs_done(self) -> int:
        return self._state.epochs_done

    @property
    def epochs(self) -> int:
        return self._settings.epochs

    @property
    def rollouts(self) -> int:
        return 3 * self.epochs_done

    @property
    def best_epoch(self) -> int:
        return self._state.best_epoch

    @property
    def best(self) -> Schedule:
        maps = self._model.maps
        shape = (maps.n_steps, self._model.fleet.n_aircraft)
        logits = np.full(shape, -3.0)
        logits[0, 0] = 1.0 + self.best_epoch
        return Schedule.from_pose_logits(logits, np.zeros((*shape, 3)), maps.shape)

    @property
    def finished(self) -> str:
        if self.epochs_done >= self._settings.epochs:
            return "epochs"
        idle = self.epochs_done - 1 - self.best_epoch
        return "patience" if self.best_epoch >= 0 and idle >= self._settings.patience else ""

    def epoch(self, check: Check | None = None, frame_stride: int | None = None) -> SimpleNamespace:
        epoch = self.epochs_done
        step(self._engine.during_epoch, epoch, check)
        objective = self._objective(epoch)
        improved = self.best_epoch < 0 or objective < self._objective(self.best_epoch)
        self._state = FakeState(epoch + 1, epoch if improved else self.best_epoch)
        rollout = self._engine.rollout(self._model, metrics(objective, epoch), frame_stride)
        best = self._objective(self.best_epoch)
        return SimpleNamespace(
            epoch=epoch,
            metrics=rollout.metrics,
            best=best,
            improved=improved,
            grad_norm=1.0,
            rollout=rollout,
            is_whole=True,
        )

    def state(self) -> FakeState:
        return self._state


class FakeElimination:
    """Where a :class:`FakeEliminator` is after ``rollouts`` of them."""

    passes = batch = 1
    ratios: Mapping[str, float] = {"burn": 0.5, "final": 0.9, "prot": math.nan, "val": math.nan}

    def __init__(self, rollouts: int, before: int) -> None:
        self.rollouts = self.tested = self.removed = rollouts
        self.drops_before = self.to_test = before
        self.drops = before - rollouts

        self.metrics = metrics(BASELINE - self.drops, self.drops)

    def save(self, path: Path, others: Mapping[str, NDArray[Any]] = MappingProxyType({})) -> None:
        write_arrays(path, {"rollouts": np.array([self.rollouts]), **others})


def steps_kept(checkpoint: Path | None) -> int:
    """Return the steps that a file of :meth:`FakeElimination.save` tells of, none without one."""
    return 0 if checkpoint is None else int(read_arrays(checkpoint)["rollouts"][0])


class FakeSteps:
    """Work that takes a step at a time; ``during`` is called with the number of each before it is taken."""

    def __init__(self, during: Callable[[int], None], done: int) -> None:
        self._during, self._done = during, done

    @property
    def report(self) -> FakeElimination:
        return FakeElimination(self._done, 0)

    def advance(self, check: Check | None = None) -> FakeElimination:
        step(self._during, self._done, check)
        self._done += 1
        return self.report

    def state(self) -> FakeElimination:
        return self.report


class FakeEliminator(FakeSteps):
    """Removes one drop with every rollout until one is left."""

    def __init__(self, engine: FakeEngine, reference: Schedule, done: int) -> None:
        super().__init__(engine.during_removal, done)
        self._reference = reference
        self.tried: list[Any] = []

    def advance(self, check: Check | None = None) -> FakeElimination:
        self.tried.clear()
        report = super().advance(check)
        self.tried.append(SimpleNamespace(schedule=self.schedule, metrics=None, excess=np.nan, is_taken=True))
        return report

    @property
    def schedule(self) -> Schedule:
        logits = self._reference.logits.copy()
        gone = np.flatnonzero(self._reference.proposed)[: self._done]
        logits.ravel()[gone] = -3.0
        return replace(self._reference, logits=logits)

    @property
    def finished(self) -> str:
        return "minimal" if self.report.drops <= 1 else ""

    @property
    def report(self) -> FakeElimination:
        return FakeElimination(self._done, int(self._reference.proposed.sum()))


class FakeTactical(FakeSteps):
    """Places a drop more with every pass."""

    passes = 3

    def __init__(self, engine: FakeEngine, model: FakeModel, budget: int | None, done: int) -> None:
        super().__init__(engine.during_pass, done)
        self._model, self._budget = model, budget

    @property
    def passes_done(self) -> int:
        return self._done

    rollouts = passes_done

    @property
    def best(self) -> Schedule:
        schedule = Schedule.empty(self._model.maps.n_steps, self._model.fleet.n_aircraft)
        schedule.logits[: min(self._done, self._budget or self._done), 0] = 3.0
        return schedule


class FakeSmoother(FakeSteps):
    """Moves every drop a cell with every epoch."""

    def __init__(self, engine: FakeEngine, schedule: Schedule, epochs: int, done: int) -> None:
        super().__init__(engine.during_smoothing, done)
        self._schedule, self._epochs = schedule, epochs

    epoch = FakeSteps.advance

    @property
    def best(self) -> Schedule:
        return Schedule(self._schedule.logits, self._schedule.poses + self._done)

    @property
    def epochs_done(self) -> int:
        return self._done

    @property
    def finished(self) -> bool:
        return self._done >= self._epochs


def fake_members(members: int, cases: int, days: int, shape: tuple[int, int]) -> EnsembleState:
    """Member ``m`` ends with ``100 + m`` cells, with the plan with half of it; every fourth with half more."""
    numbers = np.arange(members)
    without = 100.0 + numbers
    final = np.stack([without, np.where(numbers % 4 == 3, 1.5 * without, 0.5 * without)][:cases])
    extent = final[:, :, None] * np.arange(days + 1) / days
    fire = np.zeros((cases, days + 1, *shape), np.uint32)
    fire[0] = members * UNIT // 2
    return EnsembleState(extent, 0.1 * extent, fire, fire // 2)


AnyEngine: Any = object
"""Base of fake engines, so that type checkers take one for :class:`~firegui.runs.engine.Engine`."""


@dataclass
class FakeEngine(AnyEngine):  # type: ignore[misc]
    """``during_epoch``, ``during_rollout`` and so on are called before the work, to stop, to fail, to wait.

    ``tell`` is what it was built with: who hears its remarks.
    """

    objectives: Sequence[float] = (9.0, 7.0, 8.0, 6.0, 5.0, 5.5)
    during_epoch: Callable[[int], None] = lambda epoch: None
    during_rollout: Callable[[int], None] = lambda number: None
    during_build: Callable[[MessageCallback], object] = lambda tell: None
    during_removal: Callable[[int], None] = lambda number: None
    during_smoothing: Callable[[int], None] = lambda number: None
    during_pass: Callable[[int], None] = lambda number: None
    during_member: Callable[[int], None] = lambda number: None
    during_scenario: Callable[[int], None] = lambda number: None
    during_round: Callable[[int], None] = lambda number: None
    during_search: Callable[[QualityTask], None] = lambda task: None
    tell: MessageCallback = ignore_message
    missing: Mapping[PlannerName, str] = field(default_factory=dict)
    rollouts: int = 0
    built_with: list[Effectiveness] = field(default_factory=list)
    forecast_of: list[Project] = field(default_factory=list)
    drawn_with: list[ErrorModel | None] = field(default_factory=list)
    error_fits: int = 0
    fitted: list[tuple[tuple[str, ...], NetworkFitSettings, NetworkWeights | None]] = field(default_factory=list)

    def device_name(self, device: str) -> str:
        return f"the {device} of the test"

    def method(self, model: Any) -> str:
        return "fake arithmetic"

    def build(self, project: Any, effectiveness: Any, *_: Any, tell: Any = ignore_message, **_named: Any) -> FakeModel:
        self.built_with.append(effectiveness)
        self.tell = tell
        self.during_build(tell)
        assert project.maps is not None
        return FakeModel(project.maps, project.planned_fleet, effectiveness, weights=project.plan.weights)

    def with_wind(self, project: Project, _draw: Any) -> Project:
        return project

    def _count_rollout(self, check: Check | None) -> None:
        self.rollouts += 1
        step(self.during_rollout, self.rollouts - 1, check)

    def simulate(
        self, model: Any, schedule: Any, *, check: Any = None, frame_stride: int | None = None, keep_days: bool = False
    ) -> FakeRollout:
        self._count_rollout(check)
        drops = int(schedule.proposed.sum())
        # Stronger suppression burns less, so that nominal and design can be told apart.
        objective = BASELINE - 4.0 * model.effectiveness.retardant if drops else BASELINE
        result = self.rollout(model, metrics(objective, drops), frame_stride)
        days = np.zeros((model.maps.days + 1, *model.maps.shape), np.float32)
        return replace(result, p_fire_days=days if keep_days else None)

    def stress_table(
        self, _project: Any, model: Any, schedule: Schedule, stress: StressSet, *, began: Any, burned: Any,
        check: Check,
    ) -> StressTable:  # fmt: skip
        """Half of the growth is left in the first scenario, a third in the second and so on."""
        drops, results = int(schedule.proposed.sum()), []
        held = StressResult(NOMINAL, 4.0, 104.0, (StressDraw(4.0, 0.0, 0.0, drops),))
        burned(NOMINAL.name, np.zeros(model.maps.shape, bool))
        for number, scenario in enumerate(stress.unrepaired):
            began(number, len(stress.unrepaired), scenario.name)
            step(self.during_scenario, number, check)
            share = 1.0 / (number + 2)
            draw = StressDraw(4.0 + 100.0 * share, 0.0, share, drops)
            results.append(replace(held, scenario=scenario, draws=(draw,)))
            burned(scenario.name, np.ones(model.maps.shape, bool))
        return StressTable(drops, held, tuple(results))

    def rollout(self, model: FakeModel, result: Metrics, frame_stride: int | None) -> FakeRollout:
        empty = Film.of(np.zeros((1, *model.maps.shape), np.uint8))
        return FakeRollout(result, None if frame_stride is None else Frames(frame_stride, empty, empty, empty))

    def forecast(self, project: Project, days: int, *, check: Any, **_named: Any) -> NDArray[np.float32]:
        """The first perimeter, a cell wider every day."""
        self.forecast_of.append(project)
        self._count_rollout(check)
        start = project.scenario.observed_on(0)
        assert start is not None
        states = [start.astype(np.float32)]
        for _ in range(days):
            grown = np.pad(states[-1], 1)
            states.append(np.maximum.reduce([grown[1:-1, 1:-1], grown[:-2, 1:-1], grown[2:, 1:-1]]))
        return np.stack(states)

    def fit_network(
        self, events: Any, settings: Any, *, begin: Any, state: Any, progress: Any, keep: Any, check: Any, **_: Any
    ) -> FitState:
        """Epoch ``e`` has the misfit ``objectives[e]``, the last one from then on; its number is the only tensor."""
        self.fitted.append((tuple(event.name for event in events), settings, begin))
        now = state or FitState({}, 0, -1, np.inf)
        while now.epoch < settings.epochs and now.epoch - max(now.best_epoch, 0) <= settings.patience:
            epoch, loss = now.epoch, self.objectives[min(now.epoch, len(self.objectives) - 1)]
            step(self.during_epoch, epoch, check)
            better = loss < now.best_loss
            kept = np.full(3, epoch, np.float32) if better else now.tensors.get("best", np.zeros(3, np.float32))
            best = (epoch, loss) if better else (now.best_epoch, now.best_loss)
            now = FitState({"best": kept}, epoch + 1, *best)
            keep(now)
            days = tuple(range(1, settings.fit_days + 1))
            seen = tuple(EventProgress(event.name, days, tuple(0.1 * day for day in days)) for event in events)
            progress(FitProgress(epoch, settings.epochs, loss, best[1], best[0], {"shape": loss}, seen, float(epoch)))
        return now

    def fitted_weights(self, _events: Any, settings: Any, state: FitState, _begin: Any) -> NetworkWeights:
        return weights(training=training(epochs=int(state.tensors["best"][0]), seed=settings.seed))

    def start_schedule(self, model: Any, _settings: Any, warm_start: Any, *_: Any, **_named: Any) -> Schedule:
        return warm_start or Schedule.empty(model.maps.n_steps, model.fleet.n_aircraft)

    def planner(self, model: Any, settings: OptimizerSettings, _start: Any, _check: Any = None) -> FakePlanner:
        return FakePlanner(self, model, settings, FakeState(0, -1))

    def restore_planner(self, model: Any, settings: OptimizerSettings, checkpoint: Path) -> FakePlanner:
        return FakePlanner(self, model, settings, FakeState(*json.loads(checkpoint.read_text())))

    def sensitivity_rows(
        self, model: Any, schedule: Schedule, _kind: Any, settings: SensitivitySettings, *, hear: Any, check: Any
    ) -> tuple[Row, ...]:
        """A row per pair of the settings, whatever the kind."""
        rows = []
        for number, pair in enumerate(settings.pairs):
            hear(number, len(settings.pairs), "Scoring")
            found = self.simulate(model.with_effectiveness(pair), schedule, check=check).metrics
            rows.append(EffectivenessRow(pair, RolloutSummary.of(found, ObjectiveWeights()), 1.0))
        return tuple(rows)

    def fit_error(self, _model: Any, event: Scenario, _day: int, settings: UncertaintySettings, **_: Any) -> ErrorFit:
        self.error_fits += 1
        nothing, shape = np.zeros(0), event.grid.shape
        error = replace(PAPER_BEAR, correlation_cells=5.0, threshold=settings.threshold, source="fake")
        variogram = Semivariogram(nothing, nothing, np.zeros(0, np.int64))
        residuals = np.zeros((1, 2, *shape), np.float32)
        return ErrorFit(error, variogram, settings.mode, (1,), residuals, np.ones(shape, bool), np.ones((2, 1)))

    def ensemble(
        self, _project: Any, model: Any, schedule: Any, settings: UncertaintySettings, error: ErrorModel | None, *,
        state: EnsembleState | None, progress: Any, keep: Any, check: Any, **_: Any,
    ) -> Ensemble:  # fmt: skip
        self.drawn_with.append(error)
        size = (1 if schedule is None else 2, model.maps.days, model.maps.shape)
        done = 0 if state is None else state.members
        while done < settings.members:
            step(self.during_member, done, check)
            done += 1
            now = fake_members(done, *size)
            progress(EnsembleProgress(done, settings.members, now.extent, now.protected))
            keep(now)
        winds = self.member_winds(settings)
        return fake_members(done, *size).ensemble(settings.kind, model.maps.shape, 0.09, done, winds)

    def member(
        self, _project: Any, model: Any, schedule: Any, _settings: Any, member: int, *, frame_stride: Any, **_: Any
    ) -> FakeRollout:
        """As a rollout, with the member's number as its objective."""
        found = metrics(float(member), 0 if schedule is None else int(schedule.proposed.sum()))
        return self.rollout(model, found, frame_stride)

    def member_winds(self, settings: UncertaintySettings) -> tuple[WeatherDraw, ...]:
        many = settings.members if settings.kind is UncertaintyKind.WEATHER else 0
        return tuple(WeatherDraw(1.0 + member, 0.5, -2.0) for member in range(many))

    def error_field(self, _error: Any, shape: Any, _seed: int, member: int, day: int) -> NDArray[np.float32]:
        """The member's number, and the day's in the second coordinate."""
        return np.stack([np.full(shape, member, np.float32), np.full(shape, day, np.float32)])

    def draw_nothing(self, *_: Any) -> list[Path]:
        return []

    draw_ensemble = draw_benchmark = draw_sensitivity = draw_scaling = draw_nothing

    def missing_extra(self, planner: PlannerName) -> str:
        return self.missing.get(planner, "")

    def smoothing_charge(self, _settings: Any) -> int:
        return 17

    def scaling(self, project: Project, _backend: str, *, tell: MessageCallback, **_: Any) -> FakeBench:
        return FakeBench(self.build(project, project.plan.nominal, tell=tell), self.during_round, self.during_search)

    def eliminator(self, _model: Any, _plan: Any, reference: Any, checkpoint: Any, _check: Any) -> FakeEliminator:
        return FakeEliminator(self, reference, steps_kept(checkpoint))

    def smoother(
        self, _model: Any, plan: Any, _reference: Any, schedule: Any, checkpoint: Any, _check: Any
    ) -> FakeSmoother:
        return FakeSmoother(self, schedule, plan.elimination.smoothing, steps_kept(checkpoint))

    def tactical(self, model: Any, _settings: Any, budget: int | None, checkpoint: Any) -> FakeTactical:
        return FakeTactical(self, model, budget, steps_kept(checkpoint))

    def drops(self, model: Any, schedule: Schedule, **_: Any) -> tuple[DropRecord, ...]:
        tails = model.fleet.tails
        pairs = np.argwhere(schedule.proposed)
        return tuple(
            DropRecord(int(t), tails[a].name, int(a), "t", "water", 1.0, True, 1.0, 2.0, 0.5, 1.0, 2.5, 3.0, 0.3)
            for t, a in pairs
        )

    def audit(self, *_: Any, **_named: Any) -> AuditReport:
        return AuditReport(1, 1, 0, 0, 0, 0, ())


def carried_out(
    spec: RunSpec, engine: FakeEngine | None = None, control: RunControl | None = None,
    hear: Callable[[RunEvent], None] = lambda event: None,
) -> list[RunEvent]:  # fmt: skip
    """Every event of a run; ``hear`` is told of each as it happens."""
    events: list[RunEvent] = []

    def emit(event: RunEvent) -> None:
        events.append(event)
        hear(event)

    execute(spec, emit, control or RunControl(), engine=engine or FakeEngine())
    return events


def end(events: Sequence[RunEvent]) -> RunFinished:
    """Return the event that ends a run: the last one, and the only one of its kind."""
    finished = events[-1]
    assert isinstance(finished, RunFinished)
    assert sum(isinstance(event, RunFinished) for event in events) == 1
    return finished


def problems_of(events: Sequence[RunEvent]) -> str:
    """Return the problems for which a run was refused, a line each."""
    finished = end(events)
    assert finished.reason is FinishReason.FAILED
    return "\n".join(map(str, finished.problems))


def states(events: Sequence[RunEvent]) -> list[RunState]:
    """Return the states of a run in the order in which it took them."""
    return [event.state for event in events if isinstance(event, StateChanged)]


def warnings(events: Sequence[RunEvent]) -> list[str]:
    """Return the texts of all warnings of a run."""
    return [event.text for event in events if isinstance(event, Message) and event.level == "warning"]


def raise_at(at: int | None, error: BaseException | type[BaseException]) -> Callable[[int], None]:
    """Return a hook of :class:`FakeEngine` that raises ``error`` at step ``at``; ``None`` is no step."""

    def hook(now: int) -> None:
        if now == at:
            raise error

    return hook
