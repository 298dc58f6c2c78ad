from __future__ import annotations

from dataclasses import replace
from datetime import date

import numpy as np
import pytest
import torch

from firegui.assets import installed_version
from firegui.calibration.network_fit import DECAY, EventFit, fit_network, training_of, weights_of_state
from firegui.domain.fit import FitState
from firegui.domain.weights import TENSOR_SHAPES
from firegui.errors import CancelledError, InputError
from firegui.fire.network import initial
from tests.unit.calibration.fits import (
    HALVES,
    QUICK,
    SHAPE,
    assert_same_state,
    fitted,
    joint,
    other,
    small,
    usual,
    weights_from,
)
from tests.unit.calibration.watched import DAY_0, rough_layers, watched
from tests.unit.fire.events import layer


def test_the_misfit_falls_and_the_fire_comes_nearer_to_the_perimeters() -> None:
    heard = fitted(small(), settings=replace(QUICK, epochs=15))
    first, best = heard.progress[0], heard.progress[heard.last[0].best_epoch]

    assert best.loss < 0.8 * first.loss
    assert best.loss == min(heard.losses) == heard.last[0].best_loss
    assert np.mean(best.events[0].iou) > np.mean(first.events[0].iou)


def test_the_same_seed_gives_the_same_bits_and_another_seed_others() -> None:
    again, another = fitted(small()), fitted(small(), settings=replace(QUICK, seed=1))

    assert_same_state(again.last[0], usual().last[0])
    assert again.losses == usual().losses
    assert not np.array_equal(another.last[0].tensors["now.head.weight"], usual().last[0].tensors["now.head.weight"])


def test_the_bits_are_the_same_on_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    before, found = torch.get_num_threads(), []
    try:
        for threads in (1, 3):
            monkeypatch.setenv("FIREGUI_THREADS", str(threads))
            torch.set_num_threads(4 - threads)  # whatever was set before the fit
            found.append(fitted(small(), settings=replace(QUICK, epochs=2)).last[0])
    finally:
        torch.set_num_threads(before)
    assert_same_state(*found)


@pytest.mark.parametrize("after", [1, 4])
def test_a_fit_that_goes_on_ends_with_the_bits_of_the_unbroken_one(after: int) -> None:
    state = usual().kept[after - 1]

    resumed = fitted(small(), state=state)

    assert state.epoch == after
    assert resumed.losses == usual().losses[after:]
    assert_same_state(resumed.last[0], usual().last[0])


def test_a_finished_fit_that_goes_on_stays_as_it_is() -> None:
    done = usual().last[0]

    resumed = fitted(small(), state=done)

    assert resumed.progress == []
    assert_same_state(resumed.last[0], done)


def test_a_state_of_another_fit_is_refused() -> None:
    state = usual().last[0]

    for events, settings in (
        ((small(), other()), QUICK),
        ((small(),), replace(QUICK, correction=False)),
        ((small(),), replace(QUICK, node_spacing_m=300.0)),
    ):
        with pytest.raises(InputError, match="other events or another correction"):
            fit_network(events, settings, state=state)


def test_a_kept_state_is_a_copy_that_later_epochs_leave_alone() -> None:
    sums: list[float] = []

    def total(state: FitState) -> float:
        return sum(float(np.abs(tensor).sum(dtype=np.float64)) for tensor in state.tensors.values())

    kept: list[FitState] = []

    def keep(state: FitState) -> None:
        kept.append(state)
        sums.append(total(state))

    fit_network([small()], replace(QUICK, epochs=3), keep=keep)

    assert [total(state) for state in kept] == sums
    assert len(set(sums)) == 3


def test_a_stop_leaves_the_best_so_far_behind() -> None:
    kept: list[FitState] = []

    def check() -> None:
        if len(kept) == 3:
            raise CancelledError("stopped")

    with pytest.raises(CancelledError):
        fit_network([small()], QUICK, keep=kept.append, check=check)

    assert_same_state(kept[-1], usual().kept[2])
    best = weights_of_state([small()], QUICK, kept[-1])
    assert best.problems() == []
    assert best.training.epochs == kept[-1].best_epoch + 1


def test_it_gives_up_after_as_many_epochs_without_a_better_misfit_as_it_has_patience() -> None:
    heard = fitted(small(), settings=replace(QUICK, epochs=30, patience=2))

    best = heard.last[0].best_epoch
    assert best > 0
    assert len(heard.progress) == best + 1 + 2 < 30
    assert all(loss > heard.losses[best] for loss in heard.losses[best + 1 :])


def test_a_resumed_fit_has_no_more_patience_than_an_unbroken_one() -> None:
    settings = replace(QUICK, epochs=30, patience=2)
    unbroken = fitted(small(), settings=settings)

    resumed = fitted(small(), settings=settings, state=unbroken.kept[-2])

    assert resumed.losses == unbroken.losses[-1:]


def test_every_epoch_is_told_with_its_terms_days_and_the_best_so_far() -> None:
    told = usual().progress

    assert [epoch.epoch for epoch in told] == list(range(QUICK.epochs))
    assert all(epoch.epochs == QUICK.epochs for epoch in told)
    assert [epoch.best_loss for epoch in told] == np.minimum.accumulate(usual().losses).tolist()
    assert [told[epoch.best_epoch].loss for epoch in told] == [epoch.best_loss for epoch in told]
    assert set(told[0].terms) == {"bce", "mse", "means", "area", "shape", "growth"}
    assert [(seen.name, seen.days, len(seen.iou)) for seen in told[0].events] == [("Small", (1, 2), 2)]
    assert [state.epoch for state in usual().kept] == [epoch.epoch + 1 for epoch in told]


def test_a_step_is_that_of_adamw_on_the_clipped_gradient() -> None:
    settings = replace(QUICK, correction=False, epochs=4)
    network = initial(settings.seed)
    fit = EventFit(small(), 2, settings.margin_cells, training_of([small()], settings))
    optimizer = torch.optim.AdamW(network.parameters(), lr=1.0, weight_decay=DECAY)
    for epoch in range(2):
        cosine = 0.5 * (1.0 + np.cos(np.pi * epoch / settings.epochs))
        optimizer.param_groups[0]["lr"] = settings.learning_rate * (0.01 + 0.99 * cosine)
        optimizer.zero_grad()
        fit.differentiate(network, None, 1.0, None)
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()

    state = fitted(small(), settings=settings).kept[1]

    begun = dict(initial(settings.seed).named_parameters())
    for name, value in network.named_parameters():
        moved = (value - begun[name]).detach().numpy()
        found = state.tensors[f"now.{name}"] - begun[name].detach().numpy()
        assert np.abs(moved).max() > 0.1 * settings.learning_rate
        np.testing.assert_allclose(found, moved, atol=1e-3 * settings.learning_rate, err_msg=name)


def test_perimeters_after_the_fitted_days_are_never_read() -> None:
    assert small().observed is not None
    observed = np.array(small().observed)
    observed[3:] = np.random.default_rng(0).random(observed[3:].shape) < 0.5

    garbage = fitted(replace(small(), observed=observed))

    assert_same_state(garbage.last[0], usual().last[0])


def test_layers_with_holes_or_without_any_data_give_finite_weights() -> None:
    holes = {**rough_layers(SHAPE), "elevation": layer(SHAPE, np.nan), "slope": layer(SHAPE, np.nan)}

    heard = fitted(watched(SHAPE, HALVES, layers=holes), settings=replace(QUICK, epochs=3))

    assert np.isfinite(heard.losses).all()
    assert all(np.isfinite(tensor).all() for tensor in heard.last[0].tensors.values())


def test_an_event_without_any_layer_can_be_fitted() -> None:
    bare = watched(SHAPE, HALVES, layers={})

    found = weights_from(fitted(bare, settings=replace(QUICK, epochs=3)), bare)

    assert found.problems() == []
    assert found.training.layers == ()


# -- several events ----------------------------------------------------------------------------------------------------
def test_events_fitted_together_share_the_network_and_have_a_correction_each() -> None:
    found = weights_from(joint(), small(), other())

    assert set(found.tensors) == set(TENSOR_SHAPES)
    first, second = found.corrections
    assert (first.event, first.shape, first.start) == ("Small", SHAPE, DAY_0)
    assert (second.event, second.shape, second.start) == ("Other", (17, 23), date(2021, 8, 19))
    assert (first.log_rate.shape, second.log_rate.shape) == ((5, 5), (4, 6))
    assert first.log_rate.any()
    assert second.log_rate.any()
    assert found.correction_for(small()) is first
    assert found.correction_for(other()) is second


def test_the_misfit_of_events_fitted_together_is_their_mean() -> None:
    alone = [fitted(one, settings=replace(QUICK, epochs=1)).losses[0] for one in (small(), other())]

    # Joint and alone see other layers and winds, but an untrained network hardly tells.
    assert joint().losses[0] == pytest.approx(np.mean(alone), rel=1e-2)
    assert [event.name for event in joint().progress[0].events] == ["Small", "Other"]
    assert min(joint().losses) < joint().losses[0]


def test_each_event_moves_the_network_that_they_share() -> None:
    alone = fitted(small(), settings=replace(QUICK, epochs=1)).last[0].tensors["first.head.weight"]

    both = fitted(small(), other(), settings=replace(QUICK, epochs=1)).last[0].tensors["first.head.weight"]

    assert not np.allclose(both, alone, atol=0.1 * np.abs(alone).max())


def test_a_training_on_several_events_has_what_each_of_them_showed() -> None:
    training = weights_from(joint(), small(), other()).training

    assert [(taught.name, taught.fit_days) for taught in training.events] == [("Small", 2), ("Other", 2)]
    assert set(training.layers) == set(small().layers)
    assert training.wind_max_ms == max(float(one.wind_speed[:2].max()) for one in (small(), other()))
    assert "Small, Other" in training.label
    assert training.firegui == installed_version()
