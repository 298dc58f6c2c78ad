"""One rollout of a schedule beside the fire without drops: ``evaluate``."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from firegui.api.gather import Gather
from firegui.api.inputs import (
    Change,
    ScheduleSource,
    check_target,
    gather_fire,
    gather_schedule,
    schedule_file,
    with_given,
)
from firegui.api.projects import ProjectSource, read_project
from firegui.api.python_words import python_interface
from firegui.api.running import SavedRunResult, ignore_event, result_folder
from firegui.domain.fire_hours import FireByHour, Overpass, OverpassMatch, match_overpasses
from firegui.domain.names import without_named
from firegui.domain.observation import FireRecord
from firegui.domain.options import bounds_problems
from firegui.domain.plan_summary import (
    PlanSummary,
    ValueSummary,
    boundary_areas,
    plan_summary,
    value_summaries,
    with_regions,
)
from firegui.domain.project import Project
from firegui.domain.results import Metrics, metric_values
from firegui.domain.schedule import Schedule
from firegui.domain.settings import NOMINAL, Effectiveness
from firegui.errors import Check, InputError, Problem, Problems
from firegui.fire.drop_flames import flame_lengths
from firegui.io.atomic import new_folder, write_json, writing
from firegui.io.daylight import night_steps
from firegui.io.project.schedule_file import write_plan_safetensors
from firegui.io.rasters.masks import region_masks
from firegui.io.vectors.detections import read_overpasses
from firegui.rollout.engine_message import EngineMessage, MessageCallback, ignore_message
from firegui.runs.control import RunControl
from firegui.runs.engine import Engine
from firegui.runs.engine_messages import EngineMessages
from firegui.runs.events import Emit
from firegui.runs.kept_fire import SavedFire
from firegui.runs.messages import engine_words
from firegui.runs.result_store import check_writable
from firegui.runs.run_folder import PLAN, kept_plan

if TYPE_CHECKING:
    from firegui.rollout.model import Model

TITLE = "The evaluation cannot start"
EVALUATION, STATES = "evaluation.json", "states.npz"
_OF_BARRIERS = ("final_extent_ha", "final_extent_cells", "protected_cells", "objective")
Days = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class RolloutInput:
    """Input of one rollout.

    ``fire`` is that of the run whose folder was given as the schedule, if it was replanned.
    """

    project: Project
    schedule: Schedule | None
    fire: SavedFire | None


@dataclass(frozen=True, slots=True, eq=False)
class RolloutRequest:
    """Request of one rollout; ``nominal`` changes the project's nominal effectiveness.

    ``without_barriers`` names barriers that do not hold. ``what_if`` requests the rollout without each barrier, too.
    """

    project: ProjectSource
    schedule: ScheduleSource | None
    backend: str
    precision: str
    nominal: Change[Effectiveness]
    without_barriers: tuple[str, ...] = ()
    what_if: bool = False

    def read(self, engine: Engine, out: Path | None, title: str) -> RolloutInput:
        """Return the project at the requested nominal effectiveness, the schedule and its fire.

        ``out`` is the file that is written later. Raises :class:`~firegui.errors.InputError` with everything that is
        wrong with any of it.
        """
        gather = Gather()
        read = read_project(self.project, gather)
        project = None if read is None else read.project
        if project is None:
            gather.extend(bounds_problems(self.nominal(NOMINAL, gather), "nominal effectiveness", "eta"))
        else:
            nominal = self.nominal(project.plan.nominal, gather)
            project = replace(project, plan=replace(project.plan, nominal=nominal))
            gather.extend(project.problems())
            project = _without_barriers(project, self.without_barriers, gather)
            if self.what_if and not project.barriers:
                gather.add("barriers", "the project has none", "add some, or leave this out")
        schedule = gather_schedule(self.schedule, project, gather)
        fire = gather_fire(schedule_file(self.schedule), project, gather)
        if self.what_if and fire is not None and fire.kept is not None:
            remedy = "give the project that it was made on with the schedule alone"
            gather.add("barriers", "the run keeps the fire that was observed or drawn with them", remedy)
        gather.attempt(lambda: engine.check_backend(self.backend))
        check_target(out, gather)
        gather.raise_if_any(title)
        assert project is not None
        return RolloutInput(project, schedule, fire)


def _without_barriers(project: Project, names: Sequence[str], gather: Gather) -> Project:
    """Return the project without the named barriers; unknown names are noted."""
    known = [barrier.name for barrier in project.barriers]
    for name in names:
        if name not in known:
            gather.add("barriers", f"there is no barrier {name!r}", f"the project has: {', '.join(known) or 'none'}")
    return replace(project, barriers=without_named(project.barriers, names)) if names else project


@dataclass(frozen=True, slots=True)
class BarrierEffect:
    """What burns where one barrier does not hold.

    ``without`` is its name, or ``""`` where all of them hold. ``metrics`` are those with the schedule, and ``baseline``
    those without drops.
    """

    without: str
    metrics: Metrics
    baseline: Metrics


@dataclass(frozen=True, slots=True, eq=False)
class HourlyFires:
    """The fire without drops and the fire with the schedule, hour by hour from the plan's start.

    ``plan`` is ``bare`` without a schedule. ``matches`` are those of the fire with the schedule and the detections of a
    satellite, empty where none were given.
    """

    bare: FireByHour
    plan: FireByHour
    matches: tuple[OverpassMatch, ...] = ()

    def hectares(self, project: Project) -> list[tuple[float, float, float]]:
        """Return each whole hour with the hectares of the fire without drops and of that with the schedule."""
        area = project.scenario.grid.cell_area_ha
        rows = zip(self.bare.hours, self.bare.cells, self.plan.cells, strict=True)
        return [(float(hour), bare * area, plan * area) for hour, bare, plan in rows if float(hour).is_integer()]

    def data(self, project: Project) -> dict[str, Any]:
        """Return what ``firegui evaluate --hourly --json`` adds."""
        rows = self.hectares(project)
        plain: dict[str, Any] = {
            "hours": [
                {"hour": hour, "baseline_ha": float(bare), "final_extent_ha": float(plan)} for hour, bare, plan in rows
            ]
        }
        if self.matches:
            plain["overpasses"] = [asdict(match) | {"time": match.time.isoformat()} for match in self.matches]
        return plain


@dataclass(frozen=True, slots=True, eq=False)
class EvaluatedSchedule:
    """Rollout of a schedule at nominal effectiveness.

    ``metrics`` are those of the fire with the schedule and ``baseline`` those without drops: extents in cells and ha,
    occupancy in cell-days. Without a schedule ``schedule`` is ``None`` and both are the same. ``p_fire [D+1, H, W]`` is
    the probability of fire at day boundaries, ``None`` unless requested. ``fire`` is the fire that a replanned
    run kept. ``seconds`` is the time of the rollouts, ``engine`` says in words what computed. ``summary`` is what is
    reported of the schedule first, ``None`` without one. ``barrier_effects`` are requested: first all barriers hold,
    then each of them does not. ``by_hour`` is ``None`` unless requested.
    """

    project: Project = field(repr=False)
    schedule: Schedule | None = field(repr=False)
    metrics: Metrics
    baseline: Metrics
    backend: str
    device: str
    engine: str
    seconds: float
    p_fire: Days | None = field(default=None, repr=False)
    fire: SavedFire | None = field(default=None, repr=False)
    summary: PlanSummary | None = field(default=None, repr=False)
    barrier_effects: tuple[BarrierEffect, ...] = ()
    by_hour: HourlyFires | None = field(default=None, repr=False)

    @property
    def values(self) -> tuple[ValueSummary, ...]:
        """What is lost of every layer of values at risk, with the schedule and without drops."""
        return value_summaries(self.project, self.metrics.value_lost, self.baseline.value_lost)

    def data(self) -> dict[str, Any]:
        """Return the object that ``firegui evaluate --json`` prints."""
        plain: dict[str, Any] = {
            **metric_values(self.metrics), "baseline": metric_values(self.baseline), "backend": self.backend,
            "device": self.device,
            "seconds": self.seconds,
            "regions": [] if self.summary is None else [asdict(region) for region in self.summary.regions],
            **({"values": [asdict(layer) for layer in self.values]} if self.values else {}),
        }  # fmt: skip
        if self.barrier_effects:
            plain["barriers"] = [
                {
                    "without": one.without, **{name: getattr(one.metrics, name) for name in _OF_BARRIERS},
                    "baseline": {name: getattr(one.baseline, name) for name in _OF_BARRIERS},
                }
                for one in self.barrier_effects
            ]  # fmt: skip
        if self.by_hour is not None:
            plain |= self.by_hour.data(self.project)
        if self.fire is not None:
            kept = self.fire.kept
            plain["fire"] = {
                "kind": "simulated" if kept is None else kept.kind,
                "day": 0 if kept is None else kept.plan.first, "note": self.fire.note,
            }  # fmt: skip
        return plain

    def write_states(self, path: Path) -> None:
        """Write ``p_fire`` as an npz, as ``firegui evaluate --state`` does."""
        assert self.p_fire is not None
        with writing(path) as file:
            np.savez(file, p_fire=np.asarray(self.p_fire, np.float32))

    def save(self, folder: str | Path) -> Path:
        """Write the new folder ``folder`` and return its path.

        It holds ``evaluation.json``, the object that ``firegui evaluate --json`` prints; ``plan.safetensors``, the
        schedule, so that the folder can be given as a schedule; and ``states.npz`` where the states are known. Raises
        :class:`~firegui.errors.InputError` where it exists and is not empty, or cannot be written.
        """
        place = Path(folder)
        check_writable(place, "evaluation", "The evaluation cannot be saved")
        with new_folder(place) as temporary:
            write_json(temporary / EVALUATION, self.data())
            if self.schedule is not None:
                write_plan_safetensors(temporary / PLAN, self.schedule)
            if self.p_fire is not None:
                self.write_states(temporary / STATES)
        return place


@dataclass(slots=True)
class DeviceListener:
    """Callback for messages of the engine; ``device`` is where computing moved to, empty while it did not."""

    tell: MessageCallback
    device: str = ""

    def __call__(self, message: EngineMessage) -> None:
        """Note the device and pass the message on."""
        self.device = message.device or self.device
        self.tell(message)


def roll_out(
    given: RolloutInput,
    engine: Engine,
    *,
    backend: str,
    precision: str,
    keep_states: bool,
    tell: MessageCallback,
    check: Check | None = None,
    what_if: bool = False,
    hourly: bool = False,
    detections: Path | None = None,
) -> EvaluatedSchedule:
    """Roll the schedule out, and the fire without drops.

    ``tell`` receives messages of the engine. ``check`` is called often and ends the work with an exception. With
    ``what_if`` it is done without each of the barriers, too. The fires are known by the hour where they are wanted
    ``hourly`` or beside the ``detections`` of a file.
    """
    project, schedule, fire = given.project, given.schedule, given.fire
    overpasses = _overpasses(given, detections, hourly=hourly)
    if project.needs_centres:
        project = engine.with_burning_centres(project, backend, check=check)
    listener = DeviceListener(tell)
    began = time.monotonic()
    model = engine.build(project, project.plan.nominal, backend, precision, tell=listener, check=check)
    kept = None if fire is None else fire.kept
    if kept is None or schedule is None:
        plan, baseline = _simulated(engine, model, schedule, check)
    else:
        plan, baseline = _in_kept_fire(engine, model, schedule, kept, check)
    effects = [BarrierEffect("", plan.metrics, baseline.metrics)] if what_if else []
    for barrier in project.barriers if what_if else ():
        fewer = replace(project, barriers=without_named(project.barriers, [barrier.name]))
        fewer = engine.with_burning_centres(fewer, backend, check=check) if fewer.needs_centres else fewer
        other = engine.build(fewer, project.plan.nominal, backend, precision, tell=ignore_message, check=check)
        found = _simulated(engine, other, schedule, check)
        effects.append(BarrierEffect(barrier.name, *(one.metrics for one in found)))
    seconds = time.monotonic() - began
    device = listener.device or model.device
    name = engine.device_name(device)
    words = name if listener.device else engine_words(engine.method(model), name)
    summary = None
    if schedule is not None:
        kind = "" if kept is None else kept.kind
        areas = [boundary_areas(found.days[found.known :], found.known, project) for found in (plan, baseline)]
        drops = engine.drops(model, schedule)
        night, flames = night_steps(project), flame_lengths(project, drops)
        summary = plan_summary(project, drops, night, *areas, fire=kind, flames=flames)
        masks = region_masks(project.regions, project.scenario.grid.shape)
        summary = with_regions(summary, project, masks, plan.days[-1], baseline.days[-1])
        lost = [each.metrics.value_lost for each in (plan, baseline)]
        summary = replace(summary, values=value_summaries(project, *lost))
    days = plan.days if keep_states else None
    by_hour = _by_hour(engine, model, given, overpasses, check) if hourly or detections is not None else None
    return EvaluatedSchedule(
        project,
        schedule,
        plan.metrics,
        baseline.metrics,
        model.backend,
        device,
        words,
        seconds,
        days,
        fire,
        summary,
        tuple(effects),
        by_hour,
    )


def _overpasses(given: RolloutInput, detections: Path | None, *, hourly: bool) -> tuple[Overpass, ...]:
    """Return the detections of the file during the plan.

    Raises :class:`~firegui.errors.InputError` where they or the hours of the fire cannot be used.
    """
    problems, calendar = Problems(), given.project.calendar
    if given.fire is not None and given.fire.kept is not None and (hourly or detections is not None):
        problems.add("schedule", "is of a replanned run, whose fire is kept by the day", "leave --hourly out")
    if detections is not None and not calendar.is_dated:
        problems.add(detections.name, "the date of the fire is not known", "import the event again with its start")
    problems.raise_if_any(TITLE)
    if detections is None:
        return ()
    start, grid = calendar.time_of_step(0), given.project.scenario.grid
    found = read_overpasses(detections, grid)
    end = start + timedelta(days=given.project.plan.days)
    if not any(start <= one.time <= end for one in found):
        first, last = (f"{one.time:%Y-%m-%d %H:%M}" for one in (found[0], found[-1]))
        what = (
            f"has detections from {first} to {last} UTC; the plan covers {start:%Y-%m-%d %H:%M} to {end:%Y-%m-%d %H:%M}"
        )
        raise InputError([Problem(detections.name, what, "give detections of the planned days")], TITLE)
    return tuple(one for one in found if one.time <= end)


def _by_hour(
    engine: Engine, model: Model, given: RolloutInput, overpasses: tuple[Overpass, ...], check: Check | None
) -> HourlyFires:
    project, start = given.project, given.project.calendar.time_of_step(0)
    passes = [(one.time - start).total_seconds() / 3600.0 for one in overpasses]
    hours = np.unique([*range(24 * project.plan.days + 1), *(hour for hour in passes if hour >= 0.0)])
    nothing = Schedule.empty(model.n_steps, model.fleet.n_aircraft)
    bare = engine.fire_by_hour(model, nothing, hours, check=check)
    plan = bare if given.schedule is None else engine.fire_by_hour(model, given.schedule, hours, check=check)
    return HourlyFires(bare, plan, match_overpasses(plan, overpasses, start, project.scenario.grid))


@dataclass(frozen=True, slots=True, eq=False)
class _Fire:
    """Metrics of a fire, and its ``days [D + 1, H, W]``; those before ``known`` are only simulated."""

    metrics: Metrics
    days: Days
    known: int = 0


def _simulated(engine: Engine, model: Model, schedule: Schedule | None, check: Check | None) -> tuple[_Fire, _Fire]:
    """Return the fire with the schedule and the fire without drops."""
    nothing = Schedule.empty(model.n_steps, model.fleet.n_aircraft)

    def rolled_out(flown: Schedule) -> _Fire:
        found = engine.simulate(model, flown, keep_days=True, check=check)
        assert found.p_fire_days is not None
        return _Fire(found.metrics, found.p_fire_days)

    plan = rolled_out(schedule or nothing)
    return plan, plan if schedule is None else rolled_out(nothing)


def _in_kept_fire(
    engine: Engine, model: Model, schedule: Schedule, kept: FireRecord, check: Check | None
) -> tuple[_Fire, _Fire]:
    """Return the same in the fire that a run kept; before the first day known of it the fire is simulated."""
    plan = engine.run_fire(model, schedule, kept.plan, keep_days=True, check=check)
    baseline = engine.fire_without_drops(model, schedule, kept, keep_days=True, check=check)
    days, bare = plan.p_fire_days, baseline.p_fire_days
    assert days is not None and bare is not None
    if plan.first:
        before = engine.simulate(model, schedule, keep_days=True, check=check).p_fire_days
        assert before is not None
        days, bare = (np.concatenate([before[: plan.first], known]) for known in (days, bare))
    return _Fire(plan.metrics, days, plan.first), _Fire(baseline.metrics, bare, plan.first)


@python_interface
def evaluate(
    project: ProjectSource,
    schedule: ScheduleSource | None = None,
    *,
    eta_retardant: float | None = None,
    eta_water: float | None = None,
    states: bool = False,
    without_barriers: Sequence[str] = (),
    what_if_barriers: bool = False,
    hourly: bool = False,
    detections: str | Path | None = None,
    backend: str = "auto",
    precision: str = "float32",
    progress: Emit | None = None,
    cancel: RunControl | None = None,
) -> EvaluatedSchedule:
    """Roll a schedule out at nominal effectiveness; without one, the fire without drops.

    A replanned run stands for its schedule and for the fire that it keeps.

    Args:
        project: Project, or the folder of one.
        schedule: Schedule, result that has one, CSV, ``plan.safetensors`` of a run, or the run's folder.
        eta_retardant: Effectiveness of retardant, 0 to 1, in place of the project's.
        eta_water: Effectiveness of water, 0 to 1, in place of the project's.
        states: Whether to keep the probability of fire at day boundaries, ``p_fire [D+1, H, W]``.
        without_barriers: Names of barriers that do not hold.
        what_if_barriers: Whether to compute ``barrier_effects`` too: what burns where each barrier does not hold.
        hourly: Whether to keep the size of the fire at every hour, ``by_hour``.
        detections: File of active fire detections (FIRMS), with which the hourly fire is compared.
        backend: What computes: ``"auto"``, ``"cpu"``, ``"cuda"`` or ``"reference"``.
        precision: ``"float32"``, part of the fire model, or ``"float64"`` to check equations on short horizons.
        progress: Receives messages of the engine as events, in this thread.
        cancel: Token that stops the rollout with ``cancel.request_stop()``.

    Raises:
        InputError: Something is wrong with the input. Every problem is listed.
        CancelledError: The rollout was stopped.
    """
    given = {"retardant": eta_retardant, "water": eta_water}
    called = {"retardant": "eta_retardant", "water": "eta_water"}

    def nominal(base: Effectiveness, problems: Problems) -> Effectiveness:
        return with_given(base, given, problems, called)

    engine, control = Engine(), cancel or RunControl()
    messages = EngineMessages(progress or ignore_event, engine, backend)
    with ExitStack() as stack:
        source: ScheduleSource | None = schedule
        if isinstance(schedule, SavedRunResult):
            folder = stack.enter_context(result_folder(schedule))
            # A run has a fire of its own; a stress test has its schedule in memory alone.
            source = schedule if kept_plan(folder) is None else folder
        names = (without_barriers,) if isinstance(without_barriers, str) else tuple(without_barriers)
        request = RolloutRequest(project, source, backend, precision, nominal, names, what_if_barriers)
        return roll_out(
            request.read(engine, None, TITLE), engine, backend=backend, precision=precision, keep_states=states,
            tell=messages.pass_on, check=control.check, what_if=what_if_barriers, hourly=hourly,
            detections=None if detections is None else Path(detections),
        )  # fmt: skip
