"""Whether slope and aspect follow from the elevation beside them, and what that says of their units."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from firegui.domain.scenario import LAYERS
from firegui.io.importers.layer_values import Layer
from firegui.io.importers.terrain import horn
from firegui.io.importers.units import FEET, FOOT_M, SLOPE_PERCENT, Encoding

_STEEP_DEG = 5.0
"""Flatter ground says little of units and directions."""

_FEW_CELLS = 20
_APART_DEG, _TIMES_BETTER = 3.0, 2.0
_OTHERWISE_DEG = 45.0
_TURNED_DEG, _ALIKE = 5.0, 0.8
_LEAVE_OUT = "leave it out, and it is derived"
Raster = NDArray[np.float32]


def check_terrain(
    layers: Mapping[str, Layer], given: Collection[str], cell_size_m: float
) -> tuple[dict[str, Layer], list[str]]:
    """The layers, their units put right where elevation and slope together can tell, and what to know of them.

    ``given`` are the layers whose units were said: those stay. A slope in degrees may be percent, an elevation in
    metres may be feet; another reading is taken where the slope layer rises and falls with the slope that follows from
    the elevation (Horn) and only that reading brings the two together.
    """
    found, notes = dict(layers), list[str]()
    if "elevation" not in found or not {"slope", "aspect"} & set(found):
        return found, notes
    derived = horn(found["elevation"].values, cell_size_m)
    if "slope" in found:
        found, notes = _units(found, given, derived[0])
    if "aspect" in found:
        notes += _facing(found["aspect"].values, *derived)
    return found, notes


def derive_terrain(layers: Mapping[str, Layer], cell_size_m: float) -> tuple[dict[str, Layer], list[str]]:
    """The layers with the slope and the aspect they lack, derived from elevation, and the note that says so."""
    missing = [key for key in ("slope", "aspect") if key not in layers]
    if "elevation" not in layers or not missing:
        return dict(layers), []
    derived = dict(zip(("slope", "aspect"), horn(layers["elevation"].values, cell_size_m), strict=True))
    added = {key: Layer(derived[key], f"{LAYERS[key][0].lower()} derived from elevation", ()) for key in missing}
    names = " and ".join(LAYERS[key][0].lower() for key in missing)
    note = f"{names.capitalize()} derived from elevation by Horn's method, on cells of {cell_size_m:g} m."
    return {key: added.get(key) or layers[key] for key in LAYERS if key in added or key in layers}, [note]


def _units(layers: dict[str, Layer], given: Collection[str], follows: Raster) -> tuple[dict[str, Layer], list[str]]:
    elevation, slope = layers["elevation"], layers["slope"]
    rise = np.tan(np.deg2rad(follows.astype(np.float64)))
    degrees = slope.values.astype(np.float64)
    steep = (follows > _STEEP_DEG) & ~np.isnan(degrees)
    if steep.sum() < _FEW_CELLS:
        return layers, []
    rise, degrees = rise[steep], degrees[steep]
    heights = {"m": 1.0} | ({"ft": FOOT_M} if "elevation" not in given and elevation.unit == "m" else {})
    slopes = {"degrees": degrees}
    if "slope" not in given and slope.unit == "degrees":
        slopes["percent"] = np.rad2deg(np.arctan(degrees / 100.0))
    apart = {
        (height, unit): float(np.median(np.abs(np.rad2deg(np.arctan(rise * factor)) - values)))
        for height, factor in heights.items()
        for unit, values in slopes.items()
    }
    usual = apart["m", "degrees"]
    if usual <= _APART_DEG:
        return layers, [f"The slope layer agrees with the elevation: {usual:.1f}° apart in the median."]
    best = min(apart, key=lambda units: apart[units])
    alike = degrees.std() > 0.0 and float(np.corrcoef(rise, degrees)[0, 1]) > _ALIKE
    if alike and apart[best] <= _APART_DEG and _TIMES_BETTER * apart[best] <= usual:
        return _reread(layers, best, usual, apart[best])
    what = f"The slope layer and the slope that follows from elevation are {usual:.1f}° apart in the median"
    return layers, [f"{what}: check the units and that they are of one place."]


def _reread(
    layers: dict[str, Layer], units: tuple[str, str], usual: float, now: float
) -> tuple[dict[str, Layer], list[str]]:
    found, notes = dict(layers), []
    apart = f"slope layer and elevation are then {now:.1f}° apart in the median, and {usual:.1f}° otherwise"
    if units[0] == "ft":
        values = (found["elevation"].values.astype(np.float64) * FOOT_M).astype(np.float32)
        found["elevation"] = _read_as(found["elevation"], values, "ft", FEET)
        notes.append(f"Elevation taken to be in feet: {apart}.")
    if units[1] == "percent":
        values = np.rad2deg(np.arctan(found["slope"].values.astype(np.float64) / 100.0)).astype(np.float32)
        found["slope"] = _read_as(found["slope"], values, "percent", SLOPE_PERCENT)
        notes.append(f"Slope taken to be in percent: {apart}.")
    return found, notes


def _read_as(layer: Layer, values: Raster, unit: str, stored: Encoding) -> Layer:
    """A layer with other values, since its numbers are in another unit than was read."""
    numbers = layer.reading.rsplit(" ", 1)[0]
    return replace(layer, values=values, unit=unit, reading=f"{numbers} {stored.unit}")


def _facing(aspect: Raster, slope: Raster, derived: Raster) -> list[str]:
    both = (slope > _STEEP_DEG) & (aspect >= 0.0) & (derived >= 0.0)
    if both.sum() < _FEW_CELLS:
        return []
    apart = (aspect[both].astype(np.float64) - derived[both] + 180.0) % 360.0 - 180.0
    median, mean = float(np.median(np.abs(apart))), complex(np.exp(1j * np.deg2rad(apart)).mean())
    turn = float(np.rad2deg(np.angle(mean)))
    if median > _OTHERWISE_DEG:
        upside = " (it seems to point uphill)" if median > 180.0 - _OTHERWISE_DEG else ""
        return [
            f"The aspect layer is {median:.0f}° from the way that the ground faces by the elevation{upside}: check "
            f"that it is in degrees clockwise from north, downhill, or {_LEAVE_OUT}."
        ]
    if abs(turn) > _TURNED_DEG and abs(mean) > _ALIKE:
        return [
            f"The aspect layer is turned by {turn:+.0f}° against the elevation, everywhere alike: its directions may "
            f"count from another north, as that of LANDFIRE's own grid; to be rid of it {_LEAVE_OUT}."
        ]
    return [f"The aspect layer agrees with the elevation: {median:.0f}° apart in the median."]
