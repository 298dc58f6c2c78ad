"""Observed perimeters: polygons with dates, brought onto the grid as one cumulative mask per date."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pyogrio
import shapely
from numpy.typing import NDArray
from pyogrio.errors import DataLayerError, DataSourceError
from rasterio import Affine

from firegui.domain.grid import Grid
from firegui.errors import InputError, Problems
from firegui.io import crs
from firegui.io.dates import dates_of_features
from firegui.io.rasterize import polygon_mask

_SUFFIXES = (".gpkg", ".geojson", ".shp")
_POLYGONS = (shapely.GeometryType.POLYGON, shapely.GeometryType.MULTIPOLYGON)
_DRAWABLE = "export it as GeoPackage, GeoJSON or shapefile with one polygon per date"


@dataclass(frozen=True, slots=True, eq=False)
class _Features:
    crs: str | None
    geometries: NDArray[Any]
    columns: dict[str, NDArray[Any]]


def read_perimeters(path: Path, grid: Grid) -> tuple[NDArray[np.bool_], tuple[date, ...]]:
    """Read observed perimeters onto ``grid``.

    ``path`` is a vector file, or a folder that holds one (.gpkg before .geojson before .shp). Polygons may be whole
    perimeters or daily increments: the mask of a date is the union of everything up to it, by the cell-centre rule.
    Returns ``[N, H, W]`` cumulative masks and their ``N`` ascending local dates. Raises
    :class:`~firegui.errors.InputError` with everything that is wrong.
    """
    problems = Problems()
    title = f"The perimeters {path} cannot be used"
    file, features = _opened(path, grid, problems, title)
    dates = dates_of_features(features.columns, len(features.geometries), file.name, problems)
    _check(features, file, problems)
    problems.raise_if_any(title)
    geometries = _on_grid(features, grid, file, problems)
    problems.raise_if_any(title)
    days, masks = _cumulative(geometries, dates, grid)
    if not masks.any():
        problems.add(file.name, *_off_grid(geometries, grid))
    problems.raise_if_any(title)
    return masks, days


def read_outline(path: Path, grid: Grid, until: date) -> NDArray[np.bool_]:
    """One perimeter ``[H, W]`` on ``grid``: the union of the polygons of a file, by the cell-centre rule.

    Where the polygons have dates, those after the local date ``until`` are left out. ``path`` as in
    :func:`read_perimeters`. Raises :class:`~firegui.errors.InputError` with everything that is wrong.
    """
    problems = Problems()
    title = f"The perimeter {path} cannot be used"
    file, features = _opened(path, grid, problems, title)
    undated = Problems()
    dates = dates_of_features(features.columns, len(features.geometries), file.name, undated)
    if dates:
        problems.extend(undated)
    _check(features, file, problems)
    problems.raise_if_any(title)
    geometries = _on_grid(features, grid, file, problems)
    problems.raise_if_any(title)
    if dates:
        geometries = geometries[[when <= until for when in dates]]
        if len(geometries) == 0:
            what = f"its perimeters are of {min(dates)} and later, none is of {until} or before"
            problems.add(file.name, what, "give the perimeter of the day to plan from, or check the day")
        problems.raise_if_any(title)
    assert grid.transform is not None
    mask = polygon_mask(list(geometries), Affine(*grid.transform), grid.shape)
    if not mask.any():
        problems.add(file.name, *_off_grid(geometries, grid))
    problems.raise_if_any(title)
    return mask


def vector_file(path: Path, problems: Problems) -> Path | None:
    """The vector file that ``path`` is or obviously holds; else a problem and ``None``."""
    if path.is_file():
        return path
    if not path.is_dir():
        problems.add(str(path), "the file does not exist", "check the path")
        return None
    for suffix in _SUFFIXES:
        found = sorted(entry for entry in path.iterdir() if entry.suffix.lower() == suffix and entry.is_file())
        if len(found) == 1:
            return found[0]
        if found:
            names = ", ".join(entry.name for entry in found)
            problems.add(str(path), f"holds several {suffix} files ({names})", "name the one to use")
            return None
    problems.add(str(path), "holds no .gpkg, .geojson or .shp file", "name the vector file to use")
    return None


def _opened(path: Path, grid: Grid, problems: Problems, title: str) -> tuple[Path, _Features]:
    """The file and its features. Raises with what is wrong with them or with the place of the grid."""
    if not grid.is_georeferenced:
        problems.add(
            "grid",
            "the event has no place on the map",
            "give its CRS and transform, so that perimeters can be laid on it",
        )
    else:
        problems.extend(crs.grid_problems(grid))
    file = vector_file(path, problems)
    features = None if file is None else _read(file, problems)
    if file is None or features is None:
        raise InputError(problems, title)
    return file, features


def _read(file: Path, problems: Problems) -> _Features | None:
    try:
        # The drivers warn about geometry they mend on the way; what matters is checked below.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            layers = [str(name) for name, kind in pyogrio.list_layers(file) if kind is not None]
            if len(layers) != 1:
                problems.add(
                    file.name,
                    f"holds {len(layers)} layers with geometry ({', '.join(layers)})",
                    "keep one layer in the file",
                )
                return None
            meta, _, wkb, values = pyogrio.raw.read(file, layer=layers[0], force_2d=True)
    except (DataSourceError, DataLayerError, OSError, ValueError) as error:
        problems.add(file.name, f"cannot be read as vector data ({' '.join(str(error).split())})", _DRAWABLE)
        return None
    columns = dict(zip((str(name) for name in meta["fields"]), values, strict=True))
    return _Features(meta["crs"], shapely.from_wkb(wkb, on_invalid="ignore"), columns)


def _check(features: _Features, file: Path, problems: Problems) -> None:
    kinds = shapely.get_type_id(features.geometries)
    for number in np.flatnonzero(~np.isin(kinds, _POLYGONS)):
        geometry = features.geometries[number]
        what = "has no geometry" if geometry is None else f"is a {geometry.geom_type}, not a polygon"
        problems.add(f"{file.name}, feature {number + 1}", what, "keep only perimeters, as polygons")
    if len(features.geometries) == 0:
        problems.add(file.name, "holds no perimeter", _DRAWABLE)
    if features.crs is None:
        problems.add(file.name, "does not say its CRS", "add it (a .prj file beside a shapefile, or set it in a GIS)")
    else:
        problems.extend(crs.problems(features.crs, file.name))


def _on_grid(features: _Features, grid: Grid, file: Path, problems: Problems) -> NDArray[Any]:
    if features.crs is None or grid.crs is None or crs.same(features.crs, grid.crs):
        return features.geometries
    change = crs.transformer(features.crs, grid.crs)
    moved = shapely.transform(features.geometries, change.transform, interleaved=False)
    bad = np.flatnonzero(~np.isfinite(shapely.bounds(moved)).all(axis=1))
    for number in bad:
        what = f"cannot be brought from {features.crs} to {grid.crs}"
        problems.add(f"{file.name}, feature {number + 1}", what, "check that the file says its true CRS")
    return np.asarray(moved)


def _cumulative(geometries: NDArray[Any], dates: list[date], grid: Grid) -> tuple[tuple[date, ...], NDArray[np.bool_]]:
    days = tuple(sorted(set(dates)))
    masks = np.zeros((len(days), *grid.shape), np.bool_)
    assert grid.transform is not None
    place = Affine(*grid.transform)
    for mask, day in zip(masks, days, strict=True):
        chosen = geometries[[when == day for when in dates]]
        mask[:] = polygon_mask(list(chosen), place, grid.shape)
    np.logical_or.accumulate(masks, axis=0, out=masks)
    return days, masks


def _off_grid(geometries: NDArray[Any], grid: Grid) -> tuple[str, str]:
    left, bottom, right, top = shapely.total_bounds(geometries)
    west, south = grid.to_world(grid.rows - 0.5, -0.5)
    east, north = grid.to_world(-0.5, grid.columns - 0.5)
    if right <= west or left >= east or top <= south or bottom >= north:
        where = f"x {left:.6g} to {right:.6g}, y {bottom:.6g} to {top:.6g}"
        extent = f"x {west:.6g} to {east:.6g}, y {south:.6g} to {north:.6g}"
        what = f"every perimeter lies off the grid ({where} in {grid.crs}, the grid spans {extent})"
        return what, "likely a CRS mismatch: check the CRS and transform of the event and the CRS of the file"
    return "no perimeter covers the centre of a cell", "check that the file holds this fire"
