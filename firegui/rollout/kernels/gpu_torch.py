"""Kernels of the GPU engine in plain torch, for a GPU without Triton.

They are dense and never wait for the device. Every launch works on tensors of fixed size and finds the day and its
place in the history on the device, so that a day of them can be captured as one graph and replayed. Only the calls per
span of days and per state are not part of one.
"""

from __future__ import annotations

import torch
from torch import Tensor

from firegui.domain.stencil import Offset
from firegui.rollout.kernels.gpu_arena import TOUCHED, TREATED, Arena, RolloutHistory
from firegui.rollout.kernels.gpu_drops import DeviceDrops, Tiling
from firegui.rollout.kernels.gpu_launch import KernelSetting
from firegui.rollout.suppression import MAXIMUM_DOSE

CUT_OFF = 2.0**-25
CAPPED = 1.9287498479639178e-22
BAND_BATCH = 512
PAIR_BATCH = 4096


def ignition(heat: Tensor) -> Tensor:
    """Return ``1 − exp(−h)`` with the exponential rounded to float32 once."""
    return 1.0 - torch.exp(-heat.double()).float()


def weigh(drops: Tensor, row: Tensor, column: Tensor) -> tuple[Tensor, Tensor, Tensor, tuple[Tensor, Tensor, Tensor]]:
    """Return ``G [n, …]`` at offsets from the centre cells, the distances, and ``q_xx, q_yy, q_xy``.

    The drops are ``drops [n, 21]``.
    """
    one = [drops[:, c].reshape(-1, 1, 1) for c in range(drops.shape[1])]
    cos, sin, along, across, half = one[2], one[3], one[4], one[5], one[7]
    dy, dx = row - one[0], column - one[1]
    q = cos * cos * along + sin * sin * across, sin * sin * along + cos * cos * across, -cos * sin * (along - across)
    exponent = -0.5 * (q[0] * dx * dx + 2.0 * q[2] * dx * dy + q[1] * dy * dy)
    counts = (exponent >= one[20]) & (row.abs() <= half) & (column.abs() <= half)
    return torch.where(counts, torch.exp(exponent), 0.0), dy, dx, q


def band(drops: Tensor, setting: KernelSetting) -> tuple[Tensor, Tensor]:
    """Return offsets ``(row, column) [n, side, band]`` of the cells about each drop's long axis.

    They are those of ``gpu_arithmetic``.
    """
    one = [drops[:, c].reshape(-1, 1, 1) for c in range(8)]
    cos, sin, along, across = one[2:6]
    flat = cos.abs() >= sin.abs()
    device = drops.device
    major = torch.arange(setting.side, device=device, dtype=torch.float64).reshape(1, -1, 1) - one[7]
    own, other = torch.where(flat, one[1], one[0]), torch.where(flat, one[0], one[1])
    near, far = torch.where(flat, sin, cos) ** 2, torch.where(flat, cos, sin) ** 2
    middle = torch.floor(other + cos * sin * (along - across) * (major - own) / (near * along + far * across) + 0.5)
    minor = middle + (torch.arange(setting.band, device=device, dtype=torch.float64) - setting.band // 2)
    major = major.expand_as(minor)
    return torch.where(flat, minor, major), torch.where(flat, major, minor)


class TorchKernels:
    """The same launches as ``TritonKernels``. Every tile runs at every step."""

    def shares(self, drops: DeviceDrops, setting: KernelSetting) -> None:
        """Fill in ``P α / Σ G``."""
        for begin in range(0, len(drops.rows), BAND_BATCH):
            rows = drops.rows[begin : begin + BAND_BATCH]
            total = weigh(rows, *band(rows, setting))[0].sum(dim=(1, 2))
            drops.shares[begin : begin + BAND_BATCH] = rows[:, 6] / (total + 1e-12)

    def doses(self, arena: Arena, drops: DeviceDrops, steps: range) -> None:
        """Fill the arena's pools with the drops of ``steps``; those of one step are summed in fleet order."""
        pools, tiling, host = arena.pools, arena.tiling, drops.host
        begin, end = int(host.pair_at[steps.start]), int(host.pair_at[steps.stop])
        slots = pools.slots.view(-1)
        slots.fill_(end - begin)
        pair = torch.arange(end - begin, dtype=torch.int32, device=arena.device)
        which = drops.pairs[begin:end].long()
        rows = drops.rows[which]
        local, wide = pair + begin - rows[:, 15], rows[:, 14].clamp(min=1.0)
        tile = (rows[:, 11:12] + torch.stack([local // wide, local % wide], dim=1)[:, :1]) * tiling.tile_columns
        tile = tile[:, 0] + rows[:, 12] + local % wide
        key = (((rows[:, 19] - steps.start) * tiling.tiles + tile) * arena.runs + rows[:, 18]).long()
        slots.scatter_reduce_(0, key, pair, "amin")
        water, laid = (
            torch.zeros((end - begin, tiling.height, tiling.width), dtype=torch.float64, device=arena.device)
            for _ in range(2)
        )
        rank = which - rows[:, 16].long()
        for first in range(0, end - begin, PAIR_BATCH):
            part = slice(first, first + PAIR_BATCH)
            y = (tile[part] // tiling.tile_columns * tiling.height).reshape(-1, 1, 1) - rows[part, 8].reshape(-1, 1, 1)
            x = (tile[part] % tiling.tile_columns * tiling.width).reshape(-1, 1, 1) - rows[part, 9].reshape(-1, 1, 1)
            y = y + torch.arange(tiling.height, device=arena.device).reshape(1, -1, 1)
            x = x + torch.arange(tiling.width, device=arena.device).reshape(1, 1, -1)
            weight = weigh(rows[part], y, x)[0]
            if arena.is_limited:
                i, j = (at + rows[part, 8 + axis].reshape(-1, 1, 1) for axis, at in enumerate((y, x)))
                weight = weight * _works(arena, rows[part, 19].long().reshape(-1, 1, 1), i.long(), j.long())
            dose = weight * drops.shares[which[part]].reshape(-1, 1, 1)
            wet = rows[part, 10].reshape(-1, 1, 1)
            leader = slots[key[part]].long()
            for order in range(host.group):  # of one rank, no two pairs are of the same tile and step
                chosen = torch.nonzero(rank[part] == order).flatten()
                water[leader[chosen]] += (dose * wet)[chosen]
                laid[leader[chosen]] += (dose * (1.0 - wet))[chosen]
        for pool, summed in ((pools.wet, water), (pools.laid, laid)):
            pool[: summed.numel()] = torch.exp(-summed.clamp(max=MAXIMUM_DOSE)).float().flatten()
        slots.masked_fill_(slots == end - begin, -1)

    def drop_now(
        self, arena: Arena, drops: DeviceDrops, setting: KernelSetting, steps: range, step: int, *, history: bool
    ) -> None:
        """Apply the drops of ``step``, which is about to be run."""
        k = step % arena.maps.steps_per_day
        self._drop(arena, setting, k, k % 2, history=history)

    def _drop(self, arena: Arena, setting: KernelSetting, k: int, buffer: int, *, history: bool) -> None:
        pools, tiling = arena.pools, arena.tiling
        slot, row = _at(pools.slots, arena.clock[1] + k), _at(arena.table, _step(arena, k))
        wet, laid = (_dense(pool, slot, tiling) for pool in (pools.wet, pools.laid))
        if history:
            kept = pools.before.view(-1, tiling.height, tiling.width)
            # The last place of the pool belongs to no pair.
            place = torch.where(slot >= 0, slot, len(kept) - 1).long().flatten()
            tiles = arena.tiled(arena.retardant[0]).permute(0, 2, 1, 3).reshape(-1, tiling.height, tiling.width)
            kept[place] = tiles
        arena.unburned += arena.scaled * (row[0] * row[1]) * (1.0 - wet)
        arena.unburned.clamp_(0.0, 1.0)
        arena.scaled *= wet
        arena.retardant *= laid
        torch.mul(arena.retardant if setting.emitter else 1.0, arena.scaled, out=arena.emission[buffer])
        arena.flags[buffer] |= (slot >= 0).to(torch.int32) * TREATED

    def step(self, arena: Arena, history: RolloutHistory | None, setting: KernelSetting, k: int, *, last: bool) -> None:
        """Step ``k`` of the day, and the drops of the next one unless it is the ``last`` of its stretch."""
        tiling, row, here = arena.tiling, _at(arena.table, _step(arena, k)), k % 2
        gains, stencil = _gains(arena, k), arena.maps.stencil
        emission, retardant = _padded(arena.emission[here], arena) * row[1], _padded(arena.retardant, arena)
        total = torch.zeros_like(arena.unburned)
        inner = total[:, : tiling.rows, : tiling.columns]
        for n, offset in enumerate(stencil.offsets):
            share = _moved(emission, offset, arena) * gains[n]
            for cell in stencil.between(n):
                share *= _moved(retardant, cell, arena)
            inner += share
        heat = total * row[0]
        if setting.receiver:
            heat = heat * arena.retardant
        ignited = arena.unburned * ignition(heat)
        arena.unburned -= ignited
        burning = arena.scaled * row[1]
        if history is not None:
            place = (arena.clock[1] + k).reshape(1).long()
            heat_kept = torch.where(heat > CUT_OFF, heat, 0.0)
            for field, value in ((history.heats, heat_kept), (history.afters, arena.unburned)):
                field.index_copy_(0, place, value)
            history.burnings.index_copy_(0, place, burning)
            history.log.fill_(1)
        arena.scaled.copy_(burning * row[2] + ignited * row[3])
        torch.mul(arena.retardant if setting.emitter else 1.0, arena.scaled, out=arena.emission[1 - here])
        touched = _tiles(ignited, tiling).amax(dim=(2, 4)).reshape(arena.runs, -1).T > 0
        arena.flags[1 - here] = arena.flags[here] | touched.to(torch.int32) * TOUCHED
        self._sum(arena, setting, row[4].double())
        if not last:
            self._drop(arena, setting, k + 1, 1 - here, history=history is not None)

    @staticmethod
    def _sum(arena: Arena, setting: KernelSetting, scored: Tensor) -> None:
        fire = (1.0 - arena.unburned).double()
        arena.sums[0] = _tiles(fire, arena.tiling).sum(dim=(2, 4)).reshape(arena.runs, -1).T
        arena.sums[2] += arena.sums[0]
        arena.sums[3] += arena.sums[0] * scored
        if setting.protected:
            fire[:, : arena.tiling.rows, : arena.tiling.columns] *= arena.protection
            arena.sums[1] = _tiles(fire, arena.tiling).sum(dim=(2, 4)).reshape(arena.runs, -1).T
            arena.sums[4] += arena.sums[1] * scored

    def seed(self, arena: Arena, history: RolloutHistory, setting: KernelSetting, k: int) -> None:
        """Start the sweep of a day: nothing is left over from the last one."""

    def back(self, arena: Arena, history: RolloutHistory, setting: KernelSetting, k: int) -> None:
        """Undo step ``k`` of the day."""
        tiling, row, place = arena.tiling, _at(arena.table, _step(arena, k)), arena.clock[1] + k
        rows, columns = tiling.rows, tiling.columns
        heat, after, s = (_at(kept, place) for kept in (history.heats, history.afters, history.burnings))
        g = history.adjoint.clone()
        g[:rows, :columns] -= row[5] * history.slopes
        flow = torch.where(heat > 0.0, g * after, 0.0)
        received = flow * history.remaining if setting.receiver else flow
        gains, stencil = _gains(arena, k), arena.maps.stencil
        retardant, source = _padded(history.remaining, arena), s * row[0]
        emission = _padded(history.remaining * source if setting.emitter else source, arena)
        emitted, passed = torch.zeros_like(emission), torch.zeros_like(emission)
        for n, offset in enumerate(stencil.offsets):
            share, between = received[:rows, :columns] * gains[n], stencil.between(n)
            for cell in between:
                share *= _moved(retardant, cell, arena)
            _moved(emitted, offset, arena).add_(share)
            for cell in between:
                _moved(passed, cell, arena).addcmul_(share, _moved(emission, offset, arena))
        history.emitted[:rows, :columns] = _moved(emitted, (0, 0), arena)
        history.collected[:rows, :columns] += _moved(passed, (0, 0), arena)
        if setting.emitter:
            history.emitted *= history.remaining
            history.collected += history.emitted * source
        if setting.receiver:
            history.collected += flow * heat
        history.adjoint -= ignition(heat) * g
        history.current.copy_(s)
        slot = _at(arena.pools.slots, place)
        before = _dense(arena.pools.before, slot, tiling)[0]
        dropped = (slot[:, 0] >= 0).reshape(tiling.tile_rows, 1, tiling.tile_columns, 1)
        remaining = torch.where(dropped, arena.tiled(before), arena.tiled(history.remaining))
        history.remaining.copy_(remaining.reshape(tiling.field))

    def products(self, arena: Arena, history: RolloutHistory, setting: KernelSetting, k: int, most: int) -> None:
        """Compute products of at most ``most`` footprints of step ``k`` with the gradient of the dose."""
        tiling, t, device = arena.tiling, _step(arena, k), arena.device
        ends = history.pair_at.index_select(0, torch.stack([t, t + 1]))
        index = ends[0] + torch.arange(most, device=device)
        valid = index < ends[1]
        place = torch.where(valid, index, len(history.results) - 1).long()
        drops = history.pair_rows[torch.where(valid, index, 0).long()]
        row, column = band(drops, setting)
        weight, dy, dx, (qxx, qyy, qxy) = weigh(drops, row, column)
        y = (drops[:, 8].reshape(-1, 1, 1) + row).long()
        x = (drops[:, 9].reshape(-1, 1, 1) + column).long()
        inside = (y >= 0) & (y < tiling.rows) & (x >= 0) & (x < tiling.columns)
        if arena.is_limited:
            inside &= _works(arena, t.reshape(1, 1, 1), y, x)
        y, x = y.clamp(0, tiling.rows - 1), x.clamp(0, tiling.columns - 1)
        table = _at(arena.table, t)
        water = history.current * table[0] * (history.adjoint + history.emitted)
        water[: tiling.rows, : tiling.columns] -= (
            history.current[: tiling.rows, : tiling.columns] * table[0] * table[5] * history.slopes)  # fmt: skip
        slot = _at(arena.pools.slots, arena.clock[1] + k)
        is_water = drops[:, 10].reshape(-1, 1, 1) > 0.5
        left = (_dense(pool, slot, tiling)[0] for pool in (arena.pools.wet, arena.pools.laid))
        wet, laid = (torch.where(survived <= CAPPED, 0.0, 1.0) for survived in left)
        field = torch.where(is_water, (water * wet)[y, x], (history.collected * laid)[y, x]).double()
        seen = weight * torch.where(inside, field, 0.0)
        cos, sin, along, across = (drops[:, c].reshape(-1, 1, 1) for c in range(2, 6))
        turn = (along - across) * (cos * sin * (dx * dx - dy * dy) + (cos * cos - sin * sin) * dx * dy)
        slopes = (qxy * dx + qyy * dy, qxx * dx + qxy * dy, turn)
        share, total = 1.0 / (weight.sum(dim=(1, 2)) + 1e-12), seen.sum(dim=(1, 2))
        parts = [total] + [
            (seen * one).sum(dim=(1, 2)) - total * (weight * one).sum(dim=(1, 2)) * share for one in slopes
        ]
        history.results[place] = torch.stack(parts, dim=1) * (drops[:, 6] * share)[:, None]


def _works(arena: Arena, step: Tensor, row: Tensor, column: Tensor) -> Tensor:
    """Return where drops of ``step`` work; outside the raster as at its rim."""
    row, column = row.clamp(0, arena.tiling.rows - 1), column.clamp(0, arena.tiling.columns - 1)
    return arena.working[(step // arena.maps.steps_per_period).long(), row, column] != 0


def _step(arena: Arena, k: int) -> Tensor:
    return arena.clock[0] * arena.maps.steps_per_day + k


def _at(values: Tensor, index: Tensor) -> Tensor:
    """Return ``values[index]`` without asking the device for ``index``."""
    return values.index_select(0, index.reshape(1).long())[0]


def _gains(arena: Arena, k: int) -> Tensor:
    """Return the gains ``[N, H, W]`` of step ``k`` of the day."""
    return _at(arena.gains_of(k), arena.clock[0] * arena.maps.periods_per_day)


def _padded(field: Tensor, arena: Arena) -> Tensor:
    """Return the raster's part of fields, with a margin of zeros as wide as the stencil reaches."""
    tiling, margin = arena.tiling, (arena.maps.stencil.reach,) * 4
    return torch.nn.functional.pad(field[..., : tiling.rows, : tiling.columns], margin)


def _moved(padded: Tensor, offset: Offset, arena: Arena) -> Tensor:
    """Return the values at ``offset`` from every cell, a view."""
    reach, tiling = arena.maps.stencil.reach, arena.tiling
    row, column = reach + offset[0], reach + offset[1]
    return padded[..., row : row + tiling.rows, column : column + tiling.columns]


def _tiles(field: Tensor, tiling: Tiling) -> Tensor:
    return field.view(-1, tiling.tile_rows, tiling.height, tiling.tile_columns, tiling.width)


def _dense(pool: Tensor, slot: Tensor, tiling: Tiling) -> Tensor:
    """Return a pool as fields ``[runs, field]``, 1 where no drop is; ``slot [tiles, runs]``."""
    blocks = pool.view(-1, tiling.height, tiling.width)[slot.clamp(min=0).long()]
    blocks = torch.where((slot >= 0)[:, :, None, None], blocks, 1.0)
    blocks = blocks.view(tiling.tile_rows, tiling.tile_columns, -1, tiling.height, tiling.width)
    return blocks.permute(2, 0, 3, 1, 4).reshape(-1, *tiling.field)
