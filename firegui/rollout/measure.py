"""The numbers of a rollout, from its last state and its loss terms, whichever engine found them."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from firegui.domain.results import Metrics
from firegui.rollout.model import Model


@dataclass(frozen=True, slots=True)
class Losses:
    """The raw terms ``𝓛_burn, 𝓛_final, 𝓛_prot`` and the weighted objective, with the budget term in it."""

    burn: float
    final: float
    prot: float
    objective: float


def metrics_of(model: Model, last: Tensor, occupancy: float, losses: Losses, proposed: int, executed: int) -> Metrics:
    """The benchmark's metrics.

    ``last [H, W]`` is P_T in float64, ``occupancy`` is ``Σ_t Σ_x P_t`` over all T + 1 states.
    """
    extent = float(last.sum())
    return Metrics(
        final_extent_cells=extent,
        final_extent_ha=extent * model.cell_area_ha,
        occupancy_cell_days=occupancy / (model.n_steps + 1) * model.maps.days,
        protected_cells=float(last[model.protected].sum()),
        loss_burn=losses.burn,
        loss_final=losses.final,
        loss_prot=losses.prot,
        drops_proposed=proposed,
        drops_executed=executed,
        objective=losses.objective,
    )
