"""Faults of what is in a maps npz."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.unit.io.faults.cases import Damage, Fault, Rng, Sound
from tests.unit.io.faults.edits import (
    CLAIMS,
    HUGE,
    NAN,
    TURNED,
    TYPES,
    Change,
    bomb_npz,
    cast,
    change_npz,
    emptied,
    forge_npz,
    holed,
    npz_of,
    scaled,
)

MAPS = ("maps npz",)


def _array(key: str, change: Callable[[Any, Rng], Any]) -> Damage:
    return lambda sound, rng: change_npz(sound.path, {key: lambda array: change(array, rng)})


def _arrays(**changes: Change) -> Damage:
    return lambda sound, rng: change_npz(sound.path, changes)


def _one_of(keys: tuple[str, ...], change: Callable[[Any, Rng], Any]) -> Damage:
    return lambda sound, rng: _array(keys[rng.integers(len(keys))], change)(sound, rng)


def _turned_maps(sound: Sound, rng: Rng) -> None:
    key = ("phi", "gamma", "wind_speed", "burnable")[rng.integers(4)]
    change_npz(sound.path, {key: lambda array: np.swapaxes(array, -1, -2)})


def _forged_maps(sound: Sound, rng: Rng) -> None:
    key, shape = (("phi", (2, 8, *HUGE)), ("gamma", (2, *HUGE)), ("burnable", HUGE))[rng.integers(3)]
    forge_npz(sound.path, key, shape)


def _bomb_maps(sound: Sound, rng: Rng) -> None:
    bomb_npz(sound.path, "phi", (120, 8, 600, 600))


def _many_arrays(sound: Sound, rng: Rng) -> None:
    arrays = npz_of(sound.path)
    many: dict[str, Any] = {f"x{n}": np.zeros(1, np.uint8) for n in range(12_000)}
    np.savez(sound.path, **arrays, **many)


_NOTHING: Callable[[Any, Rng], Any] = lambda array, rng: None  # noqa: E731


MAPS_FAULTS = (
    Fault("huge header", MAPS, _forged_maps, CLAIMS),
    Fault("zip bomb", MAPS, _bomb_maps, r"zip bomb|claims", alone=True),
    Fault("zip bomb: members", MAPS, _many_arrays, r"holds 12,0\d\d arrays"),
    Fault("transposed axes", MAPS, _turned_maps, TURNED),
    Fault(
        "transposed axes: days",
        MAPS,
        _array("phi", lambda array, rng: array.swapaxes(0, 1)),
        r"phi: .*axes are transposed",
    ),
    Fault("zero size", MAPS, _one_of(("gamma", "burnable", "wind_dir"), emptied), r"has shape \[[^]]*0\]"),
    Fault(
        "zero size: all",
        MAPS,
        _arrays(
            **{
                key: lambda array: array[..., :0, :]
                for key in ("phi", "gamma", "wind_speed", "wind_dir", "burnable", "ignition")
            }
        ),
        r"holds no cell",
    ),
    Fault("not a number", MAPS, _one_of(("phi", "gamma", "wind_speed", "wind_dir"), holed(0.05)), NAN),
    Fault(
        "not a number: scalar",
        MAPS,
        _one_of(("T_burn", "dx", "c_req"), lambda array, rng: np.float64("nan")),
        r"is nan",
    ),
    Fault(
        "mixed no data",
        MAPS,
        _one_of(("phi", "gamma", "wind_speed"), holed(0.05, -9999.0)),
        r"values are -9999, which is no data",
    ),
    Fault("wrong type: text", MAPS, _one_of(("phi", "gamma", "burnable", "dx", "S_day"), cast("U8")), TYPES),
    Fault("wrong type: objects", MAPS, _one_of(("phi", "gamma", "burnable", "crs", "transform"), cast(object)), TYPES),
    Fault(
        "wrong type: flags",
        MAPS,
        _one_of(("burnable", "ignition"), lambda array, rng: np.full(array.shape, 7)),
        r"neither 0 nor 1",
    ),
    Fault(
        "missing part",
        MAPS,
        _one_of(("phi", "gamma", "burnable", "wind_dir", "T_burn", "S_day", "dx", "c_req"), _NOTHING),
        r"the array \w+ is missing",
    ),
    Fault("wrong CRS", MAPS, _arrays(crs=lambda _: np.str_("EPSG:999999")), r"'EPSG:999999' is unknown"),
    Fault("wrong CRS: degrees", MAPS, _arrays(crs=lambda _: np.str_("EPSG:4326")), r"EPSG:4326 counts in degrees"),
    Fault(
        "wrong CRS: feet", MAPS, _arrays(crs=lambda _: np.str_("EPSG:2227")), r"cell size 30 m, but the transform makes"
    ),
    Fault(
        "wrong CRS: far",
        MAPS,
        _arrays(transform=lambda t: np.append(t[:5], 9e9)),
        r"has no longitude and latitude in EPSG:3310",
    ),
    Fault("impossible unit", MAPS, _one_of(("dx", "c_req"), scaled(-1.0)), r"is -"),
    Fault(
        "impossible unit: wind", MAPS, _array("wind_speed", scaled(1000.0)), r"wind_speed: .* values are above 100 m/s"
    ),
    Fault("dates", MAPS, _arrays(start=lambda _: np.str_("19.08.2020")), r"'19.08.2020' is not an ISO time"),
    Fault("dates: year", MAPS, _arrays(start=lambda _: np.str_("0020-08-19")), r"not in 1900 to 2199"),
)
