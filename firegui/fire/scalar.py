"""The scalar spread model: the published spread form with one number in place of each learned map.

It stands in until the trained network is there. ``φ`` and ``γ`` are those of :mod:`firegui.fire.spread` with constant
``p, α_w1, α_w2, α_s, α_γ`` and a fuel factor that follows the canopy, ``f = exp(c (cover/100 − 0.4))``: 1 at 40 %
cover, monotone from there, and 1 everywhere on an event without a canopy layer.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from firegui.domain.maps import FireMaps
from firegui.domain.project import FireModel
from firegui.domain.scenario import Scenario
from firegui.fire.card import scalar_card
from firegui.fire.parameters import ScalarParameters
from firegui.fire.spread import Field, Raster, SpreadFields, Terrain, daily_potentials, ignition_gains

T_BURN_STEPS = 10.0
COVERAGE_GAL_PER_100FT2 = 2.7
REFERENCE_COVER = 0.4
NONBURNABLE_CODES = (91, 99)


def scalar_model() -> FireModel:
    """The shipped scalar model (:func:`firegui.fire.card.scalar_card`), as a project keeps it."""
    card = scalar_card()
    return FireModel("scalar", card.label, card.parameters.as_mapping())


def burnable(scenario: Scenario) -> NDArray[np.bool_]:
    """``[H, W]``: where the fuel layer lets a fire burn; everywhere on an event without one."""
    fuel = scenario.layers.get("fuel")
    return np.ones(scenario.grid.shape, bool) if fuel is None else burns(fuel)


def burns(fuel: Raster) -> NDArray[np.bool_]:
    """Every FBFM40 code but 91 to 99 burns, and so does a cell without data."""
    low, high = NONBURNABLE_CODES
    return ~((fuel >= low) & (fuel <= high))


def fuel_factor(scenario: Scenario, strength: float) -> Field:
    """``f = exp(c (cover/100 − 0.4))``, ``c = strength``, float32 ``[H, W]``; 1 without the layer and without data."""
    cover = scenario.layers.get("canopy_cover")
    if cover is None:
        return 1.0
    share = np.where(np.isfinite(cover), cover / 100.0, REFERENCE_COVER)
    return np.exp(strength * (share - REFERENCE_COVER)).astype(np.float32)


def terrain(scenario: Scenario) -> Terrain | None:
    """Steepness and upslope direction, ``None`` unless the event has both slope and aspect."""
    slope, aspect = scenario.layers.get("slope"), scenario.layers.get("aspect")
    return None if slope is None or aspect is None else Terrain.of_layers(slope, aspect)


def left_out(scenario: Scenario) -> tuple[str, ...]:
    """What the scalar model does without on this event, in sentences for the window and the report."""
    layers, said = scenario.layers, []
    if "slope" not in layers or "aspect" not in layers:
        said.append("No slope or aspect: the fire model leaves the slope term out.")
    if "canopy_cover" not in layers:
        said.append("No canopy cover: the fire model uses the same fuel factor everywhere.")
    if "fuel" not in layers:
        said.append("No fuel model layer: every cell can burn, water and rock included.")
    return tuple(said)


def scalar_fields(scenario: Scenario, parameters: ScalarParameters) -> SpreadFields:
    """The six fields of the spread form on this event."""
    q = parameters
    return SpreadFields(q.p, q.wind_gain, q.wind_alignment, q.slope, q.gamma, fuel_factor(scenario, q.fuel))


def scalar_maps(
    scenario: Scenario, parameters: ScalarParameters, ignition: NDArray[np.bool_], start_day: int, days: int
) -> FireMaps:
    """The maps of ``days`` event days from ``start_day``, started from ``ignition [H, W]``."""
    window = slice(start_day, start_day + days)
    speed, towards = scenario.wind_speed[window], scenario.wind_dir[window]
    model = scalar_fields(scenario, parameters)
    gamma = ignition_gains(model, scenario.grid.shape)
    return FireMaps(
        phi=daily_potentials(model, speed, towards, terrain(scenario)),
        gamma=np.repeat(gamma[None], len(speed), axis=0),
        burnable=burnable(scenario),
        wind_speed=speed,
        wind_dir=towards,
        ignition=ignition,
        t_burn=T_BURN_STEPS,
        steps_per_day=scenario.steps_per_day,
        cell_size_m=scenario.grid.cell_size_m,
        c_req=COVERAGE_GAL_PER_100FT2,
    )
