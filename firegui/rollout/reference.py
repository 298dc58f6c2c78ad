"""Rollout in plain dense torch, differentiated by autograd: the reference for every kernel.

It follows the paper line by line (steps 1 to 4), over the whole raster, and is slow on purpose.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from firegui.domain.fleet import Material
from firegui.domain.schedule import Schedule
from firegui.domain.stencil import Offset, stencil_of
from firegui.errors import Check
from firegui.rollout.alteration import Alteration
from firegui.rollout.deposits import groups, landing_offsets, scales_of, working
from firegui.rollout.footprint import footprints
from firegui.rollout.gates import Gates, gates_of
from firegui.rollout.model import Model
from firegui.rollout.moving_start import start_fields
from firegui.rollout.outcome import Hear, Slopes
from firegui.rollout.suppression import MAXIMUM_DOSE, dose_of_payload


@dataclass(frozen=True, slots=True, eq=False)
class Variables:
    """The leaves that autograd differentiates: logits ``[T, A]`` and poses ``[T, A, 3]``, float64."""

    logits: Tensor
    poses: Tensor


@dataclass(frozen=True, slots=True, eq=False)
class Trajectory:
    """Losses as tensors, and the states ``U, B, R`` at ``t = 0 … T`` where they were kept."""

    burn: Tensor
    final: Tensor
    prot: Tensor
    budget: Tensor
    objective: Tensor
    gates: Gates
    unburned: list[Tensor]
    burning: list[Tensor]
    retardant: list[Tensor]
    val: Tensor = field(default_factory=lambda: torch.zeros((), dtype=torch.float64))


def variables(schedule: Schedule, *, differentiable: bool) -> Variables:
    """Return the schedule as torch tensors."""
    logits = torch.tensor(schedule.logits, dtype=torch.float64, requires_grad=differentiable)
    return Variables(logits, torch.tensor(schedule.poses, dtype=torch.float64, requires_grad=differentiable))


def straight_through(logits: Tensor, gates: Gates) -> Tensor:
    """Return ``d = d̃ + stopgrad(d^bin − d̃)`` with ``d̃ = σ(D) c g`` (paper, step 1).

    It is binary forward and soft backward.
    """
    soft = torch.sigmoid(logits) * torch.from_numpy(gates.open).to(logits.dtype)
    hard = torch.from_numpy(gates.executed).to(logits.dtype)
    return soft + (hard - soft).detach()


def deposit_fields(
    model: Model, values: Variables, decisions: Tensor, wanted: NDArray[np.bool_]
) -> dict[Material, dict[int, Tensor]]:
    """Return ``E^water_t`` and ``E^ret_t`` as dense fields ``[H, W]``.

    They are for the steps at which any pair is wanted.
    """
    fields: dict[Material, dict[int, Tensor]] = {Material.WATER: {}, Material.RETARDANT: {}}
    rows, columns = model.shape
    for kind, pairs in groups(model, wanted):
        scales, side = scales_of(kind, model), 2 * scales_of(kind, model).half_width + 1
        dose = dose_of_payload(kind, model.maps, model.effectiveness)
        index = torch.from_numpy(pairs)
        poses = values.poses[index[:, 0], index[:, 1]]
        drift = torch.from_numpy(landing_offsets(model, kind, pairs, poses.detach().numpy()))
        prints = working(model, pairs[:, 0], footprints(poses[:, :2] + drift, poses[:, 2], scales, model.shape))
        amount = decisions[index[:, 0], index[:, 1]] * dose
        padded_shape = (rows + 2 * side, columns + 2 * side)
        for k, step in enumerate(pairs[:, 0].tolist()):
            padded = torch.zeros(padded_shape, dtype=torch.float64)
            i, j = int(prints.top[k]) + side, int(prints.left[k]) + side
            padded[i : i + side, j : j + side] = prints.weight[k] * amount[k]
            inside = padded[side : side + rows, side : side + columns]
            material = fields[kind.material]
            material[step] = material[step] + inside if step in material else inside
    return fields


def exposure(source: Tensor, gains: Tensor, retardant: Tensor | None = None) -> Tensor:
    """Return ``Σ_n source(n) K_n(x) Π_z r(z)`` over the neighbours, in the order of the stencil.

    ``z`` are the two cells between which a knight's move passes: retardant on them holds it back as much as on the way
    through them, whichever side retardant acts on. Outside the raster the source is 0.
    """
    stencil = stencil_of(len(gains))
    margin = (stencil.reach,) * 4
    padded, passing = torch.nn.functional.pad(source, margin), None
    if retardant is not None and stencil.reach > 1:
        passing = torch.nn.functional.pad(retardant, margin)
    total = torch.zeros_like(source)
    for n, offset in enumerate(stencil.offsets):
        share = _shifted(padded, offset, source.shape) * gains[n]
        if passing is not None:
            for cell in stencil.between(n):
                share = share * _shifted(passing, cell, source.shape)
        total = total + share
    return total


def _shifted(padded: Tensor, offset: Offset, shape: torch.Size) -> Tensor:
    """Return the values at ``offset`` from every cell."""
    margin = (padded.shape[0] - shape[0]) // 2
    row, column = margin + offset[0], margin + offset[1]
    return padded[row : row + shape[0], column : column + shape[1]]


def simulate(
    model: Model,
    schedule: Schedule,
    *,
    differentiable: bool = False,
    full_carry: bool = False,
    values: Variables | None = None,
    alter: Alteration | None = None,
    extent: float = math.inf,
    check: Check | None = None,
) -> Trajectory:
    """Roll the schedule out and evaluate the objective (paper, steps 1 to 4).

    States are held in ``model.dtype``; deposits are formed in float64. The carry of the burning state is cut from the
    graph, ``p^B ← stopgrad(p^B)``, unless ``full_carry``. ``alter`` changes the state at the end of every day; there is
    no gradient through that. From the end of the first day on which ``Σ_x P`` is above ``extent`` the state stays as it
    is. Returns every state, so use it on small cases.
    """
    maps = model.maps
    gates = gates_of(schedule, model.fleet, model.maps, model.rules)
    values = variables(schedule, differentiable=differentiable) if values is None else values
    decisions = straight_through(values.logits, gates)
    # Without a gradient a pair that does not drop adds exactly nothing.
    fields = deposit_fields(model, values, decisions, gates.open if differentiable else gates.executed)
    gains, dtype = model.K.cpu(), model.dtype
    fire, burning = (torch.from_numpy(cells).to(dtype) for cells in start_fields(maps))
    unburned = 1.0 - fire
    burned = torch.zeros_like(burning)
    retardant = torch.ones_like(burning)
    p_cont = 1.0 - 1.0 / maps.t_burn
    states: tuple[list[Tensor], list[Tensor], list[Tensor]] = ([unburned], [burning], [retardant])
    for step in range(model.n_steps):
        if check is not None:
            check()
        water = fields[Material.WATER].get(step)
        if water is not None:
            survival = torch.exp(-water.clamp(max=MAXIMUM_DOSE)).to(dtype)
            unburned = (unburned + burning * (1.0 - survival)).clamp(0.0, 1.0)
            burning = burning * survival
        laid = fields[Material.RETARDANT].get(step)
        if laid is not None:
            retardant = retardant * torch.exp(-laid.clamp(max=MAXIMUM_DOSE)).to(dtype)
        source = burning * retardant if model.emitter_treated else burning
        heat = exposure(source, gains[step // maps.steps_per_period], retardant)
        heat = heat * retardant if model.receiver_treated else heat
        new = unburned * (1.0 - torch.exp(-heat))
        burnout = burning * (1.0 - p_cont)
        unburned = (unburned - new).clamp(0.0, 1.0)
        burned = (burned + burnout).clamp(0.0, 1.0)
        burning = (burning + new - burnout).clamp(0.0, 1.0)
        burning = burning if full_carry else burning.detach()
        if alter is not None and (step + 1) % maps.steps_per_day == 0:
            unburned, burning = _altered(alter, step // maps.steps_per_day, unburned, burning)
        over = (step + 1) % maps.steps_per_day == 0 and float((1.0 - unburned.detach()).double().sum()) > extent
        for kept, state in zip(states, (unburned, burning, retardant), strict=True):
            kept.extend([state] * (model.n_steps - step if over else 1))
        if over:
            break
    return _losses(model, states, decisions, gates)


def _altered(alter: Alteration, day: int, unburned: Tensor, burning: Tensor) -> tuple[Tensor, Tensor]:
    whole = (slice(0, unburned.shape[0]), slice(0, unburned.shape[1]))
    after, alight = alter.applied(day, whole, unburned.detach().numpy().copy(), burning.detach().numpy().copy())
    return torch.from_numpy(after), torch.from_numpy(alight)


def _losses(
    model: Model, states: tuple[list[Tensor], list[Tensor], list[Tensor]], decisions: Tensor, gates: Gates
) -> Trajectory:
    fire = [(1.0 - unburned).double() for unburned in states[0]]
    scored = torch.stack(fire[model.first_scored_step :]).sum(dim=0)
    burn = scored.sum() / (model.n_scored * model.n_cells)
    final = fire[-1].sum() / model.n_cells
    prot = (scored * model.protection.cpu()).sum() / model.n_scored
    w, budget = model.weights, decisions.sum()
    objective = w.burn * burn + w.final * final + w.prot * prot + w.budget * budget
    if w.cost:
        objective = objective + w.cost * (decisions * torch.from_numpy(model.relative_costs)).sum()
    if model.values is None:
        return Trajectory(burn, final, prot, budget, objective, gates, *states)
    val = (fire[-1] * model.values.density.cpu()).sum()
    return Trajectory(burn, final, prot, budget, objective + w.val * val, gates, *states, val)


def gain_slopes(
    model: Model, slopes: Slopes, hear: Hear, check: Check | None, *, through_days: bool
) -> NDArray[np.float32]:
    """Return ``∂𝓛/∂K`` of a misfit of the day-boundary states of the fire without drops, by autograd."""
    maps, steps, periods = model.maps, model.maps.steps_per_day, model.maps.periods_per_day
    gains = [period.clone().requires_grad_() for period in model.K.cpu()]
    fire, burning = (torch.from_numpy(cells).to(model.dtype) for cells in start_fields(maps))
    unburned, begins, ends = 1.0 - fire, [], []
    for day in range(maps.days):
        begins.append(unburned.detach().requires_grad_())
        unburned = begins[-1]
        for step in range(day * steps, (day + 1) * steps):
            if check is not None:
                check()
            new = unburned * (1.0 - torch.exp(-exposure(burning, gains[step // maps.steps_per_period])))
            unburned = (unburned - new).clamp(0.0, 1.0)
            burning = (burning + new - burning / maps.t_burn).clamp(0.0, 1.0).detach()
        ends.append(unburned)
    states = np.stack([1.0 - state.detach().numpy() for state in (begins[0], *ends)]).astype(np.float32)
    wanted, later = slopes(states), torch.zeros_like(burning)
    for day in range(maps.days - 1, -1, -1):
        flow = later - torch.from_numpy(wanted[day + 1]).to(model.dtype)
        of_day = range(day * periods, (day + 1) * periods)
        *by_gain, by_start = torch.autograd.grad(ends[day], [*(gains[k] for k in of_day), begins[day]], flow)
        later = by_start if through_days else torch.zeros_like(by_start)
        for period in reversed(of_day):
            hear(period, by_gain[period - of_day.start].float().numpy())
    return states
