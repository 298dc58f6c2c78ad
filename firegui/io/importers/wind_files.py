"""Opens the files of a wind, told apart by their content and never by their names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from firegui.errors import Problems
from firegui.io.importers.wind_netcdf import netcdf_series
from firegui.io.importers.wind_rasters import raster_series
from firegui.io.importers.wind_series import Series
from firegui.io.importers.wind_table import UTF16, table_series
from firegui.io.importers.wind_units import Components
from firegui.io.netcdf import CLASSIC, HDF5, opened_netcdf
from firegui.io.source_files import file_problem

_HEAD = 512
_TIFF = (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")
_OTHERS = {
    b"PK\x03\x04": ("is a zip archive", "unpack it and give the file in it"),
    b"\x1f\x8b": ("is compressed (gzip)", "unpack it and give the file in it"),
    b"GRIB": ("is a GRIB file", "save it as NetCDF or GeoTIFF first, for example with cdo or gdal_translate"),
    b"%PDF": ("is a PDF document", "give a CSV table, GeoTIFF or NetCDF"),
    b"SQLi": ("is a database (GeoPackage)", "give a CSV table, GeoTIFF or NetCDF"),
}


@contextmanager
def opened_series(paths: Sequence[Path], components: Components | None, problems: Problems) -> Iterator[Series | None]:
    """The wind that the files hold, open while the context lasts.

    What is wrong is added to ``problems``, which come in empty, and ``None`` yielded.
    """
    kinds = [_kind(path, problems) for path in paths]
    if problems:
        yield None
    elif len(paths) not in (1, 2) or (len(paths) == 2 and kinds != ["GeoTIFF", "GeoTIFF"]):
        shown = ", ".join(f"{path.name}: {kind}" for path, kind in zip(paths, kinds, strict=True))
        problems.add("wind", f"{len(paths)} files ({shown})", "give one file, or two GeoTIFFs of the two parts")
        yield None
    elif kinds[0] == "GeoTIFF":
        with raster_series(paths, components, problems) as series:
            yield series
    elif kinds[0] == "NetCDF":
        with opened_netcdf(paths[0], problems) as variables:
            yield None if variables is None else netcdf_series(variables, components, paths[0].name, problems)
    else:
        yield table_series(paths[0], components, problems)


def _kind(path: Path, problems: Problems) -> str:
    problem = file_problem(path)
    if problem is not None:
        problems.extend([problem])
        return ""
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except OSError as error:
        problems.add(str(path), f"cannot be read ({error.strerror or error})", "check that it is a file you may read")
        return ""
    if head.startswith(_TIFF):
        return "GeoTIFF"
    if head.startswith((HDF5, CLASSIC)):
        return "NetCDF"
    for start, (what, remedy) in _OTHERS.items():
        if head.startswith(start):
            problems.add(path.name, what, remedy)
            return ""
    # Text has no control characters but tabs and ends of lines.
    if not head.startswith(UTF16) and any(byte < 32 and byte not in b"\t\n\r\f" for byte in head):
        problems.add(path.name, "is no table, NetCDF file or GeoTIFF", "give one of these: it is told by its content")
    return "table"
