"""Device memory of the GPU engine, at fixed addresses because captured graphs hold them."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from firegui.domain.maps import FireMaps
from firegui.rollout.kernels.gpu_drops import COLUMNS, Tiling
from firegui.rollout.model import Model
from firegui.rollout.moving_start import start_fields

SUMS = 5
"""Per tile: Σ P, Σ p P of the current state, and over time Σ P, scored Σ P, scored Σ p P."""
TABLE_COLUMNS = 8
SMALLEST_DAILY_DECAY = 1e-20
"""Below it ``S = B / (1 − 1/T)^k`` would leave float32's range within a day, and ``B`` itself is kept."""

TOUCHED, AGAIN, TREATED = 2, 4, 8
"""Bits of a tile's flag, as in ``gpu_arithmetic``; the first and the last outlast a day."""


def has_knights(maps: FireMaps) -> bool:
    """Return whether the stencil has the knight's moves."""
    return maps.stencil.reach > 1


def step_table(model: Model) -> Tensor:
    """Return ``[T + 1, 8]`` float32: scale, fold, keep, gain, scored, left, rouse of every step.

    They are explained in ``gpu_arithmetic``.
    """
    maps, steps = model.maps, np.arange(model.n_steps + 1)
    decay, k = 1.0 - 1.0 / maps.t_burn, steps % maps.steps_per_day
    table = np.zeros((len(steps), TABLE_COLUMNS))
    starts, changes = (k == 0) & (steps > 0), steps % maps.steps_per_period == 0
    daily = decay**maps.steps_per_day
    if daily >= SMALLEST_DAILY_DECAY:
        table[:, 0], table[:, 1] = decay**k, np.where(starts, daily, 1.0)
        table[:, 2], table[:, 3], table[:, 6] = 1.0, decay ** -(k + 1.0), changes
    else:
        table[:, 0], table[:, 1], table[:, 2], table[:, 3], table[:, 6] = 1.0, 1.0, decay, 1.0, 1.0
    table[:, 4] = steps + 1 >= model.first_scored_step
    table[:, 5] = model.n_steps - np.maximum(steps + 1, model.first_scored_step) + 1
    return torch.from_numpy(table.astype(np.float32))


class Pools:
    """Drops of a span of steps: their effect on each tile, an index, and the retardant before them."""

    def __init__(self, tiling: Tiling, runs: int, steps: int, device: str) -> None:
        self.tiling, self.device = tiling, device
        self.slots = torch.full((steps, tiling.tiles, runs), -1, dtype=torch.int32, device=device)
        self.wet = torch.zeros(0, device=device)
        self.laid, self.before = self.wet, self.wet
        self.hold(1, history=False)

    def hold(self, pairs: int, *, history: bool) -> bool:
        """Make room for ``pairs`` (drop, tile) pairs, the last one unused; whether addresses have changed."""
        cells = self.tiling.height * self.tiling.width
        wanted = cells * 2 ** max(pairs - 1, 0).bit_length()
        small, bare = len(self.wet) < wanted, history and len(self.before) < max(wanted, len(self.wet))
        if small:
            self.wet, self.laid = (torch.ones(wanted, device=self.device) for _ in range(2))
        if bare:
            self.before = torch.ones(len(self.wet), device=self.device)
        elif small and not history:
            self.before = torch.zeros(0, device=self.device)
        return small or bare


class Arena:
    """State of ``runs`` rollouts of one fire.

    It has ``U, S, r``, the emission ``ρ_e S``, flags and sums of tiles, and tables. ``passing`` is ``r`` as the
    neighbours of a tile read it for their knight's moves; it is empty without them.
    """

    def __init__(self, maps: FireMaps, gains: Tensor, tiling: Tiling, runs: int, span: int) -> None:
        device = str(gains.device)
        self.maps, self.gains, self.tiling, self.runs, self.span, self.device = maps, gains, tiling, runs, span, device
        field, tiles = tiling.field, tiling.tiles
        self.unburned, self.scaled, self.retardant = (torch.zeros((runs, *field), device=device) for _ in range(3))
        self.emission = torch.zeros((2, runs, *field), device=device)
        self.passing = torch.zeros((2, runs, *field) if has_knights(maps) else 0, device=device)
        self.flags = torch.zeros((2, tiles, runs), dtype=torch.int32, device=device)
        self.sums = torch.zeros((SUMS, tiles, runs), dtype=torch.float64, device=device)
        self.table = torch.zeros((maps.n_steps + 1, TABLE_COLUMNS), device=device)
        self.protection = torch.zeros((tiling.rows, tiling.columns), dtype=torch.float64, device=device)
        self.clock = torch.zeros(2, dtype=torch.int32, device=device)
        days = np.arange(maps.days)
        clocks = np.stack([days, (days % span) * maps.steps_per_day], axis=1).astype(np.int32)
        self._clocks = torch.from_numpy(clocks).to(device)
        self.pools = Pools(tiling, runs, span * maps.steps_per_day, device)
        # Where drops work, empty where they do everywhere.
        works = np.zeros(0, bool) if maps.drop_cells is None else maps.drop_cells.whole()
        self.working = torch.from_numpy(works.view(np.uint8)).to(device)
        self._ignition, self._start = torch.zeros((2, *field), device=device)
        for whole, cells in zip((self._start, self._ignition), start_fields(maps), strict=True):
            whole[: tiling.rows, : tiling.columns] = torch.from_numpy(cells).to(device)

    def set_day(self, day: int) -> None:
        """Tell the kernels which day it is."""
        self.clock.copy_(self._clocks[day])

    def load_objective(self, model: Model) -> Tensor:
        """Load what depends on the model's objective, and return the table of steps on the host."""
        table = step_table(model)
        self.table.copy_(table)
        self.protection.copy_(model.protection)
        return table

    def clear(self) -> None:
        """Remove the fire from all runs."""
        self.unburned.fill_(1.0)
        self.retardant.fill_(1.0)
        self.passing.fill_(1.0)
        for field in (self.scaled, self.emission, self.flags, self.sums):
            field.zero_()

    def ignite(self, run: int, *, scored: bool) -> None:
        """Set the start of the plan in one run."""
        self.scaled[run] = self._ignition
        self.unburned[run] = 1.0 - self._start
        self.emission[:, run] = self._ignition
        density = self._tile_sums(self._start[: self.tiling.rows, : self.tiling.columns].double() * self.protection)
        fire = self._tile_sums(self._start.double())
        self.flags[:, :, run] = (fire > 0).to(torch.int32) * TOUCHED
        weight = 1.0 if scored else 0.0
        self.sums[:, :, run] = torch.stack([fire, density, fire, fire * weight, density * weight])

    @property
    def is_limited(self) -> bool:
        """Whether there are cells where drops do not work."""
        return len(self.working) > 0

    @property
    def neighbours(self) -> int:
        """Number of neighbours of a cell."""
        return int(self.gains.shape[1])

    def set_shared(self, run: int, *, emitter: bool) -> None:
        """Set what tiles read of each other from the state of a run; ``emitter``: retardant acts on emitters."""
        self.emission[:, run] = self.retardant[run] * self.scaled[run] if emitter else self.scaled[run]
        if len(self.passing):
            self.passing[:, run] = self.retardant[run]

    def wake_for_drops(self, k: int) -> None:
        """Make the tiles under the drops of step ``k`` of the day run at the step before, which records them."""
        slots = self.pools.slots.index_select(0, (self.clock[1:] + k).long())[0]
        self.flags[(k - 1) % 2] |= (slots >= 0).to(torch.int32) * AGAIN

    def gains_of(self, k: int) -> Tensor:
        """Return the gains from the period of step ``k`` of the first day on."""
        return self.gains[k // self.maps.steps_per_period :]

    def _tile_sums(self, field: Tensor) -> Tensor:
        tiling = self.tiling
        whole = torch.zeros(tiling.field, dtype=torch.float64, device=self.device)
        whole[: field.shape[0], : field.shape[1]] = field
        return whole.view(tiling.tile_rows, tiling.height, tiling.tile_columns, tiling.width).sum(dim=(1, 3)).flatten()

    def tiled(self, field: Tensor) -> Tensor:
        """Return a field ``[rows, columns]`` seen as ``[tile row, row, tile column, column]``."""
        tiling = self.tiling
        return field.view(tiling.tile_rows, tiling.height, tiling.tile_columns, tiling.width)

    def even_out(self) -> None:
        """After an odd number of steps: what the next day reads has to lie in the first buffers."""
        for buffers in (self.emission, self.passing, self.flags):
            buffers[:1].copy_(buffers[1:])


class RolloutHistory:
    """History of a span of days for the backward pass of one rollout, and its own fields."""

    def __init__(self, maps: FireMaps, tiling: Tiling, span: int, n_aircraft: int, device: str) -> None:
        field, days, per_day = tiling.field, maps.days, maps.steps_per_day
        steps, self.span = span * per_day, span
        self.heats, self.afters, self.burnings = (torch.zeros((steps, *field), device=device) for _ in range(3))
        self.log = torch.zeros((steps, tiling.tiles), dtype=torch.int32, device=device)
        self.ends = torch.zeros((span, *field), device=device)
        # At the start of every span but the last: U, S, r, and the flags.
        checkpoints = max(-(-days // span) - 1, 0)
        self.checkpoints = torch.zeros((checkpoints, 3, *field), device=device)
        self.checkpoint_flags = torch.zeros((checkpoints, tiling.tiles), dtype=torch.int32, device=device)
        self.adjoint, self.remaining, self.emitted, self.collected, self.current = (
            torch.zeros(field, device=device) for _ in range(5)
        )
        self.flows = torch.zeros((2, *field), device=device)
        # ρ_e S and r, which the cells that knight's moves pass gather besides.
        self.sources, self.passing = (
            torch.zeros((2, *field) if has_knights(maps) else 0, device=device) for _ in range(2)
        )
        self.slopes = torch.zeros((tiling.rows, tiling.columns), device=device)
        most = days * per_day * n_aircraft
        self.pair_rows = torch.zeros((most, COLUMNS), dtype=torch.float64, device=device)
        self.pair_at = torch.zeros(days * per_day + 1, dtype=torch.int32, device=device)
        self.results = torch.zeros((most + 1, 4), dtype=torch.float64, device=device)

    @staticmethod
    def bytes_of(tiling: Tiling, span: int, days: int, per_day: int) -> int:
        """Return about how many bytes a history takes."""
        cells = tiling.field[0] * tiling.field[1]
        return 4 * cells * (3 * span * per_day + span + 3 * -(-days // span) + 12)
