"""Vector files: shapefile, GeoPackage, GeoJSON and KML."""

from __future__ import annotations

import re
import sqlite3
import warnings
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyogrio

from firegui.io.safe_open import ELSEWHERE, UnsafeFileError, gdal_path

_HEAD = 65_536
_SHP, _SQLITE = b"\x00\x00\x27\x0a", b"SQLite format 3\x00"
_PROLOGUE = re.compile(rb"(?:\s+|<\?.*?\?>|<!--.*?-->)*", re.DOTALL)
_KML = re.compile(rb"<(?:[\w.-]+:)?kml[\s>]")
_OTHER_XML = re.compile(rb"OGRVRT|VRTDataset|GDAL_WMS|WMS_Capabilities|<!DOCTYPE|<!ENTITY", re.IGNORECASE)
_OTHER_JSON = re.compile(rb"gdal_streamed_alg", re.IGNORECASE)
_INDEX_TABLE = re.compile(r"CREATE\s+VIRTUAL\s+TABLE\s+(?:\"[^\"]*\"|\w+)\s+USING\s+rtree\s*\(", re.IGNORECASE)
_REACHING_OUT = re.compile(r"ogr_geocode|ogr_datasource_load_layers|gdal_get_pixel|load_extension", re.IGNORECASE)


def vector_layers(path: Path) -> tuple[str, ...]:
    """Return the names of the layers that have geometry."""
    check_vector(path)
    with _without_warnings():
        return tuple(str(name) for name, kind in pyogrio.list_layers(gdal_path(path)) if kind is not None)


def vector_info(path: Path, layer: str | None = None) -> dict[str, Any]:
    """Return what a layer says of itself, as pyogrio tells it."""
    check_vector(path)
    with _without_warnings():
        found: dict[str, Any] = pyogrio.read_info(gdal_path(path), layer=layer)
        return found


def read_vector(path: Path, layer: str, **options: Any) -> tuple[Any, Any, Any, Any]:
    """Return meta data, ids, geometries (WKB) and columns of a layer, as pyogrio gives them."""
    check_vector(path)
    with _without_warnings():
        found: tuple[Any, Any, Any, Any] = pyogrio.raw.read(gdal_path(path), layer=layer, **options)
        return found


@contextmanager
def _without_warnings() -> Iterator[None]:
    """Ignore warnings about geometry that drivers mend on the way. What matters is checked afterwards."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


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
    elif text.startswith(b"<"):
        prologue = _PROLOGUE.match(text)
        if prologue is None or not _KML.match(text, prologue.end()) or _OTHER_XML.search(head):
            raise UnsafeFileError("it is no KML file")
    else:
        raise UnsafeFileError("it is no shapefile, GeoPackage, GeoJSON or KML")


def _check_geopackage(path: Path) -> None:
    """Check that a database has no virtual tables but indexes, and no SQL that reaches out of it."""
    # Changes that are not in the file yet are read by GDAL too. Without them SQLite need not write beside the file.
    mode = "ro" if path.with_name(f"{path.name}-wal").exists() else "ro&immutable=1"
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode={mode}", uri=True)) as base:
            rows = base.execute("SELECT type, name, rootpage, sql FROM sqlite_master").fetchall()
    except sqlite3.Error as error:
        raise UnsafeFileError(str(error)) from error
    for kind, name, page, sql in rows:
        text = str(sql or "")
        virtual = kind == "table" and not page and not _INDEX_TABLE.match(text)
        if virtual or _REACHING_OUT.search(text):
            raise UnsafeFileError(f"{ELSEWHERE}: its {kind} {name!r} is computed from outside the file")
