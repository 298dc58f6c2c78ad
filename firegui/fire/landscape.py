"""Landscape that every fire model needs: burnable cells and the slope of the ground.

This module needs NumPy and nothing else.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from firegui.domain.fuel_models import NONBURNABLE_CODES
from firegui.domain.scenario import Scenario

Raster = NDArray[np.float32]

T_BURN_STEPS = 10.0


def burnable(scenario: Scenario) -> NDArray[np.bool_]:
    """Return ``[H, W]``: where the fuel layer lets a fire burn; everywhere on an event without one."""
    fuel = scenario.layers.get("fuel")
    return np.ones(scenario.grid.shape, bool) if fuel is None else burns(fuel)


def burns(fuel: Raster) -> NDArray[np.bool_]:
    """Return whether a fuel code burns.

    Every code of FBFM40 and FBFM13 but 91 to 99 burns, and so does a cell without data.
    """
    low, high = NONBURNABLE_CODES
    return ~((fuel >= low) & (fuel <= high))


def missing_crown_layers(scenario: Scenario) -> tuple[str, ...]:
    """Return the keys of the layers that crown fire needs and the event lacks."""
    return tuple(key for key in ("canopy_base_height", "canopy_density") if key not in scenario.layers)


def has_terrain(scenario: Scenario) -> bool:
    """Return whether the event has both slope and aspect, without which there is no way uphill."""
    return "slope" in scenario.layers and "aspect" in scenario.layers
