"""Fit of the network and of a correction per event to observed perimeters, by the gradient.

An epoch rolls every event out from its first perimeter, compares the ends of days with the perimeters
(:mod:`firegui.calibration.network_misfit`), and takes the slope back through the closed-form sweep
(:func:`firegui.rollout.simulate.gain_slopes`), the spread form and the network. One network is shared by all events;
each has a correction of its own (:class:`~firegui.domain.weights.Correction`). AdamW with a cosine schedule. Gains that
the events cannot teach stay the published prior (:func:`learned_gains`).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from firegui.assets import installed_version
from firegui.calibration.fittable import network_fit_problems
from firegui.calibration.forecast import cropped_to, fit_box
from firegui.calibration.network_misfit import Misfit, Target
from firegui.domain.coverage import PAPER_COVERAGE
from firegui.domain.fit import EventProgress, FitProgress, FitState, NetworkFitSettings
from firegui.domain.fleet import Fleet
from firegui.domain.maps import FireMaps
from firegui.domain.scenario import Scenario
from firegui.domain.settings import NOMINAL, ObjectiveWeights
from firegui.domain.weights import (
    GAINS,
    OPTIONAL_LAYERS,
    Correction,
    NetworkWeights,
    TrainedEvent,
    Training,
    days_from_middle,
)
from firegui.errors import Check, InputError, Problem
from firegui.fire.features import event_features, wind_inputs
from firegui.fire.landscape import T_BURN_STEPS, burnable, has_terrain
from firegui.fire.learned import correction_field, network_fields
from firegui.fire.network import Partial, SpreadNetwork, initial, network_of, weights_of
from firegui.fire.one_thread import one_thread
from firegui.fire.skill import observed_start, scored_days
from firegui.fire.spread import Terrain, ignition_gains, potentials
from firegui.rollout.engine_message import MessageCallback, ignore_message
from firegui.rollout.model import Model
from firegui.rollout.simulate import gain_slopes, prepare

DECAY, LAST_SHARE, LONGEST_GRADIENT = 1e-4, 0.01, 1.0
"""Weight decay of the network, the share of the step size that the last epoch takes, where gradients are clipped."""
MOMENTS, MOMENT_FLOOR = (0.9, 0.999), 1e-8
TEACHING_WIND_MS, TEACHING_SPAN_MS = 5.0, 3.0
TEACHING_SLOPE_DEG = 10.0

Tensors = dict[str, Tensor]


def learned_gains(events: Sequence[Scenario], fit_days: int) -> tuple[str, ...]:
    """Return the gains that the events can teach.

    Wind: its daily means differ by at least 3 m/s within an event and reach 5 m/s. Slope: an event has slope and
    aspect, and a twentieth of it is steeper than 10°. Other gains would carry noise, or stand for the base rate.
    """
    learned: list[str] = []
    means = [event.wind_speed[:fit_days].mean(axis=(1, 2)) for event in events]
    if any(float(np.ptp(mean)) >= TEACHING_SPAN_MS and float(mean.max()) >= TEACHING_WIND_MS for mean in means):
        learned += ["wind_gain", "wind_alignment"]
    if any(has_terrain(event) and _steep(event) >= TEACHING_SLOPE_DEG for event in events):
        learned.append("slope_gain")
    return tuple(learned)


def _steep(event: Scenario) -> float:
    slope = event.layers["slope"]
    known = slope[np.isfinite(slope)]
    return float(np.percentile(known, 95.0)) if len(known) else 0.0


def fit_network(
    events: Sequence[Scenario],
    settings: NetworkFitSettings,
    *,
    begin: NetworkWeights | None = None,
    state: FitState | None = None,
    progress: Callable[[FitProgress], None] | None = None,
    keep: Callable[[FitState], None] | None = None,
    check: Check | None = None,
    tell: MessageCallback = ignore_message,
) -> FitState:
    """Fit to days ``0 … fit_days`` of every event.

    The same input gives the same bits on any number of threads. ``begin`` is where to start instead of random weights,
    ``state`` where to go on. ``progress`` hears of every epoch, ``keep`` the state after it. ``check`` may raise
    :class:`~firegui.errors.CancelledError` at any time: the last kept state then has the best so far. ``tell`` hears
    what the engine has to say. Stops after ``epochs``, or when ``patience`` epochs brought nothing. Raises
    :class:`~firegui.errors.InputError` with everything that keeps the events from being fitted.
    """
    problems = network_fit_problems(events, settings)
    if problems:
        raise InputError(problems, "The fire model cannot be fitted")
    fit = _Fit(events, settings, begin, check, tell)
    if state is not None:
        fit.go_on_from(state)
    while fit.epoch < settings.epochs and fit.epoch - max(fit.best_epoch, 0) <= settings.patience:
        heard = fit.step()
        if keep is not None:
            keep(fit.state())
        if progress is not None:
            progress(heard)
    return fit.state()


def weights_of_state(
    events: Sequence[Scenario], settings: NetworkFitSettings, state: FitState, begin: NetworkWeights | None = None
) -> NetworkWeights:
    """Return the weights of the best epoch, with what they and those they began with were trained on.

    Corrections of ``begin`` for other rasters are kept.
    """
    network = SpreadNetwork()
    part = "best" if state.best_epoch >= 0 else "now"
    best = {
        name.removeprefix(f"{part}."): value for name, value in state.tensors.items() if name.startswith(f"{part}.")
    }
    network.load_state_dict({name: torch.tensor(best[name]) for name in network.state_dict()})
    training = replace(training_of(events, settings, begin), epochs=state.best_epoch + 1)
    corrections = (
        [_correction(event, settings, best, k) for k, event in enumerate(events)] if settings.correction else []
    )
    others = () if begin is None else begin.corrections
    rest = [other for other in others if not any(other.fits(event) for event in events)]
    return weights_of(network, training, (*corrections, *rest))


def training_of(
    events: Sequence[Scenario], settings: NetworkFitSettings, begin: NetworkWeights | None = None
) -> Training:
    """Return what a fit to the events can teach, together with what ``begin`` was taught."""
    taught = [trained_event(event, settings.fit_days) for event in events]
    learned = learned_gains(events, settings.fit_days)
    if begin is not None:
        read = {(event.name, event.start): event.fit_days for event in begin.training.events}
        taught = [replace(one, fit_days=max(one.fit_days, read.get((one.name, one.start), 0))) for one in taught]
        here = {(event.name, event.start) for event in taught}
        taught = [event for event in begin.training.events if (event.name, event.start) not in here] + taught
        learned = tuple(name for name in GAINS if name in learned or name in begin.training.learned)
    label = f"network trained on {', '.join(event.name for event in taught)}"
    limits = tuple(_limits(taught, learned, settings))
    return Training(label, tuple(taught), 0, settings.seed, learned, limits, installed_version())


def _correction(
    event: Scenario, settings: NetworkFitSettings, best: dict[str, NDArray[np.float32]], k: int
) -> Correction:
    grid, trend = event.grid, float(best[f"trend.{k}"]) / half_of(settings.fit_days)
    return Correction(
        event.name, grid.shape, grid.transform, best[f"nodes.{k}"], trend, event.date_of_day(0), settings.fit_days
    )


def _limits(taught: Sequence[TrainedEvent], learned: Sequence[str], settings: NetworkFitSettings) -> list[str]:
    """Return the limits of the fitted model as sentences."""
    fires = ", ".join(f"{event.fit_days} days of {event.name}" for event in taught)
    said = [f"Trained on the first {fires}."]
    if "wind_gain" not in learned:
        strongest = max(event.wind_max_ms for event in taught)
        said.append(
            f"It has seen winds up to {strongest:.1f} m/s; the effect of wind is a published value, not learned, and "
            "was compared with no fire in stronger wind."
        )
    if "slope_gain" not in learned:
        said.append("The effect of slope is a published value, not learned.")
    if settings.correction:
        said.append("On the rasters it was trained on, a fitted correction of the base rate is part of the model.")
    return said


class _Fit:
    """The parameters, the optimizer and the best so far."""

    def __init__(
        self, events: Sequence[Scenario], settings: NetworkFitSettings, begin: NetworkWeights | None,
        check: Check | None, tell: MessageCallback,
    ) -> None:  # fmt: skip
        self._settings, self._check = settings, check
        taught = training_of(events, settings, begin)
        self._events = [EventFit(event, settings.fit_days, settings.margin_cells, taught, tell) for event in events]
        self._network = initial(settings.seed) if begin is None else network_of(begin)
        self._corrections = [_variables(event, settings, begin) for event in events] if settings.correction else []
        self._named: Tensors = dict(self._network.named_parameters())
        for k, correction in enumerate(self._corrections):
            self._named |= {f"nodes.{k}": correction.nodes, f"trend.{k}": correction.trend}
        self._first: Tensors = {name: torch.zeros_like(value) for name, value in self._named.items()}
        self._second: Tensors = {name: torch.zeros_like(value) for name, value in self._named.items()}
        self._best: Tensors = self._copied()
        self.epoch, self.best_epoch, self._best_loss = 0, -1, math.inf
        self._started = time.monotonic()

    def step(self) -> FitProgress:
        """Run one epoch: the gradient over all events, then one step."""
        misfits = self._differentiate()
        loss = sum(misfit.loss for misfit in misfits) / len(misfits)
        loss += sum(float(each.penalty().detach()) for each in self._corrections) / len(misfits)
        if loss < self._best_loss:
            self._best, self._best_loss, self.best_epoch = self._copied(), loss, self.epoch
        with one_thread():
            self._descend()
        terms = {name: sum(one.terms[name] for one in misfits) / len(misfits) for name in misfits[0].terms}
        seen = tuple(
            EventProgress(event.name, event.target.days, misfit.iou)
            for event, misfit in zip(self._events, misfits, strict=True)
        )
        self.epoch += 1
        return FitProgress(
            self.epoch - 1, self._settings.epochs, loss, self._best_loss, self.best_epoch, terms, seen,
            time.monotonic() - self._started,
        )  # fmt: skip

    def _differentiate(self) -> list[Misfit]:
        for value in self._named.values():
            value.grad = None
        share, misfits = 1.0 / len(self._events), []
        for k, event in enumerate(self._events):
            correction = self._corrections[k] if self._corrections else None
            misfits.append(event.differentiate(self._network, correction, share, self._check))
            if correction is not None:
                torch.autograd.backward(share * correction.penalty())
        return misfits

    def _descend(self) -> None:
        """Take a step of AdamW (Loshchilov and Hutter) on the clipped gradient.

        The step size has a cosine schedule.
        """
        slopes = {name: value.grad for name, value in self._named.items() if value.grad is not None}
        length = float(torch.stack([slope.double().pow(2).sum() for slope in slopes.values()]).sum().sqrt())
        if not math.isfinite(length):  # a step along it would leave no parameter that is a number
            return
        scale = min(1.0, LONGEST_GRADIENT / max(length, MOMENT_FLOOR))
        cosine = 0.5 * (1.0 + math.cos(math.pi * self.epoch / self._settings.epochs))
        share = LAST_SHARE + (1.0 - LAST_SHARE) * cosine
        one, two = MOMENTS
        with torch.no_grad():
            for name, slope in slopes.items():
                value, first, second = self._named[name], self._first[name], self._second[name]
                fitted = name.startswith(("nodes.", "trend."))
                rate = share * (self._settings.correction_rate if fitted else self._settings.learning_rate)
                if not fitted:
                    value.mul_(1.0 - rate * DECAY)
                first.mul_(one).add_(slope, alpha=scale * (1.0 - one))
                second.mul_(two).addcmul_(slope * scale, slope * scale, value=1.0 - two)
                size = (second / (1.0 - two ** (self.epoch + 1))).sqrt_().add_(MOMENT_FLOOR)
                value.addcdiv_(first, size, value=-rate / (1.0 - one ** (self.epoch + 1)))

    def _copied(self) -> Tensors:
        return {name: value.detach().clone() for name, value in self._named.items()}

    def state(self) -> FitState:
        """Return a copy of the state that :meth:`go_on_from` needs."""
        parts = {"now": self._named, "best": self._best, "first": self._first, "second": self._second}
        tensors = {
            f"{part}.{name}": value.detach().clone().numpy()
            for part, named in parts.items()
            for name, value in named.items()
        }
        return FitState(tensors, self.epoch, self.best_epoch, self._best_loss)

    def go_on_from(self, state: FitState) -> None:
        """Take a state on. Raises :class:`~firegui.errors.InputError` for one of another fit."""
        parts = {"now": self._named, "best": self._best, "first": self._first, "second": self._second}
        wanted = {f"{part}.{name}": value for part, named in parts.items() for name, value in named.items()}
        if {name: tuple(value.shape) for name, value in wanted.items()} != {
            name: value.shape for name, value in state.tensors.items()
        }:
            what = "the interrupted fit has other events or another correction"
            raise InputError([Problem("resume", what, "give the same projects and settings, or start anew")])
        with torch.no_grad():
            for name, value in wanted.items():
                value.copy_(torch.tensor(state.tensors[name]))
        self.epoch, self.best_epoch, self._best_loss = state.epoch, state.best_epoch, state.best_loss


def _variables(event: Scenario, settings: NetworkFitSettings, begin: NetworkWeights | None) -> CorrectionVariables:
    """Return the correction's start: zeros, or the matching correction of ``begin``.

    A correction matches if it has this raster and as many nodes. It then gives the same rates on the same dates.
    """
    nodes, trend = torch.zeros(nodes_of(event, settings.node_spacing_m)), torch.zeros(())
    found = None if begin is None else begin.correction_for(event)
    if found is not None and found.log_rate.shape == tuple(nodes.shape):
        nodes = torch.tensor(found.log_rate)
        if found.start is not None:
            # Its trend turns about the middle of the days that it was fitted to, ours about that of ours.
            later = (event.date_of_day(0) - found.start).days + 0.5 * (settings.fit_days - found.fit_days)
            nodes, trend = nodes + found.trend * later, torch.tensor(found.trend * half_of(settings.fit_days))
    return CorrectionVariables(nodes.requires_grad_(), trend.requires_grad_())


SMOOTHNESS, MAGNITUDE = 1e-3, 1e-6
"""Weights of the squared differences between neighbouring nodes, and of the squared nodes."""


@dataclass(frozen=True, slots=True, eq=False)
class CorrectionVariables:
    """Variables that are fitted to one event beside the network.

    ``nodes [h, w]`` of the log rate, and ``trend``, what it changes by in half of the fitted days.
    """

    nodes: Tensor
    trend: Tensor

    def penalty(self) -> Tensor:
        """Return ``10⁻³ Σ (differences of neighbours)² + 10⁻⁶ Σ nodes²``.

        Where the fire says nothing, the field goes on as it is beside it.
        """
        nodes = self.nodes
        with one_thread():
            rough = ((nodes[1:] - nodes[:-1]) ** 2).sum() + ((nodes[:, 1:] - nodes[:, :-1]) ** 2).sum()
            return SMOOTHNESS * rough + MAGNITUDE * (nodes**2).sum()


def nodes_of(event: Scenario, spacing_m: float) -> tuple[int, int]:
    """Return how many nodes a correction has: about one per ``spacing_m``, at least two each way."""
    rows, columns = (max(2, round(cells * event.grid.cell_size_m / spacing_m) + 1) for cells in event.grid.shape)
    return rows, columns


def half_of(fit_days: int) -> float:
    """Return half of the fitted days, from the middle of the first to the middle of the last."""
    return max(0.5 * (fit_days - 1), 0.5)


def trained_event(event: Scenario, fit_days: int) -> TrainedEvent:
    """Return what the event can teach in its first ``fit_days`` days."""
    slope = event.layers.get("slope")
    known = np.zeros(0) if slope is None else slope[np.isfinite(slope)]
    strongest = float(event.wind_speed[:fit_days].max(initial=0.0))
    steepest = float(known.max(initial=0.0))
    layers = tuple(key for key in event.layers if key in OPTIONAL_LAYERS)
    return TrainedEvent(event.name, event.date_of_day(0), fit_days, layers, strongest, steepest)


class EventFit:
    """An event cut to its fire, with everything that does not change while it is fitted.

    Perimeters after day ``fit_days`` are not read. ``taught`` says which layers the network reads, what its inputs are
    clipped to, and which gains are fitted.
    """

    def __init__(
        self,
        event: Scenario,
        fit_days: int,
        margin_cells: int,
        taught: Training,
        tell: MessageCallback = ignore_message,
    ) -> None:
        self.name, self.days, self._learned, self._shape = event.name, fit_days, taught.learned, event.grid.shape
        self._tell = tell
        self._box = fit_box(event, fit_days, margin_cells)
        self._features = event_features(event, taught.layers, taught.slope_max_deg).cropped(*self._box)
        here = cropped_to(event, self._box)
        self._speed, self._towards = here.wind_speed[:fit_days], here.wind_dir[:fit_days]
        self._blown = [
            (
                torch.tensor(speed),
                torch.tensor(towards),
                torch.from_numpy(wind_inputs(speed, towards, taught.wind_max_ms)),
            )
            for speed, towards in zip(self._speed, self._towards, strict=True)
        ]
        self._terrain, self._burnable = Terrain.of_event(here), burnable(here)
        self._ignition = observed_start(here)
        scored = scored_days(here, fit_days)
        perimeters = [here.observed_on(day) for day in scored]
        self.target = Target(self._ignition, tuple(scored), np.stack([each for each in perimeters if each is not None]))
        # Written anew in every epoch; asking for fresh memory would cost more than the arithmetic.
        self._phi = np.empty((fit_days, 8, *self._ignition.shape), np.float32)
        self._gamma = np.empty((fit_days, *self._ignition.shape), np.float32)
        self._steps, self._cell = event.steps_per_day, event.grid.cell_size_m

    def differentiate(
        self, network: SpreadNetwork, correction: CorrectionVariables | None, share: float, check: Check | None
    ) -> Misfit:
        """Return the misfit of a rollout from day 0, and add ``share`` of its gradient to the variables.

        Days are differentiated one at a time, each from the state it started from, as the source model was trained;
        the network is evaluated again for each, so that memory holds one day.
        """
        with one_thread():
            partial = network.static(self._features)
            field = None if correction is None else correction_field(correction.nodes, self._shape)[self._box]
        leaves = tuple(part.detach().requires_grad_() for part in partial)
        trend = None if correction is None else correction.trend.detach().requires_grad_()
        local = None if field is None else field.detach().requires_grad_()
        found: list[Misfit] = []

        def slopes(states: NDArray[np.float32]) -> NDArray[np.float32]:
            with one_thread():
                found.append(self.target.misfit(states))
            return found[-1].slopes * np.float32(share)

        def hear(day: int, by_gain: NDArray[np.float32]) -> None:
            if check is not None:
                check()
            with one_thread():
                phi, gamma = self._day(network, leaves, day, local, trend)
                torch.autograd.backward(phi * gamma * torch.from_numpy(self._burnable), torch.from_numpy(by_gain))

        gain_slopes(self._model(network, leaves, local, trend, check), slopes, hear, through_days=False, check=check)
        with one_thread():
            torch.autograd.backward(partial, [leaf.grad for leaf in leaves])
            if correction is not None and field is not None and local is not None and trend is not None:
                torch.autograd.backward(field, local.grad)
                if trend.grad is not None:  # a single day has no trend
                    torch.autograd.backward(correction.trend, trend.grad)
        return found[0]

    def _day(
        self, network: SpreadNetwork, partial: Partial, day: int, field: Tensor | None, trend: Tensor | None
    ) -> tuple[Tensor, Tensor]:
        speed, towards, wind = self._blown[day]
        if field is not None and trend is not None and self.days > 1:
            field = field + trend * (days_from_middle(day, self.days, rising=False) / half_of(self.days))
        fields = network_fields(network, partial, wind, learned=self._learned, correction=field)
        return potentials(fields, speed, towards, self._terrain), ignition_gains(fields, speed)

    def _model(
        self, network: SpreadNetwork, partial: Partial, field: Tensor | None, trend: Tensor | None, check: Check | None
    ) -> Model:
        phi, gamma = self._phi, self._gamma
        with torch.no_grad(), one_thread():
            for day in range(self.days):
                if check is not None:
                    check()
                rates, gains = self._day(network, partial, day, field, trend)
                phi[day], gamma[day] = rates.numpy(), gains.numpy()
        maps = FireMaps(
            phi, gamma, self._burnable, self._speed, self._towards, self._ignition, T_BURN_STEPS, self._steps,
            self._cell, PAPER_COVERAGE,
        )  # fmt: skip
        nothing = np.zeros((0, *maps.shape), bool)
        return prepare(maps, Fleet(()), nothing, (), weights=ObjectiveWeights(), effectiveness=NOMINAL, backend="cpu",
                       tell=self._tell)  # fmt: skip
