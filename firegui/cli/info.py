"""``firegui info``: summary of a project."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import click

from firegui.cli.arguments import project_argument
from firegui.cli.output import UNITS_KEY, json_option
from firegui.cli.saved_report import read_report, report_key, save_report


@click.command()
@project_argument
@json_option
@click.pass_context
def info(context: click.Context, project_folder: Path, as_json: bool) -> None:
    """Summarize PROJECT: grid, dates, layers, required coverage, fleet, regions and runs."""
    settings = "json" if as_json else "text", str(context.find_root().meta.get(UNITS_KEY, ""))
    key = report_key(project_folder, *settings)
    text = None if key is None else read_report(key)
    if text is None:
        # Everything that reads a project takes long to load: it is not, where nothing has changed since the last time.
        import_module("firegui.io.safe_open.processes").READERS.warm()
        text = str(import_module("firegui.cli.project_report").summary_text(project_folder, as_json))
        if key is not None and key == report_key(project_folder, *settings):
            save_report(key, text)
    click.echo(text)
