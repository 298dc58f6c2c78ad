"""Fuel models by their numbers: the 40 of Scott and Burgan, and the 13 that came before them.

Both share one numbering (Scott and Burgan 2005, USDA RMRS-GTR-153, Table 3): 1–13 the original models (Anderson 1982,
USDA INT-GTR-122), 91–99 what does not burn, 101–204 the 40. One raster may hold both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from firegui.domain.fuel_models import FuelModel

_COVERS: Mapping[int, str] = MappingProxyType(
    {91: "built up", 92: "snow or ice", 93: "farmland", 98: "open water", 99: "bare ground"}
)
"""What covers the ground where nothing burns."""
NONBURNABLE = frozenset(_COVERS)
FBFM13 = frozenset(range(1, 14))
"""Without those that do not burn, which the two sets share."""

_GROUPS: Mapping[str, tuple[int, int]] = MappingProxyType(
    {
        "GR": (101, 109), "GS": (121, 124), "SH": (141, 149), "TU": (161, 165), "TL": (181, 189), "SB": (201, 204),
        "NB": (91, 99),
    }
)  # fmt: skip
FBFM40 = NONBURNABLE.union(*(range(low, high + 1) for name, (low, high) in _GROUPS.items() if name != "NB"))

WATER = 98


def fuel_name(code: float, fuels: Sequence[FuelModel] = ()) -> str:
    """Return the display name of a fuel model: ``TL8 (FBFM40 188)``, ``FBFM13 10``, ``CH1 (custom 14)``.

    ``fuels`` are custom models. One that does not burn is named by what covers the ground: ``NB8 open water (FBFM40
    98)``. A code without a name gives the bare number.
    """
    number = int(code)
    own = next((model for model in fuels if model.code == code), None)
    if own is not None:
        return own.label
    if number in FBFM13:
        return f"FBFM13 {number}"
    group = next((name for name, (low, high) in _GROUPS.items() if low <= number <= high and number in FBFM40), None)
    if group is None:
        return f"{code:g}"
    cover = f" {_COVERS[number]}" if number in _COVERS else ""
    return f"{group}{number - 10 * (_GROUPS[group][0] // 10)}{cover} (FBFM40 {number})"


def is_fbfm13(fuel: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Return where a fuel layer ``[H, W]`` holds a code of the original 13."""
    return np.asarray((fuel >= 1.0) & (fuel <= 13.0))
