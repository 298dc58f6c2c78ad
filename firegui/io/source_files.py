"""Files that others wrote, looked at before they are read.

What is no file, empty, or larger than a fire can be. A header is a few bytes and may claim anything: memory is spent
only on claims that have been judged here.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firegui.errors import Problem, Problems

_BEYOND_ANYTHING = 1e30
MOST_CELLS = 25_000_000
"""Of one raster: 150 km by 150 km at 30 m, five times the largest fire of the western United States."""

MOST_DAYS = 366
"""Days of weather or perimeters; more is a slip in a year."""

MOST_VALUES = 1_000_000_000
"""Of one array, which takes 4 GB as float32."""

MOST_TEXT_BYTES = 64 * 2**20
"""Of a file that is read as a whole: tables, polygons, schedules, weights."""

_LARGE_BYTES, _PACKED = 256 * 2**20, 100
"""What unpacks to more than so many bytes, and to more than so many times its room in the file, is no measurement."""

TIFF_STARTS = (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")
"""How a TIFF begins: classic or big, in either order of bytes."""

_CUT = "cut it to the surroundings of the fire, or make its cells larger"


def file_problem(path: Path) -> Problem | None:
    """Return what keeps ``path`` from being opened and read at all.

    Missing, a folder, a pipe, protected or empty.
    """
    try:
        status = path.stat()
    except FileNotFoundError:
        return Problem(str(path), "the file does not exist", "check the path")
    except (OSError, ValueError) as error:
        return Problem(str(path), f"cannot be read ({_reason(error)})", "check the path and that you may read it")
    if stat.S_ISDIR(status.st_mode):
        return Problem(str(path), "is a folder, not a file", "name the file itself")
    if not stat.S_ISREG(status.st_mode):
        return Problem(str(path), "is a pipe or a device, not a file", "copy what it gives into a file first")
    if not os.access(path, os.R_OK):
        return Problem(str(path), "cannot be read (Permission denied)", "check that it is a file you may read")
    if status.st_size == 0:
        return Problem(str(path), "the file is empty", "get it again from where it came")
    return None


def outside_problem(path: Path, folder: Path) -> Problem | None:
    """Return a problem where a file in ``folder`` is a link that leads out of it."""
    try:
        if path.resolve().is_relative_to(folder.resolve()):
            return None
    except (OSError, RuntimeError) as error:  # a loop of links
        return Problem(str(path), f"cannot be read ({_reason(error)})", "put the file itself in its place")
    return Problem(str(path), "is a link that leads out of its folder", "put the file itself in its place")


def read_bytes(path: Path, problems: Problems) -> bytes | None:
    """Return the whole of a file; what cannot be read, is empty or is too large for its kind is noted."""
    problem = file_problem(path)
    if problem is None and path.stat().st_size > MOST_TEXT_BYTES:
        what = f"is too large ({path.stat().st_size:,} bytes; at most {MOST_TEXT_BYTES:,} are read)"
        problem = Problem(str(path), what, "check that it is the right file")
    if problem is None:
        try:
            return path.read_bytes()
        except OSError as error:
            problem = Problem(str(path), f"cannot be read ({_reason(error)})", "check that it is a file you may read")
    problems.extend([problem])
    return None


def read_text(path: Path, problems: Problems) -> str | None:
    """Return the text of a file in UTF-8, without the mark that some programs put first.

    As :func:`read_bytes`.
    """
    data = read_bytes(path, problems)
    try:
        return None if data is None else data.decode("utf-8-sig")
    except UnicodeDecodeError:
        problems.add(str(path), "is not text in UTF-8", "save it as UTF-8")
        return None


def cells_problem(where: str, rows: int, columns: int) -> Problem | None:
    """Return what is wrong with the size of a raster that is to be held in memory."""
    if rows < 1 or columns < 1:
        return Problem(where, f"holds no cell (its size is {rows:,} × {columns:,})", "give a raster with cells")
    if rows * columns > MOST_CELLS:
        what = f"claims {rows * columns:,} cells ({rows:,} × {columns:,}); at most {MOST_CELLS:,} can be held"
        return Problem(where, what, _CUT)
    return None


def claim_problem(where: str, shape: Sequence[int], bytes_each: int, stored: int) -> Problem | None:
    """Return what is wrong with the size of an array whose header claims ``shape``.

    ``stored`` are its bytes in the file.
    """
    return claim_size_problem(where, shape) or unpacking_problem(where, prod(shape) * bytes_each, stored)


def claim_size_problem(where: str, shape: Sequence[int]) -> Problem | None:
    """Return what is wrong with an array of ``shape`` that is to be held in memory."""
    values = prod(shape)
    if values <= MOST_VALUES:
        return None
    size = " × ".join(f"{n:,}" for n in shape)
    return Problem(where, f"claims {values:,} values ({size}); at most {MOST_VALUES:,} can be held", _CUT)


def unpacking_problem(where: str, unpacked: int, stored: int) -> Problem | None:
    """Return what is wrong with so many bytes that are packed into so few."""
    if unpacked <= max(_LARGE_BYTES, _PACKED * stored):
        return None
    what = f"unpacks from {stored:,} to {unpacked:,} bytes, as a zip bomb does"
    return Problem(where, what, "save it without compression if it is meant")


def days_problem(where: str, days: int) -> Problem | None:
    """Return what is wrong with the number of days of weather or perimeters."""
    if days > MOST_DAYS:
        return Problem(
            where, f"claims {days:,} days; at most {MOST_DAYS} can be held", "cut it to the days of the fire"
        )
    return Problem(where, "holds no day", "give at least one day") if days < 1 else None


def _reason(error: BaseException) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or error_text(error)


def error_text(error: BaseException, most: int | None = None) -> str:
    """Return what an error says, in one line and cut to ``most`` letters; its type where it says nothing."""
    # A KeyError quotes what it says.
    said = error.args[0] if isinstance(error, KeyError) and error.args else error
    text = " ".join(str(said).split()) or type(error).__name__
    return text if most is None or len(text) <= most else text[: most - 3] + "…"


def first_few(texts: Sequence[object], most: int) -> str:
    """Return the first ``most`` of ``texts`` with commas between them, and an ellipsis for the others."""
    return ", ".join(str(text) for text in texts[:most]) + (", …" if len(texts) > most else "")


def no_number(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Return ``[H, W]``: NaN, infinity, and numbers so large that they can only stand for no data."""
    return np.asarray(~(np.abs(values) < _BEYOND_ANYTHING))


def cells_text(count: int) -> str:
    """Return ``1 cell``, ``12,345 cells``."""
    return f"{count:,} cell{'' if count == 1 else 's'}"
