"""How a fire lies in memory: every gain where the kernels look for it, and nothing that burns outside the raster."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from firegui.domain.maps import FireMaps
from firegui.domain.stencil import EIGHT, SIXTEEN, Stencil
from firegui.rollout.kernels.cpu_model import layout_of
from firegui.rollout.kernels.cpu_state import bounding_box
from firegui.rollout.kernels.layout import Layout, aligned, clock_of, field_of, raster_of, shape_of, tiled_gains
from firegui.rollout.moving_start import start_fields
from tests.numerics.cases import model_of, random_maps, small_fleet

SHAPES = [(1, 1), (4, 16), (5, 17), (14, 33), (3, 1100)]


@pytest.mark.parametrize("neighbours", [8, 16])
@pytest.mark.parametrize("shape", SHAPES)
def test_every_gain_is_that_of_the_dense_layout_and_0_outside_the_raster(
    shape: tuple[int, int], neighbours: int
) -> None:
    maps = random_maps(1, shape=shape, days=2, neighbours=neighbours)
    wild = np.random.default_rng(0).uniform(size=shape) < 0.2
    phi, gamma = np.asarray(maps.phi).copy(), maps.gamma.copy()
    phi[:, 2:4, wild], gamma[:, wild] = 150.0, 120.0
    phi[:, 5, wild] = -1.0
    model = model_of(replace(maps, phi=phi, gamma=gamma), small_fleet())
    layout = layout_of(model)
    rows, columns = layout.shape.tile_rows, layout.shape.tile_columns
    tiles = layout.gains.values.reshape(2, rows, columns, 4, neighbours, 16)
    found = tiles.transpose(0, 4, 1, 3, 2, 5).reshape(2, neighbours, 4 * rows, 16 * columns)
    dense = model.K.numpy()
    np.testing.assert_array_equal(found[:, :, : shape[0], : shape[1]], dense)
    assert np.count_nonzero(found) == np.count_nonzero(dense)
    assert not wild.any() or dense.max() == 10_000.0


@pytest.mark.parametrize("stencil", [EIGHT, SIXTEEN])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_field_holds_its_raster_between_margins_of_zeros(shape: tuple[int, int], stencil: Stencil) -> None:
    raster = np.random.default_rng(1).uniform(1.0, 2.0, shape)
    sizes = shape_of(*shape, stencil)
    field = field_of(raster, sizes)
    assert len(field) == sizes.cells
    np.testing.assert_array_equal(raster_of(field, sizes), raster.astype(np.float32))
    assert np.count_nonzero(field) == raster.size
    for row, column in ((0, 0), (shape[0] - 1, shape[1] - 1), (shape[0] // 2, shape[1] // 2)):
        at = sizes.offset(row, column)
        assert field[at] == np.float32(raster[row, column])
        reach = max(row * sizes.stride + column for row, column in stencil.offsets)
        assert at - reach >= 0 and at + reach + 16 <= len(field)


def test_the_words_of_a_row_of_tiles_hold_a_bit_for_each() -> None:
    assert [shape_of(4, columns, EIGHT).words for columns in (1, 1024, 1025, 2048, 2049)] == [1, 1, 2, 2, 3]
    assert [shape_of(rows, 1, EIGHT).tile_rows for rows in (1, 4, 5)] == [1, 1, 2]


def test_memory_begins_at_a_page_and_is_zero() -> None:
    for count in (1, 100, 5000):
        array = aligned(count)
        assert len(array) == count
        assert array.ctypes.data % 4096 == 0
        assert not array.any()


def layout_from(maps: FireMaps) -> Layout:
    return Layout(maps, start_fields(maps)[0], tiled_gains(maps))


@pytest.mark.parametrize("shape", SHAPES)
def test_fields_begin_at_different_lines_of_a_page_and_share_no_cell(shape: tuple[int, int]) -> None:
    layout = layout_from(random_maps(6, shape=shape, days=1))
    with layout.workspace() as space:
        fields = space.fields
        places = [field.ctypes.data % 4096 for field in fields]
        assert [place % 64 for place in places] == [0] * len(places)
        assert len(set(places)) == len(places)
        assert [len(field) for field in fields] == [layout.shape.cells] * (len(fields) - 1) + [2 * layout.shape.cells]
        for number, field in enumerate(fields):
            field[:] = number
        assert [set(field.tolist()) for field in fields] == [{float(number)} for number in range(len(fields))]


@pytest.mark.parametrize("t_burn", [1.0, 1.2, 2.0, 10.0, 1000.0])
@pytest.mark.parametrize("steps_per_day", [1, 7, 50, 120])
def test_the_clock_knows_the_share_that_burns_on_and_never_leaves_float32(t_burn: float, steps_per_day: int) -> None:
    clock = clock_of(replace(random_maps(2, steps_per_day=steps_per_day), t_burn=t_burn))
    steps = np.arange(clock.period + 1)
    assert 1 <= clock.period <= steps_per_day
    assert np.isfinite(clock.growth).all() and (clock.decay > 0.0).all()
    np.testing.assert_allclose(clock.decay.astype(np.float64) * clock.growth, 1.0, rtol=1e-6)
    rate = 1.0 - 1.0 / t_burn
    np.testing.assert_allclose(clock.decay, rate**steps, rtol=1e-6, atol=2e-15)
    assert clock.period == steps_per_day or t_burn < 3.0


def test_a_workspace_is_used_again_and_two_at_once_are_different() -> None:
    layout = layout_from(random_maps(3))
    with layout.workspace() as first, layout.workspace() as second:
        assert first is not second
    with layout.workspace() as third:
        assert third is first or third is second


def test_a_workspace_that_an_error_left_is_thrown_away() -> None:
    layout = layout_from(random_maps(4))
    with pytest.raises(RuntimeError), layout.workspace() as broken:
        raise RuntimeError("left as it is")
    with layout.workspace() as other:
        assert other is not broken


def test_scratch_memory_grows_with_what_is_asked_for() -> None:
    layout = layout_from(random_maps(5))
    with layout.workspace() as space:
        small = space.room("some", 10, np.int32)
        assert space.room("some", len(small), np.int32) is small
        large = space.room("some", len(small) + 1, np.int32)
        assert len(large) > len(small) and large is not small
        assert space.room("other", 10, np.int32) is not large


@pytest.mark.parametrize(
    ("tiles", "window"),
    [
        ([], (slice(0, 0), slice(0, 0))),
        ([(0, 0)], (slice(0, 4), slice(0, 16))),
        ([(1, 2), (2, 68)], (slice(4, 10), slice(32, 1100))),
        ([(0, 63)], (slice(0, 4), slice(1008, 1024))),
        ([(0, 64)], (slice(0, 4), slice(1024, 1040))),
    ],
)
def test_the_bounding_box_of_tiles_ends_with_the_raster(
    tiles: list[tuple[int, int]], window: tuple[slice, slice]
) -> None:
    sizes = shape_of(10, 1100, EIGHT)
    touched = np.zeros((sizes.tile_rows, sizes.words), np.uint64)
    for row, column in tiles:
        touched[row, column // 64] |= np.uint64(1) << np.uint64(column % 64)
    assert bounding_box(touched.reshape(-1).view(np.int64), sizes) == window
