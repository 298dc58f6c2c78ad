"""Pictures of a rollout while it runs: frames for the map and day-boundary states."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from firegui.domain.film import Film, Part
from firegui.domain.fire_hours import BURNED, FireByHour
from firegui.domain.results import Frames
from firegui.rollout.model import Model

Window = tuple[slice, slice]


def levels_of(probability: Tensor, complement: bool) -> NDArray[np.uint8]:
    """Return ``rint(255 p)`` cut to 0 … 255, where ``p`` is ``probability``, or ``1 − probability``."""
    shown = 1.0 - probability if complement else probability
    levels: NDArray[np.uint8] = (shown * 255.0).round().clamp(0, 255).to(torch.uint8).cpu().numpy()
    return levels


class StateView(NamedTuple):
    """View of a state.

    ``p^U`` and ``p^B`` are on ``window``, outside of which nothing has burned. ``r`` is on ``treated``, else 1.
    ``levels`` makes the levels of a picture of them; an engine may have a faster way to the same.
    """

    window: Window
    unburned: Tensor
    burning: Tensor
    treated: Window
    retardant: Tensor
    levels: Callable[[Tensor, bool], NDArray[np.uint8]] = levels_of

    def fire(self) -> Part:
        """Return ``1 − p^U``."""
        return self._part(self.window, self.unburned, complement=True)

    def flames(self) -> Part:
        """Return ``p^B``."""
        return self._part(self.window, self.burning, complement=False)

    def ground(self) -> Part:
        """Return ``r``."""
        return self._part(self.treated, self.retardant, complement=False)

    def _part(self, window: Window, probability: Tensor, *, complement: bool) -> Part:
        rows, columns = window
        return Part(rows.start, columns.start, self.levels(probability, complement))


class Observer:
    """Collector of the requested states of a rollout."""

    def __init__(self, model: Model, frame_stride: int | None, keep_days: bool) -> None:
        self._stride, self._steps, self._per_day = frame_stride, model.n_steps, model.maps.steps_per_day
        self._shape = model.shape
        self._fire, self._burning, self._retardant = list[Part](), list[Part](), list[Part]()
        self._days = np.zeros((model.maps.days + 1, *model.shape), np.float32) if keep_days else None

    def next_look(self, step: int) -> int:
        """Return the first state at or after ``step`` that it wants to see, ``T + 1`` for none."""
        looks = [self._steps + 1]
        if self._days is not None:
            looks.append(-(-step // self._per_day) * self._per_day)
        if self._stride is not None:
            looks.append(min(-(-step // self._stride) * self._stride, max(self._steps, step)))
        return min(looks)

    def see(self, step: int, sight: StateView) -> None:
        """Record the state at ``step`` (0 … T).

        Engines show each state once, from the first to the last.
        """
        if self._days is not None and step % self._per_day == 0:
            self._days[(step // self._per_day, *sight.window)] = (1.0 - sight.unburned).cpu().numpy()
        if self._stride is None or (step % self._stride and step != self._steps):
            return
        self._fire.append(sight.fire())
        self._burning.append(sight.flames())
        self._retardant.append(sight.ground())

    def frames(self) -> Frames | None:
        """Return the frames, or ``None`` where they were not requested."""
        if self._stride is None:
            return None
        fire, burning = (Film(self._shape, tuple(parts)) for parts in (self._fire, self._burning))
        return Frames(self._stride, fire, burning, Film(self._shape, tuple(self._retardant), 255), self._steps)

    def days(self) -> NDArray[np.float32] | None:
        """Return the day-boundary states, or ``None`` where they were not requested."""
        return self._days


class StepObserver(Observer):
    """Shows ``p^B`` of every step to a function, on the whole raster."""

    def __init__(self, model: Model, look: Callable[[int, Tensor], None]) -> None:
        super().__init__(model, None, keep_days=False)
        self._look = look
        self._whole = torch.zeros(model.shape, device=model.device)

    def next_look(self, step: int) -> int:
        """Return ``step``: every state is wanted."""
        return step

    def see(self, step: int, sight: StateView) -> None:
        """Paste the window into the raster and pass it on."""
        self._whole[sight.window] = sight.burning.to(self._whole.dtype)
        self._look(step, self._whole)


class FinalState(Observer):
    """Observer that keeps ``p^U`` and ``p^B`` of the last state, on the whole raster."""

    def __init__(self, model: Model) -> None:
        super().__init__(model, None, keep_days=False)
        self._last = model.n_steps
        self.unburned = np.ones(model.shape, np.float32)
        self.burning = np.zeros(model.shape, np.float32)

    def next_look(self, step: int) -> int:
        """Return the last step."""
        return max(self._last, step)

    def see(self, step: int, sight: StateView) -> None:
        """Copy the window, outside of which nothing burned."""
        if step == self._last:
            self.unburned[sight.window] = sight.unburned.cpu().numpy()
            self.burning[sight.window] = sight.burning.cpu().numpy()


class HourObserver(Observer):
    """Observer of a fire at ``hours [n]`` from its start, which ascend; each is taken at the nearest step."""

    def __init__(self, model: Model, hours: NDArray[np.float64]) -> None:
        super().__init__(model, None, keep_days=False)
        self._last, self._hours = model.n_steps, hours
        self._at = np.rint(hours * model.maps.steps_per_day / 24.0).astype(np.int64)
        self._cells = np.zeros(len(hours))
        self._arrival = np.full(model.shape, np.nan, np.float32)

    def next_look(self, step: int) -> int:
        """Return the step of the next hour."""
        later = self._at[self._at >= step]
        return int(later[0]) if later.size else max(self._last + 1, step)

    def see(self, step: int, sight: StateView) -> None:
        """Sum the state of an hour and note where fire has arrived."""
        for number in np.flatnonzero(self._at == step).tolist():
            burned = 1.0 - sight.unburned.cpu().numpy().astype(np.float64)
            self._cells[number] = burned.sum()
            part = self._arrival[sight.window]
            part[(burned >= BURNED) & np.isnan(part)] = self._hours[number]

    def fire(self) -> FireByHour:
        """Return what was seen."""
        return FireByHour(self._hours, self._cells, self._arrival)
