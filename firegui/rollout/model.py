"""Model of a rollout: everything besides the schedule, prepared once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from firegui.domain.fleet import Fleet, Material
from firegui.domain.grid import HECTARE_M2
from firegui.domain.maps import FireMaps
from firegui.domain.results import Metrics
from firegui.domain.settings import Effectiveness, ObjectiveWeights, RetardantSide
from firegui.domain.values import ValueLayer
from firegui.errors import Problems
from firegui.rollout.engine_message import MessageCallback, ignore_message
from firegui.rollout.gains import SpreadGains
from firegui.rollout.gates import FlightRules
from firegui.rollout.values import ValueFields, value_fields


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """The frozen fire, the fleet and the objective, on one device.

    ``gains`` holds ``K_n(x) = γ(x) φ_n(x) burnable(x)`` of every period; ``protection [H, W]`` float64 is the density
    of 𝓛_prot, ``Σ_R w_R 1_R / (|R| Σ w)``; ``protected [H, W]`` bool the union of the regions. ``values`` are the
    values at risk, ``None`` without any. States are held in ``dtype``: float32 is part of the model, because its
    cut-off feeds the tail that pulls the front; float64 checks equations. ``tell`` is called with what the engine has
    to say while it computes. ``rules`` are the operational constraints on the gates, beyond the paper. With
    ``full_carry`` gradients follow the burning state from step to step, which the paper cuts. A rollout for a gradient
    stops at the end of the first day on which more than ``gradient_extent`` cells are on fire or burned, ``Σ_x P_t``;
    the states after it count as equal to it. One that ends with at most ``gradient_floor`` cells is not differentiated:
    all derivatives are 0. With ``flown_only`` those by logits are 0 where no drop is flown. With ``in_torch`` the
    processor computes without kernels, which then need not be compiled.
    """

    maps: FireMaps
    fleet: Fleet
    weights: ObjectiveWeights
    effectiveness: Effectiveness
    retardant_acts_on: RetardantSide
    backend: str
    device: str
    gains: SpreadGains
    protection: Tensor
    protected: Tensor
    dtype: torch.dtype = torch.float32
    first_scored_step: int = 0
    tell: MessageCallback = ignore_message
    rules: FlightRules | None = None
    full_carry: bool = False
    gradient_extent: float = math.inf
    gradient_floor: float = 0.0
    flown_only: bool = False
    in_torch: bool = False
    values: ValueFields | None = None

    @property
    def K(self) -> Tensor:
        """``[D P, N, H, W]``, neighbours in the order of the maps' stencil."""
        return self.gains.dense()

    def is_differentiated(self, metrics: Metrics) -> bool:
        """Return whether a rollout that ends like this has derivatives; see ``gradient_floor``."""
        return metrics.final_extent_cells > self.gradient_floor

    @property
    def n_steps(self) -> int:
        """``T``."""
        return self.maps.n_steps

    @property
    def shape(self) -> tuple[int, int]:
        """``(n_y, n_x)``."""
        return self.maps.shape

    @property
    def n_cells(self) -> int:
        """``|Ω|``."""
        return self.shape[0] * self.shape[1]

    @property
    def n_scored(self) -> int:
        """``T_opt = T − t_0 + 1``."""
        return self.n_steps - self.first_scored_step + 1

    @property
    def cell_area_ha(self) -> float:
        """Area of a cell in hectares."""
        return self.maps.cell_size_m**2 / HECTARE_M2

    @property
    def emitter_treated(self) -> bool:
        """Whether retardant acts on the emitting neighbour's fuel factor."""
        return self.retardant_acts_on is not RetardantSide.RECEIVER

    @property
    def receiver_treated(self) -> bool:
        """Whether retardant acts on the receiving cell's fuel factor."""
        return self.retardant_acts_on is not RetardantSide.EMITTER

    def columns_of(self, material: Material) -> list[int]:
        """Return column indices of the aircraft that carry ``material``."""
        return [tail.index for tail in self.fleet.tails if tail.type.material is material]

    @property
    def relative_costs(self) -> NDArray[np.float64]:
        """``c_a / c̄ [A]``: cost of a drop of each aircraft over its mean; 0 for a fleet without prices."""
        costs = np.array([tail.type.drop_cost or 0.0 for tail in self.fleet.tails])
        return costs / costs.mean() if costs.any() else costs

    @property
    def drop_weights(self) -> NDArray[np.float64]:
        """``λ_budget + λ_cost c_a / c̄ [A]``: what an executed drop of each aircraft adds to the objective."""
        found = np.full(self.fleet.n_aircraft, self.weights.budget)
        return found + self.weights.cost * self.relative_costs if self.weights.cost else found

    def with_effectiveness(self, effectiveness: Effectiveness) -> Model:
        """Return the same model with another suppressant; shares everything else."""
        return replace(self, effectiveness=effectiveness)

    def with_weights(self, weights: ObjectiveWeights) -> Model:
        """Return the same model with another objective; shares everything else."""
        return replace(self, weights=weights)

    def occupancy_slope(self) -> Tensor:
        """Return ``l_t(x) = ∂𝓛/∂P_t(x)`` for the scored steps, without the terminal term.

        It is float64 ``[H, W]``.
        """
        return self.weights.burn / (self.n_scored * self.n_cells) + self.protection * (
            self.weights.prot / self.n_scored
        )

    @property
    def terminal_slope(self) -> float:
        """Slope that the last state adds to ``l_T`` in every cell: ``λ_final / |Ω|``."""
        return self.weights.final / self.n_cells

    def value_slope(self) -> Tensor | None:
        """Return what the last state adds to ``l_T`` besides: ``λ_val w(x) / Σ w``, float64 ``[H, W]``.

        ``None`` where the objective does not count values.
        """
        return None if self.values is None or self.weights.val == 0.0 else self.weights.val * self.values.density


def protection_density(
    masks: NDArray[np.bool_], weights: Sequence[float], shape: tuple[int, int]
) -> NDArray[np.float64]:
    """Return ``Σ_R w_R 1_R(x) / (|R| Σ_R w_R)``.

    With equal weights it is the paper's mean over regions, each by its own area.

    Raises :class:`~firegui.errors.InputError` for a region without a cell.
    """
    density = np.zeros(shape, np.float64)
    problems = Problems()
    total = float(sum(weights))
    for index, (mask, weight) in enumerate(zip(masks, weights, strict=True)):
        cells = int(mask.sum())
        if cells == 0:
            problems.add(
                f"region number {index + 1}", "covers no cell centre of the grid", "make it larger or remove it"
            )
        elif total > 0:
            density[mask] += weight / (cells * total)
    problems.raise_if_any("The protected regions cannot be used")
    return density


def build(
    maps: FireMaps,
    fleet: Fleet,
    masks: NDArray[np.bool_],
    region_weights: Sequence[float],
    *,
    weights: ObjectiveWeights,
    effectiveness: Effectiveness,
    retardant_acts_on: RetardantSide,
    backend: str,
    device: str,
    dtype: torch.dtype = torch.float32,
    tell: MessageCallback = ignore_message,
    values: Sequence[ValueLayer] = (),
) -> Model:
    """Put everything on ``device``. ``masks [R, H, W]`` are the regions' cells; ``R`` may be 0."""
    masks = np.asarray(masks, bool).reshape(-1, *maps.shape)
    density = protection_density(masks, region_weights, maps.shape)
    union = np.logical_or.reduce(masks, axis=0)
    return Model(
        maps, fleet, weights, effectiveness, retardant_acts_on, backend, device, SpreadGains(maps, dtype, device),
        torch.from_numpy(density).to(device), torch.from_numpy(union).to(device), dtype, tell=tell,
        values=value_fields(values, device),
    )  # fmt: skip
