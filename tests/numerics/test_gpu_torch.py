"""The GPU engine's launches in plain torch, for a GPU without Triton."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from firegui.domain.settings import RetardantSide
from firegui.rollout import reference
from firegui.rollout.observe import Observer
from firegui.rollout.outcome import WHOLE, RolloutOptions
from tests.numerics.cases import random_maps, random_schedule
from tests.numerics.gpu_cases import assert_near, case, exact, gpu, nobody, roll


@pytest.mark.parametrize("side", list(RetardantSide))
@pytest.mark.parametrize("seed", range(3))
def test_the_gradient_in_torch_agrees_with_float64_autograd(seed: int, side: RetardantSide) -> None:
    model, schedule = case(seed, maps=random_maps(seed, days=3), side=side)
    kept_whole, twice = (gpu(triton=False, span=span).gradient(model, schedule, nobody(model), None) for span in (3, 1))
    for found, wanted in zip(kept_whole[1:], exact(model, schedule), strict=True):
        assert_near(found, wanted, 1e-4)
    for one, other in zip(kept_whole[1:], twice[1:], strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_rollout_in_torch_agrees_with_the_reference() -> None:
    model, schedule = case(11, maps=random_maps(11))
    observer = Observer(model, None, keep_days=True)
    outcome = gpu(triton=False).simulate(model, schedule, observer, None, WHOLE)
    truth = reference.simulate(replace(model, protection=model.protection.cpu()), schedule)
    fire = 1.0 - torch.stack(truth.unburned[:: model.maps.steps_per_day])
    days = observer.days()
    assert days is not None
    np.testing.assert_allclose(days, fire, atol=5e-6)
    assert outcome.metrics.objective == pytest.approx(float(truth.objective), rel=1e-6)


def test_states_and_batches_in_torch_give_the_answers_of_single_rollouts() -> None:
    model, schedule = case(12, maps=random_maps(12, days=3))
    other = random_schedule(13, model.maps, model.fleet)
    whole = roll(model, schedule, RolloutOptions(keep_states=True), triton=False)
    assert roll(model, schedule, RolloutOptions(start=whole.states[2]), triton=False).metrics == whole.metrics
    wanted = [WHOLE, RolloutOptions(start=whole.states[1])]
    second, first = gpu(triton=False).simulate_many(model, [other, schedule], None, wanted)
    assert first.metrics.objective == pytest.approx(whole.metrics.objective, rel=1e-12)
    assert second.metrics.objective == pytest.approx(roll(model, other, triton=False).metrics.objective, rel=1e-12)
