"""How far errors hang together: empirical semivariogram and exponential fit (paper, section ``uq``, source 2)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from firegui.domain.uncertainty import Semivariogram
from firegui.errors import InputError, Problem
from firegui.uncertainty.random_field import fast_size

Floats = NDArray[np.float64]

BIN_GROWTH = 0.12
"""Bins of distances are at least a cell wide, and this share of their distance where that is more."""
LEAST_BINS = 3
SHORTEST = 0.2
"""Of the correlation lengths that are tried, cells; the longest is :data:`LONGEST` times the largest distance."""
LONGEST = 10.0
_GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0
_TITLE = "The correlation of the errors cannot be fitted"


def semivariogram(fields: Iterable[NDArray[np.floating]], mask: NDArray[np.bool_]) -> Semivariogram:
    """``γ̂(h) = ½ avg ‖R(x) − R(x')‖²`` over all pairs of cells of ``mask [H, W]``, in ``fields`` of ``[2, H, W]`` each.

    Every pair counts, up to half the longer side of the mask's bounding box: sums over pairs are correlations, which
    transforms give for all lags at once. Values outside the mask are not read. Raises
    :class:`~firegui.errors.InputError` for a mask that is too small and for values that are no numbers.
    """
    box = _bounding_box(mask)
    inside = mask[box]
    reach = max(inside.shape) // 2
    sizes = tuple(fast_size(size + reach + 1) for size in inside.shape)
    cells = np.fft.rfft2(inside.astype(np.float64), sizes)
    products, squares, count = np.zeros(cells.shape), np.zeros(cells.shape, complex), 0
    for field in fields:
        values = np.where(inside, field[(slice(None), *box)], 0.0).astype(np.float64)
        if not np.isfinite(values).all():
            raise InputError([Problem("residuals", "have cells without a number", "look at the fire model")], _TITLE)
        products += (np.abs(np.fft.rfft2(values, sizes)) ** 2).sum(axis=0)
        squares += np.fft.rfft2((values**2).sum(axis=0), sizes) * cells.conj()
        count += 1
    # Σ over pairs of (R² + R'² − 2 R R') / 2; a lag and its opposite are the same pairs.
    total = np.fft.irfft2(squares.real - products, sizes)
    pairs = np.rint(np.fft.irfft2(np.abs(cells) ** 2, sizes)) * count
    return _binned(total, pairs, reach)


def fit_exponential(found: Semivariogram) -> tuple[float, float]:
    """``(a, ℓ)`` of ``γ(h) = a (1 − e^{−h/ℓ})``, least squares of relative deviations over the bins.

    For a given ``ℓ`` the sill ``a`` is a linear problem, so that ``ℓ`` alone is searched for. Raises
    :class:`~firegui.errors.InputError` where there is too little to fit.
    """
    if len(found.distance) < LEAST_BINS or not (found.value > 0.0).any():
        what = "do not vary from cell to cell" if len(found.distance) >= LEAST_BINS else "cover too few cells"
        raise InputError([Problem("residuals", what, "use more days, or the paper's numbers")], _TITLE)
    weight = 1.0 / np.maximum(found.value, 1e-6 * found.value.max()) ** 2

    def sill(length: float) -> tuple[float, float]:
        shape = -np.expm1(-found.distance / length)
        level = float((weight * shape * found.value).sum() / (weight * shape**2).sum())
        return level, float((weight * (found.value - level * shape) ** 2).sum())

    longest = LONGEST * float(found.distance[-1])
    length = math.exp(_lowest(lambda log: sill(math.exp(log))[1], math.log(SHORTEST), math.log(longest)))
    return sill(length)[0], length


def _bounding_box(mask: NDArray[np.bool_]) -> tuple[slice, slice]:
    rows, columns = (np.flatnonzero(mask.any(axis=axis)) for axis in (1, 0))
    if mask.sum() < 2:
        raise InputError([Problem("residuals", "cover too few cells", "use perimeters of more days")], _TITLE)
    return slice(int(rows[0]), int(rows[-1]) + 1), slice(int(columns[0]), int(columns[-1]) + 1)


def _binned(total: Floats, pairs: Floats, reach: int) -> Semivariogram:
    rows, columns = (np.minimum(np.arange(size), size - np.arange(size)) for size in total.shape)
    distance = np.hypot(rows[:, None], columns)
    wanted = (pairs > 0.5) & (distance > 0.0) & (distance <= reach)
    edges = _edges(reach)
    bins = np.digitize(distance[wanted], edges) - 1
    amount, summed, far = (
        np.bincount(bins, weights, minlength=len(edges))
        for weights in (pairs[wanted], total[wanted], (pairs * distance)[wanted])
    )
    kept = amount > 0
    return Semivariogram(
        far[kept] / amount[kept],
        np.maximum(summed[kept] / amount[kept], 0.0),
        np.rint(amount[kept] / 2.0).astype(np.int64),
    )


def _edges(reach: int) -> Floats:
    edges = [0.5]
    while edges[-1] <= reach:
        edges.append(edges[-1] + max(1.0, BIN_GROWTH * edges[-1]))
    return np.array(edges)


def _lowest(value: Callable[[float], float], low: float, high: float) -> float:
    """Where ``value`` is lowest: the best of a grid, then by golden section between its neighbours."""
    grid = np.linspace(low, high, 64)
    best = int(np.argmin([value(float(at)) for at in grid]))
    low, high = float(grid[max(best - 1, 0)]), float(grid[min(best + 1, len(grid) - 1)])
    while high - low > 1e-10:
        first, second = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        low, high = (low, second) if value(first) <= value(second) else (first, high)
    return 0.5 * (low + high)
