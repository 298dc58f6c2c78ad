"""``firegui export``: hand a run's schedule over in other formats."""

from __future__ import annotations

import shutil
from pathlib import Path

import click

from firegui.cli.gather import Gather
from firegui.cli.options import FILE
from firegui.cli.output import json_option, report
from firegui.domain.schedule import DropRecord
from firegui.errors import InputError, Problems
from firegui.io.atomic import replacing, write_problem
from firegui.io.exporters import checked_formats
from firegui.io.exporters import export as write_formats
from firegui.runs.folder import OCCUPANCY, RunRecord, read_drops, read_run
from firegui.runs.messages import counted

TABLES, RASTER = ("csv", "geojson"), "geotiff"
_TITLE = "The run cannot be exported"


@click.command()
@click.argument("run_folder", metavar="RUN", type=FILE)
@click.option(
    "--format", "formats", metavar="csv,geojson,geotiff", required=True, help="Formats, with commas between them."
)
@click.option("--out", metavar="DIR", type=FILE, required=True, help="Folder for the files; made if absent.")
@json_option
def export(run_folder: Path, formats: str, out: Path, as_json: bool) -> None:
    """Write the plan of RUN as CSV and GeoJSON, and its daily fire occupancy as GeoTIFF."""
    gather = Gather()
    chosen = gather.attempt(lambda: parse_formats(formats)) or []
    tables = [name for name in chosen if name in TABLES]
    record = gather.attempt(lambda: read_run(run_folder))
    drops: tuple[DropRecord, ...] = ()
    if record is not None:
        drops = gather.attempt(lambda: read_drops(run_folder)) or ()
        if tables:
            gather.attempt(lambda: checked_formats(record.project, tables))
        if RASTER in chosen and not (run_folder / OCCUPANCY).is_file():
            gather.add(str(run_folder), "has no occupancy.tif", "resume the run and let it finish")
    gather.raise_if_any(_TITLE)
    assert record is not None
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError([write_problem(out, error)], _TITLE) from error
    there = set(out.iterdir())
    stem = record.folder.resolve().name
    files = write_formats(drops, record.project, tables, out, stem) if tables else []
    if RASTER in chosen:
        files.append(_copy_raster(record, out / f"{stem}-occupancy.tif"))
    executed = sum(drop.executed for drop in drops)
    data = {"run": str(run_folder), "files": [str(path) for path in files], "drops": len(drops), "executed": executed}
    wrote = [f"{'Replaced' if path in there else 'Wrote'} {path}" for path in files]
    report(as_json, data, lambda: [*wrote, *(_listed(executed, len(drops) - executed) if tables else [])])


def parse_formats(text: str) -> list[str]:
    """The formats in ``text``. Raises :class:`~firegui.errors.InputError` listing every unknown one."""
    problems = Problems()
    known = (*TABLES, RASTER)
    chosen = list(dict.fromkeys(part.strip().lower() for part in text.split(",") if part.strip()))
    for name in chosen:
        if name not in known:
            problems.add("--format", f"{name} is not known", f"use {', '.join(known)}")
    if not chosen:
        problems.add("--format", "is empty", f"use {', '.join(known)}")
    problems.raise_if_any(_TITLE)
    return chosen


def _listed(executed: int, others: int) -> list[str]:
    rest = f", and {counted(others, 'proposal')} marked executed=false" if others else ""
    return [f"{counted(executed, 'drop')} executed{rest}"]


def _copy_raster(record: RunRecord, target: Path) -> Path:
    with replacing(target) as temporary:
        shutil.copyfile(record.folder / OCCUPANCY, temporary)
    return target
