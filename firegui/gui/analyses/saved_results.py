"""Lists of the saved results of an analysis in the open project, and export of their files."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any, ClassVar, Generic, Self, TypeVar

from firegui.errors import InputError, Problem
from firegui.io.atomic import problems_at, write_bytes, write_problem
from firegui.io.paths import real_path
from firegui.io.project.store import result_folders
from firegui.io.toml import plain_words
from firegui.runs.header import SavedHeader
from firegui.runs.lock import is_held
from firegui.runs.result_store import ResultStore
from firegui.runs.stages import FinishReason

Header = TypeVar("Header", bound=SavedHeader)


@dataclass(frozen=True, slots=True)
class SavedResult(Generic[Header]):
    """Saved result in a project's folder. ``is_held``: a process is writing to it."""

    folder: Path
    header: Header
    is_held: bool

    @property
    def label(self) -> str:
        """Kind and size of the result."""
        raise NotImplementedError

    @property
    def is_complete(self) -> bool:
        """Whether everything that was requested is done."""
        raise NotImplementedError

    @property
    def has_result(self) -> bool:
        """Whether there is a result to show."""
        return True

    def can_resume(self, settings: Any = None) -> bool:
        """Return whether the run can continue, with ``settings`` that may extend it."""
        return not self.is_held and not self.is_complete

    def title(self, today: date) -> str:
        """Time and label, for a list."""
        when = self.header.started.astimezone()
        clock = f"{when:%H:%M:%S}" if when.date() == today else f"{when.day} {when:%b %H:%M}"
        return f"{clock} · {self.label}"


@dataclass(frozen=True, slots=True)
class TabulatedResult(SavedResult[Header]):
    """Saved result with a table, ``table_file``, written from the first finished part on."""

    table_file: ClassVar[str]
    has_table: bool

    @property
    def subject(self) -> str:
        """Subject of the table."""
        raise NotImplementedError

    @property
    def label(self) -> str:
        """Subject, and whether a part is missing."""
        return f"{self.subject}{' · unfinished' if self.can_resume() else ''}"

    @property
    def is_complete(self) -> bool:
        """Whether every part is done."""
        return self.header.reason is FinishReason.COMPLETED

    @property
    def has_result(self) -> bool:
        """Whether there is a table to show."""
        return self.has_table

    @classmethod
    def load(cls, folder: Path, header: Header, is_held: bool) -> Self | None:
        """Return the result in ``folder``, ``None`` if there is nothing to show or to resume."""
        saved = cls(folder, header, is_held, (folder / cls.table_file).is_file())
        return saved if saved.has_table or saved.can_resume() else None


Saved = TypeVar("Saved", bound=SavedResult[Any])


class SavedResults(Generic[Saved]):
    """Saved results of one kind, each in a folder of ``directory`` in the project's folder.

    ``load`` makes a saved result from a folder, its header and whether it is held. It returns ``None`` to leave the
    folder out.
    """

    def __init__(
        self, directory: str, store: ResultStore[Any], load: Callable[[Path, Any, bool], Saved | None]
    ) -> None:
        self.directory, self.store, self._load = directory, store, load

    def in_project(self, project_folder: Path | None) -> tuple[Saved, ...]:
        """Return the results, the latest first. Unreadable ones are left out."""
        found = []
        for folder in [] if project_folder is None else result_folders(project_folder, self.directory):
            with suppress(InputError):
                saved = self._load(folder, self.store.read(folder), is_held(folder))
                found += [] if saved is None else [saved]
        return tuple(sorted(found, key=lambda each: (each.header.started, each.folder.name), reverse=True))

    def new_folder(self, project_folder: Path, now: datetime, ending: str) -> Path:
        """Return ``YYYYMMDD-HHMMSS-ending``, numbered if it exists. The folder is not created."""
        base = project_folder / self.directory / f"{now:%Y%m%d-%H%M%S}-{ending}"
        folder, count = base, 1
        while folder.exists():
            count += 1
            folder = base.with_name(f"{base.name}-{count}")
        return folder


# -- copies of the files of a result ----------------------------------------------------------------------------------
def result_files(folder: Path, suffixes: Sequence[str], store: ResultStore[Any]) -> tuple[Path, ...]:
    """Return the tables and figures in ``folder``, and its header.

    Raises :class:`InputError` if the folder cannot be listed, for example because it was deleted or unmounted.
    """
    try:
        found = sorted(path for path in folder.iterdir() if path.is_file() and path.suffix in suffixes)
    except OSError as error:
        raise InputError([_lost_problem(folder, error, store.thing)], _refusal_title(store.thing)) from error
    return (*(path for path in found if not path.name.startswith(".")), folder / store.header)


def copy_files(files: Sequence[Path], out: Path, own: Path, thing: str) -> tuple[str, ...]:
    """Copy ``files`` of the ``thing`` in the folder ``own`` to ``out``, all or none; return their names.

    Raises :class:`InputError` if ``out`` is ``own``, for every file that cannot be read, and if ``out`` cannot be
    written. Each file must fit into memory.
    """
    title = _refusal_title(thing)
    if real_path(out) == real_path(own):
        raise InputError([Problem(str(out), f"is the {thing}'s own folder", "choose another one")], title)
    try:
        with tempfile.TemporaryDirectory(prefix=".export-", dir=out) as waiting:
            try:
                lost = [problem for path in files if (problem := _copy(path, Path(waiting), thing)) is not None]
            except InputError as error:
                raise InputError(problems_at(out, Path(waiting), error), title) from error
            if lost:
                raise InputError(lost, title)
            for path in files:
                os.replace(Path(waiting) / path.name, out / path.name)
    except OSError as error:
        raise InputError([write_problem(out, error)], title) from error
    return tuple(path.name for path in files)


def _refusal_title(thing: str) -> str:
    return f"The {thing} was not exported"


def _lost_problem(path: Path, error: OSError, thing: str) -> Problem:
    remedy = f"bring it back (or the disk it was on), or open another {thing}"
    return Problem(str(path), f"cannot be read any more ({plain_words(error)})", remedy)


def _copy(path: Path, folder: Path, thing: str) -> Problem | None:
    """Copy a file to ``folder``. Return why it cannot be read: that is not a problem of the folder."""
    try:
        content = path.read_bytes()
    except OSError as error:
        return _lost_problem(path, error, thing)
    write_bytes(folder / path.name, content)
    return None
