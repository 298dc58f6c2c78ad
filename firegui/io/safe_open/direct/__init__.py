"""Readers that open files in the process in which they are called.

A reader process calls them for the rest of the program, with the files that it has open.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

_MOST_OPEN = 8


class OpenFiles:
    """The files that were opened last. They stay open for the next request, as long as they do not change."""

    def __init__(self) -> None:
        self._open: OrderedDict[tuple[object, ...], tuple[tuple[int, ...], Any]] = OrderedDict()

    def get(self, opener: Callable[[Path], Any], path: Path) -> Any:
        """Return the open file at ``path``; ``opener`` opens it where it is not open yet or has changed."""
        status = path.stat()
        key, version = (opener, str(path)), (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
        if key not in self._open or self._open[key][0] != version:
            # HDF5 would go on with what it has read of a file that is still open.
            self._close([other for other, (found, _) in self._open.items() if found[:2] == version[:2] or other == key])
            self._close(list(self._open)[: max(0, len(self._open) + 1 - _MOST_OPEN)])
            self._open[key] = version, opener(path)
        self._open.move_to_end(key)
        return self._open[key][1]

    def close(self) -> None:
        """Close all files."""
        self._close(list(self._open))

    def _close(self, keys: Iterable[tuple[object, ...]]) -> None:
        for key in keys:
            self._open.pop(key)[1].close()
