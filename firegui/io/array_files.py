"""Files of arrays: NumPy archives in, and safetensors in and out.

Nothing is ever unpickled, and archives are judged by their headers before they are unpacked.
"""

from __future__ import annotations

import json
import lzma
import pickle
import struct
import tokenize
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.lib.format import read_array_header_1_0, read_array_header_2_0, read_magic
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load, save

from firegui.domain.options import limits_text
from firegui.errors import InputError, Problem, Problems
from firegui.io.atomic import write_bytes
from firegui.io.source_files import claim_problem, error_text, file_problem, first_few, unpacking_problem

Array = NDArray[Any]

_DAMAGED = (
    OSError,
    ValueError,
    EOFError,
    LookupError,
    TypeError,
    RuntimeError,
    MemoryError,
    ArithmeticError,
    SyntaxError,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    pickle.UnpicklingError,
    tokenize.TokenError,
)
"""Everything that numpy, zipfile and the decompressors raise on damaged bytes."""

NO_DATA = (-9999.0, -32768.0, -3.4028234663852886e38)
"""What programs write where they have no value; none of it is a measurement of anything here."""

_READERS = {(1, 0): read_array_header_1_0, (2, 0): read_array_header_2_0}
_ZIP, _SINGLE = b"PK\x03\x04", b"\x93NUMPY"
_MOST_MEMBERS = 10_000
_SHOWN = 12
_REMEDY = "write it with numpy.savez"


@dataclass(frozen=True, slots=True)
class Header:
    """What an array in an archive says it is."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)


@contextmanager
def opened(path: Path, problems: Problems) -> Iterator[Mapping[str, Array] | None]:
    """Open an npz archive.

    A file that is none is reported and ``None`` yielded. Arrays are read when asked for.
    """
    problem = file_problem(path)
    if problem is not None:
        remedy = problem.remedy if path.exists() else f"put it into {path.absolute().parent}"
        problems.add(path.name, problem.what, remedy)
        yield None
        return
    try:
        # Our own handle, because numpy leaves its one open when the file turns out to be no archive.
        file = path.open("rb")
    except OSError as error:
        problems.add(path.name, f"cannot be read ({error.strerror or error})", "check that you may read it")
        yield None
        return
    with file:
        yield _archive(file, path.name, problems)


def _archive(file: BinaryIO, name: str, problems: Problems) -> Any:
    start = file.read(len(_SINGLE))
    if start == _SINGLE:
        problems.add(name, "is a single array, not an npz archive", _REMEDY)
        return None
    file.seek(0)
    try:
        archive = np.load(file, allow_pickle=False)
    except _DAMAGED as error:
        if start.startswith(_ZIP):
            problems.add(name, f"is cut short or damaged ({error_text(error, 120)})", "get it again from where it came")
        else:
            problems.add(name, "is not an npz archive (no NumPy data in it)", _REMEDY)
        return None
    members = archive.zip.infolist()
    if len(members) > _MOST_MEMBERS:
        problems.add(name, f"holds {len(members):,} arrays", f"keep those that are meant, at most {_MOST_MEMBERS:,}")
        return None
    unpacked, stored = (sum(getattr(member, size) for member in members) for size in ("file_size", "compress_size"))
    problem = unpacking_problem(name, unpacked, stored)
    problems.extend([] if problem is None else [problem])
    return archive if problem is None else None


def header(archive: Mapping[str, Array], key: str, where: str, problems: Problems) -> Header | None:
    """Return what the array ``key`` says it is.

    It is reported, and ``None`` returned, when it is missing, damaged or larger than can be.
    """
    if key not in archive:
        held = list(archive)
        shown = first_few(held, _SHOWN)
        what = f"the array {key} is missing (the file holds {shown or 'nothing'})"
        problems.add(where, what, f"save it under the name {key}")
        return None
    try:
        found, missing, stored = _header(archive, key)
    except _DAMAGED as error:
        problems.add(where, f"the array {key} is damaged ({error_text(error, 120)})", "save plain numbers")
        return None
    problem = claim_problem(where, found.shape, found.dtype.itemsize, stored)
    if problem is None and found.dtype.hasobject:
        problem = Problem(where, f"the array {key} holds Python objects, which are not read for safety", "save numbers")
    elif problem is None and missing:
        what = f"the array {key} claims {list(found.shape)} values of {found.dtype}, and {missing:,} bytes of them"
        problem = Problem(where, f"{what} are not there: it is cut short or damaged", "get the file again")
    problems.extend([] if problem is None else [problem])
    return found if problem is None else None


def _header(archive: Any, key: str) -> tuple[Header, int, int]:
    """Return the header, how many bytes are missing (negative: too many) and how many the array takes."""
    name = key if key in archive.zip.namelist() else f"{key}.npy"
    member = archive.zip.getinfo(name)
    with archive.zip.open(member) as file:
        version = read_magic(file)
        if version not in _READERS:
            raise ValueError(f"format {version[0]}.{version[1]} of numpy")
        shape, _, dtype = _READERS[version](file)
        claimed = file.tell() + prod(shape) * dtype.itemsize
    if any(size < 0 for size in shape):
        raise ValueError(f"shape {list(shape)}")
    return Header(tuple(shape), dtype), claimed - member.file_size, member.compress_size


def array(archive: Mapping[str, Array], key: str, where: str, problems: Problems) -> Array | None:
    """Return the array ``key``.

    It is reported, and ``None`` returned, when it is missing, damaged, too large or holds Python objects.
    """
    if header(archive, key, where, problems) is None:
        return None
    try:
        return np.asarray(archive[key])
    except _DAMAGED as error:
        problems.add(where, f"the array {key} is damaged ({error_text(error, 120)})", "save plain numbers")
        return None


def is_reordered(shape: Sequence[int], wanted: Sequence[object]) -> bool:
    """Return whether an array has the sizes that are wanted, in another order."""
    return tuple(shape) != tuple(wanted) and Counter(shape) == Counter(wanted)


def floats(
    value: Array, where: str, problems: Problems, *, low: float | None = None, high: float | None = None, unit: str = ""
) -> NDArray[np.float32] | None:
    """Return ``value`` as float32.

    It is reported, and ``None`` returned, unless it is real, finite (in float32 too) and in ``low … high``.
    """
    if value.dtype.kind not in "fiu":
        problems.add(where, f"holds {value.dtype} values, not numbers", "save it as float32")
        return None
    if not value.size:
        return np.ascontiguousarray(value, np.float32)
    least, most = value.min(), value.max()  # NaN where a value is
    if not (np.isfinite(least) and np.isfinite(most)):
        bad = int(np.count_nonzero(~np.isfinite(value)))
        problems.add(where, f"{bad:,} of {value.size:,} values are NaN or infinite", "fill them in")
        return None
    # As Python's numbers: float16 has none as large as some of these.
    stand_ins = [number for number in NO_DATA if float(least) <= number <= float(most)]
    missing = np.extract(np.isin(value, stand_ins), value) if stand_ins else np.empty(0)
    if missing.size:
        what = f"{missing.size:,} of {value.size:,} values are {missing[0]:g}, which is no data"
        problems.add(where, what, "fill them in")
        return None
    for limit, outside, extreme, word in ((low, np.less, least, "below"), (high, np.greater, most, "above")):
        if limit is not None and outside(extreme, limit):
            found = int(np.count_nonzero(outside(value, limit)))
            what = f"{found:,} of {value.size:,} values are {word} {limit:g}{unit} ({extreme:g})"
            problems.add(where, what, f"check the unit and the sign; values of {limits_text(low, high)} are allowed")
            return None
    with np.errstate(over="ignore"):
        if not np.isfinite(np.array([least, most], np.float32)).all():
            problems.add(where, f"values up to {np.abs(value).max():g} do not fit float32", "check the unit")
            return None
    return np.ascontiguousarray(value, np.float32)


def flags(value: Array, where: str, problems: Problems) -> NDArray[np.bool_] | None:
    """Return ``value`` as bool; reported and ``None`` unless it is bool or holds only 0 and 1."""
    if value.dtype.kind not in "biuf":
        problems.add(where, f"holds {value.dtype} values", "save it as bool")
        return None
    other = 0 if value.dtype.kind == "b" else int(np.count_nonzero((value != 0) & (value != 1)))
    if other:
        problems.add(where, f"{other:,} values are neither 0 nor 1", "save it as bool")
        return None
    return np.ascontiguousarray(value, np.bool_)


_COUNT = 8


def write_arrays(path: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays as safetensors, atomically."""
    # save_file would keep the file from everybody else.
    write_bytes(path, save({name: np.ascontiguousarray(array) for name, array in arrays.items()}))


def read_arrays(
    path: Path, names: Sequence[str] = (), remedy: str = "start the run again without resuming"
) -> dict[str, NDArray[Any]]:
    """Read the arrays called ``names``, all without any.

    Raises :class:`~firegui.errors.InputError` where it cannot.
    """
    try:
        stored = load(path.read_bytes())
        return {name: stored[name] for name in names or stored}
    except (OSError, SafetensorError, KeyError, ValueError, TypeError) as error:
        raise InputError([Problem(str(path), f"cannot be read ({error})", remedy)]) from error


def no_tensors(data: bytes, error: Exception) -> str:
    """Return why ``data`` could not be read, given what the reader says.

    It ends too early, or is something else.
    """
    length = int.from_bytes(data[:_COUNT], "little")
    start = data[_COUNT : _COUNT + length]
    if start.startswith(b"{") and len(start) < length <= 100 * len(data):
        return f"is cut short: its header ends after {len(start):,} of {length:,} bytes"
    end = _end(start)
    missing = end - (len(data) - _COUNT - length)
    if end and missing > 0:
        return f"is cut short: {missing:,} bytes of its tensors are not there"
    return f"is not a safetensors file ({error_text(error)})"


def _end(header: bytes) -> int:
    """Return where the last tensor ends as the header says, 0 where the header says nothing."""
    try:
        about: Any = json.loads(header)
        return max((int(entry["data_offsets"][1]) for key, entry in about.items() if key != "__metadata__"), default=0)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return 0
