"""Checkpoints of planners: arrays in a safetensors file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, Self, get_type_hints

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file, save

from firegui.errors import InputError, Problem
from firegui.io.atomic import replacing

_BOOLS = NDArray[np.bool_]


class Checkpoint:
    """Base of frozen dataclasses whose fields are arrays. Those of type ``NDArray[np.bool_]`` are kept as bytes."""

    __slots__ = ()

    def save(self, path: Path) -> None:
        """Write as safetensors, atomically."""
        flags = _flags(type(self))
        arrays = {item.name: getattr(self, item.name) for item in fields(self)}  # type: ignore[arg-type]
        write_arrays(path, {name: array.astype(np.uint8) if name in flags else array for name, array in arrays.items()})

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read what :meth:`save` wrote. Raises :class:`~firegui.errors.InputError` when the file cannot be used."""
        flags = _flags(cls)
        stored = read_arrays(path, [item.name for item in fields(cls)])  # type: ignore[arg-type]
        return cls(**{name: array.astype(bool) if name in flags else array for name, array in stored.items()})


def write_arrays(path: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays as safetensors, atomically."""
    data = save({name: np.ascontiguousarray(array) for name, array in arrays.items()})
    with replacing(path) as temporary:
        temporary.write_bytes(data)  # save_file would keep the file from everybody else


def read_arrays(path: Path, names: Sequence[str] = ()) -> dict[str, NDArray[Any]]:
    """Read the arrays called ``names``, all without any. Raises :class:`~firegui.errors.InputError` where it cannot."""
    try:
        stored = load_file(path)
        return {name: stored[name] for name in names or stored}
    except Exception as error:  # safetensors raises its own and OSError alike
        remedy = "start the run again without resuming"
        raise InputError([Problem(str(path), f"cannot be read ({error})", remedy)]) from error


def _flags(kind: type) -> set[str]:
    return {name for name, hint in get_type_hints(kind).items() if hint == _BOOLS}
