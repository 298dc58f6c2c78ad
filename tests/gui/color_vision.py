"""Simulation of red-green blindness, and distances between colours as seen with it.

The matrices are those of Machado, Oliveira and Fernandes, "A Physiologically-based Model for Simulation of Color Vision
Deficiency", IEEE Transactions on Visualization and Computer Graphics 15 (6), 2009, doi:10.1109/TVCG.2009.113, at
severity 1. They apply to linear RGB. Distances are Euclidean in CIELAB with the D65 white (CIE 1976).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor

Matrix = NDArray[np.float64]

VISIONS: Mapping[str, Matrix] = MappingProxyType(
    {
        "usual": np.eye(3),
        "protanopia": np.array(
            [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
        ),
        "deuteranopia": np.array(
            [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
        ),
    }
)
_SRGB_TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
_D65 = np.array([0.95047, 1.0, 1.08883])


def seen_as(color: QColor, vision: str) -> Matrix:
    """Return the colour in CIELAB ``[3]`` as seen with the ``vision`` of :data:`VISIONS`."""
    share = np.array([color.redF(), color.greenF(), color.blueF()])
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    ratio = _SRGB_TO_XYZ @ np.clip(VISIONS[vision] @ linear, 0.0, 1.0) / _D65
    root = np.where(ratio > (6 / 29) ** 3, np.cbrt(ratio), ratio / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * root[1] - 16, 500 * (root[0] - root[1]), 200 * (root[1] - root[2])])


def distance(one: QColor, other: QColor) -> tuple[float, str]:
    """Return the least distance between two colours over all visions, and that vision."""
    apart = {name: float(np.linalg.norm(seen_as(one, name) - seen_as(other, name))) for name in VISIONS}
    least = min(apart, key=lambda name: apart[name])
    return apart[least], least
