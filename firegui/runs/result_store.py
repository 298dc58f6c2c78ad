"""Rules for the folders of one kind of result: which one may be written to or resumed, and how headers are read."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Protocol, TypeVar

import msgspec

from firegui.errors import InputError, Problem
from firegui.io import atomic
from firegui.io.plain_words import plain_words
from firegui.runs.lock import FolderLock, held_problem, is_held
from firegui.runs.snapshot import add_missing_margin


class HeaderText(Protocol):
    """Header of a folder."""

    def text(self) -> str:
        """Return the text of the header's file."""


StoredHeader = TypeVar("StoredHeader", bound=HeaderText)
Kind = TypeVar("Kind")
FORMAT = 1
"""The format of every header."""


def check_writable(path: Path, thing: str, title: str) -> None:
    """Raise :class:`~firegui.errors.InputError` for a file, a protected folder or one that another run writes to.

    ``path`` need not exist yet; ``thing`` names the kind of result in messages: ``run``.
    """
    there = next((place for place in (path, *path.absolute().parents) if place.exists()), path)
    if there.exists() and not there.is_dir():
        raise InputError([Problem(str(there), "is a file", f"give a folder for the {thing}")], title)
    if there.exists() and not os.access(there, os.W_OK):
        raise InputError([Problem(str(there), "may not be written to", "give a folder you may write to")], title)
    if is_held(path):
        raise InputError([held_problem(path)], title)


@dataclass(frozen=True, slots=True)
class ResultStore(Generic[StoredHeader]):
    """Store of results of one kind; supports resume.

    ``one`` names the kind in messages: ``a benchmark``. ``header`` is the name of the header file, ``kind`` its type,
    ``again`` the remedy where it cannot be read. ``lost`` returns whether a new start would lose any of the files with
    the given names. ``title`` begins every error.
    """

    one: str
    header: str
    title: str
    kind: type[StoredHeader]
    again: str
    lost: Callable[[list[str]], bool] = lambda names: True

    @property
    def thing(self) -> str:
        """Name of the kind without its article."""
        return self.one.partition(" ")[2]

    def read(self, folder: Path) -> StoredHeader:
        """Read the header in ``folder``.

        Raises :class:`~firegui.errors.InputError` where it is missing, damaged or too new.
        """
        return read_header_file(folder / self.header, self.kind, FORMAT, self.again, self.title)

    def write(self, folder: Path, header: StoredHeader) -> None:
        """Replace the header in ``folder``."""
        atomic.write_text(folder / self.header, header.text())

    def read_json(self, path: Path, kind: type[Kind]) -> Kind:
        """Read a JSON file of a result as ``kind``.

        Raises :class:`~firegui.errors.InputError` where it is missing or damaged.
        """
        try:
            return msgspec.json.decode(path.read_bytes(), type=kind)
        except (OSError, ValueError, msgspec.MsgspecError) as error:
            raise self.unreadable(path, error) from error

    def unreadable(self, path: Path, error: Exception) -> InputError:
        """Return the refusal of a file of a result that cannot be read."""
        problem = Problem(str(path), f"cannot be read ({plain_words(error)})", self.again)
        return InputError([problem], self.title)

    def check(self, path: Path, resume: bool) -> StoredHeader | None:
        """Return the header of the result to resume in ``path``, ``None`` for a new result. Writes nothing.

        Raises :class:`~firegui.errors.InputError` for a folder with other files, one that would be overwritten, one a
        run has locked, or nothing to resume.
        """
        check_writable(path, self.thing, self.title)
        return self.found_in(path, resume)

    def found_in(self, path: Path, resume: bool) -> StoredHeader | None:
        """Return what :meth:`check` returns, without checking the lock, for the holder of the lock."""
        names = names_in(path)
        if not names and not resume:
            return None
        if not names:
            raise self._refusal(path, f"holds no {self.thing} to resume", "leave out --resume to begin one")
        if self.header not in names:
            raise self._refusal(path, f"is not empty and holds no {self.thing}", "give a new or empty folder")
        if resume:
            return self.read(path)
        if self.lost(names):
            raise self._refusal(path, f"holds {self.one}", "go on with it with --resume, or give another folder")
        return None

    def claim(self, path: Path, resume: bool, then: StoredHeader | None) -> FolderLock:
        """Lock the folder with :func:`claim`."""
        return claim(path, resume, then, self.found_in, self.title)

    def _refusal(self, path: Path, what: str, remedy: str) -> InputError:
        return InputError([Problem(str(path), what, remedy)], self.title)


def unused(path: Path, taken: Iterable[Path] = ()) -> Path:
    """Return ``path``, with a number appended to its name where it exists or is ``taken``."""
    used, found, number = set(taken), path, 1
    while found.exists() or found in used:
        number += 1
        found = path.with_name(f"{path.stem}-{number}{path.suffix}")
    return found


def names_in(path: Path) -> list[str]:
    """Return the names of the files in the folder without hidden ones, nothing where it does not exist.

    Hidden files come from file managers and interrupted writes.
    """
    return [entry.name for entry in path.iterdir() if not entry.name.startswith(".")] if path.exists() else []


def claim(
    path: Path, resume: bool, then: HeaderText | None, found_in: Callable[[Path, bool], HeaderText | None], title: str
) -> FolderLock:
    """Lock the folder ``path``, whose header was ``then`` when it was checked and still is by ``found_in``.

    Raises :class:`~firegui.errors.InputError` when another run was faster.
    """
    lock = FolderLock(path)
    try:
        there = found_in(path, resume)
        if (there and there.text()) != (then and then.text()):
            problem = Problem(str(path), "another run has just written to this folder", "look at it, then start again")
            raise InputError([problem], title)
    except InputError:
        lock.release()
        raise
    return lock


def read_header_file(path: Path, kind: type[Kind], newest: int, again: str, title: str) -> Kind:
    """Read the TOML file ``path`` as ``kind``, of format ``newest`` at most.

    Raises :class:`~firegui.errors.InputError` where it is missing, damaged or too new; ``again`` is the remedy.
    """
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
        if isinstance(raw.get("format"), int) and raw["format"] > newest:
            what = f"was written by a newer firegui (format {raw['format']})"
            raise InputError([Problem(str(path), what, "update firegui")], title)
        add_missing_margin(raw)
        return msgspec.convert(raw, kind)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise InputError([Problem(str(path), f"cannot be read ({plain_words(error)})", again)], title) from error
