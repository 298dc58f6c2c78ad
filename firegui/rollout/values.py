"""Values at risk on the raster of a model, and the term 𝓛_val of the objective."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from firegui.domain.values import ValueLayer

Window = tuple[slice, slice]
WHOLE = (slice(None), slice(None))


@dataclass(frozen=True, slots=True, eq=False)
class ValueFields:
    """Value layers on one device.

    ``layers [L, H, W]`` float64 are value × susceptibility, ``weights`` those of the layers, ``total`` is ``Σ_x w(x)``
    with ``w = Σ_l weight_l layer_l``, and ``density [H, W]`` float64 is ``w / Σ w``. So
    ``𝓛_val = Σ_x w(x) P_T(x) / Σ w``.
    """

    layers: Tensor
    weights: tuple[float, ...]
    total: float
    density: Tensor

    def lost(self, fire: Tensor, window: Window = WHOLE) -> tuple[float, ...]:
        """Return ``Σ_x layer_l(x) P(x)`` of every layer, where ``fire`` is ``P`` on ``window`` and 0 outside."""
        layers = self.layers[:, window[0], window[1]]
        return tuple((layers * fire).sum(dim=(1, 2)).tolist())

    def loss(self, lost: Sequence[float]) -> float:
        """Return ``𝓛_val`` of what is :meth:`lost`."""
        return sum(weight * one for weight, one in zip(self.weights, lost, strict=True)) / self.total

    def within(self, window: Window) -> ValueFields:
        """Return the values of a part of the raster; they count as much as they do in the whole."""
        layers, density = self.layers[:, window[0], window[1]], self.density[window]
        return replace(self, layers=layers.contiguous(), density=density.contiguous())

    def on(self, device: str) -> ValueFields:
        """Return the same values on another device."""
        return replace(self, layers=self.layers.to(device), density=self.density.to(device))


def value_fields(layers: Sequence[ValueLayer], device: str) -> ValueFields | None:
    """Return the values of ``layers`` on ``device``; ``None`` where nothing has a value."""
    fields = [layer.terms.susceptibility * layer.cells.astype(np.float64) for layer in layers]
    weights = tuple(layer.terms.weight for layer in layers)
    if not fields:
        return None
    whole = np.sum([weight * one for weight, one in zip(weights, fields, strict=True)], axis=0)
    total = float(whole.sum())
    if total <= 0.0:
        return None
    stacked, density = (torch.from_numpy(each).to(device) for each in (np.stack(fields), whole / total))
    return ValueFields(stacked, weights, total, density)
