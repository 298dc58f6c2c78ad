"""One window for a project: it holds the folder until it is closed, however that comes about."""

from __future__ import annotations

import os
import platform
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from firegui.errors import InputError
from firegui.runs.lock import FolderLock, is_held, said

_SOMEBODY = "another window"


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
