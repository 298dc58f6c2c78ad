"""The front of a fire that is already in motion when a rollout starts.

A front that starts from an edge of burning cells first has to build up the tail that pulls it, and stays four to five
cells behind one that has it. With :attr:`~firegui.domain.maps.FireMaps.moving_start` the tail is there at once: a cell
at the distance ``d`` from the fire, in the direction ``n`` from its nearest cell, has burned and burns with

    P = B = min(0.9 (1 + λ x) e^(−λ x), 0.45) P∞²,    x = max(d − 1/2, 0),

the linear tail of a pulled front at its speed ``v(n) = min over λ of g(λ) / λ`` with
``g(λ) = ln(1 − 1/T_b + Σ_k K_k exp(λ n·d_k))`` (van Saarloos 2003, section 2; :mod:`~firegui.rollout.front_speed`).
``P∞ = 1 − exp(−T_b Σ_k K_k P∞)`` is what burns behind the front; its square keeps the long tail of a fire that hardly
spreads from being more than what burns behind it. The gains are those of the cell in the first period. Where
``T_b Σ_k K_k`` is 1 or less, no front moves: there nothing burns ahead. Behind such cells, and others that do not burn,
``d`` is the way around them. On a way across barriers ``P`` and ``B`` are multiplied by their factors; a way that they
close is none.

On uniform ground a fire from a square of 480 m had after a day the size of the ellipse within 4 % with cells of 15, 30
and 60 m, in slow litter within 11 %; without its tail it was 7 to 27 % smaller in grass.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from firegui.domain.compact_maps import SpreadOnDemand
from firegui.domain.edge_factors import SparseFactors
from firegui.domain.maps import FireMaps
from firegui.domain.stencil import NEIGHBOURS

Floats = NDArray[np.float64]

REACH = 13
"""Cells ahead of the fire in which it burns; farther away it is below the rounding of float32."""
_HEIGHT, _MOST = 0.9, 0.45
_LONGEST_STRAIGHT = 1.0824
"""Length of a path of steps to eight neighbours by that of the straight line, at most: at 22.5° to the grid."""
_HALVINGS = 24
_LEAST, _STEEPEST = 1e-3, 40.0


def ahead_of_start(maps: FireMaps) -> NDArray[np.float32] | None:
    """Return how much of each cell burns ahead of the fire at the start, ``[H, W]``.

    It is ``None`` for maps without a moving start. It is 0 in the fire, and where nothing burns.
    """
    if not maps.moving_start:
        return None
    fire = maps.start.fire
    ahead = np.zeros(maps.shape, np.float32)
    rows, columns = np.nonzero(maps.ignition)
    if not len(rows):
        return ahead
    sides = zip((rows, columns), maps.shape, strict=True)
    down_box, right_box = (
        slice(max(int(at.min()) - REACH, 0), min(int(at.max()) + REACH + 1, size)) for at, size in sides
    )
    box = down_box, right_box
    barriers = None if maps.barriers is None else maps.barriers.part(box).of_period(0)
    open_ground = maps.burnable[box] & ~fire[box]
    distances, _, _, _ = _ways_from(maps.ignition[box], open_ground, barriers)
    near = np.argwhere(np.isfinite(distances) & open_ground)
    if not len(near):
        return ahead
    places = near + [side.start for side in box]
    gains = _gains(maps, *places.T)
    behind = _burned_behind(gains.sum(axis=0) * maps.t_burn)
    open_ground[tuple(near.T)] = behind > 0.0
    distances, down, right, passed = _ways_from(maps.ignition[box], open_ground, barriers)
    at = tuple(near.T)
    reached = np.isfinite(distances[at]) & (behind > 0.0)
    apart = distances[at][reached]
    stencil = maps.stencil
    ways = np.array([stencil.displacement(k) for k in range(len(stencil.offsets))], np.float64)
    below, beside = down[at][reached], right[at][reached]
    straight = np.hypot(below, beside)
    along = np.outer(below / straight, ways[:, 0]) + np.outer(beside / straight, ways[:, 1])
    steep = _steepness(gains.T[reached].astype(np.float64), along, 1.0 - 1.0 / maps.t_burn)
    stretched = steep * np.maximum(apart - 0.5, 0.0)
    share = np.minimum(_HEIGHT * (1.0 + stretched) * np.exp(-stretched), _MOST)
    ahead[tuple(places[reached].T)] = share * behind[reached] ** 2 * passed[at][reached]
    return ahead


def start_fields(maps: FireMaps) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return ``P [H, W]``, burning or burned, and ``B [H, W]``, burning, at the start."""
    fire, burning = maps.start.fire.astype(np.float32), maps.ignition.astype(np.float32)
    ahead = ahead_of_start(maps)
    return (fire, burning) if ahead is None else (fire + ahead, burning + ahead)


def _gains(maps: FireMaps, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return ``K [N, M]`` of cells in the first period."""
    if isinstance(maps.phi, SpreadOnDemand):
        potentials = maps.phi.of_cells(0, rows, columns)
    else:
        potentials = maps.phi[0][:, rows, columns]
    found: NDArray[np.float32] = potentials * maps.gamma[0][rows, columns]
    return found


def _burned_behind(ignitions: NDArray[np.floating[Any]]) -> Floats:
    """Return ``P∞ [M]`` by how many cells a burning cell ignites in its life ``[M]``; 0 for one or fewer."""
    ignitions = ignitions.astype(np.float64)
    burned = np.ones_like(ignitions)
    for _ in range(60):
        burned = 1.0 - np.exp(-ignitions * burned)
    return np.where(ignitions > 1.0, burned, 0.0)


def _ways_from(
    fire: NDArray[np.bool_], open_ground: NDArray[np.bool_], barriers: SparseFactors | None
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return distance and way from the nearest cell of the fire, and the factor of barriers on it.

    All are ``[h, w]``, in cells; the way has rows and columns. The distance is infinite beyond :data:`REACH` and where
    no open ground leads. It is that of the straight line. A path that steps to neighbours cannot make as long on the
    straight line leads around something, and counts whole.
    """
    height, width = fire.shape
    apart = np.where(fire, 0.0, np.inf)
    down, right, walked = (np.zeros_like(apart) for _ in range(3))
    passed = np.ones_like(apart)
    front = np.nonzero(fire)
    while len(front[0]):
        nearer = np.zeros_like(fire)
        for below, beside in NEIGHBOURS:
            row, column = front[0] + below, front[1] + beside
            inside = (row >= 0) & (row < height) & (column >= 0) & (column < width)
            inside[inside] = open_ground[row[inside], column[inside]]
            at, of = (row[inside], column[inside]), (front[0][inside], front[1][inside])
            way = down[of] + below, right[of] + beside
            far, path = np.hypot(*way), walked[of] + np.hypot(below, beside)
            far = np.where(path > _LONGEST_STRAIGHT * far + 1e-9, path, far)
            share = passed[of]
            if barriers is not None:
                is_held, factors = barriers.of_cells(*at)
                share[is_held] *= factors[:, NEIGHBOURS.index((-below, -beside))]
            is_nearer = (far < apart[at]) & (far <= REACH) & (share > 0.0)
            at = at[0][is_nearer], at[1][is_nearer]
            for field, values in (
                (apart, far), (down, way[0]), (right, way[1]), (walked, path), (passed, share),
            ):  # fmt: skip
                field[at] = values[is_nearer]
            nearer[at] = True
        front = np.nonzero(nearer)
    return apart, down, right, passed


def _steepness(gains: Floats, along: Floats, kept: float) -> Floats:
    """Return ``λ [M]`` at which ``g(λ) / λ`` is least.

    That is for ``gains [M, N]`` of neighbours that lie ``along [M, N]`` behind the front. There ``λ g'(λ) = g(λ)``,
    and the difference of both grows with ``λ``.
    """
    low, high = np.full(len(gains), _LEAST), np.full(len(gains), _STEEPEST)
    for _ in range(_HALVINGS):
        middle = np.sqrt(low * high)
        parts = gains * np.exp(middle[:, None] * along)
        total, slope = kept + parts.sum(axis=1), (parts * along).sum(axis=1)
        is_beyond = middle * slope / total > np.log(total)
        high, low = np.where(is_beyond, middle, high), np.where(is_beyond, low, middle)
    found: Floats = np.sqrt(low * high)
    return found
