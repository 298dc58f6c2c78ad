"""One writer for a folder, whichever process it is in.

The system holds the lock on ``FOLDER/.lock`` for the process that took it and lets go of it when that process ends,
however it ends: a lock is never stale, though the file may stay. What the file says is for people alone. On a file
system that cannot lock, work goes on without. ``filelock.FileLock`` would mark the folder with a file there, which a
process that is killed leaves behind: only its lock of an open file is used.
"""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

from filelock import lock_descriptor

from firegui.errors import InputError, Problem
from firegui.io.atomic import write_problem
from firegui.io.paths import LOCK, PROJECT_FILE, real_path

EDIT_LOCK = ".edit-lock"
"""Lock of a project's folder while the project is read, changed and saved. A window holds the other one throughout."""
_TITLE = "The run folder cannot be used"
_SOMEBODY = "another window"
# A list that looks whether a run is live holds the lock for a moment; that must not turn a run away.
_WAIT_S, _EVERY_S = 0.2, 0.05
_EDIT_WAIT_S = 10.0
# A link in the place of the lock would have another file emptied.
_OPEN = os.O_RDWR | getattr(os, "O_NOFOLLOW", 0)


class FolderLock:
    """The right to write a run folder, from the call until :meth:`release`."""

    def __init__(self, folder: Path, name: str = LOCK, wait_s: float = _WAIT_S, *, keeps_file: bool = True) -> None:
        """Make the folder and take its lock ``name``, within ``wait_s``; its file stays if it ``keeps_file``.

        Raises :class:`~firegui.errors.InputError` when it is held.
        """
        self._path, self._keeps_file = folder / name, keeps_file
        self._handle: int | None = None
        until = time.monotonic() + wait_s
        while not self._take(folder):
            if time.monotonic() >= until:
                raise InputError([held_problem(folder)], _TITLE)
            time.sleep(_EVERY_S)

    def _take(self, folder: Path) -> bool:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            handle = os.open(self._path, _OPEN | os.O_CREAT, 0o666)
        except OSError as error:
            raise InputError([write_problem(folder, error)], "The run cannot be saved") from error
        # The lock of a file that its last holder has removed by now is worth nothing.
        if _taken(handle) and (self._keeps_file or _is_file_of(handle, self._path)):
            self._handle = handle
            return True
        os.close(handle)
        return False

    def say(self, text: str) -> None:
        """Write ``text`` for programs that find the folder locked. A failure to write is ignored."""
        if self._handle is not None:
            with suppress(OSError):
                os.ftruncate(self._handle, 0)
                os.lseek(self._handle, 0, os.SEEK_SET)
                os.write(self._handle, text.encode())

    def release(self) -> None:
        """Let the folder go; a second call does nothing."""
        if self._handle is not None:
            if not self._keeps_file:
                with suppress(OSError):  # Windows does not remove an open file: it stays
                    self._path.unlink()
            os.close(self._handle)
            self._handle = None


@contextmanager
def editing(folder: Path) -> Iterator[None]:
    """Hold the right to read, change and save the project in ``folder``.

    No change of another program is lost. Another holder is waited for some seconds. Where there is no project yet, or
    no file can be made beside it, nothing is held. Raises :class:`~firegui.errors.InputError` that names a holder who
    does not end.
    """
    lock: FolderLock | None = None
    if (folder / PROJECT_FILE).is_file() and os.access(folder, os.W_OK):
        try:
            lock = FolderLock(folder, EDIT_LOCK, _EDIT_WAIT_S, keeps_file=False)
            lock.say(_word())
        except InputError:
            if is_held(folder, EDIT_LOCK):
                what = f"is being changed by {said(folder, EDIT_LOCK) or 'another program'}"
                problem = Problem(str(folder), what, "wait until that has ended, then try again")
                raise InputError([problem], "The project was not changed") from None
    try:
        yield
    finally:
        if lock is not None:
            lock.release()


def is_held(folder: Path, name: str = LOCK) -> bool:
    """Return whether any process holds the lock ``name`` of ``folder`` at the moment."""
    try:
        handle = os.open(folder / name, _OPEN)
    except OSError:
        return False
    try:
        return not _taken(handle)
    finally:
        os.close(handle)


def said(folder: Path, name: str = LOCK) -> str:
    """Return the text that the holder of ``folder`` left; empty without one that can be read."""
    try:
        return (folder / name).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""


def held_problem(folder: Path) -> Problem:
    """Return the problem of a folder that :func:`is_held`, for a run that would write to it."""
    return Problem(str(folder), "another run is writing this folder", "wait for it or choose another folder")


def _is_file_of(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except OSError:
        return False


def _taken(handle: int) -> bool:
    """Take the lock of an open file; ``False`` where another opening of it has it."""
    try:
        return lock_descriptor(handle, blocking=False)
    except OSError:
        return True


class ProjectLock:
    """Lock of a project's folder. :meth:`take` another, or :meth:`release` it, when the project closes."""

    def __init__(self) -> None:
        self._folder: Path | None = None
        self._lock: FolderLock | None = None

    @property
    def folder(self) -> Path | None:
        """What is held."""
        return self._folder if self._lock is not None else None

    def holder_of(self, folder: Path) -> str:
        """Return the name of the other holder of the project in ``folder``, empty for none."""
        if self._is_ours(folder) or not is_held(folder):
            return ""
        return said(folder) or _SOMEBODY

    def take(self, folder: Path) -> bool:
        """Lock ``folder`` and release the last one. Return ``False`` where another window was faster.

        A folder that may not be written to, or lies where nothing can be locked, needs no holding: then nothing is
        held, and the answer is yes.
        """
        if self._is_ours(folder):
            return True
        lock: FolderLock | None = None
        if folder.is_dir() and os.access(folder, os.W_OK):
            with suppress(InputError):
                lock = FolderLock(folder)
                lock.say(_word())
        if lock is None and is_held(folder):
            return False
        self.release()
        self._lock, self._folder = lock, real_path(folder)
        return True

    def release(self) -> None:
        """Let go; a second call does nothing."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def _is_ours(self, folder: Path) -> bool:
        return self.folder is not None and self.folder == real_path(folder)


def _word() -> str:
    """Return ``process 4711 on host, since 14:24 on 19 Aug``."""
    now = datetime.now()
    return f"process {os.getpid()} on {platform.node() or 'this computer'}, since {now:%H:%M} on {now.day} {now:%b}"
