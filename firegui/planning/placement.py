"""Dispersed maxima of a guidance field, the targets of a wave of simultaneous drops.

The method is in the paper, Appendix ``planners``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from firegui.domain.compact_maps import WindRaster


def dispersed_maxima(field: NDArray[np.float32], count: int, exclusion: float) -> NDArray[np.int64]:
    """Return at most ``count`` cells ``[n, 2]``, strongest first.

    They are chosen by greedy non-maximum suppression of ``field [H, W]``. Each maximum suppresses the cells within
    ``exclusion`` (Euclidean, cells). Ties go to the lowest row, then column. Cells at or below 0 are never chosen, so
    fewer than ``count`` may come back.
    """
    remaining = field.copy()
    rows, columns = field.shape
    reach = int(np.floor(exclusion))
    span = np.arange(-reach, reach + 1)
    disc = span[:, None] ** 2 + span[None, :] ** 2 <= exclusion**2
    found: list[tuple[int, int]] = []
    while len(found) < count:
        i, j = divmod(int(remaining.argmax()), columns)  # the first of equal maxima: lowest row, then column
        if not remaining[i, j] > 0.0:
            break
        found.append((i, j))
        top, bottom, left, right = (
            max(i - reach, 0),
            min(i + reach + 1, rows),
            max(j - reach, 0),
            min(j + reach + 1, columns),
        )
        mask = disc[top - i + reach : bottom - i + reach, left - j + reach : right - j + reach]
        remaining[top:bottom, left:right][mask] = 0.0
    return np.array(found, np.int64).reshape(-1, 2)


def across_wind(direction: WindRaster, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return ``θ = (ψ + π/2) mod π`` at the given cells: headings that lay a line across the wind."""
    theta: NDArray[np.float64] = np.mod(direction[rows, columns].astype(np.float64) + np.pi / 2.0, np.pi)
    return theta
