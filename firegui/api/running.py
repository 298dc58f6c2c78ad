"""Runs of the Python interface: execution, the folder of the result, and the saved result."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from firegui.api.python_words import python_interface
from firegui.domain.project import Project
from firegui.errors import CancelledError, FireguiError, InputError, RunFailedError
from firegui.io.atomic import new_folder
from firegui.runs.command import RepeatableSpec, repeat_command
from firegui.runs.control import RunControl
from firegui.runs.events import Emit, RunEvent, RunFinished
from firegui.runs.result_store import ResultStore, check_writable
from firegui.runs.runner import execute
from firegui.runs.spec import RunSpec
from firegui.runs.stages import FinishReason

Result = TypeVar("Result", bound=RunEvent)


def ignore_event(event: RunEvent) -> None:
    """Ignore an event."""


def run_spec(
    spec: RunSpec,
    kind: type[Result],
    progress: Emit | None = None,
    cancel: RunControl | None = None,
    execute: Callable[[Any, Emit, RunControl], None] = execute,
) -> tuple[Result | None, RunFinished]:
    """Run ``spec`` in this thread. Return the last event of ``kind``, if any, and how the run ended.

    ``progress`` receives every event. ``cancel`` stops the run. A failed run raises nothing: see :func:`refusal`.
    """
    show = progress or ignore_event
    found: list[Result] = []
    ends: list[RunFinished] = []

    def emit(event: RunEvent) -> None:
        show(event)
        if isinstance(event, RunFinished):
            ends.append(event)
        if isinstance(event, kind):
            found[:] = [event]

    execute(spec, emit, cancel or RunControl())
    return (found[0] if found else None), ends[-1]


def refusal(finished: RunFinished, title: str) -> FireguiError:
    """Return the error of a run that ended without a result; ``title`` begins that of bad input."""
    if finished.problems:
        return InputError(finished.problems, title)
    kind = CancelledError if finished.reason is FinishReason.STOPPED else RunFailedError
    return kind(finished.message)


@dataclass(frozen=True, slots=True)
class ReadyRun:
    """Run whose inputs were read.

    ``source`` is the file of an observed perimeter. ``is_repeatable`` says that a command can repeat the run: its
    project and its schedule are files.
    """

    spec: Any
    source: Path | None = None
    is_repeatable: bool = True

    def with_command(self) -> ReadyRun:
        """Return the run with the command that repeats it, empty where none can."""
        return replace(self, spec=replace(self.spec, command=self.command(self.spec.out)))

    def command(self, out: Path) -> str:
        """Return the command that repeats the run into ``out``."""
        spec: RepeatableSpec = replace(self.spec, out=out)
        return repeat_command(spec, self.source) if self.is_repeatable else ""


# -- folders -----------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class RunPlace:
    """Folder that a run writes to. ``is_kept`` is false for one that is removed after the call."""

    folder: Path
    is_kept: bool

    @property
    def kept(self) -> Path | None:
        """The folder, ``None`` where it is removed."""
        return self.folder if self.is_kept else None

    def content(self) -> FolderContent | None:
        """Return the files of a folder that is removed."""
        return None if self.is_kept else FolderContent.read(self.folder)


@contextmanager
def run_place(out: str | Path | None) -> Iterator[RunPlace]:
    """Yield the folder ``out``, or a temporary one that is removed at the end."""
    if out is not None:
        yield RunPlace(Path(out), is_kept=True)
        return
    with tempfile.TemporaryDirectory(prefix="firegui-", ignore_cleanup_errors=True) as place:
        yield RunPlace(Path(place) / "run", is_kept=False)


@dataclass(frozen=True, slots=True, eq=False)
class FolderContent:
    """Files of a folder by their paths in it."""

    files: dict[str, bytes]

    @staticmethod
    def read(folder: Path) -> FolderContent:
        """Read every file below ``folder``, hidden ones aside."""
        paths = sorted(path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("."))
        return FolderContent({path.relative_to(folder).as_posix(): path.read_bytes() for path in paths})

    def write(self, folder: Path) -> None:
        """Write the files below ``folder``."""
        for name, data in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SavedRunResult:
    """Base class of results that a command saves in a folder.

    ``project`` is the project of the run. ``reason`` says why the run ended and ``message`` is that for people.
    ``seconds`` are the elapsed time of all sessions, ``backend`` and ``device`` what computed. ``folder`` is the folder
    of the result, ``None`` where none was given; :meth:`save` then writes it.
    """

    store: ClassVar[ResultStore[Any]]

    project: Project = field(repr=False)
    reason: FinishReason
    message: str
    seconds: float
    backend: str
    device: str
    folder: Path | None
    run: ReadyRun = field(repr=False)
    content: FolderContent | None = field(default=None, repr=False)

    @python_interface
    def save(self, folder: str | Path) -> Path:
        """Write the result as the new folder ``folder``, as the command line writes it, and return its path.

        The folder holds all of the result or does not appear. Raises :class:`~firegui.errors.InputError` where it
        exists and is not empty, or cannot be written.
        """
        place, store = Path(folder), self.store
        check_writable(place, store.thing, store.title)
        store.check(place, resume=False)
        with new_folder(place) as temporary:
            if self.content is not None:
                self.content.write(temporary)
            elif self.folder is not None:
                shutil.copytree(self.folder, temporary, ignore=shutil.ignore_patterns(".*"), dirs_exist_ok=True)
            header = store.read(temporary)
            store.write(temporary, replace(header, command=self.run.command(place)))
        return place


@contextmanager
def result_folder(source: SavedRunResult | str | Path) -> Iterator[Path]:
    """Yield the folder of a result, written to a temporary one where it has none."""
    if not isinstance(source, SavedRunResult):
        yield Path(source)
    elif source.folder is not None:
        yield source.folder
    else:
        with run_place(None) as place:
            yield source.save(place.folder)
