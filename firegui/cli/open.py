"""``firegui open PROJECT``."""

from __future__ import annotations

from pathlib import Path

import click

from firegui.cli.arguments import project_argument
from firegui.cli.output import json_option, print_json
from firegui.cli.window import run_window
from firegui.errors import InputError, Problem


@click.command("open")
@project_argument
@json_option
@click.pass_context
def open_command(context: click.Context, project_folder: Path, as_json: bool) -> None:
    """Open PROJECT in the workbench."""
    if not project_folder.is_dir():
        problem = Problem(
            str(project_folder),
            "is not a project folder",
            "give a folder NAME.firegui, or make one with firegui import",
        )
        raise InputError([problem], "The project cannot be opened")
    code = run_window(project_folder)
    if as_json:
        print_json({"project": str(project_folder), "exit": code})
    context.exit(code)
