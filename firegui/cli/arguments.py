"""The argument that most commands begin with, apart from what their options need to be read."""

from __future__ import annotations

from pathlib import Path

import click

# Whether it can be read is for its reader to say, beside everything else that is wrong with it.
FILE = click.Path(readable=False, path_type=Path)

project_argument = click.argument("project_folder", metavar="PROJECT", type=FILE)
