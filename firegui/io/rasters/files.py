"""Raster files that others made: what their headers say, and bands of them within bounds.

A header may claim anything, so it is judged before memory is spent on it. Only formats that hold their own numbers are
opened: a VRT or a database could point anywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rasterio import Affine
from rasterio.windows import Window

from firegui.errors import Problem, Problems
from firegui.io.rasters.warp import Box, RasterGeometry, crs_text
from firegui.io.safe_open.rasters import RasterDataset, raster_dataset
from firegui.io.source_files import cells_problem, claim_problem, error_text, file_problem

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
        source = raster_dataset(path)
    except OSError as error:
        what = f"cannot be read as a raster ({error_text(error)})"
        problems.add(where, what, "check that it is a whole GeoTIFF or landscape file")
        return None
    if source.count > len(source.band_tags):
        most = len(source.band_tags)
        problems.add(where, f"claims {source.count:,} bands", f"give a file of at most {most:,}")
        return None
    header = _header(path, source)
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
        return raster_dataset(file.path).read(number, Window(box[2], box[0], columns, rows))
    except OSError as error:
        # What its header says was judged already.
        what = f"is cut short or damaged: its cells cannot be read ({error_text(error)})"
        problems.add(where, what, "get the file again from where it came")
        return None


def _header(path: Path, source: RasterDataset) -> RasterFile:
    transform = None if source.transform == Affine.identity() else source.place
    place = None if source.crs_wkt is None else crs_text(source.crs_wkt)
    bands = tuple(
        Band(*said)
        for said in zip(
            source.dtypes, source.nodatavals, source.scales, source.offsets, source.descriptions, source.band_tags,
            strict=True,
        )
    )  # fmt: skip
    geometry = RasterGeometry(source.shape, transform, place)
    return RasterFile(path, source.driver, geometry, bands, source.block_bytes, path.stat().st_size)


def _lcp_bytes(header: RasterFile) -> int:
    """Return how long a landscape file has to be: 7,316 bytes of header, then two a cell and band."""
    rows, columns = header.geometry.shape
    return 7316 + 2 * rows * columns * len(header.bands)
