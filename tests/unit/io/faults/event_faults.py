"""Faults of what is in an events HDF5 file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import h5py
import numpy as np

from tests.unit.io.faults.cases import WORKS, Damage, Fault, Rng
from tests.unit.io.faults.edits import hdf5, put
from tests.unit.io.landscape_files import EASTWARD, FIRE, NORTHWARD

FOLDER, MAPS, EVENTS = ("pytorchfire",), ("maps npz",), ("events hdf5",)
HUGE = (31_700, 31_700)
_BEAR = "Bear_2020"


def _holed(share: float, value: float = np.nan) -> Callable[[Any, Rng], Any]:
    def change(array: Any, rng: Rng) -> Any:
        changed = np.array(array, np.float32)
        changed[rng.random(changed.shape) < share] = value
        changed.flat[rng.integers(changed.size)] = value
        return changed

    return change


def _raster(name: str, change: Callable[[Any, Rng], Any]) -> Damage:
    def changed(file: h5py.File, rng: Rng) -> None:
        group = file[_BEAR]
        held = group[name][()] if name in group else None
        put(group, name, change(held, rng))

    return hdf5(changed)


def _dated(stack: str, change: Callable[[Any, Rng], Any]) -> Damage:
    """Change one raster of a stack."""

    def changed(file: h5py.File, rng: Rng) -> None:
        group = file[_BEAR][stack]
        name = sorted(group)[rng.integers(len(group))]
        put(group, name, change(group[name][()], rng))

    return hdf5(changed)


def _moved(stack: str, to: str) -> Damage:
    """The last raster of a stack under another name."""

    def changed(file: h5py.File, rng: Rng) -> None:
        group = file[_BEAR][stack]
        group.move(sorted(group)[-1], to)

    return hdf5(changed)


def _copied(stack: str, to: Callable[[str], str]) -> Damage:
    def changed(file: h5py.File, rng: Rng) -> None:
        group = file[_BEAR][stack]
        first = sorted(group)[0]
        group.copy(first, to(first))

    return hdf5(changed)


def _without(*names: str) -> Damage:
    def changed(file: h5py.File, rng: Rng) -> None:
        for name in names:
            del file[_BEAR][name]

    return hdf5(changed)


def _backwards(file: h5py.File, rng: Rng) -> None:
    for stack in (FIRE, EASTWARD, NORTHWARD):
        group = file[_BEAR][stack]
        held = {name: group[name][()] for name in group}
        del file[_BEAR][stack]
        again = file[_BEAR].create_group(stack, track_order=True)
        for name in sorted(held, reverse=True):
            again.create_dataset(name, data=held[name])


def _huge_raster(file: h5py.File, rng: Rng) -> None:
    put(file[_BEAR], "ELEV2020", None, shape=HUGE, dtype="i2", chunks=(256, 256), compression="gzip")
    file[_BEAR].attrs.update({"height": HUGE[0], "width": HUGE[1]})


def _bomb_event(file: h5py.File, rng: Rng) -> None:
    """A hundred rasters of four million cells each, none of which was ever written."""
    group, side = file[_BEAR], 2000
    group.attrs.update({"height": side, "width": side})
    for name in [key for key in group if key not in (FIRE, EASTWARD, NORTHWARD)]:
        put(group, name, None, shape=(side, side), dtype="i2", chunks=(250, 250), compression="gzip")
    for stack in (EASTWARD, NORTHWARD):
        del group[stack]
        for day in range(50):
            name = f"2020-{8 + day // 30:02d}-{day % 30 + 1:02d}"
            put(group.require_group(stack), name, None, shape=(side, side), dtype="f8", chunks=(250, 250))
    del group[FIRE]


def _lost_sizes(file: h5py.File, rng: Rng) -> None:
    for name in ("height", "width"):
        del file[_BEAR].attrs[name]
    for name in ("ELEV2020", "230CC"):
        put(file[_BEAR], name, file[_BEAR][name][()].T)


def _scaled(factor: float) -> Callable[[Any, Rng], Any]:
    return lambda array, rng: np.asarray(array, np.float32) * factor


def _turn(array: Any, rng: Rng) -> Any:
    return np.swapaxes(array, -1, -2)


_EMPTY: Callable[[Any, Rng], Any] = lambda array, rng: array[..., :0]  # noqa: E731

_TYPES = r"holds .* values|holds Python objects|is not one (number|text)"
_HUGE = r"claims [\d,]+ (cells|values) .*at most"
_TURNED = r"axes are transposed"


EVENT_FAULTS = (
    Fault("huge header", EVENTS, hdf5(_huge_raster), _HUGE),
    Fault("zip bomb", EVENTS, hdf5(_bomb_event), r"zip bomb"),
    Fault("transposed axes", EVENTS, _raster("ELEV2020", _turn), _TURNED),
    Fault("transposed axes", EVENTS, _dated(EASTWARD, _turn), _TURNED, variant="wind"),
    Fault("transposed axes", EVENTS, hdf5(_lost_sizes), _TURNED, variant="no sizes"),
    Fault("zero size", EVENTS, _raster("230CC", _EMPTY), r"has 6 × 0 cells"),
    Fault(
        "zero size", EVENTS, _raster("230CC", lambda array, rng: h5py.Empty("f4")), r"has shape \[\]", variant="null"
    ),
    Fault(
        "not a number",
        EVENTS,
        _raster("SLPD2020", lambda array, rng: np.full(array.shape, np.inf)),
        r"no value|no number|no data|NaN",
    ),
    Fault(
        "mixed no data",
        EVENTS,
        _raster("ELEV2020", _holed(0.2, -32768.0)),
        r"Elevation: −32768 \(\d+ cells\) read as no data",
        WORKS,
    ),
    Fault(
        "mixed no data",
        EVENTS,
        _dated(FIRE, _holed(0.2, -9999.0)),
        r"No data in \d+ cells? of the fire",
        WORKS,
        variant="fire",
    ),
    Fault(
        "wrong type",
        EVENTS,
        _raster("230FBFM40", lambda array, rng: np.asarray(array).astype("S4")),
        _TYPES,
        variant="text",
    ),
    Fault(
        "wrong type",
        EVENTS,
        _raster("230CBD", lambda array, rng: np.zeros(array.shape, [("a", "f4")])),
        _TYPES,
        variant="compound",
    ),
    Fault(
        "wrong type",
        EVENTS,
        _dated(FIRE, lambda array, rng: array.astype(np.float32) + 0.5),
        r"neither 0 nor 1 nor 255",
        variant="flags",
    ),
    Fault("missing part", EVENTS, _without(EASTWARD), r"has no day with wind"),
    Fault("missing part", EVENTS, hdf5(lambda file, rng: file.move(_BEAR, "a/b")), r"holds no event", variant="event"),
    Fault("missing part", EVENTS, _without(FIRE), r"no observed perimeters and no ignition", WORKS, variant="fire"),
    Fault("impossible unit", EVENTS, _raster("230CC", lambda array, rng: array * 100), r"230CC"),
    Fault("impossible unit", EVENTS, _raster("SLPD2020", lambda array, rng: array * 100), r"SLPD2020", variant="slope"),
    Fault("impossible unit", EVENTS, _dated(EASTWARD, _scaled(300.0)), r"is above 100 m/s", variant="wind"),
    Fault("dates", EVENTS, _moved(EASTWARD, "2220-08-19"), r"dates run from .* at most 366", variant="centuries"),
    Fault(
        "dates",
        EVENTS,
        _moved(FIRE, "2020-02-31"),
        r"fire/2020-02-31: is named after a day that does not exist",
        variant="impossible",
    ),
    Fault(
        "dates", EVENTS, _copied(FIRE, lambda name: name.replace("-", "_")), r"is a second raster for", variant="twice"
    ),
    Fault("dates", EVENTS, hdf5(_backwards), r"2020-08-19", WORKS, variant="backwards"),
)
