"""A second reading of the paper in float64, differentiated by autograd, sharing no code with the engine.

Footprints by matrix algebra on the covariance, neighbours cell by cell through named offsets, losses from the stored
states: slow, and written from the equations alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from firegui.domain.fleet import Fleet
from firegui.domain.maps import FireMaps
from firegui.domain.schedule import Schedule

OFFSETS = {
    "NW": (-1, -1),
    "N": (-1, 0),
    "NE": (-1, 1),
    "W": (0, -1),
    "E": (0, 1),
    "SW": (1, -1),
    "S": (1, 0),
    "SE": (1, 1),
}
KNIGHTS = {
    "NNW": ((-2, -1), "N", "NW"),
    "NNE": ((-2, 1), "N", "NE"),
    "WNW": ((-1, -2), "W", "NW"),
    "ENE": ((-1, 2), "E", "NE"),
    "WSW": ((1, -2), "W", "SW"),
    "ESE": ((1, 2), "E", "SE"),
    "SSW": ((2, -1), "S", "SW"),
    "SSE": ((2, 1), "S", "SE"),
}
"""Where a knight's move comes from, and the two cells that have to burn and are not to be treated for it to pass."""
Array = NDArray[np.float64]


@dataclass(frozen=True)
class Objective:
    """Weights λ, region masks with their weights, and η by material."""

    burn: float
    final: float
    prot: float
    budget: float
    masks: NDArray[np.bool_]
    region_weights: tuple[float, ...]
    eta: dict[str, float]


@dataclass(frozen=True)
class Reading:
    """``P^fire [T+1, H, W]``, the objective, and its derivatives by logit and by pose."""

    fire: Array
    objective: float
    logit: Array
    pose: Array
    executed: list[tuple[int, int]]


def gates(schedule: Schedule, fleet: Fleet, steps_per_day: int) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Pairs that could drop and pairs that do, by the paper's counter."""
    available, dropped = [], []
    for tail in fleet.tails:
        counter = 0
        delta = math.ceil(round(tail.type.turnaround_h * steps_per_day / 24.0, 9))
        for step in range(schedule.n_steps):
            free = counter == 0 and step // steps_per_day not in tail.type.grounded_days
            drops = free and 1 / (1 + math.exp(-schedule.logits[step, tail.index])) > 0.5
            available += [(step, tail.index)] if free else []
            dropped += [(step, tail.index)] if drops else []
            counter = delta if drops else max(counter - 1, 0)
    return available, dropped


def coverage(maps: FireMaps, fleet: Fleet, pose: torch.Tensor, step: int, column: int, eta: float) -> torch.Tensor:
    """``Ḡ P_a α_a`` on the raster: the dose of one drop."""
    kind, now = fleet.tails[column].type, step * maps.periods_per_day // maps.steps_per_day
    y, x, theta = pose
    i, j = round(float(y.detach())), round(float(x.detach()))
    reach = float(maps.wind_speed[now, i, j]) * math.sqrt(2 * kind.drop_height_m / 9.81) / maps.cell_size_m
    towards = float(maps.wind_dir[now, i, j])
    landing = torch.stack([x + reach * math.cos(towards), y - reach * math.sin(towards)])
    c, s = torch.cos(theta), torch.sin(theta)
    rotation = torch.stack([torch.stack([c, s]), torch.stack([-s, c])])
    scales = torch.tensor([kind.sigma_parallel_m, kind.sigma_perpendicular_m], dtype=torch.float64) / maps.cell_size_m
    covariance = rotation @ torch.diag(scales**2) @ rotation.T + torch.eye(2, dtype=torch.float64) / 12
    precision = torch.linalg.inv(covariance)
    half = math.ceil(5 * math.sqrt(float(scales.max()) ** 2 + 1 / 12))
    rows, columns = maps.shape
    ci = min(max(round(float(landing[1].detach())), 0), rows - 1)
    cj = min(max(round(float(landing[0].detach())), 0), columns - 1)
    grid_i, grid_j = torch.meshgrid(
        torch.arange(ci - half, ci + half + 1), torch.arange(cj - half, cj + half + 1), indexing="ij"
    )
    d = torch.stack([grid_j - landing[0], grid_i - landing[1]], dim=-1)
    gauss = torch.exp(torch.clamp(-0.5 * torch.einsum("ija,ab,ijb->ij", d, precision, d), -50.0, 0.0))
    gauss = gauss / (gauss.sum() + 1e-12)
    inside = (grid_i >= 0) & (grid_i < rows) & (grid_j >= 0) & (grid_j < columns)
    area = (maps.cell_size_m / 0.3048) ** 2 / 100
    alpha = -math.log(1 - eta) / (maps.c_req * area)
    field = torch.zeros(maps.shape, dtype=torch.float64)
    return field.index_put((grid_i[inside], grid_j[inside]), gauss[inside] * kind.payload_gal * alpha)


def read(maps: FireMaps, fleet: Fleet, schedule: Schedule, goal: Objective) -> Reading:
    """The plan's fire and the objective with its gradient, retardant on both uses of the fuel factor."""
    logits = torch.tensor(schedule.logits, requires_grad=True)
    poses = torch.tensor(schedule.poses, requires_grad=True)
    available, dropped = gates(schedule, fleet, maps.steps_per_day)
    doses: dict[tuple[int, str], torch.Tensor] = {}
    executed_count = torch.zeros((), dtype=torch.float64)
    for step, column in available:
        soft = torch.sigmoid(logits[step, column])
        decision = soft + (float((step, column) in dropped) - soft).detach()
        material = fleet.tails[column].type.material.value
        dose = decision * coverage(maps, fleet, poses[step, column], step, column, goal.eta[material])
        doses[step, material] = doses.get((step, material), torch.zeros(maps.shape, dtype=torch.float64)) + dose
        executed_count = executed_count + decision
    fire = torch.stack(_states(maps, doses))
    terms = goal.burn * fire.mean() + goal.final * fire[-1].mean() + goal.budget * executed_count
    for mask, weight in zip(goal.masks, goal.region_weights, strict=True):
        terms = terms + goal.prot * weight / sum(goal.region_weights) * fire[:, torch.from_numpy(mask)].mean()
    logit, pose = torch.autograd.grad(terms, [logits, poses])
    keep = np.zeros((*schedule.logits.shape, 1))
    for pair in dropped:
        keep[pair] = 1.0
    return Reading(fire.detach().numpy(), float(terms.detach()), logit.numpy(), pose.numpy() * keep, sorted(dropped))


def _states(maps: FireMaps, doses: dict[tuple[int, str], torch.Tensor]) -> list[torch.Tensor]:
    nothing = torch.zeros(maps.shape, dtype=torch.float64)
    burning = torch.from_numpy(maps.ignition).double()
    unburned, burned, retardant = 1 - burning, nothing, torch.ones_like(burning)
    fuel = torch.from_numpy(maps.burnable).double()
    states = [1 - unburned]
    for step in range(maps.n_steps):
        now = step * maps.periods_per_day // maps.steps_per_day
        survival = torch.exp(-doses.get((step, "water"), nothing).clamp(max=50.0))
        unburned = (unburned + burning * (1 - survival)).clamp(0, 1)
        burning = burning * survival
        retardant = retardant * torch.exp(-doses.get((step, "retardant"), nothing).clamp(max=50.0))
        heat = nothing
        for n, (di, dj) in enumerate(OFFSETS.values()):
            potential = torch.from_numpy(maps.phi[now, n]).double().clamp(0, 100)
            heat = heat + _neighbour(burning, di, dj) * potential * _neighbour(retardant, di, dj)
        for n, ((di, dj), *held) in enumerate(list(KNIGHTS.values())[: maps.phi.shape[1] - 8], 8):
            potential = torch.from_numpy(maps.phi[now, n]).double().clamp(0, 100)
            passed = potential * _neighbour(burning, di, dj) * _neighbour(retardant, di, dj)
            for name in held:
                passed = passed * _neighbour(retardant * fuel, *OFFSETS[name])
            heat = heat + passed
        gain = torch.from_numpy(maps.gamma[now]).double().clamp(0, 100) * retardant
        new = unburned * (1 - torch.exp(-gain * heat)) * fuel
        out = burning / maps.t_burn
        unburned = (unburned - new).clamp(0, 1)
        burning = (burning + new - out).clamp(0, 1).detach()
        burned = (burned + out).clamp(0, 1)
        states.append(1 - unburned)
    return states


def _neighbour(field: torch.Tensor, di: int, dj: int) -> torch.Tensor:
    """The value of the neighbour at ``(i + di, j + dj)``, 0 outside the raster."""
    moved = torch.roll(field, (-di, -dj), (0, 1))
    edge = torch.ones_like(field)
    for axis, by in enumerate((di, dj)):
        at = torch.arange(field.shape[axis]) + by
        inside = (at >= 0) & (at < field.shape[axis])
        edge = edge * (inside[:, None] if axis == 0 else inside[None, :])
    return moved * edge
