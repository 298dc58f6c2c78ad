"""Sound files changed in one respect, and headers that claim more than there is."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from tests.unit.io.faults.cases import REFUSED, Damage, Fault, Rng, Sound

_CHUNK = np.zeros(2**24, np.uint8).tobytes()

Change = Callable[[Any], Any]


def npz_of(path: Path) -> dict[str, Any]:
    """Every array of an archive."""
    with np.load(path) as archive:
        return dict(archive)


def change_npz(path: Path, changes: Mapping[str, Change]) -> None:
    """Write an archive again with some arrays changed, or left out where the change gives ``None``."""
    arrays = npz_of(path)
    for key, change in changes.items():
        arrays[key] = change(arrays.get(key))
    np.savez(path, **{key: value for key, value in arrays.items() if value is not None})


def forged_npy(shape: tuple[int, ...], dtype: str = "<f4") -> bytes:
    """An array whose header claims ``shape`` and that holds a few bytes."""
    target = io.BytesIO()
    np.lib.format.write_array_header_1_0(target, {"descr": dtype, "fortran_order": False, "shape": shape})
    return target.getvalue() + bytes(64)


def forge_npz(path: Path, key: str, shape: tuple[int, ...]) -> None:
    """An archive in which one array claims ``shape``."""
    arrays = {name: value for name, value in npz_of(path).items() if name != key}
    np.savez(path, **arrays)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(f"{key}.npy", forged_npy(shape))


def bomb_npz(path: Path, key: str, shape: tuple[int, ...]) -> None:
    """An archive in which one array of zeros unpacks to gigabytes from a thousandth of them."""
    arrays = {name: value for name, value in npz_of(path).items() if name != key}
    np.savez(path, **arrays)
    with (
        zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open(f"{key}.npy", "w", force_zip64=True) as file,
    ):
        file.write(forged_npy(shape)[:-64])
        left = int(np.prod(shape)) * 4
        while left > 0:
            file.write(_CHUNK[: min(left, len(_CHUNK))])
            left -= len(_CHUNK)


def text(change: Callable[[str, Rng], str]) -> Damage:
    """Change the text of a file, which must then differ."""

    def damage(sound: Sound, rng: Rng) -> None:
        before = sound.path.read_text(encoding="utf-8")
        after = change(before, rng)
        assert after != before
        sound.path.write_text(after, encoding="utf-8")

    return damage


def swapped(old: str, new: str) -> Damage:
    """One text in place of another."""
    return text(lambda held, rng: held.replace(old, new, 1))


def swap(kind: str, importers: tuple[str, ...], old: str, new: str, said: str, outcome: str = REFUSED) -> Fault:
    """A file in which one text stands in place of another."""
    return Fault(kind, importers, swapped(old, new), said, outcome)


def hdf5(change: Callable[[h5py.File, Rng], None]) -> Damage:
    """Change an HDF5 file in place."""

    def damage(sound: Sound, rng: Rng) -> None:
        with h5py.File(sound.path, "r+") as file:
            change(file, rng)

    return damage


def put(group: h5py.Group, name: str, data: Any, **more: Any) -> None:
    """Put a dataset in place of what is there."""
    if name in group:
        del group[name]
    group.create_dataset(name, data=data, **more)


HUGE = (31_700, 31_700)
"""A raster of a thousand million cells."""


def holed(share: float, value: float = np.nan) -> Callable[[Any, Rng], Any]:
    """Some of the values, one at least, are ``value``."""

    def change(array: Any, rng: Rng) -> Any:
        changed = np.array(array, np.float32)
        changed[rng.random(changed.shape) < share] = value
        changed.flat[rng.integers(changed.size)] = value
        return changed

    return change


def scaled(factor: float) -> Callable[[Any, Rng], Any]:
    """Every value times a factor."""
    return lambda array, rng: np.asarray(array, np.float32) * factor


def cast(dtype: Any) -> Callable[[Any, Rng], Any]:
    """The values as another type."""
    return lambda array, rng: np.asarray(array).astype(dtype)


def turned(array: Any, rng: Rng) -> Any:
    """Rows as columns."""
    return np.swapaxes(array, -1, -2)


def emptied(array: Any, rng: Rng) -> Any:
    """No column."""
    return array[..., :0]


# What the messages say.
TYPES = r"holds .* values|holds Python objects|is not one (number|text)"
NAN = r"NaN or infinite"
CLAIMS = r"claims [\d,]+ (cells|values) .*at most"
TURNED = r"axes are transposed"
