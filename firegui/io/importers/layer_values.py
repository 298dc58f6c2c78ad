"""What a file's numbers mean: no data, units and scaled encodings, by rules that are said and never guessed silently.

No data: NaN, infinity, values beyond ±1e30, the file's own no-data value, and a customary stand-in (−9999, 32767,
255 …) where it lies outside what the layer can hold. Anything else outside that range is refused.

Units, each told from what the layer can hold on the Earth:

- canopy density: kg/m³ × 100 (LANDFIRE) where every value is whole or one is above 1; kg/m³ otherwise;
- canopy height: m × 10 (LANDFIRE) where one value is above 100 m, or where all are multiples of 5 and one is above 50;
  m otherwise;
- canopy cover: a fraction where no value is above 1 and not all are whole; % otherwise;
- fuel: codes of FBFM40; other codes are no data, and a layer of which most cells hold such is refused;
- elevation m, slope degrees, aspect degrees clockwise from north with −1 for flat: never converted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firegui.domain.scenario import LAYERS
from firegui.errors import Problems

Array = NDArray[Any]
Known = NDArray[np.float64]

FBFM40 = frozenset(
    (91, 92, 93, 98, 99, *range(101, 110), *range(121, 125), *range(141, 150), *range(161, 166), *range(181, 190),
     *range(201, 205))
)  # fmt: skip
"""The codes of Scott and Burgan's fuel models (USDA RMRS-GTR-153, 2005), non-burnable ones included."""

_BEYOND_ANYTHING = 1e30
_SHOWN_CODES = 8
_STAND_INS = (-32768.0, -32767.0, -9999.0, -999.0, -99.0, 255.0, 32767.0, 65535.0)
_RANGES: Mapping[str, tuple[float, float]] = {
    "elevation": (-500.0, 9000.0),
    "slope": (0.0, 90.0),
    "aspect": (-1.0, 360.0),
    "fuel": (0.0, 9999.0),
    "canopy_cover": (0.0, 100.0),
    "canopy_height": (0.0, 1200.0),
    "canopy_density": (0.0, 100.0),
}
"""What a file may hold, in any of the encodings of its layer."""

_REMEDIES: Mapping[str, str] = {
    "elevation": "give elevation in metres",
    "slope": "give slope in degrees, not in percent",
    "aspect": "give degrees clockwise from north, −1 where it is flat",
    "fuel": "give the codes of FBFM40",
    "canopy_cover": "give canopy cover in percent",
    "canopy_height": "give canopy height in m, or in m × 10 as LANDFIRE does",
    "canopy_density": "give canopy bulk density in kg/m³, or in kg/m³ × 100 as LANDFIRE does",
}


@dataclass(frozen=True, slots=True)
class Encoding:
    """How a number is stored: the layer's unit is ``factor`` times what the file holds, which is in ``unit``."""

    factor: float
    unit: str


DEGREES = Encoding(1.0, "°")
PERCENT = Encoding(1.0, "%")
HUNDREDTHS_KGM3 = Encoding(0.01, "kg/m³ × 100")
TENTHS_M = Encoding(0.1, "m × 10")
_FRACTION = Encoding(100.0, "as a fraction")


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """A layer in the units of :data:`~firegui.domain.scenario.LAYERS`: ``values [H, W]`` float32, NaN is no data.

    ``reading`` says how the numbers were read, ``notes`` what else was assumed.
    """

    values: NDArray[np.float32]
    reading: str
    notes: tuple[str, ...]

    @property
    def holes(self) -> int:
        """Cells without data."""
        return int(np.count_nonzero(np.isnan(self.values)))


def read_values(
    key: str, raw: Array, where: str, problems: Problems, nodata: float | None = None, encoding: Encoding | None = None
) -> Layer | None:
    """The layer ``key`` from the numbers of a file, by the rules above.

    ``nodata`` is what the file declares; ``encoding`` states the unit where the file's layout does. What cannot be
    read is added to ``problems`` under ``where`` and ``None`` returned.
    """
    if raw.dtype.kind not in "iuf":
        problems.add(where, f"holds {raw.dtype} values, not numbers", "save it as numbers")
        return None
    values = raw.astype(np.float64)
    values[declared_holes(raw, nodata) | no_number(values)] = np.nan
    notes = _take_out_stand_ins(key, values)
    known = values[~np.isnan(values)]
    if known.size == 0:
        problems.add(where, "has no data in any cell", "leave the layer out")
        return None
    if not _is_possible(key, known, where, problems):
        return None
    if key == "fuel":
        others = _other_codes(known, where, problems)
        if others is None:
            return None
        values[np.isin(values, list(others))] = np.nan
        return Layer(values.astype(np.float32), "fuel model FBFM40 codes", (*notes, *_say_codes(others, known.size)))
    stored = encoding or encoding_of(key, known)
    reading = f"{LAYERS[key][0].lower()} {known.min():g} to {known.max():g} {stored.unit}".replace("-", "−")
    return Layer((values * stored.factor).astype(np.float32), reading, tuple(notes))


def say_layers(layers: Mapping[str, Layer]) -> list[str]:
    """How the layers were read, what was assumed, where they have no data, and which layers there are not."""
    notes = [f"Layers read as {', '.join(layer.reading for layer in layers.values())}."] if layers else []
    notes += [note for layer in layers.values() for note in layer.notes]
    holes = [f"{LAYERS[key][0].lower()} in {cells_text(layer.holes)}" for key, layer in layers.items() if layer.holes]
    if holes:
        notes.append(f"No data: {', '.join(holes)}.")
    missing = [title.lower() for key, (title, _) in LAYERS.items() if key not in layers]
    if missing:
        notes.append(f"Missing layers: {', '.join(missing)}.")
    return notes


def encoding_of(key: str, known: Known) -> Encoding:
    """The encoding that the rules of this module give the values ``known`` of a layer."""
    whole, highest = bool((known == np.round(known)).all()), float(known.max())
    if key == "canopy_density":
        return HUNDREDTHS_KGM3 if whole or highest > 1.0 else Encoding(1.0, "kg/m³")
    if key == "canopy_height":
        in_steps = highest > 50.0 and bool((known % 5.0 == 0.0).all())
        return TENTHS_M if in_steps or highest > 100.0 else Encoding(1.0, "m")
    if key == "canopy_cover":
        return _FRACTION if highest <= 1.0 and not whole else PERCENT
    return DEGREES if key in ("slope", "aspect") else Encoding(1.0, "m")


def declared_holes(raw: Array, nodata: float | None) -> NDArray[np.bool_]:
    """``[H, W]``: the cells that hold the no-data value ``nodata`` which their file declares."""
    nothing = np.zeros(raw.shape, np.bool_)
    if nodata is None or not np.isfinite(nodata):
        return nothing
    if raw.dtype.kind == "f":
        # The file keeps the value in its own precision.
        with np.errstate(over="ignore"):
            return np.asarray(raw == raw.dtype.type(nodata))
    return np.asarray(raw.astype(np.float64) == nodata)


def no_number(values: Array) -> NDArray[np.bool_]:
    """``[H, W]``: NaN, infinity, and numbers so large that they can only stand for no data."""
    return np.asarray(~(np.abs(values) < _BEYOND_ANYTHING))


def _take_out_stand_ins(key: str, values: Known) -> list[str]:
    low, high = _RANGES[key]
    found = []
    for stand_in in _STAND_INS:
        cells = values == stand_in
        if not low <= stand_in <= high and cells.any():
            values[cells] = np.nan
            found.append(f"{stand_in:g} ({cells_text(int(cells.sum()))})".replace("-", "−"))
    return [f"{LAYERS[key][0]}: {', '.join(found)} read as no data."] if found else []


def _is_possible(key: str, known: Known, where: str, problems: Problems) -> bool:
    low, high = _RANGES[key]
    bad = (known < low) | (known > high)
    if key == "aspect":
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


def _other_codes(known: Known, where: str, problems: Problems) -> dict[int, int] | None:
    """Codes that FBFM40 does not have and their cells; ``None``, and a problem, where they are most of the layer."""
    codes, counts = np.unique(known, return_counts=True)
    others = {int(code): int(n) for code, n in zip(codes, counts, strict=True) if int(code) not in FBFM40}
    if 2 * sum(others.values()) <= known.size:
        return others
    what = f"{sum(others.values()):,} of {known.size:,} cells hold no code of FBFM40 ({_most_frequent(others)})"
    problems.add(
        where, what, "give the 40 fuel models of Scott and Burgan; declare the file's no-data value if it is one"
    )
    return None


def _say_codes(others: Mapping[int, int], cells: int) -> list[str]:
    if not others:
        return []
    count = f"{sum(others.values()):,} of {cells:,} cells hold"
    return [f"Fuel model: {count} codes that FBFM40 does not have, read as no data: {_most_frequent(others)}."]


def _most_frequent(codes: Mapping[int, int]) -> str:
    """The codes of most cells, with how many those are."""
    ranked = sorted(codes.items(), key=lambda item: (-item[1], item[0]))
    shown = ", ".join(f"{code} ({cells_text(n)})" for code, n in ranked[:_SHOWN_CODES])
    return f"{shown}, …" if len(ranked) > _SHOWN_CODES else shown


def cells_text(count: int) -> str:
    """``1 cell``, ``12,345 cells``."""
    return f"{count:,} cell{'' if count == 1 else 's'}"
