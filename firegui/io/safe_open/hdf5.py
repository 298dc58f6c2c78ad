"""HDF5 files, NetCDF-4 among them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py

from firegui.io.safe_open import ELSEWHERE, UnsafeFileError


def hdf5_file(path: Path) -> h5py.File:
    """Open an HDF5 file whose datasets all lie in it.

    Raises :class:`UnsafeFileError` where a link, a dataset's storage or a virtual dataset names another file.
    """
    file = h5py.File(path, "r")
    try:
        _check_group(file.id, set())
    except BaseException:
        file.close()
        raise
    return file


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
