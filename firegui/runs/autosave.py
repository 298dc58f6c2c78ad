"""Autosave outside of projects: the edits of an open project, and the runs that worked on it.

Each window has a slot of its own in one place, and holds it while it lives::

    PLACE/SLOT/.lock          held by the window; a slot without a lock was left behind
    PLACE/SLOT/open.toml      what was open there, written last
    PLACE/SLOT/edits/         project.toml as edited, and weights that the project's own folder does not have
    PLACE/SLOT/base.firegui/  the whole project as it came in, where it was never saved

So a save stays what a person decides, and what was done since is there all the same when the program was killed.
"""

from __future__ import annotations

import shutil
import uuid
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from firegui.domain.project import Project
from firegui.errors import InputError, Problem
from firegui.io.atomic import write_text
from firegui.io.paths import PROJECT_FILE, real_path
from firegui.io.project.store import holds_edits, load_project, read_edits, save_project, write_edits
from firegui.runs.header import header_text, now
from firegui.runs.lock import FolderLock, is_held
from firegui.runs.result_store import names_in, read_toml

FORMAT = 1
OPEN, EDITS, BASE = "open.toml", "edits", "base.firegui"


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenNote:
    """``open.toml``: the ``name`` of the project, its ``folder`` (empty: never saved), the last edit.

    ``edits`` says that there are some. ``runs`` are the folders of the runs at work and ``waiting`` is how many more
    stood in the queue.
    """

    format: int = FORMAT
    name: str
    folder: str = ""
    edited: datetime
    edits: bool = False
    runs: tuple[str, ...] = ()
    waiting: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class AutosaveState:
    """State to autosave: the ``project`` as it is, as ``opened`` or saved last, and its folder."""

    project: Project
    opened: Project
    folder: Path | None
    edits: bool
    runs: tuple[Path, ...] = ()
    waiting: int = 0


class AutosaveSlot:
    """The place of one window. Nothing is there before :meth:`keep`. One thread at a time."""

    def __init__(self, place: Path, path: Path | None = None) -> None:
        """Make a new slot in ``place``, or take over the one in ``path`` that was left behind.

        Raises :class:`~firegui.errors.InputError` where another window was faster.
        """
        self.path = path if path is not None else place / uuid.uuid4().hex[:12]
        self._lock = FolderLock(self.path) if path is not None else None
        self._based_on: Project | None = None

    def keep(self, what: AutosaveState) -> None:
        """Keep this in place of what was kept. Raises :class:`~firegui.errors.InputError` where it cannot be."""
        if self._lock is None:
            self._lock = FolderLock(self.path)
        base = what.folder
        if base is None:
            base = self._whole(what.opened)
        elif self._based_on is not None:
            self._drop_base()
        if what.edits:
            (self.path / EDITS).mkdir(parents=True, exist_ok=True)
            write_edits(what.project, base, self.path / EDITS)
        folder = "" if what.folder is None else str(real_path(what.folder))
        runs = tuple(str(real_path(each)) for each in what.runs)
        note = OpenNote(
            name=what.project.scenario.name, folder=folder, edited=now(), edits=what.edits, runs=runs,
            waiting=what.waiting,
        )  # fmt: skip
        write_text(self.path / OPEN, header_text(note))

    def note_base(self, opened: Project) -> None:
        """Note that the project in the slot, if there is one, is ``opened``."""
        self._based_on = opened if (self.path / BASE).is_dir() else None

    def clear(self) -> None:
        """There is nothing to keep."""
        if self._lock is not None:
            # The note goes first: without it half of the rest is not offered.
            with suppress(OSError):
                (self.path / OPEN).unlink(missing_ok=True)
            shutil.rmtree(self.path / EDITS, ignore_errors=True)
            self._drop_base()

    def remove(self) -> None:
        """There is nothing to keep any more, ever."""
        self.clear()
        self.release()
        shutil.rmtree(self.path, ignore_errors=True)

    def release(self) -> None:
        """Let go of it and leave what it holds to the next start."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def _whole(self, opened: Project) -> Path:
        """Write the project as it came in, once."""
        base = self.path / BASE
        known = self._based_on
        if known is None or known.scenario is not opened.scenario or known.maps is not opened.maps:
            self._drop_base()
            save_project(opened, base)
            self._based_on = opened
        return base

    def _drop_base(self) -> None:
        self._based_on = None
        shutil.rmtree(self.path / BASE, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class RecoverableProject:
    """A slot that was left behind."""

    path: Path
    note: OpenNote

    @property
    def folder(self) -> Path | None:
        """Where the project is kept; ``None`` for one that never was."""
        return Path(self.note.folder) if self.note.folder else None

    @property
    def base(self) -> Path:
        """The folder that holds the project's event."""
        return self.folder or self.path / BASE

    @property
    def has_edits(self) -> bool:
        """Whether there are edits that are not saved."""
        return self.note.edits and holds_edits(self.base, self.path / EDITS)

    @property
    def saved_since(self) -> bool:
        """Whether the project was saved after the last edit that was kept."""
        try:
            saved = (self.base / PROJECT_FILE).stat().st_mtime
        except OSError:
            return False
        return self.folder is not None and saved > self.note.edited.timestamp() + 1.0

    @property
    def runs(self) -> tuple[Path, ...]:
        """The folders of the runs that were at work, as far as those wrote anything."""
        return tuple(Path(each) for each in self.note.runs if names_in(Path(each)))

    @property
    def is_of_use(self) -> bool:
        """Whether anything would be lost with it."""
        never_saved = self.folder is None and (self.base / PROJECT_FILE).is_file()
        return never_saved or self.has_edits or bool(self.runs)

    def read(self) -> tuple[Project, Project]:
        """Return the project as saved last (or as it came in) and as edited; one value without edits.

        Raises :class:`~firegui.errors.InputError`.
        """
        saved = load_project(self.base)
        return saved, read_edits(saved, self.base, self.path / EDITS) if self.has_edits else saved


def recoverable_projects(place: Path) -> list[RecoverableProject]:
    """Return what earlier windows left in ``place``, the latest first. Useless slots are removed."""
    found = []
    for path in sorted(place.iterdir()) if place.is_dir() else []:
        if not path.is_dir() or is_held(path):
            continue
        left = _left(path)
        if left is not None and left.is_of_use:
            found.append(left)
        elif left is not None or not (path / OPEN).exists():
            shutil.rmtree(path, ignore_errors=True)
    return sorted(found, key=lambda left: left.note.edited, reverse=True)


def _left(path: Path) -> RecoverableProject | None:
    """Return the slot in ``path``; ``None`` for an unknown one, or one of a newer firegui."""
    try:
        return RecoverableProject(path, read_toml(path / OPEN, OpenNote, FORMAT, "look into the folder"))
    except InputError:
        return None


def recovery_gone_error(left: RecoverableProject) -> InputError:
    """Return the problem of a slot that another window has just taken."""
    problem = Problem(left.note.name, "is being recovered in another window", "look there")
    return InputError([problem], "The project was not recovered")
