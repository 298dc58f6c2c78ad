"""A state that is changed at the ends of days: in the losses, in the days that follow, on every engine alike."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from firegui.domain.fleet import Material
from firegui.domain.maps import FireMaps
from firegui.domain.schedule import Schedule
from firegui.domain.settings import RetardantSide
from firegui.rollout import reference
from firegui.rollout.alteration import Alteration, State
from firegui.rollout.day_state import Bounds
from firegui.rollout.gates import apply_gates
from firegui.rollout.model import Model
from firegui.rollout.observe import Window
from firegui.rollout.outcome import RolloutOptions
from firegui.rollout.simulate import Rollout, resume, simulate, simulate_many
from tests.numerics.cases import model_of, random_maps, random_schedule, small_fleet
from tests.numerics.front_cases import assert_same_outcome, busy_fleet, fitful_maps, many_drops, roll
from tests.numerics.gpu_cases import Standin, case, nobody
from tests.numerics.gpu_cases import gpu as gpu_engine

TERMS = ("burn", "final", "prot")


def fire(seed: int, backend: str = "cpu", precision: str = "float32", **settings: object) -> tuple[Model, Schedule]:
    """A lively fire with drops of both materials to the end."""
    maps, fleet = random_maps(seed, shape=(26, 40), days=3), small_fleet()
    model = model_of(maps, fleet, backend=backend, precision=precision, **settings)  # type: ignore[arg-type]
    return model, random_schedule(seed, maps, fleet)


def sampled(maps: FireMaps, seed: int) -> Alteration:
    """Every cell drawn from its probabilities, with numbers of the whole raster."""
    numbers = np.random.default_rng(seed).random((maps.days, *maps.shape))

    def draw(day: int, window: Window, unburned: State, burning: State) -> tuple[State, State]:
        chance = numbers[(day, *window)]
        spared = chance < unburned
        alight = ~spared & (chance < unburned.astype(np.float64) + burning)
        return spared.astype(unburned.dtype), alight.astype(unburned.dtype)

    return Alteration(draw)


def flared(day: int, window: Window, unburned: State, burning: State) -> tuple[State, State]:
    """Half of what the fire has reached and not burned yet burns."""
    taken = np.where(unburned < 0.999, unburned * 0.5, 0.0).astype(unburned.dtype)
    return unburned - taken, burning + taken


FLARED = Alteration(flared, only_grows=True)
SAME = Alteration(lambda day, window, unburned, burning: (unburned, burning))


def losses(rollout: Rollout) -> dict[str, float]:
    return {term: getattr(rollout.metrics, f"loss_{term}") for term in TERMS}


@pytest.mark.parametrize("backend", ["cpu", "reference"])
@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("seed", range(3))
def test_a_change_that_changes_nothing_gives_the_bits_of_the_plain_rollout(
    seed: int, precision: str, backend: str
) -> None:
    model, schedule = fire(seed, backend, precision)
    plain, altered = (simulate(model, schedule, keep_days=True, alter=how) for how in (None, SAME))
    assert altered.metrics == plain.metrics
    np.testing.assert_array_equal(altered.p_fire_days, plain.p_fire_days)


def test_on_the_kernels_every_tile_at_every_step_gives_the_same_bits() -> None:
    maps, fleet = fitful_maps(2), busy_fleet()
    model, schedule = model_of(maps, fleet), many_drops(2, maps, fleet)
    for how in (SAME, FLARED, sampled(maps, 5)):
        wanted = RolloutOptions(keep_states=True, alter=how)
        (sparse, days), (dense, dense_days) = (roll(model, schedule, wanted, dense=dense) for dense in (False, True))
        assert_same_outcome(sparse, dense)
        np.testing.assert_array_equal(days, dense_days)


def by_hand(model: Model, schedule: Schedule, alter: Alteration) -> tuple[list[np.ndarray], dict[str, float]]:
    """``P`` at every step: each day rolled out densely from a state that was put there by hand."""
    per_day, maps = model.maps.steps_per_day, model.maps
    whole = (slice(0, maps.shape[0]), slice(0, maps.shape[1]))
    retardant = reference.simulate(model, schedule).retardant
    burning = maps.ignition.astype(np.float32)
    unburned = 1.0 - burning
    fires = [1.0 - unburned]
    for step in range(model.n_steps):
        today = _a_step(model, schedule, step, unburned, burning, retardant[step + 1])
        unburned, burning = (field.numpy() for field in today)
        if (step + 1) % per_day == 0:
            unburned, burning = alter.change(step // per_day, whole, unburned.copy(), burning.copy())
        fires.append(1.0 - unburned)
    scored = np.stack(fires).astype(np.float64)
    density = model.protection.numpy()
    return fires, {
        "burn": float(scored.sum() / (model.n_scored * model.n_cells)),
        "final": float(scored[-1].sum() / model.n_cells),
        "prot": float((scored * density).sum() / model.n_scored),
    }


def _a_step(
    model: Model, schedule: Schedule, step: int, unburned: np.ndarray, burning: np.ndarray, retardant: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """The step's equations (paper, step 3), from a given state and the retardant that lies after its drops."""
    gates = apply_gates(schedule.proposed, model.fleet, model.maps.steps_per_day)
    decisions = torch.from_numpy(gates.executed.astype(np.float64))
    now = np.zeros_like(gates.executed)
    now[step] = gates.executed[step]
    values = reference.variables(schedule, differentiable=False)
    water = reference.deposit_fields(model, values, decisions, now)[Material.WATER].get(step)
    u, b = torch.from_numpy(unburned), torch.from_numpy(burning)
    if water is not None:
        survival = torch.exp(-water.clamp(max=50.0)).to(u.dtype)
        u, b = (u + b * (1.0 - survival)).clamp(0.0, 1.0), b * survival
    gains = model.K[step // model.maps.steps_per_day]
    heat = reference.exposure(b * retardant, gains) * retardant
    new = u * (1.0 - torch.exp(-heat))
    return (u - new).clamp(0.0, 1.0), (b + new - b / model.maps.t_burn).clamp(0.0, 1.0)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("backend", ["cpu", "reference"])
def test_the_next_day_starts_from_the_changed_state_and_the_losses_count_it(seed: int, backend: str) -> None:
    model, schedule = fire(seed, backend)
    for how in (FLARED, sampled(model.maps, seed)):
        fires, expected = by_hand(model_of(model.maps, model.fleet), schedule, how)
        rollout = simulate(model, schedule, keep_days=True, alter=how)
        for term, value in losses(rollout).items():
            assert value == pytest.approx(expected[term], rel=1e-4), term
        assert rollout.p_fire_days is not None
        days = np.stack(fires)[:: model.maps.steps_per_day]
        assert float(np.abs(rollout.p_fire_days - days).mean()) < 1e-4
        assert rollout.metrics.final_extent_cells == pytest.approx(float(fires[-1].sum()), rel=1e-4)


@pytest.mark.parametrize("side", list(RetardantSide))
def test_the_kernels_agree_with_the_reference(side: RetardantSide) -> None:
    model, schedule = fire(4, side=side)
    slow = replace(model, backend="reference")
    for how in (FLARED, sampled(model.maps, 9)):
        one, other = (simulate(which, schedule, keep_days=True, alter=how) for which in (model, slow))
        for term in TERMS:
            assert losses(one)[term] == pytest.approx(losses(other)[term], rel=1e-5)
        assert one.p_fire_days is not None and other.p_fire_days is not None
        np.testing.assert_allclose(one.p_fire_days, other.p_fire_days, rtol=0.0, atol=1e-5)


def test_the_state_at_the_end_of_the_plan_is_a_changed_one() -> None:
    model, schedule = fire(5)
    seen: list[int] = []

    def out(day: int, window: Window, unburned: State, burning: State) -> tuple[State, State]:
        seen.append(day)
        last = day == model.maps.days - 1
        return (np.ones_like(unburned), np.zeros_like(burning)) if last else (unburned, burning)

    rollout = simulate(model, schedule, keep_days=True, alter=Alteration(out))
    assert seen == [0, 1, 2]
    assert rollout.metrics.final_extent_cells == 0.0
    assert rollout.metrics.loss_final == 0.0
    assert rollout.p_fire_days is not None
    assert not rollout.p_fire_days[-1].any()
    assert rollout.p_fire_days[-2].any()


def test_a_fire_put_out_at_the_first_day_s_end_stays_out() -> None:
    model, schedule = fire(6)
    out = Alteration(lambda day, window, unburned, burning: (unburned, burning * 0.0))
    rollout = simulate(model, schedule, keep_days=True, alter=out)
    assert rollout.p_fire_days is not None
    np.testing.assert_array_equal(rollout.p_fire_days[1], rollout.p_fire_days[2])


def test_scoring_that_starts_late_counts_the_changed_states_after_it_only() -> None:
    model, schedule = fire(7)
    for first in (0, 10, 11, 30):
        one = simulate(replace(model, first_scored_step=first), schedule, alter=FLARED)
        other = simulate(replace(model, first_scored_step=first, backend="reference"), schedule, alter=FLARED)
        for term in TERMS:
            assert losses(one)[term] == pytest.approx(losses(other)[term], rel=1e-5)
        assert one.metrics.occupancy_cell_days == pytest.approx(other.metrics.occupancy_cell_days, rel=1e-5)


@pytest.mark.parametrize("backend", ["cpu", "reference"])
def test_going_on_from_a_day_with_the_same_change_gives_the_bits_of_the_whole(backend: str) -> None:
    model, schedule = fire(8, backend)
    how = sampled(model.maps, 3)
    whole = simulate(model, schedule, keep_states=True, alter=how)
    for state in whole.states:
        assert resume(model, state, schedule, alter=how).metrics == whole.metrics


def test_members_of_an_ensemble_are_those_rolled_out_alone() -> None:
    model, schedule = fire(9)
    members = [sampled(model.maps, seed) for seed in range(6)]
    together = simulate_many(model, [schedule] * 7, alters=[*members, None])
    alone = [simulate(model, schedule, alter=how) for how in (*members, None)]
    assert [one.metrics for one in together] == [one.metrics for one in alone]
    assert len({one.metrics.final_extent_cells for one in together}) > 4


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("backend", ["cpu", "reference"])
def test_bounds_hold_for_the_changed_fire(seed: int, backend: str) -> None:
    model, schedule = fire(seed, backend)
    for how in (FLARED, sampled(model.maps, seed), SAME):
        free = simulate(model, schedule, alter=how)
        for term, value in losses(free).items():
            kept = simulate(model, schedule, alter=how, bounds=Bounds(**{term: value * (1.0 + 1e-9)}))
            assert kept.exceeded is None and kept.metrics == free.metrics
            for share in (0.3, 0.9, 0.999):
                broken = simulate(model, schedule, alter=how, bounds=Bounds(**{term: value * share})).exceeded
                assert (broken is not None) == (value > 0.0)


def test_a_change_that_may_shrink_the_fire_is_not_given_up_on_what_it_may_put_out() -> None:
    model, schedule = fire(1)
    out = Alteration(
        lambda day, window, unburned, burning: (np.ones_like(unburned), np.zeros_like(burning)) if day == 2
        else (unburned, burning)
    )  # fmt: skip
    assert simulate(model, schedule, alter=out, bounds=Bounds(final=1e-9)).exceeded is None


def test_a_change_that_only_grows_is_given_up_before_the_end() -> None:
    maps, fleet = fitful_maps(1, days=6), busy_fleet()
    model = model_of(maps, fleet)
    schedule = Schedule.empty(model.n_steps, fleet.n_aircraft)
    limits = Bounds(final=0.3 * simulate(model, schedule, alter=FLARED).metrics.loss_final)
    given_up = simulate(model, schedule, alter=FLARED, bounds=limits).exceeded
    assert given_up is not None and given_up.step < model.n_steps


@pytest.mark.parametrize("backend", ["cpu", "reference"])
@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda day, window, unburned, burning: (unburned[1:], burning), "window"),
        (lambda day, window, unburned, burning: (unburned * np.nan, burning), "probabilities"),
        (lambda day, window, unburned, burning: (unburned, burning - 0.1), "probabilities"),
        (lambda day, window, unburned, burning: (unburned, 1.5 - unburned), "probabilities"),
    ],
)
def test_what_is_no_state_is_refused_and_the_next_rollout_is_none_the_worse(
    change: object, what: str, backend: str
) -> None:
    model, schedule = fire(2, backend)
    before = simulate(model, schedule).metrics
    with pytest.raises(ValueError, match=what):
        simulate(model, schedule, alter=Alteration(change))  # type: ignore[arg-type]
    assert simulate(model, schedule).metrics == before


def test_a_promise_to_grow_is_checked() -> None:
    model, schedule = fire(2)
    wets = Alteration(
        lambda day, window, unburned, burning: (unburned + burning, np.zeros_like(burning)), only_grows=True
    )
    with pytest.raises(ValueError, match="shrinks"):
        simulate(model, schedule, alter=wets)


def test_a_gpu_leaves_changed_rollouts_to_the_processor() -> None:
    model, schedule = case(3)
    outcome = roll(*fire(3))[0]
    spare = Standin(outcome)
    gpu_engine(spare=spare, triton=False).simulate(model, schedule, nobody(model), None, RolloutOptions(alter=SAME))
    gpu_engine(spare=spare, triton=False).simulate_many(
        model, [schedule] * 2, None, [RolloutOptions(alter=SAME), RolloutOptions()]
    )
    assert spare.asked == ["simulate on cpu", "simulate many on cpu"]
