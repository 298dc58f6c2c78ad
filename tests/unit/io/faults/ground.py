"""Sound landscapes, winds and perimeters, and ways to change them."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import rasterio
import rasterio.shutil
import shapely
from rasterio import Affine

from firegui.domain.grid import Grid
from firegui.io.crs import wkt
from firegui.io.georeference import Georeference
from firegui.io.rasters.geotiff import without_place_warnings
from tests.unit.io.faults.cases import Damage, Make, Rng, Sound
from tests.unit.io.landscape_files import write_layer
from tests.unit.io.vectors.test_perimeters import write
from tests.unit.io.weather.weather_files import START, Variable, era5, hours_since_1900, netcdf4, tiff

GRID = Grid(24, 32, 30.0, (30.0, 0.0, 500_010.0, 0.0, -30.0, 4_400_010.0), "EPSG:32610")
WIND = ("--wind-speed", "3", "--wind-from", "270")
DAYS = 3
_CODES = (101, 102, 122, 145, 165, 181, 188)

Pixels = Callable[[Any, Rng], Any]


def ground(key: str) -> Any:
    """One landscape layer on :data:`GRID`: a hill with woods."""
    rows, columns = np.indices(GRID.shape, np.float32)
    height = 900.0 + 250.0 * np.exp(-((rows - 12) ** 2 + (columns - 15) ** 2) / 90.0)
    southward, eastward = np.gradient(height, GRID.cell_size_m)
    rough = np.random.default_rng(7).random(GRID.shape)  # the same for every layer
    layers = {
        "elevation": height,
        "slope": np.degrees(np.arctan(np.hypot(southward, eastward))),
        "aspect": np.degrees(np.arctan2(-eastward, southward)) % 360.0,
        "fuel": np.take(_CODES, (rough * len(_CODES)).astype(int)),
        "canopy_cover": 80.0 * rough,
        "canopy_height": 250.0 * rough,
        "canopy_base_height": 100.0 * rough,
        "canopy_density": 25.0 * rough,
    }
    return layers[key].astype(np.int16)


def _centre() -> str:
    found = Georeference(GRID).lonlat(12.0, 16.0)
    assert found is not None
    return f"{found[0]:.6f},{found[1]:.6f}"


def _command(*words: str) -> tuple[str, ...]:
    return ("import", "landscape", *words, "--days", str(DAYS), "--start", "2020-08-19T07:00Z", "--out", "OUT")


def _elevation(folder: Path) -> tuple[str, str]:
    return "--elevation", str(write_layer(folder / "dem.tif", ground("elevation"), GRID))


LAYERS = ("elevation", "slope", "fuel", "canopy_cover")


def _layers(folder: Path, rng: Rng) -> Sound:
    files = {key: write_layer(folder / f"{key}.tif", ground(key), GRID, nodata=-9999) for key in LAYERS}
    words = [word for key, path in files.items() for word in (f"--{key.replace('_', '-')}", str(path))]
    chosen = files[LAYERS[rng.integers(len(LAYERS))]]
    return Sound(chosen, _command(*words, *WIND, "--ignition", _centre()))


_LCP_BANDS = (
    "elevation", "slope", "aspect", "fuel", "canopy_cover", "canopy_height", "canopy_base_height", "canopy_density",
)  # fmt: skip


def _landscape_tiff(folder: Path, rng: Rng) -> Sound:
    stack = np.stack([ground(key) for key in _LCP_BANDS])
    path = tiff(folder / "landscape.tif", stack, GRID, nodata=-9999)
    return Sound(path, _command("--lcp", str(path), *WIND, "--ignition", _centre()))


def _landscape_file(folder: Path, rng: Rng) -> Sound:
    made = _landscape_tiff(folder, rng)
    path = folder / "landscape.lcp"
    rasterio.shutil.copy(str(made.path), str(path), driver="LCP", LINEAR_UNIT="METER", LATITUDE="39")
    made.path.unlink()
    return Sound(path, tuple(word.replace(".tif", ".lcp") for word in made.words))


def _wind_table(folder: Path, rng: Rng) -> Sound:
    path = folder / "wind.csv"
    hours = [START + timedelta(hours=n) for n in range(24 * DAYS)]
    rows = [f"{hour:%Y-%m-%d %H:%M},{rng.uniform(1, 20):.1f},{rng.uniform(0, 359):.0f}" for hour in hours]
    path.write_text("\n".join(["time_utc,speed_mph,dir_from", *rows]) + "\n", encoding="utf-8")
    return Sound(path, _command(*_elevation(folder), "--wind", str(path), "--ignition", _centre()))


def _wind_rasters(folder: Path, rng: Rng) -> Sound:
    coarse = Grid(8, 12, 300.0, (300.0, 0.0, 499_000.0, 0.0, -300.0, 4_401_000.0), "EPSG:32610")
    speed = tiff(folder / "ws.tif", rng.uniform(1, 9, (24 * DAYS, 8, 12)).astype(np.float32), coarse)
    towards = tiff(folder / "wd.tif", rng.uniform(0, 359, (24 * DAYS, 8, 12)).astype(np.float32), coarse)
    words = ("--wind", str(speed), "--wind", str(towards), "--wind-first", "2020-08-19T07:00Z", "--wind-step", "1")
    return Sound((speed, towards)[rng.integers(2)], _command(*_elevation(folder), *words))


def wind_variables(rng: Rng) -> dict[str, Variable]:
    """Hourly winds like ERA5's around the event."""
    lons, lats = np.arange(-123.5, -122.4, 0.25), np.arange(40.25, 39.1, -0.25)
    shape = (24 * DAYS, len(lats), len(lons))
    u, v = rng.normal(3, 1, shape).astype(np.float32), rng.normal(0, 2, shape).astype(np.float32)
    return era5(u, v, lats, lons, hours_since_1900(START, 24 * DAYS))


def _wind_netcdf(folder: Path, rng: Rng) -> Sound:
    path = netcdf4(folder / "era5.nc", wind_variables(rng))
    return Sound(path, _command(*_elevation(folder), "--wind", str(path), "--ignition", _centre()))


def polygon(top: float, left: float, bottom: float, right: float) -> Any:
    """A rectangle of raster corners in the grid's CRS."""
    west, north = GRID.to_world(top - 0.5, left - 0.5)
    east, south = GRID.to_world(bottom - 0.5, right - 0.5)
    return shapely.box(west, south, east, north)


def growing(rng: Rng) -> tuple[list[Any], dict[str, list[str]]]:
    """A perimeter a day that holds the one before, and their dates."""
    top, left = rng.integers(4, 8, 2)
    shapes = [polygon(top - day, left - day, top + 5 + day, left + 5 + day) for day in range(DAYS)]
    return shapes, {"Date": [f"2020-08-{19 + day}" for day in range(DAYS)]}


def perimeter_words(folder: Path, path: Path) -> tuple[str, ...]:
    """The words that import a landscape with these perimeters."""
    return _command(*_elevation(folder), *WIND, "--perimeters", str(path))


def _perimeters(suffix: str) -> Make:
    def make(folder: Path, rng: Rng) -> Sound:
        path = folder / f"fire{suffix}"
        shapes, dates = growing(rng)
        if suffix == ".kml":
            path.write_text(kml(shapes, dates["Date"]), encoding="utf-8")
        else:
            degrees = suffix == ".geojson"
            write(path, in_degrees(shapes) if degrees else shapes, dates, "EPSG:4326" if degrees else "EPSG:32610")
        return Sound(path, perimeter_words(folder, path))

    return make


def in_degrees(shapes: list[Any]) -> list[Any]:
    """The same shapes in longitude and latitude."""
    place = Georeference(GRID)

    def change(points: Any) -> Any:
        cells = [GRID.from_world(*point) for point in points]
        return np.array([place.lonlat(*cell) for cell in cells])

    return [shapely.transform(shape, change) for shape in shapes]


def kml(shapes: list[Any], dates: list[str]) -> str:
    """A KML document with a placemark for every date."""
    marks = []
    for shape, when in zip(in_degrees(shapes), dates, strict=True):
        ring = " ".join(f"{lon:.7f},{lat:.7f},0" for lon, lat in shape.exterior.coords)
        marks.append(
            f"<Placemark><name>{when}</name><TimeStamp><when>{when}</when></TimeStamp><Polygon><outerBoundaryIs>"
            f"<LinearRing><coordinates>{ring}</coordinates></LinearRing></outerBoundaryIs></Polygon></Placemark>"
        )
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<kml xmlns="http://www.opengis.net/kml/2.2"><Document>'
    return head + "\n".join(marks) + "</Document></kml>\n"


MAKERS: Mapping[str, Make] = {
    "layers geotiff": _layers,
    "landscape geotiff": _landscape_tiff,
    "landscape lcp": _landscape_file,
    "wind csv": _wind_table,
    "wind geotiff": _wind_rasters,
    "wind netcdf": _wind_netcdf,
    "perimeters shp": _perimeters(".shp"),
    "perimeters gpkg": _perimeters(".gpkg"),
    "perimeters geojson": _perimeters(".geojson"),
    "perimeters kml": _perimeters(".kml"),
}


# -- changes -----------------------------------------------------------------------------------------------------------
def rewrite_tiff(path: Path, change: Pixels, rng: Rng, **profile: Any) -> None:
    """Write a GeoTIFF again with other bands ``[N, H, W]``, and with ``profile`` in place of what it says."""
    with without_place_warnings(), rasterio.open(path) as source:
        stack, told = source.read(), {**source.profile}
    stack = np.asarray(change(stack, rng))
    told |= {"count": len(stack), "height": stack.shape[1], "width": stack.shape[2], "dtype": stack.dtype.name}
    for key in ("tiled", "blockxsize", "blockysize", "interleave"):
        told.pop(key, None)
    with without_place_warnings(), rasterio.open(path, "w", **(told | profile)) as target:
        target.write(stack)


def pixels(change: Pixels, **profile: Any) -> Damage:
    """Change the values of a GeoTIFF."""
    return lambda sound, rng: rewrite_tiff(sound.path, change, rng, **profile)


def named_pixels(name: str, change: Pixels, **profile: Any) -> Damage:
    """Change the values of the GeoTIFF of this name beside the chosen one."""
    return lambda sound, rng: rewrite_tiff(sound.path.with_name(name), change, rng, **profile)


def sparse_tiff(path: Path, bands: int, rows: int, columns: int, dtype: str, cell: float = 30.0) -> None:
    """A GeoTIFF that claims so many cells and holds none of them."""
    place = Affine(cell, 0.0, 500_010.0, 0.0, -cell, 4_400_010.0)
    told: dict[str, Any] = {"driver": "GTiff", "count": bands, "height": rows, "width": columns, "dtype": dtype}
    more: dict[str, Any] = {"tiled": True, "compress": "deflate", "SPARSE_OK": True, "BIGTIFF": "YES"}
    with rasterio.open(path, "w", crs=wkt("EPSG:32610"), transform=place, **told, **more):
        pass


def tiff_tag(path: Path, tag: int, value: int) -> None:
    """Set a short or long tag of the first directory of a classic little-endian TIFF."""
    data = bytearray(path.read_bytes())
    start = struct.unpack_from("<I", data, 4)[0]
    for number in range(struct.unpack_from("<H", data, start)[0]):
        place = start + 2 + 12 * number
        if struct.unpack_from("<H", data, place)[0] == tag:
            struct.pack_into("<HII", data, place + 2, 4, 1, value)
            path.write_bytes(bytes(data))
            return
    raise LookupError(f"no tag {tag}")


def netcdf(change: Callable[[dict[str, Variable], Rng], Any]) -> Damage:
    """Write the wind again with other variables."""

    def damage(sound: Sound, rng: Rng) -> None:
        variables = wind_variables(rng)
        change(variables, rng)
        sound.path.unlink()
        netcdf4(sound.path, variables)

    return damage


def values_of(name: str, change: Callable[[Any], Any], **attributes: Any) -> Damage:
    """Other values or attributes of one variable."""

    def changed(variables: dict[str, Variable], rng: Rng) -> None:
        dimensions, values, held = variables[name]
        variables[name] = dimensions, np.asarray(change(values)), {**held, **attributes}

    return netcdf(changed)


def shapes(change: Callable[[list[Any], dict[str, list[Any]], Rng], Any], crs: str | None = "EPSG:32610") -> Damage:
    """Write the perimeters again, changed, in the format that they have."""

    def damage(sound: Sound, rng: Rng) -> None:
        polygons, dates = growing(rng)
        fields: dict[str, list[Any]] = {key: list(values) for key, values in dates.items()}
        change(polygons, fields, rng)
        for entry in sound.path.parent.glob("fire.*"):
            entry.unlink()
        if sound.path.suffix == ".kml":
            sound.path.write_text(kml(polygons, fields["Date"]), encoding="utf-8")
        elif sound.path.suffix == ".geojson":
            write(sound.path, in_degrees(polygons), fields, "EPSG:4326")
        else:
            write(sound.path, polygons, fields, crs)

    return damage


def geojson(change: Callable[[Any, Rng], Any]) -> Damage:
    """Change a GeoJSON file as a value."""

    def damage(sound: Sound, rng: Rng) -> None:
        root = json.loads(sound.path.read_text(encoding="utf-8"))
        change(root, rng)
        sound.path.write_text(json.dumps(root), encoding="utf-8")

    return damage


SIDE = 31_700
"""Rows and columns of a raster of a thousand million cells."""


def filled(value: float, dtype: Any = np.float32) -> Any:
    """Every pixel of the raster has the same value."""
    return lambda stack, rng: np.full(stack.shape, value, dtype)


def times(factor: float) -> Any:
    """Every pixel is so many times what it was."""
    return lambda stack, rng: np.asarray(stack, np.float32) * factor


def each_tiff(change: Any) -> Damage:
    """The same change of every raster beside the chosen one."""

    def damage(sound: Sound, rng: Rng) -> None:
        for path in sorted(sound.path.parent.glob("*.tif")):
            change(path, rng)

    return damage


def tagged(tag: int, value: int) -> Damage:
    """Another number in a tag of the file's header."""
    return lambda sound, rng: tiff_tag(sound.path, tag, value)
