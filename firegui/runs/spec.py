"""Specifications of runs: frozen values that hold the complete input."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from firegui.domain.observation import FireRecord, Observation
from firegui.domain.project import Project
from firegui.domain.schedule import Schedule
from firegui.domain.settings import Margin, goal_short
from firegui.domain.stress import StressScenario, StressTestSettings
from firegui.domain.weights import NetworkWeights
from firegui.domain.workers import WorkerSettings
from firegui.runs.stages import Stage

# Annotations need these alone. Reading a saved run must not wait for them.
if TYPE_CHECKING:
    from firegui.domain.benchmark import BenchmarkSettings
    from firegui.domain.fit import FactorFitSettings, NetworkFitSettings
    from firegui.domain.margin_curve import MarginCurveSettings
    from firegui.domain.scaling import ScalingSettings
    from firegui.domain.sensitivity import SensitivityKind, SensitivitySettings
    from firegui.domain.study import StudySettings
    from firegui.domain.uncertainty import ErrorModel, UncertaintySettings, WeatherDraw

CHECKPOINT_SECONDS = 5.0
"""A run that is killed loses no more than this, and the piece of work that it had not finished."""


@dataclass(frozen=True, slots=True, eq=False)
class PlanSpec:
    """One stage of a plan of ``project``, or the first and the second, into the run folder ``out``.

    ``project.plan`` holds every setting. ``warm_start`` is the schedule that the first of ``stages`` begins with, in
    place of the front (stage 1 only) and read from ``warm_start_file``; pruning alone needs one. ``resume`` goes on
    from the checkpoint in ``out`` and ends with the result of an unbroken run.
    ``budget`` is the most drops that the tactical heuristic places, pinned ones included, beside the project's own cap.
    ``command`` is what a person would type to repeat it (see :mod:`firegui.runs.command`). ``frame_stride`` steps lie
    between displayed states, by default what the calendar says; ``snapshot_seconds`` between pictures of the plan,
    ``checkpoint_seconds`` between checkpoints. ``project_folder`` is where the project is kept, for the record, and
    ``edited_from`` the folder of the run whose plan was edited by hand to make ``warm_start``. ``number``
    counts the runs of a project, and ``label`` is the title after it, empty for that of the folder's name. Without
    ``tests_repair`` the stress test at the end leaves out the scenarios in which the plan is replanned on the way.
    """

    project: Project
    out: Path
    command: str
    stages: tuple[Stage, ...] = (Stage.OPTIMIZE,)
    warm_start: Schedule | None = None
    resume: bool = False
    backend: str = "auto"
    frame_stride: int | None = None
    snapshot_seconds: float = 0.5
    checkpoint_seconds: float = CHECKPOINT_SECONDS
    project_folder: Path | None = None
    warm_start_file: Path | None = None
    budget: int | None = None
    edited_from: Path | None = None
    number: int | None = None
    label: str = ""
    tests_repair: bool = True

    @property
    def stride(self) -> int:
        """Steps between displayed states: ``frame_stride``, or else what the project's calendar says."""
        return self.frame_stride or self.project.calendar.frame_stride


@dataclass(frozen=True, slots=True)
class MemberOf:
    """Member ``number`` of an ensemble; ``error`` is its error model, where it has one."""

    number: int
    settings: UncertaintySettings
    error: ErrorModel | None = None


@dataclass(frozen=True, slots=True)
class StressDrawOf:
    """Draw ``number`` of a stress scenario, of a set with this ``seed``."""

    scenario: StressScenario
    number: int
    seed: int


@dataclass(frozen=True, slots=True, eq=False)
class EvaluateSpec:
    """One rollout of ``schedule`` (``None``: the baseline alone) at nominal effectiveness, for the map.

    With ``member`` both fires are those of a member of an ensemble. With ``against`` the first is that of another
    schedule, in place of the fire without drops, so that two plans can be compared; ``against_project`` is what that
    one was planned for, where it had another fleet, other rules or another objective. With ``wind`` the wind differs
    from the project's. ``fire`` is what a replanned run kept of the fire that the schedule is flown in, and
    ``against_fire`` that of the other schedule. With ``stress`` both fires burn in a scenario's world, and drops are
    flown with its errors. Without ``waits`` a small fire is computed more slowly instead of after the compilation of
    kernels.
    """

    project: Project
    schedule: Schedule | None = None
    backend: str = "auto"
    frame_stride: int | None = None
    member: MemberOf | None = None
    against: Schedule | None = None
    against_project: Project | None = None
    wind: WeatherDraw | None = None
    fire: FireRecord | None = None
    against_fire: FireRecord | None = None
    stress: StressDrawOf | None = None
    waits: bool = True

    @property
    def stride(self) -> int:
        """Steps between displayed states: ``frame_stride``, or else what the project's calendar says."""
        return self.frame_stride or self.project.calendar.frame_stride


@dataclass(frozen=True, slots=True, eq=False)
class SkillSpec:
    """A forecast of ``days`` days from the perimeter of event day 0, scored against later perimeters.

    Those of days ``0 … fit_days`` may have been read when the project's fire model was trained.
    """

    project: Project
    days: int
    fit_days: int
    backend: str = "auto"


@dataclass(frozen=True, slots=True, eq=False)
class CalibrateSpec:
    """One network fire model for the events of all ``projects``, into the weights file ``out``.

    Until it is complete its state is kept beside that (:mod:`firegui.analyses.calibration.checkpoint`), at most every
    ``checkpoint_seconds``; ``resume`` goes on from there and ends with the weights of an unbroken calibration.
    ``start`` are weights to begin with in place of random ones. ``project_folders`` say where the projects are kept, in
    their order, and ``command`` what a person would type to repeat it, both for the record.
    """

    projects: tuple[Project, ...]
    settings: NetworkFitSettings
    out: Path
    command: str
    start: NetworkWeights | None = None
    resume: bool = False
    checkpoint_seconds: float = CHECKPOINT_SECONDS
    project_folders: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class CalibrateFactorsSpec:
    """One set of factors of the physical model for the events of all ``projects``; nothing is written."""

    projects: tuple[Project, ...]
    settings: FactorFitSettings


@dataclass(frozen=True, slots=True, eq=False)
class SensitivitySpec:
    """A robustness table of ``kind`` (paper, section ``design_eta``), into the folder ``out``.

    All kinds but the sweep are of ``schedule``, read from ``schedule_file``. A sweep plans ``project`` at each of the
    design values of ``settings``, in folders below ``out``; ``resume`` keeps those that are done and resumes the
    others. ``workers`` compute the rows. ``command`` is what a person would type to repeat it and ``project_folder``
    where the project is kept, for the record.
    """

    project: Project
    out: Path
    command: str
    kind: SensitivityKind
    settings: SensitivitySettings
    schedule: Schedule | None = None
    resume: bool = False
    backend: str = "auto"
    checkpoint_seconds: float = CHECKPOINT_SECONDS
    project_folder: Path | None = None
    schedule_file: Path | None = None
    workers: WorkerSettings = field(default_factory=WorkerSettings)


@dataclass(frozen=True, slots=True, eq=False)
class StressSpec:
    """A stress test of ``schedule``, read from ``schedule_file``, into the folder ``out``.

    The draws so far are saved at most every ``checkpoint_seconds``; ``resume`` keeps them and resumes the others.
    ``command`` is what a person would type to repeat it. ``scenarios_file`` says where the set was read, empty for the
    project's own, and ``project_folder`` where the project is kept, for the record.
    """

    project: Project
    out: Path
    command: str
    settings: StressTestSettings
    schedule: Schedule
    resume: bool = False
    backend: str = "auto"
    checkpoint_seconds: float = CHECKPOINT_SECONDS
    project_folder: Path | None = None
    schedule_file: Path | None = None
    scenarios_file: Path | None = None


@dataclass(frozen=True, slots=True, eq=False)
class MarginSpec:
    """What margin costs ``project``: a plan for each margin and its stress test, in folders below ``out``.

    ``resume`` keeps what is done and resumes the rest, at the last checkpoint of the plan that was being made.
    ``command`` is what a person would type to repeat it and ``project_folder`` where the project is kept, for the
    record.
    """

    project: Project
    out: Path
    command: str
    settings: MarginCurveSettings
    resume: bool = False
    backend: str = "auto"
    checkpoint_seconds: float = CHECKPOINT_SECONDS
    project_folder: Path | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ReplanSpec:
    """One turn of a receding horizon: plan the rest of ``schedule`` from ``day`` on, into ``out``.

    ``project.plan`` holds every setting, ``observed`` is the fire at the start of ``day`` (counted from 0). With
    ``closed_loop`` there is none: the fire is drawn, and every day from ``day`` on is observed, replanned and flown.
    With ``exercise`` the closed loop is one in that scenario, repaired as often as it says, from draw ``draw`` of it.
    It stops at the first observation that is ``stop_at`` days or more after the start of the plan. With ``after``, the
    folder of a stopped closed loop, it goes on from there: ``schedule`` replaces what is left of the plan.
    ``schedule_file`` says where the schedule was, ``command`` what a person would type to repeat it, and ``number``
    counts the runs of a project.
    """

    project: Project
    out: Path
    command: str
    schedule: Schedule
    day: int
    observed: Observation | None = None
    closed_loop: bool = False
    resume: bool = False
    backend: str = "auto"
    frame_stride: int | None = None
    checkpoint_seconds: float = CHECKPOINT_SECONDS
    project_folder: Path | None = None
    schedule_file: Path | None = None
    exercise: StressScenario | None = None
    draw: int = 0
    stop_at: float | None = None
    after: Path | None = None
    number: int | None = None

    @property
    def stride(self) -> int:
        """Steps between displayed states: ``frame_stride``, or else what the project's calendar says."""
        return self.frame_stride or self.project.calendar.frame_stride

    def as_plan(self) -> PlanSpec:
        """Return the spec as that of a plan of both stages, for the record and for the stages themselves.

        It makes no pictures. The stages are those of the paper, whatever the margin of the project is.
        """
        return PlanSpec(
            project=self.project.with_margin(Margin.NONE),
            out=self.out,
            command=self.command,
            stages=(Stage.OPTIMIZE, Stage.PRUNE),
            warm_start=self.schedule,
            resume=self.resume,
            backend=self.backend,
            frame_stride=self.frame_stride,
            snapshot_seconds=math.inf,
            checkpoint_seconds=self.checkpoint_seconds,
            project_folder=self.project_folder,
            warm_start_file=self.schedule_file,
            number=self.number,
            label=goal_short(self.project.plan),
        )


@dataclass(frozen=True, slots=True, eq=False)
class UncertaintySpec:
    """An ensemble (paper, section ``uq``) of ``project`` at nominal effectiveness, into ``out``.

    Every member is a fire without drops and, with a ``schedule``, one with it under the same random numbers.
    ``resume`` keeps the members that are done, and may ask for more of them. At most every ``checkpoint_seconds`` they
    are saved, and every ``snapshot_seconds`` the ensemble so far is shown. ``workers`` compute the members. ``command``
    is what a person would type to repeat it; ``schedule_file`` and ``project_folder`` say where those are, for the
    record.
    """

    project: Project
    out: Path
    command: str
    settings: UncertaintySettings
    schedule: Schedule | None = None
    resume: bool = False
    backend: str = "auto"
    checkpoint_seconds: float = CHECKPOINT_SECONDS
    snapshot_seconds: float = 2.0
    project_folder: Path | None = None
    schedule_file: Path | None = None
    workers: WorkerSettings = field(default_factory=WorkerSettings)


@dataclass(frozen=True, slots=True, eq=False)
class BenchmarkSpec:
    """The planner benchmark (paper, section ``planner_benchmark``) of ``project``, into ``out``.

    Tasks are shared out over ``processes`` processes of one thread each, 0 for as many as there are cores, or over the
    workers of ``scheduler``, the address of a Dask scheduler. Each task is saved at most every ``checkpoint_seconds``;
    ``resume`` keeps those that are done, resumes those that were begun and may ask for more planners or seeds.
    ``command`` is what a person would type to repeat it and ``project_folder`` where the project is kept, as the run
    has it. ``notes`` say what was left out, and why.
    """

    project: Project
    out: Path
    command: str
    settings: BenchmarkSettings
    project_folder: Path
    resume: bool = False
    backend: str = "auto"
    processes: int = 0
    checkpoint_seconds: float = CHECKPOINT_SECONDS
    notes: tuple[str, ...] = ()
    scheduler: str = ""


@dataclass(frozen=True, slots=True)
class ErrorFieldSpec:
    """One field of an error model on a raster of ``shape``, to be looked at.

    It is what ``member`` of an ensemble of ``seed`` meets at the end of ``day``; both are counted from 0.
    """

    error: ErrorModel
    shape: tuple[int, int]
    seed: int
    member: int
    day: int


class EnsemblePart(StrEnum):
    """What can be handed over of an ensemble."""

    TABLES = "tables"
    MAPS = "maps"
    FIGURES = "figures"
    ERROR_MODEL = "error-model"


@dataclass(frozen=True, slots=True)
class EnsembleExportSpec:
    """The chosen ``parts`` of the ensemble in ``folder`` as files in the folder ``out``."""

    folder: Path
    out: Path
    parts: tuple[EnsemblePart, ...]


@dataclass(frozen=True, slots=True, eq=False)
class ScalingSpec:
    """The scaling study (paper, section ``scaling``) of ``project`` on this machine, into ``out``.

    ``resume`` keeps the rounds of timings and the searches that are done, and may ask for more of them. Rounds are
    saved at most every ``save_seconds``. ``command`` is what a person would type to repeat it and ``project_folder``
    where the project is kept, for the record.
    """

    project: Project
    out: Path
    command: str
    settings: ScalingSettings
    resume: bool = False
    backend: str = "auto"
    save_seconds: float = 2.0
    project_folder: Path | None = None


@dataclass(frozen=True, slots=True, eq=False)
class StudySpec:
    """A study of ``project``: a plan for every cell of ``settings``, into the folder ``out``.

    ``workers`` compute the cells; without any they are computed here, one after another. ``schedule``, read from
    ``schedule_file``, is flown where nothing is planned. ``resume`` keeps the cells that are done, and what
    ``checkpoint_seconds`` kept of those at work. ``command`` is what a person would type to repeat it and
    ``project_folder`` where the project is kept, for the record.
    """

    project: Project
    out: Path
    command: str
    settings: StudySettings
    schedule: Schedule | None = None
    resume: bool = False
    backend: str = "auto"
    checkpoint_seconds: float = CHECKPOINT_SECONDS
    workers: WorkerSettings = field(default_factory=WorkerSettings)
    project_folder: Path | None = None
    schedule_file: Path | None = None
    study_file: Path | None = None


RunSpec = (
    PlanSpec
    | EvaluateSpec
    | SkillSpec
    | CalibrateSpec
    | CalibrateFactorsSpec
    | SensitivitySpec
    | StressSpec
    | MarginSpec
    | ReplanSpec
    | UncertaintySpec
    | ErrorFieldSpec
    | EnsembleExportSpec
    | BenchmarkSpec
    | ScalingSpec
    | StudySpec
)
