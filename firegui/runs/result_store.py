"""Folders of saved results: whether one may be written or resumed, its header, lock and elapsed time."""

from __future__ import annotations

import os
import time
import tomllib
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from firegui.errors import InputError, Problem, Problems
from firegui.io import atomic
from firegui.io.source_files import file_problem, outside_problem
from firegui.io.toml import plain_words, too_large_numbers
from firegui.runs.checksums import DIFFERS, differs
from firegui.runs.header import FORMAT, SavedHeader, now
from firegui.runs.lock import FolderLock, held_problem, is_held
from firegui.runs.snapshot import add_missing_settings

StoredHeader = TypeVar("StoredHeader", bound=SavedHeader)
Kind = TypeVar("Kind")


def check_writable(path: Path, thing: str, title: str) -> None:
    """Raise :class:`~firegui.errors.InputError` for a folder that cannot be written to, or is in use.

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
    the given names. ``title`` begins every error. ``upgrade`` completes a header of an earlier version.
    """

    one: str
    header: str
    title: str
    kind: type[StoredHeader]
    again: str
    lost: Callable[[list[str]], bool] = lambda names: True
    upgrade: Callable[[dict[str, Any]], object] = add_missing_settings

    @property
    def thing(self) -> str:
        """Name of the kind without its article."""
        return self.one.partition(" ")[2]

    def read(self, folder: Path) -> StoredHeader:
        """Read the header in ``folder``.

        Raises :class:`~firegui.errors.InputError` where it is missing, damaged or too new.
        """
        try:
            check_entries(folder)
            return read_header(folder / self.header, self.kind, self.again, self.upgrade)
        except InputError as error:
            raise InputError(error.problems, self.title) from error

    def write(self, folder: Path, header: StoredHeader) -> None:
        """Replace the header in ``folder``."""
        atomic.write_text(folder / self.header, header.text())

    def read_json(self, path: Path, kind: type[Kind]) -> Kind:
        """Read a JSON file of a result as ``kind``.

        Raises :class:`~firegui.errors.InputError` where it is missing or damaged.
        """
        try:
            return msgspec.json.decode(path.read_bytes(), type=kind)
        except (OSError, ValueError, RecursionError, msgspec.MsgspecError) as error:
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
            raise self._refusal(path, f"holds no {self.thing} to resume", f"{self._begin} one (without --resume)")
        if self.header not in names:
            raise self._refusal(path, f"is not empty and {self._absent}", "give a new or empty folder")
        if resume:
            return self.read(path)
        if text := self._loss(path, names):
            raise self._refusal(path, text, self._instead(path))
        return None

    def claim(self, path: Path, resume: bool, then: StoredHeader | None, title: str = "") -> FolderLock:
        """Lock the folder ``path``, whose header was ``then`` when it was checked and still is.

        Raises :class:`~firegui.errors.InputError` with ``title``, or its own, when another run was faster.
        """
        lock = FolderLock(path)
        try:
            there = self.found_in(path, resume)
            if (there and there.text()) != (then and then.text()):
                what, remedy = "another run has just written to this folder", "look at it, then start again"
                raise InputError([Problem(str(path), what, remedy)], title or self.title)
        except InputError:
            lock.release()
            raise
        return lock

    # -- hooks -------------------------------------------------------------------------------------------------------
    @property
    def _begin(self) -> str:
        """Verb of a new start."""
        return "begin"

    @property
    def _absent(self) -> str:
        """What is said of a folder with other files."""
        return f"holds no {self.thing}"

    def _loss(self, path: Path, names: list[str]) -> str:
        """Return what a new start in the folder ``path`` with these files would lose; empty for nothing."""
        return f"holds {self.one}" if self.lost(names) else ""

    def _instead(self, path: Path) -> str:
        """Return what to do instead of a new start in the folder ``path``."""
        return "resume it (--resume), or give another folder"

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


def check_entries(folder: Path) -> None:
    """Raise :class:`~firegui.errors.InputError` where a result has links out of it, pipes or devices."""
    entries: list[Path] = []
    with suppress(OSError):  # a folder that is not there or cannot be listed: its header says so
        entries = sorted(folder.iterdir())
    problems = Problems()
    for entry in entries:
        problem = outside_problem(entry, folder) if entry.is_symlink() else None
        if problem is None and entry.exists() and not entry.is_dir() and not entry.is_file():
            problem = file_problem(entry)
        problems.extend([] if problem is None else [problem])
    problems.raise_if_any()


def read_toml(
    path: Path,
    kind: type[Kind],
    newest: int,
    again: str,
    upgrade: Callable[[dict[str, Any]], object] = lambda raw: None,
) -> Kind:
    """Read the TOML file ``path`` as ``kind``, of format ``newest`` at most, completed by ``upgrade``.

    Raises :class:`~firegui.errors.InputError` where it is missing, damaged or too new; ``again`` is the remedy.
    """
    try:
        text = path.read_text(encoding="utf-8")
        if differs(text):
            raise InputError([Problem(str(path), DIFFERS, again)])
        raw = tomllib.loads(text)
        if isinstance(raw.get("format"), int) and raw["format"] > newest:
            what = f"was written by a newer firegui (format {raw['format']})"
            raise InputError([Problem(str(path), what, "update firegui")])
        wrong = [Problem(str(path), what, again) for what in too_large_numbers(raw)]
        if wrong:
            raise InputError(wrong)
        upgrade(raw)
        return msgspec.convert(raw, kind)
    except (OSError, ValueError, RecursionError, msgspec.ValidationError) as error:
        raise InputError([Problem(str(path), f"cannot be read ({plain_words(error)})", again)]) from error


def read_header(
    path: Path, kind: type[StoredHeader], again: str, upgrade: Callable[[dict[str, Any]], object] = lambda raw: None
) -> StoredHeader:
    """Read the header of a result as :func:`read_toml` does.

    Raises :class:`~firegui.errors.InputError`, for a project whose size and dates no result can have, too.
    """
    header = read_toml(path, kind, FORMAT, again, upgrade)
    wrong = [replace(each, where=f"{path}, project") for each in header.project.problems()]
    if wrong:
        raise InputError(wrong, "The result cannot be read")
    return header


class ResultFolder(Generic[StoredHeader]):
    """The one writer of the folder of a result. It has the lock from :meth:`claim` to :meth:`close`."""

    def __init__(self, store: ResultStore[StoredHeader], path: Path, resume: bool) -> None:
        self.path = path
        self._store, self._resume = store, resume
        self._lock: FolderLock | None = None
        self._header: StoredHeader | None = None

    @property
    def header(self) -> StoredHeader:
        """Header of the result. Valid after :meth:`claim`."""
        assert self._header is not None
        return self._header

    def claim(self, then: StoredHeader | None, header: StoredHeader, title: str = "") -> None:
        """Lock the folder, whose header was ``then`` when it was checked. Nothing is written yet.

        Raises :class:`~firegui.errors.InputError` as :meth:`ResultStore.claim` does.
        """
        self._lock = self._store.claim(self.path, self._resume, then, title)
        self._header = header

    def write_header(self) -> None:
        """Write the header as it is."""
        self._store.write(self.path, self.header)

    def update(self, **changes: Any) -> None:
        """Change fields of the header and write it."""
        self._header = replace(self.header, updated=now(), **changes)
        self.write_header()

    def close(self) -> None:
        """Unlock the folder. Nothing is written to it afterwards."""
        if self._lock is not None:
            self._lock.release()


class SavedResultFolder(ResultFolder[StoredHeader]):
    """Folder of the result of an analysis, checked before the run; its header follows state and time."""

    def __init__(self, store: ResultStore[StoredHeader], path: Path, resume: bool) -> None:
        super().__init__(store, path, resume)
        self._began = time.monotonic()

    @property
    def written(self) -> Path | None:
        """The folder, once it was claimed."""
        return None if self._header is None else self.path

    @property
    def seconds(self) -> float:
        """Elapsed seconds of all sessions, this one included."""
        return self.header.seconds + time.monotonic() - self._began

    def checked(
        self, lacks: Iterable[Problem], unlike: Callable[[StoredHeader], Iterable[Problem]]
    ) -> StoredHeader | None:
        """Return the header of the result to resume, ``None`` for a new one. Writes nothing.

        ``lacks`` are problems of the input; ``unlike`` returns what keeps the result from being resumed. Raises
        :class:`~firegui.errors.InputError` listing all problems.
        """
        problems = Problems()
        problems.extend(lacks)
        then = None
        try:
            then = self._store.check(self.path, self._resume)
        except InputError as error:
            problems.extend(error.problems)
        if then is not None and not problems:
            problems.extend(unlike(then))
        problems.raise_if_any(self._store.title)
        return then

    def update(self, **changes: Any) -> None:
        """Change fields of the header, its time among them, and write it.

        The reason and the message are emptied unless they are given.
        """
        seconds, self._began = self.seconds, time.monotonic()
        super().update(**{"reason": None, "message": "", "seconds": seconds, **changes})

    def remove(self, *patterns: str) -> None:
        """Remove files of an earlier session that match. Files that cannot be removed stay."""
        for path in (path for pattern in patterns for path in self.path.glob(pattern)):
            with suppress(OSError):
                path.unlink()

    def rest(self, seconds: float) -> None:
        """Leave ``seconds`` of a pause out of the elapsed time."""
        self._began += seconds
