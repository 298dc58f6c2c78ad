"""The ground under a printed map: relief, water, canopy or fuel classes, pale enough to draw on."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from numpy.typing import NDArray

from firegui.domain.fuel_groups import FUEL_GROUPS
from firegui.domain.relief import hillshade_codes
from firegui.domain.scenario import Scenario
from firegui.io.exporters.map_sheet import Ground
from firegui.io.exporters.map_view import View
from firegui.io.water import WATER_FUEL

WATER, BUILT_UP, CANOPY = "#9cc7e8", "#cfc8c0", "#7fb38a"
_MOST_CELLS = 2400
_PALE = 0.55
"""How much of a colour is white: the fire and the drops are drawn over it."""

Colours = NDArray[np.float32]


def draw_ground(axes: Axes, scenario: Scenario, ground: Ground, view: View) -> list[tuple[str, str]]:
    """Draw what lies under the fire in the part that ``view`` shows; returns ``(name, colour)`` for the legend."""
    top, left = max(math.floor(view.box[0]), 0), max(math.floor(view.box[1]), 0)
    bottom, right = min(math.ceil(view.box[2]), view.grid.rows), min(math.ceil(view.box[3]), view.grid.columns)
    if ground is Ground.NONE or bottom - top < 1 or right - left < 1:
        return []
    every = max(math.ceil(max(bottom - top, right - left) / _MOST_CELLS), 1)
    layers = {key: layer[top:bottom:every, left:right:every] for key, layer in scenario.layers.items()}
    colours, entries = _tinted(layers, ground)
    elevation = layers.get("elevation")
    if elevation is not None and min(elevation.shape) > 1 and np.isfinite(elevation).any():
        colours *= _shade(elevation, view.grid.cell_size_m * every)
    rows, columns = colours.shape[:2]
    axes.imshow(
        np.clip(colours, 0.0, 1.0), extent=(left, left + columns * every, top + rows * every, top),
        interpolation="nearest", zorder=0,
    )  # fmt: skip
    return entries


def _tinted(layers: Mapping[str, NDArray[np.float32]], ground: Ground) -> tuple[Colours, list[tuple[str, str]]]:
    shape = next(iter(layers.values())).shape if layers else (1, 1)
    colours = np.ones((*shape, 3), np.float32)
    fuel, canopy = layers.get("fuel"), layers.get("canopy_cover")
    if ground is Ground.FUEL and fuel is not None:
        masks = [(group.name, group.holds(fuel), group.color) for group in FUEL_GROUPS]
        return colours, [_tint(colours, mask, name, color) for name, mask, color in masks if mask.any()]
    entries = []
    if canopy is not None and "elevation" not in layers:
        cover = np.clip(np.nan_to_num(canopy), 0.0, 100.0)[..., None] / 100.0
        colours -= (1.0 - _PALE) * cover * (1.0 - np.array(to_rgb(CANOPY), np.float32))
        entries.append(("Canopy cover, darker is denser", CANOPY))
    if fuel is not None:
        entries += [
            _tint(colours, mask, name, color, pale=0.0)
            for mask, name, color in ((fuel == WATER_FUEL, "Water", WATER), (fuel == 91, "Built up", BUILT_UP))
            if mask.any()
        ]
    return colours, entries


def _tint(colours: Colours, mask: NDArray[np.bool_], name: str, color: str, pale: float = _PALE) -> tuple[str, str]:
    """Lay a colour on the cells of ``mask``; returns name and colour as they end up on the paper."""
    red, green, blue = (pale + (1.0 - pale) * part for part in to_rgb(color))
    colours[mask] = (red, green, blue)
    return name, f"#{round(255 * red):02x}{round(255 * green):02x}{round(255 * blue):02x}"


def _shade(elevation: NDArray[np.float32], cell_size_m: float) -> Colours:
    """Factors around 1: slopes away from the light are darker, those towards it stay as they are."""
    light = hillshade_codes(elevation, cell_size_m).astype(np.float32) / 180.0
    return np.asarray(np.clip(0.40 + 0.60 * light, 0.45, 1.06)[..., None], np.float32)
