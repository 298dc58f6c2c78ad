"""The only place where raster, vector and HDF5 files are opened for reading.

A file is data: reading it opens no other file and no connection. A file is recognized by its content, GDAL gets the
driver by name, and what could name another file is refused first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from firegui.errors import Check

CHECK: ContextVar[Check | None] = ContextVar("check", default=None)
"""Function that is called while a reader works, set by :func:`interruptible`."""
ELSEWHERE = "it reaches into other files"

_LONGEST_CRS = 20_000
_CRS_VALUES = re.compile(
    r"""
    (?:grids|init|file|model|catalog)=("+[^"]*|[^\s"]*)                               # of a PROJ string
    | (?:PARAMETERFILE\s?[\[(]\s?"(?:[^"]|"")*"|"PROJ4_GRIDS"),"((?:[^"]|"")*)       # of WKT
    | "value"\s?:\s?"([^"]*)                                                         # of PROJJSON
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""Values in a CRS that may be files."""


class UnsafeFileError(OSError):
    """File that is of no kind that is read, or that would make its reader open another file."""


def check_crs(text: str) -> None:
    """Check that a CRS names no file of this machine, which PROJ would open.

    Grids of PROJ have names without folders. Raises :class:`UnsafeFileError`.
    """
    if len(text) > _LONGEST_CRS:
        raise UnsafeFileError(f"its CRS has more than {_LONGEST_CRS:,} characters")
    text = re.sub(r" ?([,=]) ?", r"\1", " ".join(text.split()))
    values = ["".join(found.groups("")) for found in _CRS_VALUES.finditer(text)]
    if any(mark in value for value in values for mark in "/\\~") or (text.startswith("{") and "\\u" in text):
        raise UnsafeFileError(f"{ELSEWHERE}: its CRS names one")


def gdal_path(path: Path) -> str:
    """Return the path in a form in which GDAL sees no scheme and no virtual file system."""
    text = str(path.absolute())
    if text.startswith("/vsi"):
        raise UnsafeFileError("it lies in a folder whose name has a meaning for GDAL")
    return text


@contextmanager
def interruptible(check: Check | None) -> Iterator[None]:
    """Call ``check`` several times a second while a reader works; what it raises ends that reader."""
    token = CHECK.set(check)
    try:
        yield
    finally:
        CHECK.reset(token)
