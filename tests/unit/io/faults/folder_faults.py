"""Faults of what is in a PyTorchFire folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tests.unit.io.faults.cases import Damage, Fault, Rng, Sound
from tests.unit.io.faults.edits import (
    CLAIMS,
    HUGE,
    NAN,
    TURNED,
    TYPES,
    bomb_npz,
    cast,
    change_npz,
    emptied,
    forge_npz,
    holed,
    npz_of,
    scaled,
    turned,
)

FOLDER = ("pytorchfire",)


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


_COMPLEX = cast(np.complex64)


FOLDER_FAULTS = (
    Fault("huge header", FOLDER, _forged_file, CLAIMS),
    Fault("zip bomb: days", FOLDER, _bomb_wind, r"zip bomb", alone=True),
    Fault("zip bomb: cells", FOLDER, _bomb_canopy, r"claims [\d,]+ cells|zip bomb", alone=True),
    Fault("transposed axes", FOLDER, _any_file(turned), TURNED),
    Fault("zero size", FOLDER, _any_file(emptied), r"has shape \[[^]]*0\]|holds no cell"),
    Fault("zero size: days", FOLDER, _file("wind_velocity", lambda array, rng: array[:0]), r"holds no day"),
    Fault("not a number", FOLDER, _file("wind_velocity", holed(0.1)), NAN),
    Fault("not a number: infinite", FOLDER, _file("p_veg", holed(0.0, np.inf)), NAN),
    Fault(
        "mixed no data",
        FOLDER,
        _file("p_den", holed(0.1, -9999.0)),
        r"p_den.npz: [\d,]+ of [\d,]+ values are -9999, which is no data",
    ),
    Fault("wrong type: text", FOLDER, _any_file(cast("U8")), TYPES),
    Fault("wrong type: objects", FOLDER, _any_file(cast(object)), TYPES),
    Fault("wrong type: complex", FOLDER, _any_file(_COMPLEX), TYPES),
    Fault(
        "missing part",
        FOLDER,
        lambda s, rng: change_npz(s.path, {"other": lambda _: 1, "data": lambda _: None}),
        r"array data is missing",
    ),
    Fault("missing part: file", FOLDER, _lost_file, r"p_den.npz: the file does not exist"),
    Fault("impossible unit", FOLDER, _file("p_veg", scaled(100.0)), r"decodes to .* outside 0 … 100"),
    Fault("impossible unit: negative", FOLDER, _file("wind_velocity", scaled(-1.0)), r"below 0"),
    Fault(
        "impossible unit: wind",
        FOLDER,
        _file("wind_velocity", scaled(1000.0)),
        r"wind_velocity.npz: .* values are above 100 m/s",
    ),
    Fault("dates", FOLDER, _file("wind_velocity", lambda array, rng: array[:-1]), r"has \d days and .* has \d days"),
    Fault(
        "dates: years",
        FOLDER,
        _file("wind_velocity", lambda array, rng: np.repeat(array, 200, axis=0)),
        r"claims 800 days",
    ),
)
