"""Faults of what is in a PyTorchFire folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tests.unit.io.faults.cases import Damage, Fault, Rng, Sound
from tests.unit.io.faults.edits import HUGE, bomb_npz, change_npz, forge_npz, holed, npz_of

FOLDER, MAPS, EVENTS = ("pytorchfire",), ("maps npz",), ("events hdf5",)


def _file(name: str, change: Callable[[Any, Rng], Any]) -> Damage:
    def damage(sound: Sound, rng: Rng) -> None:
        change_npz(sound.path.with_name(f"{name}.npz"), {"data": lambda array: change(array, rng)})

    return damage


def _any_file(change: Callable[[Any, Rng], Any]) -> Damage:
    return lambda sound, rng: change_npz(sound.path, {"data": lambda array: change(array, rng)})


def _forged_file(sound: Sound, rng: Rng) -> None:
    array = npz_of(sound.path)["data"]
    forge_npz(sound.path, "data", (*array.shape[:-2], *HUGE))


def _grow_all(folder: Path, side: int) -> None:
    for path in folder.glob("*.npz"):
        array = npz_of(path)["data"]
        np.savez_compressed(path, data=np.zeros((*array.shape[:-2], side, side), bool))


def _bomb_wind(sound: Sound, rng: Rng) -> None:
    _grow_all(sound.path.parent, 1000)
    bomb_npz(sound.path.with_name("wind_velocity.npz"), "data", (300, 1000, 1000))


def _bomb_canopy(sound: Sound, rng: Rng) -> None:
    bomb_npz(sound.path.with_name("p_veg.npz"), "data", (20_000, int(rng.integers(15_000, 20_000))))


def _lost_file(sound: Sound, rng: Rng) -> None:
    sound.path.with_name("p_den.npz").unlink()


def _scaled(factor: float) -> Callable[[Any, Rng], Any]:
    return lambda array, rng: np.asarray(array, np.float32) * factor


def _cast(dtype: Any) -> Callable[[Any, Rng], Any]:
    return lambda array, rng: np.asarray(array).astype(dtype)


def _turn(array: Any, rng: Rng) -> Any:
    return np.swapaxes(array, -1, -2)


_OBJECTS = _cast(object)
_TEXT = _cast("U8")
_COMPLEX = _cast(np.complex64)
_EMPTY: Callable[[Any, Rng], Any] = lambda array, rng: array[..., :0]  # noqa: E731

_TYPES = r"holds .* values|holds Python objects|is not one (number|text)"
_NAN = r"NaN or infinite"
_HUGE = r"claims [\d,]+ (cells|values) .*at most"
_TURNED = r"axes are transposed"


FOLDER_FAULTS = (
    Fault("huge header", FOLDER, _forged_file, _HUGE),
    Fault("zip bomb", FOLDER, _bomb_wind, r"zip bomb", variant="days", alone=True),
    Fault("zip bomb", FOLDER, _bomb_canopy, r"claims [\d,]+ cells|zip bomb", variant="cells", alone=True),
    Fault("transposed axes", FOLDER, _any_file(_turn), _TURNED),
    Fault("zero size", FOLDER, _any_file(_EMPTY), r"has shape \[[^]]*0\]|holds no cell"),
    Fault("zero size", FOLDER, _file("wind_velocity", lambda array, rng: array[:0]), r"holds no day", variant="days"),
    Fault("not a number", FOLDER, _file("wind_velocity", holed(0.1)), _NAN),
    Fault("not a number", FOLDER, _file("p_veg", holed(0.0, np.inf)), _NAN, variant="infinite"),
    Fault(
        "mixed no data",
        FOLDER,
        _file("p_den", holed(0.1, -9999.0)),
        r"p_den.npz: [\d,]+ of [\d,]+ values are -9999, which is no data",
    ),
    Fault("wrong type", FOLDER, _any_file(_TEXT), _TYPES, variant="text"),
    Fault("wrong type", FOLDER, _any_file(_OBJECTS), _TYPES, variant="objects"),
    Fault("wrong type", FOLDER, _any_file(_COMPLEX), _TYPES, variant="complex"),
    Fault(
        "missing part",
        FOLDER,
        lambda s, rng: change_npz(s.path, {"other": lambda _: 1, "data": lambda _: None}),
        r"array data is missing",
    ),
    Fault("missing part", FOLDER, _lost_file, r"p_den.npz: the file does not exist", variant="file"),
    Fault("impossible unit", FOLDER, _file("p_veg", _scaled(100.0)), r"decodes to .* outside 0 … 100"),
    Fault("impossible unit", FOLDER, _file("wind_velocity", _scaled(-1.0)), r"below 0", variant="negative"),
    Fault(
        "impossible unit",
        FOLDER,
        _file("wind_velocity", _scaled(1000.0)),
        r"wind_velocity.npz: .* values are above 100 m/s",
        variant="wind",
    ),
    Fault("dates", FOLDER, _file("wind_velocity", lambda array, rng: array[:-1]), r"has \d days and .* has \d days"),
    Fault(
        "dates",
        FOLDER,
        _file("wind_velocity", lambda array, rng: np.repeat(array, 200, axis=0)),
        r"claims 800 days",
        variant="years",
    ),
)
