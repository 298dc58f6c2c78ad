"""Footprints in pieces against the dense ones in float64: where they lie, what they sum to, their inner products."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from firegui.domain.fleet import Fleet, Material
from firegui.rollout.deposits import landing_offsets, scales_of
from firegui.rollout.footprint import CELL_VARIANCE, Footprints, footprints
from firegui.rollout.kernels.cpu_footprints import AMOUNT, Pieces
from firegui.rollout.kernels.cpu_model import aircraft_of, layout_of, wind_of
from firegui.rollout.kernels.cpu_reading import Listed, SlopeReader, read
from firegui.rollout.kernels.cpu_run import pieces_of
from firegui.rollout.kernels.layout import field_of, raster_of
from firegui.rollout.model import Model
from firegui.rollout.suppression import dose_of_payload
from tests.numerics.cases import aircraft, model_of, random_maps

SHAPE = (45, 70)
COUNT = 60
FAR_AWAY = 2e-10
"""Of a drop far outside the dense footprint spreads e^−50 / 1e-12 on every cell; the pieces have nothing there."""
KINDS = {
    "short and narrow": (30.0, 3.0),
    "long and narrow": (160.0, 6.0),
    "long and wide": (110.0, 60.0),
    "wider than long": (12.0, 70.0),
    "smaller than a cell": (2.0, 1.0),
}


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """Drops of one aircraft, one a step: poses, pieces, and the dense footprints with their slopes."""

    model: Model
    poses: NDArray[np.float64]
    pieces: Pieces
    dense: Footprints
    landing: NDArray[np.float64]
    dose: float


def random_poses(seed: int, where: str) -> NDArray[np.float64]:
    """``[COUNT, 1, 3]``; θ over several turns."""
    rng = np.random.default_rng(seed)
    theta = rng.uniform(-7.0, 10.0, COUNT)
    y, x = rng.uniform(0.0, SHAPE[0] - 1.0, COUNT), rng.uniform(0.0, SHAPE[1] - 1.0, COUNT)
    if where == "at the edges":
        side = rng.integers(4, size=COUNT)
        y = np.select([side == 0, side == 1], [rng.uniform(-3, 2, COUNT), SHAPE[0] - 1 - rng.uniform(-3, 2, COUNT)], y)
        x = np.select([side == 2, side == 3], [rng.uniform(-3, 2, COUNT), SHAPE[1] - 1 - rng.uniform(-3, 2, COUNT)], x)
    if where == "outside":
        y, x = rng.uniform(-40.0, SHAPE[0] + 40.0, COUNT), rng.uniform(-40.0, SHAPE[1] + 40.0, COUNT)
    if where == "on cells":
        y, x, theta = np.rint(y), np.rint(x), np.resize([0.0, np.pi / 2, np.pi, np.pi / 4, -np.pi / 2], COUNT)
    return np.stack([y, x, theta], axis=1)[:, None]


def case_of(kind: str, where: str, seed: int = 0, wind: float = 1.0) -> Case:
    along, across = KINDS[kind]
    maps = random_maps(seed, shape=SHAPE, days=3, steps_per_day=COUNT // 3)
    maps = replace(maps, wind_speed=np.asarray(maps.wind_speed) * np.float32(wind))
    craft = aircraft("X", Material.RETARDANT, 1, sigma_parallel_m=along, sigma_perpendicular_m=across)
    model = model_of(maps, Fleet((craft,)))
    poses, pairs = random_poses(seed, where), np.stack([np.arange(COUNT), np.zeros(COUNT, np.int64)], axis=1)
    layout = layout_of(model)
    with layout.workspace() as space:
        pieces = pieces_of(pairs, poses, aircraft_of(model), wind_of(model), layout.shape, space, "test")
    landing = poses[:, 0, :2] + landing_offsets(model, craft, pairs, poses[:, 0])
    dense = footprints(
        torch.from_numpy(landing), torch.from_numpy(poses[:, 0, 2].copy()), scales_of(craft, model), SHAPE, slopes=True
    )
    return Case(model, poses, pieces, dense, landing, dose_of_payload(craft, maps, model.effectiveness))


def inside(case: Case, table: torch.Tensor, k: int) -> NDArray[np.float64]:
    """What of the window of drop ``k`` lies on the raster."""
    side, raster = table.shape[-1], np.zeros(SHAPE)
    top, left = int(case.dense.top[k]), int(case.dense.left[k])
    i0, i1, j0, j1 = max(top, 0), min(top + side, SHAPE[0]), max(left, 0), min(left + side, SHAPE[1])
    if i0 < i1 and j0 < j1:
        raster[i0:i1, j0:j1] = table[k, i0 - top : i1 - top, j0 - left : j1 - left].numpy()
    return raster


def scattered(case: Case, k: int) -> NDArray[np.float64]:
    """Drop ``k`` of the pieces as a field with its margins."""
    field, pieces = np.zeros(layout_of(case.model).shape.cells), case.pieces
    amount = pieces.about[8 * k + AMOUNT] / case.dose
    for piece in range(pieces.first[k], pieces.first[k + 1]):
        at = pieces.places[piece]
        field[at : at + 8] += pieces.weights[8 * piece : 8 * piece + 8] * amount
    return field


EVERYWHERE = ["inside", "at the edges", "outside", "on cells"]


@pytest.mark.parametrize("where", EVERYWHERE)
@pytest.mark.parametrize("kind", KINDS)
def test_every_cell_gets_the_weight_of_the_dense_footprint(kind: str, where: str) -> None:
    case = case_of(kind, where)
    shape = layout_of(case.model).shape
    for k in range(COUNT):
        expected = inside(case, case.dense.weight, k)
        found = scattered(case, k)
        on_raster = raster_of(found.astype(np.float32), shape)
        most = float(case.dense.weight[k].max())
        np.testing.assert_allclose(on_raster, expected, rtol=2e-5, atol=1e-7 * most + FAR_AWAY)
        assert found.sum() == pytest.approx(raster_of(found, shape).sum(), abs=1e-15)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", KINDS)
def test_the_normaliser_is_that_of_the_whole_window(kind: str) -> None:
    case = case_of(kind, "at the edges", wind=0.1)
    along, across = (1.0 / ((scale / 30.0) ** 2 + CELL_VARIANCE) for scale in KINDS[kind])
    side, checked = case.dense.weight.shape[1], 0
    for k in range(COUNT):
        (y, x), theta = case.landing[k], case.poses[k, 0, 2]
        dy = (int(case.dense.top[k]) + np.arange(side) - y)[:, None]
        dx = (int(case.dense.left[k]) + np.arange(side) - x)[None, :]
        u, v = dx * np.cos(theta) - dy * np.sin(theta), dx * np.sin(theta) + dy * np.cos(theta)
        mass = np.exp(-0.5 * (u * u * along + v * v * across)).sum()
        if mass > np.pi / np.sqrt(along * across):  # the window is centred in the raster: most of it is seen
            checked += 1
            assert case.dose / case.pieces.about[8 * k + AMOUNT] == pytest.approx(mass, rel=1e-6)
    assert checked > COUNT // 2


@pytest.mark.parametrize("where", ["inside", "on cells"])
def test_well_inside_the_raster_nothing_is_lost_and_outside_it_everything(where: str) -> None:
    case = case_of("short and narrow", where, wind=0.0)
    deep = (np.abs(case.landing - (np.array(SHAPE) - 1) / 2) < np.array(SHAPE) / 2 - 8).all(axis=1)
    assert deep.sum() > 10
    for k in np.flatnonzero(deep):
        assert scattered(case, int(k)).sum() == pytest.approx(1.0, abs=1e-6)
    away = case_of("short and narrow", "outside", wind=0.0)
    gap = np.maximum(-away.landing, away.landing - (np.array(SHAPE) - 1)).max(axis=1)
    assert (gap > 12).sum() > 10
    for k in np.flatnonzero(gap > 12):
        assert scattered(away, int(k)).sum() == 0.0


@pytest.mark.parametrize("where", EVERYWHERE)
@pytest.mark.parametrize("kind", KINDS)
def test_the_four_inner_products_are_those_with_the_dense_slopes(kind: str, where: str) -> None:
    case = case_of(kind, where, seed=1)
    layout = layout_of(case.model)
    raster = np.random.default_rng(2).normal(size=SHAPE).astype(np.float32)
    decision, pose = np.zeros((COUNT, 1)), np.zeros((COUNT, 1, 3))
    pairs = np.stack([np.arange(COUNT), np.zeros(COUNT, np.int64)], axis=1)
    listed = Listed(pairs, np.arange(COUNT + 1), case.pieces, True)
    reading = SlopeReader(listed, listed, listed, listed, decision, pose)
    with layout.workspace() as space:
        fields = space.fields._replace(collected=field_of(raster, layout.shape))
        slope, nothing = np.zeros(layout.shape.cells, np.float32), np.float32(0.0)
        for step in range(COUNT):
            read(listed, reading, fields, slope, nothing, nothing, False, 0, step, np.empty(0, np.float32))
    assert case.dense.slope is not None
    tables = torch.cat([case.dense.weight[None], case.dense.slope])
    for k in range(COUNT):
        for found, table in zip([decision[k, 0], *pose[k, 0]], tables, strict=True):
            expected = inside(case, table, k) * case.dose
            scale = float(table[k].abs().sum()) * case.dose
            assert abs(found - float((expected * raster).sum())) <= 2e-5 * scale + FAR_AWAY * raster.size * case.dose


def test_the_tables_of_many_drops_are_those_of_each_alone() -> None:
    # More pieces than were made room for at first: the table grows, and what is in it stays.
    case = case_of("long and wide", "inside")
    layout = layout_of(case.model)
    craft, wind = aircraft_of(case.model), wind_of(case.model)
    with layout.workspace() as space:
        for k in range(0, COUNT, 7):
            one = pieces_of(np.array([[k, 0]]), case.poses, craft, wind, layout.shape, space, "one")
            begin, end = case.pieces.first[k : k + 2]
            count = one.first[1]
            assert count == end - begin > 0
            np.testing.assert_array_equal(one.places[:count], case.pieces.places[begin:end])
            np.testing.assert_array_equal(one.weights[: 8 * count], case.pieces.weights[8 * begin : 8 * end])
            np.testing.assert_array_equal(one.about[:8], case.pieces.about[8 * k : 8 * k + 8])
