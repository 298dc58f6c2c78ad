"""Files that are either the old ones or the complete new ones, never half-written.

Content is made in memory and written by Python, because several libraries do not tell, or do not survive, that a disk
is full. Only what needs a place on disk while it is made is given one (:func:`replacing`). A file takes its name after
it was flushed, closed, opened again and found to hold what was written.
"""

from __future__ import annotations

import errno
import io
import os
import shutil
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from firegui.errors import InputError, Problem

_REMEDY = "check that the folder exists, has room, and that you may write to it"
_NO_ROOM = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "your share of the disk is used up",
    errno.EFBIG: "the file would be larger than the system allows",
}
_ROOM_REMEDY = "make room, or choose a folder on another disk"
_PROBE_BYTES = 2**20
_CHUNK_BYTES = 2**20


@contextmanager
def replacing(path: Path, check: Callable[[Path], None] = lambda temporary: None) -> Iterator[Path]:
    """Yield a temporary sibling to write, for what cannot be made in memory.

    On success it takes the place of ``path``, on failure it is removed. ``check`` opens what was written and raises
    ``OSError`` where it is not whole. Raises :class:`InputError` where the system refuses to write.
    """
    temporary = sibling(path)
    try:
        try:
            yield temporary
            _flush(temporary)
            check(temporary)
        except OSError as error:
            refused = None if error.errno else _room_error(temporary)
            if refused is None:
                raise
            raise refused from error
        os.replace(temporary, path)
        _flush_folder(path.parent)
    except OSError as error:
        raise InputError([write_problem(path, error)], "Nothing was written") from error
    finally:
        # It may never have been there, or its folder be none; that must not hide what went wrong.
        with suppress(OSError):
            temporary.unlink()


@contextmanager
def writing(path: Path) -> Iterator[io.BytesIO]:
    """Yield a file in memory to write. On success its content becomes ``path`` (:func:`write_bytes`)."""
    memory = io.BytesIO()
    yield memory
    write_bytes(path, memory.getbuffer())


def write_bytes(path: Path, data: bytes | bytearray | memoryview) -> None:
    """Write ``data``, atomically. Raises :class:`InputError` where the system refuses to write."""

    def check(temporary: Path) -> None:
        if not _holds(temporary, memoryview(data)):
            raise OSError("it did not keep what was written")

    with replacing(path, check) as temporary:
        temporary.write_bytes(data)


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """Yield a temporary sibling folder to fill.

    On success it becomes ``path``, which must not exist or be empty. Raises :class:`InputError` where the system
    refuses to write.
    """
    temporary = sibling(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.mkdir()
        yield temporary
        for file in temporary.rglob("*"):
            _flush(file) if file.is_file() else _flush_folder(file)
        _flush_folder(temporary)
        if path.exists():
            path.rmdir()
        os.rename(temporary, path)
        _flush_folder(path.parent)
    except InputError as error:
        raise InputError(problems_at(path, temporary, error), error.title) from error
    except OSError as error:
        raise InputError([write_problem(path, error)], "Nothing was written") from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def write_text(path: Path, text: str) -> None:
    """Write ``text`` as UTF-8, atomically, line ends as they are."""
    write_bytes(path, text.encode("utf-8"))


def write_json(path: Path, value: Any) -> None:
    """Write ``value`` as indented JSON, atomically."""
    write_text(path, msgspec.json.format(msgspec.json.encode(value)).decode() + "\n")


def sibling(path: Path) -> Path:
    """Return a hidden name beside ``path`` that nothing else uses.

    The ending is kept because some writers go by it.
    """
    return path.with_name(f".{path.stem}.{uuid.uuid4().hex[:12]}.tmp{path.suffix}")


def write_problem(path: Path, error: OSError) -> Problem:
    """Return the problem to report when the system refuses to write ``path``."""
    no_room = _NO_ROOM.get(error.errno or 0)
    if no_room is not None:
        return Problem(str(path), f"cannot be written: {no_room} ({error.strerror})", _ROOM_REMEDY)
    return Problem(str(path), f"cannot be written ({error.strerror or error})", _REMEDY)


def problems_at(path: Path, temporary: Path, error: InputError) -> list[Problem]:
    """Return problems of files in the ``temporary`` folder under the path that they get at last."""
    return [replace(each, where=each.where.replace(str(temporary), str(path))) for each in error.problems]


def _room_error(path: Path) -> OSError | None:
    """Return the system's refusal to make ``path`` longer; ``None`` without one.

    Libraries report a full disk in words of their own, or only as a failure.
    """
    try:
        with path.open("ab") as file:
            file.write(bytes(_PROBE_BYTES))
    except OSError as error:
        return error if error.errno in _NO_ROOM else None
    return None


def _holds(path: Path, data: memoryview) -> bool:
    """Return whether the file holds ``data``, byte for byte."""
    data = data.cast("B")
    with path.open("rb") as file:
        for start in range(0, len(data), _CHUNK_BYTES):
            if file.read(_CHUNK_BYTES) != data[start : start + _CHUNK_BYTES]:
                return False
        return not file.read(1)


def _flush(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _flush_folder(path: Path) -> None:
    # Makes the new name survive a power cut; Windows cannot open folders and does not need it.
    if os.name != "posix":
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
