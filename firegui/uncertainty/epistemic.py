"""Model error: at the end of every day the fire is off by a correlated field (paper, section ``uq``, source 2)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from firegui.domain.uncertainty import ErrorModel
from firegui.rollout.alteration import Alteration, State
from firegui.rollout.observe import Window
from firegui.uncertainty.ilr import ilr, inverse
from firegui.uncertainty.random_field import Field

FieldOf = Callable[[int], Field]
"""The field of a day, ``[2, H, W]`` over the whole raster."""


def model_error(error: ErrorModel, field_of: FieldOf) -> Alteration:
    """``z ← z + η_n`` where ``P > threshold``, for :func:`~firegui.rollout.simulate.simulate`.

    ``z`` are the ILR coordinates of a day's end, with probabilities raised to the model's floor. Every day has a field
    of its own. A cell that has burned may be unburned again: the field says that it never had.
    """

    def disturb(day: int, window: Window, unburned: State, burning: State) -> tuple[State, State]:
        touched = np.nonzero(1.0 - unburned > error.threshold)
        if not len(touched[0]):
            return unburned, burning
        u, b = unburned[touched].astype(np.float64), burning[touched].astype(np.float64)
        noise = field_of(day)[:, window[0], window[1]][:, touched[0], touched[1]]
        after, hot, _ = inverse(ilr(u, b, 1.0 - u - b, floor=error.floor) + noise)
        unburned[touched], burning[touched] = after, hot
        return unburned, burning

    return Alteration(disturb)
