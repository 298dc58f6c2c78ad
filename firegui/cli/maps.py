"""``firegui maps``: the frozen fire model's maps of the planned days, for other programs."""

from __future__ import annotations

from pathlib import Path

import click

from firegui.api.gather import Gather
from firegui.api.inputs import check_target
from firegui.cli.arguments import FILE, project_argument
from firegui.cli.output import json_option, report
from firegui.domain.grid import cells_text
from firegui.io.project.maps_file import write_maps
from firegui.io.project.store import load_project
from firegui.runs.engine import Engine

_TITLE = "The maps cannot be made"


@click.command()
@project_argument
@click.option("--out", metavar="FILE.npz", type=FILE, required=True, help="The file to write.")
@json_option
def maps(project_folder: Path, out: Path, as_json: bool) -> None:
    """Write the maps that PROJECT plans with: its planned days, started on the plan's first day."""
    gather = Gather()
    check_target(out, gather)
    project = gather.attempt(lambda: load_project(project_folder))
    if project is not None:
        gather.extend(project.problems())
    gather.raise_if_any(_TITLE)
    assert project is not None
    made = Engine().project_maps(project)
    write_maps(out, made, project.scenario.grid, project.calendar.start)
    rows, columns = made.shape
    data = {
        "maps": str(out),
        "days": made.days,
        "rows": rows,
        "columns": columns,
        "ignition_cells": int(made.ignition.sum()),
    }
    report(as_json, data, lambda: [f"Wrote {made.days} days of maps on {cells_text(made.shape)} to {out}"])
