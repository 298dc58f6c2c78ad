"""A plan in other formats: ``export``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from firegui.api.plans import PlanResult
from firegui.api.python_words import python_interface
from firegui.api.replans import ReplannedPlan
from firegui.api.running import ignore_event, result_folder
from firegui.domain.units import Units
from firegui.errors import InputError, Problems
from firegui.io.exporters import FILMS, NO_FILMS, file_names, film_names, known_formats
from firegui.io.exporters.content import ExportContent, MapBackground, Sheet, WrittenDrops
from firegui.runs.events import Emit
from firegui.runs.export import TITLE, hand_over, make_again, run_content

Films = Mapping[str, Callable[[Path], None]]


@dataclass(frozen=True, slots=True, eq=False)
class ExportedFiles:
    """Files of an export. ``replaced`` are those that were there before; ``content`` is what was written."""

    files: tuple[Path, ...]
    replaced: tuple[Path, ...]
    content: ExportContent = field(repr=False)


def format_names(formats: str | Sequence[str]) -> list[str]:
    """Return the names of formats, given as a sequence or as a text with commas between them."""
    parts = formats.split(",") if isinstance(formats, str) else formats
    return [part.strip().lower() for part in parts if part.strip()]


def name_problems(name: str | None, problems: Problems) -> None:
    """Add a problem for a ``name`` that cannot begin the names of files."""
    if name is not None and (not name.strip() or Path(name).name != name):
        problems.add("--name", f"{name!r} is not a file name", "use a name without slashes")


def write_export(
    run: Path,
    formats: Sequence[str],
    out: Path,
    *,
    name: str | None = None,
    water: Path | None = None,
    films: Callable[[], Films] = lambda: NO_FILMS,
    film_kinds: Sequence[str] = (),
    tell: Callable[[str], None] | None = None,
    units: Units = Units.METRIC,
    drops: WrittenDrops = WrittenDrops.ALL,
    background: MapBackground = MapBackground.RELIEF,
    progress: Emit | None = None,
) -> ExportedFiles:
    """Write the plan of the run folder ``run``; every file appears or none does.

    Damaged files of the run are first made again from the rest of it and its project; ``progress`` receives the events
    of that.

    ``units`` are those of pages for people; data files keep theirs. ``drops`` are those that tables and layers list,
    ``background`` is that of maps. ``films`` returns what draws each film of ``film_kinds``. ``tell`` receives the name
    of each file before it is written. Raises :class:`~firegui.errors.InputError` with everything that is wrong.
    """
    make_again(run, progress or ignore_event)
    sheet = Sheet(units=units, ground=background)
    content = run_content(run, water, formats or ([] if film_kinds else [""]), sheet).only(drops)
    chosen = known_formats(formats) if formats else []
    drawn = films()
    names = [*file_names(content, chosen, name), *film_names(content, film_kinds, name)]
    there = {file for file in names if (out / file).exists()}
    files = hand_over(content, chosen, out, name, tell=tell, films=drawn)
    return ExportedFiles(tuple(files), tuple(path for path in files if path.name in there), content)


@python_interface
def export(
    run: PlanResult | ReplannedPlan | str | Path,
    formats: str | Sequence[str],
    out: str | Path,
    *,
    name: str | None = None,
    water: str | Path | None = None,
    units: Literal["metric", "us"] = "metric",
    drops: Literal["all", "flown"] = "all",
    background: Literal["relief", "fuel", "arrival", "spread", "flames", "intensity", "none"] = "relief",
) -> ExportedFiles:
    """Write a plan for pilots, GIS specialists and the air operations branch.

    Every file is written or none is. A plan with a drop that breaks a rule is refused.

    Args:
        run: Plan, or the folder of a run.
        formats: Formats, as a sequence or with commas between them: csv, geojson, kml, gpx, gpkg, geotiff, ics220 and
            more. Films (mp4, gif) are drawn by the window: ``firegui export`` writes them.
        out: Folder for the files; made if absent.
        name: Beginning of the names of the files, in place of the standard's.
        water: Where water is, as polygons, lines or a raster; by the fuel layer unless given.
        units: Units of pages for people, metric or US field units; data files keep theirs.
        drops: Drops in tables and layers: all proposed ones, with ``executed`` false for those that are not flown, or
            the flown ones alone. Both are read back as the same plan.
        background: What maps show below the drops: relief, fuel classes, when the fire without drops arrives, or the
            highest rate of spread, flame length or fireline intensity of the physical model.

    Raises:
        InputError: Something is wrong with the run or the formats. Every problem is listed and nothing was written.
    """
    problems, chosen = Problems(), format_names(formats)
    for kind in (kind for kind in chosen if kind in FILMS):
        problems.add("formats", f"{kind} is drawn by the window", "write it with the command firegui export")
    name_problems(name, problems)
    if units not in {each.value for each in Units}:
        problems.add("units", f"{units!r} is not known", "use metric or us")
    if drops not in {each.value for each in WrittenDrops}:
        problems.add("drops", f"{drops!r} is not known", "use all or flown")
    if background not in {each.value for each in MapBackground}:
        problems.add("background", f"{background!r} is not known", f"use {', '.join(MapBackground)}")
    if problems:
        raise InputError(problems, TITLE)
    with result_folder(run) as folder:
        layer = None if water is None else Path(water)
        return write_export(
            folder, chosen, Path(out), name=name, water=layer, units=Units(units), drops=WrittenDrops(drops),
            background=MapBackground(background),
        )  # fmt: skip
