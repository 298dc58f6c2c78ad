"""NumPy archives in, without ever unpickling anything."""

from __future__ import annotations

import pickle
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from firegui.errors import Problems

Array = NDArray[Any]

_DAMAGED = (
    OSError,
    ValueError,
    EOFError,
    KeyError,
    NotImplementedError,
    MemoryError,
    zipfile.BadZipFile,
    zlib.error,
    pickle.UnpicklingError,
)


@contextmanager
def opened(path: Path, problems: Problems) -> Iterator[Mapping[str, Array] | None]:
    """Open an npz archive; a file that is none is reported and ``None`` yielded. Arrays are read when asked for."""
    try:
        # Our own handle, because numpy leaves its one open when the file turns out to be no archive.
        file = path.open("rb")
    except OSError as error:
        what = "the file does not exist" if not path.exists() else f"cannot be read ({error.strerror or error})"
        remedy = "check that you may read it" if path.exists() else f"put it into {path.absolute().parent}"
        problems.add(path.name, what, remedy)
        yield None
        return
    with file:
        yield _archive(file, path.name, problems)


def _archive(file: BinaryIO, name: str, problems: Problems) -> Any:
    try:
        archive = np.load(file, allow_pickle=False)
    except _DAMAGED as error:
        # What numpy cannot recognise it takes for a pickle, and proposes to load that unsafely.
        why = "no NumPy data in it" if "pickle" in str(error) else _brief(error)
        problems.add(name, f"is not an npz archive that can be read ({why})", "write it with numpy.savez")
        return None
    if isinstance(archive, np.lib.npyio.NpzFile):
        return archive
    problems.add(name, "is a single array, not an npz archive", "write it with numpy.savez")
    return None


def array(archive: Mapping[str, Array], key: str, where: str, problems: Problems) -> Array | None:
    """The array ``key``; reported and ``None`` when it is missing, damaged or holds Python objects."""
    if key not in archive:
        held = ", ".join(archive) or "nothing"
        problems.add(where, f"the array {key} is missing (the file holds {held})", f"save it under the name {key}")
        return None
    try:
        return np.asarray(archive[key])
    except _DAMAGED as error:
        what = (
            "holds Python objects, which are not read for safety"
            if "pickle" in str(error)
            else f"is damaged ({_brief(error)})"
        )
        problems.add(where, f"the array {key} {what}", "save plain numbers")
        return None


def floats(value: Array, where: str, problems: Problems, *, low: float | None = None) -> NDArray[np.float32] | None:
    """``value`` as float32; reported and ``None`` unless it is real, finite (in float32 too) and at least ``low``."""
    if value.dtype.kind not in "fiu":
        problems.add(where, f"holds {value.dtype} values, not numbers", "save it as float32")
        return None
    bad = int(np.count_nonzero(~np.isfinite(value)))
    if bad:
        problems.add(where, f"{bad:,} of {value.size:,} values are NaN or infinite", "fill them in")
        return None
    under = 0 if low is None else int(np.count_nonzero(value < low))
    if under:
        problems.add(
            where,
            f"{under:,} of {value.size:,} values are below {low:g} (lowest {value.min():g})",
            "check the unit and the sign",
        )
        return None
    with np.errstate(over="ignore"):
        result = np.ascontiguousarray(value, np.float32)
    if not np.isfinite(result).all():
        problems.add(where, f"values up to {np.abs(value).max():g} do not fit float32", "check the unit")
        return None
    return result


def flags(value: Array, where: str, problems: Problems) -> NDArray[np.bool_] | None:
    """``value`` as bool; reported and ``None`` unless it is bool or holds only 0 and 1."""
    if value.dtype.kind not in "biuf":
        problems.add(where, f"holds {value.dtype} values", "save it as bool")
        return None
    other = 0 if value.dtype.kind == "b" else int(np.count_nonzero((value != 0) & (value != 1)))
    if other:
        problems.add(where, f"{other:,} values are neither 0 nor 1", "save it as bool")
        return None
    return np.ascontiguousarray(value, np.bool_)


def _brief(error: BaseException) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= 120 else text[:117] + "…"
