"""The network fire model: from weights and an event to the maps that the rollout needs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from importlib import import_module
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from firegui.domain.coverage import PAPER_COVERAGE
from firegui.domain.maps import FireMaps
from firegui.domain.scenario import Scenario
from firegui.domain.weights import GAINS, KERNELS, MAPS, Correction, NetworkWeights
from firegui.errors import Check
from firegui.fire.features import NetworkFeatures, event_features, wind_inputs
from firegui.fire.landscape import T_BURN_STEPS, burnable
from firegui.fire.network import Partial, SpreadNetwork, network_of
from firegui.fire.one_thread import one_thread
from firegui.fire.prior import EVEN_AT_MS, PRIOR
from firegui.fire.spread import Field, SpreadFields, Terrain, ignition_gains, potentials

REACH = max(KERNELS) // 2 + 1
"""Cells from which a cell's maps are computed, in every direction: a convolution's, and a neighbour's fuel factor."""


def network_fields(
    network: SpreadNetwork,
    partial: Partial,
    wind: Tensor,
    *,
    learned: Collection[str] = GAINS,
    correction: Tensor | None = None,
) -> SpreadFields:
    """Return the six fields of one day, differentiable in the network and in ``correction``.

    ``partial`` is :meth:`~firegui.fire.network.SpreadNetwork.static` of the event and ``wind [2, H, W]`` is
    :func:`~firegui.fire.features.wind_inputs` of the day. A gain that is not in ``learned`` is the constant of
    :mod:`firegui.fire.prior`, the alignment then evened. ``correction [H, W]`` changes the base rate:
    ``p ← min(p exp(correction), 1)``.
    """
    return _fields(lambda wanted: network.daily(partial, wind, wanted), learned, correction)


def _fields(
    daily: Callable[[Sequence[str]], Mapping[str, Tensor]], learned: Collection[str], correction: Tensor | None
) -> SpreadFields:
    """Return the fields of the spread form from the network's ``daily`` maps of the learned gains."""
    constant: dict[str, Field] = {name: PRIOR[name] for name in GAINS if name not in learned}
    named = {**constant, **daily([name for name in MAPS if name not in constant])}
    if correction is not None:
        named["base_rate"] = torch.clamp(named["base_rate"] * torch.exp(correction), max=1.0)
    return SpreadFields(**named, even_at_ms=None if "wind_alignment" in learned else EVEN_AT_MS)


def correction_field(nodes: Tensor, shape: tuple[int, int]) -> Tensor:
    """Return the nodes ``[h, w]`` of a correction interpolated to ``[H, W]``.

    They span the raster from corner cell to corner cell and are bilinear between them.
    """
    return functional.interpolate(nodes[None, None], shape, mode="bilinear", align_corners=True)[0, 0]


def network_maps(
    event: Scenario,
    weights: NetworkWeights,
    ignition: NDArray[np.bool_],
    start_day: int,
    days: int,
    check: Check | None = None,
) -> FireMaps:
    """Return the maps of ``days`` event days from ``start_day``, started from ``ignition [H, W]``.

    Layers that no training event had count as missing, the network's wind and slope are clipped to what it was trained
    on, the spread form uses the true ones, and the event's correction is applied if there is one. It is computed on one
    thread: the bits do not depend on how many there are. ``check`` is called before each day and may raise to cancel.
    Raises :class:`~firegui.errors.InputError` for weights that cannot be used.
    """
    window = slice(start_day, start_day + days)
    speed, towards = event.wind_speed[window], event.wind_dir[window]
    phi = np.empty((len(speed), 8, *event.grid.shape), np.float32)
    gamma = np.empty(speed.shape, np.float32)
    with torch.no_grad(), one_thread():
        model = EventModel.of(event, weights)
        for day in range(len(speed)):
            if check is not None:
                check()
            phi[day], gamma[day] = model.day(speed[day], towards[day], event.date_of_day(start_day + day))
    return FireMaps(
        phi=phi,
        gamma=gamma,
        burnable=burnable(event),
        wind_speed=speed,
        wind_dir=towards,
        ignition=ignition,
        t_burn=T_BURN_STEPS,
        steps_per_day=event.steps_per_day,
        cell_size_m=event.grid.cell_size_m,
        c_req=PAPER_COVERAGE,
    )


@dataclass(frozen=True, slots=True, eq=False)
class EventModel:
    """The network with what of an event does not change from day to day."""

    weights: NetworkWeights
    network: DailyMaps
    terrain: Terrain | None
    found: Correction | None
    field: Tensor | None

    @staticmethod
    def of(event: Scenario, weights: NetworkWeights) -> EventModel:
        """Raise :class:`~firegui.errors.InputError` for weights that cannot be used."""
        training = weights.training
        features = event_features(event, training.layers, training.slope_max_deg)
        network = daily_maps(network_of(weights), features)
        found = weights.correction_for(event)
        field = None if found is None else correction_field(torch.tensor(found.log_rate), event.grid.shape)
        return EventModel(weights, network, Terrain.of_event(event), found, field)

    def day(
        self, speed: NDArray[np.float32], towards: NDArray[np.float32], when: date
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return ``φ [8, H, W]`` and ``γ [H, W]``."""
        training = self.weights.training
        wind = wind_inputs(speed, towards, training.wind_max_ms)
        fields = _fields(lambda wanted: self.network.daily(wind, wanted), training.learned, self._correction(when))
        blown = torch.tensor(speed), torch.tensor(towards)
        phi = potentials(fields, *blown, self.terrain)
        return phi.numpy(), ignition_gains(fields, blown[0]).numpy()

    def cropped(self, rows: slice, columns: slice) -> EventModel:
        """Return the model on a window of the raster.

        Its outermost :data:`REACH` cells lack neighbours that they have on the whole raster.
        """
        ground = None if self.terrain is None else self.terrain.cropped(rows, columns)
        field = None if self.field is None else self.field[rows, columns]
        return replace(self, network=self.network.cropped(rows, columns), terrain=ground, field=field)

    def _correction(self, when: date) -> Tensor | None:
        return None if self.found is None or self.field is None else self.field + self.found.trend_on(when)


class DailyMaps(Protocol):
    """The network on an event, what days share computed once."""

    def cropped(self, rows: slice, columns: slice) -> DailyMaps:
        """Return a window of the event, in whose outermost cells the wind outside counts as 0."""

    def daily(self, wind: NDArray[np.float32], wanted: Sequence[str] = MAPS) -> dict[str, Tensor]:
        """Return the maps ``wanted`` of a day, ``[H, W]`` each.

        See :meth:`firegui.fire.network.SpreadNetwork.daily`.
        """


@dataclass(frozen=True, slots=True, eq=False)
class TorchMaps:
    """:class:`DailyMaps` by the convolutions themselves."""

    network: SpreadNetwork
    partial: Partial

    def cropped(self, rows: slice, columns: slice) -> TorchMaps:
        """See :meth:`DailyMaps.cropped`."""
        return replace(self, partial=tuple(shared[:, :, rows, columns] for shared in self.partial))

    def daily(self, wind: NDArray[np.float32], wanted: Sequence[str] = MAPS) -> dict[str, Tensor]:
        """See :meth:`DailyMaps.daily`."""
        with torch.no_grad():
            return self.network.daily(self.partial, torch.from_numpy(wind), wanted)


def daily_maps(network: SpreadNetwork, features: NetworkFeatures) -> DailyMaps:
    """Return the faster way that this computer has."""
    try:
        # By name: numba is not on every machine that has torch.
        made: DailyMaps = import_module("firegui.fire.frozen_network").FrozenNetwork.of(network, features)
    except ImportError:
        with torch.no_grad():
            return TorchMaps(network, network.static(features))
    return made
