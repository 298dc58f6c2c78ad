"""Tables of footprints for the kernels, made ahead of their use and, for a gradient, beside the rollout."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from firegui.rollout.footprint import CELL_VARIANCE
from firegui.rollout.kernels.cpu_footprints import REACH, Aircraft, Pieces, Wind, evaluate
from firegui.rollout.kernels.layout import Shape, Workspace

Pairs = NDArray[np.int64]
Table = tuple[Pairs, Pieces]


def pieces_of(
    pairs: Pairs, poses: NDArray[np.float64], fleet: Aircraft, wind: Wind, shape: Shape, space: Workspace, name: str
) -> Pieces:
    """The footprints of ``pairs [n, 2]`` = ``(step, column)``, in the memory that ``space`` has under ``name``."""
    count, done = _estimate(pairs, fleet), 0
    pieces = _room(len(pairs), count, space, name)
    pieces.first[0] = 0
    while True:
        done = evaluate(pairs, done, poses, fleet, wind, shape, pieces)
        if done == len(pairs):
            return pieces
        count = 2 * count + 1024
        more = _room(len(pairs), count, space, name)
        for old, new in zip(pieces, more, strict=True):
            new[: len(old)] = old
        pieces = more


def _estimate(pairs: Pairs, fleet: Aircraft) -> int:
    """As many pieces as the ellipses need: their area, and one more per row."""
    along, across = np.sqrt(fleet.parallel**2 + CELL_VARIANCE), np.sqrt(fleet.perpendicular**2 + CELL_VARIANCE)
    each = 2.0 * REACH * np.pi * along * across / 8.0 + 2.0 * np.sqrt(2.0 * REACH) * along + 4.0
    return int(each[pairs[:, 1]].sum()) + 64


def _room(pairs: int, count: int, space: Workspace, name: str) -> Pieces:
    return Pieces(
        space.room(f"{name} first", pairs + 1, np.int64),
        space.room(f"{name} places", count, np.int32),
        space.room(f"{name} weights", 8 * count, np.float32),
        space.room(f"{name} corner", 2 * count, np.float32),
        space.room(f"{name} about", 8 * pairs, np.float64),
    )


class PieceTables:
    """Footprints of many pairs, a table a stretch, made by a helper from the first on and by whoever asks for one.

    The tables do not depend on each other, so who makes one changes nothing in it.
    """

    def __init__(self, stretches: int, make: Callable[[int], Table], helper: Executor | None) -> None:
        self._make, self._waiting, self._lock = make, list(range(stretches)), Lock()
        self._made: dict[int, Future[Table]] = {stretch: Future() for stretch in range(stretches)}
        self._helping = helper.submit(self._help) if helper is not None else None

    def take(self, stretch: int) -> Table:
        """The table of a stretch."""
        if self._claim(stretch):
            return self._make(stretch)
        return self._made[stretch].result()

    def __enter__(self) -> PieceTables:
        return self

    def __exit__(self, *error: object) -> None:
        """Make no more, and wait for the one in the making."""
        with self._lock:
            self._waiting.clear()
        if self._helping is not None:
            self._helping.result()

    def _claim(self, stretch: int) -> bool:
        with self._lock:
            if stretch not in self._waiting:
                return False
            self._waiting.remove(stretch)
            return True

    def _help(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    return
                stretch = self._waiting.pop(0)
            try:
                self._made[stretch].set_result(self._make(stretch))
            except BaseException as error:  # whoever takes the table has to hear of it
                self._made[stretch].set_exception(error)
