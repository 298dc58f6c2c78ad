"""Landscape files: which band is which, by what the file says, else by what the bands hold.

FARSITE's order (Finney 1998, USDA RMRS-RP-4) is elevation, slope, aspect, fuel model, canopy cover, then canopy height,
base height and bulk density, then duff and coarse woody; LANDFIRE keeps it in its GeoTIFFs of eight bands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from firegui.domain.scenario import LAYERS
from firegui.errors import Problems
from firegui.io.importers.band_roles import Look, best_order, doubts, look_at
from firegui.io.importers.raster_files import RasterFile, read_sample
from firegui.io.importers.units import find_unit
from firegui.io.source_files import claim_problem

UNUSED = {"canopy_base_height": "canopy base height", "duff": "duff", "woody": "coarse woody", "-": "left out"}
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
    """``roles`` of the bands in order, why they are taken for that, and the units that the file states by layer."""

    roles: tuple[str, ...]
    reason: str
    units: Mapping[str, str] = field(default_factory=dict)

    @property
    def bands(self) -> dict[str, int]:
        """The number of the band (from 1) of every layer of :data:`~firegui.domain.scenario.LAYERS`."""
        return {role: number for number, role in enumerate(self.roles, start=1) if role in LAYERS}


def role_of(name: str) -> str | None:
    """What a band or a file of this name holds, ``None`` where the name does not tell."""
    text = name.lower().replace("_", " ")
    return next((role for role, pattern in _NAMES if re.search(pattern, text)), None)


def read_order(
    file: RasterFile,
    given: Sequence[str] | None,
    where: str,
    problems: Problems,
    check: Callable[[], None] | None = None,
) -> BandOrder | None:
    """Which band of a landscape file is which: as ``given``, as named in it, else guessed from what the bands hold."""
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
        problems.add(where, what, "say which they are with --lcp-bands, a dash for one to leave out")
        return None
    looks = _looks(file, where, problems, check)
    if looks is None:
        return None
    doubt = doubts(usual, looks)
    if not doubt:
        return BandOrder(
            usual, "guessed: the usual order of a landscape file, and every band holds what it can there", units
        )
    found = best_order(usual, looks)
    if found is None or doubts(found, looks):
        what = f"does not hold the usual bands of a landscape file ({'; '.join(doubt)})"
        problems.add(where, what, "say which its bands are with --lcp-bands")
        return None
    return BandOrder(found, f"guessed from the values, since in the usual order {'; '.join(doubt)}", units)


def say_order(order: BandOrder) -> str:
    """The order of the bands in a sentence."""
    bands = ", ".join(f"{number} {_said(role)}" for number, role in enumerate(order.roles, start=1))
    return f"Bands of the landscape file: {bands} ({order.reason})."


def role_title(role: str) -> str:
    """A band's role in words."""
    return LAYERS[role][0].lower() if role in LAYERS else UNUSED[role]


def _said(role: str) -> str:
    return role_title(role) + ("" if role in LAYERS or role == "-" else " (not used)")


def _is_order(given: Sequence[str], file: RasterFile, where: str, problems: Problems) -> bool:
    known = [*LAYERS, *UNUSED]
    unknown = [role for role in given if role not in known]
    twice = sorted({role for role in given if role != "-" and list(given).count(role) > 1})
    if unknown:
        problems.add(
            "landscape file bands (--lcp-bands)", f"{', '.join(unknown)} is no band", f"use {', '.join(known)}"
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
    """Whether every band holds numbers, and all of them together no more than can be meant."""
    odd = [str(number) for number, band in enumerate(file.bands, start=1) if np.dtype(band.dtype).kind not in "iuf"]
    if odd:
        problems.add(where, f"holds {file.bands[0].dtype} values, not numbers (band {', '.join(odd)})", "save numbers")
    itemsize = np.dtype(file.bands[0].dtype).itemsize
    problem = claim_problem(where, (len(file.bands), *file.lie.shape), itemsize, file.stored_bytes)
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


def _looks(file: RasterFile, where: str, problems: Problems, check: Callable[[], None] | None) -> list[Look] | None:
    looks = []
    for number, band in enumerate(file.bands, start=1):
        if check is not None:
            check()
        sample = read_sample(file, number, where, problems)
        if sample is None:
            return None
        looks.append(look_at(np.asarray(sample), band.nodata, _cell(file)))
    return looks


def _cell(file: RasterFile) -> float:
    # Only ratios of slopes are judged, so a cell in degrees will do.
    return 1.0 if file.lie.transform is None else abs(file.lie.transform[0])
