"""Reader of NetCDF files, classic and NetCDF-4.

The variables of both are read by name, in parts, and in their units.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firegui.errors import Problems
from firegui.io.safe_open.hdf5 import Hdf5Dataset, read_hdf5
from firegui.io.source_files import error_text, no_number

CLASSIC = b"CDF"

_FAILURES = (OSError, KeyError, ValueError, TypeError, IndexError, MemoryError)
_LARGEST_PIECE = 256 * 2**20
_HDF5_ATTRIBUTES = (
    "DIMENSION_LIST",
    "REFERENCE_LIST",
    "CLASS",
    "NAME",
    "_Netcdf4Dimid",
    "_Netcdf4Coordinates",
    "_NCProperties",
)
_DIMENSION_ONLY = "This is a netCDF dimension but not a netCDF variable"
_REMEDY = "get the file again from where it came"

Index = tuple[int | slice, ...]


@dataclass(frozen=True, slots=True, eq=False)
class NetcdfVariable:
    """Variable with the names of its dimensions, its shape, and its attributes as text and numbers."""

    name: str
    dimensions: tuple[str, ...]
    shape: tuple[int, ...]
    attributes: Mapping[str, Any]
    _stored: NDArray[Any] | Hdf5Dataset

    def text(self, attribute: str) -> str:
        """Return an attribute as text; empty if it is absent or no text."""
        value = self.attributes.get(attribute, "")
        return value if isinstance(value, str) else ""

    def number(self, attribute: str, fallback: float) -> float:
        """Return an attribute as a number; ``fallback`` if it is absent or no number."""
        value = np.asarray(self.attributes.get(attribute, fallback)).ravel()
        return float(value[0]) if value.size and value.dtype.kind in "iuf" else fallback

    @property
    def is_numeric(self) -> bool:
        """Whether the values of the variable are numbers."""
        stored = self._stored
        return (stored.kind if isinstance(stored, Hdf5Dataset) else stored.dtype.kind) in "iuf"

    def raw(self, index: Index = ()) -> NDArray[Any]:
        """Return the stored numbers. Raises ``OSError`` if they cannot be read, for example in a cut file."""
        chunks = self._stored.chunks if isinstance(self._stored, Hdf5Dataset) else None
        piece = prod(chunks or ()) * self._stored.itemsize
        if piece > _LARGEST_PIECE:
            # The library unpacks a whole chunk to read one number.
            raise OSError(
                f"{self.name} is stored in pieces of {piece:,} bytes; at most {_LARGEST_PIECE:,} are unpacked"
            )
        try:
            # A copy, because no view of a mapped file may outlive the mapping.
            return np.array(self._stored[index if self.dimensions else ()])
        except _FAILURES as error:
            raise OSError(f"the values of {self.name} cannot be read ({error_text(error, 160)})") from error

    def values(self, index: Index = ()) -> NDArray[np.float64]:
        """Return the numbers in the unit of the variable.

        They are scaled and offset by its attributes. Missing values are NaN.
        """
        found = [np.asarray(self.attributes.get(name, ())).ravel() for name in ("_FillValue", "missing_value")]
        no_data = [value for values in found if values.dtype.kind in "iuf" for value in values]
        return scaled(self.raw(index), no_data, self.number("scale_factor", 1.0), self.number("add_offset", 0.0))


def scaled(raw: NDArray[Any], no_data: Iterable[Any], scale: float, offset: float) -> NDArray[np.float64]:
    """Return stored numbers in their unit, ``raw · scale + offset``.

    The result is NaN for values in ``no_data`` and for numbers beyond ±1e30.
    """
    with np.errstate(invalid="ignore"):  # damaged files may hold signalling NaNs
        result = raw.astype(np.float64)
    missing = no_number(result)
    for value in no_data:
        missing |= raw == value
    if scale != 1.0 or offset != 0.0:
        result = result * scale + offset
    result[missing] = np.nan
    return result


def read_netcdf(path: Path, problems: Problems) -> dict[str, NetcdfVariable] | None:
    """Return the variables of a file, or ``None`` with problems for a file that cannot be read."""
    with path.open("rb") as file:
        head = file.read(len(CLASSIC))
    return _classic(path, problems) if head.startswith(CLASSIC) else _hdf5(path, problems)


def _classic(path: Path, problems: Problems) -> dict[str, NetcdfVariable] | None:
    try:
        found = read_classic(path)
    except (FormatError, OSError) as error:
        problems.add(path.name, str(error), _REMEDY)
        return None
    return {
        name: NetcdfVariable(name, item.dimensions, item.values.shape, item.attributes, item.values)
        for name, item in found.items()
    }


def _hdf5(path: Path, problems: Problems) -> dict[str, NetcdfVariable] | None:
    """Return the variables of the root group of a NetCDF-4 file.

    Their dimensions are dimension scales of HDF5.
    """
    try:
        members = read_hdf5(path).members
    except OSError as error:
        problems.add(path.name, f"cannot be read as NetCDF ({error_text(error, 160)})", _REMEDY)
        return None
    found = {}
    for name, item in members.items():
        if not isinstance(item, Hdf5Dataset):
            continue
        if item.damage:
            problems.add(path.name, f"is damaged ({item.damage})", _REMEDY)
            return None
        if item.kind in "iufSO" and not str(item.attributes.get("NAME", "")).startswith(_DIMENSION_ONLY):
            shape = item.shape or ()
            dimensions = tuple(_dimension(item, name, axis, size) for axis, size in enumerate(shape))
            attributes = {key: value for key, value in item.attributes.items() if key not in _HDF5_ATTRIBUTES}
            found[name] = NetcdfVariable(name, dimensions, shape, attributes, item)
    return found


def _dimension(item: Hdf5Dataset, name: str, axis: int, size: int) -> str:
    """Return the name of a dimension. Dimensions without a name are the same if they have the same size."""
    if item.scales[axis]:
        return item.scales[axis].rsplit("/", 1)[-1]
    return name if item.is_scale and len(item.scales) == 1 else f"dimension of {size}"


_TYPES = {1: "i1", 2: "S1", 3: ">i2", 4: ">i4", 5: ">f4", 6: ">f8", 7: "u1", 8: ">u2", 9: ">u4", 10: ">i8", 11: ">u8"}
_DIMENSIONS, _VARIABLES, _ATTRIBUTES = 10, 11, 12
_MOST_ENTRIES = 10_000
_STREAMING = -1


class FormatError(ValueError):
    """Error of a file that cannot be read as classic NetCDF. Its text is shown to users."""


@dataclass(frozen=True, slots=True, eq=False)
class ClassicVariable:
    """Variable whose ``values`` are a view of the mapped file."""

    dimensions: tuple[str, ...]
    attributes: Mapping[str, Any]
    values: NDArray[Any]


@dataclass(frozen=True, slots=True)
class _Declared:
    name: str
    dimensions: tuple[int, ...]
    attributes: Mapping[str, Any]
    kind: str
    begin: int


def read_classic(path: Path) -> dict[str, ClassicVariable]:
    """Return the variables of a file. The file stays mapped as long as one of the variables is in use.

    Raises :class:`FormatError` for a cut or damaged file, and ``OSError`` for a file that cannot be read.
    """
    with path.open("rb") as file:
        return _variables(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


def _variables(mapped: mmap.mmap) -> dict[str, ClassicVariable]:
    header = _Header(mapped)
    records = header.count_or_streaming()
    dimensions = header.entries(_DIMENSIONS, lambda: (header.name(), header.count()))
    header.attributes()
    declared = header.entries(_VARIABLES, header.variable)
    lengths = [length for _, length in dimensions]
    for item in declared:
        if any(not 0 <= index < len(dimensions) for index in item.dimensions):
            raise FormatError(f"its variable {item.name} has a dimension that the file does not declare")
    record_variables = [item for item in declared if item.dimensions and lengths[item.dimensions[0]] == 0]
    sizes = {item.name: _stored_bytes(item, lengths) for item in declared}
    # A single record variable is packed without padding.
    is_single = len(record_variables) == 1
    record_bytes = sum(sizes[item.name] if is_single else _padded(sizes[item.name]) for item in record_variables)
    if records == _STREAMING:
        start = min((item.begin for item in record_variables), default=len(mapped))
        records = max(len(mapped) - start, 0) // record_bytes if record_bytes else 0
    found = {}
    for item in declared:
        names = tuple(dimensions[index][0] for index in item.dimensions)
        by_record = item in record_variables
        view = _view(mapped, item, [lengths[index] for index in item.dimensions], by_record, records, record_bytes)
        found[item.name] = ClassicVariable(names, item.attributes, view)
    return found


def _view(
    mapped: mmap.mmap, item: _Declared, lengths: list[int], by_record: bool, records: int, record_bytes: int
) -> NDArray[Any]:
    kind = np.dtype(item.kind)
    shape = (records, *lengths[1:]) if by_record else tuple(lengths)
    inner = [kind.itemsize * prod(shape[axis + 1 :]) for axis in range(len(shape))]
    strides = (record_bytes, *inner[1:]) if by_record else tuple(inner)
    last = sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True)) + kind.itemsize
    if prod(shape) and item.begin + last > len(mapped):
        claim = f"its variable {item.name} ({' × '.join(f'{n:,}' for n in shape)}) would end at byte"
        raise FormatError(f"is cut off: {claim} {item.begin + last:,} of a file of {len(mapped):,}")
    if not prod(shape):
        return np.empty((0,) * len(shape), kind)
    return np.ndarray(shape, kind, mapped, item.begin, strides)


def _stored_bytes(item: _Declared, lengths: list[int]) -> int:
    """Return the bytes of one record, or of the whole variable without a record dimension."""
    sizes = [lengths[index] for index in item.dimensions]
    return np.dtype(item.kind).itemsize * prod(sizes[1:] if sizes and sizes[0] == 0 else sizes)


def _padded(size: int) -> int:
    return -(-size // 4) * 4


class _Header:
    """Parser of the header of a classic file, with its position in the file."""

    def __init__(self, mapped: mmap.mmap) -> None:
        self._mapped = mapped
        self._position = 4
        version = mapped[3] if len(mapped) > 3 and mapped[:3] == b"CDF" else 0
        if version not in (1, 2, 5):
            raise FormatError("is not NetCDF in a classic format")
        self._count, self._offset = ">q" if version == 5 else ">i", ">i" if version == 1 else ">q"

    def count(self) -> int:
        """Return a length or a number of entries, which cannot be negative."""
        value = self._number(self._count)
        if value < 0:
            raise FormatError(f"is damaged: its header claims a length of {value:,}")
        return value

    def count_or_streaming(self) -> int:
        """Return the number of records, or −1 if the writer of the file did not know the number."""
        value = self._number(self._count)
        if value < _STREAMING:
            raise FormatError(f"is damaged: its header claims {value:,} records")
        return value

    def name(self) -> str:
        """Return a name, padded to four bytes."""
        return self._take(self.count()).decode("utf-8", "replace")

    def entries(self, tag: int, read: Callable[[], Any]) -> list[Any]:
        """Return the list that begins with ``tag``; an absent list is empty."""
        found, count = self._number(">i"), self.count()
        if found not in (0, tag) or (found == 0 and count) or count > _MOST_ENTRIES:
            raise FormatError("is damaged: its header is not a list of dimensions, attributes and variables")
        return [read() for _ in range(count)]

    def attributes(self) -> dict[str, Any]:
        """Return attributes by name. A value is text, a number or an array of numbers."""
        return dict(self.entries(_ATTRIBUTES, self._attribute))

    def variable(self) -> _Declared:
        """Return the declaration of a variable in the header."""
        name, rank = self.name(), self.count()
        if rank > 32:
            raise FormatError(f"is damaged: its variable {name} claims {rank:,} dimensions")
        dimensions = tuple(self.count() for _ in range(rank))
        attributes, kind = self.attributes(), self._kind()
        self._number(self._count)  # the size of the variable, which also follows from its dimensions
        begin = self._number(self._offset)
        if begin < 0:
            raise FormatError(f"is damaged: its variable {name} begins before the file")
        return _Declared(name, dimensions, attributes, kind, begin)

    def _attribute(self) -> tuple[str, Any]:
        name, kind = self.name(), np.dtype(self._kind())
        raw = self._take(self.count() * kind.itemsize)
        if kind.kind == "S":
            return name, raw.decode("utf-8", "replace").rstrip("\0")
        values = np.frombuffer(raw, kind)
        return name, values[0] if values.size == 1 else values

    def _kind(self) -> str:
        code = self._number(">i")
        if code not in _TYPES:
            raise FormatError(f"is damaged: its header names a type {code} that there is not")
        return _TYPES[code]

    def _number(self, layout: str) -> int:
        size = struct.calcsize(layout)
        return int(struct.unpack(layout, self._raw(size))[0])

    def _take(self, size: int) -> bytes:
        raw = self._raw(_padded(size))
        return raw[:size]

    def _raw(self, size: int) -> bytes:
        if self._position + size > len(self._mapped):
            raise FormatError("is cut off within its header")
        raw = self._mapped[self._position : self._position + size]
        self._position += size
        return raw
