"""How well a rolled-out fire agrees with observed perimeters. Numpy only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firegui.fire.card import DayScore

Bools = NDArray[np.bool_]

LIKELY = 0.5


def iou(first: Bools, second: Bools) -> float:
    """Intersection over union of two masks; 1 when both are empty."""
    union = int((first | second).sum())
    return float((first & second).sum()) / union if union else 1.0


def soft_iou(probability: NDArray[Any], observed: Bools) -> float:
    """``ΣPO / Σ(P + O − PO)`` of a probability field ``[H, W]`` and a mask; 1 when both are empty."""
    inside = float(probability[observed].sum(dtype=np.float64))
    union = float(probability.sum(dtype=np.float64)) + int(observed.sum()) - inside
    return inside / union if union > 0 else 1.0


def day_score(day: int, probability: NDArray[Any], observed: Bools, held: Bools) -> DayScore:
    """Compare the state ``P [H, W]`` at the end of ``day`` days with the perimeter, and ``held`` with the perimeter."""
    likely = probability >= LIKELY
    expected, cells = float(probability.sum(dtype=np.float64)), int(observed.sum())
    return DayScore(
        day=day,
        observed_cells=cells,
        expected_cells=round(expected),
        likely_cells=int(likely.sum()),
        iou=iou(likely, observed),
        soft_iou=soft_iou(probability, observed),
        area_error=(expected - cells) / max(cells, 1),
        held_iou=iou(held, observed),
    )


def misfit(scores: Sequence[DayScore], start_cells: int) -> float:
    """What the fit makes small: how far shape, size and growth are off.

    ``mean(1 − soft IoU) + ½ mean|area error| + ½ Σ|ΔP − ΔO| / ΣΔO``, the last over the growth from one scored day to
    the next, beginning with ``start_cells``. Shape and size alone would accept a fire that passes the observed one at
    full speed on the last fitted day; the growth term makes it slow down where the observed one did.
    """
    shape = float(np.mean([1.0 - score.soft_iou for score in scores]))
    size = float(np.mean([abs(score.area_error) for score in scores]))
    grown = np.diff([start_cells, *(score.observed_cells for score in scores)])
    expected = np.diff([start_cells, *(score.expected_cells for score in scores)])
    growth = float(np.abs(expected - grown).sum()) / max(float(grown.sum()), 1.0)
    return shape + 0.5 * size + 0.5 * growth
