"""The numbers of a rollout, from its last state and its loss terms, whichever engine found them."""

from __future__ import annotations

from dataclasses import dataclass

from firegui.domain.results import Metrics
from firegui.rollout.model import Model


@dataclass(frozen=True, slots=True)
class Losses:
    """The raw terms ``𝓛_burn, 𝓛_final, 𝓛_prot`` and the weighted objective, with the budget term in it."""

    burn: float
    final: float
    prot: float
    objective: float


def losses_of(model: Model, occupied: float, guarded: float, extent: float, executed: int) -> Losses:
    """Return the loss terms.

    ``occupied`` is ``Σ_t Σ_x P_t`` over the scored states, ``guarded`` the same weighted by the protection density,
    ``extent`` is ``Σ_x P_T``.
    """
    weights = model.weights
    burn = occupied / (model.n_scored * model.n_cells)
    prot = guarded / model.n_scored
    final = extent / model.n_cells
    objective = weights.burn * burn + weights.final * final + weights.prot * prot + weights.budget * executed
    return Losses(burn, final, prot, objective)


def metrics_of(
    model: Model, extent: float, protected: float, occupancy: float, losses: Losses, proposed: int, executed: int
) -> Metrics:
    """Return the benchmark's metrics.

    ``extent`` is ``Σ_x P_T``, ``protected`` the same over the regions, ``occupancy`` is ``Σ_t Σ_x P_t`` over all T + 1
    states.
    """
    return Metrics(
        final_extent_cells=extent,
        final_extent_ha=extent * model.cell_area_ha,
        occupancy_cell_days=occupancy / (model.n_steps + 1) * model.maps.days,
        protected_cells=protected,
        loss_burn=losses.burn,
        loss_final=losses.final,
        loss_prot=losses.prot,
        drops_proposed=proposed,
        drops_executed=executed,
        objective=losses.objective,
    )
