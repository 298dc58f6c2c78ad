"""Launches of the Triton kernels on an arena, and days of them as captured graphs."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Protocol

import torch
from torch import Tensor

from firegui.rollout.kernels.gpu_arena import Arena, RolloutHistory
from firegui.rollout.kernels.gpu_drops import DeviceDrops

MOST_PER_PROGRAM = 32
"""Tiles that one program looks after, at most."""
PROGRAMS = 2048
"""Programs that an H200 holds at once; with more tiles each program looks after several."""
LONG = 16


def triton_is_there() -> bool:
    """Return whether Triton can be imported."""
    return importlib.util.find_spec("triton") is not None


@dataclass(frozen=True, slots=True)
class KernelSetting:
    """Constants that the kernels are specialised for.

    ``receiver`` and ``emitter``: where retardant acts; ``protected``: whether the objective has regions; ``side`` and
    ``band``: cells along and across the largest footprint; ``dense``: run every tile at every step, for comparison.
    """

    receiver: bool
    emitter: bool
    protected: bool
    side: int
    band: int
    dense: bool = False


class Kernels(Protocol):
    """Launches on an arena.

    ``history`` is None where nothing is recorded; ``k`` counts the steps of a day.
    """

    def shares(self, drops: DeviceDrops, setting: KernelSetting) -> None:
        """Fill in ``P α / Σ G``."""

    def doses(self, arena: Arena, drops: DeviceDrops, steps: range) -> None:
        """Fill the arena's pools with the drops of ``steps``, a span."""

    def drop_now(
        self, arena: Arena, drops: DeviceDrops, setting: KernelSetting, steps: range, step: int, *, history: bool
    ) -> None:
        """Apply the drops of ``step``, which is about to be run; its span is ``steps``."""

    def step(self, arena: Arena, history: RolloutHistory | None, setting: KernelSetting, k: int, *, last: bool) -> None:
        """Step ``k``, and the drops of the next one unless it is the ``last`` of its stretch."""

    def seed(self, arena: Arena, history: RolloutHistory, setting: KernelSetting, k: int) -> None:
        """Start the sweep of a day at its step ``k``."""

    def back(self, arena: Arena, history: RolloutHistory, setting: KernelSetting, k: int) -> None:
        """Undo step ``k``."""

    def products(self, arena: Arena, history: RolloutHistory, setting: KernelSetting, k: int, most: int) -> None:
        """Inner products of the at most ``most`` footprints of step ``k`` with the gradient of the dose."""


class TritonKernels:
    """The kernels of the forward and backward pass. Nothing here waits for the device."""

    def __init__(self) -> None:
        self._forward: Any = importlib.import_module("firegui.rollout.kernels.gpu_forward")
        self._backward: Any = importlib.import_module("firegui.rollout.kernels.gpu_backward")

    def shares(self, drops: DeviceDrops, setting: KernelSetting) -> None:
        """Fill in ``P α / Σ G``."""
        if len(drops.rows):
            kernel = self._forward.norms[(len(drops.rows),)]
            kernel(drops.rows, drops.shares, LONG=LONG, WIDE=setting.band, enable_fp_fusion=False)

    def doses(self, arena: Arena, drops: DeviceDrops, steps: range) -> None:
        """Fill the arena's pools with the drops of ``steps``, a span."""
        pools, tiling = arena.pools, arena.tiling
        begin, end = (int(drops.host.pair_at[t]) for t in (steps.start, steps.stop))
        pools.slots.fill_(-1)
        if end > begin:
            self._forward.doses[(end - begin,)](
                drops.rows, drops.shares, drops.pairs, pools.wet, pools.laid, pools.slots, arena.working, begin,
                steps.start, arena.runs, tiling.rows, tiling.columns, tiling.tile_rows, tiling.tile_columns,
                arena.maps.steps_per_period, LIMITED=arena.is_limited, TILE_HEIGHT=tiling.height,
                TILE_WIDTH=tiling.width,
                GROUP=1 << max(drops.host.group - 1, 0).bit_length(), enable_fp_fusion=False,
            )  # fmt: skip

    def drop_now(
        self, arena: Arena, drops: DeviceDrops, setting: KernelSetting, steps: range, step: int, *, history: bool
    ) -> None:
        """Apply the drops of ``step``, which is about to be run; its span is ``steps``."""
        pools, tiling, host = arena.pools, arena.tiling, drops.host
        begin, first, end = (int(host.pair_at[t]) for t in (steps.start, step, step + 1))
        if end == first:
            return
        per_day = arena.maps.steps_per_day
        self._forward.drop_now[(end - first,)](
            drops.rows, drops.pairs, pools.wet, pools.laid, pools.before, pools.slots, arena.unburned, arena.scaled,
            arena.retardant, arena.emission, arena.passing, arena.flags, arena.table, arena.clock, begin,
            first - begin, step % per_day, arena.runs, tiling.tile_rows, tiling.tile_columns, per_day,
            COUNT=arena.neighbours, EMITTER=setting.emitter, HISTORY=history, TILE_HEIGHT=tiling.height,
            TILE_WIDTH=tiling.width, enable_fp_fusion=False,
        )  # fmt: skip

    def step(self, arena: Arena, history: RolloutHistory | None, setting: KernelSetting, k: int, *, last: bool) -> None:
        """Step ``k`` of the day, and the drops of the next one unless it is the ``last`` of its stretch."""
        pools, tiling = arena.pools, arena.tiling
        items = tiling.tiles * arena.runs
        chunk = min(MOST_PER_PROGRAM, 1 << max(items // PROGRAMS - 1, 0).bit_length())
        programs = -(-items // chunk)
        spare = arena.unburned
        kept = (spare, spare, spare, arena.flags) if history is None else (
            history.heats, history.afters, history.burnings, history.log)  # fmt: skip
        self._forward.step[(programs,)](
            arena.gains_of(k), arena.unburned, arena.scaled, arena.retardant, arena.emission, arena.passing,
            arena.flags, arena.sums, arena.protection, pools.slots, pools.wet, pools.laid, pools.before, *kept,
            arena.table, arena.clock, k, int(last), int(setting.dense), programs, arena.runs, tiling.rows,
            tiling.columns, tiling.tile_rows, tiling.tile_columns, arena.maps.steps_per_day,
            arena.maps.periods_per_day, COUNT=arena.neighbours, RECEIVER=setting.receiver, EMITTER=setting.emitter,
            PROTECTED=setting.protected, HISTORY=history is not None, TILE_HEIGHT=tiling.height,
            TILE_WIDTH=tiling.width, CHUNK=chunk, enable_fp_fusion=False,
        )  # fmt: skip

    def seed(self, arena: Arena, history: RolloutHistory, setting: KernelSetting, k: int) -> None:
        """Start the sweep of a day at its step ``k``."""
        tiling = arena.tiling
        self._backward.seed[(tiling.tiles,)](
            history.heats, history.afters, history.burnings, history.log, history.adjoint, history.slopes,
            history.remaining, history.current, history.flows, history.sources, history.passing, history.emitted,
            arena.table, arena.clock, k, tiling.rows, tiling.columns, tiling.tile_rows, tiling.tile_columns,
            arena.maps.steps_per_day, COUNT=arena.neighbours, RECEIVER=setting.receiver, EMITTER=setting.emitter,
            TILE_HEIGHT=tiling.height, TILE_WIDTH=tiling.width, enable_fp_fusion=False,
        )  # fmt: skip

    def back(self, arena: Arena, history: RolloutHistory, setting: KernelSetting, k: int) -> None:
        """Undo step ``k`` of the day."""
        tiling, pools, per_day = arena.tiling, arena.pools, arena.maps.steps_per_day
        self._backward.back[(tiling.tiles,)](
            arena.gains_of(k), history.heats, history.afters, history.burnings, history.log, pools.before, pools.slots,
            history.adjoint, history.slopes, history.remaining, history.flows, history.sources, history.passing,
            history.emitted, history.collected, history.current, arena.table, arena.clock, k, int(k == per_day - 1),
            int(k == 0), tiling.rows, tiling.columns, tiling.tile_rows, tiling.tile_columns, per_day,
            arena.maps.periods_per_day, COUNT=arena.neighbours, RECEIVER=setting.receiver, EMITTER=setting.emitter,
            TILE_HEIGHT=tiling.height, TILE_WIDTH=tiling.width, enable_fp_fusion=False,
        )  # fmt: skip

    def products(self, arena: Arena, history: RolloutHistory, setting: KernelSetting, k: int, most: int) -> None:
        """Inner products of the at most ``most`` footprints of step ``k`` with the gradient of the dose."""
        tiling, pools = arena.tiling, arena.pools
        self._backward.products[(most,)](
            history.pair_rows, history.pair_at, history.results, history.collected, history.current, history.adjoint,
            history.slopes, history.emitted, pools.slots, pools.wet, pools.laid, arena.working, arena.table,
            arena.clock, k, tiling.rows, tiling.columns, tiling.tile_rows, tiling.tile_columns,
            arena.maps.steps_per_day, arena.maps.steps_per_period, LIMITED=arena.is_limited,
            TILE_HEIGHT=tiling.height, TILE_WIDTH=tiling.width, LONG=LONG, WIDE=setting.band, enable_fp_fusion=False,
        )  # fmt: skip


class Graphs:
    """Sequences of launches.

    They run directly at first, which compiles them. Then they are captured once and replayed.
    """

    def __init__(self, device: str) -> None:
        self._capture = device.startswith("cuda")
        self._known: dict[Hashable, torch.cuda.CUDAGraph | None] = {}

    def forget(self) -> None:
        """Drop all captured graphs, because they hold addresses of memory that has moved."""
        self._known.clear()

    def play(self, name: Hashable, launches: Callable[[], None]) -> None:
        """Do ``launches``, which must do the same whenever ``name`` is the same."""
        if not self._capture or name not in self._known:
            self._known[name] = None
            launches()
            return
        graph = self._known[name]
        if graph is None:
            graph = torch.cuda.CUDAGraph()
            # Another thread may use the device meanwhile; only this one is being recorded.
            with torch.cuda.graph(graph, capture_error_mode="thread_local"):
                launches()
            self._known[name] = graph
        graph.replay()


def field_of(values: Tensor, shape: tuple[int, int]) -> Tensor:
    """Return the raster's part of a field."""
    return values[: shape[0], : shape[1]]
