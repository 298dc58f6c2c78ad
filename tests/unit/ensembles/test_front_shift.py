"""The worst-case front shift: a fire made worse at the ends of days, and how much worse."""

from __future__ import annotations

import numpy as np
import pytest

from firegui.domain.schedule import Schedule
from firegui.domain.uncertainty import PAPER_BEAR
from firegui.ensembles.ilr import ilr, inverse
from firegui.planning.two_stage import front_shift
from firegui.rollout.model import Model
from firegui.rollout.simulate import simulate
from tests.numerics.cases import model_of, random_maps, random_schedule, small_fleet

WHOLE = (slice(0, 20), slice(0, 30))


def state(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """``U`` and ``B`` of cells of every kind, none of them certain."""
    parts = np.random.default_rng(seed).dirichlet((1.0, 1.0, 1.0), size=(20, 30)).astype(np.float32)
    parts = np.maximum(parts, 1e-3)
    parts[:4] = (0.95, 0.03, 0.02)
    return parts[..., 0].copy(), parts[..., 1].copy()


def fire(seed: int) -> Model:
    maps = random_maps(seed, shape=(30, 40), days=4)
    return model_of(maps, small_fleet())


def extent(model: Model, k: float) -> float:
    nothing = Schedule.empty(model.n_steps, model.fleet.n_aircraft)
    return simulate(model, nothing, alter=front_shift(k)).metrics.final_extent_cells


def test_it_moves_every_touched_cell_along_the_principal_direction() -> None:
    unburned, burning = state(1)
    deviation, direction = PAPER_BEAR.principal()
    before = ilr(unburned, burning, 1.0 - unburned.astype(np.float64) - burning)
    expected = inverse(before + 0.2 * deviation * direction[:, None, None])
    after, alight = front_shift(0.2).applied(0, WHOLE, unburned.copy(), burning.copy())
    touched = 1.0 - unburned > 0.1
    np.testing.assert_allclose(after[touched], expected[0][touched], rtol=1e-4)
    np.testing.assert_allclose(alight[touched], expected[1][touched], rtol=1e-4)
    assert touched.any() and not touched.all()
    np.testing.assert_array_equal(after[~touched], unburned[~touched])
    np.testing.assert_array_equal(alight[~touched], burning[~touched])


def test_the_more_it_shifts_the_more_has_burned_in_every_touched_cell() -> None:
    unburned, burning = state(2)
    least, touched = unburned, 1.0 - unburned > 0.1
    for k in (0.01, 0.1, 0.5, 2.0, 10.0):
        after, _ = front_shift(k).applied(0, WHOLE, unburned.copy(), burning.copy())
        assert (after[touched] < least[touched]).all()
        least = after


def test_what_is_certain_stays_certain_and_no_shift_changes_no_bit() -> None:
    unburned = np.array([[0.0, 0.0, 1.0, 0.4]], np.float32)
    burning = np.array([[1.0, 0.0, 0.0, 0.6]], np.float32)
    after, alight = front_shift(1.0).applied(0, WHOLE, unburned.copy(), burning.copy())
    np.testing.assert_array_equal(after[0, :3], unburned[0, :3])
    np.testing.assert_array_equal(alight[0, :3], burning[0, :3])
    assert after[0, 3] < 0.4 and after[0, 3] + alight[0, 3] == pytest.approx(1.0)
    same = front_shift(0.0).applied(0, WHOLE, unburned.copy(), burning.copy())
    np.testing.assert_array_equal(np.stack(same), np.stack([unburned, burning]))


def test_a_shift_towards_less_fire_is_refused() -> None:
    for k in (-0.1, np.nan):
        with pytest.raises(ValueError, match="towards more fire"):
            front_shift(k)


@pytest.mark.parametrize("seed", range(3))
def test_the_fire_ends_larger_with_and_without_drops(seed: int) -> None:
    model = fire(seed)
    schedule = random_schedule(seed, model.maps, model.fleet)
    assert extent(model, 0.1) > extent(model, 0.0)
    shifted, plain = (simulate(model, schedule, alter=front_shift(k)).metrics for k in (0.1, 0.0))
    assert shifted.final_extent_cells > plain.final_extent_cells
    assert shifted.loss_burn > plain.loss_burn
