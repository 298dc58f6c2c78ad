"""Default line colours, derived from the names of the lines and well separated."""

from __future__ import annotations

import colorsys
import hashlib
from collections.abc import Iterable
from typing import TypeVar

Name = TypeVar("Name", bound=str)

ON_LIGHT, ON_DARK = 0.14, 0.42
"""Relative luminance (WCAG 2.2) of a line on white paper, 5.5 : 1, and on a dark ground."""
_HUES = (75, 110, 172, 250, 295, 145, 10, 225)
"""Degrees between those of the colours that were chosen for the planners."""
_SATURATION = 0.75


def spare_colors(names: Iterable[Name], luminance: float) -> dict[Name, str]:
    """Return ``#rrggbb`` of ``luminance`` for each of ``names``; up to eight of them differ in hue.

    A name asks for a hue of its own, and takes the next free one where another has that already.
    """
    found: dict[Name, str] = {}
    taken: set[int] = set()
    for name in names:
        wanted = hashlib.sha256(name.encode()).digest()[0]
        places = [(wanted + step) % len(_HUES) for step in range(len(_HUES))]
        place = next((each for each in places if each not in taken), places[0])
        taken.add(place)
        found[name] = _of_luminance(_HUES[place] / 360.0, luminance)
    return found


def relative_luminance(color: str) -> float:
    """Return ``L = 0.2126 R + 0.7152 G + 0.0722 B`` of the linear parts of ``#rrggbb`` (WCAG 2.2), 0 … 1."""
    parts = [int(color[place : place + 2], 16) / 255.0 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _of_luminance(hue: float, luminance: float) -> str:
    low, high = 0.0, 1.0
    for _ in range(12):  # lightness to a part in 4,096: finer than a colour has steps
        middle = 0.5 * (low + high)
        low, high = (middle, high) if relative_luminance(_hex(hue, middle)) < luminance else (low, middle)
    return _hex(hue, high)


def _hex(hue: float, lightness: float) -> str:
    return "#" + "".join(f"{round(255 * part):02x}" for part in colorsys.hls_to_rgb(hue, lightness, _SATURATION))
