"""Pictures of a rollout while it runs: frames for the map and day-boundary states."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from firegui.domain.results import Frames
from firegui.rollout.model import Model

Window = tuple[slice, slice]


class Observer:
    """Collects what a caller asked to see. Outside ``window`` nothing has burned since the start."""

    def __init__(self, model: Model, frame_stride: int | None, keep_days: bool) -> None:
        self._stride, self._steps, self._per_day = frame_stride, model.n_steps, model.maps.steps_per_day
        rows, columns = model.shape
        count = 0 if frame_stride is None else len(self._frame_steps())
        self._fire = np.zeros((count, rows, columns), np.uint8)
        self._burning = np.zeros((count, rows, columns), np.uint8)
        self._retardant = np.full((count, rows, columns), 255, np.uint8)
        self._days = np.zeros((model.maps.days + 1, rows, columns), np.float32) if keep_days else None

    def _frame_steps(self) -> list[int]:
        assert self._stride is not None
        steps = list(range(0, self._steps + 1, self._stride))
        return steps if steps[-1] == self._steps else [*steps, self._steps]

    def next_look(self, step: int) -> int:
        """The first state at or after ``step`` that it wants to see, ``T + 1`` for none."""
        looks = [self._steps + 1]
        if self._days is not None:
            looks.append(-(-step // self._per_day) * self._per_day)
        if self._stride is not None:
            looks.append(min(-(-step // self._stride) * self._stride, max(self._steps, step)))
        return min(looks)

    def see(self, step: int, window: Window, unburned: Tensor, burning: Tensor, retardant: Tensor) -> None:
        """Look at the state at ``step`` (0 … T); ``unburned``, ``burning`` on ``window``, ``retardant`` whole."""
        if self._days is not None and step % self._per_day == 0:
            self._days[(step // self._per_day, *window)] = (1.0 - unburned).cpu().numpy()
        if self._stride is None or (step % self._stride and step != self._steps):
            return
        index = -(-step // self._stride)
        self._fire[(index, *window)] = _quantised(1.0 - unburned)
        self._burning[(index, *window)] = _quantised(burning)
        self._retardant[index] = _quantised(retardant)

    def frames(self) -> Frames | None:
        """The frames, where they were asked for."""
        return (
            None
            if self._stride is None
            else Frames(self._stride, self._fire, self._burning, self._retardant, self._steps)
        )

    def days(self) -> NDArray[np.float32] | None:
        """The day-boundary states, where they were asked for."""
        return self._days


class Onlooker(Observer):
    """Shows ``p^B`` of every step to a function, on the whole raster."""

    def __init__(self, model: Model, look: Callable[[int, Tensor], None]) -> None:
        super().__init__(model, None, keep_days=False)
        self._look = look
        self._whole = torch.zeros(model.shape, device=model.device)

    def next_look(self, step: int) -> int:
        """Every state."""
        return step

    def see(self, step: int, window: Window, unburned: Tensor, burning: Tensor, retardant: Tensor) -> None:
        """Paste the window into the raster and pass it on."""
        self._whole[window] = burning.to(self._whole.dtype)
        self._look(step, self._whole)


class LastLook(Observer):
    """Keeps ``p^U`` and ``p^B`` of the last state, on the whole raster."""

    def __init__(self, model: Model) -> None:
        super().__init__(model, None, keep_days=False)
        self._last = model.n_steps
        self.unburned = np.ones(model.shape, np.float32)
        self.burning = np.zeros(model.shape, np.float32)

    def next_look(self, step: int) -> int:
        """The last state."""
        return max(self._last, step)

    def see(self, step: int, window: Window, unburned: Tensor, burning: Tensor, retardant: Tensor) -> None:
        """Copy the window, outside of which nothing burned."""
        if step == self._last:
            self.unburned[window], self.burning[window] = unburned.cpu().numpy(), burning.cpu().numpy()


def _quantised(probability: Tensor) -> NDArray[np.uint8]:
    levels: NDArray[np.uint8] = (probability * 255.0).round().clamp(0, 255).to(torch.uint8).cpu().numpy()
    return levels
