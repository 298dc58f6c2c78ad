"""Brightness of a landscape under a low sun."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

_FLAT_CODE = 180.0
_AZIMUTH, _ALTITUDE = math.radians(315.0), math.radians(45.0)


def hillshade_codes(elevation: NDArray[np.floating], cell_size_m: float) -> NDArray[np.uint8]:
    """Return the hillshade: Lambert's cosine for a sun in the north-west, 45° high, as codes.

    ``elevation [H, W]`` in metres, rows southward; flat ground gets code 180, whatever has no elevation as well.
    Gentle country is exaggerated so that its relief shows, steep country is not.
    """
    filled = np.where(np.isfinite(elevation), elevation, np.nan)
    filled = np.nan_to_num(filled, nan=float(np.nanmean(filled)) if np.isfinite(filled).any() else 0.0)
    south, east = np.gradient(filled, cell_size_m)
    typical = float(np.sqrt(np.mean(south**2 + east**2)))
    exaggeration = min(max(0.35 / typical, 1.0), 5.0) if typical > 1e-6 else 1.0
    south, east = south * exaggeration, east * exaggeration
    # Unit normal (−∂z/∂east, −∂z/∂north, 1)/|·| with ∂z/∂north = −∂z/∂south, dotted with the direction to the sun.
    to_east, to_north = math.cos(_ALTITUDE) * math.sin(_AZIMUTH), math.cos(_ALTITUDE) * math.cos(_AZIMUTH)
    light = (-east * to_east + south * to_north + math.sin(_ALTITUDE)) / np.sqrt(1.0 + south**2 + east**2)
    shade = _FLAT_CODE * light / math.sin(_ALTITUDE)
    return np.asarray(np.clip(np.round(shade), 0, 255), np.uint8)
