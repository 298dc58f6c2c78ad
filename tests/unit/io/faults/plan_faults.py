"""Faults of what is in schedules and weights."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from typing import Any

import numpy as np
from safetensors.numpy import load, save

from tests.unit.io.faults.cases import WORKS, Damage, Fault, Rng, Sound
from tests.unit.io.faults.edits import text

CSV, PLAN, WEIGHTS = ("schedule csv",), ("schedule plan",), ("weights",)


def _line(number: int, change: Callable[[str], str]) -> Damage:
    """Change one line of a table of drops, the header being 0."""

    def changed(held: str, rng: Rng) -> str:
        lines = held.splitlines()
        lines[number] = change(lines[number])
        return "\n".join(lines) + "\n"

    return text(changed)


def _cell(column: int, value: str) -> Damage:
    def change(line: str) -> str:
        cells = line.split(",")
        cells[column] = value
        return ",".join(cells)

    return _line(2, change)


def _doubled(held: str, rng: Rng) -> str:
    lines = held.splitlines()
    return "\n".join([*lines, lines[2]]) + "\n"


def _backwards(held: str, rng: Rng) -> str:
    lines = held.splitlines()
    return "\n".join([lines[0], *reversed(lines[1:])]) + "\n"


def _tensors(change: Callable[[dict[str, Any], Rng], Any]) -> Damage:
    """Change the tensors and keep what the file says of them."""

    def damage(sound: Sound, rng: Rng) -> None:
        data = sound.path.read_bytes()
        header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
        tensors = dict(load(data))
        change(tensors, rng)
        sound.path.write_bytes(save(tensors, header.get("__metadata__")))

    return damage


def _tensor(key: str, change: Callable[[Any], Any]) -> Damage:
    return _tensors(lambda tensors, rng: tensors.update({key: np.ascontiguousarray(change(tensors[key]))}))


def _holed(value: float) -> Callable[[Any], Any]:
    def change(array: Any) -> Any:
        changed = np.array(array)
        changed.flat[changed.size // 3] = value
        return changed

    return change


def _claiming(shape: list[int]) -> Damage:
    """A header of tensors that claims gigabytes of the first tensor, in a file that ends behind it."""

    def damage(sound: Sound, rng: Rng) -> None:
        data = sound.path.read_bytes()
        header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
        name = next(key for key in header if key != "__metadata__")
        size = int(np.prod(shape)) * 4
        header = {"__metadata__": header.get("__metadata__") or {}} | {
            name: {"dtype": "F32", "shape": shape, "data_offsets": [0, size]}
        }
        start = json.dumps(header).encode()
        sound.path.write_bytes(struct.pack("<Q", len(start)) + start + bytes(1000))

    return damage


PLAN_FAULTS = (
    Fault("missing part", CSV, _line(0, lambda line: line.replace("theta", "angle")), r"the column theta is missing"),
    Fault("missing part: cells", CSV, _line(2, lambda line: line.rsplit(",", 2)[0]), r"has 3 of 5 columns"),
    Fault("not a number", CSV, _cell(2, "nan"), r"y 'nan' is not a finite number"),
    Fault("wrong type", CSV, _cell(0, "six"), r"step 'six' is not a whole number"),
    Fault("wrong type: aircraft", CSV, _cell(1, "Q-9"), r"'Q-9' is not in the fleet"),
    Fault("wrong CRS", CSV, _cell(3, "-104430.0"), r"x -104430.0 lies outside the raster"),
    Fault("impossible unit", CSV, _cell(0, "1000000000"), r"step 1000000000 lies outside the plan"),
    Fault("twice", CSV, text(_doubled), r"second|twice|again|already"),
    Fault("dates: backwards", CSV, text(_backwards), r"drops|executed|proposed", WORKS),
    Fault("transposed axes", PLAN, _tensor("D", np.transpose), r"do not fit together|was made for"),
    Fault("zero size", PLAN, _tensor("D", lambda array: array[:0]), r"D of 0 × \d+ and"),
    Fault("not a number", PLAN, _tensor("D", _holed(np.nan)), r"not finite numbers, in its table D"),
    Fault("wrong type", PLAN, _tensor("D", lambda array: array.astype(np.int64)), r"not finite numbers|holds int64"),
    Fault("missing part", PLAN, _tensors(lambda tensors, rng: tensors.pop("D")), r"has no table D"),
    Fault("huge header", PLAN, _claiming([31_700, 31_700]), r"cut short|claims"),
    Fault(
        "impossible unit",
        PLAN,
        _tensors(lambda t, rng: t.update({"D": t["D"] + 99.0, "pose": t["pose"] + 1e6})),
        r"lies outside the raster",
    ),
    Fault("transposed axes", WEIGHTS, _tensor("fuel.weight", np.transpose), r"fuel.weight.* shape"),
    Fault("zero size", WEIGHTS, _tensor("head.bias", lambda array: array[:0]), r"head.bias.* shape"),
    Fault("not a number", WEIGHTS, _tensor("head.weight", _holed(np.inf)), r"head.weight.*not finite"),
    Fault("wrong type", WEIGHTS, _tensor("head.bias", lambda array: array.astype(np.float64)), r"head.bias.*float64"),
    Fault(
        "missing part",
        WEIGHTS,
        _tensors(lambda tensors, rng: tensors.pop("branches.1.bias")),
        r"branches.1.bias.*missing",
    ),
    Fault(
        "missing part: about",
        WEIGHTS,
        lambda s, rng: s.path.write_bytes(save(dict(load(s.path.read_bytes())))),
        r"does not say what it was trained on",
    ),
    Fault("huge header", WEIGHTS, _claiming([31_700, 31_700]), r"cut short|claims"),
)
