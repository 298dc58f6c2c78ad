"""Long curves in few points: what is left out could not have been told from its neighbours."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

MOST_POINTS = 6000
"""More than twice the pixels a chart is wide, even on a large screen."""


def decimated(x: Floats, y: Floats, most: int = MOST_POINTS) -> tuple[Floats, Floats]:
    """At most ``most`` of the points ``(x, y) [N]``, in order, with the first, the last and all extremes among them.

    The curve is cut into stretches of equal length, and each keeps its lowest and its highest point; one without a
    number keeps its gap.
    """
    if len(x) <= most:
        return x, y
    stretches = (most - 2) // 2
    edges = np.linspace(0, len(x), stretches + 1).astype(np.intp)[:-1]
    number = np.repeat(np.arange(stretches), np.diff(np.append(edges, len(x))))
    kept = np.zeros(len(x), bool)
    kept[[0, -1]] = True
    for extreme, ufunc, nothing in ((np.minimum, np.less_equal, np.inf), (np.maximum, np.greater_equal, -np.inf)):
        filled = np.where(np.isnan(y), nothing, y)
        best = extreme.reduceat(filled, edges)
        at = np.flatnonzero(ufunc(filled, best[number]))
        # The first point of each stretch that reaches it.
        _, first = np.unique(number[at], return_index=True)
        kept[at[first]] = True
    return x[kept], y[kept]
