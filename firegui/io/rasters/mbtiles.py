"""Raster map tiles in an MBTiles file, drawn onto a grid of ours.

The format is that of github.com/mapbox/mbtiles-spec, version 1.3. The file is a SQLite database of PNG or JPEG images
in web mercator (EPSG:3857): ``tile_row`` counts from the south. It is only read, and never locked or written to.
"""

from __future__ import annotations

import math
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray
from rasterio import Affine
from rasterio.crs import CRS
from rasterio.warp import Resampling, reproject

from firegui.domain.grid import Grid
from firegui.errors import InputError, Problem
from firegui.io.crs import transformer, wkt
from firegui.io.safe_open.processes import ReaderLostError
from firegui.io.safe_open.rasters import read_image
from firegui.io.source_files import file_problem

MERCATOR = "EPSG:3857"
_HALF = 20_037_508.342789244
"""Half the side of the web mercator square in metres."""
_EQUATOR_M_PER_PX = 2.0 * _HALF / 256.0
_DEEPEST = 24
_MOST_TILES = 96
"""More are not mosaicked for one picture: a coarser level does."""
_MOST_WHOLE = 4 * _MOST_TILES
"""Where even the coarsest level has more than so many in a picture, it is left empty until the view is closer."""
_MOST_BYTES, _LARGEST_PX = 8 * 2**20, 1024
_MOST_SAMPLES = 24
_LONGEST_S = 10.0
_STEPS_BETWEEN_CHECKS = 10_000
"""Of SQLite's virtual machine; a few milliseconds."""
TITLE = "The base map cannot be used"
_HEAD = b"SQLite format 3\x00"
_KINDS = ("png", "jpg", "jpeg", "webp")

Pixels = NDArray[np.uint8]
Area = tuple[float, float, float, float]
"""``(top, left, bottom, right)`` in raster corner coordinates."""


@dataclass(frozen=True, slots=True)
class TileArchive:
    """A file that was looked at and can be drawn.

    Tiles of ``side`` pixels at the zoom ``levels``, in order.
    """

    path: Path
    name: str
    attribution: str
    levels: tuple[int, ...]
    side: int

    @property
    def low(self) -> int:
        """The coarsest zoom level."""
        return self.levels[0]


def open_archive(path: Path, grid: Grid) -> TileArchive:
    """Look at an MBTiles file that is to lie under the fire on ``grid``.

    Raises :class:`~firegui.errors.InputError` for what is no such file, holds vector tiles or none, cannot be decoded,
    lies elsewhere on the Earth, or where the grid itself has no place.
    """
    check_base_map(path, grid)
    if not is_database(path):
        raise _refusal(path, "is not an MBTiles file (an SQLite database)", "give a .mbtiles file")
    with _reading(path) as base:
        archive = _read_archive(path, base)
        if not any(True for _ in _tiles(base, archive, archive.low, _mercator_box(grid, _whole(grid)))):
            what = "has no tile where the fire is"
            raise _refusal(path, what, "give a base map of this part of the Earth")
    return archive


def check_base_map(path: Path, grid: Grid) -> None:
    """Check that ``grid`` has a place on the Earth and that the file can be read.

    Raises :class:`~firegui.errors.InputError` otherwise.
    """
    if not grid.is_georeferenced:
        problem = Problem("base map", "the grid of this project has no coordinate system", "import the event with one")
        raise InputError([problem], TITLE)
    found = file_problem(path)
    if found is not None:
        raise InputError([found], TITLE)


def is_database(path: Path) -> bool:
    """Return whether a readable file begins like an SQLite database."""
    with path.open("rb") as file:
        return file.read(len(_HEAD)) == _HEAD


def draw(archive: TileArchive, grid: Grid, area: Area, size: tuple[int, int]) -> Pixels:
    """Return ``area`` of ``grid`` as ``[H, W, 4]`` RGBA of ``size = (H, W)``.

    It is transparent where there is no tile. Tiles of the level nearest to that resolution are put together and warped,
    bilinear. Raises :class:`~firegui.errors.InputError` where the file cannot be read any more.
    """
    box = _mercator_box(grid, area)
    zoom = _level(archive, size, box)
    if _count(_range(zoom, box)) > _MOST_WHOLE:
        return np.zeros((*size, 4), np.uint8)
    with _reading(archive.path) as base:
        mosaic, corner = _mosaic(base, archive, zoom, box)
    step = 2.0 * _HALF / 2**zoom / archive.side
    source = Affine(step, 0.0, corner[0], 0.0, -step, corner[1])
    assert grid.crs is not None
    target = picture_transform(grid, area, size)
    picture = np.zeros((4, *size), np.uint8)
    reproject(
        mosaic, picture, src_transform=source, src_crs=CRS.from_string(MERCATOR), dst_transform=target,
        dst_crs=CRS.from_wkt(wkt(grid.crs) or ""), resampling=Resampling.bilinear,
    )  # fmt: skip
    return np.ascontiguousarray(np.moveaxis(picture, 0, 2))


def picture_transform(grid: Grid, area: Area, size: tuple[int, int]) -> Affine:
    """Return the affine map from pixels of a picture ``size`` of ``area`` to the CRS of ``grid``."""
    assert grid.transform is not None
    top, left, bottom, right = area
    a, _, c, _, e, f = grid.transform  # north-up, see Grid.problems
    return Affine(a * (right - left) / size[1], 0.0, a * left + c, 0.0, e * (bottom - top) / size[0], e * top + f)


# -- the database ----------------------------------------------------------------------------------------------------
@contextmanager
def _reading(path: Path) -> Iterator[sqlite3.Connection]:
    """Open the database, read only: ``immutable`` keeps SQLite from making a journal beside it.

    A view can compute tiles without end. SQLite interrupts what takes too long.
    """
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1", uri=True)) as base:
            end = time.monotonic() + _LONGEST_S
            base.set_progress_handler(lambda: time.monotonic() > end, _STEPS_BETWEEN_CHECKS)
            base.text_factory = lambda data: data.decode("utf-8", "replace")
            yield base
    except (sqlite3.Error, ReaderLostError) as error:
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT:
            raise _refusal(path, f"takes more than {_LONGEST_S:g} s to read", "export its tiles again") from error
        raise _refusal(path, f"cannot be read as MBTiles ({error})", "copy or download it again") from error


def _read_archive(path: Path, base: sqlite3.Connection) -> TileArchive:
    virtual = "SELECT name FROM sqlite_master WHERE type = 'table' AND ifnull(rootpage, 0) = 0"
    for (name,) in base.execute(virtual):
        raise _refusal(path, f"its table {str(name)!r} is computed from outside the file", "export its tiles again")
    columns = {str(row[1]) for row in base.execute("PRAGMA table_info(tiles)")}
    if not {"zoom_level", "tile_column", "tile_row", "tile_data"} <= columns:
        raise _refusal(path, "is an SQLite database, but holds no table of tiles", "give a .mbtiles file")
    about = _metadata(base)
    kind = about.get("format", "png").lower()
    if kind not in _KINDS:
        text = "vector tiles, which need a style to be drawn" if kind in ("pbf", "mvt") else f"tiles of the kind {kind}"
        raise _refusal(path, f"holds {text}", "give a raster base map (PNG or JPEG)")
    low, high = (base.execute(f"SELECT {end}(zoom_level) FROM tiles").fetchone()[0] for end in ("MIN", "MAX"))
    if not isinstance(low, int) or not isinstance(high, int):
        raise _refusal(path, "holds no tile", "give a .mbtiles file with tiles in it")
    if not 0 <= low <= high <= _DEEPEST:
        raise _refusal(path, f"has zoom levels {low} to {high}, which nobody means", f"use 0 to {_DEEPEST}")
    there = "SELECT EXISTS (SELECT 1 FROM tiles WHERE zoom_level = ?)"
    levels = tuple(level for level in range(low, high + 1) if base.execute(there, (level,)).fetchone()[0])
    sample = base.execute("SELECT tile_data FROM tiles WHERE zoom_level = ? LIMIT 1", (low,)).fetchone()[0]
    image = _decoded(path, sample)
    if image is None or image.shape[0] != image.shape[1]:
        raise _refusal(path, "holds tiles that are not square PNG or JPEG images", "give a raster base map")
    return TileArchive(path, about.get("name", path.stem), about.get("attribution", ""), levels, image.shape[0])


def _metadata(base: sqlite3.Connection) -> Mapping[str, str]:
    columns = {str(row[1]) for row in base.execute("PRAGMA table_info(metadata)")}
    if not {"name", "value"} <= columns:
        return {}
    rows = base.execute("SELECT name, value FROM metadata LIMIT 200")
    return {str(name): str(value)[:400] for name, value in rows if name != "json"}


def _refusal(path: Path, what: str, remedy: str) -> InputError:
    return InputError([Problem(str(path), what, remedy)], TITLE)


# -- tiles -----------------------------------------------------------------------------------------------------------
Box = tuple[float, float, float, float]
"""``(west, south, east, north)`` in web mercator metres."""


def _whole(grid: Grid) -> Area:
    return 0.0, 0.0, float(grid.rows), float(grid.columns)


def _mercator_box(grid: Grid, area: Area) -> Box:
    """Return the box around ``area``, sampled along its edges, which are not straight in web mercator."""
    assert grid.crs is not None
    top, left, bottom, right = area
    along = np.linspace(0.0, 1.0, _MOST_SAMPLES)
    rows = np.concatenate(
        [np.full(_MOST_SAMPLES, top), np.full(_MOST_SAMPLES, bottom), *[top + along * (bottom - top)] * 2]
    )
    columns = np.concatenate(
        [*[left + along * (right - left)] * 2, np.full(_MOST_SAMPLES, left), np.full(_MOST_SAMPLES, right)]
    )
    east, north = grid.to_world(rows - 0.5, columns - 0.5)  # type: ignore[arg-type]  # an affine map takes arrays too
    x, y = (np.asarray(values) for values in transformer(grid.crs, MERCATOR).transform(east, north))
    known = np.isfinite(x) & np.isfinite(y)
    if not known.any():
        return 0.0, 0.0, 0.0, 0.0
    x, y = x[known], y[known]
    return float(x.min()), float(y.min()), float(x.max()), float(y.max())


def _level(archive: TileArchive, size: tuple[int, int], box: Box) -> int:
    """Return the zoom level whose pixels are nearest to those wanted, no finer than so many tiles allow."""
    wanted = max((box[2] - box[0]) / size[1], 1e-6)
    zoom = math.log2(_EQUATOR_M_PER_PX * 256.0 / archive.side / wanted)
    nearest = min(archive.levels, key=lambda level: (abs(level - zoom), -level))
    few = [level for level in archive.levels if level <= nearest and _count(_range(level, box)) <= _MOST_TILES]
    return few[-1] if few else archive.low


def _range(zoom: int, box: Box) -> tuple[int, int, int, int]:
    """Return half-open ranges ``(x0, x1, y0, y1)`` of tiles, ``y`` from the north."""
    count, side = 2**zoom, 2.0 * _HALF / 2**zoom
    x0, x1 = math.floor((box[0] + _HALF) / side), math.ceil((box[2] + _HALF) / side)
    y0, y1 = math.floor((_HALF - box[3]) / side), math.ceil((_HALF - box[1]) / side)
    x0, y0 = (min(max(value, 0), count - 1) for value in (x0, y0))
    return x0, min(max(x1, x0 + 1), count), y0, min(max(y1, y0 + 1), count)


def _count(tiles: tuple[int, int, int, int]) -> int:
    return (tiles[1] - tiles[0]) * (tiles[3] - tiles[2])


def _tiles(base: sqlite3.Connection, archive: TileArchive, zoom: int, box: Box) -> Iterator[tuple[int, int, bytes]]:
    """Yield ``(x, y, image)`` of the tiles in a box that are there, ``y`` from the north."""
    x0, x1, y0, y1 = _range(zoom, box)
    flip = 2**zoom - 1
    rows = base.execute(
        "SELECT tile_column, tile_row, tile_data FROM tiles WHERE zoom_level = ? AND tile_column BETWEEN ? AND ?"
        " AND tile_row BETWEEN ? AND ? LIMIT ?",
        (zoom, x0, x1 - 1, flip - (y1 - 1), flip - y0, _MOST_TILES * 4),
    )
    for x, y, data in rows:
        if isinstance(data, bytes):
            yield int(x), flip - int(y), data


def _mosaic(base: sqlite3.Connection, archive: TileArchive, zoom: int, box: Box) -> tuple[Pixels, tuple[float, float]]:
    """Return ``[4, H, W]`` of the tiles in a box, and the north-west corner in web mercator metres."""
    x0, x1, y0, y1 = _range(zoom, box)
    side, metres = archive.side, 2.0 * _HALF / 2**zoom
    mosaic = np.zeros((4, (y1 - y0) * side, (x1 - x0) * side), np.uint8)
    for x, y, data in _tiles(base, archive, zoom, box):
        image = _decoded(archive.path, data)
        # A broken tile leaves a hole; the others are still worth having.
        if image is not None and image.shape[:2] == (side, side) and x0 <= x < x1 and y0 <= y < y1:
            rows, columns = (y - y0) * side, (x - x0) * side
            mosaic[:, rows : rows + side, columns : columns + side] = np.moveaxis(image, 2, 0)
    return mosaic, (x0 * metres - _HALF, _HALF - y0 * metres)


def _decoded(path: Path, data: object) -> Pixels | None:
    """Return an image as ``[H, W, 4]`` RGBA; ``None`` for what is none, or too large for a tile."""
    if not isinstance(data, bytes) or not data or len(data) > _MOST_BYTES:
        return None
    found = read_image(path, data, _LARGEST_PX)
    if found is None:
        return None
    bands, palette = found
    if len(bands) == 1 and palette is not None:
        return np.asarray(palette[bands[0]])
    full = np.full((1, *bands.shape[1:]), 255, np.uint8)
    layers = {1: [bands[[0, 0, 0]], full], 2: [bands[[0, 0, 0]], bands[1:]], 3: [bands, full], 4: [bands]}
    parts = layers.get(len(bands))
    return None if parts is None else np.moveaxis(np.concatenate(parts), 0, 2)
