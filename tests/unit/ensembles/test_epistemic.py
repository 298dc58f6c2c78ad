"""The model error at the ends of days: which cells it moves, and how far."""

from __future__ import annotations

import numpy as np

from firegui.domain.schedule import Schedule
from firegui.domain.uncertainty import PAPER_BEAR
from firegui.ensembles.ensemble import model_error
from firegui.ensembles.ilr import ilr
from firegui.rollout.simulate import simulate
from tests.numerics.cases import model_of, random_maps, random_schedule, small_fleet

WHOLE = (slice(0, 20), slice(0, 30))


def state(seed: int) -> tuple[np.ndarray, np.ndarray]:
    parts = np.random.default_rng(seed).dirichlet((1.0, 1.0, 1.0), size=(20, 30))
    parts[:4] = (0.95, 0.03, 0.02)
    return parts[..., 0].astype(np.float32), parts[..., 1].astype(np.float32)


def test_a_field_is_added_in_ilr_coordinates_where_fire_is_likely() -> None:
    unburned, burning = state(0)
    field = np.random.default_rng(1).normal(0.0, 0.3, (2, 20, 30)).astype(np.float32)
    after, alight = model_error(PAPER_BEAR, lambda day: field).applied(0, WHOLE, unburned.copy(), burning.copy())
    touched = 1.0 - unburned > 0.1
    assert touched.any() and not touched.all()
    np.testing.assert_array_equal(after[~touched], unburned[~touched])
    np.testing.assert_array_equal(alight[~touched], burning[~touched])
    certain = np.minimum(np.minimum(unburned, burning), 1.0 - unburned - burning) < 1e-3
    moved = ilr(after, alight, 1.0 - after.astype(np.float64) - alight) - ilr(
        unburned, burning, 1.0 - unburned.astype(np.float64) - burning
    )
    here = touched & ~certain
    np.testing.assert_allclose(moved[:, here], field[:, here], atol=2e-3)


def test_each_day_asks_for_a_field_of_its_own_and_the_window_reads_its_part() -> None:
    asked = []
    field = np.zeros((2, 40, 50), np.float32)
    field[0, 7, 11] = -3.0

    def field_of(day: int) -> np.ndarray:
        asked.append(day)
        return field

    change = model_error(PAPER_BEAR, field_of)
    unburned, burning = np.full((3, 4), 0.5, np.float32), np.full((3, 4), 0.25, np.float32)
    after, _ = change.applied(6, (slice(5, 8), slice(10, 14)), unburned.copy(), burning.copy())
    assert asked == [6]
    assert after[2, 1] < 0.05
    np.testing.assert_allclose(np.delete(after.ravel(), 9), 0.5, atol=1e-6)


def test_without_a_likely_cell_nothing_is_drawn_and_nothing_changes() -> None:
    def never(day: int) -> np.ndarray:
        raise AssertionError

    unburned, burning = np.full((3, 4), 0.95, np.float32), np.full((3, 4), 0.02, np.float32)
    after, alight = model_error(PAPER_BEAR, never).applied(0, (slice(0, 3), slice(0, 4)), unburned, burning)
    np.testing.assert_array_equal(after, np.float32(0.95))
    np.testing.assert_array_equal(alight, np.float32(0.02))


def test_every_engine_gives_the_same_disturbed_fire() -> None:
    maps, fleet = random_maps(3, shape=(30, 40), days=3), small_fleet()
    schedule: Schedule = random_schedule(3, maps, fleet, share=0.3)
    fields = np.random.default_rng(4).normal(0.0, 1.0, (3, 2, 30, 40)).astype(np.float32)
    extents = [
        simulate(model_of(maps, fleet, backend=name), schedule, alter=model_error(PAPER_BEAR, lambda day: fields[day]))
        for name in ("cpu", "reference")
    ]
    first, second = (rollout.metrics.final_extent_cells for rollout in extents)
    np.testing.assert_allclose(first, second, rtol=1e-5)
