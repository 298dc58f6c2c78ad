"""Tables of footprints for the kernels, in memory that is used again."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from firegui.rollout.footprint import CELL_VARIANCE
from firegui.rollout.kernels.cpu_footprints import REACH, Aircraft, Pieces, Wind, evaluate
from firegui.rollout.kernels.layout import Shape, Workspace

Pairs = NDArray[np.int64]


def pieces_of(
    pairs: Pairs, poses: NDArray[np.float64], fleet: Aircraft, wind: Wind, shape: Shape, space: Workspace, name: str,
    *, moving: bool = True,
) -> Pieces:  # fmt: skip
    """The footprints of ``pairs [n, 2]`` = ``(step, column)``, in the memory that ``space`` has under ``name``."""
    count, done = _estimate(pairs, fleet), 0
    pieces = _room(len(pairs), count, space, name)
    pieces.first[0] = 0
    while True:
        done = evaluate(pairs, done, poses, fleet, wind, shape, pieces, moving)
        if done == len(pairs):
            return pieces
        count = 2 * count + 1024
        more = _room(len(pairs), count, space, name)
        for field, old in pieces._asdict().items():
            getattr(more, field)[: len(old)] = old
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
