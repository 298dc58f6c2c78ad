"""Checkpoints of planners: arrays in a safetensors file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self, get_type_hints

import numpy as np
from numpy.typing import NDArray

from firegui.io.array_files import read_arrays, write_arrays

_BOOLS = NDArray[np.bool_]
_NOTHING: Mapping[str, NDArray[Any]] = MappingProxyType({})


class Checkpoint:
    """Base class of frozen dataclasses whose fields are arrays.

    Fields of type ``NDArray[np.bool_]`` are saved as bytes.
    """

    __slots__ = ()

    def save(self, path: Path, others: Mapping[str, NDArray[Any]] = _NOTHING) -> None:
        """Write as safetensors, atomically.

        ``others`` are arrays that must not be newer or older than the state.
        """
        flags = _flags(type(self))
        arrays = {item.name: getattr(self, item.name) for item in fields(self)}  # type: ignore[arg-type]
        own = {name: array.astype(np.uint8) if name in flags else array for name, array in arrays.items()}
        write_arrays(path, {**own, **others})

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read what :meth:`save` wrote.

        Raises :class:`~firegui.errors.InputError` when the file cannot be used.
        """
        flags = _flags(cls)
        stored = read_arrays(path, [item.name for item in fields(cls)])  # type: ignore[arg-type]
        return cls(**{name: array.astype(bool) if name in flags else array for name, array in stored.items()})


def _flags(kind: type) -> set[str]:
    return {name for name, hint in get_type_hints(kind).items() if hint == _BOOLS}
