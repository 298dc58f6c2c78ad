"""Files of others are opened for reading in one place, where they are checked first."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "firegui"
DOOR = "io/safe_open"
READERS = {
    "rasterio": {"open", "MemoryFile", "io"},
    "rasterio.io": {"MemoryFile", "DatasetReader"},
    "pyogrio": {"read_dataframe", "read_arrow", "read_info", "read_bounds", "list_layers", "open_arrow"},
    "pyogrio.raw": {"read", "read_arrow", "open_arrow"},
    "h5py": {"File"},
    "h5netcdf": {"File"},
}
OTHERS = {"netCDF4", "xarray", "fiona", "geopandas", "osgeo", "tables"}
LIBRARIES = re.compile("|".join({*READERS, *OTHERS}))


def readers(tree: ast.Module) -> Iterator[str]:
    """Yield the calls and imports that open a file with a library, but to write it."""
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.asname or alias.name.partition(".")[0]: alias.name for alias in node.names if alias.asname}
            names |= {alias.name.partition(".")[0]: alias.name.partition(".")[0] for alias in node.names}
            yield from (alias.name for alias in node.names if alias.name.partition(".")[0] in OTHERS)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            names |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
            if node.module.partition(".")[0] in OTHERS:
                yield node.module
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            module, _, name = dotted(node.func, names).rpartition(".")
            if name in READERS.get(module, ()) and not writes(node):
                yield f"{module}.{name}"


def dotted(node: ast.expr, names: dict[str, str]) -> str:
    match node:
        case ast.Name(id=name):
            return names.get(name, name)
        case ast.Attribute(value=value, attr=name):
            return f"{dotted(value, names)}.{name}"
    return ""


def writes(call: ast.Call) -> bool:
    """Return whether a file is made: one in memory that begins empty, or one of a mode that writes."""
    if not (call.args or call.keywords):
        return True
    return len(call.args) > 1 and isinstance(call.args[1], ast.Constant) and call.args[1].value in ("w", "r+")


def outside_the_door(package: Path) -> set[str]:
    return {
        f"{file}: {found}"
        for path in package.rglob("*.py")
        if not (file := path.relative_to(package).as_posix()).startswith(f"{DOOR}/")
        and LIBRARIES.search(text := path.read_text("utf-8"))
        for found in readers(ast.parse(text))
    }


def test_files_are_opened_for_reading_in_one_place() -> None:
    assert outside_the_door(PACKAGE) == set()


@pytest.mark.parametrize(
    "lines",
    [
        "import rasterio\nrasterio.open(path)",
        "import rasterio as r\nr.open(path, driver='GTiff')",
        "from rasterio import open as look\nlook(path)",
        "from rasterio.io import MemoryFile\nMemoryFile(data)",
        "import pyogrio\npyogrio.raw.read(path)",
        "from pyogrio import raw\nraw.read(path)",
        "import pyogrio\npyogrio.read_info(path)",
        "import h5py\nh5py.File(path, 'r')",
        "from h5py import File\nFile(path)",
        "import h5netcdf\nh5netcdf.File(path)",
        "import netCDF4",
        "from osgeo import gdal",
    ],
)
def test_a_second_place_is_found(tmp_path: Path, lines: str) -> None:
    for file in (f"{DOOR}/rasters.py", "io/rasters/second.py"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(lines)

    assert {text.partition(":")[0] for text in outside_the_door(tmp_path)} == {"io/rasters/second.py"}


@pytest.mark.parametrize(
    "lines",
    [
        "import rasterio\nrasterio.open(path, 'w', driver='GTiff')",
        "from rasterio.io import MemoryFile\nMemoryFile()",
    ],
)
def test_writing_is_allowed(tmp_path: Path, lines: str) -> None:
    (tmp_path / "own.py").write_text(lines)

    assert outside_the_door(tmp_path) == set()
