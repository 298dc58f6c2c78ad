"""Landscape layers from raster files that lie on one grid, or what keeps them from doing so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import rasterio
from rasterio.crs import CRS
from rasterio.errors import CRSError

from firegui.domain.scenario import LAYERS
from firegui.errors import InputError, Problems
from firegui.io import crs
from firegui.io.importers.layer_values import Array, Layer, declared_holes, read_values
from firegui.io.importers.placing import Place, Six, find_place
from firegui.io.rasters import read_raster, without_place_warnings

_CLOSE = 0.01
"""Two grids are one where no corner is further apart than this many cells: files round their coordinates."""


@dataclass(frozen=True, slots=True)
class Lie:
    """Where a file says that its raster lies; ``crs`` is any text that PROJ understands."""

    shape: tuple[int, int]
    transform: Six | None
    crs: str | None


@dataclass(frozen=True, slots=True, eq=False)
class _File:
    """One band ``[H, W]`` with its no-data value, where it lies, and how the file itself scales it."""

    band: Array
    nodata: float | None
    lie: Lie
    scaling: tuple[float, float]


def read_landscape(files: Mapping[str, Path], problems: Problems) -> tuple[Place | None, dict[str, Layer]]:
    """Read the layers ``files`` (by their keys in :data:`~firegui.domain.scenario.LAYERS`) and the grid of them all.

    Every file must hold one band and lie on the grid of the others: the same rows and columns, CRS and transform.
    What is wrong is added to ``problems``, each differing layer with how it differs; without a grid that can be used
    ``None`` stands for the place.
    """
    _check_distinct(files, problems)
    read = {key: file for key in LAYERS if key in files and (file := _read(key, files[key], problems)) is not None}
    layers = {}
    for key, file in read.items():
        layer = _layer(key, file, _where(key, files[key]), problems)
        if layer is not None:
            layers[key] = layer
    if not files:
        problems.add("layers", "none is given", "give at least one landscape layer: it sets the grid of the event")
    reference = _reference({key: file.lie for key, file in read.items()})
    if reference is None:
        return None, layers
    lie = read[reference].lie
    for key, file in read.items():
        differences = differences_of(file.lie, lie)
        if differences:
            target = f"{LAYERS[reference][0].lower()} ({files[reference].name})"
            problems.add(_where(key, files[key]), f"is not on the grid of {target}: {'; '.join(differences)}", _WARP)
    return find_place(lie.shape, None, lie.crs, lie.transform, problems), layers


_WARP = "warp it to that grid first: the same CRS, origin, cell size, rows and columns"


def differences_of(one: Lie, other: Lie) -> list[str]:
    """How the raster ``one`` lies otherwise than ``other``, in words; empty where they are on one grid."""
    found = []
    if one.shape != other.shape:
        found.append(f"{_size(one)} cells, not {_size(other)}")
    if (one.crs is None) != (other.crs is None) or (one.crs and other.crs and not crs.same(one.crs, other.crs)):
        # Coordinates of two CRSs cannot be compared.
        return [*found, f"CRS {_name(one.crs)}, not {_name(other.crs)}"]
    if one.transform is None or other.transform is None:
        return found if one.transform == other.transform else [*found, "one of the two has no transform"]
    width, height = one.transform[0], one.transform[4]
    if not np.allclose((width, height), (other.transform[0], other.transform[4]), rtol=_CLOSE / max(one.shape), atol=0):
        found.append(f"cells of {width:g} by {-height:g}, not {other.transform[0]:g} by {-other.transform[4]:g}")
    east, south = one.transform[2] - other.transform[2], other.transform[5] - one.transform[5]
    if max(abs(east), abs(south)) > _CLOSE * abs(other.transform[0]):
        found.append(f"its corner lies {_shift(east, 'east', 'west')} and {_shift(south, 'south', 'north')}")
    if one.transform[1::2][:2] != other.transform[1::2][:2]:
        found.append("it is turned")
    return found


def crs_text(wkt: str) -> str:
    """The shortest text for the same CRS: its EPSG code, else a PROJ string, else the WKT itself."""
    parsed = crs.parse(wkt)
    code = None if parsed is None else parsed.to_epsg()
    candidates = ([] if code is None else [f"EPSG:{code}"]) + [_proj_string(wkt)]
    return next((text for text in candidates if text and crs.same(text, wkt)), wkt)


def _proj_string(wkt: str) -> str:
    try:
        return str(CRS.from_wkt(wkt).to_proj4()).replace("=True", "")
    except CRSError:
        return ""


def _read(key: str, path: Path, problems: Problems) -> _File | None:
    try:
        raster = read_raster(path)
    except InputError as error:
        problems.extend(error.problems)
        return None
    if len(raster.bands) != 1:
        problems.add(_where(key, path), f"holds {len(raster.bands)} bands", "give a file with this layer alone")
        return None
    with without_place_warnings(), rasterio.open(path) as source:
        scaling = float(source.scales[0]), float(source.offsets[0])
    place = None if raster.crs is None else crs_text(raster.crs)
    band = raster.bands[0]
    return _File(band, raster.nodata, Lie((int(band.shape[0]), int(band.shape[1])), raster.transform, place), scaling)


def _layer(key: str, file: _File, where: str, problems: Problems) -> Layer | None:
    if file.scaling == (1.0, 0.0) or file.band.dtype.kind not in "iuf":
        return read_values(key, file.band, where, problems, file.nodata)
    # No data is what the file declares before its own scaling.
    scale, offset = file.scaling
    values = np.where(declared_holes(file.band, file.nodata), np.nan, file.band * scale + offset)
    layer = read_values(key, values, where, problems)
    if layer is None:
        return None
    note = f"{LAYERS[key][0]}: the file's own scale {scale:g} and offset {offset:g} were applied."
    return Layer(layer.values, layer.reading, (note, *layer.notes))


def _reference(lies: Mapping[str, Lie]) -> str | None:
    """The layer with whose grid most others agree, the first of them in the order of the layers."""
    agreeing = {key: sum(not differences_of(lie, other) for other in lies.values()) for key, lie in lies.items()}
    return max(agreeing, key=lambda key: agreeing[key], default=None)


def _check_distinct(files: Mapping[str, Path], problems: Problems) -> None:
    taken: dict[Path, str] = {}
    for key, path in files.items():
        other = taken.setdefault(path.resolve(), key)
        if other != key:
            what = f"is also given as {LAYERS[other][0].lower()}"
            problems.add(_where(key, path), what, "give every layer a file of its own")


def _where(key: str, path: Path) -> str:
    return f"{LAYERS[key][0].lower()} ({path.name})"


def _size(lie: Lie) -> str:
    return f"{lie.shape[0]} × {lie.shape[1]}"


def _name(text: str | None) -> str:
    parsed = None if text is None else crs.parse(text)
    if parsed is None:
        return "not given"
    known = parsed.name not in ("unknown", "unnamed")
    return parsed.name if known else str(text)


def _shift(distance: float, positive: str, negative: str) -> str:
    return f"{abs(distance):g} {positive if distance >= 0 else negative}"
