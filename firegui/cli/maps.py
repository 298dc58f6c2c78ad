"""``firegui maps``: the frozen fire model's maps of the planned days, for other programs."""

from __future__ import annotations

from pathlib import Path

import click

from firegui.cli.options import FILE, check_project, project_argument
from firegui.cli.output import json_option, report
from firegui.io.importers.maps import write_maps
from firegui.io.project_store import load_project
from firegui.runs.engine import load_engine


@click.command()
@project_argument
@click.option("--out", metavar="FILE.npz", type=FILE, required=True, help="The file to write.")
@json_option
def maps(project_folder: Path, out: Path, as_json: bool) -> None:
    """Write the maps that PROJECT plans with: its planned days, started on the plan's first day."""
    project = load_project(project_folder)
    check_project(project, "The maps cannot be made")
    made = load_engine().project_maps(project)
    write_maps(out, made, project.scenario.grid, project.calendar.start)
    rows, columns = made.shape
    data = {
        "maps": str(out),
        "days": made.days,
        "rows": rows,
        "columns": columns,
        "ignition_cells": int(made.ignition.sum()),
    }
    report(as_json, data, lambda: [f"Wrote {made.days} days of maps on {rows} × {columns} cells to {out}"])
