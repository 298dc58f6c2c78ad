"""Ways to damage a file of any format, each from a generator of random numbers.

A mutator knows the endings of the files that it can change; one without endings changes the bytes of any file.
"""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import sqlite3
import struct
import zipfile
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from firegui.io.georeference import Georeference
from tests.unit.io.faults.cases import Rng
from tests.unit.io.faults.edits import bomb_npz, forge_npz, npz_of
from tests.unit.io.faults.ground import GRID, rewrite_tiff, sparse_tiff, tiff_tag
from tests.unit.io.test_hostile_files import gdalg, ogr_vrt, ogr_vrt_as_kml, vrt, wms, write_geopackage

Change = Callable[[Path, Rng, str], object]
"""Changes a file; the text is the address of a listener that must hear nothing."""

TEXTS = (".toml", ".csv", ".json", ".geojson", ".kml", ".asc", ".prj", ".cpg", ".wxs", ".fw9")
TIFFS, NPZ, ZIPS, TENSORS = (".tif",), (".npz",), (".kmz", ".npz"), (".safetensors",)
HDF5, BASES, VECTORS = (".nc", ".hdf5"), (".gpkg", ".mbtiles"), (".geojson", ".kml", ".gpkg")

NUMBERS = (
    0, -1, 1, 255, 2**15, 2**31 - 1, -(2**31), 2**32 - 1, 2**53 + 1, 2**63 - 1, -(2**63), 2**64, 10**20, 10**400, 1e308,
    -1e308, 1e-308, 1e30, 0.1, math.nan, math.inf, -math.inf,
)  # fmt: skip
WORDS = (
    "", " ", "nan", "inf", "-inf", "1_0", "0x10", "١٢", "1e999", "true", "null", "None", "\x00", "a\nb", "\r", "\u202e",
    "\ud800", "=1+1", "<img src='{url}/a.png'>", "<b>x</b>", "../../etc/passwd", "/etc/passwd", "{url}/a.tif", "C:\\x",
    "/vsicurl/{url}/a.tif", "%s%n", "${HOME}", "a" * 10_000, "é" * 300, "9999-12-31", "0001-01-01", "2020-02-30",
    "2020-08-19T25:61:00Z", "2020-08-19T12:00:00+99:00", "[[[[", '"""',
)  # fmt: skip

CRS_TEXTS = (
    "+init={url}/a:1", "+init=/etc/passwd:1", "+proj=longlat +nadgrids={url}/a", "+proj=longlat +nadgrids=/etc/hosts",
    "+proj=utm +zone=10 +towgs84=nan,inf,0", "+proj=utm +zone=99", "+proj=pipeline +step", "+proj=tmerc +k=0",
    "+proj=longlat +a=1e400 +b=1", "EPSG:99999999", "EPSG:4979", "EPSG:4978", "EPSG:5703", "IAU_2015:30100",
    'LOCAL_CS["a",UNIT["metre",1]]', 'LOCAL_CS["a",UNIT["metre",0]]', "urn:ogc:def:crs:OGC::AUTO42001",
    "{url}/crs.json", "/vsicurl/{url}/a.prj", "[" * 999,
)  # fmt: skip
"""Reference systems that name files, that lie nowhere on the Earth, or that cannot be computed with."""


@dataclass(frozen=True, slots=True)
class Mutator:
    """Way to damage files with one of some endings; any file without endings."""

    name: str
    change: Change
    endings: tuple[str, ...] = ()


MUTATORS: list[Mutator] = []


def mutator(*endings: str) -> Callable[[Change], Change]:
    """Add a function to :data:`MUTATORS`."""

    def add(change: Change) -> Change:
        MUTATORS.append(Mutator(change.__name__, change, endings))
        return change

    return add


def mutators_of(path: Path) -> tuple[list[Mutator], list[Mutator]]:
    """Return the mutators that know the format of a file, and those of any file."""
    known = [each for each in MUTATORS if path.suffix.lower() in each.endings]
    return known, [each for each in MUTATORS if not each.endings]


def pick(rng: Rng, values: Sequence[Any]) -> Any:
    """Return one of the values."""
    return values[int(rng.integers(len(values)))]


def _word(rng: Rng, url: str) -> str:
    return str(pick(rng, WORDS)).replace("{url}", url)


def _edit(path: Path, change: Callable[[bytearray], bytes | bytearray]) -> None:
    path.write_bytes(change(bytearray(path.read_bytes())))


def _place(rng: Rng, size: int) -> int:
    """Return a position, half of the time in the first kilobyte, where headers are."""
    return int(rng.integers(max(1, min(size, 1024) if rng.random() < 0.5 else size)))


def _span(rng: Rng, size: int) -> slice:
    start = _place(rng, size)
    return slice(start, start + int(2 ** rng.uniform(0, math.log2(max(2, size - start)))))


# -- bytes -------------------------------------------------------------------------------------------------------------
@mutator()
def flip_bits(path: Path, rng: Rng, url: str) -> None:
    def change(data: bytearray) -> bytearray:
        for _ in range(int(2 ** rng.uniform(0, 5))):
            if data:
                data[_place(rng, len(data))] ^= 1 << int(rng.integers(8))
        return data

    _edit(path, change)


@mutator()
def cut(path: Path, rng: Rng, url: str) -> None:
    _edit(path, lambda data: data[: _place(rng, len(data))])


@mutator()
def zero_block(path: Path, rng: Rng, url: str) -> None:
    _edit(path, lambda data: _put(data, span := _span(rng, len(data)), bytes(span.stop - span.start)))


@mutator()
def noise_block(path: Path, rng: Rng, url: str) -> None:
    _edit(path, lambda data: _put(data, span := _span(rng, len(data)), rng.bytes(span.stop - span.start)))


@mutator()
def drop_block(path: Path, rng: Rng, url: str) -> None:
    _edit(path, lambda data: _put(data, _span(rng, len(data)), b""))


@mutator()
def insert_block(path: Path, rng: Rng, url: str) -> None:
    def change(data: bytearray) -> bytearray:
        at = _place(rng, len(data))
        return _put(data, slice(at, at), rng.bytes(int(2 ** rng.uniform(0, 12))))

    _edit(path, change)


@mutator()
def repeat_block(path: Path, rng: Rng, url: str) -> None:
    def change(data: bytearray) -> bytearray:
        span = _span(rng, len(data))
        times = int(pick(rng, (1, 2, 100)))
        return _put(data, slice(span.stop, span.stop), data[span] * min(times, 10**6 // max(1, len(data[span]))))

    _edit(path, change)


@mutator()
def swap_blocks(path: Path, rng: Rng, url: str) -> None:
    def change(data: bytearray) -> bytearray:
        one, other = _span(rng, len(data)), _span(rng, len(data))
        data[one], data[other] = data[other], data[one]
        return data

    _edit(path, change)


@mutator()
def odd_number(path: Path, rng: Rng, url: str) -> None:
    """Write a number at the edge of its type over some bytes."""
    kind = pick(rng, ("b", "h", "i", "q", "f", "d"))
    edges: Sequence[Any] = (0.0, -1.0, 1e30, math.nan, math.inf)
    if kind not in "fd":
        bits = 8 * struct.calcsize(kind)
        edges = (0, -1, 1, 2 ** (bits - 1) - 1, -(2 ** (bits - 1)), 2 ** (bits - 2))
    value = struct.pack(pick(rng, "<>") + kind, pick(rng, edges))

    def change(data: bytearray) -> bytearray:
        start = _place(rng, len(data)) // len(value) * len(value)
        return _put(data, slice(start, start + len(value)), value)

    _edit(path, change)


@mutator()
def other_content(path: Path, rng: Rng, url: str) -> None:
    """Put what makes a library read other data in place of the file."""
    make = pick(rng, (vrt, wms, ogr_vrt, ogr_vrt_as_kml, gdalg))
    path.write_text(make(url), encoding="utf-8")


@mutator()
def no_file(path: Path, rng: Rng, url: str) -> None:
    """Put a folder, a pipe, a link or nothing in place of the file."""
    kind = pick(rng, ("gone", "folder", "pipe", "loop", "zero", "empty", "protected"))
    if kind == "protected":
        path.chmod(0)
        return
    path.unlink()
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind in ("loop", "zero"):
        path.symlink_to(path if kind == "loop" else "/dev/zero")
    elif kind == "empty":
        path.touch()


def _put(data: bytearray, where: slice, new: bytes | bytearray) -> bytearray:
    data[where] = new
    return data


# -- text --------------------------------------------------------------------------------------------------------------
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
_QUOTED = re.compile(r'"[^"\n]*"|(?<=>)[^<>\n]+(?=<)')
_CELL = re.compile(r"[^,;\s\[\]{}<>=\"]+")


def _edit_text(path: Path, change: Callable[[str], str]) -> None:
    text = change(path.read_text(encoding="utf-8", errors="replace"))
    path.write_bytes(text.encode("utf-8", "surrogatepass"))


def _replace_one(text: str, pattern: re.Pattern[str], rng: Rng, new: Callable[[str], str]) -> str:
    found = list(pattern.finditer(text))
    if not found:
        return text + new("")
    match = pick(rng, found)
    return text[: match.start()] + new(match.group()) + text[match.end() :]


@mutator(*TEXTS)
def other_numbers(path: Path, rng: Rng, url: str) -> None:
    def change(text: str) -> str:
        for _ in range(int(rng.integers(1, 4))):
            text = _replace_one(text, NUMBER, rng, lambda old: str(pick(rng, NUMBERS)))
        return text

    _edit_text(path, change)


@mutator(*TEXTS)
def other_words(path: Path, rng: Rng, url: str) -> None:
    def change(text: str) -> str:
        if rng.random() < 0.6:
            new = json.dumps(_word(rng, url)) if path.suffix in (".toml", ".json", ".geojson") else _word(rng, url)
            return _replace_one(text, _QUOTED, rng, lambda old: new)
        return _replace_one(text, _CELL, rng, lambda old: _word(rng, url))

    _edit_text(path, change)


@mutator(".toml", ".geojson", ".prj")
def other_crs(path: Path, rng: Rng, url: str) -> None:
    text = str(pick(rng, CRS_TEXTS)).replace("{url}", url)
    if path.suffix == ".prj":
        path.write_text(text, encoding="utf-8")
    elif path.suffix == ".toml":
        _edit_text(path, lambda old: re.sub(r'^crs = ".*"$', lambda _: f"crs = {json.dumps(text)}", old, flags=re.M))
    else:
        kinds = (
            {"type": "name", "properties": {"name": text}},
            {"type": "link", "properties": {"href": f"{url}/c.prj"}},
        )
        start = '{"crs": ' + json.dumps(pick(rng, kinds)) + ","
        _edit_text(path, lambda old: old.replace("{", start, 1))


@mutator(*TEXTS)
def other_lines(path: Path, rng: Rng, url: str) -> None:
    def change(text: str) -> str:
        lines = text.splitlines() or [""]
        at, to = int(rng.integers(len(lines))), int(rng.integers(len(lines)))
        match pick(rng, ("drop", "double", "swap", "many", "join", "word")):
            case "drop":
                del lines[at]
            case "double":
                lines.insert(to, lines[at])
            case "swap":
                lines[at], lines[to] = lines[to], lines[at]
            case "many":
                lines[at:at] = [lines[at]] * min(20_000, 10**6 // (len(lines[at]) + 1))
            case "join":
                lines[at : at + 2] = ["".join(lines[at : at + 2])]
            case _:
                lines.insert(at, _word(rng, url))
        return str(pick(rng, ("\n", "\r\n", "\r"))).join(lines)

    _edit_text(path, change)


@mutator(*TEXTS)
def nested(path: Path, rng: Rng, url: str) -> None:
    opens, closes = pick(rng, (("[", "]"), ('{"a":', "}"), ("{a=", "}"), ("<a>", "</a>"), ("(", ")")))
    depth = int(pick(rng, (100, 3_000, 100_000)))
    whole = rng.random() < 0.5

    def change(text: str) -> str:
        if whole:
            return str(opens * depth + text + closes * depth)
        return _replace_one(text, _CELL, rng, lambda old: opens * depth + old + closes * depth)

    _edit_text(path, change)


@mutator(*TEXTS)
def other_encoding(path: Path, rng: Rng, url: str) -> None:
    text = path.read_text(encoding="utf-8", errors="replace")
    path.write_bytes(("ë" + text).encode(pick(rng, ("utf-16", "utf-8-sig", "latin-1", "utf-32", "cp037")), "replace"))


@mutator(".kml")
def entities(path: Path, rng: Rng, url: str) -> None:
    rows = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10))
    kind = pick(rng, (f'<!ENTITY a0 "x">{rows}', f'<!ENTITY a9 SYSTEM "{url}/a">', '<!ENTITY a9 SYSTEM "/etc/passwd">'))
    link = f"<NetworkLink><Link><href>{url}/a.kml</href></Link></NetworkLink>"

    def change(text: str) -> str:
        head, kml, body = text.partition("<kml")
        if rng.random() < 0.3:
            return text.replace("<Document>", f"<Document>{link}", 1)
        return f"{head}<!DOCTYPE kml [{kind}]>{kml}{_replace_one(body, _QUOTED, rng, lambda old: '&a9;')}"

    _edit_text(path, change)


# -- shapes ------------------------------------------------------------------------------------------------------------
@mutator(".geojson", ".kml")
def tangled_ring(path: Path, rng: Rng, url: str) -> None:
    """Put a ring of random corners, which crosses itself everywhere, in place of a polygon."""
    corners = int(pick(rng, (4, 50, 1_000, 4_000)))
    rows, columns = rng.uniform(0, GRID.rows, corners), rng.uniform(0, GRID.columns, corners)
    if rng.random() < 0.3:
        rows, columns = rows * 1e4, columns * 1e4
    place = Georeference(GRID)
    points = [place.lonlat(float(row), float(column)) or (0.0, 0.0) for row, column in zip(rows, columns, strict=True)]
    points.append(points[0])

    def change(text: str) -> str:
        if path.suffix == ".kml":
            new = " ".join(f"{lon},{lat},0" for lon, lat in points)
            return re.sub(r"(?<=<coordinates>)[^<]*", lambda _: new, text, count=1)
        return re.sub(r'(?<="coordinates": )\[ *\[ *\[.*?\] *\] *\]', lambda _: json.dumps([points]), text, count=1)

    _edit_text(path, change)


@mutator(".gpkg")
def outside_table(path: Path, rng: Rng, url: str) -> None:
    path.unlink()
    write_geopackage(path, f"CREATE VIRTUAL TABLE far USING VirtualOGR('/vsicurl/{url}/a.geojson')")


@mutator(".shp")
def other_parts(path: Path, rng: Rng, url: str) -> None:
    """Remove or exchange the files beside a shapefile."""
    parts = [path.with_suffix(ending) for ending in (".shx", ".dbf", ".prj", ".cpg")]
    parts = [part for part in parts if part.exists()]
    part = pick(rng, parts)
    if rng.random() < 0.5:
        part.unlink()
    else:
        shutil.copyfile(pick(rng, [*parts, path]), part) if part != path else None


# -- GeoTIFF -----------------------------------------------------------------------------------------------------------
@mutator(*TIFFS)
def other_tag(path: Path, rng: Rng, url: str) -> None:
    tag = int(pick(rng, (256, 257, 258, 259, 262, 273, 277, 278, 279, 284, 317, 322, 323, 339, 33550, 33922, 34735)))
    value = int(pick(rng, (0, 1, 2, 3, 5, 7, 8, 16, 64, 1_000, 40_000, 65_535, 2**20, 2**31 - 1, 2**32 - 1)))
    try:
        tiff_tag(path, tag, value)
    except LookupError:
        tiff_tag(path, 256, value)


@mutator(*TIFFS)
def other_pixels(path: Path, rng: Rng, url: str) -> None:
    kind = pick(rng, ("float64", "int8", "uint16", "complex64", "uint8", "int32"))
    value = pick(rng, (0, 1, -1, 127, math.nan, math.inf, 1e30, -1e30))
    more = pick(
        rng, ({}, {"nodata": 0}, {"crs": None}, {"crs": "EPSG:4326"}, {"compress": "lzw"}, {"compress": "zstd"},
              {"photometric": "RGB"}, {"crs": "EPSG:3031"}, {"tfw": "YES"}, {"endianness": "BIG"}),
    )  # fmt: skip

    def change(stack: Any, rng: Rng) -> Any:
        with np.errstate(all="ignore"):
            new = np.asarray(stack, np.float64)
            new[rng.random(new.shape) < rng.random()] = value
            new = np.repeat(new, int(pick(rng, (1, 1, 3))), axis=int(rng.integers(3)))
            return np.nan_to_num(new, nan=0, posinf=9, neginf=-9).astype(kind) if "int" in kind else new.astype(kind)

    rewrite_tiff(path, change, rng, **more)


@mutator(*TIFFS)
def hollow(path: Path, rng: Rng, url: str) -> None:
    """Claim a raster that is far larger than its file."""
    side = int(pick(rng, (2_000, 6_000, 40_000, 400_000)))
    path.unlink()
    sparse_tiff(path, int(pick(rng, (1, 3, 60))), side, side, pick(rng, ("uint8", "float32", "float64")))


@mutator(*TIFFS, ".asc", ".lcp")
def companion(path: Path, rng: Rng, url: str) -> None:
    """Put a file that a library reads too beside a raster."""
    ending = pick(rng, (".ovr", ".msk", ".aux.xml", ".vrt", ".vat.dbf"))
    text = vrt(url)
    if ending == ".aux.xml":
        text = f"<PAMDataset><SRS>{url}</SRS><Metadata><MDI key='a'>1</MDI></Metadata></PAMDataset>"
    Path(f"{path}{ending}").write_text(text, encoding="utf-8")


# -- arrays ------------------------------------------------------------------------------------------------------------
def _odd_array(rng: Rng, old: Any) -> Any:
    array = np.array(old)
    flat = array.reshape(-1)
    match pick(rng, ("value", "shape", "type", "empty", "scalar", "objects", "transposed", "text", "large")):
        case "value" if array.dtype.kind in "fiu" and array.size:
            with np.errstate(all="ignore"):
                number = pick(rng, (0, -1, 1e30, math.nan, math.inf, 1e-40))
                flat[rng.integers(array.size, size=5)] = number if array.dtype.kind == "f" else int(rng.integers(100))
            return array
        case "shape":
            return flat
        case "type":
            kind = pick(rng, ("f8", "f2", "c8", "i1", "u8", "?", ">f4"))
            with np.errstate(all="ignore"):
                return array.astype(kind) if array.dtype.kind != "U" else 1
        case "empty":
            return array[:0] if array.ndim else array
        case "scalar":
            return np.float64(pick(rng, (0.0, math.nan, 1e300)))
        case "objects":
            return np.array([{"a": 1}, None], object)
        case "transposed":
            return array.T
        case "text":
            return np.array(["a", _word(rng, "")[:50].replace("\ud800", "?")])
        case _:
            return np.zeros((int(pick(rng, (400, 3_000, 30_000))), 1_000), np.uint8)


@mutator(*NPZ)
def other_arrays(path: Path, rng: Rng, url: str) -> None:
    arrays = npz_of(path)
    key = pick(rng, list(arrays))
    match pick(rng, ("odd", "odd", "odd", "drop", "forge", "bomb")):
        case "odd":
            arrays[key] = _odd_array(rng, arrays[key])
            np.savez(path, **arrays)
        case "drop":
            np.savez(path, **{name: value for name, value in arrays.items() if name != key})
        case "forge":
            forge_npz(path, key, pick(rng, ((2**31, 2**31), (30_000, 30_000), (3, -1), (2, 8, 40_000, 40_000))))
        case _:
            bomb_npz(path, key, (60_000, 10_000))


@mutator(*ZIPS)
def other_members(path: Path, rng: Rng, url: str) -> None:
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w", pick(rng, (0, 8, 12, 14))) as archive:
        for name, data in members.items():
            new = pick(rng, (name, name, name, f"../{name}", f"/{name}", name.upper(), name[:-1], "a" * 300))
            archive.writestr(new, data if rng.random() < 0.8 else data[: len(data) // 2])
            for number in range(int(pick(rng, (0, 0, 0, 5_000)))):
                archive.writestr(f"{number}.npy", b"")


@mutator(*TENSORS)
def other_header(path: Path, rng: Rng, url: str) -> None:
    data = path.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8 : 8 + size])
    tensors = [key for key in header if key != "__metadata__"]
    key = pick(rng, tensors or list(header))
    match pick(rng, ("drop", "type", "shape", "offsets", "name", "metadata", "length", "nan")):
        case "drop":
            del header[key]
        case "type":
            header[key]["dtype"] = pick(rng, ("F64", "BF16", "F16", "I64", "BOOL", "U8", "X9", 4))
        case "shape":
            header[key]["shape"] = pick(rng, ([], [0], [-1], [2**40, 2**40], [1, 2, 3], "a", [10**9, 10**9]))
        case "offsets":
            header[key]["data_offsets"] = pick(rng, ([0, 0], [5, 1], [0, 2**60], [0], [-4, 0]))
        case "name":
            header[_word(rng, url).replace("\ud800", "")] = header.pop(key)
        case "metadata":
            old = header.get("__metadata__", {})
            header["__metadata__"] = {**old, **{name: _word(rng, url).replace("\ud800", "") for name in [*old, "z"]}}
        case "length":
            size = int(pick(rng, (0, 1, size - 1, 2**31, 2**63)))
            path.write_bytes(struct.pack("<Q", size) + data[8:])
            return
        case _:
            values = np.frombuffer(data[8 + size :], np.uint8).copy()
            values[rng.random(len(values)) < 0.1] = 255
            path.write_bytes(data[: 8 + size] + values.tobytes())
            return
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data[8 + size :])


@mutator(*HDF5)
def other_datasets(path: Path, rng: Rng, url: str) -> None:
    if not h5py.is_hdf5(path):
        odd_number(path, rng, url)
        return
    with h5py.File(path, "r+") as file:
        found: list[Any] = []
        file.visititems(lambda name, item: found.append(item) if isinstance(item, h5py.Dataset) else None)
        old = pick(rng, found)
        parent, name = old.parent, old.name.rpartition("/")[2]
        match pick(rng, ("odd", "drop", "link", "soft", "huge", "attribute", "attribute", "group", "many")):
            case "odd":
                new = _odd_array(rng, old[()])
                del parent[name]
                if np.asarray(new).dtype.kind in "UO":
                    parent.create_dataset(name, data=["a", "b"], dtype=h5py.string_dtype())
                else:
                    parent[name] = new
            case "drop":
                del parent[name]
            case "link":
                del parent[name]
                parent[name] = h5py.ExternalLink("/etc/passwd", "/u")
            case "soft":
                del parent[name]
                parent[name] = h5py.SoftLink(pick(rng, (old.name, "/", "/none")))
            case "huge":
                del parent[name]
                shape = pick(rng, ((40_000, 40_000), (2**31,), (10_000, 300, 300)))
                parent.create_dataset(name, shape, "f4", chunks=True, compression="gzip")
            case "attribute":
                key = pick(rng, (*old.attrs, "units", "_FillValue", "scale_factor", "add_offset", "calendar", "height"))
                value = pick(rng, (*NUMBERS[:8], math.nan, math.inf, 0.0, np.zeros(0), "x" * 3_000, "", "days since 0"))
                for item in (old, old.parent):
                    item.attrs[key] = value
            case "group":
                del parent[name]
                parent.create_group(name)
            case _:
                for number in range(3_000):
                    parent.create_group(f"g{number}")


@mutator(*BASES)
def other_rows(path: Path, rng: Rng, url: str) -> None:
    with closing(sqlite3.connect(path)) as base, base:
        names = [row[0] for row in base.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        # Tables of an index are changed by their own functions only.
        names = [name for name in names if not name.startswith(("rtree", "sqlite"))]
        for trigger in [row[0] for row in base.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")]:
            base.execute(f'DROP TRIGGER "{trigger}"')
        table = pick(rng, names)
        columns = [row[1] for row in base.execute(f'PRAGMA table_info("{table}")')]
        values = (
            None, -1, 2**62, 1e300, "", url, rng.bytes(40), "x" * 3000, b"GP\0\1" + rng.bytes(60), "9999-99-99",
        )  # fmt: skip
        match pick(rng, ("value", "value", "value", "drop", "column", "double", "view")):
            case "value":
                base.execute(f'UPDATE OR IGNORE "{table}" SET "{pick(rng, columns)}" = ?', (pick(rng, values),))
            case "drop":
                base.execute(f'DROP TABLE "{table}"')
            case "column":
                base.execute(f'ALTER TABLE "{table}" RENAME COLUMN "{pick(rng, columns)}" TO "odd"')
            case "double":
                base.execute(f'INSERT OR IGNORE INTO "{table}" SELECT * FROM "{table}"')
            case _:
                base.execute(f'ALTER TABLE "{table}" RENAME TO "other"')
                many = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)"
                base.execute(f'CREATE VIEW "{table}" AS {many} SELECT other.* FROM c, other')
