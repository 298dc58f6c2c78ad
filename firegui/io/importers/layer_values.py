"""What a file's numbers mean.

No data, units and scaled encodings, by rules that are said and never guessed silently. No data: NaN, infinity, values
beyond ±1e30, the file's own no-data value, and a customary stand-in (−9999, 32767, 255 …) where it lies outside what
the layer can hold. Anything else outside that range is refused.

Units, where they are not given, are told from what the layer can hold on the Earth:

- elevation: feet where one value is above 9,000; m otherwise (a slope layer beside it may say otherwise, see
  :mod:`.cross_checks`);
- slope: percent where one value is above 90; degrees otherwise (likewise);
- canopy density: kg/m³ × 100 (LANDFIRE) where every value is whole or one is above 1; kg/m³ otherwise;
- canopy height: m × 10 (LANDFIRE) where one value is above 100 m, or where all are multiples of 5 and one is above 50;
  m otherwise;
- canopy base height: m × 10 (LANDFIRE) where every value is whole or one is above 100 m; m otherwise;
- canopy cover: a fraction where no value is above 1 and not all are whole; the classes 0–4 where all are whole, none is
  above 4 and not all are 0 or 1; % otherwise;
- fuel: codes of FBFM40, FBFM13 and custom models; a few other codes are no data; a layer of which most cells hold
  such, that has many kinds of them, or that holds the Canadian fuel types (:func:`is_fbp`) is refused;
- aspect: degrees clockwise from north with −1 for flat.

LANDFIRE stores whole numbers: canopy height and base height in m × 10, canopy bulk density in kg/m³ × 100. Landscape
files may also hold feet, percent of slope, pounds per cubic foot × 1000, and canopy cover in the four classes of
FARSITE (1–20, 21–50, 51–80 and 81–100 %; Finney 1998, USDA RMRS-RP-4), read as the middle of the class.

The Canadian Forest Fire Behavior Prediction (FBP) System (Forestry Canada Fire Danger Group 1992, Information Report
ST-X-3) has sixteen fuel types with their own spread equations. Rasters of them use the grid numbers of Natural
Resources Canada's fuel type table, which Prometheus reads as well: 1–7 conifers C-1 to C-7, 11–13 deciduous D-1, D-2
and both, 21–23 slash S-1 to S-3, 31–32 grass O-1a and O-1b, 40–95 and 400–995 mixed wood M-1 to M-4, 98–106 what is no
fuel. Some of these numbers are models of FBFM13 and FBFM40 (1–7, 11–13, 101–106), which burn quite differently. No
table that takes the types to fuel models is part of the system, so none is applied.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firegui.domain.fuel import FBFM13, FBFM40, NONBURNABLE
from firegui.domain.scenario import EXPECTED_LAYERS, LAYERS
from firegui.errors import Problems
from firegui.io.source_files import cells_text, first_few, no_number

FBP_TABLE = "the fuel types of the Canadian FBP System (ST-X-3, grid numbers of Natural Resources Canada's table)"

_CONIFERS, _LEAVES = frozenset(range(1, 8)), frozenset((11, 12, 13))
_SLASH_AND_GRASS = frozenset((21, 22, 23, 31, 32))
_MIXED = frozenset((40, 50, 60, 70, 80, 90)) | frozenset(range(400, 1000))
_NO_FUEL = frozenset(range(98, 107))
_FBP = _CONIFERS | _LEAVES | _SLASH_AND_GRASS | _MIXED | _NO_FUEL
_NO_FUEL_SEEN = frozenset((101, 102, 105))

_FEWEST_KINDS = 3
"""Kinds of unknown codes below which a layer is of fuel models with some classes of its own, such as built-up land."""


Numbers = NDArray[np.float64]
FOOT_M = 0.3048
_POUND_PER_FT3 = 0.45359237 / FOOT_M**3
_SYNONYMS = {
    "%": "percent", "deg": "degrees", "degree": "degrees", "°": "degrees", "feet": "ft", "foot": "ft", "metres": "m",
    "meters": "m", "metre": "m", "meter": "m", "degreesfromeast": "degrees from east",
}  # fmt: skip
Array = NDArray[Any]
Known = NDArray[np.float64]
_SHOWN_CODES = 8
STAND_INS = (-32768.0, -32767.0, -9999.0, -999.0, -99.0, 255.0, 32767.0, 65535.0)
"""Numbers that customarily stand for no data."""
_REMEDIES: Mapping[str, str] = {
    "elevation": "give elevation in metres or feet",
    "slope": "give slope in degrees or percent",
    "aspect": "give degrees clockwise from north, −1 where it is flat",
    "fuel": "give the codes of FBFM40 or FBFM13",
    "canopy_cover": "give canopy cover in percent",
    "canopy_height": "give canopy height in m, or in m × 10 as LANDFIRE does",
    "canopy_base_height": "give canopy base height in m, or in m × 10 as LANDFIRE does",
    "canopy_density": "give canopy bulk density in kg/m³, or in kg/m³ × 100 as LANDFIRE does",
}
_UNUSUAL = {
    ("elevation", "ft"): "values above 9,000 can only be feet; they were read as such",
    ("slope", "percent"): "values above 90 can only be percent; they were read as such",
    ("canopy_cover", "classes"): "values of 0 to 4 are taken to be the classes 1–20, 21–50, 51–80, 81–100 %",
}
"""What is said of a unit that was guessed and is not the layer's usual one."""
_IN_FUEL_MODELS = (
    "give a layer of FBFM40 or FBFM13; if these are its codes, say so (--unit fuel=FBFM40 or --unit fuel=FBFM13)"
)


def is_fbp(codes: Collection[int]) -> bool:
    """Return whether the codes of a layer are those of the Canadian FBP System.

    None may be outside of its table. One that no fuel model has must be there, or conifers beside what is no fuel.
    """
    found = frozenset(codes)
    if not found <= _FBP:
        return False
    natural = found & (_CONIFERS | _LEAVES)
    return bool(found & _SLASH_AND_GRASS or (natural and found & (_MIXED | _NO_FUEL_SEEN)))


def is_unknown(known: Collection[int], unknown: Collection[int]) -> bool:
    """Return whether most kinds of codes of a layer are not fuel models, so that its scheme is unknown."""
    return len(unknown) >= _FEWEST_KINDS and len(unknown) > len(known)


@dataclass(frozen=True, slots=True)
class Encoding:
    """How a number is stored.

    The layer's unit is ``factor`` times what the file holds, which is in ``unit`` and from ``low`` to ``high``;
    ``convert`` takes its place where the relation is no factor.
    """

    factor: float
    unit: str
    low: float = -np.inf
    high: float = np.inf
    convert: Callable[[Numbers], Numbers] | None = None

    def decode(self, values: Numbers) -> Numbers:
        """Return stored numbers in the unit of the layer; NaN stays NaN."""
        return values * self.factor if self.convert is None else self.convert(values)


def _degrees(percent: Numbers) -> Numbers:
    return np.rad2deg(np.arctan(percent / 100.0))


def _class_middle(classes: Numbers) -> Numbers:
    # 0 no canopy, 1: 1–20 %, 2: 21–50 %, 3: 51–80 %, 4: 81–100 %
    return np.interp(classes, [0.0, 1.0, 2.0, 3.0, 4.0], [0.0, 10.0, 35.0, 65.0, 90.0])


def _from_north(from_east: Numbers) -> Numbers:
    """Return the aspect of GRASS's, which counts counter-clockwise from east, with 0 or less for flat."""
    return np.where(from_east <= 0.0, np.where(np.isnan(from_east), np.nan, -1.0), (90.0 - from_east) % 360.0)


METRES = Encoding(1.0, "m", -500.0, 9000.0)
FEET = Encoding(FOOT_M, "ft", -1640.0, 29_100.0)
DEGREES = Encoding(1.0, "°", 0.0, 90.0)
SLOPE_PERCENT = Encoding(1.0, "% slope", 0.0, 1000.0, _degrees)
FACING = Encoding(1.0, "°", -1.0, 360.0)
FACING_GRASS = Encoding(1.0, "° from east", 0.0, 360.0, _from_north)
PERCENT = Encoding(1.0, "%", 0.0, 100.0)
FRACTION = Encoding(100.0, "as a fraction", 0.0, 1.0)
CLASSES = Encoding(1.0, "classes", 0.0, 4.0, _class_middle)
HEIGHT_M = Encoding(1.0, "m", 0.0, 120.0)
TENTHS_M = Encoding(0.1, "m × 10", 0.0, 1200.0)
HEIGHT_FT = Encoding(FOOT_M, "ft", 0.0, 400.0)
TENTHS_FT = Encoding(0.1 * FOOT_M, "ft × 10", 0.0, 4000.0)
KGM3 = Encoding(1.0, "kg/m³", 0.0, 1.0)
HUNDREDTHS_KGM3 = Encoding(0.01, "kg/m³ × 100", 0.0, 100.0)
THOUSANDTHS_LBFT3 = Encoding(_POUND_PER_FT3 / 1000.0, "lb/ft³ × 1000", 0.0, 65.0)
LBFT3 = Encoding(_POUND_PER_FT3, "lb/ft³", 0.0, 0.065)
ANY_FUEL = Encoding(1.0, "codes", 0.0, 9999.0)

UNITS: Mapping[str, Mapping[str, Encoding]] = MappingProxyType(
    {
        "elevation": {"m": METRES, "ft": FEET},
        "slope": {"degrees": DEGREES, "percent": SLOPE_PERCENT},
        "aspect": {"degrees": FACING, "degrees from east": FACING_GRASS},
        "fuel": {"FBFM40": ANY_FUEL, "FBFM13": ANY_FUEL},
        "canopy_cover": {"percent": PERCENT, "fraction": FRACTION, "classes": CLASSES},
        "canopy_height": {"m": HEIGHT_M, "m×10": TENTHS_M, "ft": HEIGHT_FT, "ft×10": TENTHS_FT},
        "canopy_base_height": {"m": HEIGHT_M, "m×10": TENTHS_M, "ft": HEIGHT_FT, "ft×10": TENTHS_FT},
        "canopy_density": {
            "kg/m3": KGM3, "kg/m3×100": HUNDREDTHS_KGM3, "lb/ft3": LBFT3, "lb/ft3×1000": THOUSANDTHS_LBFT3,
        },
    }
)  # fmt: skip
"""Layer → the name of a unit, as a command takes it → its encoding."""


def find_unit(key: str, text: str) -> str | None:
    """Return the name in :data:`UNITS` of a layer's unit that people write in several ways.

    ``None`` where there is none.
    """
    plain = re.sub(r"[x*](?=10)", "×", re.sub(r"\s|\^", "", text.lower()).replace("³", "3"))
    plain = _SYNONYMS.get(plain, plain)
    return next((name for name in UNITS[key] if name.lower() == plain), None)


def guess_unit(key: str, known: Numbers) -> str:
    """Return the unit that the numbers ``known`` of a layer are most likely in.

    The rules are those of :mod:`.layer_values`.
    """
    whole, highest = bool((known == np.round(known)).all()), float(known.max())
    if key == "elevation":
        return "ft" if highest > METRES.high else "m"
    if key == "slope":
        return "percent" if highest > DEGREES.high else "degrees"
    if key == "canopy_density":
        return "kg/m3×100" if whole or highest > 1.0 else "kg/m3"
    if key == "canopy_base_height":
        return "m×10" if whole or highest > 100.0 else "m"
    if key == "canopy_height":
        in_steps = highest > 50.0 and bool((known % 5.0 == 0.0).all())
        return "m×10" if in_steps or highest > 100.0 else "m"
    if key == "canopy_cover":
        if highest <= 1.0 and not whole:
            return "fraction"
        return "classes" if whole and 1.0 < highest <= CLASSES.high else "percent"
    return next(iter(UNITS[key]))


@dataclass(frozen=True, slots=True, eq=False)
class ImportedLayer:
    """A layer in the units of :data:`~firegui.domain.scenario.LAYERS`.

    ``values [H, W]`` float32, NaN is no data. ``reading`` says how the numbers were read, ``notes`` what else was
    assumed, ``unit`` is the name in :data:`~firegui.io.importers.layer_values.UNITS` of what the file holds, empty
    where its layout states it.
    """

    values: NDArray[np.float32]
    reading: str
    notes: tuple[str, ...]
    unit: str = ""

    @property
    def holes(self) -> int:
        """Cells without data."""
        return int(np.count_nonzero(np.isnan(self.values)))


def read_values(
    key: str,
    raw: Array,
    where: str,
    problems: Problems,
    nodata: float | None = None,
    encoding: Encoding | None = None,
    unit: str | None = None,
    custom: frozenset[int] = frozenset(),
) -> ImportedLayer | None:
    """Return the layer ``key`` from the numbers of a file, by the rules above.

    ``nodata`` is what the file declares; ``unit`` (a name in :data:`~firegui.io.importers.layer_values.UNITS`) is the
    given one, ``encoding`` states the unit where the file's layout does. ``custom`` are codes of custom fuel models.
    What cannot be read is added to ``problems`` under ``where`` and ``None`` returned.
    """
    if raw.dtype.kind not in "iuf":
        problems.add(where, f"holds {raw.dtype} values, not numbers", "save it as numbers")
        return None
    values = raw.astype(np.float64)
    values[declared_holes(raw, nodata) | no_number(values)] = np.nan
    stated = encoding or (UNITS[key][unit] if unit else None)
    notes = _take_out_stand_ins(key, values, stated)
    known = values[~np.isnan(values)]
    if known.size == 0:
        problems.add(where, "has no data in any cell", "leave the layer out")
        return None
    if key == "fuel":
        return _fuel(values, known, where, problems, notes, unit, custom)
    name = unit or guess_unit(key, known)
    stored = stated or UNITS[key][name]
    if not _is_possible(key, known, stored, where, problems):
        return None
    if stated is None and (key, name) in _UNUSUAL:
        notes.append(f"{LAYERS[key][0]}: {_UNUSUAL[key, name]}.")
    reading = f"{LAYERS[key][0].lower()} {known.min():g} to {known.max():g} {stored.unit}".replace("-", "−")
    decoded = stored.decode(values).astype(np.float32)
    return ImportedLayer(decoded, reading, tuple(notes), "" if encoding else name)


def describe_layers(layers: Mapping[str, ImportedLayer]) -> list[str]:
    """Return notes on the layers.

    They say how these were read, what was assumed, where they have no data, and which layers there are not.
    """
    notes = [f"Layers read as {', '.join(layer.reading for layer in layers.values())}."] if layers else []
    notes += [note for layer in layers.values() for note in layer.notes]
    holes = [f"{LAYERS[key][0].lower()} in {cells_text(layer.holes)}" for key, layer in layers.items() if layer.holes]
    if holes:
        notes.append(f"No data: {', '.join(holes)}.")
    missing = [LAYERS[key][0].lower() for key in EXPECTED_LAYERS if key not in layers]
    if missing:
        notes.append(f"Missing layers: {', '.join(missing)}.")
    return notes


def declared_holes(raw: Array, nodata: float | None) -> NDArray[np.bool_]:
    """Return ``[H, W]``: the cells that hold the no-data value ``nodata`` which their file declares."""
    nothing = np.zeros(raw.shape, np.bool_)
    if nodata is None or not np.isfinite(nodata):
        return nothing
    if raw.dtype.kind == "f":
        # The file keeps the value in its own precision.
        with np.errstate(over="ignore"):
            return np.asarray(raw == raw.dtype.type(nodata))
    return np.asarray(raw.astype(np.float64) == nodata)


def _take_out_stand_ins(key: str, values: Known, stated: Encoding | None) -> list[str]:
    stored = [stated] if stated else list(UNITS[key].values())
    rest = values[~np.isin(values, STAND_INS) & ~np.isnan(values)]
    if stated is None and key in ("elevation", "slope") and rest.size:
        # In the rarer unit some of them would be values: that unit needs better evidence than them.
        stored = [UNITS[key][guess_unit(key, rest)]]
    low, high = min(unit.low for unit in stored), max(unit.high for unit in stored)
    found = []
    for stand_in in STAND_INS:
        cells = values == stand_in
        if not low <= stand_in <= high and cells.any():
            values[cells] = np.nan
            found.append(f"{stand_in:g} ({cells_text(int(cells.sum()))})".replace("-", "−"))
    return [f"{LAYERS[key][0]}: {', '.join(found)} read as no data."] if found else []


def _is_possible(key: str, known: Known, stored: Encoding, where: str, problems: Problems) -> bool:
    bad = (known < stored.low) | (known > stored.high)
    if stored is FACING:
        bad |= (known < 0.0) & (known != -1.0)
    if key == "fuel":
        bad |= known != np.round(known)
    if not bad.any():
        return True
    odd = known[bad]
    span = f"{odd.min():g}" if odd.min() == odd.max() else f"{odd.min():g} to {odd.max():g}"
    what = f"{odd.size:,} of {known.size:,} cells hold {span}, outside what the layer can hold"
    problems.add(where, what, f"{_REMEDIES[key]}; declare the file's no-data value if it is one")
    return False


def _fuel(
    values: Known, known: Known, where: str, problems: Problems, notes: list[str], unit: str | None,
    custom: frozenset[int],
) -> ImportedLayer | None:  # fmt: skip
    """Return codes of the fuel models; those of neither set, and of no custom model, are no data."""
    if not _is_possible("fuel", known, ANY_FUEL, where, problems):
        return None
    wanted = {"FBFM40": FBFM40, "FBFM13": FBFM13 | NONBURNABLE}.get(unit or "", FBFM40 | FBFM13)
    own = known[np.isin(known, list(custom))]
    if unit is None and not own.size and _is_fbp(known, where, problems):
        return None
    others = _other_codes(known, wanted | custom, where, problems)
    if others is None or (unit is None and _is_unknown_scheme(known, others, where, problems)):
        return None
    known = known[~np.isin(known, list(custom))]
    values[np.isin(values, list(others))] = np.nan
    old = int(np.count_nonzero(np.isin(known, list(FBFM13))))
    new = int(np.count_nonzero(known > max(NONBURNABLE)))
    sets = " and ".join(name for name, cells in (("FBFM40", new or not old), ("FBFM13", old)) if cells)
    if old:
        notes.append(f"Fuel model: codes of the 13 original models in {cells_text(old)}; no network knows them.")
    if own.size:
        codes, cells = np.unique(own, return_counts=True)
        ranked = _most_frequent({int(code): int(n) for code, n in zip(codes, cells, strict=True)})
        notes.append(f"Fuel model: codes of custom models, which only the physical fire model knows: {ranked}.")
    found = (*notes, *_describe_codes(others, known.size + own.size))
    return ImportedLayer(
        values.astype(np.float32), f"fuel model {sets} codes", found, "FBFM13" if old > new else "FBFM40"
    )


def _other_codes(known: Known, wanted: frozenset[int], where: str, problems: Problems) -> dict[int, int] | None:
    """Return codes that are not ``wanted`` and their cells.

    ``None``, and a problem, where they are most of the layer.
    """
    codes, counts = np.unique(known, return_counts=True)
    others = {int(code): int(n) for code, n in zip(codes, counts, strict=True) if int(code) not in wanted}
    if 2 * sum(others.values()) <= known.size:
        return others
    what = f"{sum(others.values()):,} of {known.size:,} cells hold no code of a fuel model ({_most_frequent(others)})"
    remedy = "give the codes of FBFM40 or FBFM13, or the file of the custom fuel models (--fuel-models)"
    problems.add(where, what, f"{remedy}; declare the file's no-data value if it is one")
    return None


def _is_fbp(known: Known, where: str, problems: Problems) -> bool:
    codes = sorted({int(code) for code in np.unique(known)})
    if is_fbp(codes):
        problems.add(where, f"holds {first_few(codes, _SHOWN_CODES)}: they look like {FBP_TABLE}", _IN_FUEL_MODELS)
        return True
    return False


def _is_unknown_scheme(known: Known, others: Mapping[int, int], where: str, problems: Problems) -> bool:
    codes = {int(code) for code in np.unique(known)} - set(others)
    if is_unknown(codes, others):
        what = f"is of an unknown scheme: no fuel models are {_most_frequent(others)}"
        problems.add(where, what, _IN_FUEL_MODELS)
        return True
    return False


def _describe_codes(others: Mapping[int, int], cells: int) -> list[str]:
    if not others:
        return []
    count = f"{sum(others.values()):,} of {cells:,} cells hold"
    return [
        f"Fuel model: {count} codes that are not fuel models, read as no data, where a fire can burn: "
        f"{_most_frequent(others)}."
    ]


def _most_frequent(codes: Mapping[int, int]) -> str:
    """Return the codes of most cells, with how many those are."""
    ranked = sorted(codes.items(), key=lambda item: (-item[1], item[0]))
    shown = ", ".join(f"{code} ({cells_text(n)})" for code, n in ranked[:_SHOWN_CODES])
    return f"{shown}, …" if len(ranked) > _SHOWN_CODES else shown
