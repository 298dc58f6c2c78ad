"""Inputs of the network: channels scaled as published, and a presence flag for every layer.

Scales (``design/3-model.md``): elevation min–max over the event, sin slope, sin and cos aspect (0 on flat cells),
canopy bulk density in LANDFIRE's 0.01 kg/m³ / 45, cover / 100 %, height in LANDFIRE's 0.1 m / 550, wind / 10 m/s. Numpy
only.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from firegui.domain.fuel import is_fbfm13
from firegui.domain.scenario import Scenario
from firegui.domain.weights import FUEL_CODES, OPTIONAL_LAYERS
from firegui.fire.landscape import Raster

WIND_SCALE_MS = 10.0
COVER_SCALE_PERCENT = 100.0
DENSITY_SCALE_KGM3 = 0.45
HEIGHT_SCALE_M = 55.0


@dataclass(frozen=True, slots=True, eq=False)
class NetworkFeatures:
    """Inputs of the network except the wind.

    ``values [7, H, W]`` float32 in the order of :data:`firegui.domain.weights.LAYER_CHANNELS`, ``fuel [H, W]`` int64
    the fuel codes, ``present [7, H, W]`` float32 flags in the order of :data:`firegui.domain.weights.OPTIONAL_LAYERS`.
    Where a flag is 0 the layer's values are 0.
    """

    values: Raster
    fuel: NDArray[np.int64]
    present: Raster

    def cropped(self, rows: slice, columns: slice) -> NetworkFeatures:
        """Return a window of the raster, with the scales of the whole of it."""
        box = (slice(None), rows, columns)
        return NetworkFeatures(self.values[box], self.fuel[rows, columns], self.present[box])


def event_features(
    scenario: Scenario, known: Collection[str] = OPTIONAL_LAYERS, steepest_deg: float = math.inf
) -> NetworkFeatures:
    """Return the channels of an event.

    A layer that is not in ``known`` counts as missing: a network that never saw it has random weights there. Slopes are
    clipped to ``steepest_deg``, the steepest of the training. So does a cell count as missing that has no data, an
    aspect other than a direction or −1 (flat), or a fuel code from outside 0 … 204 or of the 13 original models, for
    which a network of the 40 has nothing learned.
    """
    shape = scenario.grid.shape
    layers = {key: scenario.layers[key] for key in OPTIONAL_LAYERS if key in scenario.layers and key in known}
    present = {key: _known_cells(key, layer) for key, layer in layers.items()}
    filled = {key: np.where(present[key], layer, 0.0).astype(np.float64) for key, layer in layers.items()}
    nothing = np.zeros(shape)
    aspect = np.deg2rad(filled.get("aspect", nothing))
    faces = present.get("aspect", nothing > 0) & (filled.get("aspect", nothing) >= 0.0)
    values = (
        _min_max(filled.get("elevation", nothing), present.get("elevation")),
        np.sin(np.deg2rad(np.minimum(filled.get("slope", nothing), steepest_deg))),
        np.where(faces, np.sin(aspect), 0.0),
        np.where(faces, np.cos(aspect), 0.0),
        filled.get("canopy_density", nothing) / DENSITY_SCALE_KGM3,
        filled.get("canopy_cover", nothing) / COVER_SCALE_PERCENT,
        filled.get("canopy_height", nothing) / HEIGHT_SCALE_M,
    )
    flags = np.stack([present.get(key, nothing) for key in OPTIONAL_LAYERS])
    fuel = np.rint(filled.get("fuel", nothing)).astype(np.int64)
    return NetworkFeatures(np.stack(values).astype(np.float32), fuel, flags.astype(np.float32))


def wind_inputs(wind_speed: Raster, wind_dir: Raster, strongest_ms: float = math.inf) -> Raster:
    """Return the wind inputs of a day: eastward and northward / 10 m/s, ``[2, H, W]`` float32.

    ``wind_speed [H, W]`` in m/s is clipped to ``strongest_ms``, the strongest of the training; ``wind_dir [H, W]`` is
    in radians towards, counter-clockwise from east.
    """
    speed = np.minimum(wind_speed, strongest_ms) / WIND_SCALE_MS
    return np.stack([speed * np.cos(wind_dir), speed * np.sin(wind_dir)]).astype(np.float32)


def _known_cells(key: str, layer: Raster) -> NDArray[np.bool_]:
    known = np.isfinite(layer)
    return known & (layer >= 0.0) & (layer < FUEL_CODES - 0.5) & ~is_fbfm13(layer) if key == "fuel" else known


def _min_max(elevation: NDArray[np.float64], known: NDArray[np.bool_] | None) -> NDArray[np.float64]:
    if known is None or not known.any():
        return np.zeros_like(elevation)
    low, high = float(elevation[known].min()), float(elevation[known].max())
    return np.where(known, (elevation - low) / max(high - low, 1e-6), 0.0)
