"""The scalar spread model: the published spread form with one number in place of each learned map.

It is the reference that the network is compared with. ``φ`` and ``γ`` are those of :mod:`firegui.fire.spread` with
constant ``p, α_w1, α_w2, α_s, α_γ`` and a fuel factor that follows the canopy, ``f = exp(c (cover/100 − 0.4))``: 1 at
40 % cover, monotone from there, and 1 everywhere on an event without a canopy layer.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray

from firegui.domain.coverage import PAPER_COVERAGE
from firegui.domain.maps import FireMaps
from firegui.domain.scenario import Scenario
from firegui.domain.stencil import NEIGHBOURS
from firegui.fire.landscape import T_BURN_STEPS, burnable
from firegui.fire.parameters import ScalarParameters
from firegui.fire.spread import Field, SpreadFields, Terrain, ignition_gains, potentials

REFERENCE_COVER = 0.4


def fuel_factor(scenario: Scenario, strength: float) -> Field:
    """Return ``f = exp(c (cover/100 − 0.4))``, ``c = strength``, float32 ``[H, W]``.

    It is 1 without the layer and without data.
    """
    cover = scenario.layers.get("canopy_cover")
    if cover is None:
        return 1.0
    share = np.where(np.isfinite(cover), cover / 100.0, REFERENCE_COVER)
    return torch.from_numpy(np.exp(strength * (share - REFERENCE_COVER)).astype(np.float32))


def terrain(scenario: Scenario) -> Terrain | None:
    """Return which way the ground rises, ``None`` unless the event has both slope and aspect."""
    return Terrain.of_event(scenario)


def scalar_fields(scenario: Scenario, parameters: ScalarParameters) -> SpreadFields:
    """Return the six fields of the spread form on this event."""
    q = parameters
    return SpreadFields(q.p, q.wind_gain, q.wind_alignment, q.slope, q.gamma, fuel_factor(scenario, q.fuel))


def scalar_maps(
    scenario: Scenario, parameters: ScalarParameters, ignition: NDArray[np.bool_], start_day: int, days: int
) -> FireMaps:
    """Return the maps of ``days`` event days from ``start_day``, started from ``ignition [H, W]``."""
    window = slice(start_day, start_day + days)
    speed, towards = scenario.wind_speed[window], scenario.wind_dir[window]
    model, ground = scalar_fields(scenario, parameters), Terrain.of_event(scenario)
    phi = np.empty((len(speed), len(NEIGHBOURS), *scenario.grid.shape), np.float32)
    for day in range(len(speed)):
        phi[day] = potentials(model, torch.tensor(speed[day]), torch.tensor(towards[day]), ground).numpy()
    gamma = ignition_gains(model, torch.empty(scenario.grid.shape)).numpy()
    return FireMaps(
        phi=phi,
        gamma=np.repeat(gamma[None], len(speed), axis=0),
        burnable=burnable(scenario),
        wind_speed=speed,
        wind_dir=towards,
        ignition=ignition,
        t_burn=T_BURN_STEPS,
        steps_per_day=scenario.steps_per_day,
        cell_size_m=scenario.grid.cell_size_m,
        c_req=PAPER_COVERAGE,
    )
