"""Wind from GeoTIFF.

One file of each part with a band for every time, or one file whose bands say what they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rasterio import Affine

from firegui.errors import Problems
from firegui.io import crs
from firegui.io.georeference import Six
from firegui.io.safe_open.rasters import RasterDataset, raster_dataset
from firegui.io.source_files import cells_problem, error_text
from firegui.io.times import parse_stamps
from firegui.io.weather.conventions import (
    PAIRS,
    Components,
    North,
    ParsedName,
    Role,
    parse_name,
    speed_unit,
)
from firegui.io.weather.locations import Floats, Window
from firegui.io.weather.raster_bands import read_bands
from firegui.io.weather.raster_locations import AffineRaster
from firegui.io.weather.series import WindField, WindSeries, choose_pair, said_conventions
from firegui.io.weather.time_axis import MOST_SAMPLES, Stamps, as_stamps, check_ascending

_LARGEST_BLOCK = 256 * 2**20
_SECONDS_UTC = re.compile(r"\s*(\d{6,12})(?:\s*sec UTC)?\s*")
_HOUR_ONLY = re.compile(r"^(\d{8}T\d{2})$")
_STAMP_IN_TEXT = re.compile(
    r"\d{4}[-/]?\d{2}[-/]?\d{2}[T _]?\d{2}:?\d{2}(?::?\d{2})?(?:Z|[+-]\d{2}:?\d{2})?"
    r"|\d{8}T\d{2}(?!\d)|(?<!\d)(?:\d{4}([-/_.])\d{2}\1\d{2}|(?:19|20)\d{6})(?!\d)"
)


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """One number of the wind: bands of an open file, from 1 on, and what they, or the file's name, say."""

    source: RasterDataset
    bands: tuple[int, ...]
    named: ParsedName | None

    @property
    def field(self) -> WindField:
        return WindField(self.source.path.name, self.named, _unit(self.source, self.bands[0]), self._read)

    def _read(self, numbers: Sequence[int], window: Window | None) -> Iterator[Floats]:
        return read_bands(self.source, [self.bands[number] for number in numbers], window)


def raster_series(paths: Sequence[Path], components: Components | None, problems: Problems) -> WindSeries | None:
    """Return the wind of one or two GeoTIFFs.

    What is wrong is added to ``problems``, which come in empty.
    """
    sources = [source for path in paths if (source := _opened(path, problems)) is not None]
    return None if problems or len(sources) != len(paths) else _series(sources, paths, components, problems)


def _opened(path: Path, problems: Problems) -> RasterDataset | None:
    try:
        source = raster_dataset(path, ("GTiff",))
    except OSError as error:
        problems.add(path.name, f"cannot be read as a GeoTIFF ({error_text(error)})", "check the file")
        return None
    problem = cells_problem(path.name, *source.shape)
    kinds = {np.dtype(kind).kind for kind in source.dtypes}
    if problem is None and not kinds <= set("iuf"):
        problems.add(path.name, f"holds {source.dtypes[0]} values, not numbers", "save it as numbers")
    elif problem is None and source.count > MOST_SAMPLES:
        problems.add(path.name, f"claims {source.count:,} bands", f"give at most {MOST_SAMPLES:,}")
    elif problem is None and source.block_bytes > _LARGEST_BLOCK:
        what = f"is stored in blocks of {source.block_bytes:,} bytes; at most {_LARGEST_BLOCK:,} are unpacked"
        problems.add(path.name, what, "save it in tiles, band by band")
    problems.extend([] if problem is None else [problem])
    return source


def _series(
    sources: Sequence[RasterDataset], paths: Sequence[Path], components: Components | None, problems: Problems
) -> WindSeries | None:
    where = " and ".join(path.name for path in paths)
    pair = _one_file(sources[0], components, where, problems) if len(sources) == 1 else (
        _two_files(sources, paths, components, problems)
    )  # fmt: skip
    places = _places(sources, paths, problems)
    if pair is None or places is None:
        return None
    kind, one, other, notes = pair
    stamps = _stamps(one, where, problems)
    fields = one.field, other.field
    parsed = None if places.crs is None else crs.parse(places.crs)
    north = North.TRUE if parsed is not None and parsed.is_geographic else None
    said = said_conventions(kind, fields, where, problems, north)
    return None if problems else WindSeries("GeoTIFF", where, said, len(one.bands), stamps, places, fields, notes)


_Pair = tuple[Components, _Part, _Part, tuple[str, ...]]


def _one_file(source: RasterDataset, components: Components | None, where: str, problems: Problems) -> _Pair | None:
    """Return the bands of each part, told from what the bands are called."""
    found: dict[Role, list[int]] = {}
    says: dict[Role, ParsedName] = {}
    for band in range(1, source.count + 1):
        name = _band_name(source, band)
        if name is not None:
            found.setdefault(name.role, []).append(band)
            says.setdefault(name.role, name)
    pair = choose_pair(found, components)
    if pair is None:
        bands = f"{source.count} band{'' if source.count == 1 else 's'}"
        what = f"holds one part of the wind ({bands} that do not say which)"
        problems.add(where, what, "give two files: speed and direction, or u and v")
        return None
    kind, one, other = pair
    first, second = PAIRS[kind]
    if len(one) != len(other):
        what = f"holds {len(one)} bands of {first} and {len(other)} of {second}"
        problems.add(where, what, "give a band of each at every time")
        return None
    parts = [_Part(source, tuple(bands), says[role]) for role, bands in ((first, one), (second, other))]
    return kind, parts[0], parts[1], (f"Wind from the bands of {where} that are called {first} and {second}.",)


def _two_files(
    sources: Sequence[RasterDataset], paths: Sequence[Path], components: Components | None, problems: Problems
) -> _Pair | None:
    if sources[0].count != sources[1].count:
        what = f"has {sources[1].count} bands, {paths[0].name} has {sources[0].count}"
        problems.add(paths[1].name, what, "give a band of each at every time")
        return None
    bands = tuple(range(1, sources[0].count + 1))
    parts = [_Part(source, bands, _file_name(source, path)) for source, path in zip(sources, paths, strict=True)]
    pair = choose_pair({part.named.role: part for part in parts if part.named is not None}, components)
    if pair is not None:
        first, second = PAIRS[pair[0]]
        names = [paths[parts.index(part)].name for part in pair[1:]]
        return *pair, (f"Wind {first} from {names[0]}, {second} from {names[1]}, told by their names.",)
    if components is not None:
        first, second = PAIRS[components]
        return components, parts[0], parts[1], (f"Wind {first} from {paths[0].name}, {second} from {paths[1].name}.",)
    what = "do not say by their names what they hold"
    problems.add(
        f"{paths[0].name} and {paths[1].name}", what, "say whether they are speed/direction or u/v (--wind-components)"
    )
    return None


def _file_name(source: RasterDataset, path: Path) -> ParsedName | None:
    """Return what the file's name or its first band's says; bands often name their times only."""
    for text in (path.stem, *re.split(r"[_\-. ]+", path.stem)):
        found = _band_name(source, 1) or parse_name(text)
        if found is not None and found.role in _WIND_ROLES:
            return found
    return None


_WIND_ROLES = (Role.SPEED, Role.DIRECTION, Role.U, Role.V)


def _band_name(source: RasterDataset, band: int) -> ParsedName | None:
    tags = source.band_tags[band - 1]
    for text in (
        source.descriptions[band - 1],
        tags.get("long_name"),
        tags.get("NETCDF_VARNAME"),
        tags.get("GRIB_ELEMENT"),
    ):
        # "u10 2017-10-09 04:00" names a part and a time.
        found = parse_name(_STAMP_IN_TEXT.sub(" ", text)) if text else None
        if found is not None and found.role in _WIND_ROLES:
            return found
    return None


def _unit(source: RasterDataset, band: int) -> str:
    """Return the first text that names a unit of speed, else what the band says of its unit."""
    tags = source.band_tags[band - 1]
    texts = (source.units[band - 1], tags.get("units"), tags.get("GRIB_UNIT"), source.tags.get("units"))
    known = (text for text in texts if text and speed_unit(text) is not None)
    return str(next(known, None) or source.units[band - 1] or tags.get("units") or "").strip()


def _places(sources: Sequence[RasterDataset], paths: Sequence[Path], problems: Problems) -> AffineRaster | None:
    geometries = [_geometry(source) for source in sources]
    if not all(_is_same(geometry, geometries[0]) for geometry in geometries[1:]):
        what = f"does not lie on the raster of {paths[0].name}"
        problems.add(
            paths[1].name, what, "give both parts on one raster: the same CRS, corner, cell size, rows and columns"
        )
        return None
    geometry = geometries[0]
    if geometry.crs is not None:
        found = crs.problems(geometry.crs, paths[0].name)
        problems.extend(found)
        if found:
            return None
    if geometry.transform is not None and not abs(np.linalg.det(np.reshape(geometry.transform, (2, 3))[:, :2])) > 0.0:
        problems.add(paths[0].name, "has a transform without an area", "give it its true transform")
        return None
    return geometry


def _geometry(source: RasterDataset) -> AffineRaster:
    place: Six | None = None
    if source.transform != Affine.identity():
        place = source.place
    text = source.crs_wkt
    return AffineRaster(*source.shape, place if text else None, text if place else None)


def _is_same(one: AffineRaster, other: AffineRaster) -> bool:
    """Return whether two rasters are one, up to the rounding of their corners."""
    if (one.rows, one.columns) != (other.rows, other.columns) or (one.crs is None) != (other.crs is None):
        return False
    if one.transform is None or other.transform is None or one.crs is None or other.crs is None:
        return one.transform == other.transform
    near = 0.01 * abs(one.transform[0])
    return crs.same(one.crs, other.crs) and np.allclose(one.transform, other.transform, rtol=1e-6, atol=near)


def _stamps(part: _Part, where: str, problems: Problems) -> Stamps | None:
    """Return the times that the bands carry, as NetCDF, GRIB or a description of theirs says it.

    ``None`` without.
    """
    grib = [_SECONDS_UTC.fullmatch(part.source.band_tags[band - 1].get("GRIB_VALID_TIME", "")) for band in part.bands]
    if all(grib):
        moments = np.array([int(match[1]) for match in grib if match], "datetime64[s]")
        stamps = Stamps(moments, in_utc=True)
    else:
        texts = [_STAMP_IN_TEXT.search(part.source.descriptions[band - 1]) for band in part.bands]
        # An hour without minutes, as Google Earth Engine calls the bands of ERA5, is a full hour.
        parsed = parse_stamps([_HOUR_ONLY.sub(r"\1:00", match[0]) for match in texts if match]).stamps
        known = [stamp for stamp in parsed if stamp is not None]
        if len(known) != len(part.bands):
            return None
        stamps = as_stamps(known)
    check_ascending(stamps.moments, where, [f"band {band}" for band in part.bands], problems)
    return stamps
