"""Landscape files: which band is which, by what the file says, else by what the bands hold.

FARSITE's order (Finney 1998, USDA RMRS-RP-4) is elevation, slope, aspect, fuel model, canopy cover, then canopy height,
base height and bulk density, then duff and coarse woody; LANDFIRE keeps it in its GeoTIFFs of eight bands.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firegui.domain.fuel import FBFM13, FBFM40
from firegui.domain.scenario import LAYERS
from firegui.errors import Check, Problems
from firegui.io.importers.layer_values import STAND_INS, declared_holes, find_unit
from firegui.io.rasters.files import RasterFile, read_sample
from firegui.io.rasters.warp import horn
from firegui.io.source_files import claim_problem, no_number

UNUSED = {"duff": "duff", "woody": "coarse woody", "-": "left out"}
"""Bands of a landscape file that firegui has no layer for."""

_GROUND = ("elevation", "slope", "aspect", "fuel", "canopy_cover")
_CROWN = ("canopy_height", "canopy_base_height", "canopy_density")
ORDERS: Mapping[int, tuple[str, ...]] = {
    5: _GROUND,
    7: (*_GROUND, "duff", "woody"),
    8: (*_GROUND, *_CROWN),
    10: (*_GROUND, *_CROWN, "duff", "woody"),
}
"""The bands of a landscape file, by their number."""

_NAMES: Sequence[tuple[str, str]] = (
    ("canopy_base_height", r"base|\bcbh|cbh\b"),
    ("canopy_density", r"bulk|dens|cbd"),
    ("canopy_height", r"canopy.?h|tree.?h|stand.?h|(^|[^a-z])ch([^a-z]|$)"),
    ("canopy_cover", r"cover|(^|[^a-z])cc([^a-z]|$)"),
    ("fuel", r"fuel|fbfm|(^|[^a-z])f(40|13)([^0-9]|$)"),
    ("elevation", r"elev|(^|[^a-z])dem([^a-z]|$)"),
    ("slope", r"slope|slp"),
    ("aspect", r"asp"),
    ("duff", r"duff"),
    ("woody", r"wood"),
    ("canopy_cover", r"^canopy$"),
)
"""How bands and files are called, the first that fits."""

_STATED = {
    "azimuth degrees": "degrees", "grass degrees": "degrees from east", "categories (0-4)": "classes",
    "meters x 10": "m×10", "feet x 10": "ft×10", "kg/m^3 x 100": "kg/m3×100", "lb/ft^3 x 1000": "lb/ft3×1000",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class BandOrder:
    """``roles`` of the bands in order, why they are taken for that, and the units by layer."""

    roles: tuple[str, ...]
    reason: str
    units: Mapping[str, str] = field(default_factory=dict)

    @property
    def bands(self) -> dict[str, int]:
        """The number of the band (from 1) of every layer of :data:`~firegui.domain.scenario.LAYERS`."""
        return {role: number for number, role in enumerate(self.roles, start=1) if role in LAYERS}


def role_of(name: str) -> str | None:
    """Return what a band or a file of this name holds, ``None`` where the name does not tell."""
    text = name.lower().replace("_", " ")
    return next((role for role, pattern in _NAMES if re.search(pattern, text)), None)


def read_order(
    file: RasterFile,
    given: Sequence[str] | None,
    where: str,
    problems: Problems,
    check: Check | None = None,
) -> BandOrder | None:
    """Return which band of a landscape file is which.

    As ``given``, as named in it, else guessed from what the bands hold.
    """
    if not _is_numbers(file, where, problems):
        return None
    units = _stated_units(file)
    if given is not None:
        return BandOrder(tuple(given), "as given", units) if _is_order(given, file, where, problems) else None
    named = tuple(role_of(band.name) or "" for band in file.bands)
    if all(named) and len(set(named)) == len(named):
        return BandOrder(named, "the file names its bands", units)
    usual = ORDERS.get(len(file.bands))
    if usual is None:
        counts = ", ".join(map(str, ORDERS))
        what = f"holds {len(file.bands)} bands without names; a landscape file has {counts}"
        problems.add(where, what, "say which they are (--lcp-bands), a dash for one to leave out")
        return None
    samples = _samples(file, where, problems, check)
    if samples is None:
        return None
    doubt = doubts(usual, samples)
    if not doubt:
        return BandOrder(
            usual, "guessed: the usual order of a landscape file, and every band holds what it can there", units
        )
    found = best_order(usual, samples)
    if found is None or doubts(found, samples):
        what = f"does not hold the usual bands of a landscape file ({'; '.join(doubt)})"
        problems.add(where, what, "say which its bands are (--lcp-bands)")
        return None
    return BandOrder(found, f"guessed from the values, since in the usual order {'; '.join(doubt)}", units)


def describe_order(order: BandOrder) -> str:
    """Return the order of the bands in a sentence."""
    bands = ", ".join(f"{number} {_said(role)}" for number, role in enumerate(order.roles, start=1))
    return f"Bands of the landscape file: {bands} ({order.reason})."


def role_title(role: str) -> str:
    """Return a band's role in words."""
    return LAYERS[role][0].lower() if role in LAYERS else UNUSED[role]


def _said(role: str) -> str:
    return role_title(role) + ("" if role in LAYERS or role == "-" else " (not used)")


def _is_order(given: Sequence[str], file: RasterFile, where: str, problems: Problems) -> bool:
    known = [*LAYERS, *UNUSED]
    unknown = [role for role in given if role not in known]
    twice = sorted({role for role in given if role != "-" and list(given).count(role) > 1})
    if unknown:
        problems.add(
            "landscape file bands (--lcp-bands)", f"{', '.join(unknown)} is not a band", f"use {', '.join(known)}"
        )
    if twice:
        problems.add("landscape file bands (--lcp-bands)", f"{', '.join(twice)} is given twice", "name every band once")
    if len(given) != len(file.bands):
        what = f"names {len(given)} bands; {where} holds {len(file.bands)}"
        problems.add(
            "landscape file bands (--lcp-bands)", what, "name every band in order, a dash for one to leave out"
        )
    return not unknown and not twice and len(given) == len(file.bands)


def _is_numbers(file: RasterFile, where: str, problems: Problems) -> bool:
    """Return whether every band holds numbers, and all of them together no more than can be meant."""
    odd = [str(number) for number, band in enumerate(file.bands, start=1) if np.dtype(band.dtype).kind not in "iuf"]
    if odd:
        problems.add(where, f"holds {file.bands[0].dtype} values, not numbers (band {', '.join(odd)})", "save numbers")
    itemsize = np.dtype(file.bands[0].dtype).itemsize
    problem = claim_problem(where, (len(file.bands), *file.geometry.shape), itemsize, file.stored_bytes)
    problems.extend([] if problem is None else [problem])
    return not odd and problem is None


def _stated_units(file: RasterFile) -> dict[str, str]:
    units: dict[str, str] = {}
    for band in file.bands:
        role = role_of(band.name)
        stated = next((value for key, value in band.tags.items() if key.endswith("_UNIT_NAME")), None)
        if role is None or role not in LAYERS or stated is None:
            continue
        unit = _STATED.get(stated.lower()) or find_unit(role, stated)
        if unit is not None:
            units[role] = unit
    return units


def _samples(file: RasterFile, where: str, problems: Problems, check: Check | None) -> list[BandSample] | None:
    samples = []
    for number, band in enumerate(file.bands, start=1):
        if check is not None:
            check()
        sample = read_sample(file, number, where, problems)
        if sample is None:
            return None
        samples.append(clean_sample(np.asarray(sample), band.nodata, _cell(file)))
    return samples


def _cell(file: RasterFile) -> float:
    # Only ratios of slopes are judged, so a cell in degrees will do.
    return 1.0 if file.geometry.transform is None else abs(file.geometry.transform[0])


_IMPOSSIBLE = 1e6
_MOSTLY = 0.5
_CLASSES_OF_COVER = frozenset((0, *range(5, 100, 10)))
"""LANDFIRE gives canopy cover as the middles of classes 10 % wide."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class BandSample:
    """A sample of a band: ``values [h, w]`` with NaN for no data, and its cell's side in the file's units."""

    values: Floats
    cell: float

    @property
    def known(self) -> Floats:
        """The values that are there."""
        return self.values[~np.isnan(self.values)]


def clean_sample(sample: NDArray[Any], nodata: float | None, cell: float) -> BandSample:
    """Return a sample without what stands for no data."""
    values = sample.astype(np.float64)
    values[declared_holes(sample, nodata) | no_number(values) | np.isin(values, STAND_INS)] = np.nan
    return BandSample(values, cell)


def doubts(order: Sequence[str], samples: Sequence[BandSample]) -> list[str]:
    """Return what speaks against bands being in this order, in words; empty where nothing does."""
    found = []
    for number, (role, sample) in enumerate(zip(order, samples, strict=True), start=1):
        if _cost(role, sample, None) >= _IMPOSSIBLE:
            low, high = (sample.known.min(), sample.known.max()) if sample.known.size else (np.nan, np.nan)
            found.append(f"band {number} ({low:g} to {high:g}) cannot be {role.replace('_', ' ')}")
    by_role = dict(zip(order, samples, strict=True))
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


def best_order(roles: Sequence[str], samples: Sequence[BandSample]) -> tuple[str, ...] | None:
    """Return the order of ``roles`` whose costs over the bands are least together.

    ``None`` where none is possible. Every choice of the elevation is tried: slope and aspect are judged by what follows
    from it.
    """
    best: tuple[float, tuple[str, ...]] | None = None
    for number, sample in enumerate(samples):
        rough = _cost("elevation", sample, None)
        ground = _derived(sample) if rough < _IMPOSSIBLE else None
        if ground is None:
            continue
        others = [role for role in roles if role != "elevation"]
        rest = [other for index, other in enumerate(samples) if index != number]
        costs = np.array([[_cost(role, other, ground) for other in rest] for role in others])
        total, chosen = _assign(costs)
        if total < _IMPOSSIBLE and (best is None or total + rough < best[0]):
            order = [others[index] for index in chosen]
            order.insert(number, "elevation")
            best = total + rough, tuple(order)
    return None if best is None else _crowns_right(best[1], samples)


def _crowns_right(order: tuple[str, ...], samples: Sequence[BandSample]) -> tuple[str, ...]:
    if not {"canopy_height", "canopy_base_height"} <= set(order):
        return order
    top, base = order.index("canopy_height"), order.index("canopy_base_height")
    if (samples[base].values > samples[top].values).sum() <= (samples[base].values < samples[top].values).sum():
        return order
    swap = {"canopy_height": "canopy_base_height", "canopy_base_height": "canopy_height"}
    return tuple(swap.get(role, role) for role in order)


def _assign(costs: Floats) -> tuple[float, list[int]]:
    """Return for each column the row that it gets, every row once, with the least sum.

    By dynamic programming over subsets.
    """
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


def _derived(elevation: BandSample) -> tuple[Floats, Floats] | None:
    """Return slope in its tangent and aspect that follow from a band; ``None`` where it is flat."""
    slope, aspect = horn(elevation.values.astype(np.float32), elevation.cell)
    steepness = np.tan(np.deg2rad(slope.astype(np.float64)))
    known = steepness[~np.isnan(steepness)]
    return (steepness, aspect.astype(np.float64)) if known.size and known.std() > 0.0 else None


def _cost(role: str, sample: BandSample, ground: tuple[Floats, Floats] | None) -> float:
    """Return how little a band fits a role, from 0; :data:`_IMPOSSIBLE` where it cannot be."""
    known = sample.known
    if known.size == 0:
        return 1.0 if role in ("duff", "woody") else _IMPOSSIBLE
    low, high = float(known.min()), float(known.max())
    if role == "elevation":
        return _roughness(sample) if low >= -1640.0 and high <= 29_100.0 and high > low else _IMPOSSIBLE
    if role == "slope":
        if low < 0.0 or high > 1000.0:
            return _IMPOSSIBLE
        return 0.0 if ground is None else 1.0 - _correlation(sample.values, ground[0])
    if role == "aspect":
        if low < -1.0 or high > 360.0:
            return _IMPOSSIBLE
        return 0.0 if ground is None else _turned_away(sample.values, ground[1])
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


def _roughness(sample: BandSample) -> float:
    """Return mean difference of neighbours over the standard deviation.

    Elevation is by far the smoothest of the bands.
    """
    spread = float(np.nanstd(sample.values))
    steps = np.abs(np.diff(sample.values, axis=1))
    return float(np.nanmean(steps)) / spread if spread > 0.0 and (~np.isnan(steps)).any() else _IMPOSSIBLE


def _correlation(one: Floats, other: Floats) -> float:
    both = ~np.isnan(one) & ~np.isnan(other)
    if both.sum() < 3 or one[both].std() == 0.0 or other[both].std() == 0.0:
        return 0.0
    return float(np.corrcoef(one[both], other[both])[0, 1])


def _turned_away(aspect: Floats, derived: Floats) -> float:
    """Return mean of (1 − cos of the angle between the two).

    0 where they agree, 1 where they have nothing to do.
    """
    both = (aspect >= 0.0) & (derived >= 0.0)
    return float((1.0 - np.cos(np.deg2rad(aspect[both] - derived[both]))).mean()) if both.any() else 1.0
