"""Rasters and images, read by a reader process."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rasterio import Affine
from rasterio.crs import CRS
from rasterio.transform import array_bounds
from rasterio.warp import Resampling
from rasterio.windows import Window

from firegui.io.safe_open.direct.rasters import RASTER_DRIVERS
from firegui.io.safe_open.processes import READERS, ReaderLostError

_BYTES_AT_ONCE = 64 * 2**20
"""Most of the bands that are read by one request, which has a limit of memory and one of processor time."""


@dataclass(frozen=True, slots=True, eq=False)
class RasterDataset:
    """One raster: what its file says of it, and a way to its cells.

    ``crs_wkt`` is ``None`` where the file says no CRS. ``block_bytes`` is what is unpacked to read one cell.
    ``palette`` has the colors ``[256, 4]`` of a raster that is drawn with one. Of very many bands the number alone is
    told: ``band_tags`` then has fewer than ``count``.
    """

    path: Path
    drivers: Sequence[str]
    driver: str
    shape: tuple[int, int]
    count: int
    dtypes: tuple[str, ...]
    nodatavals: tuple[float | None, ...]
    scales: tuple[float, ...]
    offsets: tuple[float, ...]
    descriptions: tuple[str, ...]
    units: tuple[str, ...]
    colors: tuple[str, ...]
    band_tags: tuple[Mapping[str, str], ...]
    tags: Mapping[str, str]
    place: tuple[float, float, float, float, float, float]
    crs_wkt: str | None
    block_bytes: int
    palette: NDArray[np.uint8] | None

    @property
    def transform(self) -> Affine:
        """Map from ``(column, row)`` corners to coordinates; the identity where the file has none."""
        return Affine(*self.place)

    @property
    def crs(self) -> CRS | None:
        """The coordinate system, ``None`` without one."""
        return None if self.crs_wkt is None else CRS.from_wkt(self.crs_wkt)

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """West, south, east and north end."""
        west, south, east, north = array_bounds(*self.shape, self.transform)
        return west, south, east, north

    def read(self, bands: int | Sequence[int], window: Window | None = None) -> NDArray[Any]:
        """Return one band ``[H, W]`` or several ``[N, H, W]``.

        Raises ``OSError`` where they cannot be read.
        """
        found: NDArray[Any] = self._call("rasters.read", _plain(bands), _sides(window), None)["values"]
        return found

    def each_band(self, bands: Sequence[int], window: Window | None = None) -> Iterator[NDArray[Any]]:
        """Yield bands ``[H, W]`` one by one. They are read several at a time, as many as a request may hold.

        Raises ``OSError`` where they cannot be read.
        """
        cells = prod(self.shape) if window is None else int(window.height) * int(window.width)
        each = max(cells * np.dtype(self.dtypes[0]).itemsize, self.block_bytes)
        step = max(1, _BYTES_AT_ONCE // each)
        for first in range(0, len(bands), step):
            yield from self.read(bands[first : first + step], window)

    def read_reduced(self, bands: Sequence[int], window: Window, shape: Sequence[int]) -> Any:
        """Return bands ``shape`` of a window as a masked array.

        Raises ``OSError`` where they cannot be read.
        """
        return _masked(self._call("rasters.read", _plain(bands), _sides(window), list(shape)))

    def warped(
        self, bands: Sequence[int], crs: str, transform: Affine, shape: tuple[int, int], how: Resampling, *,
        alpha: bool = False,
    ) -> Any:  # fmt: skip
        """Return bands ``[N, H, W]`` on a grid of ``shape`` as a masked array.

        Only the cells it needs are read. ``crs`` is WKT. Masked is what holds no data; with ``alpha`` what is
        transparent or off the raster. Raises ``OSError`` where they cannot be read.
        """
        place = [float(value) for value in tuple(transform)[:6]]
        target = {"crs": crs, "place": place, "shape": list(shape), "resampling": how.name, "alpha": alpha}
        return _masked(self._call("rasters.warp", _plain(bands), target))

    def _call(self, operation: str, *arguments: Any) -> dict[str, NDArray[Any]]:
        found: dict[str, NDArray[Any]] = READERS.call(operation, self.path, self.drivers, *arguments)
        return found


def raster_dataset(path: Path, drivers: Sequence[str] = RASTER_DRIVERS) -> RasterDataset:
    """Return a raster with the driver that its content names.

    Raises :class:`~firegui.io.safe_open.UnsafeFileError` for a file of another kind and for one that names other files,
    ``OSError`` for one that cannot be read.
    """
    said: dict[str, Any] = READERS.call("rasters.describe", path, drivers)
    values: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in said.items()}
    return RasterDataset(path, drivers, **values)


def read_image(path: Path, data: bytes, largest: int) -> tuple[NDArray[np.uint8], NDArray[np.uint8] | None] | None:
    """Return bands and palette of an image in the file ``path``, ``None`` where it cannot be decoded.

    Raises :class:`~firegui.io.safe_open.processes.ReaderLostError` where it brings its reader down.
    """
    try:
        found = READERS.call("rasters.image", path, data, largest)
    except ReaderLostError:
        raise
    except OSError:
        return None
    return found["values"], found["palette"]


def _masked(found: Mapping[str, NDArray[Any]]) -> Any:
    return np.ma.MaskedArray(found["values"], found["mask"])


def _plain(bands: int | Sequence[int]) -> int | list[int]:
    return [int(band) for band in bands] if isinstance(bands, Sequence) else int(bands)


def _sides(window: Window | None) -> list[int] | None:
    return None if window is None else [int(side) for side in window.flatten()]
