"""Every backend keeps the operational rules, and none of them tells one from another."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from firegui.domain.schedule import Schedule
from firegui.rollout.benchmark import DenseRollout
from firegui.rollout.drops import drop_records
from firegui.rollout.gates import FlightRules, gates_of
from firegui.rollout.model import Model
from firegui.rollout.simulate import resume, simulate, simulate_many, simulate_with_gradient
from firegui.rollout.zones import nearby
from tests.numerics.cases import model_of, random_maps, random_schedule, small_fleet

MAPS, FLEET = random_maps(5), small_fleet()
SCHEDULE = random_schedule(5, MAPS, FLEET, share=0.9)


def rules_of(name: str) -> FlightRules:
    size = (MAPS.n_steps, FLEET.n_aircraft)
    zones, pinned = np.zeros(MAPS.shape, bool), np.zeros(size, bool)
    zones[2:6, 3:9] = True
    pinned[[7, 15], [0, 3]] = True
    closed = np.zeros(size, bool)
    closed[4:9], closed[:, 1] = True, True
    kinds = {
        "closed": FlightRules(closed=closed),
        "sorties": FlightRules(sorties=np.array([1, 2, 1, 0, -1])),
        "cap": FlightRules(cap=6),
        "zones": FlightRules(zones=zones, near=nearby(zones, FLEET, MAPS)),
        "pinned": FlightRules(pinned=pinned, pinned_poses=SCHEDULE.poses),
    }
    every = FlightRules(closed, np.array([2, 2, 2, 2, 2]), 6, zones, nearby(zones, FLEET, MAPS), pinned, SCHEDULE.poses)
    return kinds.get(name, every)


def model(backend: str, name: str, precision: str = "float32") -> Model:
    return replace(model_of(MAPS, FLEET, backend=backend, precision=precision), rules=rules_of(name))


@pytest.mark.parametrize("name", ["closed", "sorties", "cap", "zones", "pinned", "every"])
def test_the_backends_fly_the_same_drops_under_a_rule_and_agree_on_the_fire(name: str) -> None:
    truth, fast = model("reference", name, "float64"), model("cpu", name)
    wanted = gates_of(SCHEDULE, FLEET, MAPS, fast.rules)
    assert wanted.executed.any()
    assert (wanted.executed != gates_of(SCHEDULE, FLEET, MAPS).executed).any()
    one, slopes = simulate_with_gradient(truth, SCHEDULE)
    two, fast_slopes = simulate_with_gradient(fast, SCHEDULE)
    for rollout in (one, two, simulate(fast, SCHEDULE), *simulate_many(fast, [SCHEDULE, SCHEDULE])):
        np.testing.assert_array_equal(rollout.executed, wanted.executed)
        assert rollout.metrics.final_extent_cells == pytest.approx(one.metrics.final_extent_cells, rel=1e-5)
    assert not slopes.logit[~wanted.open].any()
    assert not fast_slopes.logit[~wanted.open].any()
    assert not fast_slopes.pose[~wanted.executed].any()
    np.testing.assert_allclose(fast_slopes.logit, slopes.logit, rtol=1e-3, atol=1e-5)


def test_a_rollout_resumes_under_rules_as_the_same_drops_do_without_them() -> None:
    fast = model("cpu", "every")
    whole = simulate(fast, SCHEDULE, keep_states=True)
    bare, listed = replace(fast, rules=None), Schedule(np.where(whole.executed, 3.0, -3.0), SCHEDULE.poses)
    for state, other in zip(whole.states, simulate(bare, listed, keep_states=True).states, strict=True):
        rest, wanted = resume(fast, state, SCHEDULE), resume(bare, other, listed)
        np.testing.assert_array_equal(rest.executed, whole.executed)
        assert replace(rest.metrics, drops_proposed=0) == replace(wanted.metrics, drops_proposed=0)


def test_the_dense_yardstick_and_the_table_of_drops_know_the_rules() -> None:
    fast = model("cpu", "every")
    wanted = simulate(fast, SCHEDULE)
    dense = DenseRollout(fast)(SCHEDULE)
    assert float((1.0 - dense.unburned).sum()) == pytest.approx(wanted.metrics.final_extent_cells, rel=1e-4)
    records = drop_records(MAPS, FLEET, SCHEDULE, fast.rules)
    flown = [(record.step, record.column) for record in records if record.executed]
    assert flown == [tuple(pair) for pair in np.argwhere(wanted.executed).tolist()]
    assert len(flown) < len(records)
    executed = tuple(record for record in records if record.executed)
    assert drop_records(MAPS, FLEET, SCHEDULE, fast.rules, flown=True) == executed
