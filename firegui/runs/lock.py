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
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from filelock import lock_descriptor

from firegui.errors import InputError, Problem
from firegui.io.atomic import write_problem

LOCK = ".lock"
_TITLE = "The run folder cannot be used"
_SOMEBODY = "another window"
# A list that looks whether a run is live holds the lock for a moment; that must not turn a run away.
_TRIES, _WAIT_SECONDS = 5, 0.05


class FolderLock:
    """The right to write a run folder, from the call until :meth:`release`."""

    def __init__(self, folder: Path) -> None:
        """Make the folder and take its lock. Raises :class:`~firegui.errors.InputError` when it is held."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._handle: int | None = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise InputError([write_problem(folder, error)], "The run cannot be saved") from error
        for attempt in range(_TRIES):
            if _taken(self._handle):
                return
            if attempt + 1 < _TRIES:
                time.sleep(_WAIT_SECONDS)
        self.release()
        raise InputError([held_problem(folder)], _TITLE)

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
            os.close(self._handle)
            self._handle = None


def is_held(folder: Path) -> bool:
    """Return whether a run of any process is writing ``folder`` at the moment."""
    try:
        handle = os.open(folder / LOCK, os.O_RDWR)
    except OSError:
        return False
    try:
        return not _taken(handle)
    finally:
        os.close(handle)


def said(folder: Path) -> str:
    """Return the text that the holder of ``folder`` left; empty without one that can be read."""
    try:
        return (folder / LOCK).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""


def held_problem(folder: Path) -> Problem:
    """Return the problem of a folder that :func:`is_held`, for a run that would write to it."""
    return Problem(str(folder), "another run is writing this folder", "wait for it or choose another folder")


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
        self._lock, self._folder = lock, folder.resolve()
        return True

    def release(self) -> None:
        """Let go; a second call does nothing."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def _is_ours(self, folder: Path) -> bool:
        return self.folder is not None and self.folder == folder.resolve()


def _word() -> str:
    """Return ``process 4711 on host, since 14:24 on 19 Aug``."""
    now = datetime.now()
    return f"process {os.getpid()} on {platform.node() or 'this computer'}, since {now:%H:%M} on {now.day} {now:%b}"
