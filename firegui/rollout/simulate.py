"""The public functions: prepare a model, roll a schedule out, differentiate it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from firegui.domain.fire_hours import FireByHour
from firegui.domain.fleet import Fleet
from firegui.domain.maps import FireMaps
from firegui.domain.results import Frames, Metrics
from firegui.domain.schedule import DropRecord, Schedule
from firegui.domain.settings import Effectiveness, ObjectiveWeights, RetardantSide
from firegui.domain.values import ValueLayer
from firegui.errors import Check
from firegui.rollout import backend as backends
from firegui.rollout.alteration import Alteration
from firegui.rollout.day_state import UNBOUNDED, Bounds, DayState, Exceeded
from firegui.rollout.drops import drop_records
from firegui.rollout.engine_message import MessageCallback, ignore_message
from firegui.rollout.gates import gates_of
from firegui.rollout.model import Model, build
from firegui.rollout.observe import FinalState, HourObserver, Observer, StepObserver
from firegui.rollout.outcome import WHOLE, Hear, Outcome, RolloutOptions, Slopes


@dataclass(frozen=True, slots=True, eq=False)
class Rollout:
    """One simulated plan.

    ``executed [T, A]``; ``p_fire_days [D+1, H, W]`` float32 at day boundaries, ``frames`` and ``states`` at the starts
    of days where requested. With ``exceeded`` the rollout was given up at its step, because a bound cannot
    hold any more: ``metrics`` are then those of the part that was simulated.
    """

    metrics: Metrics
    executed: NDArray[np.bool_]
    frames: Frames | None = None
    p_fire_days: NDArray[np.float32] | None = None
    states: tuple[DayState, ...] = ()
    exceeded: Exceeded | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Gradient:
    """Derivatives of the objective ``loss``.

    ``logit [T, A]`` by the straight-through surrogate and ``pose [T, A, 3]`` with respect to ``(y, x, θ)`` in cells and
    radians, float64.
    """

    loss: float
    logit: NDArray[np.float64]
    pose: NDArray[np.float64]


def prepare(
    maps: FireMaps,
    fleet: Fleet,
    masks: NDArray[np.bool_],
    region_weights: Sequence[float],
    *,
    weights: ObjectiveWeights,
    effectiveness: Effectiveness,
    retardant_acts_on: RetardantSide = RetardantSide.BOTH,
    backend: str = "auto",
    precision: str = "float32",
    tell: MessageCallback = ignore_message,
    check: Check | None = None,
    waits: bool = True,
    values: Sequence[ValueLayer] = (),
) -> Model:
    """Put the fire, the fleet and the objective on a device.

    ``masks [R, H, W]`` are the protected cells of each region, ``values`` the values at risk. ``backend`` is ``auto``,
    ``reference``, ``cpu`` or ``cuda``; ``precision`` is ``float32``, which the fire model means, or ``float64`` for
    checking equations. ``tell`` hears, now and while the model is used, that kernels are compiled first or that memory
    did not suffice. ``check`` may raise to cancel their compilation, for which nothing waits without ``waits``
    (:func:`firegui.rollout.backend.without_waiting`). Raises :class:`~firegui.errors.InputError` for an unknown or
    absent backend or precision and for empty regions.
    """
    name, device = backends.device_for(maps, backend, tell)
    model = build(
        maps, fleet, masks, region_weights, weights=weights, effectiveness=effectiveness,
        retardant_acts_on=retardant_acts_on, backend=name, device=device, dtype=backends.dtype_of(precision),
        tell=tell, values=values,
    )  # fmt: skip
    model = model if waits else backends.without_waiting(model)
    backends.prepare(model, check)
    return model


def simulate(
    model: Model,
    schedule: Schedule,
    *,
    check: Check | None = None,
    frame_stride: int | None = None,
    keep_days: bool = False,
    keep_states: bool = False,
    bounds: Bounds = UNBOUNDED,
    alter: Alteration | None = None,
) -> Rollout:
    """Roll ``schedule`` out without a gradient.

    ``check`` is called between stretches of simulated days and may raise to cancel. ``keep_states`` keeps the state at
    the start of every day, for :func:`resume`. The rollout ends early once one of ``bounds`` can no longer hold.

    ``alter`` changes the state at the end of every day, after its last step: at ``t = S_day, 2 S_day, …, T``. The
    changed state takes the place of the state at that ``t``, in the losses, the metrics, the frames and the kept days,
    and the next day starts from it; retardant stays as it lies. The last day's end counts among them because the paper
    scores it so: its sampled trajectories end in a drawn state (``A_T`` counts cells whose ``X_T ≠ U``), and the error
    field is injected "at the end of each simulated day" (section ``uq``). The start of the plan is observed and not
    changed.
    """
    observer = Observer(model, frame_stride, keep_days)
    wanted = RolloutOptions(None, bounds, keep_states, alter)
    return _rollout(backends.engine(model).simulate(model, schedule, observer, check, wanted), observer)


def resume(
    model: Model,
    state: DayState,
    schedule: Schedule,
    *,
    check: Check | None = None,
    keep_states: bool = False,
    bounds: Bounds = UNBOUNDED,
    alter: Alteration | None = None,
) -> Rollout:
    """Roll ``schedule`` out from ``state`` on; the answer is bit for bit that of :func:`simulate`.

    Before the day of ``state`` the schedule has to execute the very drops that the state has seen, and a state of a
    rollout with ``alter`` is resumed with the same ``alter``. Raises :class:`ValueError` where the drops differ, and
    for a state of another backend.
    """
    observer = Observer(model, None, keep_days=False)
    wanted = RolloutOptions(_fitting(model, state, schedule), bounds, keep_states, alter)
    return _rollout(backends.engine(model).simulate(model, schedule, observer, check, wanted), observer)


def simulate_many(
    model: Model,
    schedules: Sequence[Schedule],
    *,
    starts: Sequence[DayState | None] | None = None,
    bounds: Bounds = UNBOUNDED,
    keep_states: bool = False,
    alters: Sequence[Alteration | None] | None = None,
    lasts: Sequence[FinalState] | None = None,
    check: Check | None = None,
) -> list[Rollout]:
    """Roll out independent schedules: one after another per core, or as a batch on a GPU.

    Each answer is bit for bit that of :func:`simulate` on the same backend, or of :func:`resume` where ``starts`` has
    a state for it. With ``alters`` (one for each; the same schedule may be given often) they run on the processor, also
    where there is a GPU. ``lasts`` (one for each) are given the states at the end. Raises :class:`ValueError` like
    :func:`resume`.
    """
    begins = [None] * len(schedules) if starts is None else starts
    changes = [None] * len(schedules) if alters is None else alters
    ends = [None] * len(schedules) if lasts is None else lasts
    wanted = [
        RolloutOptions(None if state is None else _fitting(model, state, schedule), bounds, keep_states, alter, last)
        for schedule, state, alter, last in zip(schedules, begins, changes, ends, strict=True)
    ]
    outcomes = backends.engine(model).simulate_many(model, schedules, check, wanted)
    return [Rollout(one.metrics, one.executed, states=one.states, exceeded=one.exceeded) for one in outcomes]


def _fitting(model: Model, state: DayState, schedule: Schedule) -> DayState:
    if state.backend != model.backend:
        raise ValueError(f"the state is of the backend {state.backend}, the model computes on {model.backend}")
    executed = gates_of(schedule, model.fleet, model.maps, model.rules).executed
    if not state.fits(executed, schedule):
        raise ValueError(f"the schedule flies other drops before day {state.day} than the state has seen")
    return state


def _rollout(outcome: Outcome, observer: Observer) -> Rollout:
    return Rollout(
        outcome.metrics, outcome.executed, observer.frames(), observer.days(), outcome.states, outcome.exceeded
    )


def simulate_with_gradient(
    model: Model,
    schedule: Schedule,
    *,
    check: Check | None = None,
    frame_stride: int | None = None,
    alone: bool = False,
) -> tuple[Rollout, Gradient]:
    """Roll ``schedule`` out and differentiate the objective with respect to every logit and pose.

    The carry of the burning state is cut, as in the paper, unless the model has ``full_carry``. ``alone`` takes one
    thread only, as where others compute gradients at the same time.
    """
    observer = Observer(model, frame_stride, keep_days=False)
    outcome, logit, pose = backends.engine(model).gradient(model, schedule, observer, check, alone=alone)
    if model.flown_only:
        logit = np.where(outcome.executed, logit, 0.0)
    return _rollout(outcome, observer), Gradient(outcome.metrics.objective, logit, pose)


def last_state(
    model: Model, schedule: Schedule, *, check: Check | None = None
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return ``p^U`` and ``p^B`` at ``T``, each ``[H, W]`` float32; what is left of 1 has burned out."""
    look = FinalState(model)
    backends.engine(model).simulate(model, schedule, look, check, WHOLE)
    return look.unburned, look.burning


def gain_slopes(
    model: Model, slopes: Slopes, hear: Hear, *, through_days: bool = True, check: Check | None = None
) -> NDArray[np.float32]:
    """Roll the fire of ``model`` out without drops and differentiate a misfit by the gains ``K``.

    The misfit is of its days. ``slopes`` turns the states ``P [D + 1, H, W]`` at day boundaries into the misfit's
    slopes ``∂𝓛/∂P`` of the same shape; ``hear(day, ∂𝓛/∂K [N, H, W])`` is called for every period, the last first. With
    ``h_t = Σ_n K_n B_t(n)`` and ``g = ∂𝓛/∂U_{t+1}``, ``∂𝓛/∂K_n = −Σ_t g U_{t+1} B_t(n)`` and ``g ← g e^{−h_t}``; the
    carry of ``B`` is cut, as in training the source model. Without ``through_days`` every day is fitted from the state
    it starts from, which is not differentiated. Slopes of cells that nothing ignites have no meaning: pieces of the
    raster in which nothing does are left at 0. Returns the states.
    """
    return backends.engine(model).gain_slopes(model, slopes, hear, check, through_days=through_days)


def fire_by_hour(
    model: Model, schedule: Schedule, hours: NDArray[np.float64], *, check: Check | None = None
) -> FireByHour:
    """Roll ``schedule`` out and return the fire at ``hours [n]`` from the start, in ascending order."""
    observer = HourObserver(model, hours)
    backends.engine(model).simulate(model, schedule, observer, check, WHOLE)
    return observer.fire()


def watch(
    model: Model, schedule: Schedule, see: Callable[[int, Tensor], None], *, check: Check | None = None
) -> Rollout:
    """Roll ``schedule`` out and show ``p^B_t [H, W]`` to ``see(t, p^B)`` at every ``t = 0 … T``.

    The tensor is the rollout's own and changes with the next step: copy what should be kept.
    """
    observer = StepObserver(model, see)
    return _rollout(backends.engine(model).simulate(model, schedule, observer, check, WHOLE), observer)


def model_drops(model: Model, schedule: Schedule, *, flown: bool = False) -> tuple[DropRecord, ...]:
    """Return the table of a schedule's proposed or ``flown`` drops.

    Fleet, wind and rules are those of ``model``.
    """
    return drop_records(model.maps, model.fleet, schedule, model.rules, flown=flown)
