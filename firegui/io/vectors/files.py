"""Vector files that others made, looked at before GDAL reads them.

What they are, and whether they are whole.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import shapely
from numpy.typing import NDArray

from firegui.errors import Problem, Problems
from firegui.io import crs
from firegui.io.safe_open.vectors import read_vector, vector_info, vector_layers
from firegui.io.source_files import error_text, file_problem, first_few

SUFFIXES = (".gpkg", ".geojson", ".shp", ".kml")

MOST_BYTES = 256 * 2**20
MOST_FEATURES = 20_000
MOST_CORNERS = 20_000_000

_DRAWABLE = "export it as GeoPackage, GeoJSON, KML or shapefile"
_SHP, _SQLITE, _ZIP = b"\x00\x00\x27\x0a", b"SQLite format 3\x00", b"PK\x03\x04"
_HEAD = 4096
_SHOWN = 5


@dataclass(frozen=True, slots=True, eq=False)
class VectorLayer:
    """One layer of a vector file, and the names of all layers that have geometry.

    ``crs`` is ``None`` where the file does not say it; ``geometries`` are shapely's, ``None`` where a feature has none;
    ``columns`` by name hold dates as text.
    """

    crs: str | None
    geometries: NDArray[Any]
    columns: Mapping[str, NDArray[Any]]
    layer: str
    layers: tuple[str, ...]


def vector_file(path: Path, problems: Problems) -> Path | None:
    """Return the vector file that ``path`` is or obviously holds; else a problem and ``None``."""
    if not path.is_dir():
        problem = file_problem(path)
        problems.extend([] if problem is None else [problem])
        return path if problem is None else None
    for suffix in SUFFIXES:
        found = sorted(entry for entry in path.iterdir() if entry.suffix.lower() == suffix and entry.is_file())
        if len(found) == 1:
            return found[0]
        if found:
            names = ", ".join(entry.name for entry in found)
            problems.add(str(path), f"holds several {suffix} files ({names})", "name the one to use")
            return None
    problems.add(str(path), "holds no .gpkg, .geojson, .shp or .kml file", "name the vector file to use")
    return None


def layer_names(file: Path, problems: Problems) -> tuple[str, ...]:
    """Return the names of the layers with geometry, none for a file with a problem, which is noted."""
    problem = _whole(file)
    if problem is not None:
        problems.extend([problem])
        return ()
    try:
        return vector_layers(file)
    except OSError as error:
        problems.add(file.name, f"cannot be read as vector data ({error_text(error)})", _DRAWABLE)
        return ()


def read_features(
    file: Path, layer: str | None, problems: Problems, *, most: int = MOST_FEATURES, of: str = "perimeters",
    option: str = "--perimeters-layer",
) -> VectorLayer | None:  # fmt: skip
    """Return the features of a layer, or of the only one that has geometry.

    At most so many are read; messages say what they are ``of`` and which ``option`` names the layer. What is wrong is
    noted and ``None`` returned.
    """
    found = Problems()
    layers = layer_names(file, found)
    chosen = None if found else _choose(file, layer, layers, found, option)
    problems.extend(found)
    return None if chosen is None else read_layer(file, chosen, layers, problems, most=most, of=of)


def read_layer(
    file: Path, chosen: str, layers: tuple[str, ...], problems: Problems, *, most: int = MOST_FEATURES,
    of: str = "perimeters",
) -> VectorLayer | None:  # fmt: skip
    """Return the features of the layer ``chosen`` of a file whose ``layers`` :func:`layer_names` returned.

    What is wrong is noted and ``None`` returned.
    """
    try:
        count = vector_info(file, chosen).features
        if count > most:
            what = f"holds {count:,} features; at most {most:,} are read"
            problems.add(file.name, what, f"keep the {of} of this fire alone in the file")
            return None
        found = read_vector(file, chosen, force_2d=True, datetime_as_string=True)
    except OSError as error:
        problems.add(file.name, f"cannot be read as vector data ({error_text(error)})", _DRAWABLE)
        return None
    geometries = geometries_of(file, found.geometries, "ignore", problems)
    return None if geometries is None else VectorLayer(found.crs, geometries, found.columns, chosen, layers)


def geometries_of(
    file: Path, wkb: NDArray[Any], on_invalid: Literal["ignore", "raise"], problems: Problems
) -> NDArray[Any] | None:
    """Return features as shapely's geometries.

    Too many corners, and corners that are not finite numbers, are noted and ``None`` returned.
    """
    with np.errstate(invalid="ignore"):
        geometries: NDArray[Any] = shapely.from_wkb(wkb, on_invalid=on_invalid)
    count = int(shapely.get_num_coordinates(geometries).sum())
    if count > MOST_CORNERS:
        problems.add(file.name, f"has outlines of {count:,} corners", "simplify them in a GIS")
        return None
    corners, features = shapely.get_coordinates(geometries, return_index=True)
    unreal = (np.unique(features[~np.isfinite(corners).all(axis=1)]) + 1).tolist()
    if unreal:
        what = f"has corners that are not a number or infinite (feature {first_few(unreal, _SHOWN)})"
        problems.add(file.name, what, "draw these features again: a corner is two finite numbers")
        return None
    return geometries


def may_hold_points(file: Path) -> bool:
    """Return whether a file that is whole does not say that it holds polygons only."""
    if _whole(file) is not None:
        return False
    try:
        return not vector_info(file).geometry_type.startswith(("Polygon", "MultiPolygon"))
    except OSError:
        return False


def crs_problems(features: VectorLayer, file: Path) -> list[Problem]:
    """Return what is wrong with the CRS of a file, which must be where its coordinates are."""
    if features.crs is None:
        remedy = "add it (a .prj file beside a shapefile, or set it in a GIS)"
        return [Problem(file.name, "does not say its CRS", remedy)]
    found = crs.problems(features.crs, file.name)
    parsed = crs.parse(features.crs)
    if not found and parsed is not None and parsed.is_geographic and len(features.geometries):
        left, bottom, right, top = shapely.total_bounds(features.geometries)
        if max(abs(left), abs(right)) > 360.0 or max(abs(bottom), abs(top)) > 90.0:
            what = f"says its CRS is {crs.short_name(features.crs)}, but has coordinates such as {right:.6g}, {top:.6g}"
            exchanged = max(abs(left), abs(right)) <= 90.0 and max(abs(bottom), abs(top)) <= 180.0
            remedy = "longitude comes first: the two seem to be exchanged" if exchanged else (
                "these are not degrees: give the file its true CRS"
            )  # fmt: skip
            found.append(Problem(file.name, what, remedy))
    return found


def _choose(file: Path, layer: str | None, layers: tuple[str, ...], problems: Problems, option: str) -> str | None:
    names = ", ".join(layers) or "none"
    if layer is not None:
        if layer in layers:
            return layer
        problems.add(file.name, f"has no layer {layer!r} with geometry (it has: {names})", "name one of them")
        return None
    if len(layers) != 1:
        what = f"holds {len(layers)} layers with geometry ({names})"
        problems.add(file.name, what, f"name the one to use ({option})" if layers else _DRAWABLE)
        return None
    return layers[0]


def _whole(file: Path) -> Problem | None:
    """Return what is wrong with a file before GDAL sees it: its kind, its size, that it is cut off."""
    problem = file_problem(file)
    if problem is not None:
        return problem
    size = file.stat().st_size
    if size > MOST_BYTES:
        what = f"is too large ({size:,} bytes; at most {MOST_BYTES:,} are read)"
        return Problem(file.name, what, "keep the perimeters of this fire alone in the file")
    with file.open("rb") as opened:
        head = opened.read(_HEAD)
    if head.startswith(_SHP):
        return _whole_shapefile(file, head, size)
    if head.startswith(_ZIP):
        what = "is a zip archive (as KMZ and zipped shapefiles are)"
        return Problem(file.name, what, "unpack it and give the file in it")
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if head.startswith(_SQLITE) or text.startswith((b"{", b"[")) or (text.startswith(b"<") and b"<kml" in head):
        return None
    what = "cannot be read as vector data (it is not a shapefile, GeoPackage, GeoJSON or KML)"
    return Problem(file.name, what, _DRAWABLE)


def _whole_shapefile(file: Path, head: bytes, size: int) -> Problem | None:
    again = "get all of its files again (.shp, .shx, .dbf, .prj)"
    if len(head) < 100 or struct.unpack(">i", head[24:28])[0] * 2 > size:
        return Problem(file.name, "is cut off: it is shorter than its header says", again)
    beside = {entry.suffix.lower(): entry for entry in file.parent.iterdir() if entry.stem == file.stem}
    lacking = [suffix for suffix in (".shx", ".dbf") if suffix not in beside]
    if lacking:
        return Problem(file.name, f"its {' and its '.join(lacking)} file is not beside it", again)
    for suffix in (".shx", ".dbf", ".prj", ".cpg"):
        # An encoding or a CRS may be empty; a pipe would be waited for.
        part = beside.get(suffix, file)
        problem = file_problem(part)
        if problem is not None and not (part.is_file() and suffix in (".prj", ".cpg") and not part.stat().st_size):
            return problem
    with beside[".dbf"].open("rb") as opened:
        table = opened.read(12)
    if len(table) < 12:
        return Problem(beside[".dbf"].name, "is cut off within its header", again)
    records, header, each = struct.unpack("<IHH", table[4:12])
    if header + records * each > beside[".dbf"].stat().st_size + 1:
        return Problem(beside[".dbf"].name, "is cut off: it is shorter than its header says", again)
    return None


def polygons_of(geometry: Any) -> list[Any]:
    """Return the polygons in a geometry and in its collections."""
    if geometry is None:
        return []
    return [part for part in shapely.get_parts(_flat(geometry)) if part.geom_type == "Polygon" and not part.is_empty]


def _flat(geometry: Any) -> NDArray[Any]:
    parts = np.atleast_1d(np.asarray(geometry, object))
    while any(part.geom_type.startswith(("Multi", "GeometryCollection")) for part in parts):
        parts = shapely.get_parts(parts)
    return parts
