"""The only place where raster, vector and HDF5 files are opened for reading.

A file is data: reading it opens no other file and no connection. A file is recognized by its content, GDAL gets the
driver by name, and what could name another file is refused first.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from firegui.errors import Check

CHECK: ContextVar[Check | None] = ContextVar("check", default=None)
"""Function that is called while a reader works, set by :func:`interruptible`."""
ELSEWHERE = "it reaches into other files"


class UnsafeFileError(OSError):
    """File that is of no kind that is read, or that would make its reader open another file."""


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
