"""Several files that appear together or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from firegui.errors import InputError, Problems
from firegui.io.atomic import write_problem

_TITLE = "Nothing was exported"


@contextmanager
def together(folder: Path, names: Sequence[str]) -> Iterator[Path]:
    """Yield a hidden folder to write the files ``names`` in; on success they take their places in ``folder``.

    ``folder`` is made if absent. On any failure, and when the work is cancelled, every file that was there is there
    again as it was, and no folder is left that was not there. Raises :class:`~firegui.errors.InputError` where the
    system refuses to write.
    """
    _check(folder, names)
    made = [parent for parent in (folder, *folder.parents) if not parent.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".export-", dir=folder) as hidden:
            waiting, kept = Path(hidden) / "new", Path(hidden) / "old"
            waiting.mkdir()
            kept.mkdir()
            yield waiting
            _place(waiting, kept, folder, names)
        made.clear()
    except OSError as error:
        raise InputError([write_problem(folder, error)], _TITLE) from error
    finally:
        for parent in made:
            with suppress(OSError):
                parent.rmdir()


def _check(folder: Path, names: Sequence[str]) -> None:
    problems = Problems()
    for name in names:
        if (folder / name).is_dir():
            problems.add(str(folder / name), "is a folder, and a file is to be written there", "move it away")
    problems.raise_if_any(_TITLE)


def _place(waiting: Path, kept: Path, folder: Path, names: Sequence[str]) -> None:
    """Move every file to its place; when one cannot be moved, put back what was there."""
    placed: list[str] = []
    try:
        for name in names:
            if (folder / name).exists():
                os.replace(folder / name, kept / name)
            placed.append(name)
            os.replace(waiting / name, folder / name)
    except BaseException:
        for name in placed:
            with suppress(OSError):
                (folder / name).unlink()
            if (kept / name).exists():
                os.replace(kept / name, folder / name)
        raise
