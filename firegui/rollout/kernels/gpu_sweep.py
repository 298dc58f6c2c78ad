"""Backward pass on the GPU: spans of days from last to first, recorded again where not stored."""

from __future__ import annotations

from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray

from firegui.domain.schedule import Schedule
from firegui.errors import Check
from firegui.rollout.kernels.gpu_arena import RolloutHistory
from firegui.rollout.kernels.gpu_drops import GpuDropList, Request, drop_list
from firegui.rollout.kernels.gpu_launch import field_of
from firegui.rollout.kernels.gpu_rollout import Rollouts

Floats = NDArray[np.float64]


class AdjointPass:
    """The adjoint of a rollout that has just been run with a history."""

    def __init__(self, rollouts: Rollouts, history: RolloutHistory, schedule: Schedule) -> None:
        self._run, self._history, self._schedule = rollouts, history, schedule
        model, arena = rollouts.model, rollouts.arena
        self._gates = rollouts.lanes[0].gates
        request = Request(0, schedule, self._gates.open)
        self._pairs: GpuDropList = drop_list(model, arena.tiling, [request])
        count = len(self._pairs.rows)
        history.pair_rows[:count].copy_(torch.from_numpy(self._pairs.rows))
        history.pair_at.copy_(torch.from_numpy(self._pairs.drop_at.astype(np.int32)))
        history.slopes.copy_(model.occupancy_slope())
        history.adjoint.fill_(-model.terminal_slope)
        by_value = model.value_slope()
        if by_value is not None:
            field_of(history.adjoint, model.shape).sub_(by_value)
        history.collected.zero_()
        history.remaining.copy_(arena.retardant[0])

    def run(self, check: Check | None) -> tuple[Floats, Floats]:
        """Return ``∂𝓛/∂d [T, A]`` of open pairs and ``∂𝓛/∂(y, x, θ) [T, A, 3]`` of executed ones."""
        rollouts, span = self._run, self._run.arena.span
        first, most = (rollouts.days - 1) // span * span, self._pairs.most_at_a_step()
        for begin in range(first, -1, -span):
            days = range(begin, min(begin + span, rollouts.days))
            if begin != first:
                self._record(days, check)
            for day in reversed(days):
                if check is not None:
                    check()
                rollouts.arena.set_day(day)
                self._history.current.copy_(self._history.ends[day - begin])
                rollouts.graphs.play(("backward", rollouts.setting, most), partial(self._launch, most))
        return self._read()

    def _record(self, days: range, check: Check | None) -> None:
        """Run a span again from its checkpoint, now with a history."""
        rollouts, history, arena = self._run, self._history, self._run.arena
        number = days.start // arena.span
        fields = (arena.unburned, arena.scaled, arena.retardant)
        for field, kept in zip(fields, history.checkpoints[number], strict=True):
            field[0].copy_(kept)
        arena.set_shared(0, emitter=rollouts.setting.emitter)
        arena.flags[:, :, 0] = history.checkpoint_flags[number]
        rollouts.kernels.doses(arena, rollouts.drops, rollouts.steps(days.start))
        for day in days:
            if check is not None:
                check()
            rollouts.run_day(day, history, None)
            history.ends[day - days.start].copy_(arena.scaled[0])

    def _launch(self, most: int) -> None:
        """Launch the sweep of a day."""
        rollouts, history = self._run, self._history
        kernels, arena, setting = rollouts.kernels, rollouts.arena, rollouts.setting
        kernels.seed(arena, history, setting, rollouts.per_day - 1)
        for k in range(rollouts.per_day - 1, -1, -1):
            kernels.back(arena, history, setting, k)
            if most:
                kernels.products(arena, history, setting, k, most)

    def _read(self) -> tuple[Floats, Floats]:
        index = self._pairs.index
        values = self._history.results[: len(index)].cpu().numpy()
        decision, pose = np.zeros(self._schedule.logits.shape), np.zeros(self._schedule.poses.shape)
        decision[index[:, 0], index[:, 1]] = values[:, 0]
        pose[index[:, 0], index[:, 1]] = values[:, 1:]
        return decision, pose * self._gates.executed[:, :, None]
