"""HDF5 files, NetCDF-4 among them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from firegui.io.safe_open import ELSEWHERE, UnsafeFileError
from firegui.io.safe_open.direct import OpenFiles
from firegui.io.source_files import error_text

_DEEPEST = 4
_MOST_MEMBERS = 100_000
_MOST_ATTRIBUTE_BYTES = 2**20
_FAILURES = (OSError, RuntimeError, KeyError, ValueError, TypeError)


def hdf5_file(path: Path) -> h5py.File:
    """Open an HDF5 file whose datasets all lie in it.

    Raises :class:`UnsafeFileError` where a link, a dataset's storage or a virtual dataset names another file.
    """
    file = h5py.File(path, "r", locking=False)  # it may be replaced while it is open here
    try:
        _check_group(file.id, set())
    except BaseException:
        file.close()
        raise
    return file


def tree(files: OpenFiles, path: Path) -> dict[str, Any]:
    """Return the groups and datasets of a file with their attributes, without the values.

    Groups deeper than those of a fire's events are left out.
    """
    file = files.get(hdf5_file, path)
    return _group(file, iter(range(_MOST_MEMBERS)), _DEEPEST)


def values(files: OpenFiles, path: Path, name: str, index: Sequence[int | Sequence[int | None]]) -> NDArray[Any]:
    """Return values of the dataset ``name``.

    ``index`` has a number or ``[start, stop, step]`` for each axis.
    """
    pieces = tuple(slice(*piece) if isinstance(piece, Sequence) else piece for piece in index)
    return np.asarray(files.get(hdf5_file, path)[name][pieces])


def _group(group: h5py.Group, left: Iterator[int], depth: int) -> dict[str, Any]:
    members = {}
    for name in sorted(group) if depth else ():
        if next(left, None) is None:
            raise UnsafeFileError(f"it holds more than {_MOST_MEMBERS:,} datasets")
        try:
            member = group[name]
        except _FAILURES:
            continue  # a link that leads nowhere
        if isinstance(member, h5py.Group):
            members[str(name)] = _group(member, left, depth - 1)
        elif isinstance(member, h5py.Dataset):
            members[str(name)] = _dataset(member)
    attributes, _ = _attributes(group)
    return {"name": str(group.name), "members": members, "attributes": attributes}


def _dataset(item: h5py.Dataset) -> dict[str, Any]:
    found: dict[str, Any] = {"name": str(item.name)}
    try:
        found |= {"dtype": str(item.dtype), "kind": item.dtype.kind, "itemsize": item.dtype.itemsize}
        found |= {"shape": item.shape, "chunks": item.chunks, "stored_bytes": item.id.get_storage_size()}
        found |= {"is_scale": bool(item.is_scale), "scales": [_scale(item, axis) for axis in range(item.ndim)]}
        attributes, damage = _attributes(item)
        return found | {"attributes": attributes, "damage": damage}
    except _FAILURES as error:
        return found | {"damage": error_text(error, 160) or "damaged"}


def _scale(item: h5py.Dataset, axis: int) -> str:
    scales = item.dims[axis]
    return str(scales[0].name) if len(scales) else ""


def _attributes(item: Any) -> tuple[dict[str, Any], str]:
    """Return the attributes that are text or numbers, and the text of a failure to read one."""
    found: dict[str, Any] = {}
    damage = ""
    for name in item.attrs:
        try:
            if item.attrs.get_id(name).get_storage_size() <= _MOST_ATTRIBUTE_BYTES:
                value = _plain(item.attrs[name])
                found |= {} if value is None else {str(name): value}
        except _FAILURES as error:
            damage = error_text(error, 160) or "damaged"
    return found, damage


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, np.ndarray) and value.size == 1:
        return _plain(value.ravel()[0])
    if isinstance(value, np.ndarray) and value.dtype.kind == "O":
        texts = [_plain(item) for item in value.ravel()]
        return texts if all(isinstance(text, str) for text in texts) else None
    if isinstance(value, (np.generic, np.ndarray)):
        return value if value.dtype.kind in "biuf" else value.tolist() if value.dtype.kind == "U" else None
    return value if isinstance(value, (str, int, float)) else None


def _check_group(group: Any, seen: set[Any]) -> None:
    place = h5py.h5o.get_info(group)
    if (place.fileno, place.addr) in seen:
        return
    seen.add((place.fileno, place.addr))
    for name in group:
        kind = group.links.get_info(name).type
        if kind == h5py.h5l.TYPE_SOFT:
            continue  # it leads to something in the same file, which is met as itself
        if kind != h5py.h5l.TYPE_HARD:
            raise UnsafeFileError(f"{ELSEWHERE}: {name.decode('utf-8', 'replace')} is a link to another file")
        member = h5py.h5o.open(group, name)
        if isinstance(member, h5py.h5g.GroupID):
            _check_group(member, seen)
        elif isinstance(member, h5py.h5d.DatasetID):
            stored = member.get_create_plist()
            if stored.get_layout() == h5py.h5d.VIRTUAL or stored.get_external_count():
                raise UnsafeFileError(f"{ELSEWHERE}: the values of {name.decode('utf-8', 'replace')} are elsewhere")
