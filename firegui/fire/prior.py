"""Published values that the network uses where no event could teach wind or slope.

A. Alexandridis, D. Vakalis, C. I. Siettos, G. V. Bafas (2008), *A cellular automata model for forest fire spread
prediction: the case of the wildfire that swept through Spetses Island in 1990*, Applied Mathematics and Computation
204, 191–201: wind ``p_w = exp(V (c1 + c2 (cos θ − 1)))`` with ``c1 = 0.045`` and ``c2 = 0.131`` s/m, slope
``p_s = exp(a θ_s)`` with ``a = 0.078`` per degree. In the units of :mod:`firegui.fire.spread` (wind per 10 m/s, slope
per 90°) that is the constants below. A gain that a training did not teach is such a constant everywhere.

As published the alignment takes more from the flanks than the wind gives to the head: on a base rate learned from
daily growth in light wind it makes a fire smaller the stronger the wind. It is therefore used evened, which
:func:`firegui.fire.spread.evening` explains: the ratios between directions stay as published, and over all of them
together the spread grows by ``exp(c1 V)``. At :data:`EVEN_AT_MS` that is the published form; from calm to twice that
wind the two differ by less than a tenth.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

WIND_PER_MS = 0.045
ALIGNMENT_PER_MS = 0.131
SLOPE_PER_DEGREE = 0.078

PRIOR: Mapping[str, float] = MappingProxyType(
    {
        "wind_gain": WIND_PER_MS * 10.0,
        "wind_alignment": ALIGNMENT_PER_MS * 10.0,
        "slope_gain": SLOPE_PER_DEGREE * 90.0,
    }
)
"""``α_w1``, ``α_w2`` and ``α_s`` by their names in :class:`firegui.fire.spread.SpreadFields`."""

EVEN_AT_MS = 0.75
"""``V₀``, m/s: the mean wind of the days that the shipped network was trained on, so that evening leaves its rates."""

SOURCE = "Alexandridis et al. 2008"
