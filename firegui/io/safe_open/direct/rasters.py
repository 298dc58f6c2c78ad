"""Rasters and images, opened with one driver each."""

from __future__ import annotations

import html
import mmap
import re
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import rasterio
from numpy.typing import NDArray
from rasterio import Affine
from rasterio.crs import CRS
from rasterio.enums import ColorInterp, Resampling
from rasterio.io import MemoryFile
from rasterio.vrt import WarpedVRT
from rasterio.windows import Window

from firegui.io.safe_open import ELSEWHERE, UnsafeFileError, check_crs, gdal_path
from firegui.io.safe_open.direct import OpenFiles
from firegui.io.source_files import MOST_TEXT_BYTES

MOST_BANDS = 10_000
"""Bands of which more than their number is told."""

_NAMES = {"GTiff": "GeoTIFF", "LCP": "landscape file", "AAIGrid": "ASCII grid", "HFA": "ERDAS image"}
RASTER_DRIVERS = tuple(_NAMES)
_NAMES_OF_FILES = {
    ".aux": (b"ExternalRasterDMS",), ".rrd": (b"ExternalRasterDMS",),
}  # fmt: skip
"""What names another file in files beside a raster, which else hold statistics, names of bands or a CRS."""
_NAMES_OF_FILES_XML = re.compile(r"OVERVIEW_FILE|SourceFilename|/vsi", re.IGNORECASE)
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


def raster_dataset(path: Path, drivers: Sequence[str] = RASTER_DRIVERS) -> Any:
    """Open a raster for reading, with the driver that its content names.

    Raises :class:`UnsafeFileError` for a file of another kind and for one that names other files.
    """
    driver = _raster_driver(path)
    if driver not in drivers:
        raise UnsafeFileError(_no_raster(drivers))
    _check_companions(path)
    if driver == "HFA" and _contains(path, b"ExternalRasterDMS"):
        raise UnsafeFileError(f"{ELSEWHERE}: it is an ERDAS image with its cells elsewhere")
    if driver == "HFA" and _names_overviews(path):
        raise UnsafeFileError(f"{ELSEWHERE}: it is an ERDAS image with its overviews elsewhere")
    source = rasterio.open(gdal_path(path), driver=driver)
    if source.tags(ns="OVERVIEWS"):
        source.close()
        raise UnsafeFileError(f"{ELSEWHERE}: its overviews are elsewhere")
    try:
        check_crs(source.crs.to_wkt() if source.crs else "")
        if any(kind.startswith("complex") for kind in source.dtypes):
            raise UnsafeFileError("it holds complex numbers")
    except UnsafeFileError:
        source.close()
        raise
    return source


def describe(files: OpenFiles, path: Path, drivers: Sequence[str]) -> dict[str, Any]:
    """Return the fields of :class:`~firegui.io.safe_open.rasters.RasterDataset`."""
    source = _source(files, path, drivers)
    bands = range(1, min(source.count, MOST_BANDS) + 1)
    return {
        "driver": source.driver,
        "shape": source.shape,
        "count": source.count,
        "dtypes": source.dtypes,
        "nodatavals": source.nodatavals,
        "scales": source.scales,
        "offsets": source.offsets,
        "descriptions": [text or "" for text in source.descriptions],
        "units": [text or "" for text in source.units],
        "colors": [kind.name for kind in source.colorinterp],
        "band_tags": [source.tags(band) for band in bands],
        "tags": source.tags(),
        "place": tuple(source.transform)[:6],
        "crs_wkt": source.crs.to_wkt() if source.crs else None,
        "block_bytes": block_bytes(source),
        "palette": _palette(source),
    }


def read(
    files: OpenFiles, path: Path, drivers: Sequence[str], bands: int | list[int], window: list[int] | None,
    shape: list[int] | None,
) -> dict[str, NDArray[Any]]:  # fmt: skip
    """Return cells of one band or several.

    For a reduced ``shape`` also which of them hold no data.
    """
    source, place = _source(files, path, drivers), None if window is None else Window(*window)
    if shape is None:
        return {"values": source.read(bands, window=place)}
    found = source.read(bands, window=place, out_shape=tuple(shape), masked=True)
    return {"values": found.data, "mask": np.ma.getmaskarray(found)}


def warp(files: OpenFiles, path: Path, drivers: Sequence[str], bands: list[int], target: dict[str, Any]) -> Any:
    """Return bands on another grid, and which of their cells hold no data there.

    ``target`` has ``crs`` (WKT), ``place``, ``shape`` and ``resampling``. With ``alpha`` what is transparent or off the
    raster counts as without data, not what holds the value that stands for none.
    """
    source = _source(files, path, drivers)
    alpha = target["alpha"] and ColorInterp.alpha not in source.colorinterp
    with WarpedVRT(
        source, crs=CRS.from_wkt(target["crs"]), transform=Affine(*target["place"]), height=target["shape"][0],
        width=target["shape"][1], resampling=Resampling[target["resampling"]], add_alpha=alpha,
    ) as view:  # fmt: skip
        if not target["alpha"]:
            found = view.read(bands, masked=True)
            return {"values": found.data, "mask": np.ma.getmaskarray(found)}
        values = view.read(bands)
        transparent = view.read(view.colorinterp.index(ColorInterp.alpha) + 1) == 0
        return {"values": values, "mask": np.broadcast_to(transparent, values.shape)}


def image(files: OpenFiles, path: Path, data: bytes, largest: int) -> dict[str, Any]:
    """Return bands and palette of a PNG, JPEG or WebP image of bytes.

    It has at most ``largest`` pixels a side.
    """
    driver = next((name for name, mark in _IMAGE_MARKS.items() if mark.match(data)), None)
    if driver is None:
        raise UnsafeFileError("it is not a PNG, JPEG or WebP image")
    with MemoryFile(data) as memory, memory.open(driver=driver) as source:
        if max(source.shape) > largest or source.dtypes[0] != "uint8":
            raise UnsafeFileError("it is not an image of bytes, or too large")
        return {"values": source.read(), "palette": _palette(source)}


def block_bytes(source: Any) -> int:
    """Return what is unpacked to read one cell of a band."""
    height, width = source.block_shapes[0]
    together = source.count if source.interleaving is not None and source.interleaving.value.upper() == "PIXEL" else 1
    return int(height * width * together * np.dtype(source.dtypes[0]).itemsize)


def _source(files: OpenFiles, path: Path, drivers: Sequence[str]) -> Any:
    if _raster_driver(path) not in drivers:
        raise UnsafeFileError(_no_raster(drivers))
    return files.get(raster_dataset, path)


def _palette(source: Any) -> NDArray[np.uint8] | None:
    """Return the colors ``[256, 4]`` of a band of bytes that is drawn with a palette."""
    if source.colorinterp[0] is not ColorInterp.palette or source.dtypes[0] != "uint8":
        return None
    colors = np.zeros((256, 4), np.uint8)
    for value, color in source.colormap(1).items():
        if 0 <= value < 256:
            colors[value] = color
    return colors


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
        if not beside.name.lower().startswith(path.stem.lower()) or beside == path or beside.is_dir():
            continue
        if not beside.is_file():
            if beside.exists():  # GDAL would wait for what comes through a pipe
                raise UnsafeFileError(f"{beside.name} beside it is not a file")
            continue
        ending = ".aux.xml" if beside.name.lower().endswith(".aux.xml") else beside.suffix.lower()
        if ending in (".ovr", ".msk") and beside.stat().st_size:
            raster_dataset(beside, ("GTiff",)).close()
        elif (
            _contains_any(beside, _NAMES_OF_FILES.get(ending, ()))
            or (ending in (".aux", ".rrd") and _names_overviews(beside))
            or (ending == ".aux.xml" and _names_files(beside))
        ):
            raise UnsafeFileError(f"{ELSEWHERE}: {beside.name} beside it names another file")


def _names_files(path: Path) -> bool:
    """Return whether statistics or a CRS in XML name another file, or are too long to tell."""
    if path.stat().st_size > MOST_TEXT_BYTES:
        return True
    text = html.unescape(path.read_text("utf-8", "replace"))
    try:
        for piece in text.split("<"):
            check_crs(piece)
    except UnsafeFileError:
        return True
    return _NAMES_OF_FILES_XML.search(text) is not None


def _contains_any(path: Path, texts: Sequence[bytes]) -> bool:
    return path.stat().st_size > 0 and any(_contains(path, text) for text in texts)


def _contains(path: Path, text: bytes) -> bool:
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        return mapped.find(text) >= 0


def _names_overviews(path: Path) -> bool:
    """Return whether an ERDAS file takes overviews from a file other than itself and its .rrd file.

    An image that was renamed names its old self: that is taken where no such file is there.
    """
    own = {path.name, f"{path.stem}.rrd"}
    if not path.stat().st_size:
        return False
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        for start, size in _erdas_nodes(mapped, b"rrdnameslist"):
            text = mapped[start : start + size]
            for end in (found.start() for found in re.finditer(rb"\(:", text)):
                # A text comes after its place in the file, which is no part of it.
                name = next(
                    (text[at:end] for at in range(end, 3, -1) if text[at - 4 : at] == struct.pack("<I", start + at)),
                    b"/",
                ).decode("utf-8", "replace")  # fmt: skip
                if re.search(r"[/\\:\0]", name) or (name not in own and (path.parent / name).exists()):
                    return True
    return False


def _erdas_nodes(data: mmap.mmap, name: bytes) -> Iterator[tuple[int, int]]:
    """Yield place and size of the data of each node of an ERDAS file with a name, in lower case.

    A file of another kind has none.
    """
    if len(data) < 20 or data[:15].lower() != b"ehfa_header_tag":
        return
    header = struct.unpack_from("<I", data, 16)[0]
    left = [struct.unpack_from("<I", data, header + 8)[0]] if header + 12 <= len(data) else []
    seen = {0}
    while left:
        at = left.pop()
        if at in seen or at + 88 > len(data):
            continue
        seen.add(at)
        following, _, _, child, place, size, called = struct.unpack_from("<6I64s", data, at)
        left += [following, child]
        if called.partition(b"\0")[0].lower() == name:
            yield place, size
