"""Whether what is called likely happens that often: the reliability diagram of a forecast. Numpy only."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from firegui.domain.scenario import Scenario
from firegui.fire.skill import observed_start, scored_days

BINS = 10
NEAR = 1e-3
"""Cells called less likely to burn than this lie far from the predicted fire and would only drown the others."""


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """Cells whose predicted probability lies in ``[low, high)``; the last bin includes 1.

    ``count`` cells, the same cell on several days counted each time; ``predicted`` their mean probability and
    ``observed`` the share of them that burned, both NaN where there is none.
    """

    low: float
    high: float
    count: int
    predicted: float
    observed: float


@dataclass(frozen=True, slots=True)
class Reliability:
    """The diagram, and ``missed``: how often a cell outside its domain burned all the same."""

    bins: tuple[ReliabilityBin, ...]
    missed: int

    @property
    def count(self) -> int:
        """Cells in all bins."""
        return sum(item.count for item in self.bins)

    @property
    def error(self) -> float | None:
        """``Σ n |predicted − observed| / Σ n`` over the bins, 0 for a forecast that means what it says.

        ``None`` where there is no cell at all.
        """
        filled = [item for item in self.bins if item.count]
        off = sum(item.count * abs(item.predicted - item.observed) for item in filled)
        return off / self.count if filled else None


def reliability(event: Scenario, states: NDArray[np.float32], *, after: int = 0, bins: int = BINS) -> Reliability:
    """Return the diagram of the states ``[D + 1, H, W]`` over the scored days after day ``after``.

    Its domain are the cells with ``P > 0.001``, without the perimeter that the forecast was started from: there both
    are 1 by construction. Whether a cell burned plays no part in the choice, or the lowest bin would hold every
    cell that burned unexpectedly but few of those that rightly did not. Raises
    :class:`~firegui.errors.InputError` for an event without a perimeter on day 0.
    """
    outside = ~observed_start(event)
    counts, sums, burned = np.zeros(bins), np.zeros(bins), np.zeros(bins)
    missed = 0
    for day in scored_days(event, len(states) - 1):
        observed = event.observed_on(day)
        if day <= after or observed is None:
            continue
        taken = outside & (states[day] > NEAR)
        probability, happened = states[day][taken].astype(np.float64), observed[taken]
        place = np.minimum((probability * bins).astype(int), bins - 1)
        counts += np.bincount(place, minlength=bins)
        sums += np.bincount(place, probability, minlength=bins)
        burned += np.bincount(place, happened, minlength=bins)
        missed += int(np.count_nonzero(observed & outside & ~taken))
    edges = np.linspace(0.0, 1.0, bins + 1).round(12).tolist()
    filled = zip(edges[:-1], edges[1:], counts.tolist(), sums.tolist(), burned.tolist(), strict=True)
    found = (
        ReliabilityBin(low, high, int(n), _share(total, n), _share(number, n)) for low, high, n, total, number in filled
    )
    return Reliability(tuple(found), missed)


def _share(part: float, whole: float) -> float:
    return part / whole if whole else float("nan")
