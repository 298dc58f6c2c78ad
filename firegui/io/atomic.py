"""Files that are either the old ones or the complete new ones, never half-written."""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec

from firegui.errors import InputError, Problem

_REMEDY = "check that the folder exists, has room, and that you may write to it"


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary sibling to write.

    On success it takes the place of ``path``, on failure it is removed. Raises :class:`InputError` where the system
    refuses to write.
    """
    temporary = sibling(path)
    try:
        yield temporary
        _flush(temporary)
        os.replace(temporary, path)
        _flush_folder(path.parent)
    except OSError as error:
        raise InputError([write_problem(path, error)], "Nothing was written") from error
    finally:
        # It may never have been there, or its folder be none; that must not hide what went wrong.
        with suppress(OSError):
            temporary.unlink()


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
    except OSError as error:
        raise InputError([write_problem(path, error)], "Nothing was written") from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def write_text(path: Path, text: str) -> None:
    """Write ``text`` as UTF-8, atomically, line ends as they are."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="")


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
    return Problem(str(path), f"cannot be written ({error.strerror or error})", _REMEDY)


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
