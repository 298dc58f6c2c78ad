"""Results of a rollout or a run, as plain values and NumPy arrays."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from firegui.domain.film import Film


@dataclass(frozen=True, slots=True)
class Metrics:
    """The numbers of one rollout (paper, step 4 and the benchmark tables).

    ``final_extent_cells`` = Σ_x P_T, ``occupancy_cell_days`` = days × mean over the T+1 states of Σ_x P_t,
    ``protected_cells`` = Σ P_T over the union of the regions; ``loss_*`` are the raw, unweighted terms. What the
    executed drops take is as in :class:`~firegui.domain.fleet.FleetUse`; results of older versions do not have it.
    ``value_lost`` is what is lost of each layer of values at risk, in its own unit; empty without values.
    """

    final_extent_cells: float
    final_extent_ha: float
    occupancy_cell_days: float
    protected_cells: float
    loss_burn: float
    loss_final: float
    loss_prot: float
    drops_proposed: int
    drops_executed: int
    objective: float
    gallons: float | None = None
    flight_hours: float | None = None
    cost: float | None = None
    loss_val: float = 0.0
    value_lost: tuple[float, ...] = ()


def metric_values(metrics: Metrics) -> dict[str, Any]:
    """Return metrics as plain values by name; those of values at risk only where there are values."""
    values = asdict(metrics)
    return values if metrics.value_lost else {key: values[key] for key in values if key not in _OF_VALUES}


_OF_VALUES = ("loss_val", "value_lost")


@dataclass(frozen=True, slots=True, eq=False)
class Frames:
    """The fire for display: every ``stride``-th state, quantised to 1/255 (approximate, for maps only).

    ``fire`` is P = 1 − U, ``burning`` is B and ``retardant`` is r, each a film ``[F, H, W]`` of uint8. Frame ``k`` is
    the state at step ``k · stride``; the last frame is the state at T.
    """

    stride: int
    fire: Film
    burning: Film
    retardant: Film
    last_step: int | None = None
    """T, where it is no multiple of ``stride``: the last frame is then nearer to the one before."""

    def index_of_step(self, step: int) -> int:
        """Return the index of the latest frame that is not after ``step``."""
        last = len(self.fire) - 1
        return last if self.last_step is not None and step >= self.last_step else min(step // self.stride, last)


@dataclass(frozen=True, slots=True)
class Violations:
    """Counts of the independent audit of the executed drops (paper, Table ``schedule_feasibility``)."""

    grounded: int
    turnaround: int
    simultaneous: int
    others: int = 0
    """Of the rules that the paper does not have: off the raster, dark, zones, sorties, cap, pins, wrongly withheld."""
