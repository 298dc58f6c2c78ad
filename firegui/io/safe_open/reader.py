"""A reader process: it opens files for the program, within limits, and ends with it.

A library that a damaged file brings down brings down this process alone. The limits are the system's, so that they also
hold inside a library that does not return: processor time and memory where the system counts them, else time alone.
"""

from __future__ import annotations

import faulthandler
import math
import os
import sys
import time
import warnings
from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from firegui.io.safe_open import UnsafeFileError
from firegui.io.safe_open.direct import OpenFiles
from firegui.io.safe_open.messages import receive, send
from firegui.io.source_files import error_text

PROCESSOR_SECONDS = 20
"""Processor time for one request about a raster or an HDF5 file, which are read in pieces."""

SECONDS = 120.0
"""Time for one request, also where a disk or a network drive does not answer."""

MEMORY_BYTES = 1536 * 2**20

OPERATIONS: Mapping[str, str] = {
    "rasters.describe": "firegui.io.safe_open.direct.rasters:describe",
    "rasters.read": "firegui.io.safe_open.direct.rasters:read",
    "rasters.warp": "firegui.io.safe_open.direct.rasters:warp",
    "rasters.image": "firegui.io.safe_open.direct.rasters:image",
    "vectors.layers": "firegui.io.safe_open.direct.vectors:layers",
    "vectors.info": "firegui.io.safe_open.direct.vectors:info",
    "vectors.features": "firegui.io.safe_open.direct.vectors:features",
    "vectors.repaired": "firegui.io.safe_open.direct.vectors:repaired",
    "hdf5.tree": "firegui.io.safe_open.direct.hdf5:tree",
    "hdf5.values": "firegui.io.safe_open.direct.hdf5:values",
}
"""What a reader does, as ``module:function`` of its open files, a path and further arguments."""

_MOST_NEEDED = "firegui.io.safe_open.direct.rasters"
"""Loaded before the first request, as every project has rasters. Other modules are loaded at their first request."""

_IDLE_SECONDS = 2.0
_NOT_NEEDED = ("geopandas", "pandas", "pyarrow", "pyproj")
_TEXT = 300


def main(handle: int) -> None:
    """Carry out the requests that arrive on the pipe ``handle`` until it is closed."""
    connection = _connection(handle)
    warnings.simplefilter("ignore")
    sys.modules.update(dict.fromkeys(_NOT_NEEDED))  # type: ignore[arg-type]  # pyogrio would load them: half a second
    _limit_memory()
    files = OpenFiles()
    import_module(_MOST_NEEDED)
    with suppress(EOFError, OSError):
        while True:
            if not connection.poll(_IDLE_SECONDS):
                files.close()  # so that they can be replaced
            operation, path, arguments, seconds = receive(connection)
            before = time.process_time()
            _begin(handle, seconds)
            answer = _answer(files, operation, Path(path), arguments)
            _end(handle)
            taken = time.process_time() - before
            try:
                send(connection, (*answer, taken))
            except (TypeError, ValueError, MemoryError) as error:  # nothing was sent: it is made into a message first
                send(connection, ("failed", error_text(error, _TEXT), taken))


def _answer(files: OpenFiles, operation: str, path: Path, arguments: list[Any]) -> tuple[str, Any]:
    """Return the outcome of a request: ``ok`` and the value, or the kind of failure and its text."""
    try:
        module, name = OPERATIONS[operation].split(":")
        return "ok", getattr(import_module(module), name)(files, path, *arguments)
    except UnsafeFileError as error:
        return "unsafe", str(error)
    except MemoryError:
        return "memory", ""
    except Exception as error:
        while "previous exception" in str(error) and error.__cause__ is not None:  # rasterio's particulars
            error = error.__cause__  # type: ignore[assignment]
        text = error_text(error, _TEXT)
        return ("memory", "") if "bad_alloc" in text else ("failed", text)


def _connection(handle: int) -> Connection:
    if sys.platform == "win32":
        from multiprocessing.connection import PipeConnection

        return PipeConnection(handle)
    return Connection(handle)


def _limit_memory() -> None:
    if sys.platform == "win32":
        return
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # Linux counts what a process writes to as data. Other systems know the space of addresses alone.
    kind = resource.RLIMIT_DATA if sys.platform == "linux" else resource.RLIMIT_AS
    _, most = resource.getrlimit(kind)
    with suppress(ValueError, OSError):
        resource.setrlimit(kind, (MEMORY_BYTES, most))


def _begin(handle: int, seconds: int) -> None:
    """Begin to count the processor time of a request. When it is over, the system ends this process."""
    faulthandler.dump_traceback_later(SECONDS, exit=True)
    if sys.platform == "win32":
        return
    import resource

    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    with suppress(ValueError, OSError):
        # The limit is a whole second: rounded down, it could end a request that has hardly begun.
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(time.process_time()) + seconds, most))
    if sys.platform == "linux":
        import fcntl

        # Until the answer nothing but the end of the program arrives: its signal ends this process as well.
        fcntl.fcntl(handle, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(handle, fcntl.F_SETFL, fcntl.fcntl(handle, fcntl.F_GETFL) | os.O_ASYNC)


def _end(handle: int) -> None:
    faulthandler.cancel_dump_traceback_later()
    if sys.platform == "linux":
        import fcntl

        fcntl.fcntl(handle, fcntl.F_SETFL, fcntl.fcntl(handle, fcntl.F_GETFL) & ~os.O_ASYNC)
