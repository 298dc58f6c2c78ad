"""Fuel models by their numbers: the 40 of Scott and Burgan, and the 13 that came before them.

Both share one numbering (Scott and Burgan 2005, USDA RMRS-GTR-153, Table 3): 1–13 the original models (Anderson 1982,
USDA INT-GTR-122), 91–99 what does not burn, 101–204 the 40. One raster may hold both.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

NONBURNABLE = frozenset((91, 92, 93, 98, 99))
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


def fuel_name(code: float) -> str:
    """Return the display name of a fuel model: ``TL8 (FBFM40 188)``, ``FBFM13 10``.

    A code without a name gives the bare number.
    """
    number = int(code)
    if number in FBFM13:
        return f"FBFM13 {number}"
    group = next((name for name, (low, high) in _GROUPS.items() if low <= number <= high and number in FBFM40), None)
    if group is None:
        return f"{code:g}"
    return f"{group}{number - 10 * (_GROUPS[group][0] // 10)} (FBFM40 {number})"


def is_fbfm13(fuel: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Return where a fuel layer ``[H, W]`` holds a code of the original 13."""
    return np.asarray((fuel >= 1.0) & (fuel <= 13.0))
