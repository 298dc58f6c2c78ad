from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from firegui.analyses.uncertainty.ensemble_file import read_members, write_members
from firegui.domain.ensemble import EnsembleState, packed
from firegui.domain.uncertainty import WeatherDraw
from firegui.errors import InputError

WINDS = (WeatherDraw(1.25, -0.1, 3.0), WeatherDraw(0.8, 0.30000000000000004, -1.0), WeatherDraw(1.0, 0.0, 0.0))


def state(samples: bool = True) -> EnsembleState:
    rng = np.random.default_rng(3)
    extent = rng.uniform(size=(2, 2, 3))
    fire = rng.integers(0, 65536, (2, 3, 5, 7)).astype(np.uint32)
    drawn = fire[0] > 30000
    kept = tuple(tuple(packed(drawn, ~drawn) for _ in range(2)) for _ in range(2))
    return EnsembleState(extent, 0.5 * extent, fire, fire // 2, (4, 9), kept if samples else ())


@pytest.mark.parametrize("samples", [True, False])
def test_the_members_read_back_bit_for_bit(samples: bool, tmp_path: Path) -> None:
    path, there = tmp_path / "members.safetensors", state(samples)
    write_members(path, there, WINDS)
    found, weather = read_members(path)
    for name, values in there.tensors().items():
        assert (found.tensors()[name] == values).all() and found.tensors()[name].dtype == values.dtype
    assert found.corner == (4, 9) and found.samples == there.samples
    assert weather == WINDS[:2], "of the members that are done"


def test_fires_that_burn_little_take_little_room(tmp_path: Path) -> None:
    empty = np.zeros((2, 16, 200, 200), np.uint32)
    write_members(tmp_path / "m.safetensors", EnsembleState(np.zeros((2, 1, 16)), np.zeros((2, 1, 16)), empty, empty))
    assert (tmp_path / "m.safetensors").stat().st_size < 0.01 * 2 * empty.nbytes
    assert read_members(tmp_path / "m.safetensors")[1] == ()


@pytest.mark.parametrize("keep", [0, 40, -1])
def test_a_file_that_is_cut_off_is_refused(keep: int, tmp_path: Path) -> None:
    path = tmp_path / "members.safetensors"
    write_members(path, state())
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(InputError, match="members"):
        read_members(path)
    with pytest.raises(InputError):
        read_members(tmp_path / "none")
