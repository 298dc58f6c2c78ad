"""Faults of what is in landscape layers and landscape files."""

from __future__ import annotations

import shutil
import struct
from typing import Any

import numpy as np
import rasterio

from firegui.io.crs import wkt
from tests.unit.io.faults.cases import EITHER, WORKS, Damage, Fault, Rng, Sound
from tests.unit.io.faults.ground import (
    GRID,
    SIDE,
    each_tiff,
    filled,
    named_pixels,
    pixels,
    rewrite_tiff,
    sparse_tiff,
    tagged,
    tiff_tag,
    times,
)

LAYERS, TIFF, LCP = ("layers geotiff",), ("landscape geotiff",), ("landscape lcp",)


def _mixed(stack: Any, rng: Rng) -> Any:
    changed = np.array(stack)
    for value in (-9999, -32768):
        changed[rng.random(changed.shape) < 0.05] = value
    changed.flat[:2] = -9999, -32768
    return changed


def _bands_turned(stack: Any, rng: Rng) -> Any:
    return stack[[4, 3, 2, 1, 0, 7, 6, 5]]


def _placed(stack: Any, rng: Rng) -> Any:
    return stack


_FAR = {"crs": wkt("EPSG:32650")}
_TURNED = rasterio.Affine(21.2, 21.2, 500_010.0, 21.2, -21.2, 4_400_010.0)
_UPSIDE = rasterio.Affine(30.0, 0.0, 500_010.0, 0.0, 30.0, 4_399_290.0)


def _with_order(sound: Sound) -> Sound:
    order = "elevation,slope,aspect,fuel,canopy-cover,canopy-height,-,canopy-density"
    return Sound(sound.path, (*sound.words, "--lcp-bands", order))


def _huge_landscape(sound: Sound, rng: Rng) -> Sound:
    sparse_tiff(sound.path, 8, SIDE, SIDE, "int16")
    return _with_order(sound)


def _bomb_landscape(sound: Sound, rng: Rng) -> Sound:
    sparse_tiff(sound.path, 8, 4_900, 4_900, "float64")
    return _with_order(sound)


def _lcp_size(columns: int, rows: int) -> Damage:
    """Another number of columns and rows in the header of an LCP file."""

    def damage(sound: Sound, rng: Rng) -> None:
        data = bytearray(sound.path.read_bytes())
        struct.pack_into("<ii", data, 4164, columns, rows)
        sound.path.write_bytes(bytes(data))

    return damage


_HUGE = r"claims [\d,]+ (cells|values)|at most [\d,]+"


_LCP_HEADER = 7316


def _lcp_number(place: int, value: int) -> Damage:
    """Another whole number in the header of an LCP file."""

    def damage(sound: Sound, rng: Rng) -> None:
        data = bytearray(sound.path.read_bytes())
        struct.pack_into("<i", data, place, value)
        sound.path.write_bytes(bytes(data))

    return damage


def _lcp_values(change: Any) -> Damage:
    """Other values ``[H, W, 8]`` in an LCP file."""

    def damage(sound: Sound, rng: Rng) -> None:
        data = sound.path.read_bytes()
        cells = np.frombuffer(data[_LCP_HEADER:], "<i2").reshape(*GRID.shape, 8)
        sound.path.write_bytes(data[:_LCP_HEADER] + np.asarray(change(np.array(cells), rng), "<i2").tobytes())

    return damage


def _lcp_lost_place(sound: Sound, rng: Rng) -> None:
    sound.path.with_suffix(".prj").unlink()


LANDSCAPE_FAULTS = (
    Fault("huge header", LAYERS, each_tiff(lambda path, rng: sparse_tiff(path, 1, SIDE, SIDE, "int16")), _HUGE),
    Fault(
        "huge header: tag",
        LAYERS,
        each_tiff(lambda path, rng: tiff_tag(path, 256, 2**31 - 1)),
        r"cannot be read|claims|damaged|cut short",
    ),
    Fault(
        "zip bomb: fine",
        LAYERS,
        each_tiff(lambda path, rng: sparse_tiff(path, 1, 24_000, 32_000, "float64", 0.03)),
        r"zip bomb|claims|no value|no data",
        alone=True,
    ),
    Fault("zero size", LAYERS, tagged(256, 0), r"cannot be read|no cell|damaged"),
    Fault("wrong CRS", LAYERS, each_tiff(lambda path, rng: rewrite_tiff(path, _placed, rng, crs=None)), r"CRS"),
    Fault("wrong CRS: far", LAYERS, pixels(_placed, **_FAR), r"share|overlap|in common|lies|apart|outside"),
    Fault(
        "wrong CRS: degrees",
        LAYERS,
        each_tiff(lambda path, rng: rewrite_tiff(path, _placed, rng, crs=wkt("EPSG:4326"))),
        r"degrees|off the Earth|longitude",
    ),
    Fault("wrong CRS: plan", LAYERS, pixels(_placed, crs='LOCAL_CS["plan",UNIT["metre",1]]'), r"CRS|projection"),
    Fault("transposed axes", LAYERS, pixels(_placed, transform=_TURNED), r"turned|rotated|north-up", EITHER),
    Fault("transposed axes: upside", LAYERS, pixels(_placed, transform=_UPSIDE), r"upside|north|south", EITHER),
    Fault("not a number", LAYERS, pixels(filled(np.nan)), r"no (value|data|number)|NaN|every cell"),
    Fault(
        "not a number: infinite",
        LAYERS,
        named_pixels("slope.tif", filled(np.inf)),
        r"no (value|data|number)|infinite|every cell",
    ),
    Fault("mixed no data", LAYERS, named_pixels("elevation.tif", _mixed), r"−32768|-32768", WORKS),
    Fault("wrong type", LAYERS, pixels(lambda stack, rng: stack.astype(np.complex64), nodata=None), r"complex"),
    Fault(
        "wrong type: codes",
        LAYERS,
        named_pixels("fuel.tif", lambda stack, rng: stack + np.float32(0.5)),
        r"fuel .*(whole|codes|no FBFM)",
    ),
    Fault(
        "missing part: same",
        LAYERS,
        lambda sound, rng: shutil.copy(sound.path.with_name("slope.tif"), sound.path.with_name("elevation.tif")),
        r"elevation",
        EITHER,
    ),
    Fault(
        "impossible unit",
        LAYERS,
        named_pixels("canopy_cover.tif", times(100.0)),
        r"canopy cover.*outside what the layer can hold",
    ),
    Fault(
        "impossible unit: slope",
        LAYERS,
        named_pixels("slope.tif", times(1000.0)),
        r"slope.*outside what the layer can hold",
    ),
    Fault(
        "impossible unit: height",
        LAYERS,
        named_pixels("elevation.tif", times(1e6)),
        r"elevation.*outside what the layer can hold",
    ),
    Fault("huge header", TIFF, _huge_landscape, _HUGE),
    Fault("zip bomb", TIFF, _bomb_landscape, r"zip bomb|claims|no value|no data|every cell", alone=True),
    Fault(
        "transposed axes", TIFF, pixels(_bands_turned), r"1 canopy cover, 2 fuel model.*guessed from the values", WORKS
    ),
    Fault("missing part", TIFF, pixels(lambda stack, rng: stack[:3]), r"3 bands"),
    Fault(
        "not a number",
        TIFF,
        pixels(filled(np.nan)),
        r"no (value|data|number)|NaN|every cell|does not hold the usual bands",
    ),
    Fault("wrong CRS", TIFF, pixels(_placed, crs=None), r"CRS"),
    Fault("wrong type", TIFF, pixels(lambda stack, rng: stack.astype(np.complex64), nodata=None), r"complex"),
    Fault("impossible unit", TIFF, pixels(times(1e4)), r"band|up to|above"),
    Fault("mixed no data", TIFF, pixels(_mixed), r"−32768|-32768", WORKS),
    Fault("huge header", LCP, _lcp_size(SIDE, SIDE), r"claims|cut short|damaged|cannot be read"),
    Fault("huge header: most", LCP, _lcp_size(2**31 - 1, 2**31 - 1), r"claims|cut short|damaged|cannot be read"),
    Fault("zero size", LCP, _lcp_size(0, 24), r"no cell|damaged|cannot be read|cut short"),
    Fault("zero size: negative", LCP, _lcp_size(-32, 24), r"no cell|damaged|cannot be read|cut short"),
    Fault("transposed axes", LCP, _lcp_size(24, 32), r"band|aspect|transposed|cannot|does not|doubt", EITHER),
    Fault("wrong CRS", LCP, _lcp_lost_place, r"CRS"),
    Fault("missing part", LCP, _lcp_number(0, 20), r"band|does not hold|cannot", EITHER),
    Fault("impossible unit", LCP, _lcp_values(lambda cells, rng: np.full_like(cells, 32_000)), r"cannot be|outside"),
    Fault("mixed no data", LCP, _lcp_values(_mixed), r"−32768|-32768|−9999", WORKS),
    Fault(
        "not a number", LCP, _lcp_values(lambda cells, rng: np.full_like(cells, -9999)), r"no (value|data|number)|bands"
    ),
)
