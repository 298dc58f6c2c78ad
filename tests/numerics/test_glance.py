"""A look at a few states is a look at the same rollout, from its beginning or from a day of another one."""

from __future__ import annotations

import numpy as np
import pytest

from firegui.domain.drops import Drop, DropList
from firegui.planning.problem import build
from firegui.rollout.preview import preview_rollout
from firegui.rollout.simulate import simulate
from tests.support import make_project

PROJECT = make_project(seed=3)
PLAN = DropList((Drop(2, 0, 5.0, 6.0, 0.3), Drop(6, 3, 9.0, 12.0, 1.0), Drop(14, 0, 7.0, 9.0, 1.2)))
LATER = PLAN.exchanged(PLAN.drops[2], Drop(14, 0, 9.0, 12.0, 0.4))
BACKENDS = ("cpu", "reference")


@pytest.mark.parametrize("backend", BACKENDS)
def test_it_sees_what_the_frames_of_the_whole_rollout_show(backend: str) -> None:
    model = build(PROJECT, effectiveness=PROJECT.plan.nominal, backend=backend)
    schedule = PLAN.schedule(model.n_steps, model.fleet.n_aircraft)
    whole = simulate(model, schedule, frame_stride=1)
    seen = preview_rollout(model, schedule, (7, model.n_steps, 0))
    assert whole.frames is not None and seen.metrics == whole.metrics
    assert sorted(seen.fire) == [0, 7, model.n_steps]
    for step, fire in seen.fire.items():
        assert np.array_equal(fire, whole.frames.fire.picture(step)), step


@pytest.mark.parametrize("backend", BACKENDS)
def test_from_the_day_of_the_change_it_ends_with_the_same_bits(backend: str) -> None:
    model = build(PROJECT, effectiveness=PROJECT.plan.nominal, backend=backend)
    size = model.n_steps, model.fleet.n_aircraft
    base = preview_rollout(model, PLAN.schedule(*size), (model.n_steps,), keep_states=True)
    whole = preview_rollout(model, LATER.schedule(*size), (model.n_steps,))
    day = LATER.first_change(PLAN) // model.maps.steps_per_day  # type: ignore[operator]
    part = preview_rollout(model, LATER.schedule(*size), (model.n_steps,), start=base.states[day])
    assert day == 1
    assert part.metrics == whole.metrics != base.metrics
    assert np.array_equal(part.fire[model.n_steps], whole.fire[model.n_steps])
