"""The explicit vectors and the exponentials written in them, lane by lane against numpy and float64."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

from firegui.native.vectors import (
    bits_above,
    first_lane,
    fma,
    lanes8,
    last_lane,
    load8,
    load16,
    lowest_bit,
    minimum,
    power_of_half,
    rounded,
    set_bits,
    splat8,
    splat16,
    store,
    to_left,
    to_right,
    total,
    where_above,
)
from firegui.rollout.kernels.cpu_arithmetic import FAINT, bright16, survival8, survival16
from firegui.rollout.kernels.layout import CUT_OFF

Floats = NDArray[np.float32]
ULP = 2.0**-23


def _ignited(exposures, out):  # type: ignore[no-untyped-def]
    """``1 − e^{−h}`` as the forward pass forms it, 0 up to the cut-off."""
    for at in range(0, len(exposures), 16):
        heat = load16(exposures, at)
        share = splat16(np.float32(1.0)) - survival16(heat)
        store(out, at, where_above(heat, splat16(CUT_OFF), share))


def _survived(doses, wide, narrow):  # type: ignore[no-untyped-def]
    for at in range(0, len(doses), 16):
        store(wide, at, survival16(load16(doses, at)))
        store(narrow, at, survival8(load8(doses, at)))
        store(narrow, at + 8, survival8(load8(doses, at + 8)))


def _lanewise(a, b, c, out, numbers):  # type: ignore[no-untyped-def]
    """Each function of 16 lanes into a row of 16, what is not a vector into ``numbers``."""
    x, y, z = load16(a, 0), load16(b, 0), load16(c, 0)
    store(out, 0, x + y)
    store(out, 16, x - y)
    store(out, 32, x * y)
    store(out, 48, fma(x, y, z))
    store(out, 64, minimum(x, y))
    store(out, 80, where_above(x, y, z))
    store(out, 96, rounded(x))
    store(out, 112, to_left(x))
    store(out, 128, to_right(x))
    store(out, 144, splat16(c[3]))
    store(out, 160, lanes8())
    store(out, 168, splat8(c[4]))
    store(out, 176, bright16(x * splat16(FAINT)))
    store(out, 192, power_of_half(load16(numbers, 0)))
    bits = bits_above(x, y), bits_above(load8(a, 0), load8(b, 0))
    return first_lane(x), last_lane(x), total(x), total(load8(a, 0)), bits[0], bits[1]


def _bits(words, lowest, counts):  # type: ignore[no-untyped-def]
    for k in range(len(words)):
        lowest[k], counts[k] = lowest_bit(words[k]), set_bits(words[k])


@pytest.fixture(scope="module")
def compiled() -> dict[str, Any]:
    compile_ = numba.njit(error_model="numpy")
    return {function.__name__: compile_(function) for function in (_ignited, _survived, _lanewise, _bits)}


@pytest.fixture(scope="module")
def lanes(compiled: dict[str, Any]) -> tuple[Floats, Floats, Floats, Floats, tuple[Any, ...]]:
    rng = np.random.default_rng(0)
    a, b, c = (rng.normal(scale=3.0, size=16).astype(np.float32) for _ in range(3))
    a[2], b[2], a[5:7] = 1.5, 1.5, (0.5, -2.5)
    powers = np.concatenate([np.arange(14), [125, 126]]).astype(np.float32)
    out = np.zeros(208, np.float32)
    return a, b, c, out, compiled["_lanewise"](a, b, c, out, powers)


def whole(values: list[float] | NDArray[Any]) -> Floats:
    """float32, filled up to a multiple of 16."""
    found = np.asarray(values, np.float32)
    return np.concatenate([found, np.zeros(-len(found) % 16, np.float32)])


def ignited(compiled: dict[str, Any], exposures: Floats) -> Floats:
    padded = whole(exposures)
    out = np.empty_like(padded)
    compiled["_ignited"](padded, out)
    return out[: len(exposures)]


# -- the exponential --------------------------------------------------------------------------------------------------
def test_a_small_exposure_ignites_the_correctly_rounded_share(compiled: dict[str, Any]) -> None:
    rng = np.random.default_rng(1)
    exposures = np.exp(rng.uniform(np.log(2.0**-25), np.log(1e-4), 400_000)).astype(np.float32)
    exposures = exposures[exposures > CUT_OFF]
    # The model's is 1 − e with e the float32 nearest to e^{−h}; the difference of the two is exact.
    nearest = np.exp(-exposures.astype(np.float64)).astype(np.float32)
    np.testing.assert_array_equal(ignited(compiled, exposures), np.float32(1.0) - nearest)


def test_nothing_ignites_up_to_the_cut_off_and_something_above_it(compiled: dict[str, Any]) -> None:
    cut = np.float32(2.0**-25)
    below = [np.float32(0.0), np.float32(1e-42), np.float32(2.0**-26), np.nextafter(cut, np.float32(0.0)), cut]
    assert not ignited(compiled, np.array(below, np.float32)).any()
    above = np.array([np.nextafter(cut, np.float32(1.0)), np.float32(2.0**-24), np.float32(3e-7)], np.float32)
    np.testing.assert_array_equal(ignited(compiled, above), np.array([2.0**-24, 2.0**-24, 5.0 * 2.0**-24], np.float32))


def test_more_exposure_never_ignites_less(compiled: dict[str, Any]) -> None:
    near = np.float32(2.0**-25) + np.arange(-500, 3000).astype(np.float32) * np.float32(2.0**-48)
    wide = np.exp(np.linspace(np.log(2.0**-26), np.log(20.0), 200_000)).astype(np.float32)
    for exposures in (near, wide):
        assert float(np.diff(ignited(compiled, exposures)).min()) >= -ULP / 2.0
    assert float(np.diff(ignited(compiled, near)).min()) >= 0.0


@pytest.mark.parametrize("most", [1.0, 20.0, 50.0, 87.0])
def test_both_exponentials_have_a_small_relative_error(compiled: dict[str, Any], most: float) -> None:
    exposures = np.linspace(0.0, most, 16 * 20_000).astype(np.float32)
    wide, narrow = np.empty_like(exposures), np.empty_like(exposures)
    compiled["_survived"](exposures, wide, narrow)
    truth = np.exp(-exposures.astype(np.float64))
    assert float(np.abs(wide / truth - 1.0).max()) < 4e-7 + 6e-8 * most
    doses = exposures <= 50.0
    assert float(np.abs(narrow[doses] / truth[doses] - 1.0).max()) < 2.5e-7
    assert wide[0] == narrow[0] == 1.0


def test_beyond_their_range_the_exponentials_stay_where_it_ends(compiled: dict[str, Any]) -> None:
    doses = whole([50.0, 50.5, 1e6, 3e38, 87.0, 88.0, 1e9, np.inf])
    wide, narrow = np.empty_like(doses), np.empty_like(doses)
    compiled["_survived"](doses, wide, narrow)
    assert float(narrow[0]) == pytest.approx(np.exp(-50.0), rel=1e-6)
    assert len(set(narrow[:8].tolist())) == 1
    assert len(set(wide[[2, 3, 4, 5, 6, 7]].tolist())) == 1
    assert 0.0 < float(wide[4]) < 2e-38


# -- lanes ------------------------------------------------------------------------------------------------------------
def test_arithmetic_rounds_each_lane_as_numpy_does(lanes: tuple[Any, ...]) -> None:
    a, b, c, out, _ = lanes
    np.testing.assert_array_equal(out[:16], a + b)
    np.testing.assert_array_equal(out[16:32], a - b)
    np.testing.assert_array_equal(out[32:48], a * b)
    exact = a.astype(np.float64) * b + c
    np.testing.assert_allclose(out[48:64], exact, rtol=2e-7, atol=1e-6)


def test_the_smaller_of_two_and_what_is_above_a_limit(lanes: tuple[Any, ...]) -> None:
    a, b, c, out, _ = lanes
    np.testing.assert_array_equal(out[64:80], np.minimum(a, b))
    np.testing.assert_array_equal(out[80:96], np.where(a > b, c, 0.0))
    assert out[82] == 0.0  # equal is not above
    np.testing.assert_array_equal(out[176:192], np.where(a > 1.0, a * FAINT, 0.0))


def test_rounding_takes_halves_to_the_even_number(lanes: tuple[Any, ...]) -> None:
    a, _, _, out, _ = lanes
    np.testing.assert_array_equal(out[96:112], np.rint(a))
    assert (out[101], out[102], out[98]) == (0.0, -2.0, 2.0)


def test_lanes_move_by_one_and_a_zero_comes_in(lanes: tuple[Any, ...]) -> None:
    a, _, _, out, _ = lanes
    np.testing.assert_array_equal(out[112:128], [*a[1:], 0.0])
    np.testing.assert_array_equal(out[128:144], [0.0, *a[:-1]])


def test_numbers_become_vectors_and_vectors_numbers(lanes: tuple[Any, ...]) -> None:
    a, b, c, out, (first, last, sum16, sum8, bits16, bits8) = lanes
    np.testing.assert_array_equal(out[144:160], np.full(16, c[3]))
    np.testing.assert_array_equal(out[160:168], np.arange(8))
    np.testing.assert_array_equal(out[168:176], np.full(8, c[4]))
    assert (first, last) == (a[0], a[15])
    halves = a.copy()
    while len(halves) > 1:  # the order in which lanes are added is part of what is promised
        halves = halves[: len(halves) // 2] + halves[len(halves) // 2 :]
    assert sum16 == halves[0]
    assert sum8 == pytest.approx(float(a[:8].sum()), rel=1e-5)
    assert bits16 == sum(1 << k for k in range(16) if a[k] > b[k])
    assert bits8 == bits16 & 0xFF


def test_powers_of_a_half_are_exact(lanes: tuple[Any, ...]) -> None:
    np.testing.assert_array_equal(lanes[3][192:208], 0.5 ** np.array([*range(14), 125, 126]))


def test_bits_of_a_word_are_found_and_counted_up_to_its_sign(compiled: dict[str, Any]) -> None:
    words = np.array([1, 2, 3, 1 << 40, (1 << 62) | 8, -(1 << 63), -1], np.int64)
    lowest, counts = np.zeros(7, np.int64), np.zeros(7, np.int64)
    compiled["_bits"](words, lowest, counts)
    assert lowest.tolist() == [0, 1, 0, 40, 3, 63, 0]
    assert counts.tolist() == [1, 1, 2, 1, 2, 1, 64]
