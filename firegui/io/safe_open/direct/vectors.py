"""Vector files: shapefile, GeoPackage, GeoJSON and KML."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pyogrio
import shapely
from numpy.typing import NDArray

from firegui.io.safe_open import ELSEWHERE, UnsafeFileError, check_crs, gdal_path
from firegui.io.safe_open.direct import OpenFiles

_HEAD = 65_536
_SHP, _SQLITE = b"\x00\x00\x27\x0a", b"SQLite format 3\x00"
_PROLOGUE = re.compile(rb"(?:\s+|<\?.*?\?>|<!--.*?-->)*", re.DOTALL)
_KML = re.compile(rb"<(?:[\w.-]+:)?kml[\s>]")
_OTHER_XML = re.compile(rb"OGRVRT|VRTDataset|GDAL_WMS|WMS_Capabilities|<!DOCTYPE|<!ENTITY", re.IGNORECASE)
_CRS_MEMBER = re.compile(r'"(?:[cC]|\\u00[46]3)(?:[rR]|\\u00[57]2)(?:[sS]|\\u00[57]3)"\s*:\s*(?=\{)')
_OTHER_JSON = re.compile(rb"gdal_streamed_alg", re.IGNORECASE)
_INDEX_TABLE = re.compile(r"CREATE\s+VIRTUAL\s+TABLE\s+(?:\"[^\"]*\"|\w+)\s+USING\s+rtree\s*\(", re.IGNORECASE)
_REACHING_OUT = re.compile(r"ogr_geocode|ogr_datasource_load_layers|gdal_get_pixel|load_extension", re.IGNORECASE)


def layers(files: OpenFiles, path: Path) -> list[str]:
    """Return the names of the layers that have geometry."""
    check_vector(path)
    return [str(name) for name, kind in pyogrio.list_layers(gdal_path(path)) if kind is not None]


def info(files: OpenFiles, path: Path, layer: str | None) -> dict[str, Any]:
    """Return the number of features, the CRS and the type of geometry of a layer."""
    check_vector(path)
    found = pyogrio.read_info(gdal_path(path), layer=layer)
    check_crs(found["crs"] or "")
    return {"features": int(found["features"]), "crs": found["crs"], "geometry_type": str(found["geometry_type"])}


def features(files: OpenFiles, path: Path, layer: str, options: dict[str, Any]) -> dict[str, Any]:
    """Return the CRS, the geometries as WKB and the columns of a layer.

    ``options`` are those of pyogrio.
    """
    check_vector(path)
    if options.get("bbox") is not None:
        options["bbox"] = tuple(options["bbox"])
    meta, _, geometries, columns = pyogrio.raw.read(gdal_path(path), layer=layer, **options)
    check_crs(meta["crs"] or "")
    return {
        "crs": meta["crs"],
        "names": [str(name) for name in meta["fields"]],
        "columns": [_plain(column) for column in columns],
        "geometries": geometries,
    }


def repaired(files: OpenFiles, path: Path, geometry: bytes) -> bytes:
    """Return a valid geometry of the same areas. Rings are made simple first and then merged."""
    found = shapely.make_valid(shapely.from_wkb(geometry), method="structure", keep_collapsed=False)
    return bytes(shapely.to_wkb(found))


def check_vector(path: Path) -> None:
    """Check that a file is a shapefile, GeoPackage, GeoJSON or KML file that holds its own features.

    Raises :class:`UnsafeFileError` otherwise.
    """
    with path.open("rb") as file:
        head = file.read(_HEAD)
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if head.startswith(_SHP):
        return
    if head.startswith(_SQLITE):
        _check_geopackage(path)
    elif text.startswith((b"{", b"[")):
        if _OTHER_JSON.search(head.partition(b'"features"')[0]):
            raise UnsafeFileError(f"{ELSEWHERE}: it is a description of data, not GeoJSON")
        _check_crs_members(path.read_text("utf-8", "replace"))
    elif text.startswith(b"<"):
        prologue = _PROLOGUE.match(text)
        if prologue is None or not _KML.match(text, prologue.end()) or _OTHER_XML.search(head):
            raise UnsafeFileError("it is not a KML file")
    else:
        raise UnsafeFileError("it is not a shapefile, GeoPackage, GeoJSON or KML")


def _plain(column: NDArray[Any]) -> NDArray[Any]:
    """Return a column without lists, which have no place in a table: each becomes text."""
    if column.dtype.hasobject:
        for row, value in enumerate(column):
            if isinstance(value, np.ndarray):
                column[row] = str(value.tolist())
    return column


def _check_crs_members(text: str) -> None:
    """Check that no CRS of GeoJSON is to be fetched, or names a file."""
    decoder = json.JSONDecoder(object_hook=_check_crs_member)
    for member in _CRS_MEMBER.finditer(text):
        try:
            decoder.raw_decode(text, member.end())
        except (ValueError, RecursionError):
            raise UnsafeFileError("its CRS cannot be read") from None


def _check_crs_member(member: dict[str, Any]) -> None:
    if any(key.lower() in ("url", "href") for key in member):
        raise UnsafeFileError(f"{ELSEWHERE}: its CRS is a link")
    for value in member.values():
        check_crs(value if isinstance(value, str) else "")


def _check_geopackage(path: Path) -> None:
    """Check that a database has no virtual tables but indexes, and no SQL that reaches out of it."""
    # Changes that are not in the file yet are read by GDAL too. Without them SQLite need not write beside the file.
    mode = "ro" if path.with_name(f"{path.name}-wal").exists() else "ro&immutable=1"
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode={mode}", uri=True)) as base:
            rows = base.execute("SELECT type, name, rootpage, sql FROM sqlite_master").fetchall()
            places = (
                base.execute("SELECT * FROM gpkg_spatial_ref_sys").fetchall()
                if any(name == "gpkg_spatial_ref_sys" for _, name, _, _ in rows) else []
            )  # fmt: skip
    except sqlite3.Error as error:
        raise UnsafeFileError(str(error)) from error
    for definition in places:
        check_crs(" ".join(text for text in definition if isinstance(text, str)))
    for kind, name, page, sql in rows:
        text = str(sql or "")
        virtual = kind == "table" and not page and not _INDEX_TABLE.match(text)
        if virtual or _REACHING_OUT.search(text):
            raise UnsafeFileError(f"{ELSEWHERE}: its {kind} {name!r} is computed from outside the file")
