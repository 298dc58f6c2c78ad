"""Proposals that fly a budget, under random rules."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firegui.planning.budget_calibration import WITHIN, executed_count, proposals_within
from firegui.rollout.gates import FlightRules
from firegui.rollout.model import Model
from tests.numerics.cases import model_of, random_maps, small_fleet

MAPS = random_maps(0, days=3)
MODEL = model_of(MAPS, small_fleet())
SIZE = (MODEL.n_steps, MODEL.fleet.n_aircraft)
POSES = np.zeros((*SIZE, 3))
SEEDS = st.integers(0, 2**32 - 1)


def ruled(seed: int) -> Model:
    """The model under random rules: closed steps, sorties, pins and a cap."""
    rng = np.random.default_rng(seed)
    pinned = np.zeros(SIZE, bool)
    pinned[rng.integers(2, 8), rng.integers(0, SIZE[1])] = True
    rules = FlightRules(
        closed=(rng.random(SIZE) < 0.2) & ~pinned,
        sorties=rng.integers(-1, 3, SIZE[1]),
        cap=int(rng.integers(5, 40)),
        pinned=pinned,
        pinned_poses=rng.random((*SIZE, 3)),
    )
    return replace(MODEL, rules=rules)


@given(SEEDS, st.integers(0, 60))
@settings(deadline=None, max_examples=25)
def test_different_priorities_fly_the_budget_exactly_or_all_that_can_be_flown(seed: int, budget: int) -> None:
    priorities = np.random.default_rng(seed).random(SIZE)
    capacity = executed_count(MODEL, np.ones(SIZE, bool), POSES)
    proposed = proposals_within(MODEL, priorities, budget)
    assert executed_count(MODEL, proposed, POSES) == min(budget, capacity)
    assert proposed.all() or priorities[proposed].min(initial=1.0) > priorities[~proposed].max()


@given(SEEDS)
@settings(deadline=None, max_examples=25)
def test_one_more_proposal_never_flies_fewer_drops_whatever_the_rules(seed: int) -> None:
    model, rng = ruled(seed), np.random.default_rng(seed + 1)
    proposed = np.zeros(SIZE, bool)
    counts = [executed_count(model, proposed, POSES)]
    for pair in rng.permutation(proposed.size):
        proposed.ravel()[pair] = True
        counts.append(executed_count(model, proposed, POSES))
    assert (np.diff(counts) >= 0).all()
    assert (np.diff(counts) <= 1).all()


@given(SEEDS, st.integers(0, 40))
@settings(deadline=None, max_examples=25)
def test_groups_fly_within_five_of_the_budget_where_days_are_no_larger(seed: int, budget: int) -> None:
    model, rng = ruled(seed), np.random.default_rng(seed + 1)
    priorities = np.repeat(rng.random((3, SIZE[1])), MAPS.steps_per_day, axis=0)
    capacity = executed_count(model, np.ones(SIZE, bool), POSES)
    floor = executed_count(model, np.zeros(SIZE, bool), POSES)
    proposed = proposals_within(model, priorities, budget)
    assert abs(executed_count(model, proposed, POSES) - min(max(budget, floor), capacity)) <= WITHIN
    days = proposed.reshape(3, MAPS.steps_per_day, -1)
    assert (days == days[:, :1]).all()


def test_a_group_that_is_too_large_is_left_out_and_smaller_ones_are_taken() -> None:
    priorities = np.ones(SIZE)
    priorities[:, 4] = 0.5
    budget = executed_count(MODEL, priorities == 0.5, POSES)
    assert executed_count(MODEL, priorities == 1.0, POSES) > budget + WITHIN > 2 * WITHIN
    assert np.array_equal(proposals_within(MODEL, priorities, budget), priorities == 0.5)


@pytest.mark.parametrize("budget", [0, -3])
def test_nothing_is_proposed_for_no_budget_even_where_drops_are_pinned(budget: int) -> None:
    model = ruled(1)
    assert executed_count(model, np.zeros(SIZE, bool), POSES) == 1
    assert not proposals_within(model, np.random.default_rng(0).random(SIZE), budget).any()


def test_pairs_that_would_come_down_in_a_zone_do_not_count() -> None:
    zones = np.zeros(MODEL.shape, bool)
    zones[:4, :4] = True
    model = replace(MODEL, rules=FlightRules(zones=zones))
    poses = np.broadcast_to([10.0, 12.0, 0.3], POSES.shape).copy()
    poses[:, 0] = [1.5, 1.5, 0.3]  # the first aircraft's places are all in the zone
    priorities = np.random.default_rng(0).random(SIZE)
    proposed = proposals_within(model, priorities, 12, poses)
    assert executed_count(model, proposed, poses) == 12
    assert executed_count(model, proposed & (np.arange(SIZE[1]) != 0), poses) == 12
