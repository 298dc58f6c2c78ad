"""What runs of any kind ask of their folder: whether they may write there, what lies there, what it says of itself."""

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


class HeaderText(Protocol):
    """What a folder says of itself."""

    def text(self) -> str:
        """As its file has it."""


StoredHeader = TypeVar("StoredHeader", bound=HeaderText)
Kind = TypeVar("Kind")
FORMAT = 1
"""The format of every header."""


def check_writable(path: Path, thing: str, title: str) -> None:
    """Raise :class:`~firegui.errors.InputError` for a file, for what may not be written, and for one being written.

    ``path`` need not exist yet; ``thing`` is what is to be kept there, for people: ``run``.
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
    """Folders in which things of one kind are made, and gone on with.

    ``one`` is such a thing, for people: ``a benchmark``. ``header`` is the file that says what it is, a ``kind``, and
    ``again`` what to do where that cannot be read. ``lost`` says, given the names of what lies there, whether beginning
    anew would lose any of it. ``title`` begins every refusal.
    """

    one: str
    header: str
    title: str
    kind: type[StoredHeader]
    again: str
    lost: Callable[[list[str]], bool] = lambda names: True

    @property
    def thing(self) -> str:
        """Without its article."""
        return self.one.partition(" ")[2]

    def read(self, folder: Path) -> StoredHeader:
        """The header in ``folder``.

        Raises :class:`~firegui.errors.InputError` where it is missing, damaged or too new.
        """
        return read_header_file(folder / self.header, self.kind, FORMAT, self.again, self.title)

    def write(self, folder: Path, header: StoredHeader) -> None:
        """Replace the header in ``folder``."""
        atomic.write_text(folder / self.header, header.text())

    def check(self, path: Path, resume: bool) -> StoredHeader | None:
        """What the one in ``path`` that is to be gone on with says of itself, ``None`` for a new one. Writes nothing.

        Raises :class:`~firegui.errors.InputError` for a folder with something else in it, one that would be
        overwritten, one that is at work, or nothing to resume.
        """
        check_writable(path, self.thing, self.title)
        return self.found_in(path, resume)

    def found_in(self, path: Path, resume: bool) -> StoredHeader | None:
        """What :meth:`check` finds, for whoever holds the folder's lock and so need not ask whether it is held."""
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
        """See :func:`claim`."""
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
    """What lies in the folder, if it is there, without hidden files.

    Those are nobody's work: file managers leave them, and so does a write that was cut short.
    """
    return [entry.name for entry in path.iterdir() if not entry.name.startswith(".")] if path.exists() else []


def claim(
    path: Path, resume: bool, then: HeaderText | None, found_in: Callable[[Path, bool], HeaderText | None], title: str
) -> FolderLock:
    """The lock of the folder ``path``, which held ``then`` when it was checked, and still does by ``found_in``.

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
    """The TOML file ``path`` as ``kind``, of format ``newest`` at most.

    Raises :class:`~firegui.errors.InputError` where it is missing, damaged or too new; ``again`` is what to do then.
    """
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
        if isinstance(raw.get("format"), int) and raw["format"] > newest:
            what = f"was written by a newer firegui (format {raw['format']})"
            raise InputError([Problem(str(path), what, "update firegui")], title)
        return msgspec.convert(raw, kind)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise InputError([Problem(str(path), f"cannot be read ({plain_words(error)})", again)], title) from error
