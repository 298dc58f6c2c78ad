"""Drop footprints in 8-cell pieces, evaluated where the Gaussian counts.

The paper normalises an oriented Gaussian over a square window of ``5 σ_max`` (:mod:`firegui.rollout.footprint`); for a
DC-10 that is some 10,000 cells of which 500 hold all but 1e-7 of it. Here each row of the window is cut to the ellipse
``u²/σ∥² + v²/σ⊥² ≤ 2 · REACH``, so that the normaliser, taken over what is left, is the window's to about 2e-8.
With ``u`` along and ``v`` across the axis the derivatives of ``log G`` are

    ∂/∂y = −u sin θ / σ∥² + v cos θ / σ⊥²     ∂/∂x = u cos θ / σ∥² + v sin θ / σ⊥²     ∂/∂θ = u v (1/σ∥² − 1/σ⊥²)

so the four inner products of a drop with a field ``F`` follow from ``Σ G F``, ``Σ G u F``, ``Σ G v F``, ``Σ G u v F``.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firegui.domain.compact_maps import FAILS
from firegui.native.compiled import inlined, kernel
from firegui.native.vectors import fma, lanes8, splat8, store, total, where_above
from firegui.rollout.footprint import CELL_VARIANCE, NORMALISER_EPSILON
from firegui.rollout.kernels.cpu_arithmetic import survival8
from firegui.rollout.kernels.layout import MARGIN, MARGIN_ROWS, Floats, Sizes

REACH = 18.0
"""Exponent at which a footprint is cut: ``e^−18`` of its peak."""
NEVER = 2**31 - 1
COS, SIN, ALONG, ACROSS, AMOUNT, MEAN_U, MEAN_V, MEAN_UV = range(8)


class Aircraft(NamedTuple):
    """Fleet data of a footprint, per column.

    Fall time in s, scales in cells, half of the window, P_a α_a, the farthest drift in cells in any wind of the plan.
    """

    fall_s: NDArray[np.float64]
    parallel: NDArray[np.float64]
    perpendicular: NDArray[np.float64]
    half: NDArray[np.int64]
    dose: NDArray[np.float64]
    drift: NDArray[np.float64]


class Box(NamedTuple):
    """Rows ``top … bottom − 1``, columns ``left … right − 1``, and a step."""

    top: int
    bottom: int
    left: int
    right: int
    step: int


class Wind(NamedTuple):
    """Speed in m/s and direction towards which it blows, ``[D P, h, w]``.

    They are those of blocks of ``block × block`` cells; ``cell_size`` is in m.
    """

    speed: Floats
    towards: Floats
    steps_per_period: int
    cell_size: float
    block: int


class Working(NamedTuple):
    """Where drops work: ``values`` and ``periods`` of :class:`~firegui.domain.compact_maps.DropCells`.

    Both are empty where drops work everywhere.
    """

    values: NDArray[np.uint8]
    periods: NDArray[np.int64]


class Pieces(NamedTuple):
    """Footprints of some pairs.

    Drop ``k`` has the pieces ``first[k] … first[k + 1]``: where each lies in a field, the 8 weights of its cells (not
    normalised) and ``(u, v)`` of the first of them. ``about[8 k …]`` has :data:`COS` … :data:`MEAN_UV`: the axis, the
    inverse squares of the scales, the dose of a weight of 1, and the means of ``u``, ``v``, ``u v`` over the footprint.
    """

    first: NDArray[np.int64]
    places: NDArray[np.int32]
    weights: Floats
    corner: Floats
    about: NDArray[np.float64]


@inlined
def floor(number: float) -> int:
    """Return the whole number below; a conversion cuts towards 0, and no place is a million cells outside."""
    return int(number + 1048576.0) - 1048576


@inlined
def landing(
    poses: NDArray[np.float64], step: int, column: int, fleet: Aircraft, wind: Wind, shape: Sizes
) -> tuple[float, float]:
    """Return where a drop comes down (:func:`firegui.rollout.landing.drift_cells`)."""
    row = min(max(int(np.rint(poses[step, column, 0])), 0), shape.rows - 1)
    col = min(max(int(np.rint(poses[step, column, 1])), 0), shape.columns - 1)
    period, i, j = step // wind.steps_per_period, row // wind.block, col // wind.block
    towards = float(wind.towards[period, i, j])
    drift = float(wind.speed[period, i, j]) * fleet.fall_s[column] / wind.cell_size
    return poses[step, column, 0] - drift * math.sin(towards), poses[step, column, 1] + drift * math.cos(towards)


@kernel
def landings(
    pairs: NDArray[np.int64], poses: NDArray[np.float64], fleet: Aircraft, wind: Wind, shape: Sizes,
    cells: NDArray[np.int64],
) -> None:  # fmt: skip
    """Compute the rows and columns ``cells [2, n]`` of the raster nearest to where drops come down."""
    for k in range(len(pairs)):
        step, column = pairs[k]
        y, x = landing(poses, step, column, fleet, wind, shape)
        cells[0, k] = min(max(int(np.rint(y)), 0), shape.rows - 1)
        cells[1, k] = min(max(int(np.rint(x)), 0), shape.columns - 1)


@kernel
def reach_of(
    pairs: NDArray[np.int64], poses: NDArray[np.float64], fleet: Aircraft, wind: Wind, shape: Sizes,
    box: Box,
) -> Box:  # fmt: skip
    """Return the rows and columns that footprints of ``pairs`` can reach inside ``box``.

    The first step of any is returned, too.
    """
    top, bottom, left, right, first = box.bottom, box.top, box.right, box.left, NEVER
    for k in range(len(pairs)):
        step, column = pairs[k]
        if _meets(poses[step, column, 0], poses[step, column, 1], fleet.half[column] + 1 + fleet.drift[column], box):
            y, x = landing(poses, step, column, fleet, wind, shape)
            reach = fleet.half[column] + 1
            if _meets(y, x, reach, box):
                top, bottom = min(top, floor(y) - reach), max(bottom, floor(y) + reach + 2)
                left, right = min(left, floor(x) - reach), max(right, floor(x) + reach + 2)
                first = min(first, step)
    return Box(max(top, box.top), min(bottom, box.bottom), max(left, box.left), min(right, box.right), first)


@inlined
def _meets(y: float, x: float, reach: float, box: Box) -> bool:
    return box.top - reach <= y <= box.bottom + reach and box.left - reach <= x <= box.right + reach


@kernel
def relevant(
    pairs: NDArray[np.int64], poses: NDArray[np.float64], fleet: Aircraft, wind: Wind, shape: Sizes,
    water: NDArray[np.bool_], box: Box, alight: int, chosen: NDArray[np.bool_],
) -> None:  # fmt: skip
    """Choose the pairs whose gradient can be other than 0.

    They reach the ``box`` in which anything burned. Retardant drops no later than its step, after which nothing
    ignites, water before the step ``alight``, from which on nothing burns.
    """
    for k in range(len(pairs)):
        step, column = pairs[k]
        chosen[k] = False
        flies = step < alight if water[column] else step <= box.step
        if flies and _meets(
            poses[step, column, 0], poses[step, column, 1], fleet.half[column] + 1 + fleet.drift[column], box
        ):
            y, x = landing(poses, step, column, fleet, wind, shape)
            chosen[k] = _meets(y, x, fleet.half[column] + 1, box)


@kernel
def evaluate(
    pairs: NDArray[np.int64], begin: int, poses: NDArray[np.float64], fleet: Aircraft, wind: Wind, working: Working,
    shape: Sizes, pieces: Pieces, moving: bool,
) -> int:  # fmt: skip
    """Compute footprints of the ``(step, column)`` pairs from ``begin`` on.

    Returns the first pair that did not fit any more. The parts of a footprint where drops do not work weigh nothing.
    The means are those of footprints whose poses are ``moving``.
    """
    room, limited = len(pieces.places), len(working.periods) > 0
    for k in range(begin, len(pairs)):
        step, column = pairs[k]
        number = working.periods[step // wind.steps_per_period] if limited else 0
        y, x = landing(poses, step, column, fleet, wind, shape)
        theta = poses[step, column, 2]
        cos, sin = math.cos(theta), math.sin(theta)
        along = 1.0 / (fleet.parallel[column] ** 2 + CELL_VARIANCE)
        across = 1.0 / (fleet.perpendicular[column] ** 2 + CELL_VARIANCE)
        half = fleet.half[column]
        centre_row = min(max(int(np.rint(y)), 0), shape.rows - 1)
        centre_column = min(max(int(np.rint(x)), 0), shape.columns - 1)
        qxx, qxy = cos * cos * along + sin * sin * across, -cos * sin * (along - across)
        lean, wide, round_ = -qxy / qxx, 2.0 * REACH / qxx, along * across / (qxx * qxx)
        tallest = math.sqrt(2.0 * REACH * qxx / (along * across))
        to_u, to_v = splat8(np.float32(cos)), splat8(np.float32(sin))
        half_along, half_across = splat8(np.float32(0.5 * along)), splat8(np.float32(0.5 * across))
        used = pieces.first[k]
        nothing = splat8(np.float32(0.0))
        mass, mass_u, mass_v, mass_uv = nothing, nothing, nothing, nothing
        for i in range(
            max(centre_row - half, floor(y - tallest)),
            min(centre_row + half, floor(y + tallest)) + 1,
        ):
            dy = i - y
            width = math.sqrt(max(wide - round_ * dy * dy, 0.0))
            middle = x + lean * dy
            low = max(floor(middle - width) + 1, centre_column - half)
            high = min(floor(middle + width), centre_column + half)
            if low > high:
                continue
            if used + (high - low) // 8 + 1 > room:
                return k
            for j in range(low, high + 1, 8):
                dx = j - x
                first_u, first_v = np.float32(cos * dx - sin * dy), np.float32(sin * dx + cos * dy)
                u = fma(lanes8(), to_u, splat8(first_u))
                v = fma(lanes8(), to_v, splat8(first_v))
                exponent = u * u * half_along + v * v * half_across
                weight = where_above(splat8(np.float32(high - j + 0.5)), lanes8(), survival8(exponent))
                mass = mass + weight
                if moving:
                    mass_u, mass_v = fma(weight, u, mass_u), fma(weight, v, mass_v)
                    mass_uv = fma(weight * u, v, mass_uv)
                if 0 <= i < shape.rows and -8 < j < shape.columns:
                    pieces.places[used] = (i + MARGIN_ROWS) * shape.stride + MARGIN + j
                    if j < 0 or j + 8 > shape.columns:  # what lands outside the raster is lost
                        weight = where_above(splat8(np.float32(shape.columns - j - 0.5)), lanes8(), weight)
                        weight = where_above(lanes8(), splat8(np.float32(-j - 0.5)), weight)
                    store(pieces.weights, used * 8, weight)
                    if limited:
                        for lane in range(max(-j, 0), min(8, shape.columns - j)):
                            if working.values[number, i, j + lane] == FAILS:
                                pieces.weights[used * 8 + lane] = np.float32(0.0)
                    pieces.corner[used * 2], pieces.corner[used * 2 + 1] = first_u, first_v
                    used += 1
        pieces.first[k + 1] = used
        about, axis, whole = pieces.about, 8 * k, float(total(mass)) + NORMALISER_EPSILON
        about[axis + COS], about[axis + SIN], about[axis + ALONG], about[axis + ACROSS] = cos, sin, along, across
        about[axis + AMOUNT] = fleet.dose[column] / whole
        about[axis + MEAN_U], about[axis + MEAN_V] = float(total(mass_u)) / whole, float(total(mass_v)) / whole
        about[axis + MEAN_UV] = float(total(mass_uv)) / whole
    return len(pairs)
