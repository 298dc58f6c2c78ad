"""The layers of a landscape on one grid, and how each got there."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from firegui.domain.grid import Grid
from firegui.domain.scenario import LAYERS
from firegui.errors import Check, InputError, Problems
from firegui.io.georeference import WGS84
from firegui.io.importers.georeferencing import GridPlacement
from firegui.io.importers.landscape_source import LandscapeSource, LayerBand
from firegui.io.importers.layer_values import (
    FEET,
    FOOT_M,
    SLOPE_PERCENT,
    UNITS,
    Encoding,
    ImportedLayer,
    declared_holes,
    read_values,
)
from firegui.io.importers.lcp import BandOrder, describe_order, read_order, role_of
from firegui.io.importers.target_grid import Chosen, choose_grid
from firegui.io.paths import real_path
from firegui.io.rasters.files import RasterFile, read_box, read_header
from firegui.io.rasters.warp import Box, RasterGeometry, horn, how_placed, needed_box, north_angle, place_on, turned

DERIVED = "derived from elevation"
_SAID_TURN_DEG = 0.1


@dataclass(frozen=True, slots=True, eq=False)
class GriddedLayer:
    """One layer on the grid.

    The band it is from (``None`` where derived), what its file says, how it was placed.
    """

    layer: ImportedLayer
    file: LayerBand | None
    header: RasterFile | None
    placing: str


@dataclass(frozen=True, slots=True, eq=False)
class GriddedLandscape:
    """The grid, why it, the layers on it, and the order of a landscape file.

    The grid is ``None`` where there can be none.
    """

    place: GridPlacement | None
    reason: str
    placement: Mapping[str, GriddedLayer]
    order: BandOrder | None
    notes: tuple[str, ...]

    @property
    def layers(self) -> dict[str, ImportedLayer]:
        """The layers alone."""
        return {key: placement.layer for key, placement in self.placement.items()}


@dataclass(frozen=True, slots=True)
class _Chosen:
    """A band that was chosen for a layer."""

    file: LayerBand
    header: RasterFile
    band: int
    where: str


def read_ground(source: LandscapeSource, problems: Problems, check: Check | None = None) -> GriddedLandscape:
    """Return everything of ``source`` that is raster layers.

    What is wrong with it is added to ``problems``. Every header is judged before any band is read. ``check`` is called
    often and may raise to cancel.
    """
    headers: dict[Path, RasterFile | None] = {}
    files, order = _with_lcp(source, headers, problems, check)
    _check_distinct(files, problems)
    chosen = {
        key: found
        for key in LAYERS
        if key in files and (found := _choose(key, files[key], headers, problems)) is not None
    }
    if not files and source.lcp is None:
        problems.add("layers", "none is given", "give at least one landscape layer: it sets the grid of the event")
    geometries = {key: found.header.geometry for key, found in chosen.items()}
    grid = choose_grid(geometries, {key: found.where for key, found in chosen.items()}, source.target, problems)
    placement, codes = {}, frozenset(fuel.code for fuel in source.fuels)
    for key, found in chosen.items():
        if check is not None:
            check()
        layer = _place_layer(key, found, grid, codes, problems, check)
        if layer is not None:
            placement[key] = layer
    if grid.place is None:
        return GriddedLandscape(None, "", placement, order, ())
    given = {key for key, found in chosen.items() if found.file.unit is not None}
    north = _other_north(grid.geometries, grid.place.grid) if "aspect" not in given else 0.0
    placement, notes = _terrain(placement, given, grid.place.grid, source.derive, north)
    notes = _order_notes(order) + _grid_notes(chosen, placement, grid) + notes
    return GriddedLandscape(grid.place, grid.reason, placement, order, tuple(notes))


def _with_lcp(
    source: LandscapeSource, headers: dict[Path, RasterFile | None], problems: Problems, check: Check | None
) -> tuple[dict[str, LayerBand], BandOrder | None]:
    """Return the files of the layers, those of a landscape file among them."""
    files = dict(source.layers)
    if source.lcp is None:
        return files, None
    where = f"landscape file ({source.lcp.name})"
    header = headers[source.lcp] = read_header(source.lcp, where, problems)
    order = None if header is None else read_order(header, source.lcp_bands, where, problems, check)
    if order is not None:
        for key, band in order.bands.items():
            unit = source.lcp_units.get(key) or _stated_unit(order, key)
            files.setdefault(key, LayerBand(source.lcp, band, unit))
    return files, order


def _stated_unit(order: BandOrder, key: str) -> str | None:
    """Return the unit that a file states for a band, but degrees of a slope: percent often go by it."""
    stated = order.units.get(key)
    return None if (key, stated) == ("slope", "degrees") else stated


def _choose(key: str, file: LayerBand, headers: dict[Path, RasterFile | None], problems: Problems) -> _Chosen | None:
    where = where_of(key, file)
    if file.unit is not None and file.unit not in UNITS[key]:
        problems.add(where, f"the unit {file.unit!r} is unknown", f"use one of {', '.join(UNITS[key])}")
        return None
    if file.path not in headers:
        headers[file.path] = read_header(file.path, where, problems)
    header = headers[file.path]
    if header is None:
        return None
    count, band = len(header.bands), file.band
    if band is None and count > 1:
        named = [number for number, one in enumerate(header.bands, start=1) if role_of(one.name) == key]
        if len(named) != 1:
            remedy = f"say which it is (--band {key.replace('_', '-')}=1), or give a landscape file (--lcp)"
            problems.add(where, f"holds {count} bands", remedy)
            return None
        band = named[0]
    if not 1 <= (band or 1) <= count:
        problems.add(where, f"has no band {band}; it holds {count}", f"give 1 to {count}")
        return None
    return _Chosen(file, header, band or 1, where)


def _place_layer(
    key: str, found: _Chosen, grid: Chosen, custom: frozenset[int], problems: Problems, check: Check | None
) -> GriddedLayer | None:
    geometry = grid.geometries.get(key, found.header.geometry)
    rows, columns = geometry.shape
    target = None if grid.place is None else grid.place.grid
    box: Box | None = (0, rows, 0, columns) if target is None else needed_box(geometry, target)
    if box is None:
        problems.add(found.where, "has no cell on the grid", "give a layer of this place, or other bounds")
        return None
    layer = _read(key, found, box, custom, problems)
    if layer is None:
        return None
    if target is None:
        return GriddedLayer(layer, found.file, found.header, "")
    try:
        values = place_on(key, layer.values, geometry, box, target, check)
    except InputError as error:
        problems.extend(error.problems)
        return None
    if np.isnan(values).all():
        problems.add(found.where, "has no data in any cell of the grid", "leave the layer out, or change the grid")
        return None
    return GriddedLayer(replace(layer, values=values), found.file, found.header, how_placed(key, geometry, target))


def _read(key: str, found: _Chosen, box: Box, custom: frozenset[int], problems: Problems) -> ImportedLayer | None:
    raw = read_box(found.header, found.band, box, found.where, problems)
    if raw is None:
        return None
    band, unit = found.header.bands[found.band - 1], found.file.unit
    if (band.scale, band.offset) == (1.0, 0.0) or raw.dtype.kind not in "iuf":
        return read_values(key, raw, found.where, problems, band.nodata, unit=unit, custom=custom)
    # No data is what the file declares before its own scaling.
    values = np.where(declared_holes(raw, band.nodata), np.nan, raw * band.scale + band.offset)
    layer = read_values(key, values, found.where, problems, unit=unit, custom=custom)
    note = f"{LAYERS[key][0]}: the file's own scale {band.scale:g} and offset {band.offset:g} were applied."
    return None if layer is None else replace(layer, notes=(note, *layer.notes))


def _other_north(geometries: Mapping[str, RasterGeometry], grid: Grid) -> float:
    """Return the clockwise angle from the north of the aspect layer's CRS to true north, in degrees.

    An aspect that counts from true north has to be turned by it.
    """
    own = geometries.get("aspect")
    if own is None or grid.crs is None:
        return 0.0
    return north_angle(replace(own, crs=WGS84), grid) - north_angle(own, grid)


def _terrain(
    placement: dict[str, GriddedLayer], given: set[str], grid: Grid, derive: bool, north: float
) -> tuple[dict[str, GriddedLayer], list[str]]:
    """Return the units of the terrain put right, and slope and aspect derived where they are missing."""
    layers = {key: one.layer for key, one in placement.items()}
    layers, checked = check_terrain(layers, given, grid.cell_size_m, north)
    layers, derived = derive_terrain(layers, grid.cell_size_m) if derive else (layers, [])
    blank = GriddedLayer(next(iter(layers.values())), None, None, DERIVED) if layers else None
    found = {}
    for key, layer in layers.items():
        before = placement.get(key, blank)
        assert before is not None
        found[key] = replace(before, layer=layer)
    return found, checked + derived


def _order_notes(order: BandOrder | None) -> list[str]:
    return [] if order is None else [describe_order(order)]


def _grid_notes(chosen: Mapping[str, _Chosen], placement: Mapping[str, GriddedLayer], grid: Chosen) -> list[str]:
    """Return how the grid came to be and which layers were cut or warped to it."""
    assert grid.place is not None
    found = grid.place.grid
    by_placing: dict[str, list[str]] = {}
    for key, one in placement.items():
        if one.placing not in ("", "as it is", DERIVED):
            by_placing.setdefault(one.placing, []).append(LAYERS[key][0].lower())
    if not by_placing:
        return []
    odd: dict[str, list[str]] = {}
    for key in placement:
        if key in grid.geometries and (oddity := grid.geometries[key].oddity) is not None:
            odd.setdefault(oddity, []).append(LAYERS[key][0].lower())
    notes = [f"Grid of {found.size_text} of {found.cell_size_m:g} m: {grid.reason}."]
    notes += [f"The raster of {', '.join(names)} {oddity}; it was brought north up." for oddity, names in odd.items()]
    for placing, names in by_placing.items():
        verb = "Cut to the grid" if placing == "cut" else f"Resampled to the grid ({placing})"
        notes.append(f"{verb}: {', '.join(names)}.")
    if "aspect" in chosen and "aspect" in placement and placement["aspect"].placing.startswith("bilinear"):
        turn = north_angle(grid.geometries["aspect"], found)
        if abs(turn) > _SAID_TURN_DEG:
            notes.append(f"Aspect turned by {turn:+.1f}°, the angle between the north of its CRS and the grid's.")
    return notes


def _check_distinct(files: Mapping[str, LayerBand], problems: Problems) -> None:
    taken: dict[tuple[Path, int | None], str] = {}
    for key, file in files.items():
        other = taken.setdefault((real_path(file.path), file.band), key)
        if other != key:
            what = f"is also given as {LAYERS[other][0].lower()}"
            problems.add(where_of(key, file), what, "give every layer a file, or a band, of its own")


def where_of(key: str, file: LayerBand) -> str:
    """Return what a problem with the file of a layer is called."""
    band = "" if file.band is None else f", band {file.band}"
    return f"{LAYERS[key][0].lower()} ({file.path.name}{band})"


def outline(geometry: RasterGeometry) -> list[tuple[float, float]]:
    """Return the edge of a raster in its own coordinates, 8 points a side, closed."""
    rows, columns = geometry.shape
    steps = np.linspace(0.0, 1.0, 9)[:-1]
    ring = [(s, 0.0) for s in steps] + [(1.0, s) for s in steps] + [(1.0 - s, 1.0) for s in steps]
    ring += [(0.0, 1.0 - s) for s in steps] + [(0.0, 0.0)]
    return [tuple(map(float, geometry.affine @ (x * columns, y * rows))) for x, y in ring]  # type: ignore[misc]


_STEEP_DEG = 5.0
"""Flatter ground says little of units and directions."""

_FEW_CELLS = 20
_APART_DEG, _TIMES_BETTER = 3.0, 2.0
_OTHERWISE_DEG = 45.0
_TURNED_DEG, _ALIKE = 5.0, 0.8
_SEEN_TURN_DEG = 0.5
"""Angles between true and grid north that an aspect can be seen to be turned by."""
_TURN_SHARE = 0.25
_LEAVE_OUT = "leave it out, and it is derived"
Raster = NDArray[np.float32]


def check_terrain(
    layers: Mapping[str, ImportedLayer], given: Collection[str], cell_size_m: float, north: float = 0.0
) -> tuple[dict[str, ImportedLayer], list[str]]:
    """Return the layers with their units put right, and what to know of them.

    Elevation and slope together can tell the units. ``given`` are the layers whose units were said: those stay. A slope
    in degrees may be percent, an elevation in metres may be feet; another reading is taken where the slope layer rises
    and falls with the slope that follows from the elevation (Horn) and only that reading brings the two together. An
    aspect that the elevation shows to count from true north is turned by ``north``, the clockwise angle in degrees to
    it from the north of its raster.
    """
    found, notes = dict(layers), list[str]()
    if "elevation" not in found or not {"slope", "aspect"} & set(found):
        return found, notes
    derived = horn(found["elevation"].values, cell_size_m)
    if "slope" in found:
        found, notes = _units(found, given, derived[0])
    if "aspect" in found:
        values = found["aspect"].values
        if abs(north) >= _SEEN_TURN_DEG and _is_turned_by(-north, values, *derived):
            values = turned(values, north)
            found["aspect"] = replace(found["aspect"], values=values)
            notes.append(f"Aspect turned by {north:+.1f}°: by the elevation it counts from true north, not the grid's.")
        notes += _facing(values, *derived)
    return found, notes


def derive_terrain(
    layers: Mapping[str, ImportedLayer], cell_size_m: float
) -> tuple[dict[str, ImportedLayer], list[str]]:
    """Return the layers with the slope and aspect they lack, derived from elevation, and a note on it."""
    missing = [key for key in ("slope", "aspect") if key not in layers]
    if "elevation" not in layers or not missing:
        return dict(layers), []
    derived = dict(zip(("slope", "aspect"), horn(layers["elevation"].values, cell_size_m), strict=True))
    added = {
        key: ImportedLayer(derived[key], f"{LAYERS[key][0].lower()} derived from elevation", ()) for key in missing
    }
    names = " and ".join(LAYERS[key][0].lower() for key in missing)
    note = f"{names.capitalize()} derived from elevation by Horn's method, on cells of {cell_size_m:g} m."
    return {key: added.get(key) or layers[key] for key in LAYERS if key in added or key in layers}, [note]


def _units(
    layers: dict[str, ImportedLayer], given: Collection[str], follows: Raster
) -> tuple[dict[str, ImportedLayer], list[str]]:
    elevation, slope = layers["elevation"], layers["slope"]
    rise = np.tan(np.deg2rad(follows.astype(np.float64)))
    degrees = slope.values.astype(np.float64)
    steep = (follows > _STEEP_DEG) & ~np.isnan(degrees)
    if steep.sum() < _FEW_CELLS:
        return layers, []
    rise, degrees = rise[steep], degrees[steep]
    heights = {"m": 1.0} | ({"ft": FOOT_M} if "elevation" not in given and elevation.unit == "m" else {})
    slopes = {"degrees": degrees}
    if "slope" not in given and slope.unit == "degrees":
        slopes["percent"] = np.rad2deg(np.arctan(degrees / 100.0))
    apart = {
        (height, unit): float(np.median(np.abs(np.rad2deg(np.arctan(rise * factor)) - values)))
        for height, factor in heights.items()
        for unit, values in slopes.items()
    }
    usual = apart["m", "degrees"]
    if usual <= _APART_DEG:
        return layers, [f"The slope layer agrees with the elevation: {usual:.1f}° apart in the median."]
    best = min(apart, key=lambda units: apart[units])
    alike = degrees.std() > 0.0 and float(np.corrcoef(rise, degrees)[0, 1]) > _ALIKE
    if alike and apart[best] <= _APART_DEG and _TIMES_BETTER * apart[best] <= usual:
        return _reread(layers, best, usual, apart[best])
    what = f"The slope layer and the slope that follows from elevation are {usual:.1f}° apart in the median"
    return layers, [f"{what}: check the units and that they are of one place."]


def _reread(
    layers: dict[str, ImportedLayer], units: tuple[str, str], usual: float, now: float
) -> tuple[dict[str, ImportedLayer], list[str]]:
    found, notes = dict(layers), []
    apart = f"slope layer and elevation are then {now:.1f}° apart in the median, and {usual:.1f}° otherwise"
    if units[0] == "ft":
        values = (found["elevation"].values.astype(np.float64) * FOOT_M).astype(np.float32)
        found["elevation"] = _read_as(found["elevation"], values, "ft", FEET)
        notes.append(f"Elevation taken to be in feet: {apart}.")
    if units[1] == "percent":
        values = np.rad2deg(np.arctan(found["slope"].values.astype(np.float64) / 100.0)).astype(np.float32)
        found["slope"] = _read_as(found["slope"], values, "percent", SLOPE_PERCENT)
        notes.append(f"Slope taken to be in percent: {apart}.")
    return found, notes


def _read_as(layer: ImportedLayer, values: Raster, unit: str, stored: Encoding) -> ImportedLayer:
    """Return a layer with other values, since its numbers are in another unit than was read."""
    numbers = layer.reading.rsplit(" ", 1)[0]
    return replace(layer, values=values, unit=unit, reading=f"{numbers} {stored.unit}")


def _is_turned_by(turn: float, aspect: Raster, slope: Raster, derived: Raster) -> bool:
    """Return whether an aspect is turned by ``turn`` degrees against the elevation, in mean and median."""
    both = (slope > _STEEP_DEG) & (aspect >= 0.0) & (derived >= 0.0)
    if both.sum() < _FEW_CELLS:
        return False
    apart = (aspect[both].astype(np.float64) - derived[both] + 180.0) % 360.0 - 180.0
    mean = complex(np.exp(1j * np.deg2rad(apart)).mean())
    found = (float(np.rad2deg(np.angle(mean))), float(np.median(apart)))
    return abs(mean) > _ALIKE and all(abs(one - turn) <= _TURN_SHARE * abs(turn) for one in found)


def _facing(aspect: Raster, slope: Raster, derived: Raster) -> list[str]:
    both = (slope > _STEEP_DEG) & (aspect >= 0.0) & (derived >= 0.0)
    if both.sum() < _FEW_CELLS:
        return []
    apart = (aspect[both].astype(np.float64) - derived[both] + 180.0) % 360.0 - 180.0
    median, mean = float(np.median(np.abs(apart))), complex(np.exp(1j * np.deg2rad(apart)).mean())
    turn = float(np.rad2deg(np.angle(mean)))
    if median > _OTHERWISE_DEG:
        upside = " (it seems to point uphill)" if median > 180.0 - _OTHERWISE_DEG else ""
        return [
            f"The aspect layer is {median:.0f}° from the way that the ground faces by the elevation{upside}: check "
            f"that it is in degrees clockwise from north, downhill, or {_LEAVE_OUT}."
        ]
    if abs(turn) > _TURNED_DEG and abs(mean) > _ALIKE:
        return [
            f"The aspect layer is turned by {turn:+.0f}° against the elevation, everywhere alike: its directions may "
            f"count from another north, as that of LANDFIRE's own grid; to be rid of it {_LEAVE_OUT}."
        ]
    return [f"The aspect layer agrees with the elevation: {median:.0f}° apart in the median."]
