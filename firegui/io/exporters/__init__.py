"""From a finished table of drops to the files other people use. Nothing here needs an engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from firegui.domain.project import Project
from firegui.domain.schedule import DropRecord
from firegui.errors import InputError, Problems
from firegui.io.atomic import write_problem
from firegui.io.exporters.csv import write_schedule_csv
from firegui.io.exporters.geojson import check_place, write_schedule_geojson

Writer = Callable[[Path, Sequence[DropRecord], Project], None]

FORMATS: Mapping[str, Writer] = MappingProxyType({"csv": write_schedule_csv, "geojson": write_schedule_geojson})
"""Format → what writes it. The name is also the file's ending."""


def export(
    drops: Sequence[DropRecord], project: Project, formats: Sequence[str], folder: Path, stem: str
) -> list[Path]:
    """Write ``folder/stem.<format>`` for each format and return the paths.

    Every format is checked before the first file is written. Raises :class:`~firegui.errors.InputError` listing every
    format that is unknown or does not fit the project.
    """
    wanted = checked_formats(project, formats)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError([write_problem(folder, error)], "Nothing was exported") from error
    paths = [folder / f"{stem}.{name}" for name in wanted]
    for name, path in zip(wanted, paths, strict=True):
        FORMATS[name](path, drops, project)
    return paths


def checked_formats(project: Project, formats: Sequence[str]) -> list[str]:
    """The formats as :func:`export` writes them, each once. Raises :class:`~firegui.errors.InputError` as it does."""
    wanted = list(dict.fromkeys(name.strip().lower() for name in formats))
    problems = Problems()
    for name in wanted:
        if name not in FORMATS:
            problems.add(f"format {name or '(empty)'}", "is not known", f"use one of {', '.join(FORMATS)}")
    if not wanted:
        problems.add("format", "none was given", f"use one or more of {', '.join(FORMATS)}")
    if "geojson" in wanted:
        try:
            check_place(project)
        except InputError as error:
            problems.extend(error.problems)
    problems.raise_if_any("Nothing was exported")
    return wanted
