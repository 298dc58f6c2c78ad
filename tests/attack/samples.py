"""A sound input of every format, with the command that reads it: made once, copied for every attack."""

from __future__ import annotations

import re
import shutil
import struct
import tarfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import rasterio.shutil
from pyproj import CRS

from firegui.assets import resource
from firegui.domain.physical import PhysicalSettings
from firegui.domain.weather import PeriodWeather
from firegui.fire.physical import with_physical_model
from tests.support import make_project, tiny_project
from tests.unit.io.faults.cases import Make, Rng, Sound
from tests.unit.io.faults.ground import GRID, MAKERS, growing, kml, wind_variables
from tests.unit.io.faults.sound import IMPORTERS
from tests.unit.io.rasters.test_mbtiles import write_tiles
from tests.unit.io.weather.weather_files import Variable, tiff

RESULTS = Path(__file__).resolve().parents[1] / "samples" / "results.tar.xz"
READ = "tests.attack.readers:"
"""Begins the first word of a command that calls a reader of the window, which has no command."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Folder of a sound input. Words that name files begin with ``folder``."""

    name: str
    folder: Path
    sound: Sound

    def copy(self, place: Path) -> Sound:
        """Copy the folder to ``place``, which becomes part of the words."""
        shutil.copytree(self.folder, place, symlinks=True)
        move = (str(self.folder), str(place))
        return Sound(Path(str(self.sound.path).replace(*move)), tuple(w.replace(*move) for w in self.sound.words))


def make_samples(folder: Path) -> list[Sample]:
    """Return one sample of each kind, with its files below ``folder``."""
    samples = []
    for number, (name, make) in enumerate(MAKES.items()):
        place = folder / str(number)
        place.mkdir(parents=True)
        samples.append(Sample(name, place, make(place, np.random.default_rng(number))))
    return samples


def _read(make: Make, reader: str) -> Make:
    """Give the file of another sample to a reader of the window."""
    return lambda folder, rng: _reading(make(folder, rng).path, reader)


def _reading(path: Path, reader: str) -> Sound:
    return Sound(path, (f"{READ}{reader}", str(path)))


def _kmz(folder: Path, rng: Rng) -> Sound:
    shapes, dates = growing(rng)
    path = folder / "fire.kmz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("doc.kml", kml(shapes, dates["Date"]))
    return Sound(path, _with_perimeters(folder, path))


def _with_perimeters(folder: Path, path: Path) -> tuple[str, ...]:
    words = MAKERS["perimeters geojson"](folder, np.random.default_rng(1)).words
    return tuple(str(path) if word.endswith(".geojson") else word for word in words)


def _copied_layer(driver: str, suffix: str) -> Make:
    def make(folder: Path, rng: Rng) -> Sound:
        sound = MAKERS["wind csv"](folder, rng)
        tif, path = folder / "dem.tif", folder / f"dem{suffix}"
        rasterio.shutil.copy(str(tif), str(path), driver=driver)
        tif.unlink()
        return Sound(path, tuple(word.replace("dem.tif", path.name) for word in sound.words))

    return make


def _masks(folder: Path, rng: Rng) -> Sound:
    masks = np.zeros((2, *GRID.shape), np.uint8)
    masks[:, 8:12, 8:12] = 1
    masks[1, 8:15, 8:15] = 1
    path = tiff(folder / "masks.tif", masks, GRID, names=("2020-08-19", "2020-08-20"))
    return Sound(path, _with_perimeters(folder, path))


def _tiles(folder: Path, rng: Rng) -> Sound:
    return _reading(write_tiles(folder / "base.mbtiles", zooms=(12,)), "base_map")


def _classic(folder: Path, rng: Rng) -> Sound:
    sound = MAKERS["wind netcdf"](folder, rng)
    write_classic(sound.path, wind_variables(rng))
    return sound


def write_classic(path: Path, variables: Mapping[str, Variable]) -> None:
    """Write a NetCDF file in the classic format of 1989."""
    types = {"i4": 4, "f4": 5, "f8": 6}
    sizes = {dim: size for dims, values, _ in variables.values() for dim, size in zip(dims, values.shape, strict=True)}
    names = list(sizes)

    def text(value: str) -> bytes:
        data = value.encode()
        return struct.pack(">i", len(data)) + data + bytes(-len(data) % 4)

    def header(begins: list[int]) -> bytes:
        parts = [b"CDF\x01", struct.pack(">iii", 0, 10, len(names))]
        parts += [text(dim) + struct.pack(">i", sizes[dim]) for dim in names]
        parts += [struct.pack(">iiii", 0, 0, 11, len(variables))]
        for (name, (dims, values, more)), begin in zip(variables.items(), begins, strict=True):
            parts += [text(name), struct.pack(f">i{len(dims)}i", len(dims), *(names.index(dim) for dim in dims))]
            parts += [struct.pack(">ii", 12, len(more))]
            parts += [text(key) + struct.pack(">i", 2) + text(str(value)) for key, value in more.items()]
            size = values.size * values.itemsize
            parts += [struct.pack(">iii", types[values.dtype.str[1:]], size + -size % 4, begin)]
        return b"".join(parts)

    begins, here = [], len(header([0] * len(variables)))
    for _, values, _ in variables.values():
        begins.append(here)
        here += values.nbytes + -values.nbytes % 4
    blocks = (values.astype(values.dtype.newbyteorder(">")).tobytes() for _, values, _ in variables.values())
    path.write_bytes(header(begins) + b"".join(block + bytes(-len(block) % 4) for block in blocks))


def _air_table(folder: Path, rng: Rng) -> Sound:
    """A wind table with temperature and humidity."""
    sound = MAKERS["wind csv"](folder, rng)
    first, *rows = sound.path.read_text("utf-8").splitlines()
    more = (f"{row},{rng.uniform(40, 99):.1f},{rng.uniform(5, 95):.0f}" for row in rows)
    sound.path.write_text("\n".join([f"{first},temp_f,rh", *more]) + "\n", encoding="utf-8")
    return sound


def _stream(name: str) -> Make:
    """Give the hours of a station as a weather stream, or as fire weather records."""

    def make(folder: Path, rng: Rng) -> Sound:
        sound, path = MAKERS["wind csv"](folder, rng), folder / name
        hours = [(day, hour, *rng.integers(5, 60, 3)) for day in (19, 20, 21) for hour in range(24)]
        if path.suffix == ".wxs":
            rows = [f"2020 8 {d} {h}00 {heat} {damp} 0.00 {speed} 225 0" for d, h, heat, damp, speed in hours]
            rows = ["RAWS_UNITS: English", "RAWS_ELEVATION: 2500", f"RAWS: {len(rows)}", *rows]
        else:
            rows = [f"W98044701202008{d}{h:02d}00R0{heat:3d}{damp:3d}225{speed:3d}".ljust(61) + "21"
                    for d, h, heat, damp, speed in hours]  # fmt: skip
        path.write_text("\n".join(rows) + "\n", encoding="utf-8")
        return Sound(path, tuple(str(path) if word == str(sound.path) else word for word in sound.words))

    return make


def _pairs(folder: Path, rng: Rng) -> Sound:
    """WindNinja's grids of three hours."""
    sound = MAKERS["wind csv"](folder, rng)
    for hour in range(3):
        for part, most in (("vel", 30.0), ("ang", 359.0)):
            rows = "\n".join(" ".join(f"{rng.uniform(0, most):.1f}" for _ in range(5)) for _ in range(4))
            head = "ncols 5\nnrows 4\nxllcorner 499000\nyllcorner 4398000\ncellsize 1000\nNODATA_value -9999\n"
            path = folder / f"dem_08-19-2020_{7 + hour:02d}00_1000m_{part}.asc"
            path.write_text(f"{head}{rows}\n", encoding="ascii")
            path.with_suffix(".prj").write_text(CRS("EPSG:32610").to_wkt("WKT1_ESRI"), encoding="ascii")
    return Sound(path, tuple(str(path) if word == str(sound.path) else word for word in sound.words))


def _weather_project(folder: Path, rng: Rng) -> Sound:
    """The text of a project with the physical model and a weather by the hour."""
    project = make_project()
    event, count = project.scenario, 24 * project.scenario.days
    speed, towards = rng.uniform(0.5, 3.0, (2, count, *event.grid.of_blocks(4).shape)).astype(np.float32)
    heat, damp = rng.uniform(5.0, 35.0, count), rng.uniform(5.0, 95.0, count)
    layers = {**event.layers, "fuel": np.full(event.grid.shape, 102.0, np.float32)}
    event = replace(event, layers=layers, weather=PeriodWeather(24, 4, speed, towards, heat, damp))
    saved = tiny_project(folder, with_physical_model(replace(project, scenario=event, maps=None), PhysicalSettings()))
    return Sound(saved / "project.toml", ("info", str(saved)))


def _audited(folder: Path, rng: Rng) -> Sound:
    """Check a schedule, which loads no engine."""
    sound = IMPORTERS["schedule csv"](folder, rng)
    return Sound(sound.path, ("audit", sound.words[1], "--schedule", str(sound.path)))


def _configured(name: str, option: str, text: str) -> Make:
    def make(folder: Path, rng: Rng) -> Sound:
        (folder / name).write_text(text, encoding="utf-8")
        return Sound(folder / name, ("configure", str(tiny_project(folder)), option, str(folder / name)))

    return make


_SCENARIOS = """
seed = 4

[[scenario]]
name = "strong wind"
wind_speed_factor = 1.3
draws = 2

[[scenario]]
name = "late"
delay_minutes = 45.0
effectiveness = { retardant = 0.7, water = 0.6 }
"""


def _run(*command: str) -> Make:
    """Give a finished run, with one of its files, to a command."""

    def make(folder: Path, rng: Rng) -> Sound:
        with tarfile.open(RESULTS) as archive:
            members = [member for member in archive if re.match(r"maps\.firegui(/runs/finished|/[^r]|$)", member.name)]
            archive.extractall(folder, members, filter="data")
        run = folder / "maps.firegui" / "runs" / "finished"
        places = {"RUN": str(run), "PROJECT": str(folder / "maps.firegui")}
        return Sound(run / "run.toml", tuple(places.get(word, word) for word in command))

    return make


MAKES: Mapping[str, Make] = {
    **IMPORTERS,
    "schedule csv": _audited,
    "perimeters kmz": _kmz,
    "perimeters geotiff": _masks,
    "layer asc": _copied_layer("AAIGrid", ".asc"),
    "layer img": _copied_layer("HFA", ".img"),
    "wind netcdf classic": _classic,
    "wind and air csv": _air_table,
    "weather stream": _stream("station.wxs"),
    "fire weather records": _stream("station.fw9"),
    "wind pairs asc": _pairs,
    "weather project": _weather_project,
    "scenarios toml": _configured("scenarios.toml", "--scenarios", _SCENARIOS),
    "coverage toml": _configured("coverage.toml", "--coverage", resource("fuel/coverage.toml").read_text("utf-8")),
    "base map mbtiles": _tiles,
    "base map geotiff": _read(MAKERS["layers geotiff"], "base_map"),
    "base map shp": _read(MAKERS["perimeters shp"], "base_map"),
    "base map gpkg": _read(MAKERS["perimeters gpkg"], "base_map"),
    "water geojson": _read(MAKERS["perimeters geojson"], "water"),
    "water geotiff": _read(_masks, "water"),
    "outline kml": _read(MAKERS["perimeters kml"], "outline"),
    "outline gpkg": _read(MAKERS["perimeters gpkg"], "outline"),
    "autosaved project": _read(IMPORTERS["project"], "project"),
    "run export": _run("export", "RUN", "--format", "csv,geojson,kml,gpkg,geotiff", "--out", "OUT"),
    "run pages": _run("export", "RUN", "--format", "ics220,netcdf,gpx", "--out", "OUT"),
    "run audit": _run("audit", "PROJECT", "--schedule", "RUN"),
}
