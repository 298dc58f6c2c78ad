"""The members of an ensemble in a file, so that it can be resumed or shown.

``ensemble.safetensors``. The tensors are those of :meth:`~firegui.domain.ensemble.EnsembleState.tensors`, the sums of
maps deflated: most of their cells never burn. ``weather [M, 3]`` is the members' wind, where it was drawn.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load

from firegui.domain.ensemble import EnsembleState
from firegui.domain.uncertainty import WeatherDraw
from firegui.errors import InputError, Problem
from firegui.io.array_files import write_arrays

_MAPS, _WEATHER = ("fire", "burning"), "weather"
_LEVEL = 1
"""Fast, because the user waits for the stop, and small enough."""


def write_members(path: Path, state: EnsembleState, weather: Sequence[WeatherDraw] = ()) -> None:
    """Write it atomically; ``weather`` may name more members than are done.

    Raises :class:`~firegui.errors.InputError` where the system refuses to write.
    """
    tensors: dict[str, NDArray[Any]] = {}
    for name, values in state.tensors().items():
        if name in _MAPS:
            packed = zlib.compress(np.ascontiguousarray(values).data, _LEVEL)
            tensors[f"{name}.deflated"] = np.frombuffer(packed, np.uint8)
            tensors[f"{name}.shape"] = np.array(values.shape, np.int64)
        else:
            tensors[name] = np.ascontiguousarray(values)
    if weather:
        rows = [(one.speed_factor, one.direction, one.delay_h) for one in weather[: state.members]]
        tensors[_WEATHER] = np.array(rows, np.float64).reshape(-1, 3)
    write_arrays(path, tensors)


def read_members(path: Path) -> tuple[EnsembleState, tuple[WeatherDraw, ...]]:
    """Read what :func:`write_members` wrote.

    Raises :class:`~firegui.errors.InputError` where it cannot be read.
    """
    try:
        tensors: dict[str, NDArray[Any]] = load(path.read_bytes())
        for name in _MAPS:
            data, shape = tensors.pop(f"{name}.deflated"), tensors.pop(f"{name}.shape")
            flat = np.frombuffer(zlib.decompress(data.data), np.uint32)
            tensors[name] = flat.reshape([int(size) for size in shape])
        drawn = tensors.pop(_WEATHER, np.zeros((0, 3)))
        weather = tuple(WeatherDraw(*(float(value) for value in row)) for row in drawn)
        return EnsembleState.of_tensors(tensors), weather
    except (OSError, SafetensorError, KeyError, ValueError, TypeError, zlib.error) as error:
        problem = Problem(str(path), f"cannot be read ({error})", "make the ensemble again elsewhere")
        raise InputError([problem], "The ensemble cannot be read") from error
