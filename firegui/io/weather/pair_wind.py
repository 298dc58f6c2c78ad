"""Wind from WindNinja's pairs of ASCII grids: a speed ``…_vel.asc`` and a direction ``…_ang.asc``.

WindNinja (Forthofer, Butler and Wagenbrenner 2014, Int. J. Wildland Fire 23, 969–981; its user guide) writes one pair
for a domain-average wind and one a time for a weather model or stations. Its names hold the local time as
``_10-09-2017_0400_``, month first. A single file stands for all times of its run in its folder. Directions are degrees
clockwise from north, where the wind blows from; speeds are in mph and at 20 ft unless another was chosen in WindNinja.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import numpy as np

from firegui.errors import Problems
from firegui.io import crs
from firegui.io.georeference import Six
from firegui.io.safe_open.rasters import RasterDataset, raster_dataset
from firegui.io.source_files import cells_problem, error_text
from firegui.io.weather.conventions import (
    Components,
    Height,
    North,
    ParsedName,
    Role,
    Sense,
    SpeedUnit,
    TimeBasis,
    WindConventions,
)
from firegui.io.weather.locations import Floats, Window
from firegui.io.weather.raster_bands import read_bands
from firegui.io.weather.raster_locations import AffineRaster
from firegui.io.weather.series import ReadSamples, WindField, WindSeries
from firegui.io.weather.time_axis import MOST_SAMPLES, Stamps

_PART = re.compile(r"(?P<run>.+)_(?P<part>vel|ang)", re.IGNORECASE)
_TIME = re.compile(r"(?:_\d{1,3}_\d{1,3})?(?P<joint>[_-])(\d{2})-(\d{2})-(\d{4})_(\d{2})(\d{2})(?=_|$)")
"""The time in a name, behind direction and speed of a run that had one wind for all; a weather model's has a dash."""
_SPEED, _DIRECTION = "vel", "ang"


@dataclass(frozen=True, slots=True)
class _PairName:
    """What the name of a file says: its run without the time, its part, and the local time."""

    run: str
    part: str
    time: datetime | None


def is_pair_file(path: Path) -> bool:
    """Return whether a file is called like one of WindNinja's ASCII grids of speed or direction.

    Those of the weather model that a run began with are none.
    """
    joint = None if (match := _TIME.search(path.stem)) is None else match["joint"]
    return path.suffix.lower() == ".asc" and joint != "-" and _named(path) is not None


def _named(path: Path) -> _PairName | None:
    match = _PART.fullmatch(path.stem)
    if match is None:
        return None
    found = _TIME.search(match["run"])
    try:
        month, day, year, hour, minute = (int(part) for part in found.groups()[1:]) if found else (0, 0, 0, 0, 0)
        time = datetime(year, month, day, hour, minute) if found else None
    except ValueError:
        return None
    return _PairName(_TIME.sub("", match["run"]), match["part"].lower(), time)


def pair_series(paths: Sequence[Path], problems: Problems) -> WindSeries | None:
    """Return the wind of ASCII grids; what is wrong is added to ``problems``, which come in empty."""
    pairs = _pairs(paths, problems)
    sources = [] if problems else [_opened(path, problems) for pair in pairs for path in pair]
    opened = [source for source in sources if source is not None]
    if problems or not opened:
        return None
    places = _places(opened, problems)
    if places is None:
        return None
    times = [name.time for speed, _ in pairs if (name := _named(speed)) is not None and name.time is not None]
    stamps = Stamps(np.array(times, "datetime64[s]"), in_utc=False) if len(times) == len(pairs) else None
    where = pairs[0][0].name if len(pairs) == 1 else f"{pairs[0][0].name} … {pairs[-1][0].name}"
    said = WindConventions(
        Components.SPEED_DIRECTION, SpeedUnit.MPH, Height.FT20, Sense.FROM, North.TRUE, TimeBasis.LOCAL
    )
    notes = (
        f"Wind of {len(pairs)} pair{'' if len(pairs) == 1 else 's'} of WindNinja's grids. They do not say their unit "
        "and height: mph at 20 ft, its first settings, unless others are given (--wind-unit, --wind-height).",
    )
    fields = (
        WindField(pairs[0][0].name, ParsedName(Role.SPEED), "", _reader(opened[0::2])),
        WindField(pairs[0][1].name, ParsedName(Role.DIRECTION), "", _reader(opened[1::2])),
    )
    return WindSeries("ASCII grids", where, said, len(pairs), stamps, places, fields, notes)


def _pairs(paths: Sequence[Path], problems: Problems) -> list[tuple[Path, Path]]:
    """Return speed and direction of every time, in order; a single path stands for all of its run."""
    files = list(paths) if len(paths) > 1 else _run_of(paths[0])
    by_time: dict[tuple[str, datetime], dict[str, Path]] = {}
    for path in files:
        name = _named(path)
        if name is None:
            what = "is an ASCII grid whose name does not say which part of a wind it holds"
            problems.add(path.name, what, "give WindNinja's files, …_vel.asc and …_ang.asc")
            continue
        parts = by_time.setdefault((name.run, name.time or datetime.min), {})
        if parts.setdefault(name.part, path) != path:
            what = f"is of the same time as {parts[name.part].name}"
            problems.add(path.name, what, "keep the grids of one run in a folder of their own")
    found = []
    for parts in by_time.values():
        if len(parts) == 2:
            found.append((parts[_SPEED], parts[_DIRECTION]))
        else:
            (lone,) = parts.values()
            lacking = _DIRECTION if _SPEED in parts else _SPEED
            problems.add(lone.name, f"has no file of the other part (…_{lacking}.asc)", "put both in one folder")
    if len({run for run, _ in by_time}) > 1:
        runs = ", ".join(sorted({run for run, _ in by_time}))
        problems.add("wind", f"its grids are of several runs ({runs})", "give those of one run")
    if len(by_time) > MOST_SAMPLES:
        problems.add("wind", f"has {len(by_time):,} times", f"give at most {MOST_SAMPLES:,}")
    return [] if problems else [pair for _, pair in sorted(zip(by_time, found, strict=True))]


def _run_of(path: Path) -> list[Path]:
    """Return the files of the run of ``path`` in its folder, those with times if it has one."""
    name = _named(path)
    if name is None:
        return [path]
    try:
        beside = sorted(each for each in path.parent.iterdir() if each.suffix.lower() == ".asc")
    except OSError:
        return [path]
    others = ((each, _named(each)) for each in beside)
    return [
        each
        for each, said in others
        if said is not None and said.run == name.run and (said.time is None) == (name.time is None)
    ]


def _opened(path: Path, problems: Problems) -> RasterDataset | None:
    try:
        source = raster_dataset(path, ("AAIGrid",))
    except OSError as error:
        problems.add(path.name, f"cannot be read as an ASCII grid ({error_text(error)})", "check the file")
        return None
    problem = cells_problem(path.name, *source.shape)
    problems.extend([] if problem is None else [problem])
    return source


def _places(sources: Sequence[RasterDataset], problems: Problems) -> AffineRaster | None:
    first = sources[0]
    place: Six | None = first.place
    for other in sources[1:]:
        if other.shape != first.shape or not np.allclose(other.place, first.place, rtol=1e-9, atol=1e-6):
            what = f"does not lie on the raster of {first.path.name}"
            problems.add(other.path.name, what, "give the grids of one run")
            return None
    text = first.crs_wkt
    if text is not None:
        problems.extend(found := crs.problems(text, first.path.name))
        if found:
            return None
    return AffineRaster(*first.shape, place if text else None, text)


def _reader(sources: Sequence[RasterDataset]) -> ReadSamples:
    def read(numbers: Sequence[int], window: Window | None) -> Iterator[Floats]:
        for number in numbers:
            yield from read_bands(sources[number], [1], window)

    return read
