"""The one grid of an event.

That of its layers where they share a usable one, else one proposed or asked for. Usable means north up, square cells, a
projected CRS that is true to scale. Where something has to be chosen it is the CRS and the cells of the layer with
which most others agree (else the UTM zone of its middle, and cells of its own size on the ground), over the area that
all layers share.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from pyproj import Proj
from pyproj.exceptions import ProjError

from firegui.domain.grid import Grid
from firegui.domain.units import percent_text
from firegui.errors import Problems
from firegui.io import crs
from firegui.io.importers.georeferencing import GridPlacement, add_lacking_crs, find_placement
from firegui.io.importers.landscape_source import TargetGrid
from firegui.io.rasters.warp import CLOSE, RasterGeometry, crs_name, differences_of
from firegui.io.source_files import cells_problem

_SMALLEST_DEG = 1e-6
"""A tenth of a metre; a raster that spans less is in a CRS with a wrong scale."""
TRUE_TO_SCALE = 0.03
"""A CRS is used where it draws lengths at most this much too long or too short; conic maps of whole countries do."""

_FAR_DEG = 10.0
Bounds = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Chosen:
    """The grid, ``None`` where there can be none, and how it came to be.

    ``geometries`` with the CRS that was lacking.
    """

    place: GridPlacement | None
    reason: str
    geometries: Mapping[str, RasterGeometry]


def choose_grid(
    geometries: Mapping[str, RasterGeometry], names: Mapping[str, str], target: TargetGrid, problems: Problems
) -> Chosen:
    """Return the grid for rasters at ``geometries``, called ``names`` in what is said.

    What keeps there from being one is noted.
    """
    unknown = [] if target.crs is None else crs.problems(target.crs, "grid CRS (--crs)")
    problems.extend(unknown)
    if not geometries or unknown:
        return Chosen(None, "", geometries)
    notes: tuple[str, ...] = ()
    if target.crs is not None and all(geometry.crs is None for geometry in geometries.values()):
        # With a transform they lie somewhere, but say not where.
        if any(geometry.transform is not None for geometry in geometries.values()):
            notes = (f"No layer names its CRS; they are taken to be in {target.crs}, as it was given.",)
        geometries = {
            key: replace(geometry, crs=target.crs if geometry.transform else None)
            for key, geometry in geometries.items()
        }
    reference = reference_of(geometries)
    shared = all(not differences_of(geometry, geometries[reference]) for geometry in geometries.values())
    if all(geometry.transform is None or geometry.crs is None for geometry in geometries.values()):
        return _unplaced(geometries, names, reference, shared, target, problems)
    if not _are_placed(geometries, names, reference, problems):
        return Chosen(None, "", geometries)
    geometry = geometries[reference]
    if shared and target == TargetGrid(crs=target.crs) and _is_usable(geometry) and _same_crs(target.crs, geometry.crs):
        place = find_placement(geometry.shape, None, geometry.crs, geometry.transform, problems)
        return Chosen(_with(place, notes), "the grid that all layers share, nothing resampled", geometries)
    return _proposed(geometries, names, reference, target, notes, problems)


def reference_of(geometries: Mapping[str, RasterGeometry]) -> str:
    """Return the layer with whose grid most others agree.

    Of several one with a usable grid, then the first of the layers.
    """
    ranks = {
        key: (sum(not differences_of(geometry, other) for other in geometries.values()), _is_usable(geometry))
        for key, geometry in geometries.items()
    }
    return max(ranks, key=lambda key: ranks[key])


def scale_error(text: str, x: float, y: float) -> float:
    """Return by which share a CRS draws lengths too long or too short around a point.

    0.27 for Web Mercator at 38°.
    """
    parsed = crs.parse(text)
    if parsed is None or parsed.geodetic_crs is None:
        return 0.0
    try:
        lon, lat = crs.transformer(text, parsed.geodetic_crs.to_wkt()).transform(x, y)
        factors = Proj(parsed).get_factors(lon, lat)
    except ProjError:
        return 0.0
    scales = np.array([factors.meridional_scale, factors.parallel_scale])
    return float(np.abs(scales - 1.0).max()) if np.isfinite(scales).all() else 0.0


def _unplaced(
    geometries: Mapping[str, RasterGeometry],
    names: Mapping[str, str],
    reference: str,
    shared: bool,
    target: TargetGrid,
    problems: Problems,
) -> Chosen:
    """Return the grid of rasters without a place, which must all be alike."""
    geometry = geometries[reference]
    for key, other in geometries.items():
        if differences := differences_of(other, geometry):
            what = f"is not on the grid of {names[reference]}, and without a place it cannot be warped"
            problems.add(names[key], f"{what}: {'; '.join(differences)}", "give files with a CRS and a transform")
    if target != TargetGrid():
        problems.add(
            "grid", "the layers have no place on the map, so they cannot be warped", "leave the grid's options out"
        )
    if geometry.transform is not None and geometry.crs is None:
        add_lacking_crs(f"{names[reference]} has a transform without a CRS", problems)
        return Chosen(None, "", geometries)
    place = find_placement(geometry.shape, None, geometry.crs, geometry.transform, problems) if shared else None
    return Chosen(place, "the layers' own cells; they have no place on the map", geometries)


def _are_placed(
    geometries: Mapping[str, RasterGeometry], names: Mapping[str, str], reference: str, problems: Problems
) -> bool:
    """Return whether every raster says where on the Earth it is, and is somewhere on it."""
    good = True
    for key, geometry in geometries.items():
        if geometry.transform is None or geometry.crs is None:
            lacking = "CRS" if geometry.crs is None else "transform"
            what = f"has no {lacking}, while {names[reference]} is on the map"
            problems.add(names[key], what, "give a file that says where it lies")
            good = False
        elif (wrong := _misplaced(geometry)) is not None:
            remedy = "check its CRS and whether east and north are exchanged"
            problems.add(names[key], wrong, remedy)
            good = False
    return good


def _misplaced(geometry: RasterGeometry) -> str | None:
    assert geometry.crs is not None
    west, south, east, north = geometry.bounds()
    found = crs.problems(geometry.crs)
    if found:
        return found[0].what
    if not all(math.isfinite(value) for value in (west, south, east, north)) or west == east or south == north:
        return "has a transform that is none"
    parsed = crs.parse(geometry.crs)
    assert parsed is not None
    if parsed.is_geographic and (max(abs(south), abs(north)) > 90.0 + 1e-6 or max(abs(west), abs(east)) > 360.0 + 1e-6):
        return f"spans {west:g} to {east:g} in longitude and {south:g} to {north:g} in latitude, off the Earth"
    to_degrees = crs.transformer(geometry.crs, "EPSG:4326")
    lon, lat = to_degrees.transform((west + east) / 2.0, (south + north) / 2.0)
    if not (math.isfinite(lon) and math.isfinite(lat)):
        return f"lies off the Earth in its CRS ({crs_name(geometry.crs)})"
    corners = to_degrees.transform([west, east], [south, north])
    if all(abs(one - other) < _SMALLEST_DEG for one, other in corners):
        return f"covers no ground in its CRS ({crs_name(geometry.crs)})"
    area = parsed.area_of_use
    if area is None or area.west > area.east:
        return None
    beyond = max(area.west - lon, lon - area.east, area.south - lat, lat - area.north)
    if beyond > _FAR_DEG:
        return f"lies at {lon:.1f}° east, {lat:.1f}° north, {beyond:.0f}° outside the area of its CRS ({parsed.name})"
    return None


def _is_usable(geometry: RasterGeometry) -> bool:
    parsed = None if geometry.crs is None else crs.parse(geometry.crs)
    return (
        parsed is not None and parsed.is_projected and geometry.is_north_up and _scale_error(geometry) <= TRUE_TO_SCALE
    )


def _scale_error(geometry: RasterGeometry) -> float:
    assert geometry.crs is not None
    west, south, east, north = geometry.bounds()
    return scale_error(geometry.crs, (west + east) / 2.0, (south + north) / 2.0)


def _same_crs(one: str | None, other: str | None) -> bool:
    return one is None or (other is not None and crs.same(one, other))


def _with(place: GridPlacement | None, notes: tuple[str, ...]) -> GridPlacement | None:
    return None if place is None else GridPlacement(place.grid, (*notes, *place.notes))


def _proposed(
    geometries: Mapping[str, RasterGeometry], names: Mapping[str, str], reference: str, target: TargetGrid,
    notes: tuple[str, ...], problems: Problems,
) -> Chosen:  # fmt: skip
    geometry = geometries[reference]
    text, why = _crs_for(geometry, names[reference], target)
    in_crs = geometry.crs is not None and crs.same(text, geometry.crs)
    unit = crs.metres_per_unit(text)
    lattice = geometry.lattice if in_crs else None
    own = lattice[0] * unit if lattice is not None else _ground_cell(geometry, text)
    size = target.cell_size_m if target.cell_size_m is not None else own
    if not (math.isfinite(size) and size > 0.0):
        problems.add("grid cell size (--cell-size)", f"{size:g} m", "give a size above 0, such as 30")
        return Chosen(None, "", geometries)
    bounds = _bounds(geometries, names, reference, text, target, problems)
    if bounds is None:
        return Chosen(None, "", geometries)
    kept = lattice if math.isclose(size, own, rel_tol=1e-6) else None
    grid = _snapped(bounds, size, unit, text, kept, target.bounds is not None)
    problem = cells_problem("grid", grid.rows, grid.columns) if grid.rows > 2 and grid.columns > 2 else None
    if problem is not None:
        problems.extend([problem])
        return Chosen(None, "", geometries)
    place = find_placement(grid.shape, None, text, grid.transform, problems)
    if place is not None and target.crs is not None and (error := _error_of(grid)) > TRUE_TO_SCALE:
        what = (
            f"{crs.short_name(text)} draws lengths {percent_text(error, 0)} wrong here, and areas and spread with them"
        )
        other = _utm(grid.to_world(grid.rows / 2, grid.columns / 2), text)
        problems.add("grid CRS (--crs)", what, f"choose another, such as {other}")
    cells = f"cells of {size:g} m" + ("" if target.cell_size_m is None else ", as asked for")
    extent = "over the bounds asked for" if target.bounds else "over the area that all layers share"
    return Chosen(_with(place, notes), f"{why}, {cells}, {extent}", geometries)


def _error_of(grid: Grid) -> float:
    assert grid.crs is not None
    return scale_error(grid.crs, *grid.to_world(grid.rows / 2.0, grid.columns / 2.0))


def _crs_for(geometry: RasterGeometry, name: str, target: TargetGrid) -> tuple[str, str]:
    """Return the CRS, and the reason for it."""
    assert geometry.crs is not None
    if target.crs is not None:
        return target.crs, f"{crs.short_name(target.crs)}, as asked for"
    parsed = crs.parse(geometry.crs)
    if parsed is not None and parsed.is_projected and _scale_error(geometry) <= TRUE_TO_SCALE:
        return geometry.crs, f"the CRS of {name} ({crs.short_name(geometry.crs)})"
    west, south, east, north = geometry.bounds()
    utm = _utm(((west + east) / 2.0, (south + north) / 2.0), geometry.crs)
    wrong = "counts in degrees" if parsed is not None and parsed.is_geographic else "is not true to scale here"
    return utm, f"{utm} (UTM), since {crs.short_name(geometry.crs)} of {name} {wrong}"


def _utm(point: tuple[float, float], text: str) -> str:
    lon, lat = crs.transformer(text, "EPSG:4326").transform(*point)
    zone = min(60, max(1, math.floor((lon + 180.0) / 6.0) + 1))
    return f"EPSG:{(32600 if lat >= 0 else 32700) + zone}"


def _ground_cell(geometry: RasterGeometry, text: str) -> float:
    """Return the side of a cell on the ground in metres, of equal area, to two digits."""
    assert geometry.crs is not None
    rows, columns = geometry.shape
    middle = [geometry.affine @ (columns / 2 + dx, rows / 2 + dy) for dx, dy in ((0, 0), (1, 0), (0, 1))]
    x, y = crs.transformer(geometry.crs, text).transform([p[0] for p in middle], [p[1] for p in middle])
    unit = crs.metres_per_unit(text)
    area = abs((x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0])) * unit**2
    return float(f"{math.sqrt(area):.2g}") if math.isfinite(area) and area > 0.0 else math.nan


def _bounds(
    geometries: Mapping[str, RasterGeometry],
    names: Mapping[str, str],
    reference: str,
    text: str,
    target: TargetGrid,
    problems: Problems,
) -> Bounds | None:
    if target.bounds is not None:
        west, south, east, north = target.bounds
        if not all(math.isfinite(value) for value in target.bounds) or west >= east or south >= north:
            problems.add(
                "grid bounds (--bounds)",
                f"{west:g},{south:g},{east:g},{north:g} is not a box",
                "give west,south,east,north",
            )
            return None
        return target.bounds
    boxes = {key: _box_in(geometry, text) for key, geometry in geometries.items()}
    shared = boxes[reference]
    for key, box in boxes.items():
        both = max(shared[0], box[0]), max(shared[1], box[1]), min(shared[2], box[2]), min(shared[3], box[3])
        if not (both[0] < both[2] and both[1] < both[3]):
            problems.add(
                names[key], f"does not overlap {names[reference]}", "give layers of one area, or check its CRS"
            )
            return None
        shared = both
    return shared


def _box_in(geometry: RasterGeometry, text: str) -> Bounds:
    """Return the bounds of a raster in another CRS.

    Of one that turns on the way the largest box around it.
    """
    assert geometry.crs is not None
    if crs.same(geometry.crs, text):
        return geometry.bounds()
    edge = np.linspace(0.0, 1.0, 21)
    zero, one = np.zeros(21), np.ones(21)
    columns = np.concatenate([edge, edge, zero, one]) * geometry.shape[1]
    rows = np.concatenate([zero, one, edge, edge]) * geometry.shape[0]
    x, y = geometry.affine @ (columns, rows)
    found = crs.transformer(geometry.crs, text).transform(x, y)
    east, north = (np.asarray(values)[np.isfinite(values)] for values in found)
    if not east.size or not north.size:
        return math.inf, math.inf, -math.inf, -math.inf
    return float(east.min()), float(north.min()), float(east.max()), float(north.max())


def _snapped(
    bounds: Bounds, size_m: float, unit: float, text: str, lattice: tuple[float, float, float] | None, outward: bool
) -> Grid:
    """Return whole cells over ``bounds``.

    On the lattice of the layers where there is one, inward unless ``outward``.
    """
    size = size_m / unit if lattice is None else lattice[0]
    west, south, east, north = bounds
    if lattice is not None:
        x0, y0 = lattice[1:]
    elif outward:
        x0, y0 = west, north
    else:
        x0, y0 = 0.0, 0.0
    low, high = (math.floor, math.ceil) if outward else (math.ceil, math.floor)
    give = CLOSE if outward else -CLOSE
    left, right = low((west - x0) / size + give), high((east - x0) / size - give)
    top, bottom = low((y0 - north) / size + give), high((y0 - south) / size - give)
    corner = x0 + left * size, y0 - top * size
    # Sums of decimal fractions have odd last digits; on the lattice of a file they are that file's.
    east, north = corner if lattice is not None else (round(corner[0], 6), round(corner[1], 6))
    transform = (size, 0.0, east, 0.0, -size, north)
    return Grid(max(0, bottom - top), max(0, right - left), size_m, transform, text)
