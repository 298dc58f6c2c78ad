"""Copies of a result's files for somebody else: every file appears in the chosen folder, or none."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from firegui.errors import InputError, Problem
from firegui.io.atomic import write_problem


def copied(files: Sequence[Path], out: Path, own: Path, thing: str) -> tuple[str, ...]:
    """Copy ``files`` into ``out``, which is not ``own``, the folder of the ``thing`` they are of; returns their names.

    Raises :class:`InputError` for the thing's own folder and where the system refuses.
    """
    title = f"The {thing} was not exported"
    if out.resolve() == own.resolve():
        raise InputError([Problem(str(out), f"is the {thing}'s own folder", "choose another one")], title)
    try:
        with tempfile.TemporaryDirectory(prefix=".export-", dir=out) as waiting:
            for path in files:
                shutil.copyfile(path, Path(waiting) / path.name)
            for path in files:
                os.replace(Path(waiting) / path.name, out / path.name)
    except OSError as error:
        raise InputError([write_problem(out, error)], title) from error
    return tuple(path.name for path in files)
