"""``firegui snapshot``: a picture of the workbench, for reports and for machines without a display."""

from __future__ import annotations

from pathlib import Path

import click

from firegui.cli.arguments import FILE, project_argument
from firegui.cli.output import json_option, report
from firegui.cli.window import render_workbench


@click.command(hidden=True)
@project_argument
@click.argument("run_folder", metavar="RUN", type=FILE)
@click.option("--out", metavar="F.png", type=FILE, required=True, help="The picture to write.")
@json_option
def snapshot(project_folder: Path, run_folder: Path, out: Path, as_json: bool) -> None:
    """Draw the workbench with PROJECT open and RUN shown."""
    render_workbench(project_folder, run_folder, out)
    report(as_json, {"picture": str(out)}, lambda: [f"Wrote {out}"])
