"""Changes of the fire's state from outside the fire model, at the ends of days.

Both uncertainty models of the paper (section ``uq``) and the worst-case front shift (section ``design_eta``) act there:
the state of every day's end, the last day's too, is replaced, and the next day starts from what takes its place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firegui.rollout.observe import Window

State = NDArray[np.floating[Any]]
Change = Callable[[int, Window, State, State], tuple[State, State]]
"""``change(day, window, U, B)`` answers the new ``U`` and ``B``.

``day`` is the day that has just ended, ``0 … D − 1``. ``U`` and ``B`` are copies, ``[h, w]`` on ``window``; outside of
it nothing has burned (``U = 1``, ``B = 0``) and nothing can be changed. What has burned out is the rest,
``R = 1 − U − B``.
"""

ROUNDING = 1e-5


@dataclass(frozen=True, slots=True, eq=False)
class Alteration:
    """Change of ``p^U`` and ``p^B`` at the end of every day.

    The window is the engine's own: where the fire can be, and more. So that every engine gives the same answer, a cell
    must be changed in the same way whatever the window: draw fields of the whole raster and read the window of them.
    For the same reason, and because a batch calls it from several threads, a change depends on its arguments only.

    ``only_grows`` promises that it raises no ``U``: ``P`` then never falls in any cell, and a rollout with bounds can
    be given up as early as one without the change.
    """

    change: Change
    only_grows: bool = False

    def applied(self, day: int, window: Window, unburned: State, burning: State) -> tuple[State, State]:
        """Return the checked state after the change.

        It has the same shape and type, with ``U ≥ 0``, ``B ≥ 0`` and ``U + B ≤ 1``.

        Raises :class:`ValueError` for anything else, and where a change that only grows has raised a ``U``.
        """
        shape, kind = unburned.shape, unburned.dtype
        before = unburned.copy() if self.only_grows else unburned
        after, alight = (
            np.require(field, kind, ["C", "W"]) for field in self.change(day, window, unburned, burning)
        )  # fmt: skip
        if after.shape != shape or alight.shape != shape:
            raise ValueError(f"the change answers {after.shape} and {alight.shape} where the window is {shape}")
        if after.size and not (after.min() >= 0.0 and alight.min() >= 0.0 and (after + alight).max() <= 1.0 + ROUNDING):
            raise ValueError(f"the change at the end of day {day} leaves what are not probabilities")
        if self.only_grows and (after > before).any():
            raise ValueError(f"the change at the end of day {day} shrinks the fire, which it promised not to do")
        return after, alight
