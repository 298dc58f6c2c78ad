"""Arrays that take long to compute, kept on disk from one process to the next.

An entry is an npz file under a hash of everything that decides its arrays. It is checked when it is read, and a damaged
one is deleted. Entries may be deleted at any time. They are computed again when they are needed.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firegui.errors import Problems
from firegui.io import array_files
from firegui.io.atomic import sibling
from firegui.io.cache_folder import cache_folder

MOST_BYTES = 2 * 2**30
"""Size of the whole cache. An entry of more than half of it is not kept."""

_FREE = 4
"""Free room on the disk that an entry needs, in its own size."""


@dataclass(frozen=True, slots=True)
class ArrayCache:
    """Entries in a folder of their own.

    Those that were not used for longest are deleted when all take more than ``most_bytes``.
    """

    folder: Path
    most_bytes: int = MOST_BYTES

    def read(self, key: str, names: Sequence[str]) -> dict[str, NDArray[Any]] | None:
        """Return the arrays called ``names`` of an entry, ``None`` where it is not there or damaged."""
        path, problems = self._path(key), Problems()
        if not path.is_file():
            return None
        with array_files.opened(path, problems) as archive:
            # The archive has a checksum of each array, which is compared once all of the array was read.
            found = (
                {} if archive is None else {name: array_files.array(archive, name, name, problems) for name in names}
            )
        with suppress(OSError):
            if problems:
                path.unlink()
            else:
                os.utime(path)
        whole = {name: value for name, value in found.items() if value is not None}
        return None if problems else whole

    def write(self, key: str, arrays: Mapping[str, Any]) -> None:
        """Keep numpy arrays.

        They are not kept where there is no room for them, or the folder cannot be written.
        """
        size = sum(array.nbytes for array in arrays.values())
        if size > self.most_bytes // 2:
            return
        temporary = sibling(self._path(key))
        with suppress(OSError):
            self.folder.mkdir(parents=True, exist_ok=True)
            if shutil.disk_usage(self.folder).free < _FREE * size:
                return
            self._make_room(size)
            try:
                # Not flushed: an entry that a power cut shortens is damaged, and computed again.
                with temporary.open("wb") as file:
                    np.savez(file, **arrays)
                os.replace(temporary, self._path(key))
            finally:
                temporary.unlink(missing_ok=True)

    def sizes(self) -> dict[Path, int]:
        """Return the size of every entry in bytes, the longest unused first."""
        found = []
        with suppress(OSError):
            for path in self.folder.glob("*.npz"):
                with suppress(OSError):  # another process may have deleted it
                    status = path.stat()
                    found.append((status.st_mtime_ns, path, status.st_size))
        return {path: size for _, path, size in sorted(found)}

    def clear(self) -> None:
        """Delete every entry."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}.npz"

    def _make_room(self, size: int) -> None:
        kept = self.sizes()
        excess = sum(kept.values()) + size - self.most_bytes
        for path, freed in kept.items():
            if excess <= 0:
                return
            with suppress(OSError):
                path.unlink()
            excess -= freed


def maps_cache() -> ArrayCache | None:
    """Return the cache of the maps that fire models make, ``None`` for a user without a folder for caches."""
    try:
        return ArrayCache(cache_folder() / "maps")
    except RuntimeError:
        return None
