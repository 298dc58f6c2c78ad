"""How the layers of a landscape are coloured in the preview, and what the colours mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor

from firegui.domain.fuel_groups import FUEL_GROUPS, fuel_group_numbers
from firegui.domain.scenario import LAYERS
from firegui.gui.map.color_scales import Packed, Scale, blend_scale, codes, ramp_scale
from firegui.gui.map.layers.layer import LegendEntry

Floats = NDArray[np.floating]

_GREENS = ("#efece0", "#a9c795", "#2c6e3f")
_BLENDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "elevation": ("#4f7a5b", "#93a873", "#d6c795", "#b08a62", "#8f6f5a", "#eeeae4"),
        "slope": ("#f2efe4", "#e3b96f", "#c25b3f", "#5d1f3d"),
        "canopy_cover": _GREENS,
        "canopy_height": _GREENS,
        "canopy_density": _GREENS,
    }
)
"""From low to high; no blue, which would be water."""
_UNKNOWN = QColor("#d03fae")
"""Codes that belong to no group of fuel models are not to be overlooked."""


def layer_picture(key: str, values: Floats) -> tuple[Packed, Scale | None]:
    """Pixels ``[h, w]`` of a layer ``[h, w]``, no data left out, and its legend where that is a ramp."""
    known = np.isfinite(values)
    if key == "fuel":
        return _fuel_pixels(values, known), None
    scale, low, high = _scale(key, values[known])
    pixels = scale.packed[codes(values, low, high)]
    if key == "aspect":
        known = known & (values >= 0.0)
    pixels[~known] = 0
    return pixels, scale


def coverage_picture(required: Floats) -> tuple[Packed, Scale]:
    """Pixels ``[h, w]`` of the required coverage ``[h, w]`` in gal/100 ft²; where none is required nothing."""
    top = max(float(np.nanmax(required, initial=0.0)), 1.0)
    scale = ramp_scale("Required coverage, gal/100 ft²", ("0", f"{top / 2:g}", f"{top:g}"), "CET-L18")
    pixels = scale.packed[codes(required, 0.0, top)]
    pixels[~(required > 0.0)] = 0
    return pixels, scale


def fuel_entries(values: Floats) -> tuple[LegendEntry, ...]:
    """The groups of fuel models that ``values`` hold, and whether there are codes that belong to none."""
    known = values[np.isfinite(values)]
    numbers = fuel_group_numbers(known)
    found = [
        LegendEntry(group.name, QColor(group.color))
        for number, group in enumerate(FUEL_GROUPS, start=1)
        if bool((numbers == number).any())
    ]
    if bool((numbers == 0).any()):
        strange = sorted({f"{code:g}" for code in np.unique(known[numbers == 0])[:4]})
        found.append(LegendEntry(f"other codes ({', '.join(strange)}…)", _UNKNOWN))
    return tuple(found)


def date_colors(count: int, *, dark: bool) -> tuple[QColor, ...]:
    """Colours for perimeters from the first to the last day: yellow, then red, then purple; none too faint to see."""
    ends = ("#ffe066", "#ff6b4a", "#d94cc0") if dark else ("#b98900", "#d3321d", "#7a1a8c")
    return tuple(_blend([QColor(end) for end in ends], k / max(count - 1, 1)) for k in range(count))


def _scale(key: str, known: Floats) -> tuple[Scale, float, float]:
    title, unit = LAYERS[key]
    if key == "aspect":
        return ramp_scale("Aspect, the way it faces", ("N", "E         S         W", "N"), "CET-C6"), 0.0, 360.0
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
    if key != "elevation":
        low = 0.0
    if key == "canopy_cover":
        high = 100.0
    if high <= low:
        high = low + 1.0
    texts = (_number(low), _number((low + high) / 2), _number(high))
    return blend_scale(f"{title}, {unit}", texts, _BLENDS[key]), low, high


def _fuel_pixels(values: Floats, known: NDArray[np.bool_]) -> Packed:
    table = np.array([_UNKNOWN.rgba(), *(QColor(group.color).rgba() for group in FUEL_GROUPS)], np.uint32)
    pixels: Packed = table[fuel_group_numbers(values)]
    pixels[~known] = 0
    return pixels


def _blend(stops: Sequence[QColor], share: float) -> QColor:
    place = share * (len(stops) - 1)
    index = min(int(place), len(stops) - 2)
    part = place - index
    one, other = stops[index], stops[index + 1]
    pairs = ((one.redF(), other.redF()), (one.greenF(), other.greenF()), (one.blueF(), other.blueF()))
    return QColor.fromRgbF(*((1 - part) * a + part * b for a, b in pairs))


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 10 else f"{value:.2g}"
