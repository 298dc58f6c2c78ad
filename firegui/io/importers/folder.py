"""A folder of files, recognised by name and by content.

Which of them are the layers, the wind and the fire of an event, by name and by what they hold.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from firegui.domain.scenario import LAYERS
from firegui.errors import Check, InputError, Problem, Problems
from firegui.io.importers.landscape_source import LANDSCAPE_FILE, LandscapeSource, LayerBand, read_landscape_toml
from firegui.io.importers.lcp import ORDERS, read_order, role_of
from firegui.io.paths import real_path
from firegui.io.rasters.files import RasterFile, read_header
from firegui.io.vectors.perimeter_survey import PerimeterSurvey, names_simulation, survey_perimeters
from firegui.io.vectors.perimeters import PerimeterSource
from firegui.io.weather.pair_wind import is_pair_file
from firegui.io.weather.station_list import read_station_list
from firegui.io.weather.wind import WindSource, survey_wind

MOST_FILES = 1000
_RASTERS = (".tif", ".tiff", ".lcp", ".asc", ".img")
_TABLES = (".csv", ".nc", ".nc4", ".cdf", ".txt", ".wxs", ".fw9", ".fw13", ".fw21")
_VECTORS = (".shp", ".gpkg", ".geojson", ".json", ".kml", ".kmz")
_FIRE = re.compile(r"ignit|perim|burn|fire(?!.*model)|(^|[^a-z])mask")
_SPEED, _DIRECTION = (re.compile(rf"(^|[^a-z])({words})([^a-z]|$)") for words in (
    "ws|wspd|windspd|windspeed|wind speed|speed", "wd|wdir|winddir|wind dir|wind direction|direction"
))  # fmt: skip
_EAST, _NORTH = (re.compile(rf"(^|[^a-z]){one}(10|wind)?([^a-z]|$)") for one in "uv")
_ORIGINAL_FUEL = re.compile(r"(^|[^a-z])(fbfm|f|anderson)_?13([^0-9]|$)")
"""FBFM13 and LANDFIRE's F13. The 40 models go before them: they are finer, and the 13 are no network's."""

_COMPUTED = "not used, it is what a fire model computed and not what was observed."
_PERCENT_SLOPE = re.compile(r"slpp|slope ?p(er|c|$)")
"""LANDFIRE calls slope in percent SlpP, in degrees SlpD."""


@dataclass(frozen=True, slots=True)
class Recognised:
    """What was made of the files.

    ``notes`` say which file was taken for what, and which were not known. ``unreadable`` says which rasters are left
    out because they cannot be read, and why.
    """

    source: LandscapeSource
    notes: tuple[str, ...]
    unreadable: tuple[str, ...] = ()


@dataclass(slots=True)
class _FoundFiles:
    """What the files turned out to be so far."""

    layers: dict[str, LayerBand] = field(default_factory=dict)
    lcp: Path | None = None
    wind: dict[str, Path] = field(default_factory=dict)
    fire: Path | None = None
    notes: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    broken: dict[str, Path] = field(default_factory=dict)
    unreadable: list[Problem] = field(default_factory=list)


def recognise(files: Path | Sequence[Path], check: Check | None = None) -> Recognised:
    """Return what a folder, or chosen files, suggest.

    A ``landscape.toml`` among them is taken at its word. Files that are not known are named in the notes. Raises
    :class:`~firegui.errors.InputError` where nothing can be made of them at all.
    """
    paths = _paths(files)
    told = next((path for path in paths if path.name == LANDSCAPE_FILE), None)
    if told is not None:
        return Recognised(read_landscape_toml(told), (f"As {told.name} says.",))
    found = _FoundFiles()
    for path in paths:
        if check is not None:
            check()
        _sort(path, found, check)
    for role, path in found.broken.items():
        # Its name says what it is, so that the import stops at it instead of going on without the layer.
        found.layers.setdefault(role, LayerBand(path))
    _settle_wind(paths, found, check)
    _settle_fire(paths, found)
    if not found.layers and found.lcp is None and not found.wind and found.fire is None:
        where = str(files) if isinstance(files, Path) else ", ".join(path.name for path in paths) or "files"
        remedy = "choose GeoTIFF layers or a landscape file, and say which is which"
        nothing = Problem(where, "holds nothing that is known as a landscape, a wind or a fire", remedy)
        raise InputError(found.unreadable or [nothing])
    if found.unknown:
        found.notes.append(f"Not known: {', '.join(found.unknown)}.")
    source = LandscapeSource(
        layers={key: found.layers[key] for key in LAYERS if key in found.layers},
        lcp=found.lcp,
        wind=WindSource(files=tuple(found.wind.values())),
        perimeters=None if found.fire is None else PerimeterSource(found.fire),
        name=real_path(paths[0]).parent.name if isinstance(files, Path) and paths else None,
    )
    return Recognised(source, tuple(found.notes), tuple(f"{each}; it is left out" for each in found.unreadable))


def _paths(files: Path | Sequence[Path]) -> list[Path]:
    if not isinstance(files, Path):
        return sorted(files)
    if not files.is_dir():
        what = "is not a folder" if files.exists() else "the folder does not exist"
        raise InputError([Problem(str(files), what, "give the folder that holds the layers")])
    try:
        paths = sorted(path for path in files.iterdir() if path.is_file() and not path.name.startswith("."))
    except OSError as error:
        raise InputError([Problem(str(files), f"cannot be read ({error.strerror})", "check that you may")]) from error
    if len(paths) > MOST_FILES:
        remedy = "keep the files of one event in a folder of their own"
        raise InputError([Problem(str(files), f"holds {len(paths):,} files", remedy)])
    return paths


def _sort(path: Path, found: _FoundFiles, check: Check | None) -> None:
    """Put a raster into its place; tables and polygons wait until it is known what is lacking."""
    if is_pair_file(path):
        # One stands for all times of its run.
        if "both" not in found.wind:
            found.wind["both"] = path
            found.notes.append(f"{path.name}: wind of WindNinja, by its name, with the others of its run.")
        return
    if path.suffix.lower() not in _RASTERS:
        if path.suffix.lower() not in (*_TABLES, *_VECTORS, ".dbf", ".shx", ".prj", ".cpg", ".qmd", ".xml", ".qix"):
            found.unknown.append(path.name)
        return
    problems = Problems()
    header = read_header(path, path.name, problems)
    if header is None:
        role = role_of(path.stem)
        if role is not None and role in LAYERS and role not in found.broken:
            found.broken[role] = path
        else:
            found.unreadable += problems
        return
    name = path.stem.lower().replace("_", " ").replace("-", " ")
    part = _wind_part(name)
    role = role_of(path.stem)
    if part is not None:
        found.wind.setdefault(part, path)
        found.notes.append(f"{path.name}: wind {part}, by its name.")
    elif _FIRE.search(name) and role is None and names_simulation(name):
        found.notes.append(f"{path.name}: {_COMPUTED}")
    elif _FIRE.search(name) and role is None:
        found.fire = found.fire or path
        found.notes.append(f"{path.name}: where it burns or starts, by its name.")
    elif path.suffix.lower() == ".lcp" or (len(header.bands) in ORDERS and _is_landscape(header, check)):
        found.lcp = found.lcp or path
        found.notes.append(f"{path.name}: a landscape file of {len(header.bands)} bands.")
    elif role is not None and role in LAYERS and len(header.bands) == 1:
        _take_layer(role, path, name, found)
    elif role is not None and len(header.bands) == 1:
        found.notes.append(f"{path.name}: {role.replace('_', ' ')}, which no fire model here reads.")
    else:
        found.unknown.append(path.name)


def _take_layer(role: str, path: Path, name: str, found: _FoundFiles) -> None:
    title = LAYERS[role][0].lower()
    if role == "fuel" and role in found.layers and _is_13(found.layers[role].path) and not _is_13(path):
        found.notes.append(f"{found.layers[role].path.name}: the 13 original models; {path.name} was taken.")
        del found.layers[role]
    if role in found.layers:
        found.notes.append(f"{path.name}: also called like {title}; {found.layers[role].path.name} was taken.")
        return
    unit = "percent" if role == "slope" and _PERCENT_SLOPE.search(name) else None
    found.layers[role] = LayerBand(path, unit=unit)
    found.notes.append(f"{path.name}: {title}{' in percent' if unit else ''}, by its name.")


def _is_13(path: Path) -> bool:
    return _ORIGINAL_FUEL.search(path.stem.lower()) is not None


def _wind_part(name: str) -> str | None:
    for part, pattern in (("speed", _SPEED), ("direction", _DIRECTION), ("u", _EAST), ("v", _NORTH)):
        if pattern.search(name):
            return part
    return None


def _is_landscape(header: RasterFile, check: Check | None) -> bool:
    return read_order(header, None, header.path.name, Problems(), check) is not None


def _settle_wind(paths: Sequence[Path], found: _FoundFiles, check: Check | None) -> None:
    """Choose both parts of a wind in the order in which they are read, else the first table with one."""
    for parts in (("speed", "direction"), ("u", "v"), ("both",)):
        if set(parts) <= set(found.wind):
            found.wind = {part: found.wind[part] for part in parts}
            return
    if found.wind:
        found.notes.append(f"Only one part of a wind was found ({', '.join(found.wind)}); it is not used.")
        found.wind = {}
    for path in paths:
        if path.suffix.lower() in _TABLES:
            if read_station_list(path) is not None:
                found.notes.append(f"{path.name}: places of weather stations.")
            elif not survey_wind(WindSource(files=(path,)), check).problems and not found.wind:
                found.wind = {"both": path}
                found.notes.append(f"{path.name}: wind, by what it holds.")
            else:
                found.unknown.append(path.name)


def _settle_fire(paths: Sequence[Path], found: _FoundFiles) -> None:
    """Choose of the files that can be used that with most dates, and of those the earliest.

    Polygons go before a mask. What a fire model made is never taken for what was observed.
    """
    surveys: dict[Path, PerimeterSurvey] = {}
    for path in paths:
        if path.suffix.lower() not in _VECTORS:
            continue
        survey = survey_perimeters(PerimeterSource(path))
        if survey.problems:
            found.notes.append(f"{path.name}: not used ({survey.problems[0].what}).")
        elif survey.simulated:
            found.notes.append(f"{path.name}: {_COMPUTED}")
        else:
            surveys[path] = survey
    if not surveys:
        return
    if found.fire is not None:
        found.notes.append(f"{found.fire.name}: not used, since there are perimeters.")
    first = date.max
    found.fire = min(surveys, key=lambda path: (-len(surveys[path].dates), min(surveys[path].dates, default=first)))
    found.notes.append(f"{found.fire.name}: what burns, by what it holds.")
    for path in surveys:
        if path != found.fire:
            found.notes.append(f"{path.name}: also holds a fire; {found.fire.name} was taken.")
