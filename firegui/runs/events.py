"""What a run says while it works: typed, frozen, numpy and plain values only.

Window, command line and logs read the same stream. Nothing here needs Qt or torch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from firegui.domain.removal_curve import RemovalCurve
from firegui.domain.results import Frames, Metrics
from firegui.domain.schedule import DropRecord
from firegui.domain.stress import StressTable
from firegui.domain.weights import NetworkWeights
from firegui.errors import Problem
from firegui.runs.stages import EliminationStep, EpochDone, FinishReason, RunState, Stage

# Annotations need these alone. Reading a saved run must not wait for them.
if TYPE_CHECKING:
    from firegui.domain.benchmark import BenchmarkTable, PlannerTask
    from firegui.domain.ensemble import Ensemble
    from firegui.domain.exercise import LoopDay
    from firegui.domain.fit import EventProgress, FitProgress
    from firegui.domain.margin_curve import MarginCurve
    from firegui.domain.scaling import ScalingTable
    from firegui.domain.sensitivity import Row, SensitivityTable
    from firegui.domain.spread_factors import SpreadFactors
    from firegui.domain.study_table import StudyTable
    from firegui.domain.uncertainty import ErrorFit
    from firegui.fire.skill import ForecastSkill
    from firegui.fire.skill_report import SkillReport
    from firegui.runs.spec import ErrorFieldSpec


@dataclass(frozen=True, slots=True)
class StateChanged:
    """The run moved to another state."""

    state: RunState


@dataclass(frozen=True, slots=True)
class DeviceUsed:
    """The requested ``backend``, and the ``name`` of the device that computes: ``the CPU``."""

    backend: str
    name: str


@dataclass(frozen=True, slots=True)
class Message:
    """Something worth a line in the log: a fallback taken, an assumption made.

    ``device`` is set where the text says what is computed on.
    """

    text: str
    level: str = "info"
    device: DeviceUsed | None = None

    @property
    def names_device_only(self) -> bool:
        """Whether the message says no more than the device, which a window shows at a place of its own."""
        return self.device is not None and self.level == "info"


@dataclass(frozen=True, slots=True, eq=False)
class BaselineReady:
    """The fire without drops, at the effectiveness-independent baseline.

    Where two plans are compared it is that of the first, and ``drops`` are its drops.
    """

    metrics: Metrics
    frames: Frames
    drops: tuple[DropRecord, ...] = ()


@dataclass(frozen=True, slots=True)
class StageBegan:
    """Stage ``number`` of ``count`` (from 1) of a plan began; ``text`` says what it does, for people."""

    stage: Stage
    number: int
    count: int
    text: str


@dataclass(frozen=True, slots=True, eq=False)
class PlanUpdated:
    """The best plan so far for the map, at most a few a second. ``epoch`` is −1 for an evaluated file.

    During the second stage ``epoch`` stays that of the first, and what a picture has less than the one before it was
    removed. While a plan is worked out ``drops`` are those that are flown; the kept plan has all that it proposes.
    Then ``is_cautious`` says that metrics and fire are at design effectiveness, unlike those of the finished plan.
    """

    epoch: int
    metrics: Metrics
    frames: Frames
    drops: tuple[DropRecord, ...]
    stage: Stage = Stage.OPTIMIZE
    is_cautious: bool = False


@dataclass(frozen=True, slots=True)
class RunFinished:
    """The run ended; ``message`` says why and what to do. ``nominal`` is the best plan at nominal η.

    ``problems`` lists what was wrong with the input when that is why it failed.
    """

    reason: FinishReason
    message: str
    nominal: Metrics | None
    baseline: Metrics | None
    folder: Path | None
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Progress:
    """``done`` of ``total`` pieces of work are over and the next has begun; ``text`` says which.

    ``share`` of all work is done, where the pieces take very different times; ``None`` where they do not.
    """

    done: int
    total: int
    text: str
    share: float | None = None


@dataclass(frozen=True, slots=True)
class LoopAdvanced:
    """A closed loop has come to its next observation; ``days`` are all that were flown so far."""

    days: tuple[LoopDay, ...]


@dataclass(frozen=True, slots=True, eq=False)
class RemovalCurveReady:
    """The removal curve of the second stage so far; at the end with the scores at nominal effectiveness."""

    curve: RemovalCurve


@dataclass(frozen=True, slots=True)
class StressTestProgress:
    """``done`` of ``total`` scenarios are over in the stress test of a plan; ``text`` names the next.

    The model itself, which comes first, is none of them. ``share`` of all draws is done.
    """

    done: int
    total: int
    text: str
    share: float


@dataclass(frozen=True, slots=True, eq=False)
class SkillReady:
    """A forecast was scored; ``states`` is its ``P [D + 1, H, W]`` at day boundaries."""

    report: SkillReport
    states: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class FitEpoch:
    """One epoch of a calibration; its ``seconds`` count every session of it."""

    progress: FitProgress


@dataclass(frozen=True, slots=True, eq=False)
class WeightsReady:
    """A calibration ended, or was stopped, and its best ``weights`` are saved.

    ``best`` is the epoch that they come from, and ``epochs_done`` how many there were. ``before`` and ``after`` score
    the projects' own fire models and the weights on the fitted days of whole events; both are empty where that was
    not computed.
    """

    weights: NetworkWeights
    best: FitProgress
    epochs_done: int
    before: tuple[EventProgress, ...] = ()
    after: tuple[EventProgress, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class FireComparison:
    """Forecasts of one fire before and after a calibration of the physical model.

    They are scored on every day with a perimeter, of which those after ``fit_days`` were not read: the project's
    present model, the calibrated one, then the references. Where the fire was left out once, the model with ``others``,
    the factors fitted to the other fires alone, comes third: it has read none of the days.
    """

    fire: str
    fit_days: int
    forecasts: tuple[ForecastSkill, ...]
    others: SpreadFactors | None = None

    @property
    def last_day(self) -> int:
        """The last scored day."""
        return max(self.forecasts[0].days)

    @property
    def has_held_out(self) -> bool:
        """Whether there are days that were not read."""
        return self.last_day > self.fit_days

    def skill(self, key: str) -> ForecastSkill | None:
        """Return the forecast called ``key``, if it was made."""
        return next((each for each in self.forecasts if each.key == key), None)


@dataclass(frozen=True, slots=True, eq=False)
class FactorsReady:
    """A calibration of the physical model ended, or was stopped, with these ``factors``.

    ``best`` is the rollout that they come from, and ``rollouts_done`` how many there were. ``fires`` compare the models
    before and after on every fire; they are empty where that was not computed.
    """

    factors: SpreadFactors
    best: FitProgress
    rollouts_done: int
    fires: tuple[FireComparison, ...] = ()


@dataclass(frozen=True, slots=True)
class SensitivityReady:
    """A robustness table is saved; one of a sweep comes with every plan, until it is ``complete``."""

    table: SensitivityTable[Row]


@dataclass(frozen=True, slots=True)
class StressReady:
    """A stress table, of a test with every scenario that is done, or of a plan.

    ``leaks [H, W]`` are the maps of a test by scenario, that of all as ``""``; empty for a plan.
    """

    table: StressTable
    leaks: Mapping[str, NDArray[np.float32]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MarginReady:
    """The margin curve so far: with every plan that is done, and at the end; every point in it is saved."""

    curve: MarginCurve


@dataclass(frozen=True, slots=True)
class TaskProgress:
    """One task of a benchmark at work: ``spent`` of ``allowance`` rollout-equivalents, ``best`` so far.

    For the two-stage plan ``allowance`` is 0, because its cost is unknown; ``best`` is NaN before the first.
    """

    task: PlannerTask
    spent: int
    allowance: int
    best: float
    seconds: float


@dataclass(frozen=True, slots=True)
class BenchmarkProgress:
    """Progress of a benchmark, at most a few times a second: tasks at work, and how many are ``done``."""

    running: tuple[TaskProgress, ...]
    done: int
    tasks: int
    seconds: float
    """Of every session, by the clock."""
    failed: tuple[tuple[PlannerTask, str], ...] = ()
    """The tasks that cannot be done in this session, and why."""


@dataclass(frozen=True, slots=True)
class BenchmarkReady:
    """The benchmark's table so far, saved: at the beginning, and with every task that is done."""

    table: BenchmarkTable


@dataclass(frozen=True, slots=True, eq=False)
class ErrorFitted:
    """The error model was fitted to the perimeters; its residuals and semivariogram come with it."""

    fit: ErrorFit


@dataclass(frozen=True, slots=True)
class MembersDone:
    """``done`` of ``members`` members of an ensemble are over, at most a few of these a second.

    ``baseline`` and ``plan`` are the means so far of the final extent ``Σ P``, in cells, without drops and with the
    plan, ``worse`` the share of members in which more burns with it; ``None`` where there is no plan. ``seconds`` count
    every session; ``left`` is what the rest takes at this session's pace, NaN before there is one.
    """

    done: int
    members: int
    baseline: float
    plan: float | None
    worse: float | None
    seconds: float
    left: float


@dataclass(frozen=True, slots=True, eq=False)
class EnsembleReady:
    """The ensemble so far, now and then while it works; the last is what was saved, all members or not."""

    ensemble: Ensemble


@dataclass(frozen=True, slots=True, eq=False)
class FieldDrawn:
    """The ``field [2, H, W]`` float32 that ``spec`` asked for, in ILR coordinates."""

    spec: ErrorFieldSpec
    field: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class ScalingReady:
    """The scaling study so far, saved: with rounds of timings, and with every search that is done."""

    table: ScalingTable


@dataclass(frozen=True, slots=True)
class CellProgress:
    """One cell of a study at work: its ``number``, who works at it, and how far it is.

    ``spent`` of ``allowance`` rollout-equivalents are charged; ``allowance`` is 0 where the cost is unknown.
    """

    number: int
    worker: str
    spent: int
    allowance: int
    seconds: float


@dataclass(frozen=True, slots=True)
class WorkerSeen:
    """A worker of a study: its name, its threads, how many cells it has done, and whether it works at one."""

    name: str
    threads: int
    done: int
    busy: bool


@dataclass(frozen=True, slots=True)
class StudyProgress:
    """Progress of a study, at most a few times a second: ``done`` and ``failed`` of ``cells``, workers.

    ``seconds`` are by the clock, of every session; ``left`` is what the rest takes at this session's pace, NaN before
    there is one.
    """

    done: int
    failed: int
    cells: int
    running: tuple[CellProgress, ...]
    workers: tuple[WorkerSeen, ...]
    seconds: float
    left: float


@dataclass(frozen=True, slots=True, eq=False)
class StudyReady:
    """The study's table so far: at the beginning, now and then, and at the end; every cell in it is saved."""

    table: StudyTable


RunEvent = (
    StateChanged
    | Message
    | BaselineReady
    | StageBegan
    | EpochDone
    | EliminationStep
    | PlanUpdated
    | Progress
    | LoopAdvanced
    | RemovalCurveReady
    | StressTestProgress
    | SkillReady
    | FitEpoch
    | WeightsReady
    | FactorsReady
    | SensitivityReady
    | StressReady
    | MarginReady
    | ErrorFitted
    | MembersDone
    | EnsembleReady
    | FieldDrawn
    | BenchmarkProgress
    | BenchmarkReady
    | ScalingReady
    | StudyProgress
    | StudyReady
    | RunFinished
)

Emit = Callable[[RunEvent], None]
"""Receiver of the events of a run."""
