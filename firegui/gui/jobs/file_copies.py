"""Copies of a result's files for somebody else: every file appears in the chosen folder, or none."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from firegui.errors import InputError, Problem
from firegui.io.atomic import write_problem
from firegui.io.plain_words import plain_words


def copied(files: Sequence[Path], out: Path, own: Path, thing: str) -> tuple[str, ...]:
    """Copy ``files`` into ``out``, which is not ``own``, the folder of the ``thing`` they are of; returns their names.

    They are tables and figures: one fits into memory. Raises :class:`InputError` for the thing's own folder, for every
    file that cannot be read any more, and where the system refuses to write.
    """
    title = not_exported(thing)
    if out.resolve() == own.resolve():
        raise InputError([Problem(str(out), f"is the {thing}'s own folder", "choose another one")], title)
    try:
        with tempfile.TemporaryDirectory(prefix=".export-", dir=out) as waiting:
            lost = [problem for path in files if (problem := _copy(path, Path(waiting), thing)) is not None]
            if lost:
                raise InputError(lost, title)
            for path in files:
                os.replace(Path(waiting) / path.name, out / path.name)
    except OSError as error:
        raise InputError([write_problem(out, error)], title) from error
    return tuple(path.name for path in files)


def not_exported(thing: str) -> str:
    """What a refusal begins with."""
    return f"The {thing} was not exported"


def lost_problem(path: Path, error: OSError, thing: str) -> Problem:
    """A file of a ``thing`` that is shown cannot be read any more."""
    remedy = f"bring it back (or the disk it was on), or open another {thing}"
    return Problem(str(path), f"cannot be read any more ({plain_words(error)})", remedy)


def _copy(path: Path, folder: Path, thing: str) -> Problem | None:
    """Copy a file into ``folder``; what keeps it from being read, for the fault is not the folder's."""
    try:
        content = path.read_bytes()
    except OSError as error:
        return lost_problem(path, error, thing)
    (folder / path.name).write_bytes(content)
    return None
