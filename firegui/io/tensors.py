"""Arrays in safetensors files, and what is wrong with bytes that should be one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load, save

from firegui.errors import InputError, Problem
from firegui.io.atomic import replacing

_COUNT = 8


def write_arrays(path: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays as safetensors, atomically."""
    data = save({name: np.ascontiguousarray(array) for name, array in arrays.items()})
    with replacing(path) as temporary:
        temporary.write_bytes(data)  # save_file would keep the file from everybody else


def read_arrays(
    path: Path, names: Sequence[str] = (), remedy: str = "start the run again without resuming"
) -> dict[str, NDArray[Any]]:
    """Read the arrays called ``names``, all without any. Raises :class:`~firegui.errors.InputError` where it cannot."""
    try:
        stored = load(path.read_bytes())
        return {name: stored[name] for name in names or stored}
    except (OSError, SafetensorError, KeyError, ValueError, TypeError) as error:
        raise InputError([Problem(str(path), f"cannot be read ({error})", remedy)]) from error


def no_tensors(data: bytes, error: Exception) -> str:
    """Why ``data`` could not be read, given what the reader says: it ends too early, or is something else."""
    length = int.from_bytes(data[:_COUNT], "little")
    start = data[_COUNT : _COUNT + length]
    if start.startswith(b"{") and len(start) < length <= 100 * len(data):
        return f"is cut short: its header ends after {len(start):,} of {length:,} bytes"
    end = _end(start)
    missing = end - (len(data) - _COUNT - length)
    if end and missing > 0:
        return f"is cut short: {missing:,} bytes of its tensors are not there"
    return f"is not a safetensors file ({' '.join(str(error).split())})"


def _end(header: bytes) -> int:
    """Where the last tensor ends as the header says, 0 where it says nothing that can be understood."""
    try:
        about: Any = json.loads(header)
        return max((int(entry["data_offsets"][1]) for key, entry in about.items() if key != "__metadata__"), default=0)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return 0
