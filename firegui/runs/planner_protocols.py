"""Planners as a run drives them, named without importing them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from firegui.domain.results import Metrics
from firegui.domain.scaling import QualityRow, QualityTask, ScalingCase, ScalingRow, ScalingSettings
from firegui.domain.schedule import Schedule
from firegui.runs.engine_values import Check, EngineModel, RolloutResult


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
