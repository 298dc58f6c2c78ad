"""Gains of sixteen neighbours whose front moves as an ellipse does on uniform ground.

``resources/fire/front_table.npz`` was fitted by ``packaging/fit_front_table.py``. It holds ``ln K`` in thousandths by
the head's speed ``c`` in cells per step, by ``1 / (c T_b)`` with the burn duration ``T_b`` in steps, by the
length-to-width ratio and by the angle of the head to the grid from 0 to 45°; the symmetry of the neighbours gives the
other angles.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from firegui.assets import resource
from firegui.domain.stencil import SIXTEEN
from firegui.native.compiled import kernel

Floats = NDArray[np.float64]
Raster = NDArray[np.float32]

MOST_CELLS_PER_STEP = 1.0
"""The fastest head of the table."""
MOST_RATIO = 4.0
"""The longest ellipse of the table: sixteen neighbours carry no longer one at every angle."""
LEAST_MOVED = 0.25
"""Cells that the head of the slowest fire of the table moves during a burn duration."""
_SLOWEST = 0.005
_SPEED_NODES = 48
_QUARTER = np.pi / 2.0


@dataclass(frozen=True, slots=True, eq=False)
class FrontTable:
    """The table at one burn duration.

    ``log_gains [speeds, ratios, angles, 16]`` are ``ln K`` at equally spaced logarithms of the speed from ``slowest``
    to :data:`MOST_CELLS_PER_STEP`, at ``ratios [R]`` and at equally spaced angles from 0 to 45°.
    """

    log_gains: Raster
    slowest: float
    angles: Floats

    @staticmethod
    def of(t_burn: float) -> FrontTable:
        """Return the shipped table at a burn duration in steps."""
        logs, burns, speeds, angles = _shipped()
        slowest = max(_SLOWEST, 1.0 / (burns[-1] * t_burn))
        at = np.geomspace(slowest, MOST_CELLS_PER_STEP, _SPEED_NODES)
        # ln(K / c) changes little with the speed.
        level = logs - np.log(speeds)[:, None, None, None]
        along_burns, weight = _between(burns, 1.0 / (at * t_burn))
        along_speeds, share = _between(speeds, at)
        found = np.log(at)[:, None, None, None] + sum(
            (abs(1 - more - weight) * abs(1 - higher - share))[:, None, None, None]
            * level[along_burns + more, along_speeds + higher]
            for more in (0, 1)
            for higher in (0, 1)
        )
        return FrontTable(found.astype(np.float32), slowest, angles)

    def gains(self, speed: Raster, ratio: Raster, direction: Raster) -> Raster:
        """Return the gains ``K [16, ...]`` per step of heads of ``speed [...]`` in cells per step.

        ``direction [...]`` is that of the head in radians, counter-clockwise from the grid's east. Speeds above
        :data:`MOST_CELLS_PER_STEP` and ratios above :data:`MOST_RATIO` are taken as these. Below ``slowest`` gains are
        proportional to the speed: such a fire goes out where its burn duration is too short for it.
        """
        found = np.empty((16, speed.size), np.float32)
        heads = [np.ravel(values).astype(np.float32) for values in (speed, ratio, direction)]
        _interpolate(heads[0], heads[1], heads[2], self.log_gains, self.slowest, self.angles, _TURNED, found)
        return found.reshape(16, *speed.shape)


@kernel
def _interpolate(
    speed: Raster, ratio: Raster, direction: Raster, log_gains: Raster, slowest: float, angles: Floats,
    turned: NDArray[np.int64], found: Raster,
) -> None:  # fmt: skip
    """Compute the gains ``found [16, n]`` of ``n`` heads.

    ``ln K`` is interpolated between the eight nodes around each.
    """
    nodes, lengths, count, _ = log_gains.shape
    per_log = (nodes - 1) / math.log(MOST_CELLS_PER_STEP / slowest)
    per_stretch = (lengths - 1) / math.acosh(MOST_RATIO)
    for cell in range(len(speed)):
        if speed[cell] <= 0.0:
            for neighbour in range(16):
                found[neighbour, cell] = 0.0
            continue
        height = math.log(min(max(speed[cell], slowest), MOST_CELLS_PER_STEP) / slowest) * per_log
        low = min(max(int(height), 0), nodes - 2)
        stretch = math.acosh(min(max(ratio[cell], 1.0), MOST_RATIO)) * per_stretch
        short = min(max(int(stretch), 0), lengths - 2)
        around = direction[cell] % (2.0 * math.pi)
        quarter = min(int(around / _QUARTER), 3)
        within = around - quarter * _QUARTER
        is_mirrored = within > _QUARTER / 2.0
        folded = _QUARTER - within if is_mirrored else within
        near = 0
        while near < count - 2 and angles[near + 1] <= folded:
            near += 1
        up, longer = height - low, stretch - short
        along = min(max((folded - angles[near]) / (angles[near + 1] - angles[near]), 0.0), 1.0)
        share = min(speed[cell] / slowest, 1.0)
        order = 2 * quarter + (1 if is_mirrored else 0)
        for neighbour in range(16):
            of = turned[order, neighbour]
            total = 0.0
            for faster in range(2):
                by_speed = up if faster else 1.0 - up
                for wider in range(2):
                    by_ratio = longer if wider else 1.0 - longer
                    near_log = log_gains[low + faster, short + wider, near, of]
                    far_log = log_gains[low + faster, short + wider, near + 1, of]
                    total += by_speed * by_ratio * ((1.0 - along) * near_log + along * far_log)
            found[neighbour, cell] = math.exp(total) * share


@cache
def _shipped() -> tuple[Floats, Floats, Floats, Floats]:
    """Return ``ln K [burns, speeds, ratios, angles, 16]`` and the nodes of burn, speed and angle."""
    with np.load(resource("fire/front_table.npz"), allow_pickle=False) as held:
        logs, burns, speeds, angles = (held[name] for name in ("log_thousandths", "burns", "speeds", "angles"))
    return logs / 1000.0, burns, speeds, angles


def _between(nodes: Floats, values: NDArray[np.floating]) -> tuple[NDArray[np.int64], Floats]:
    """Return the node below every value, never the last one, and the share of the way to the next."""
    low = np.clip(np.searchsorted(nodes, values, side="right") - 1, 0, len(nodes) - 2)
    share = np.clip((values - nodes[low]) / (nodes[low + 1] - nodes[low]), 0.0, 1.0)
    return low, share.astype(np.float64)


def _turns() -> NDArray[np.int64]:
    """Return ``[8, 16]`` which neighbour of the table has a neighbour's gain.

    The first axis is that of quarter turns and mirroring.
    """
    ways = [(column, -row) for row, column in map(SIXTEEN.displacement, range(16))]
    found = []
    for quarter in range(4):
        for is_mirrored in (False, True):
            back = ways
            for _ in range(quarter):
                back = [(y, -x) for x, y in back]  # by 90° clockwise
            found.append([ways.index((y, x) if is_mirrored else (x, y)) for x, y in back])
    return np.array(found)


_TURNED = _turns()
