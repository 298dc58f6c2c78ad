"""HDF5 files, NetCDF-4 among them, read by a reader process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firegui.io.safe_open.processes import READERS, ReadError

HDF5_SIGNATURE = b"\x89HDF\r\n\x1a\n"
_FIRST_OFFSET = 512


@dataclass(frozen=True, slots=True, eq=False)
class Hdf5Dataset:
    """One dataset: what its file says of it, and a way to its values.

    ``scales`` names the dimension scale of each axis, empty without one. ``chunks`` is the shape of the pieces that are
    unpacked as a whole. ``damage`` says what cannot be read of it.
    """

    path: Path
    name: str
    shape: tuple[int, ...] | None = None
    dtype: str = "void"
    kind: str = "V"
    itemsize: int = 0
    chunks: tuple[int, ...] | None = None
    stored_bytes: int = 0
    is_scale: bool = False
    scales: tuple[str, ...] = ()
    attributes: Mapping[str, Any] = field(default_factory=dict)
    damage: str = ""

    @property
    def nbytes(self) -> int:
        """Bytes of its values in memory."""
        return prod(self.shape or ()) * self.itemsize

    def __getitem__(self, index: tuple[int | slice, ...]) -> NDArray[Any]:
        """Return values, of all axes for an empty index. Raises ``OSError`` where they cannot be read."""
        pieces = [
            [None if end is None else int(end) for end in (piece.start, piece.stop, piece.step)]
            if isinstance(piece, slice) else int(piece)
            for piece in index
        ]  # fmt: skip
        found: NDArray[Any] = np.asarray(READERS.call("hdf5.values", self.path, self.name, pieces))
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Hdf5Group:
    """One group and everything in it."""

    name: str
    attributes: Mapping[str, Any]
    members: Mapping[str, Hdf5Group | Hdf5Dataset]


def is_hdf5(path: Path) -> bool:
    """Return whether a file that is there begins as HDF5, perhaps after a block of another program."""
    with path.open("rb") as file:
        size, offset = path.stat().st_size, 0
        while offset < size:
            file.seek(offset)
            if file.read(len(HDF5_SIGNATURE)) == HDF5_SIGNATURE:
                return True
            offset = max(2 * offset, _FIRST_OFFSET)
    return False


def read_hdf5(path: Path) -> Hdf5Group:
    """Return the root group of a file whose datasets all lie in it.

    Raises :class:`~firegui.io.safe_open.UnsafeFileError` where one names another file, ``OSError`` where the file
    cannot be read.
    """
    return _group(path, READERS.call("hdf5.tree", path))


def _group(path: Path, said: Mapping[str, Any]) -> Hdf5Group:
    members: dict[str, Hdf5Group | Hdf5Dataset] = {
        name: _group(path, member) if "members" in member else _dataset(path, member)
        for name, member in said["members"].items()
    }
    return Hdf5Group(said["name"], said["attributes"], members)


def _dataset(path: Path, said: Mapping[str, Any]) -> Hdf5Dataset:
    lists = {key: tuple(said[key]) for key in ("shape", "chunks", "scales") if said.get(key) is not None}
    try:
        return Hdf5Dataset(path, **{**said, **lists})
    except TypeError as error:
        raise ReadError("its description cannot be read") from error
