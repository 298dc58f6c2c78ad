"""Isometric log-ratio coordinates of the three states of a cell (paper, section ``uq``, source 2).

``z_1 = (ln U − ln B)/√2``, ``z_2 = (ln U + ln B − 2 ln R)/√6``: a plane in which probabilities can be moved freely and
stay positive and of sum 1. The paper names no basis; this is the project's (design, "ILR").
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from firegui.domain.uncertainty import FLOOR

Floats = NDArray[np.float64]

BASIS: Floats = np.array([[1.0, -1.0, 0.0], [1.0, 1.0, -2.0]]) / np.sqrt([[2.0], [6.0]])
"""``[2, 3]``, orthonormal rows that are orthogonal to (1, 1, 1): ``z = BASIS · ln(U, B, R)``."""


def ilr(unburned: NDArray[Any], burning: NDArray[Any], burned: NDArray[Any], *, floor: float = FLOOR) -> Floats:
    """Return ``z [2, …]`` of the probabilities ``U, B, R [...]``.

    Each is raised to ``floor`` before the logarithm.
    """
    parts = [np.log(np.maximum(np.asarray(part, np.float64), floor)) for part in (unburned, burning, burned)]
    z: Floats = np.tensordot(BASIS, np.stack(parts), axes=1)
    return z


def inverse(z: NDArray[Any]) -> tuple[Floats, Floats, Floats]:
    """Return ``U, B, R [...]`` of ``z [2, …]``: positive, of sum 1."""
    logs = np.tensordot(BASIS.T, np.asarray(z, np.float64), axes=1)
    parts = np.exp(logs - logs.max(axis=0))
    unburned, burning, burned = parts / parts.sum(axis=0)
    return unburned, burning, burned


def factors(shift: NDArray[Any]) -> Floats:
    """Return the factors ``[3]`` by which a shift of ``z [2]`` multiplies ``(U, B, R)``.

    The products are then scaled to the sum 1 again. Moving along ILR coordinates is multiplying odds, so a state can be
    shifted without a logarithm or a floor: what is 0 stays 0, and a shift of 0 changes nothing.
    """
    odds: Floats = np.exp(np.asarray(shift, np.float64) @ BASIS)
    return odds
