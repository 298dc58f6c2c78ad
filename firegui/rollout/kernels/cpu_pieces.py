"""Tables of footprints for the kernels, made ahead of their use and, for a gradient, beside the rollout."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from firegui.rollout.footprint import CELL_VARIANCE
from firegui.rollout.kernels.cpu_footprints import REACH, Aircraft, Pieces, Wind, evaluate
from firegui.rollout.kernels.layout import Shape

Pairs = NDArray[np.int64]


def pieces_of(pairs: Pairs, poses: NDArray[np.float64], fleet: Aircraft, wind: Wind, shape: Shape) -> Pieces:
    """The footprints of ``pairs [n, 2]`` = ``(step, column)``."""
    pieces = _room(pairs, fleet)
    done = evaluate(pairs, 0, poses, fleet, wind, shape, pieces)
    while done < len(pairs):
        pieces = _grown(pieces)
        done = evaluate(pairs, done, poses, fleet, wind, shape, pieces)
    return pieces


def _room(pairs: Pairs, fleet: Aircraft) -> Pieces:
    """As many pieces as the ellipses need: their area, and one more per row."""
    along, across = np.sqrt(fleet.parallel**2 + CELL_VARIANCE), np.sqrt(fleet.perpendicular**2 + CELL_VARIANCE)
    each = 2.0 * REACH * np.pi * along * across / 8.0 + 2.0 * np.sqrt(2.0 * REACH) * along + 4.0
    count = int(each[pairs[:, 1]].sum()) + 64
    return Pieces(
        np.zeros(len(pairs) + 1, np.int64), np.empty(count, np.int32), np.empty(8 * count, np.float32),
        np.empty(2 * count, np.float32), np.empty((len(pairs), 8)),
    )  # fmt: skip


def _grown(pieces: Pieces) -> Pieces:
    more = len(pieces.places) // 2 + 1024
    return pieces._replace(
        places=np.concatenate([pieces.places, np.empty(more, np.int32)]),
        weights=np.concatenate([pieces.weights, np.empty(8 * more, np.float32)]),
        corner=np.concatenate([pieces.corner, np.empty(2 * more, np.float32)]),
    )


class PieceTables:
    """Footprints of many pairs, a table a day, made from the last day on by a helper and by whoever asks first.

    The tables do not depend on each other, so who makes one changes nothing in it.
    """

    def __init__(self, days: int, make: Callable[[int], Pieces], helper: Executor | None) -> None:
        self._make, self._waiting, self._lock = make, list(range(days)), Lock()
        self._made: dict[int, Future[Pieces]] = {day: Future() for day in range(days)}
        self._helping = helper.submit(self._help) if helper is not None else None

    def take(self, day: int) -> Pieces:
        """The table of ``day``, which is forgotten here."""
        if self._claim(day):
            return self._make(day)
        return self._made.pop(day).result()

    def end(self) -> None:
        """Make no more, and wait for the one in the making."""
        with self._lock:
            self._waiting.clear()
        if self._helping is not None:
            self._helping.result()

    def _claim(self, day: int) -> bool:
        with self._lock:
            if day not in self._waiting:
                return False
            self._waiting.remove(day)
            return True

    def _help(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    return
                day = self._waiting.pop()
            try:
                self._made[day].set_result(self._make(day))
            except BaseException as error:  # whoever takes the table has to hear of it
                self._made[day].set_exception(error)
