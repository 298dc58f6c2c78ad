"""GeoTIFF in and out through rasterio."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rasterio import Affine
from rasterio.crs import CRS
from rasterio.errors import CRSError, NotGeoreferencedWarning, RasterioError
from rasterio.io import MemoryFile

from firegui.domain.grid import Grid
from firegui.errors import InputError, Problem
from firegui.io.atomic import write_bytes
from firegui.io.crs import wkt
from firegui.io.safe_open.rasters import raster_dataset
from firegui.io.source_files import cells_problem, claim_size_problem, error_text

_GIS_NODATA = float("nan")
_FILTERS = threading.RLock()
_ZLEVEL = 3
"""Deflate at this level takes half the time of its usual 6, and files are 4 % larger."""


@dataclass(frozen=True, slots=True, eq=False)
class Raster:
    """The bands of a raster file ``[N, H, W]``, in its own type, and what it says of its place.

    ``transform`` and ``crs`` (WKT) are ``None`` where the file has none; ``descriptions`` holds one text per band.
    """

    bands: NDArray[Any]
    transform: tuple[float, float, float, float, float, float] | None
    crs: str | None
    nodata: float | None
    descriptions: tuple[str, ...]
    tags: Mapping[str, str]


def read_raster(path: Path, bands: Sequence[int] | None = None) -> Raster:
    """Read a raster file: every band, or those of these numbers from 1 on, which may be none.

    All descriptions are told either way. Raises :class:`InputError` when it is missing, a folder or not a raster.
    """
    if not path.is_file():
        if path.is_dir():
            raise InputError([Problem(str(path), "is a folder, not a raster file", "give the GeoTIFF itself")])
        raise InputError([Problem(str(path), "the file does not exist", "check the path")])
    try:
        source = raster_dataset(path, ("GTiff",))
        numbers = list(range(1, source.count + 1) if bands is None else bands)
        problem = cells_problem(str(path), *source.shape) or (
            claim_size_problem(str(path), (len(numbers), *source.shape))
        )
        if problem is not None:
            raise InputError([problem])
        values = np.empty((len(numbers), *source.shape), source.dtypes[0])
        for target, band in zip(values, source.each_band(numbers), strict=True):
            target[:] = band
    except OSError as error:
        raise InputError(
            [Problem(str(path), f"cannot be read as a raster ({error_text(error)})", "check that it is a GeoTIFF")]
        ) from error
    place = None if source.transform == Affine.identity() else source.place
    return Raster(values, place, source.crs_wkt, source.nodatavals[0], source.descriptions, source.tags)


def write_raster(
    path: Path,
    bands: NDArray[Any],
    grid: Grid,
    *,
    descriptions: Sequence[str] = (),
    tags: Mapping[str, str] | None = None,
) -> None:
    """Write ``bands`` (``[H, W]`` or ``[N, H, W]``) as a deflated GeoTIFF, atomically and without loss.

    float32 keeps every bit (NaN is no data), bool is stored as uint8. On a grid without a place the file gets metres
    east and north of the south-west corner and no CRS.
    """
    with raster_in_memory(bands, grid, descriptions=descriptions, tags=tags) as memory:
        write_bytes(path, memory.getbuffer())


@contextmanager
def raster_in_memory(
    bands: NDArray[Any],
    grid: Grid,
    *,
    descriptions: Sequence[str] = (),
    units: Sequence[str] = (),
    tags: Mapping[str, str] | None = None,
) -> Iterator[MemoryFile]:
    """Yield the GeoTIFF that :func:`write_raster` writes.

    GDAL does not always report that a disk is full, so the disk is left to :func:`~firegui.io.atomic.write_bytes`.
    """
    stack = bands if bands.ndim == 3 else bands[np.newaxis]
    if stack.dtype == np.bool_:
        stack = stack.view(np.uint8)
    if stack.shape[1:] != grid.shape:
        raise ValueError(f"bands of shape {stack.shape[1:]} on a grid of shape {grid.shape}")
    real = np.issubdtype(stack.dtype, np.floating)
    profile = {
        "driver": "GTiff", "count": len(stack), "height": grid.rows, "width": grid.columns, "dtype": stack.dtype.name,
        "compress": "deflate", "zlevel": _ZLEVEL, "predictor": 3 if real else 1,
        "tiled": True, "blockxsize": 256, "blockysize": 256,
        "transform": _affine(grid), "crs": _rasterio_crs(grid), "nodata": _GIS_NODATA if real else None,
        "interleave": "band",  # so that one of many can be read without the others
        "BIGTIFF": "IF_SAFER",
    }  # fmt: skip
    with MemoryFile() as memory:
        try:
            with without_place_warnings(), memory.open(**profile) as target:
                target.write(np.ascontiguousarray(stack))
                for number, text in enumerate(descriptions, start=1):
                    target.set_band_description(number, text)
                if units:
                    target.units = units
                target.update_tags(**(tags or {}))
        except RasterioError as error:
            raise InputError([Problem("GeoTIFF", f"cannot be made ({error_text(error)})")]) from error
        yield memory


@contextmanager
def without_place_warnings() -> Iterator[None]:
    """Silence rasterio's remark that a raster has no place: firegui says so itself, where it matters.

    Warning filters belong to the whole process, and a run works beside the window: one thread at a time may change
    them, or each would put back what the other had set.
    """
    with _FILTERS, warnings.catch_warnings():
        warnings.simplefilter("ignore", NotGeoreferencedWarning)
        yield


def _affine(grid: Grid) -> Affine:
    if grid.transform is not None:
        return Affine(*grid.transform)
    return Affine(grid.cell_size_m, 0.0, 0.0, 0.0, -grid.cell_size_m, grid.rows * grid.cell_size_m)


def _rasterio_crs(grid: Grid) -> CRS | None:
    # Through PROJ's own WKT: rasterio brings another PROJ, which need not know every text that ours does.
    text = None if grid.crs is None else wkt(grid.crs)
    if text is None:
        return None
    try:
        return CRS.from_wkt(text)
    except CRSError:
        return None
