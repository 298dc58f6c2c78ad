"""The only place where raster, vector and HDF5 files are opened for reading.

A file is data: reading it opens no other file and no connection. A file is recognized by its content, GDAL gets the
driver by name, and what could name another file is refused first.
"""

from __future__ import annotations

from pathlib import Path

ELSEWHERE = "it reaches into other files"


class UnsafeFileError(OSError):
    """File that is of no kind that is read, or that would make its reader open another file."""


def gdal_path(path: Path) -> str:
    """Return the path in a form in which GDAL sees no scheme and no virtual file system."""
    text = str(path.absolute())
    if text.startswith("/vsi"):
        raise UnsafeFileError("it lies in a folder whose name has a meaning for GDAL")
    return text
