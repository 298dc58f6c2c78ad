"""The dense rollout that engines are timed against computes what the reference does."""

from __future__ import annotations

import pytest
import torch

from firegui.domain.schedule import Schedule
from firegui.domain.settings import RetardantSide
from firegui.rollout import reference
from firegui.rollout.benchmark import DenseRollout
from tests.numerics.cases import model_of, random_maps, random_schedule, small_fleet


@pytest.mark.parametrize("periods", [1, 5])
@pytest.mark.parametrize("side", list(RetardantSide))
def test_under_drops_of_both_materials_it_ends_where_the_reference_ends(side: RetardantSide, periods: int) -> None:
    maps, fleet = random_maps(21, periods=periods), small_fleet()
    schedule = random_schedule(21, maps, fleet)
    model = model_of(maps, fleet, side=side, backend="reference")
    truth = reference.simulate(model, schedule)
    found = DenseRollout(model)(schedule)
    torch.testing.assert_close(found.unburned, truth.unburned[-1], atol=2e-6, rtol=0.0)
    torch.testing.assert_close(found.burning, truth.burning[-1], atol=2e-6, rtol=0.0)
    occupied = (1.0 - torch.stack(truth.unburned)).sum(dim=0)
    torch.testing.assert_close(found.occupied, occupied, atol=5e-5, rtol=0.0)


def test_a_second_call_starts_from_the_ignition_again() -> None:
    maps, fleet = random_maps(22), small_fleet()
    model = model_of(maps, fleet, backend="reference")
    dense = DenseRollout(model)
    idle = Schedule.empty(maps.n_steps, fleet.n_aircraft)
    first = dense(idle).unburned.clone()
    dense(random_schedule(22, maps, fleet))
    assert not torch.equal(dense.unburned, first)
    assert torch.equal(dense(idle).unburned, first)
