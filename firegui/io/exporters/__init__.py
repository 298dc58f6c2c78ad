"""From a finished plan to the files other people use. Nothing here needs an engine.

One value, :class:`~firegui.io.exporters.content.ExportContent`, holds everything; each format is one or more files,
each with its own writer. Whether the plan's drops may be handed over at all is asked in :mod:`firegui.runs.export`.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import time
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import MappingProxyType

from filelock import FileLock, Timeout

from firegui.errors import Check, InputError, Problem, Problems
from firegui.io.atomic import problems_at, write_problem
from firegui.io.exporters.content import ExportContent
from firegui.io.georeference import Georeference

_TITLE = "Nothing was exported"
_HIDDEN, _OLD, _IN_USE = ".export-", "old", "at-work"
_BEGINS_S = 3600.0

FILMS = ("mp4", "gif")
"""Formats that only the map of the window draws; the command knows them too."""
NO_FILMS: Mapping[str, Callable[[Path], None]] = MappingProxyType({})


Writer = Callable[[Path, ExportContent, Check | None], None]


@dataclass(frozen=True, slots=True)
class Product:
    """One file of a format.

    ``name`` is what it is called after the stem, empty for a format's only file; ``what`` the same in a standard name.
    A file ``of_baseline`` is written where the fire without drops is known. The standard name of a ``printed`` one
    begins with the map type, page size and orientation.
    """

    name: str
    what: str
    ending: str
    write: Writer
    of_baseline: bool = False
    printed: bool = False


@dataclass(frozen=True, slots=True)
class Format:
    """A format that a plan can be written in.

    ``title`` and ``use`` are shown in the window. A format that ``needs_place`` needs a georeferenced grid, and one
    that ``needs_fire`` needs the fire of the plan. ``check`` returns all other problems of a plan in this format. One
    that ``lists_proposals`` writes ``content.rows``, which follow ``--drops``. The drops of all other formats are
    ``content.flown``.
    """

    title: str
    use: str
    products: tuple[Product, ...]
    needs_place: bool = True
    needs_fire: bool = False
    check: Callable[[ExportContent], list[Problem]] | None = None
    lists_proposals: bool = False


def _writer(name: str, *, cancels: bool = False) -> Writer:
    """Return the writer ``module.name`` of this package.

    It is imported on first use because it loads large libraries. One that takes long ``cancels``: it is handed the
    check.
    """
    module, _, function = name.partition(".")

    def write(path: Path, content: ExportContent, check: Check | None) -> None:
        imported = getattr(import_module(f"firegui.io.exporters.{module}"), function)
        imported(path, content, *([check] if cancels else []))

    return write


def _sheet_problems(content: ExportContent) -> list[Problem]:
    return content.sheet.problems(content.project.calendar)


def _kml_problems(content: ExportContent) -> list[Problem]:
    found: list[Problem] = import_module("firegui.io.exporters.kml_gpx_geojson").kml_problems(content)
    return found


def _map_format(title: str, use: str, ending: str) -> Format:
    product = Product("map", "map", ending, _writer("map_figure.write_map", cancels=True), printed=True)
    return Format(title, use, (product,), needs_place=False, check=_sheet_problems)


FORMATS: Mapping[str, Format] = MappingProxyType({
    "csv": Format(
        "CSV table", "one row a drop; firegui reads it back exactly",
        (Product("", "drops", "csv", _writer("csv.write_csv")),), needs_place=False,
        lists_proposals=True,
    ),
    "geojson": Format(
        "GeoJSON", "drops as points, for a GIS",
        (Product("", "drops", "geojson", _writer("kml_gpx_geojson.write_drops_geojson")),),
        lists_proposals=True,
    ),
    "geojson-areas": Format(
        "GeoJSON of areas", "footprints, regions, zones, perimeters, barriers and bases, for a GIS",
        (Product("areas", "areas", "geojson", _writer("kml_gpx_geojson.write_areas_geojson")),),
    ),
    "kml": Format(
        "KML", "drops and perimeters in time on a globe",
        (Product("", "plan", "kml", _writer("kml_gpx_geojson.write_kml")),), check=_kml_problems,
    ),
    "kmz": Format(
        "KMZ", "as KML, with a mark of each aircraft type turned to its heading, and times to play",
        (Product("", "plan", "kmz", _writer("kmz.write_kmz")),), check=_kml_problems,
    ),
    "gpx": Format(
        "GPX", "waypoints and routes for a receiver",
        (Product("", "drops", "gpx", _writer("kml_gpx_geojson.write_gpx")),),
    ),
    "gpkg": Format(
        "GeoPackage", "all layers in one file, styled for QGIS",
        (Product("", "plan", "gpkg", _writer("gpkg.write_gpkg")),), lists_proposals=True,
    ),
    "geotiff": Format(
        "GeoTIFF", "where fire is likely at the end of each day, and when it arrives",
        (Product("occupancy", "occupancy", "tif", _writer("geotiff.write_occupancy_cog")),
         Product("arrival", "arrival", "tif", _writer("geotiff.write_arrival_cog")),
         Product("baseline-occupancy", "baselineOccupancy", "tif", _writer("geotiff.write_baseline_cog"),
                 of_baseline=True),
         Product("baseline-arrival", "baselineArrival", "tif", _writer("geotiff.write_baseline_arrival_cog"),
                 of_baseline=True)),
        needs_place=False, needs_fire=True,
    ),
    "netcdf": Format(
        "NetCDF", "the same as one file by the CF conventions",
        (Product("", "fire", "nc", _writer("netcdf.write_netcdf")),),
        needs_place=False, needs_fire=True,
    ),
    "png": _map_format("PNG map", "fire and drops as a picture", "png"),
    "svg": _map_format("SVG map", "fire and drops as lines, for a drawing program", "svg"),
    "pdf": _map_format("PDF map", "fire and drops to print, with scale, grid and legend", "pdf"),
    "pdf-days": Format(
        "PDF map of each day", "one map page a day, with the drops of the day and the fire at its end",
        (Product("days", "days", "pdf", _writer("day_maps.write_day_maps", cancels=True), printed=True),),
        needs_place=False, check=_sheet_problems,
    ),
    "report": Format(
        "Report page", "result, maps and tables on one web page to share; it needs no network",
        (Product("report", "report", "html", _writer("report_page.write_report", cancels=True)),),
        needs_place=False, check=_sheet_problems,
    ),
    "ics220": Format(
        "ICS 220 briefing", "the air operations summary as a PDF; blocks that a plan cannot fill are blank",
        (Product("ics220", "ics220", "pdf", _writer("briefing.write_briefing", cancels=True), printed=True),),
        needs_place=False, check=_sheet_problems,
    ),
    "orders": Format(
        "Order sheets", "one sheet for each aircraft and day to fly by, as a PDF and as a table",
        (Product("orders", "orders", "pdf", _writer("order_sheets.write_order_sheets", cancels=True), printed=True),
         Product("orders", "orders", "csv", _writer("orders.write_orders_csv"))),
        needs_place=False, check=_sheet_problems,
    ),
})  # fmt: skip
"""Formats of an export by the name that users type."""

PROPOSAL_FORMATS: Mapping[str, Format] = MappingProxyType(
    {name: kind for name, kind in FORMATS.items() if kind.lists_proposals}
)
"""Formats that list the drops chosen with ``--drops`` or in the dialog."""


def export(
    content: ExportContent,
    formats: Sequence[str],
    folder: Path,
    stem: str | None = None,
    check: Check | None = None,
    tell: Callable[[str], None] | None = None,
    films: Mapping[str, Callable[[Path], None]] = NO_FILMS,
) -> list[Path]:
    """Write every format into ``folder`` and return the paths; every file appears or none does.

    The names are those of :func:`file_names`; ``tell`` hears each before it is written. ``films`` are what only a
    window can draw, by the ending of its name; with them there may be no other format. ``check`` is called now and
    then and may raise :class:`~firegui.errors.CancelledError`. Raises :class:`~firegui.errors.InputError` listing every
    format that is unknown or does not fit the plan.
    """
    wanted = checked_formats(content, formats) if formats or not films else []
    names = file_names(content, wanted, stem)
    filmed = dict(zip(film_names(content, list(films), stem), films.values(), strict=True))
    with together(folder, [*names, *filmed]) as waiting:
        for name, draw in filmed.items():
            if tell is not None:
                tell(name)
            draw(waiting / name)
        for name, product in zip(names, _products(content, wanted), strict=True):
            if check is not None:
                check()
            if tell is not None:
                tell(name)
            product.write(waiting / name, content, check)
    return [folder / name for name in (*names, *filmed)]


def known_formats(formats: Sequence[str]) -> list[str]:
    """Return the formats, each once. Raises :class:`~firegui.errors.InputError` listing every unknown one."""
    wanted = list(dict.fromkeys(name.strip().lower() for name in formats))
    problems, every = Problems(), ", ".join((*FORMATS, *FILMS))
    for name in wanted:
        if name not in FORMATS:
            problems.add(f"format {name or '(empty)'}", "is not known", f"use one of {every}")
    if not wanted:
        problems.add("format", "none was given", f"use one or more of {every}")
    problems.raise_if_any(_TITLE)
    return wanted


def checked_formats(content: ExportContent, formats: Sequence[str]) -> list[str]:
    """Return the formats as :func:`export` writes them, each once.

    Raises :class:`~firegui.errors.InputError` as it does.
    """
    wanted = known_formats(formats)
    problems = Problems()
    for name in wanted:
        problems.extend(format_problems(content, name))
    problems.raise_if_any(_TITLE)
    return wanted


def format_problems(content: ExportContent, name: str) -> list[Problem]:
    """Return what keeps this plan from being written in a known format."""
    wanted = FORMATS[name]
    if wanted.needs_place and not Georeference(content.project.scenario.grid).has_place:
        what = f"{wanted.title} needs a georeferenced grid, and this event has no place on the map"
        return [Problem(f"format {name}", what, "import it with a CRS and transform, or export CSV")]
    if wanted.needs_fire and content.plan is None:
        what = f"{wanted.title} needs the fire that the plan leaves, and it is not at hand"
        return [Problem(f"format {name}", what, "export the run, once it has finished")]
    return [] if wanted.check is None else wanted.check(content)


def refusals(content: ExportContent) -> dict[str, str]:
    """Return why a plan cannot be written in a format, by its name.

    Formats that can be written are not in it.
    """
    found = {name: format_problems(content, name) for name in FORMATS}
    return {name: "; ".join(problem.what for problem in problems) for name, problems in found.items() if problems}


def file_names(content: ExportContent, formats: Sequence[str], stem: str | None = None) -> list[str]:
    """Return what the files of known formats will be called.

    With a ``stem``, ``stem.csv`` and ``stem-arrival.tif``; without one, as the standard of
    :mod:`firegui.io.exporters` has it.
    """
    names = []
    for product in _products(content, formats):
        if stem is None:
            name = standard_name(content, product.what, printed=product.printed)
        else:
            name = f"{stem}-{product.name}" if product.name else stem
        names.append(f"{name}.{product.ending}")
    return names


def film_names(content: ExportContent, endings: Sequence[str], stem: str | None = None) -> list[str]:
    """Return what films of these kinds will be called."""
    return [f"{standard_name(content, 'film') if stem is None else stem}.{ending}" for ending in endings]


def _products(content: ExportContent, formats: Sequence[str]) -> list[Product]:
    every = [product for name in formats for product in FORMATS[name].products]
    return [product for product in every if content.baseline is not None or not product.of_baseline]


_LONGEST = 60
_MAP_TYPE = "airops"


def standard_name(content: ExportContent, product: str, *, printed: bool = False) -> str:
    """Return the name, without its ending, of ``product``.

    ``20200819_0915_Bear2020_CAPNF_001308_FirstPlan_drops``. The time is when the plan was made, on the fire's clock. A
    ``printed`` one begins with ``airops_letter_land``.
    """
    made = content.made.astimezone(content.project.calendar.local_zone)
    sheet = content.sheet
    before = f"{_MAP_TYPE}_{sheet.size_name}_{sheet.orientation_name}" if printed else ""
    incident = camel(content.project.scenario.name) or "Incident"
    number = _number(sheet.incident_number)
    parts = [before, f"{made:%Y%m%d_%H%M}", incident, number, camel(content.run), product]
    return "_".join(part for part in parts if part)


def camel(text: str) -> str:
    """Return a text as part of a name: ``bear 2020, first plan`` becomes ``Bear2020FirstPlan``.

    Only letters and digits of ASCII, cut at 60.
    """
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    words = re.findall(r"[A-Za-z0-9]+", plain)
    return "".join(word[:1].upper() + word[1:] for word in words)[:_LONGEST]


def _number(text: str) -> str:
    """Return ``CA-PNF-001308`` as ``CAPNF_001308``: the unit's letters and the number."""
    *unit, number = re.findall(r"[A-Za-z0-9]+", text) or [""]
    return "_".join(part for part in ("".join(unit), number) if part)


@contextmanager
def together(folder: Path, names: Sequence[str]) -> Iterator[Path]:
    """Yield a hidden folder to write the files ``names`` in.

    On success they take their places in ``folder``. ``folder`` is made if absent. On any failure, and when the work is
    cancelled, every file that was there is there again as it was, and no folder is left that was not there. Raises
    :class:`~firegui.errors.InputError` where the system refuses to write.
    """
    _check(folder, names)
    waiting = folder
    made = [parent for parent in (folder, *folder.parents) if not parent.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _remove_left_over(folder)
        with tempfile.TemporaryDirectory(prefix=_HIDDEN, dir=folder) as hidden:
            waiting, kept = Path(hidden) / "new", Path(hidden) / _OLD
            waiting.mkdir()
            kept.mkdir()
            with _marked(Path(hidden) / _IN_USE):
                yield waiting
                _place(waiting, kept, folder, names)
        made.clear()
    except InputError as error:
        raise InputError(problems_at(folder, waiting, error), _TITLE) from error
    except OSError as error:
        raise InputError([write_problem(folder, error)], _TITLE) from error
    finally:
        for parent in made:
            with suppress(OSError):
                parent.rmdir()


@contextmanager
def _marked(path: Path) -> Iterator[None]:
    """Hold the lock of ``path`` as the sign of an export at work, where the file system has locks."""
    lock = FileLock(path)
    with suppress(OSError, NotImplementedError):
        lock.acquire(timeout=0)
    try:
        yield
    finally:
        lock.release()


def _remove_left_over(folder: Path) -> None:
    """Remove hidden folders of exports that were killed, and put back the files that were moved there."""
    for hidden in folder.glob(f"{_HIDDEN}*"):
        if hidden.is_symlink() or not hidden.is_dir() or _is_at_work(hidden):
            continue
        with suppress(OSError):
            for file in [*hidden.glob(f"{_OLD}/*")]:
                if not (folder / file.name).exists():
                    os.replace(file, folder / file.name)
            shutil.rmtree(hidden)


def _is_at_work(hidden: Path) -> bool:
    mark = hidden / _IN_USE
    try:
        if not mark.exists():
            # An export that has just begun, or one of a version without the mark.
            return time.time() - hidden.stat().st_mtime < _BEGINS_S
        with FileLock(mark, timeout=0):
            return False
    except (OSError, NotImplementedError, Timeout):
        return True


def _check(folder: Path, names: Sequence[str]) -> None:
    problems = Problems()
    for name in names:
        if (folder / name).is_dir():
            problems.add(str(folder / name), "is a folder, and a file is to be written there", "move it away")
    problems.raise_if_any(_TITLE)


def _place(waiting: Path, kept: Path, folder: Path, names: Sequence[str]) -> None:
    """Move every file to its place; when one cannot be moved, put back what was there."""
    placed: list[str] = []
    try:
        for name in names:
            if (folder / name).exists():
                os.replace(folder / name, kept / name)
            placed.append(name)
            os.replace(waiting / name, folder / name)
    except BaseException:
        for name in placed:
            with suppress(OSError):
                (folder / name).unlink()
            if (kept / name).exists():
                os.replace(kept / name, folder / name)
        raise
