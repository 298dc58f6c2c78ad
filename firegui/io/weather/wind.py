"""Wind from a number, a table, rasters or a NetCDF file, as daily maps on an event's grid.

The way of a number: read as a field with name, unit, times and places (``table_wind``, ``raster_wind``,
``pair_wind``, ``netcdf_wind``) → its conventions resolved, eastward and northward parts at 10 m in m/s (``series``) →
the mean of its day (``time_axis``, ``daily``) → onto the grid, the speed as a number and the direction by its parts,
never as an angle, and from the file's north to the grid's (``locations``, ``raster_locations``) → what there is to say
of it (``daily``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import numpy as np

from firegui.domain.grid import Grid
from firegui.errors import Check, Problem, Problems
from firegui.io.safe_open.hdf5 import HDF5_SIGNATURE
from firegui.io.source_files import MOST_DAYS, TIFF_STARTS, file_problem
from firegui.io.times import start_problems
from firegui.io.weather.conventions import (
    METRES_PER_SECOND,
    STRONGEST_MS,
    TO_10_M,
    Components,
    Height,
    North,
    Sense,
    SpeedUnit,
    WindConventions,
)
from firegui.io.weather.daily import WindFields, constant_maps, daily_maps
from firegui.io.weather.locations import Window
from firegui.io.weather.netcdf_file import CLASSIC, read_netcdf
from firegui.io.weather.netcdf_wind import netcdf_series
from firegui.io.weather.pair_wind import pair_series
from firegui.io.weather.raster_wind import raster_series
from firegui.io.weather.series import (
    WindSeries,
    check_values,
    probe,
    resolve_conventions,
    vectors,
)
from firegui.io.weather.table_wind import UTF16, table_series
from firegui.io.weather.time_axis import Stamps, Timing, describe_clock, regular_moments, sort_into_days, utc_moments

_HOURLY_AT_LEAST = 24
_AGAIN = "get the file again from where it came"


@dataclass(frozen=True, slots=True)
class WindSource:
    """Where an event's wind comes from: one speed and direction, or ``files``.

    ``speed`` (in ``conventions.speed_unit``, m/s unless said) and ``direction`` (degrees clockwise from north, where it
    blows from unless ``conventions.sense`` says otherwise) hold everywhere on every day. Or ``files``, told apart by
    their content: a CSV table or a station's records; a NetCDF file; one multi-band GeoTIFF that names its bands, or
    two, of speed and direction or of u and v, in this order; WindNinja's pairs of ASCII grids, of which one file stands
    for all times of its run. ``conventions`` says what the numbers mean and goes before what the files say; what
    neither says is guessed with a note. ``first`` (UTC, or as ``conventions.clock`` says, where it has no offset) and
    ``step_h`` are the time of the first sample and the hours between two, for files that carry no times.
    """

    speed: float | None = None
    direction: float | None = None
    files: tuple[Path, ...] = ()
    conventions: WindConventions = field(default_factory=WindConventions)
    first: datetime | None = None
    step_h: float | None = None

    @property
    def is_given(self) -> bool:
        """Whether anything of a wind is given."""
        return bool(self.files) or self.speed is not None or self.direction is not None


@dataclass(frozen=True, slots=True)
class WindSurvey:
    """What a wind source turns out to be, before it is laid on a grid.

    ``kind`` in words, ``conventions`` as they will be used; ``samples`` in time from ``first`` to ``last`` (as written,
    in ``conventions.clock`` where without an offset; ``None`` where the file carries no times and none were given)
    every ``step_h`` hours; ``places`` is a raster's ``rows × columns`` or a number of stations in words;
    ``speed_range`` in m/s at 10 m. ``notes`` say what was recognised and guessed, ``problems`` what keeps it from being
    used. ``stamps`` are all times, as far as they are known before the event's start is.
    """

    kind: str
    conventions: WindConventions = field(default_factory=WindConventions)
    samples: int = 0
    first: datetime | None = None
    last: datetime | None = None
    step_h: float | None = None
    places: str = ""
    speed_range: tuple[float, float] | None = None
    notes: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    stamps: Stamps | None = None

    def first_date(self, utc_offset_h: float) -> date | None:
        """Return the local date of the first sample, a candidate for day 0; ``None`` where there are no times."""
        if self.stamps is None:
            return None
        middle = timedelta(hours=12.0 if self._timing(utc_offset_h).is_daily else 0.0)
        first: datetime = self._timing(utc_offset_h).moments[0].item()  # type: ignore[index]
        return (first + middle + timedelta(hours=utc_offset_h)).date()

    def days_from(self, start: datetime, utc_offset_h: float) -> int | None:
        """Return days of wind from ``start`` (UTC) to the last sample; ``None`` for a wind without times."""
        if self.stamps is None:
            return None
        return sort_into_days(self._timing(utc_offset_h), start, None).count

    def _timing(self, utc_offset_h: float) -> Timing:
        assert self.stamps is not None
        return Timing(utc_moments(self.stamps, self.conventions.clock, utc_offset_h), self.step_h)


def survey_wind(source: WindSource, check: Check | None = None) -> WindSurvey:
    """Return what ``source`` is, looked at quickly for a preview.

    Never raises for bad input: problems are listed in it.
    """
    found = Problems()
    survey = _surveyed(source, found, check)
    return replace(survey, problems=tuple(_as_wind(found)))


def _surveyed(source: WindSource, problems: Problems, check: Check | None) -> WindSurvey:
    _check_asked(source, problems)
    if not source.files:
        speed = _constant(source, problems)
        strength = None if speed is None else (speed, speed)
        return WindSurvey(
            "one wind for all", _constant_conventions(source), 1, places="the whole raster", speed_range=strength
        )
    series = read_series(source.files, source.conventions.components, problems)
    if series is None:
        return WindSurvey("wind")
    if check is not None:
        check()
    probed = _probe_wind(source, series, None, problems)
    if probed is None:
        return WindSurvey(series.kind, series.said, series.count, places=series.places.text, notes=series.notes)
    stamps, step_h = _stamps(source, series, probed.conventions, problems)
    first, last = (None, None) if stamps is None else (stamps.moments[0].item(), stamps.moments[-1].item())
    return WindSurvey(
        series.kind, probed.conventions, series.count, first, last, step_h, series.places.text, probed.speed_range,
        (*series.notes, *probed.notes), stamps=stamps,
    )  # fmt: skip


def read_wind(
    source: WindSource,
    grid: Grid,
    start: datetime,
    utc_offset_h: float,
    days: int | None,
    problems: Problems,
    check: Check | None = None,
) -> WindFields | None:
    """Return the daily wind of an event whose day 0 begins at ``start`` (UTC) on ``grid``.

    ``days`` ``None`` takes as many as the source has from ``start`` on (a wind without times: 1). What is wrong is
    added to ``problems`` and ``None`` returned. ``check`` may raise :class:`~firegui.errors.CancelledError`.
    """
    found = Problems()
    winds = _read(source, grid, (start, utc_offset_h, days), found, check)
    problems.extend(_as_wind(found))
    return None if found else winds


def _read(
    source: WindSource, grid: Grid, when: tuple[datetime, float, int | None], problems: Problems, check: Check | None
) -> WindFields | None:
    _check_asked(source, problems)
    if when[2] is not None and not 1 <= when[2] <= MOST_DAYS:
        problems.add("wind", f"is asked for on {when[2]:,} days", f"give 1 to {MOST_DAYS}")
    if not source.files:
        speed = _constant(source, problems)
        if problems or speed is None or source.direction is None:
            return None
        return constant_maps(grid, speed, source.direction, _constant_conventions(source), when[2] or 1)
    series = read_series(source.files, source.conventions.components, problems)
    placement = None if series is None or problems else series.places.on(grid, series.where, problems)
    probed = None if series is None or placement is None else _probe_wind(source, series, placement.window, problems)
    if series is None or placement is None or probed is None:
        return None
    timing = _timing(source, series, probed.conventions, when, problems)
    if timing is None or problems:
        return None
    notes = (*series.notes, *probed.notes, *timing[1])
    winds = daily_maps(series, probed.conventions, timing[0], placement, grid, when, problems, check)
    return None if winds is None else replace(winds, notes=(*notes, *winds.notes))


@dataclass(frozen=True, slots=True)
class _ProbedWind:
    """What the numbers of a series mean, and how strong the wind is."""

    conventions: WindConventions
    speed_range: tuple[float, float]
    notes: tuple[str, ...]


def _probe_wind(
    source: WindSource, series: WindSeries, window: Window | None, problems: Problems
) -> _ProbedWind | None:
    try:
        one, other = probe(series, window)
    except OSError as error:
        problems.add(series.where, str(error), _AGAIN)
        return None
    if not (np.isfinite(one).any() and np.isfinite(other).any()):
        problems.add(series.where, "has no wind: every value that was looked at is no data", "check its no-data value")
        return None
    conventions, notes = resolve_conventions(series, source.conventions, one, other)
    if not check_values(one, other, conventions, series.where, problems):
        return None
    speed = vectors(one, other, conventions)[0]
    if series.stamps is not None and (said := describe_clock(series.stamps, conventions.clock)):
        notes.append(said)
    return _ProbedWind(conventions, (float(np.nanmin(speed)), float(np.nanmax(speed))), tuple(notes))


def _stamps(
    source: WindSource, series: WindSeries, conventions: WindConventions, problems: Problems
) -> tuple[Stamps | None, float | None]:
    """Return the times of a series and the hours between two.

    The times are its own, or follow from ``source.first`` and ``source.step_h``. ``None`` as long as no start is known,
    and for a single sample.
    """
    if series.stamps is not None and source.first is None:
        return series.stamps, series.step_h or series.stamps.step_h
    step_h = source.step_h or _usual_step(series)
    if series.count == 1:
        return None, None
    if step_h is None:
        what = f"holds {series.count} samples, but no times, and nothing says how far apart they are"
        problems.add(series.where, what, "give the hours between two (--wind-step, such as 1 or 24)")
        return None, None
    if source.first is None:
        return None, step_h
    zoned = source.first.tzinfo is not None
    plain = source.first.astimezone(UTC) if zoned else source.first.replace(tzinfo=UTC)
    return Stamps(regular_moments(series.count, plain, step_h), zoned), step_h


def _usual_step(series: WindSeries) -> float | None:
    """Return one hour for whole days of samples, with or without the closing one."""
    hourly = series.count >= _HOURLY_AT_LEAST and series.count % 24 in (0, 1)
    return 1.0 if hourly else None


def _timing(
    source: WindSource,
    series: WindSeries,
    conventions: WindConventions,
    when: tuple[datetime, float, int | None],
    problems: Problems,
) -> tuple[Timing, list[str]] | None:
    start, utc_offset_h, _ = when
    stamps, step_h = _stamps(source, series, conventions, problems)
    if problems:
        return None
    notes = []
    if series.stamps is not None and source.first is not None:
        notes.append("The times in the wind file were replaced by those that were given.")
    own = series.stamps is not None and source.first is None
    if step_h is not None and source.step_h is None and not own:
        notes.append(f"The wind file carries no times: its {series.count} samples are taken to be hourly.")
    if stamps is not None:
        if not stamps.in_utc and conventions.clock is None and not own:
            notes.append("The first time of the wind was given without an offset and read as UTC.")
        return Timing(utc_moments(stamps, conventions.clock, utc_offset_h), step_h), notes
    if step_h is None:
        return Timing(None, None), [*notes, "The wind file holds one wind, which stands for every day."]
    begins = f"the start of day 0 ({start:%Y-%m-%d %H:%M} UTC)"
    notes.append(f"The wind file carries no times: its first sample is taken to be at {begins}.")
    return Timing(regular_moments(series.count, start, step_h), step_h), notes


def _check_asked(source: WindSource, problems: Problems) -> None:
    """Report what cannot be asked of any file."""
    if source.files and (source.speed is not None or source.direction is not None):
        problems.add("wind", "is given as a file and as a number", "give the one or the other")
    if source.step_h is not None and not 1.0 / 60.0 <= source.step_h <= 24.0 * MOST_DAYS:
        problems.add("wind step", f"{source.step_h:g} hours", "give the hours between two samples, such as 1, 3 or 24")
    if source.first is not None:
        problems.extend(start_problems(source.first, "wind first time"))


def _constant(source: WindSource, problems: Problems) -> float | None:
    """Return the speed of a wind that is given by numbers, in m/s at 10 m.

    What is missing or cannot be is a problem.
    """
    missing = [name for name, value in (("speed", source.speed), ("direction", source.direction)) if value is None]
    if missing:
        given = f"its {missing[0]} is" if len(missing) == 1 else "is"
        remedy = "give a speed and where it blows from in degrees, such as 3 from 270 for a west wind, or a file"
        problems.add("wind", f"{given} not given (--wind-speed, --wind-from, or --wind)", f"{remedy}; none is assumed")
    conventions = _constant_conventions(source)
    assert conventions.speed_unit is not None and conventions.height is not None
    speed = None if source.speed is None else (
        source.speed * METRES_PER_SECOND[conventions.speed_unit] * TO_10_M[conventions.height]
    )  # fmt: skip
    if speed is not None and not 0.0 <= speed <= STRONGEST_MS:
        problems.add("wind speed", f"{source.speed:g} {conventions.speed_unit}", f"give 0 to {STRONGEST_MS:g} m/s")
    if source.direction is not None and not 0.0 <= source.direction <= 360.0:
        what = "where it blows from, 0 to 360, 0 is north"
        problems.add("wind direction", f"{source.direction:g} degrees", f"give {what}")
    return speed


def _constant_conventions(source: WindSource) -> WindConventions:
    said = source.conventions
    return WindConventions(
        Components.SPEED_DIRECTION, said.speed_unit or SpeedUnit.MS, said.height or Height.M10,
        said.sense or Sense.FROM, said.north or North.TRUE,
    )  # fmt: skip


def _as_wind(problems: Problems) -> list[Problem]:
    """Return the problems with a place that says that they are the wind's."""
    return [
        problem if problem.where.startswith("wind") else replace(problem, where=f"wind ({problem.where})")
        for problem in problems
    ]


_HEAD = 512
_OTHERS = {
    b"PK\x03\x04": ("is a zip archive", "unpack it and give the file in it"),
    b"\x1f\x8b": ("is compressed (gzip)", "unpack it and give the file in it"),
    b"GRIB": ("is a GRIB file", "save it as NetCDF or GeoTIFF first, for example with cdo or gdal_translate"),
    b"%PDF": ("is a PDF document", "give a CSV table, GeoTIFF or NetCDF"),
    b"SQLi": ("is a database (GeoPackage)", "give a CSV table, GeoTIFF or NetCDF"),
}


def read_series(paths: Sequence[Path], components: Components | None, problems: Problems) -> WindSeries | None:
    """Return the wind that the files hold.

    What is wrong is added to ``problems``, which come in empty, and ``None`` returned.
    """
    kinds = [_kind(path, problems) for path in paths]
    if problems:
        return None
    if paths and set(kinds) == {"ASCII grid"}:
        return pair_series(paths, problems)
    if len(paths) not in (1, 2) or (len(paths) == 2 and kinds != ["GeoTIFF", "GeoTIFF"]):
        shown = ", ".join(f"{path.name}: {kind}" for path, kind in zip(paths, kinds, strict=True))
        problems.add(
            "wind",
            f"{len(paths)} files ({shown})",
            "give one file, two GeoTIFFs of the two parts, or ASCII grids of WindNinja",
        )
        return None
    if kinds[0] == "GeoTIFF":
        return raster_series(paths, components, problems)
    if kinds[0] == "NetCDF":
        variables = read_netcdf(paths[0], problems)
        return None if variables is None else netcdf_series(variables, components, paths[0].name, problems)
    return table_series(paths[0], components, problems)


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
    if head.startswith(TIFF_STARTS):
        return "GeoTIFF"
    if head.startswith((HDF5_SIGNATURE, CLASSIC)):
        return "NetCDF"
    if head.lstrip().lower().startswith(b"ncols"):
        return "ASCII grid"
    for start, (what, remedy) in _OTHERS.items():
        if head.startswith(start):
            problems.add(path.name, what, remedy)
            return ""
    # Text has no control characters but tabs and ends of lines.
    if not head.startswith(UTF16) and any(byte < 32 and byte not in b"\t\n\r\f" for byte in head):
        problems.add(
            path.name, "is not a table, NetCDF file or GeoTIFF", "give one of these: it is told by its content"
        )
    return "table"
