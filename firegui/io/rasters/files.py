"""Raster files that others made: what their headers say, and bands of them within bounds.

A header may claim anything, so it is judged before memory is spent on it. Only formats that hold their own numbers are
opened: a VRT or a database could point anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rasterio import Affine
from rasterio.errors import CRSError, RasterioError
from rasterio.windows import Window

from firegui.errors import Problem, Problems
from firegui.io.rasters.geotiff import without_place_warnings
from firegui.io.rasters.warp import Box, RasterGeometry, crs_text
from firegui.io.safe_open.rasters import raster_dataset
from firegui.io.source_files import cells_problem, claim_problem, error_text, file_problem

_MOST_BANDS = 10_000
SAMPLE = 400
LARGEST_BLOCK = 256 * 2**20
"""Bytes that may have to be unpacked to read one cell."""


@dataclass(frozen=True, slots=True)
class Band:
    """What a file says of one of its bands."""

    dtype: str
    nodata: float | None
    scale: float
    offset: float
    name: str
    tags: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class RasterFile:
    """What a file says of itself.

    ``bands`` in order. ``block_bytes`` is what has to be unpacked to read one cell.
    """

    path: Path
    driver: str
    geometry: RasterGeometry
    bands: tuple[Band, ...]
    block_bytes: int
    stored_bytes: int


def read_header(path: Path, where: str, problems: Problems) -> RasterFile | None:
    """Return what the file at ``path`` is, by its header alone.

    What keeps it from being used is noted under ``where``.
    """
    problem = file_problem(path)
    if problem is not None:
        problems.extend([problem])
        return None
    try:
        with open_raster(path) as source:
            if source.count > _MOST_BANDS:
                problems.add(where, f"claims {source.count:,} bands", f"give a file of at most {_MOST_BANDS:,}")
                return None
            header = _header(path, source)
    except (RasterioError, CRSError, OSError, ValueError) as error:
        problems.extend([_unreadable(where, error)])
        return None
    if header.driver == "LCP" and header.stored_bytes < _lcp_bytes(header):
        # GDAL reads what is missing as zeros.
        what = f"is cut short: it holds {header.stored_bytes:,} of the {_lcp_bytes(header):,} bytes that it claims"
        problems.add(where, what, "get the file again from where it came")
        return None
    return header


def read_sample(file: RasterFile, number: int, where: str, problems: Problems) -> NDArray[Any] | None:
    """Read a square of at most :data:`SAMPLE` cells a side out of the middle of a band.

    It is in the file's own resolution.
    """
    rows, columns = file.geometry.shape
    top, left = max(0, (rows - SAMPLE) // 2), max(0, (columns - SAMPLE) // 2)
    box = (top, min(rows, top + SAMPLE), left, min(columns, left + SAMPLE))
    return read_box(file, number, box, where, problems)


def read_box(file: RasterFile, number: int, box: Box, where: str, problems: Problems) -> NDArray[Any] | None:
    """Return the cells ``box`` of band ``number`` (from 1), in the file's own type.

    Claims too large to hold are noted.
    """
    rows, columns = box[1] - box[0], box[3] - box[2]
    itemsize = np.dtype(file.bands[number - 1].dtype).itemsize
    problem = cells_problem(where, rows, columns)
    problem = problem or claim_problem(where, (rows, columns), itemsize, file.stored_bytes)
    if problem is None and file.block_bytes > LARGEST_BLOCK:
        what = f"is packed in blocks of {file.block_bytes:,} bytes, at most {LARGEST_BLOCK:,} can be held"
        problem = Problem(where, what, "save it with tiles of 256 × 256 cells")
    if problem is not None:
        problems.extend([problem])
        return None
    try:
        with open_raster(file.path) as source:
            found: NDArray[Any] = source.read(number, window=Window(box[2], box[0], columns, rows))
            return found
    except (RasterioError, OSError, ValueError, MemoryError) as error:
        # What its header says was judged already.
        what = f"is cut short or damaged: its cells cannot be read ({_reason(error)})"
        problems.add(where, what, "get the file again from where it came")
        return None


@contextmanager
def open_raster(path: Path) -> Iterator[Any]:
    """Open a file with the driver that its beginning names.

    Raises ``OSError`` for one that is not read.
    """
    with without_place_warnings(), raster_dataset(path) as source:
        yield source


def _header(path: Path, source: Any) -> RasterFile:
    transform = None if source.transform == Affine.identity() else tuple(source.transform)[:6]
    place = crs_text(source.crs.to_wkt()) if source.crs else None
    bands = tuple(
        Band(dtype, nodata, float(scale), float(offset), name or "", tags)
        for dtype, nodata, scale, offset, name, tags in zip(
            source.dtypes, source.nodatavals, source.scales, source.offsets, source.descriptions,
            (source.tags(number) for number in range(1, source.count + 1)), strict=True,
        )
    )  # fmt: skip
    height, width = source.block_shapes[0]
    together = source.count if str(source.profile.get("interleave", "")) == "pixel" else 1
    block = height * width * together * np.dtype(source.dtypes[0]).itemsize
    return RasterFile(
        path, source.driver, RasterGeometry(source.shape, transform, place), bands, block, path.stat().st_size
    )


def _lcp_bytes(header: RasterFile) -> int:
    """Return how long a landscape file has to be: 7,316 bytes of header, then two a cell and band."""
    rows, columns = header.geometry.shape
    return 7316 + 2 * rows * columns * len(header.bands)


def _unreadable(where: str, error: BaseException) -> Problem:
    what = f"cannot be read as a raster ({_reason(error)})"
    return Problem(where, what, "check that it is a whole GeoTIFF or landscape file")


def _reason(error: BaseException) -> str:
    """Return what GDAL says; rasterio keeps the particulars in the errors before the last."""
    while "previous exception" in str(error) and error.__cause__ is not None:
        error = error.__cause__
    return error_text(error)
