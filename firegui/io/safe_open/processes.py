"""Reader processes, which open the files of others for this program.

A file that makes a library crash, hang or take all memory ends its reader, not the program: the request fails with
:class:`ReadError`. Readers stay for the next request and end with the program.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import msgspec

from firegui.errors import CancelledError
from firegui.io.python_process import python_command
from firegui.io.safe_open import CHECK, UnsafeFileError
from firegui.io.safe_open.messages import receive, send
from firegui.io.safe_open.reader import MEMORY_BYTES, PROCESSOR_SECONDS, SECONDS

READER_ARGUMENT = "--read-files"
"""First argument of a packaged program that is to be a reader; the handle of its pipe follows."""

MOST_READERS = 2
"""Readers of one program, and so many files are read at once."""

_VECTOR_SECONDS, _VECTOR_BYTES_PER_SECOND = 10, 8 * 2**20
_EVERY_SECONDS, _GRACE_SECONDS = 0.1, 0.5
_SOON_SECONDS = 0.1
"""How long a request waits for a reader at work before another one is started, which takes longer."""

_START = "from firegui.io.safe_open.reader import main; main(int(sys.argv[2]))"
# Fewer threads start sooner; GDAL would keep a part of all memory as its cache.
_ENVIRONMENT = {
    "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "GDAL_CACHEMAX": "64",
    # The one address that GDAL may fetch is none, and it reaches others by a proxy of no kind.
    "CPL_VSIL_CURL_ALLOWED_FILENAME": "none", "PROJ_NETWORK": "OFF",
    "GDAL_HTTP_PROXY": "none://none", "GDAL_HTTPS_PROXY": "none://none", "no_proxy": "", "NO_PROXY": "",
    # Drivers of pyogrio that read none of the four kinds of vector files, so that they recognize nothing.
    "OGR_SKIP": (
        "PCIDSK,PDS4,VICAR,PDF,MBTiles,EEDA,OGCAPI,GDALG,MapInfo File,LVBAG,S57,DGN,OGR_VRT,CSV,GML,GPX,GeoJSONSeq,"
        "ESRIJSON,TopoJSON,OGR_GMT,SQLite,WAsP,OpenFileGDB,DXF,FlatGeobuf,GeoRSS,VFK,PGDUMP,OSM,GPSBabel,OGR_PDS,WFS,"
        "OAPIF,EDIGEO,Idrisi,ODS,XLSX,Elasticsearch,Carto,AmigoCloud,SXF,Selafin,JML,PLSCENES,CSW,VDV,MVT,NGW,MapML,"
        "GTFS,PMTiles,JSONFG,MiraMonVector,ADBC,AVCBin,AVCE00,AIVector,HTTP"
    ),
}  # fmt: skip


class ReadError(OSError):
    """File that a reader process could not read."""


class ReaderLostError(ReadError):
    """File that ended its reader process, or that it took too long to read."""


class Allowance:
    """Processor time that requests may take together.

    It comes back, second by second, while they take none.
    """

    def __init__(self, most: int) -> None:
        self.most, self._left, self._since = most, float(most), time.monotonic()

    def seconds(self) -> int:
        """Return the whole seconds that are left. Raises :class:`ReaderLostError` where none is."""
        now = time.monotonic()
        self._left, self._since = min(self.most, self._left + now - self._since), now
        if self._left < 1.0:
            raise ReaderLostError(self.exceeded())
        return int(self._left)

    def spend(self, seconds: float) -> None:
        """Count what a request that has just ended took."""
        self._left, self._since = max(0.0, self._left - seconds), time.monotonic()

    def exceeded(self) -> str:
        """Return what is said of a file whose requests take more."""
        return f"reading it takes more than {self.most} s of computing"


class ReaderProcess:
    """One reader, started at the first request and again after it has ended."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: Connection | None = None

    def start(self) -> None:
        """Start the process, if it does not run. It loads its libraries while this program goes on."""
        if self._process is not None and self._process.poll() is None:
            return
        self.end()
        self._connection, theirs = Pipe()
        try:
            self._process = _popen(theirs)
        except OSError as error:
            self.end()
            raise ReadError(f"the process that reads files cannot be started: {error.strerror or error}") from error
        finally:
            theirs.close()

    def request(self, operation: str, path: Path, arguments: tuple[Any, ...], allowance: Allowance) -> Any:
        """Return the value of an operation. Raises :class:`ReadError` or :class:`UnsafeFileError`."""
        seconds = allowance.seconds()
        self.start()
        assert self._connection is not None
        try:
            send(self._connection, (operation, str(path.absolute()), arguments, seconds))
            self._wait(self._connection)
            outcome, value, taken = receive(self._connection)
            allowance.spend(taken)
        except (EOFError, ConnectionError, msgspec.MsgspecError) as error:
            raise ReaderLostError(self._ending(allowance)) from error
        except CancelledError:
            raise
        except BaseException:
            self.end()
            raise
        match outcome:
            case "ok":
                return value
            case "unsafe":
                raise UnsafeFileError(value)
            case "memory":
                raise ReadError(f"reading it takes more than {MEMORY_BYTES // 2**20:,} MB of memory")
        raise ReadError(value)

    def _wait(self, connection: Connection) -> None:
        """Wait for the answer. What a check raises is raised once the reader has answered or was given up."""
        until, check = time.monotonic() + SECONDS, CHECK.get()
        while not connection.poll(_EVERY_SECONDS):
            if time.monotonic() > until:
                raise ReaderLostError(f"reading it takes more than {SECONDS:.0f} s")
            try:
                if check is not None:
                    check()
            except CancelledError:
                # A reader that answers soon is kept; a new one would have to load its libraries.
                if connection.poll(_GRACE_SECONDS):
                    receive(connection)
                else:
                    self.end()
                raise

    def end(self) -> None:
        """End the process at once."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _ending(self, allowance: Allowance) -> str:
        """Wait for a process that has closed its pipe, and return why it ended as text."""
        assert self._process is not None
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(1.0)
        code = self._process.poll()
        self.end()
        if sys.platform != "win32" and code is not None and code < 0:
            import signal

            if -code == signal.SIGXCPU:
                allowance.spend(allowance.most)
                return allowance.exceeded()
            return f"the library that reads it crashed ({signal.Signals(-code).name})"
        return f"the library that reads it ended its process (exit code {code})"


class ReaderPool:
    """Readers of this program. A request waits for a free one."""

    def __init__(self, most: int = MOST_READERS) -> None:
        self._most = most
        self._free: list[ReaderProcess] = []
        self._at_work: list[ReaderProcess] = []
        self._changed = threading.Condition()
        self._vectors: dict[object, Allowance] = {}

    def warm(self) -> None:
        """Start a reader, so that it is ready when the first file is read."""
        with self._changed:
            if not self._free and not self._at_work:
                self._free.append(ReaderProcess())
            if self._free:
                with suppress(ReadError):
                    self._free[-1].start()

    def call(self, operation: str, path: Path, *arguments: Any) -> Any:
        """Return the value of an operation of :data:`~firegui.io.safe_open.reader.OPERATIONS` on a file.

        Raises :class:`ReadError` for a file that cannot be read, :class:`UnsafeFileError` for one that may not be.
        """
        with self._reader() as reader:
            return reader.request(operation, path, arguments, self._allowance(operation, path))

    def rest(self) -> None:
        """End the readers without work, of a program that will hardly read another file."""
        with self._changed:
            for reader in self._free:
                reader.end()

    def close(self) -> None:
        """End all readers."""
        with self._changed:
            for reader in [*self._free, *self._at_work]:
                reader.end()
            self._free.clear()

    def _allowance(self, operation: str, path: Path) -> Allowance:
        """Return the processor time that a request may take.

        Requests about one vector file share it, as each may go through the whole file.
        """
        if not operation.startswith("vectors."):
            return Allowance(PROCESSOR_SECONDS)
        try:
            status = path.stat()
            key, size = (str(path), status.st_mtime_ns, status.st_size), status.st_size
        except OSError:
            key, size = (str(path), 0, 0), 0
        most = _VECTOR_SECONDS + size // _VECTOR_BYTES_PER_SECOND
        return self._vectors.setdefault(key, Allowance(most))

    @contextmanager
    def _reader(self) -> Iterator[ReaderProcess]:
        check = CHECK.get()
        with self._changed:
            until = time.monotonic() + _SOON_SECONDS
            while self._at_work and not self._free and (len(self._at_work) >= self._most or time.monotonic() < until):
                self._changed.wait(_EVERY_SECONDS)
                if check is not None:
                    check()
            reader = self._free.pop() if self._free else ReaderProcess()
            self._at_work.append(reader)
        try:
            yield reader
        finally:
            with self._changed:
                self._at_work.remove(reader)
                self._free.append(reader)
                self._changed.notify()


READERS = ReaderPool()
atexit.register(READERS.close)


def _popen(theirs: Connection) -> subprocess.Popen[bytes]:
    """Start a reader at the other end of a pipe. Ctrl-C in a terminal does not reach it."""
    handle = theirs.fileno()
    if getattr(sys, "frozen", False):
        command = [sys.executable, READER_ARGUMENT, str(handle)]
    else:
        command = python_command(_START, str(handle))
    environment = {**os.environ, **_ENVIRONMENT}
    if sys.platform == "win32":
        os.set_handle_inheritable(handle, True)
        startup = subprocess.STARTUPINFO(lpAttributeList={"handle_list": [handle]})
        return subprocess.Popen(
            command, env=environment, startupinfo=startup, creationflags=subprocess.CREATE_NO_WINDOW, close_fds=True
        )
    return subprocess.Popen(
        command, env=environment, pass_fds=[handle], start_new_session=True, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
