"""The numbers of a rollout, from its last state and its loss terms, whichever engine found them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from firegui.domain.results import Metrics
from firegui.rollout.model import Model
from firegui.rollout.values import WHOLE, Window

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Losses:
    """The raw terms ``𝓛_burn, 𝓛_final, 𝓛_prot`` and the weighted objective, which has the drops in it.

    ``val`` is ``𝓛_val``, and ``lost`` what is lost of every value layer.
    """

    burn: float
    final: float
    prot: float
    objective: float
    val: float = 0.0
    lost: tuple[float, ...] = ()


def losses_of(
    model: Model, occupied: float, guarded: float, extent: float, executed: Ints, lost: tuple[float, ...] = ()
) -> Losses:
    """Return the loss terms.

    ``occupied`` is ``Σ_t Σ_x P_t`` over the scored states, ``guarded`` the same weighted by the protection density,
    ``extent`` is ``Σ_x P_T``, ``executed [A]`` the drops of each aircraft, ``lost`` what is lost of the model's values.
    """
    weights = model.weights
    burn = occupied / (model.n_scored * model.n_cells)
    prot = guarded / model.n_scored
    final = extent / model.n_cells
    objective = weights.burn * burn + weights.final * final + weights.prot * prot + weights.budget * int(executed.sum())
    if weights.cost:
        objective += weights.cost * float(model.relative_costs @ executed)
    if model.values is None or not lost:
        return Losses(burn, final, prot, objective)
    val = model.values.loss(lost)
    return Losses(burn, final, prot, objective + weights.val * val, val, lost)


def values_lost(model: Model, fire: Callable[[], Tensor], window: Window = WHOLE) -> tuple[float, ...]:
    """Return what is lost of each value layer where ``fire()`` is ``P_T`` on ``window`` and 0 outside."""
    return () if model.values is None else model.values.lost(fire(), window)


def value_loss(model: Model, fire: NDArray[np.generic]) -> float:
    """Return ``𝓛_val`` of a state ``fire [H, W]``, 0 without values."""
    values = model.values
    return 0.0 if values is None else values.loss(values.lost(torch.from_numpy(fire).to(model.device)))


def metrics_of(
    model: Model, extent: float, protected: float, occupancy: float, losses: Losses, proposed: int, executed: Ints,
    flown: NDArray[np.bool_] | None = None, first_step: int = 0,
) -> Metrics:  # fmt: skip
    """Return the benchmark's metrics.

    ``extent`` is ``Σ_x P_T``, ``protected`` the same over the regions, ``occupancy`` is ``Σ_t Σ_x P_t`` over all T + 1
    states, ``executed [A]`` the drops of each aircraft. ``flown [T, A]`` are the same by step, the first at
    ``first_step`` of the plan that the cycles of the fleet belong to.
    """
    use = model.fleet.used(executed.tolist(), flown, first_step)
    return Metrics(
        final_extent_cells=extent,
        final_extent_ha=extent * model.cell_area_ha,
        occupancy_cell_days=occupancy / (model.n_steps + 1) * model.maps.days,
        protected_cells=protected,
        loss_burn=losses.burn,
        loss_final=losses.final,
        loss_prot=losses.prot,
        drops_proposed=proposed,
        drops_executed=int(executed.sum()),
        objective=losses.objective,
        gallons=use.gallons,
        flight_hours=use.flight_hours,
        cost=use.cost,
        loss_val=losses.val,
        value_lost=losses.lost,
    )
