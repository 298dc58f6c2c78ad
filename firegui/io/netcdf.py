"""NetCDF files, classic and NetCDF-4, behind one reader: variables by name, each read piece by piece in its unit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from firegui.errors import Problems
from firegui.io.netcdf_classic import FormatError, read_classic

CLASSIC, HDF5 = b"CDF", b"\x89HDF\r\n\x1a\n"

_FAILURES = (OSError, RuntimeError, KeyError, ValueError, TypeError, AttributeError, IndexError, MemoryError)
_BEYOND_ANYTHING = 1e30
_LARGEST_PIECE = 256 * 2**20
_OF_HDF5 = (
    "DIMENSION_LIST",
    "REFERENCE_LIST",
    "CLASS",
    "NAME",
    "_Netcdf4Dimid",
    "_Netcdf4Coordinates",
    "_NCProperties",
)
_NO_VARIABLE = "This is a netCDF dimension but not a netCDF variable"
_AGAIN = "get the file again from where it came"

Index = tuple[int | slice, ...]


@dataclass(frozen=True, slots=True, eq=False)
class NetcdfVariable:
    """One variable: its dimensions by name, its shape, its attributes as plain text and numbers."""

    name: str
    dimensions: tuple[str, ...]
    shape: tuple[int, ...]
    attributes: Mapping[str, Any]
    _stored: Any

    def text(self, attribute: str) -> str:
        """An attribute that is text; empty where there is none."""
        value = self.attributes.get(attribute, "")
        return value if isinstance(value, str) else ""

    def number(self, attribute: str, fallback: float) -> float:
        """An attribute that is a number."""
        value = np.asarray(self.attributes.get(attribute, fallback)).ravel()
        return float(value[0]) if value.size and value.dtype.kind in "iuf" else fallback

    @property
    def is_numeric(self) -> bool:
        """Whether it holds numbers."""
        return np.dtype(self._stored.dtype).kind in "iuf"

    def raw(self, index: Index = ()) -> NDArray[Any]:
        """The numbers as stored. Raises ``OSError`` where they cannot be read, as in a cut file."""
        piece = prod(getattr(self._stored, "chunks", None) or ()) * np.dtype(self._stored.dtype).itemsize
        if piece > _LARGEST_PIECE:
            # To read one number a whole piece is unpacked.
            raise OSError(
                f"{self.name} is stored in pieces of {piece:,} bytes; at most {_LARGEST_PIECE:,} are unpacked"
            )
        try:
            # A copy: nothing of a mapped file may outlive it.
            return np.array(self._stored[index if self.dimensions else ()])
        except _FAILURES as error:
            raise OSError(f"the values of {self.name} cannot be read ({_brief(error)})") from error

    def values(self, index: Index = ()) -> NDArray[np.float64]:
        """The numbers in the variable's unit: scaled and offset as its attributes say, NaN where it has no data."""
        raw = self.raw(index)
        result = raw.astype(np.float64)
        holes = ~(np.abs(result) < _BEYOND_ANYTHING)
        for attribute in ("_FillValue", "missing_value"):
            for value in np.asarray(self.attributes.get(attribute, ())).ravel():
                if np.asarray(value).dtype.kind in "iuf":
                    holes |= raw == value
        scale, offset = self.number("scale_factor", 1.0), self.number("add_offset", 0.0)
        if scale != 1.0 or offset != 0.0:
            result = result * scale + offset
        result[holes] = np.nan
        return result


@contextmanager
def opened_netcdf(path: Path, problems: Problems) -> Iterator[dict[str, NetcdfVariable] | None]:
    """The variables of a file; one that cannot be read is reported and ``None`` yielded."""
    with path.open("rb") as file:
        head = file.read(len(HDF5))
    if head.startswith(CLASSIC):
        yield _classic(path, problems)
    else:
        with _hdf5(path, problems) as found:
            yield found


def _classic(path: Path, problems: Problems) -> dict[str, NetcdfVariable] | None:
    try:
        found = read_classic(path)
    except (FormatError, OSError) as error:
        problems.add(path.name, str(error), _AGAIN)
        return None
    return {
        name: NetcdfVariable(name, item.dimensions, item.values.shape, item.attributes, item.values)
        for name, item in found.items()
    }


@contextmanager
def _hdf5(path: Path, problems: Problems) -> Iterator[dict[str, NetcdfVariable] | None]:
    try:
        file = h5py.File(path, "r")
    except _FAILURES as error:
        problems.add(path.name, f"cannot be read as NetCDF ({_brief(error)})", _AGAIN)
        yield None
        return
    with file:
        try:
            found = dict(_members(file))
        except _FAILURES as error:
            problems.add(path.name, f"is damaged ({_brief(error)})", _AGAIN)
            found = None
        yield found


def _members(file: h5py.File) -> Iterator[tuple[str, NetcdfVariable]]:
    """The variables of the root group, as NetCDF-4 lays them out in HDF5: their dimensions are HDF5's scales."""
    for name, item in file.items():
        if isinstance(item, h5py.Dataset) and item.dtype.kind in "iufSO":
            attributes = {str(key): _plain(item.attrs[key]) for key in item.attrs if key not in _OF_HDF5}
            if not str(_plain(item.attrs.get("NAME", ""))).startswith(_NO_VARIABLE):
                dimensions = tuple(_dimension(item, str(name), axis) for axis in range(item.ndim))
                yield str(name), NetcdfVariable(str(name), dimensions, tuple(item.shape), attributes, item)


def _dimension(item: h5py.Dataset, name: str, axis: int) -> str:
    """The name of a dimension; without one those of a size are taken for one."""
    scales = item.dims[axis]
    if len(scales):
        return str(scales[0].name).rsplit("/", 1)[-1]
    return name if item.is_scale and item.ndim == 1 else f"dimension of {item.shape[axis]}"


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, np.ndarray) and value.size == 1:
        return _plain(value.ravel()[0])
    return value


def _brief(error: BaseException) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= 160 else text[:157] + "…"
