"""Rasters and images, opened with one driver each."""

from __future__ import annotations

import mmap
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import rasterio
from rasterio.io import MemoryFile

from firegui.io.safe_open import ELSEWHERE, UnsafeFileError, gdal_path

_NAMES = {"GTiff": "GeoTIFF", "LCP": "landscape file", "AAIGrid": "ASCII grid", "HFA": "ERDAS image"}
_RASTER_MARKS = {
    "GTiff": (b"ii*\0", b"mm\0*", b"ii+\0", b"mm\0+"),
    "AAIGrid": (b"ncols", b"nrows", b"xllc", b"yllc"),
    "HFA": (b"ehfa_header_tag",),
}
_IMAGE_MARKS = {
    "PNG": re.compile(rb"\x89PNG\r\n\x1a\n"),
    "JPEG": re.compile(rb"\xff\xd8\xff"),
    "WEBP": re.compile(rb"RIFF....WEBP", re.DOTALL),
}


def raster_dataset(path: Path, drivers: Sequence[str] = tuple(_NAMES)) -> Any:
    """Open a raster for reading, with the driver that its content names.

    Raises :class:`UnsafeFileError` for a file of another kind and for one that names other files.
    """
    driver = _raster_driver(path)
    if driver not in drivers:
        raise UnsafeFileError(_no_raster(drivers))
    _check_companions(path)
    if driver == "HFA" and _contains(path, b"ExternalRasterDMS"):
        raise UnsafeFileError(f"{ELSEWHERE}: it is an ERDAS image with its cells elsewhere")
    source = rasterio.open(gdal_path(path), driver=driver)
    if source.tags(ns="OVERVIEWS"):
        source.close()
        raise UnsafeFileError(f"{ELSEWHERE}: its overviews are elsewhere")
    if any(kind.startswith("complex") for kind in source.dtypes):
        source.close()
        raise UnsafeFileError("it holds complex numbers")
    return source


@contextmanager
def image_dataset(data: bytes) -> Iterator[Any]:
    """Open a PNG, JPEG or WebP image in memory. Raises ``ValueError`` for other data."""
    driver = next((name for name, mark in _IMAGE_MARKS.items() if mark.match(data)), None)
    if driver is None:
        raise ValueError("is no PNG, JPEG or WebP image")
    with MemoryFile(data) as memory, memory.open(driver=driver) as image:
        yield image


def _no_raster(drivers: Sequence[str]) -> str:
    *others, last = [_NAMES[driver] for driver in drivers]
    return f"it is no {', '.join(others)} or {last}" if others else f"it is no {last}"


def _raster_driver(path: Path) -> str | None:
    if path.suffix.lower() == ".lcp":
        return "LCP"
    with path.open("rb") as file:
        start = file.read(16).lower()
    return next((name for name, marks in _RASTER_MARKS.items() if start.startswith(marks)), None)


def _check_companions(path: Path) -> None:
    """Check the files that GDAL takes from beside a raster: overviews and masks, which may be of any kind."""
    for beside in path.parent.iterdir():
        if not beside.name.lower().startswith(path.stem.lower()) or beside == path:
            continue
        if beside.suffix.lower() in (".ovr", ".msk") and beside.stat().st_size:
            raster_dataset(beside, ("GTiff",)).close()


def _contains(path: Path, text: bytes) -> bool:
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        return mapped.find(text) >= 0
