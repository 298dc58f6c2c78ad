"""Faults of what is in tables, rasters and NetCDF files of wind."""

from __future__ import annotations

from typing import Any

import h5py
import numpy as np

from firegui.io.crs import wkt
from tests.unit.io.faults.cases import EITHER, WORKS, Damage, Fault, Rng, Sound
from tests.unit.io.faults.edits import swap, text
from tests.unit.io.faults.ground import (
    SIDE,
    each_tiff,
    filled,
    named_pixels,
    netcdf,
    pixels,
    sparse_tiff,
    tagged,
    times,
    values_of,
)

CSV, RASTERS, NETCDF = ("wind csv",), ("wind geotiff",), ("wind netcdf",)


def _placed(stack: Any, rng: Rng) -> Any:
    return stack


_FAR = {"crs": wkt("EPSG:32650")}


def _fewer_hours(stack: Any, rng: Rng) -> Any:
    return stack[:-5]


def _rows(change: Any) -> Damage:
    """Change the list of rows below the header."""

    def changed(held: str, rng: Rng) -> str:
        header, *rows = held.splitlines()
        return "\n".join([header, *change(rows)]) + "\n"

    return text(changed)


def _cell(column: int, value: str) -> Damage:
    def change(rows: list[str]) -> list[str]:
        cells = rows[7].split(",")
        cells[column] = value
        return [*rows[:7], ",".join(cells), *rows[8:]]

    return _rows(change)


def _huge_netcdf(sound: Sound, rng: Rng) -> None:
    sound.path.unlink()
    with h5py.File(sound.path, "w") as file:
        for name, size in (("time", 24), ("latitude", SIDE), ("longitude", SIDE)):
            file[name] = np.linspace(39.0, 41.0, size)
            file[name].make_scale(name)
        file["time"].attrs["units"] = "hours since 2020-08-19 07:00"
        file["latitude"].attrs["units"], file["longitude"].attrs["units"] = "degrees_north", "degrees_east"
        file["longitude"][...] = np.linspace(-123.5, -122.5, SIDE)
        for name in ("u10", "v10"):
            wind = file.create_dataset(name, (24, SIDE, SIDE), "f4", chunks=(1, 500, 500), compression="gzip")
            wind.attrs["units"] = "m s**-1"
            for axis, key in enumerate(("time", "latitude", "longitude")):
                wind.dims[axis].attach_scale(file[key])


def _bomb_netcdf(sound: Sound, rng: Rng) -> None:
    """A year of hours of a quarter million cells each, none of which was ever written."""
    sound.path.unlink()
    sizes = {"time": 8784, "latitude": 500, "longitude": 500}
    with h5py.File(sound.path, "w") as file:
        file["time"] = np.arange(8784.0)
        file["latitude"], file["longitude"] = np.linspace(41.0, 39.0, 500), np.linspace(-123.5, -122.5, 500)
        for name in sizes:
            file[name].make_scale(name)
        file["time"].attrs["units"] = "hours since 2020-08-19 07:00"
        file["latitude"].attrs["units"], file["longitude"].attrs["units"] = "degrees_north", "degrees_east"
        for name in ("u10", "v10"):
            wind = file.create_dataset(name, tuple(sizes.values()), "f8", chunks=(24, 500, 500), compression="gzip")
            wind.attrs["units"] = "m s**-1"
            for axis, key in enumerate(sizes):
                wind.dims[axis].attach_scale(file[key])


def _without(*names: str) -> Damage:
    return netcdf(lambda variables, rng: [variables.pop(name) for name in names])


def _turned_netcdf(variables: Any, rng: Rng) -> None:
    for name in ("u10", "v10"):
        (time, lat, lon), values, held = variables[name]
        variables[name] = (time, lon, lat), np.ascontiguousarray(values.swapaxes(1, 2)), held


def _holes(array: Any) -> Any:
    changed = np.array(array)
    changed[3], changed[5] = np.nan, -9999.0  # at every place: those of the raster are among them
    return changed


_HUGE = r"claims [\d,]+ (cells|values)|at most [\d,]+"


WIND_FAULTS = (
    swap("missing part", CSV, "dir_from", "gusts", r"direction"),
    swap("missing part: times", CSV, "time_utc", "remarks", r"carries no times", WORKS),
    Fault("zero size", CSV, _rows(lambda rows: []), r"no row|holds no|empty"),
    Fault("not a number", CSV, _cell(1, "strong"), r"'strong'"),
    Fault("not a number: infinite", CSV, _cell(1, "inf"), r"inf"),
    Fault(
        "mixed no data",
        CSV,
        _rows(lambda rows: [f"{row.split(',')[0]},-9999,M" for row in rows]),
        r"no (wind|value|number|data|sample)",
    ),
    Fault("impossible unit", CSV, _cell(1, "9000"), r"9,?000|above|m/s"),
    Fault("impossible unit: negative", CSV, _cell(1, "-5"), r"-5|below|negative"),
    Fault("impossible unit: direction", CSV, _cell(2, "900"), r"900"),
    swap("impossible unit: unit", CSV, "speed_mph", "speed_furlong", r"unit", EITHER),
    Fault("dates: impossible", CSV, _cell(0, "2020-02-31 10:00"), r"'2020-02-31 10:00'"),
    Fault("dates: centuries", CSV, _cell(0, "2220-08-19 10:00"), r"at most 366|ascend|order|after"),
    Fault("dates: order", CSV, _rows(lambda rows: [*rows[40:], *rows[:40]]), r"order|ascend|before|after"),
    Fault("twice", CSV, _rows(lambda rows: [*rows[:9], rows[8], *rows[9:]]), r"twice|again|same time|second|2 "),
    Fault(
        "wrong type: nul",
        CSV,
        lambda s, rng: s.path.write_bytes(s.path.read_bytes().replace(b"\n", b"\x00\n")),
        r"is not a table",
    ),
    Fault("huge header", CSV, _rows(lambda rows: rows + [",".join("1" * 3000)] * 300), r"column|line|row"),
    Fault(
        "huge header",
        RASTERS,
        each_tiff(lambda path, rng: None if path.name == "dem.tif" else sparse_tiff(path, 72, SIDE, SIDE, "float32")),
        _HUGE + r"|cut it",
    ),
    Fault(
        "zip bomb",
        RASTERS,
        each_tiff(lambda path, rng: None if path.name == "dem.tif" else sparse_tiff(path, 72, 2_000, 2_000, "float64")),
        r"zip bomb|claims|at most|above|no (wind|value|data)|0 m/s",
        EITHER,
        alone=True,
    ),
    Fault("zero size", RASTERS, tagged(257, 0), r"cannot be read|no cell|damaged"),
    Fault("wrong CRS", RASTERS, pixels(_placed, **_FAR), r"raster of|lies|cover|CRS|outside|reach"),
    Fault("wrong CRS: none", RASTERS, pixels(_placed, crs=None), r"CRS"),
    Fault("dates: hours", RASTERS, pixels(_fewer_hours), r"\d+ bands|67|72"),
    Fault("not a number", RASTERS, pixels(filled(np.nan)), r"no (wind|value|number|data)|NaN"),
    Fault("wrong type", RASTERS, pixels(lambda stack, rng: stack.astype(np.complex64)), r"complex"),
    Fault("impossible unit", RASTERS, named_pixels("ws.tif", times(300.0)), r"above|m/s"),
    Fault("impossible unit: direction", RASTERS, named_pixels("wd.tif", times(30.0)), r"direction|degrees|360"),
    Fault("huge header", NETCDF, _huge_netcdf, _HUGE + r"|cut it|no (wind|value|data)|0 m/s|too"),
    Fault("zip bomb", NETCDF, _bomb_netcdf, r"zip bomb|claims|at most|no (wind|value|data)", EITHER, alone=True),
    Fault("transposed axes", NETCDF, netcdf(_turned_netcdf), r"", WORKS),
    Fault("missing part", NETCDF, _without("v10"), r"v10|v \(|northward|only u|one part|components"),
    Fault("missing part: axis", NETCDF, _without("latitude"), r"latitude|coordinate"),
    Fault("missing part: times", NETCDF, values_of("time", lambda array: array, units=""), r"carries no times", WORKS),
    Fault("wrong type", NETCDF, values_of("u10", lambda array: array, units="K"), r"'K'|K |unit"),
    Fault(
        "not a number",
        NETCDF,
        values_of("u10", lambda array: np.full(array.shape, np.nan, np.float32)),
        r"no (wind|value|number|data)|NaN",
    ),
    Fault("mixed no data", NETCDF, values_of("u10", _holes), r"no (data|value|wind)|No data|-9999|above"),
    Fault("impossible unit", NETCDF, values_of("u10", lambda array: array * 300), r"above|m/s"),
    Fault("impossible unit: degrees", NETCDF, values_of("latitude", lambda array: array * 300), r"latitude"),
    Fault(
        "wrong CRS: far", NETCDF, values_of("longitude", lambda array: array + 90.0), r"cover|reach|lies|outside|around"
    ),
    Fault("dates: backwards", NETCDF, values_of("time", lambda array: array[::-1].copy()), r"order|ascend|before"),
    Fault(
        "dates: twice", NETCDF, values_of("time", lambda array: array * 0 + array[0]), r"twice|order|ascend|same|again"
    ),
    Fault("dates: base", NETCDF, values_of("time", lambda array: array, units="hours since 19.08.2020"), r"since"),
    Fault("dates: far", NETCDF, values_of("time", lambda array: array.astype(np.float64) * 1e9), r"time|year|date"),
)
