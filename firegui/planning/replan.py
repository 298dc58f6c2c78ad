"""Remaining problem of a plan that is being flown.

It is the paper's "One solve of a receding-horizon scheme". On day ``N`` the drops before it are flown and the fire is
what was observed. What is left is a planning problem of its own, ``D − N`` days long: its fire burns where it was new
within the last day, what had burned before is no longer burnable, and the retardant on the ground is part of the
ground. Its schedule starts at step ``N · S_day`` of the whole plan. What is left at a step within a day is the same
problem on shorter days (:func:`split_days`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray

from firegui.domain.compact_maps import MAXIMUM_FACTOR, SpreadOnDemand, reduce_spread
from firegui.domain.fleet import Fleet, Material
from firegui.domain.maps import FireMaps
from firegui.domain.observation import FireState
from firegui.domain.project import Project
from firegui.domain.results import Metrics
from firegui.domain.schedule import DropRecord, Schedule
from firegui.domain.settings import Effectiveness
from firegui.domain.stencil import Offset
from firegui.ensembles.aleatoric import drawn
from firegui.errors import Check
from firegui.planning import problem
from firegui.planning.audit import AuditReport, Conditions, audit
from firegui.rollout import backend as backends
from firegui.rollout.deposits import step_doses
from firegui.rollout.drops import drop_records
from firegui.rollout.engine_message import MessageCallback, ignore_message
from firegui.rollout.gains import SpreadGains
from firegui.rollout.gates import FlightRules, gates_of, grounded, waits_of
from firegui.rollout.model import Model
from firegui.rollout.simulate import Rollout, last_state, simulate
from firegui.rollout.suppression import MAXIMUM_DOSE

Bools = NDArray[np.bool_]
Singles = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class ScoredRemainder:
    """Rollout of a schedule of the remaining days.

    Cells that had burned out before count as fire. ``p_fire_days [D − N + 1, H, W]`` at day boundaries, from day ``N``
    on. ``metrics.drops_*`` count the drops from day ``N`` on alone.
    """

    metrics: Metrics
    p_fire_days: Singles | None


class Replanner:
    """A plan of ``project`` that is being flown: what is simulated of it, and what is left of it on a day."""

    def __init__(
        self,
        project: Project,
        *,
        backend: str = "auto",
        tell: MessageCallback = ignore_message,
        check: Check | None = None,
    ) -> None:
        """Prepare the whole plan's model. Raises :class:`~firegui.errors.InputError` like the planner's."""
        self._project, nominal = project, project.plan.nominal
        self.whole = problem.build(project, effectiveness=nominal, backend=backend, tell=tell, check=check)
        self._design = project.plan.design

    def simulated(self, schedule: Schedule, day: int, check: Check | None = None) -> Bools:
        """Return where ``P > 0.5`` at the start of ``day``, bool ``[H, W]``.

        It is by the model at nominal effectiveness.
        """
        days = simulate(self.whole, schedule, check=check, keep_days=True).p_fire_days
        assert days is not None
        return np.asarray(days[day] > 0.5)

    def left(
        self, schedule: Schedule, day: int, state: FireState, check: Check | None = None, *, is_observed: bool = False
    ) -> RemainingProblem:
        """Return the remaining problem of ``schedule`` on ``day`` with the fire in ``state``.

        ``is_observed`` as in :func:`remaining`.
        """
        return RemainingProblem(self.whole, self._design, schedule, day, state, check, is_observed=is_observed)

    def table(self, schedule: Schedule) -> tuple[tuple[DropRecord, ...], AuditReport]:
        """Return the drops of the whole plan, and their audit by code that shares nothing with the gates."""
        model = self.whole
        drops = drop_records(model.maps, model.fleet, schedule, model.rules)
        flown = [(drop.step, drop.column) for drop in drops if drop.executed]
        per_day, conditions = model.maps.steps_per_day, Conditions.of(self._project)
        return drops, audit(schedule, model.fleet, per_day, model.shape, flown, conditions=conditions)

    def protected_cells(self, fire: Bools) -> int:
        """Return cells of the protected regions in ``fire [H, W]``."""
        return int(fire[self.whole.protected.cpu().numpy()].sum())


class RemainingProblem:
    """Planning problem that is left on ``day``.

    Its models are made on first use.
    """

    def __init__(
        self, whole: Model, design: Effectiveness, schedule: Schedule, day: int, state: FireState,
        check: Check | None = None, *, is_observed: bool = False,
    ) -> None:  # fmt: skip
        self.day, self.state, self._whole, self._schedule = day, state, whole, schedule
        self._first, self._is_observed = day * whole.maps.steps_per_day, is_observed
        self._nominal: Model | None = None
        self.design = self._model(whole.with_effectiveness(design), check)

    def _model(self, whole: Model, check: Check | None) -> Model:
        return remaining(whole, self._schedule, self._first, self.state, check=check, is_observed=self._is_observed)

    def nominal(self, check: Check | None = None) -> Model:
        """Return the problem at nominal effectiveness; the retardant on the ground works at it, too."""
        if self._nominal is None:
            self._nominal = self._model(self._whole, check)
        return self._nominal

    @property
    def rest(self) -> Schedule:
        """The schedule of the days that are left, shifted to begin at step 0."""
        return rows(self._schedule, self._first, self._schedule.n_steps)

    @property
    def flown(self) -> int:
        """Drops executed before :attr:`day`."""
        return int(executed(self._whole, self._schedule)[: self._first].sum())

    def joined(self, rest: Schedule) -> Schedule:
        """Return the whole plan with ``rest`` from :attr:`day` on. What was flown before keeps its bits."""
        old, first = self._schedule, self._first
        logits = np.concatenate([old.logits[:first], rest.logits])
        poses = np.concatenate([old.poses[:first], rest.poses])
        if old.pose_logits is None or rest.pose_logits is None:
            return Schedule(logits, poses)
        return Schedule(logits, poses, np.concatenate([old.pose_logits[:first], rest.pose_logits]))

    def score(
        self, rest: Schedule, *, design: bool = False, keep_days: bool = False, check: Check | None = None
    ) -> ScoredRemainder:
        """Roll ``rest`` out at nominal effectiveness, or at that of the design."""
        model = self.design if design else self.nominal(check)
        rollout = simulate(model, rest, check=check, keep_days=keep_days)
        days = rollout.p_fire_days
        if days is not None:
            days[:, self.state.burned] = 1.0
        return ScoredRemainder(counted(rollout, model, self._whole.fleet, self.state.burned, self._first), days)


def drawn_state(
    model: Model, schedule: Schedule, first: int, end: int, state: FireState, generator: np.random.Generator,
    check: Check | None = None, ground: Singles | None = None,
) -> FireState:  # fmt: skip
    """Return the fire at step ``end``, drawn.

    It is deterministic from step ``first`` on, and every cell is drawn at the end. Needs one random number a cell
    whatever is flown, so equal generators make branches comparable (paper, section ``uq``, aleatoric uncertainty). Of
    ``schedule [T, A]`` only what the gates let through is flown.
    """
    if not state.burning.any():
        return state
    now = remaining(model, schedule, first, state, end - first, check=check, ground=ground)
    flown = rows(schedule.only(executed(model, schedule)), first, end)
    unburned, still = last_state(now, flown, check=check)
    burning, out = drawn(unburned, still, generator)
    return FireState(np.asarray(burning & ~state.burned), np.asarray(state.burned | out))


def remaining(
    whole: Model, schedule: Schedule, first: int, state: FireState, n_steps: int | None = None, *,
    check: Check | None = None, ground: Singles | None = None, level: Singles | None = None,
    is_observed: bool = False,
) -> Model:  # fmt: skip
    """Return the model of ``n_steps`` steps from step ``first`` on (all that are left), prepared.

    Its fire begins as ``state`` and its ground is treated with what ``schedule`` had laid before ``first``, at the
    effectiveness of ``whole``: its :func:`ground_factor`, where that is known. Aircraft whose turnaround reaches
    beyond ``first`` are closed for its rest, and cap, sorties and airspace count what was flown. With
    ``level [H, W]`` a burning cell burns with that probability, ``p^B = level``; without, for certain.

    A front in motion has its tail anew only at the start of the plan, and where ``is_observed`` says that ``state`` is
    a perimeter. A fire that was drawn has burning cells ahead of it instead.

    From the start of a day to the end of one its days are those of ``whole``; else they are parts of days.
    """
    maps, flown = whole.maps, executed(whole, schedule)
    count = maps.n_steps - first if n_steps is None else n_steps
    per_day = maps.steps_per_day
    window = split_days(maps, first, count)
    factor = ground_factor(whole, schedule, flown[:first]) if ground is None else ground
    # What a burning cell gives to its neighbours is proportional to p^B, and to nothing else.
    emitting = factor if whole.emitter_treated else np.ones_like(factor)
    emitting = emitting if level is None else np.where(state.burning, emitting * level, emitting)
    fuel = treated(window, emitting, factor if whole.receiver_treated else np.ones_like(factor), factor)
    if check is not None:
        check()  # on a large raster each half of this takes a while
    left = replace(
        fuel, ignition=state.burning, burnable=maps.burnable & ~state.burned, burned_out=None,
        moving_start=maps.moving_start and (first == 0 or is_observed),
    )  # fmt: skip
    rules = remaining_rules(whole, flown, schedule.poses, first, count)
    if window.steps_per_day == per_day:
        fleet = shifted_fleet(whole.fleet, first // per_day, first)
    else:
        fleet, rules = split_fleet(whole, first, window.steps_per_day, rules, count)
    model = replace(
        whole, maps=left, fleet=fleet, gains=SpreadGains(left, whole.dtype, whole.device), rules=rules,
    )  # fmt: skip
    backends.prepare(model)
    return model


def split_days(maps: FireMaps, first: int, n_steps: int) -> FireMaps:
    """Return ``maps`` of ``n_steps`` steps from ``first`` on, in shorter days.

    A day has ``gcd(first, n_steps, S_day)`` steps. Every step keeps the spread and the wind of its period. Whole days
    are not copied.
    """
    per_day = maps.steps_per_day
    span = math.gcd(first, n_steps, per_day)
    if span == per_day:
        return maps.window(first // per_day, n_steps // per_day)
    length = math.gcd(span, maps.steps_per_period)
    of = np.arange(first, first + n_steps, length) // maps.steps_per_period
    return replace(
        maps, phi=maps.phi[of], gamma=maps.gamma[of], wind_speed=maps.wind_speed[of], wind_dir=maps.wind_dir[of],
        drop_cells=None if maps.drop_cells is None else maps.drop_cells[of], steps_per_day=span,
        periods_per_day=span // length, barriers=None if maps.barriers is None else maps.barriers[of],
    )  # fmt: skip


def executed(model: Model, schedule: Schedule) -> Bools:
    """Return the drops that the gates let through, bool ``[T, A]``."""
    return gates_of(schedule, model.fleet, model.maps, model.rules).executed


def ground_factor(
    model: Model, schedule: Schedule, flown: Bools, since: int = 0, before: Singles | None = None
) -> Singles:
    """Return ``r [H, W]`` after the drops ``flown [t, A]`` (step 3).

    It is the product of ``e^{−min(E, 50)}`` over their steps. ``before`` is ``r`` at the step ``since``, where that is
    known.
    """
    wanted = np.zeros(schedule.logits.shape, bool)
    wanted[since : len(flown)] = flown[since:]
    factor = np.ones(model.n_cells, np.float32) if before is None else before.flatten()
    laid = step_doses(model, schedule, wanted)[Material.RETARDANT]
    for step in sorted(laid):
        dose = np.minimum(laid[step].dose.cpu().numpy(), MAXIMUM_DOSE)
        factor[laid[step].cells.cpu().numpy()] *= np.exp(-dose).astype(np.float32)
    return factor.reshape(model.shape)


def treated(maps: FireMaps, emitting: Singles, receiving: Singles, between: Singles) -> FireMaps:
    """Return ``maps`` with less spread.

    It is reduced by ``emitting [H, W]`` from a cell, by ``receiving [H, W]`` to a cell and by ``between [H, W]`` for a
    knight's move that passes a cell. φ and γ are clipped untreated, then treated: ``φ_n(x) ← clip(φ_n(x)) e(x + n) Π_z
    b(z)`` and ``γ(x) ← clip(γ(x)) r(x)``. Later retardant
    multiplies on top. Maps that nothing changes are shared.
    """
    phi, stencil = maps.phi, maps.stencil
    changes_spread = (emitting != 1.0).any() or (stencil.reach > 1 and (between != 1.0).any())
    if changes_spread and isinstance(phi, SpreadOnDemand):
        phi = phi.treated(emitting, between)
    elif changes_spread:
        phi = np.clip(phi, 0.0, MAXIMUM_FACTOR)
        factors = (partial(_shifted, part, reach=stencil.reach) for part in (emitting, between))
        reduce_spread(np.moveaxis(phi, 1, 0), stencil, *factors)
    left = replace(maps, phi=phi)
    if (receiving != 1.0).any():
        left = left.scaled(receiving, MAXIMUM_FACTOR)
    return left


def _shifted(field: Singles, offset: Offset, reach: int) -> Singles:
    """Return the values at ``offset`` from every cell, 1 outside the raster."""
    around = np.pad(field, reach, constant_values=1.0)
    row, column = reach + offset[0], reach + offset[1]
    return around[row : row + field.shape[0], column : column + field.shape[1]]


def remaining_rules(
    whole: Model, flown: Bools, poses: NDArray[np.float64], first: int, n_steps: int
) -> FlightRules | None:
    """Return the rules of ``n_steps`` steps from ``first`` on.

    They include what is carried over from ``flown [T, A]`` at ``poses [T, A, 3]``.
    """
    rules, steps = whole.rules, slice(first, first + n_steps)
    closed = carried(whole, flown[:first], n_steps)
    if rules is None:
        return FlightRules(closed=closed) if closed.any() else None
    if rules.closed is not None:
        closed |= rules.closed[steps]
    per_day = whole.maps.steps_per_day
    begun, days = first % per_day, slice(first // per_day, None)
    if rules.duty is not None and begun:
        today = _off_duty(rules.duty[first // per_day], flown[first - begun : first], per_day - begun)
        closed[: len(today)] |= today[:n_steps]
    return replace(
        rules,
        closed=closed,
        sorties=rules.sorties[days] if rules.sorties is not None and rules.sorties.ndim == 2 else rules.sorties,
        duty=None if rules.duty is None else rules.duty[days],
        waits=None if rules.waits is None else rules.waits[steps],
        day_steps=per_day,
        begun=begun,
        spent=_spent(rules, flown, first, begun) if begun else None,
        cap=None if rules.cap is None else max(rules.cap - int(flown[:first].sum()), 0),
        pinned=None if rules.pinned is None else rules.pinned[steps],
        pinned_poses=None if rules.pinned_poses is None else rules.pinned_poses[steps],
        airspace=tuple(limit.later(first, flown, poses) for limit in rules.airspace),
    )


def _spent(rules: FlightRules, flown: Bools, first: int, begun: int) -> NDArray[np.int64]:
    """Return ``[A]``: the sorties used in the ``begun`` steps before ``first``.

    Both drops and room that was kept for pins count.
    """
    used = flown[first - begun : first]
    if rules.pinned is not None:
        used = used | rules.pinned[first - begun : first]
    return np.asarray(used.sum(axis=0, dtype=np.int64))


def _off_duty(duty: NDArray[np.int64], flown: Bools, left: int) -> Bools:
    """Return ``[left, A]``: where the duty that began with a drop earlier on the day is over.

    ``duty [A]`` is that of the day, of which ``left`` steps are left. ``flown`` are its drops so far.
    """
    closed = np.zeros((left, flown.shape[1]), bool)
    for column in np.flatnonzero(flown.any(axis=0) & (duty >= 0)).tolist():
        last = int(np.flatnonzero(flown[:, column])[0]) + int(duty[column])
        closed[max(last - len(flown) + 1, 0) :, column] = True
    return closed


def carried(model: Model, flown: Bools, n_steps: int) -> Bools:
    """Return ``[n_steps, A]``: where a turnaround that began before step 0 still closes its aircraft.

    After a drop ``k`` steps before, with ``k ≥ 1``, steps ``0 … Δ − k`` are closed (paper, eq. ``gate``).
    """
    closed = np.zeros((n_steps, flown.shape[1]), bool)
    waits = waits_of(model.fleet, model.n_steps, model.maps.steps_per_day, model.rules)
    for column in range(flown.shape[1]):
        steps = np.flatnonzero(flown[:, column])
        if len(steps):
            ago = len(flown) - int(steps[-1])
            closed[: max(int(waits[steps[-1], column]) - ago + 1, 0), column] = True
    return closed


def shifted_fleet(fleet: Fleet, day: int, step: int) -> Fleet:
    """Return the fleet with grounded days counted from ``day``, and cycles from ``step``, which begins it."""
    kinds = (
        kind.with_grounded_days(tuple(when - day for when in kind.grounded_days if when >= day)) for kind in fleet.types
    )
    return replace(fleet, types=tuple(replace(kind, cycles=kind.cycles[step:]) for kind in kinds))


def split_fleet(
    whole: Model, first: int, span: int, rules: FlightRules | None, n_steps: int
) -> tuple[Fleet, FlightRules | None]:
    """Return the fleet and the rules of a problem whose days are parts of days, of ``span`` steps each.

    Grounded days become closed steps, because the first of them may have begun. The hours of a turnaround are those
    that have as many steps as before; of cycles, the ``rules`` have the steps. A drop costs what it did.
    """
    per_day = whole.maps.steps_per_day
    shut = grounded(whole.fleet, first + n_steps, per_day)[first:]
    kinds = tuple(
        replace(
            kind.without_prices,
            turnaround_h=kind.turnaround_steps(per_day) * 24.0 / span,
            grounded_days=(),
            cycles=kind.cycles[first : first + n_steps],
            drop_price=kind.drop_cost,
        )
        for kind in whole.fleet.types
    )
    fleet = replace(whole.fleet, types=kinds)
    if not shut.any():
        return fleet, rules
    if rules is None:
        return fleet, FlightRules(closed=shut)
    return fleet, replace(rules, closed=shut if rules.closed is None else rules.closed | shut)


def counted(rollout: Rollout, model: Model, fleet: Fleet, burned: Bools, first: int = 0) -> Metrics:
    """Return the metrics of a rollout with the cells ``burned [H, W]`` as fire for all of the time.

    The rollout left these cells out. ``fleet`` is that of the whole plan, whose turnarounds are flight hours, and
    ``first`` is the step of that plan with which the rollout begins.
    """
    metrics = rollout.metrics
    cells = int(burned.sum())
    share = cells / model.n_cells
    exposed = float(model.protection.cpu().numpy()[burned].sum())
    weights, values = model.weights, model.values
    lost = () if values is None else values.on("cpu").lost(torch.from_numpy(burned))
    gone = 0.0 if values is None else values.loss(lost)
    use = fleet.used(rollout.executed.sum(axis=0).tolist(), rollout.executed, first)
    return replace(
        metrics,
        final_extent_cells=metrics.final_extent_cells + cells,
        final_extent_ha=metrics.final_extent_ha + cells * model.cell_area_ha,
        occupancy_cell_days=metrics.occupancy_cell_days + cells * model.maps.days,
        protected_cells=metrics.protected_cells + int(model.protected.cpu().numpy()[burned].sum()),
        loss_burn=metrics.loss_burn + share,
        loss_final=metrics.loss_final + share,
        loss_prot=metrics.loss_prot + exposed,
        objective=(
            metrics.objective + (weights.burn + weights.final) * share + weights.prot * exposed + weights.val * gone
        ),
        loss_val=metrics.loss_val + gone,
        value_lost=tuple(before + more for before, more in zip(metrics.value_lost, lost, strict=True)),
        flight_hours=use.flight_hours,
        cost=use.cost if fleet.has_cycles else metrics.cost,
    )


def rows(schedule: Schedule, first: int, end: int) -> Schedule:
    """Return steps ``first … end − 1`` of ``schedule`` as a schedule of their own."""
    z = schedule.pose_logits
    return Schedule(schedule.logits[first:end], schedule.poses[first:end], None if z is None else z[first:end])
