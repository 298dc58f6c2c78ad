"""Faults of what is in an events HDF5 file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import h5py
import numpy as np

from tests.unit.io.faults.cases import WORKS, Damage, Fault, Rng
from tests.unit.io.faults.edits import CLAIMS, HUGE, TURNED, TYPES, emptied, hdf5, holed, put, scaled, turned
from tests.unit.io.landscape_files import EASTWARD, FIRE, NORTHWARD

EVENTS = ("events hdf5",)
_BEAR = "Bear_2020"


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


EVENT_FAULTS = (
    Fault("huge header", EVENTS, hdf5(_huge_raster), CLAIMS),
    Fault("zip bomb", EVENTS, hdf5(_bomb_event), r"zip bomb"),
    Fault("transposed axes", EVENTS, _raster("ELEV2020", turned), TURNED),
    Fault("transposed axes: wind", EVENTS, _dated(EASTWARD, turned), TURNED),
    Fault("transposed axes: no sizes", EVENTS, hdf5(_lost_sizes), TURNED),
    Fault("zero size", EVENTS, _raster("230CC", emptied), r"has 6 × 0 cells"),
    Fault("zero size: null", EVENTS, _raster("230CC", lambda array, rng: h5py.Empty("f4")), r"has shape \[\]"),
    Fault(
        "not a number",
        EVENTS,
        _raster("SLPD2020", lambda array, rng: np.full(array.shape, np.inf)),
        r"no value|no number|no data|NaN",
    ),
    Fault(
        "mixed no data",
        EVENTS,
        _raster("ELEV2020", holed(0.2, -32768.0)),
        r"Elevation: −32768 \(\d+ cells\) read as no data",
        WORKS,
    ),
    Fault(
        "mixed no data: fire", EVENTS, _dated(FIRE, holed(0.2, -9999.0)), r"No data in \d+ cells? of the fire", WORKS
    ),
    Fault("wrong type: text", EVENTS, _raster("230FBFM40", lambda array, rng: np.asarray(array).astype("S4")), TYPES),
    Fault(
        "wrong type: compound",
        EVENTS,
        _raster("230CBD", lambda array, rng: np.zeros(array.shape, [("a", "f4")])),
        TYPES,
    ),
    Fault(
        "wrong type: flags",
        EVENTS,
        _dated(FIRE, lambda array, rng: array.astype(np.float32) + 0.5),
        r"neither 0 nor 1 nor 255",
    ),
    Fault("missing part", EVENTS, _without(EASTWARD), r"has no day with wind"),
    Fault("missing part: event", EVENTS, hdf5(lambda file, rng: file.move(_BEAR, "a/b")), r"holds no event"),
    Fault("missing part: fire", EVENTS, _without(FIRE), r"no observed perimeters and no ignition", WORKS),
    Fault("impossible unit", EVENTS, _raster("230CC", lambda array, rng: array * 100), r"230CC"),
    Fault("impossible unit: slope", EVENTS, _raster("SLPD2020", lambda array, rng: array * 100), r"SLPD2020"),
    Fault("impossible unit: wind", EVENTS, _dated(EASTWARD, scaled(300.0)), r"is above 100 m/s"),
    Fault("dates: centuries", EVENTS, _moved(EASTWARD, "2220-08-19"), r"dates run from .* at most 366"),
    Fault(
        "dates: impossible",
        EVENTS,
        _moved(FIRE, "2020-02-31"),
        r"fire/2020-02-31: is named after a day that does not exist",
    ),
    Fault("dates: twice", EVENTS, _copied(FIRE, lambda name: name.replace("-", "_")), r"is a second raster for"),
    Fault("dates: backwards", EVENTS, hdf5(_backwards), r"2020-08-19", WORKS),
)
