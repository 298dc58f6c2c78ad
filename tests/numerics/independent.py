"""A second reading of the paper, in loops and float64, sharing no code with the engine."""

from __future__ import annotations

import math

import numpy as np
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


def executed_drops(schedule: Schedule, fleet: Fleet, steps_per_day: int) -> list[tuple[int, int]]:
    """Pairs that drop, by the paper's counter."""
    drops = []
    for tail in fleet.tails:
        counter = 0
        delta = math.ceil(round(tail.type.turnaround_h * steps_per_day / 24.0, 9))
        for step in range(schedule.n_steps):
            grounded = step // steps_per_day in tail.type.grounded_days
            if counter == 0 and not grounded and 1 / (1 + math.exp(-schedule.logits[step, tail.index])) > 0.5:
                drops.append((step, tail.index))
                counter = delta
            else:
                counter = max(counter - 1, 0)
    return sorted(drops)


def deposit(
    maps: FireMaps, fleet: Fleet, pose: NDArray[np.float64], step: int, column: int, eta: float
) -> NDArray[np.float64]:
    """``E_{t,a}`` on the raster."""
    kind = fleet.tails[column].type
    y, x, theta = pose
    day = step // maps.steps_per_day
    i, j = round(y), round(x)
    fall = math.sqrt(2 * kind.drop_height_m / 9.81)
    x_land = x + maps.wind_speed[day, i, j] * math.cos(maps.wind_dir[day, i, j]) * fall / maps.cell_size_m
    y_land = y - maps.wind_speed[day, i, j] * math.sin(maps.wind_dir[day, i, j]) * fall / maps.cell_size_m
    rotation = np.array([[math.cos(theta), math.sin(theta)], [-math.sin(theta), math.cos(theta)]])
    scales = np.array([kind.sigma_parallel_m, kind.sigma_perpendicular_m]) / maps.cell_size_m
    covariance = rotation @ np.diag(scales**2) @ rotation.T + np.eye(2) / 12
    precision = np.linalg.inv(covariance)
    half = math.ceil(5 * math.sqrt(max(scales) ** 2 + 1 / 12))
    rows, columns = maps.shape
    ci, cj = min(max(round(y_land), 0), rows - 1), min(max(round(x_land), 0), columns - 1)
    field, total = np.zeros(maps.shape), 0.0
    for r in range(ci - half, ci + half + 1):
        for c in range(cj - half, cj + half + 1):
            d = np.array([c - x_land, r - y_land])
            value = math.exp(min(max(-0.5 * d @ precision @ d, -50.0), 0.0))
            total += value
            if 0 <= r < rows and 0 <= c < columns:
                field[r, c] = value
    area = (maps.cell_size_m / 0.3048) ** 2 / 100
    alpha = -math.log(1 - eta) / (maps.c_req * area)
    result: NDArray[np.float64] = field / (total + 1e-12) * kind.payload_gal * alpha
    return result


def rollout(maps: FireMaps, fleet: Fleet, schedule: Schedule, eta: dict[str, float]) -> NDArray[np.float64]:
    """``P^fire [T+1, H, W]`` of the plan, retardant on both uses of the fuel factor."""
    rows, columns = maps.shape
    burning = maps.ignition.astype(float)
    unburned, burned, retardant = 1 - burning, np.zeros(maps.shape), np.ones(maps.shape)
    drops = executed_drops(schedule, fleet, maps.steps_per_day)
    states = [1 - unburned]
    for step in range(maps.n_steps):
        day = step // maps.steps_per_day
        dose = {"water": np.zeros(maps.shape), "retardant": np.zeros(maps.shape)}
        for when, column in drops:
            if when == step:
                material = fleet.tails[column].type.material.value
                dose[material] += deposit(maps, fleet, schedule.poses[step, column], step, column, eta[material])
        survival = np.exp(-np.minimum(dose["water"], 50))
        unburned = np.clip(unburned + burning * (1 - survival), 0, 1)
        burning = burning * survival
        retardant = retardant * np.exp(-np.minimum(dose["retardant"], 50))
        ignite = np.zeros(maps.shape)
        for i in range(rows):
            for j in range(columns):
                heat = 0.0
                for n, (di, dj) in enumerate(OFFSETS.values()):
                    if 0 <= i + di < rows and 0 <= j + dj < columns:
                        phi = float(maps.phi[day, n, i, j]) * retardant[i + di, j + dj]
                        heat += burning[i + di, j + dj] * phi
                gamma = float(maps.gamma[day, i, j]) * retardant[i, j]
                ignite[i, j] = (1 - math.exp(-gamma * heat)) if maps.burnable[i, j] else 0.0
        new, out = unburned * ignite, burning / maps.t_burn
        unburned = np.clip(unburned - new, 0, 1)
        burning = np.clip(burning + new - out, 0, 1)
        burned = np.clip(burned + out, 0, 1)
        states.append(1 - unburned)
    return np.array(states)
