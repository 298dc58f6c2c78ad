"""One event of a fit: the network's maps on its days, the rollout, and the gradient back to what is fitted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from firegui.calibration.forecast import cropped_to, fit_box
from firegui.calibration.network_misfit import Misfit, Target
from firegui.domain.coverage import PAPER_COVERAGE
from firegui.domain.fleet import Fleet
from firegui.domain.maps import FireMaps
from firegui.domain.scenario import Scenario
from firegui.domain.settings import NOMINAL, ObjectiveWeights
from firegui.domain.weights import TrainedEvent, Training, days_from_middle
from firegui.fire.features import event_features, wind_inputs
from firegui.fire.landscape import T_BURN_STEPS, burnable
from firegui.fire.learned import correction_field, network_fields
from firegui.fire.network import Partial, SpreadNetwork
from firegui.fire.one_thread import one_thread
from firegui.fire.skill import observed_start, scored_days
from firegui.fire.spread import Terrain, ignition_gains, potentials
from firegui.rollout.model import Model
from firegui.rollout.outcome import Check
from firegui.rollout.remark import Tell, silent
from firegui.rollout.simulate import gain_slopes, prepare

SMOOTHNESS, MAGNITUDE = 1e-3, 1e-6
"""Weights of the squared differences between neighbouring nodes, and of the squared nodes."""


@dataclass(frozen=True, slots=True, eq=False)
class CorrectionVariables:
    """What is fitted to one event beside the network.

    ``nodes [h, w]`` of the log rate, and ``trend``, what it changes by in half of the fitted days.
    """

    nodes: Tensor
    trend: Tensor

    def penalty(self) -> Tensor:
        """``10⁻³ Σ (differences of neighbours)² + 10⁻⁶ Σ nodes²``.

        Where the fire says nothing, the field goes on as it is beside it.
        """
        nodes = self.nodes
        with one_thread():
            rough = ((nodes[1:] - nodes[:-1]) ** 2).sum() + ((nodes[:, 1:] - nodes[:, :-1]) ** 2).sum()
            return SMOOTHNESS * rough + MAGNITUDE * (nodes**2).sum()


def nodes_of(event: Scenario, spacing_m: float) -> tuple[int, int]:
    """How many nodes a correction has: about one per ``spacing_m``, at least two each way."""
    rows, columns = (max(2, round(cells * event.grid.cell_size_m / spacing_m) + 1) for cells in event.grid.shape)
    return rows, columns


def half_of(fit_days: int) -> float:
    """Half of the fitted days, from the middle of the first to the middle of the last."""
    return max(0.5 * (fit_days - 1), 0.5)


def trained_event(event: Scenario, fit_days: int) -> TrainedEvent:
    """What the event can teach in its first ``fit_days`` days."""
    slope = event.layers.get("slope")
    known = np.zeros(0) if slope is None else slope[np.isfinite(slope)]
    strongest = float(event.wind_speed[:fit_days].max(initial=0.0))
    steepest = float(known.max(initial=0.0))
    return TrainedEvent(event.name, event.date_of_day(0), fit_days, tuple(event.layers), strongest, steepest)


class EventFit:
    """An event cut to its fire, with everything that does not change while it is fitted.

    Perimeters after day ``fit_days`` are not read. ``taught`` says which layers the network reads, what its inputs are
    clipped to, and which gains are fitted.
    """

    def __init__(
        self, event: Scenario, fit_days: int, margin_cells: int, taught: Training, tell: Tell = silent
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
        """The misfit of a rollout from day 0; ``share`` of its gradient is added to what is fitted.

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
