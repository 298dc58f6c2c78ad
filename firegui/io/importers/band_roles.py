"""What a band of a landscape file can be, judged by what it holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firegui.domain.fuel import FBFM13, FBFM40
from firegui.io.importers.layer_values import STAND_INS, declared_holes, no_number
from firegui.io.importers.terrain import horn

_IMPOSSIBLE = 1e6
_MOSTLY = 0.5
_CLASSES_OF_COVER = frozenset((0, *range(5, 100, 10)))
"""LANDFIRE gives canopy cover as the middles of classes 10 % wide."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """A sample of a band: ``values [h, w]`` with NaN for no data, and its cell's side in the file's units."""

    values: Floats
    cell: float

    @property
    def known(self) -> Floats:
        """The values that are there."""
        return self.values[~np.isnan(self.values)]


def look_at(sample: NDArray[Any], nodata: float | None, cell: float) -> Look:
    """A sample without what stands for no data."""
    values = sample.astype(np.float64)
    values[declared_holes(sample, nodata) | no_number(values) | np.isin(values, STAND_INS)] = np.nan
    return Look(values, cell)


def doubts(order: Sequence[str], looks: Sequence[Look]) -> list[str]:
    """What speaks against bands being in this order, in words; empty where nothing does."""
    found = []
    for number, (role, look) in enumerate(zip(order, looks, strict=True), start=1):
        if _cost(role, look, None) >= _IMPOSSIBLE:
            low, high = (look.known.min(), look.known.max()) if look.known.size else (np.nan, np.nan)
            found.append(f"band {number} ({low:g} to {high:g}) cannot be {role.replace('_', ' ')}")
    by_role = dict(zip(order, looks, strict=True))
    if not found and {"elevation", "slope", "aspect"} <= set(by_role):
        ground = _derived(by_role["elevation"])
        if ground is not None:
            found += [
                f"the {role} does not follow from the elevation"
                for role in ("slope", "aspect")
                if _cost(role, by_role[role], ground) > _MOSTLY
            ]
    if not found and {"canopy_height", "canopy_base_height"} <= set(by_role):
        over = by_role["canopy_base_height"].values > by_role["canopy_height"].values
        if over.mean() > _MOSTLY / 10.0:
            found.append("the crowns begin above their tops")
    return found


def best_order(roles: Sequence[str], looks: Sequence[Look]) -> tuple[str, ...] | None:
    """The order of ``roles`` whose costs over the bands are least together; ``None`` where none is possible.

    Every choice of the elevation is tried: slope and aspect are judged by what follows from it.
    """
    best: tuple[float, tuple[str, ...]] | None = None
    for number, look in enumerate(looks):
        rough = _cost("elevation", look, None)
        ground = _derived(look) if rough < _IMPOSSIBLE else None
        if ground is None:
            continue
        others = [role for role in roles if role != "elevation"]
        rest = [other for index, other in enumerate(looks) if index != number]
        costs = np.array([[_cost(role, other, ground) for other in rest] for role in others])
        total, chosen = _assign(costs)
        if total < _IMPOSSIBLE and (best is None or total + rough < best[0]):
            order = [others[index] for index in chosen]
            order.insert(number, "elevation")
            best = total + rough, tuple(order)
    return None if best is None else _crowns_right(best[1], looks)


def _crowns_right(order: tuple[str, ...], looks: Sequence[Look]) -> tuple[str, ...]:
    if not {"canopy_height", "canopy_base_height"} <= set(order):
        return order
    top, base = order.index("canopy_height"), order.index("canopy_base_height")
    if (looks[base].values > looks[top].values).sum() <= (looks[base].values < looks[top].values).sum():
        return order
    swap = {"canopy_height": "canopy_base_height", "canopy_base_height": "canopy_height"}
    return tuple(swap.get(role, role) for role in order)


def _assign(costs: Floats) -> tuple[float, list[int]]:
    """For each column the row that it gets, every row once, with the least sum; by dynamic programming over subsets."""
    rows, columns = costs.shape
    best: dict[int, tuple[float, list[int]]] = {0: (0.0, [])}
    for column in range(columns):
        after: dict[int, tuple[float, list[int]]] = {}
        for used, (total, chosen) in best.items():
            for row in range(rows):
                if used >> row & 1:
                    continue
                key, cost = used | 1 << row, total + float(costs[row, column])
                if key not in after or cost < after[key][0]:
                    after[key] = cost, [*chosen, row]
        best = after
    return next(iter(best.values()))


def _derived(elevation: Look) -> tuple[Floats, Floats] | None:
    """Slope in its tangent and aspect that follow from a band; ``None`` where it is flat."""
    slope, aspect = horn(elevation.values.astype(np.float32), elevation.cell)
    steepness = np.tan(np.deg2rad(slope.astype(np.float64)))
    known = steepness[~np.isnan(steepness)]
    return (steepness, aspect.astype(np.float64)) if known.size and known.std() > 0.0 else None


def _cost(role: str, look: Look, ground: tuple[Floats, Floats] | None) -> float:
    """How little a band fits a role, from 0; :data:`_IMPOSSIBLE` where it cannot be."""
    known = look.known
    if known.size == 0:
        return 1.0 if role in ("duff", "woody") else _IMPOSSIBLE
    low, high = float(known.min()), float(known.max())
    if role == "elevation":
        return _roughness(look) if low >= -1640.0 and high <= 29_100.0 and high > low else _IMPOSSIBLE
    if role == "slope":
        if low < 0.0 or high > 1000.0:
            return _IMPOSSIBLE
        return 0.0 if ground is None else 1.0 - _correlation(look.values, ground[0])
    if role == "aspect":
        if low < -1.0 or high > 360.0:
            return _IMPOSSIBLE
        return 0.0 if ground is None else _turned_away(look.values, ground[1])
    if role == "fuel":
        return _fuel_cost(known)
    return _crown_cost(role, known)


def _fuel_cost(known: Floats) -> float:
    share = float(np.isin(known, list(FBFM40 | FBFM13)).mean())
    return 1.0 - share if share > _MOSTLY and (known == np.round(known)).all() else _IMPOSSIBLE


def _crown_cost(role: str, known: Floats) -> float:
    low, high = float(known.min()), float(known.max())
    limits = {"canopy_cover": 100.0, "canopy_height": 4000.0, "canopy_base_height": 4000.0, "canopy_density": 100.0}
    if low < 0.0 or high > limits.get(role, 1e4):
        return _IMPOSSIBLE
    if role == "canopy_cover":
        return 0.0 if set(np.unique(known)) <= _CLASSES_OF_COVER else 0.4
    if role == "canopy_density":
        return 0.1 if high <= 50.0 else 0.5
    return 0.2


def _roughness(look: Look) -> float:
    """Mean difference of neighbours over the standard deviation: elevation is by far the smoothest of the bands."""
    spread = float(np.nanstd(look.values))
    steps = np.abs(np.diff(look.values, axis=1))
    return float(np.nanmean(steps)) / spread if spread > 0.0 and (~np.isnan(steps)).any() else _IMPOSSIBLE


def _correlation(one: Floats, other: Floats) -> float:
    both = ~np.isnan(one) & ~np.isnan(other)
    if both.sum() < 3 or one[both].std() == 0.0 or other[both].std() == 0.0:
        return 0.0
    return float(np.corrcoef(one[both], other[both])[0, 1])


def _turned_away(aspect: Floats, derived: Floats) -> float:
    """Mean of (1 − cos of the angle between the two): 0 where they agree, 1 where they have nothing to do."""
    both = (aspect >= 0.0) & (derived >= 0.0)
    return float((1.0 - np.cos(np.deg2rad(aspect[both] - derived[both]))).mean()) if both.any() else 1.0
