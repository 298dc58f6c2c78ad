"""Misfit of the network: distance of the rolled-out days from the observed perimeters.

The source model's terms (``design/3-model.md``): with ``P`` at the end of a day and the perimeter ``O``,

    𝓛 = mean over days (½ BCE + 0.1 MSE + 0.1 MSE of 3 × 3 means + ½ |ΣP − ΣO| / ΣO + 4 (1 − soft IoU)) + growth

where cells on the frontier of ``O`` weigh ten times in the cross entropy. The last term is ours, because the others let
a fire pass the observed one at full speed on the last fitted day: ``Σ |ΔP − ΔO| / Σ ΔO`` over the growth from one
scored day to the next.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from firegui.fire.skill import LIKELY, iou

FRONTIER_WEIGHT = 10.0
FLOOR = 1e-4
"""Probabilities are kept this far from 0 and 1 before the logarithm."""
WEIGHTS: Mapping[str, float] = {"bce": 0.5, "mse": 0.1, "means": 0.1, "area": 0.5, "shape": 4.0, "growth": 1.0}


@dataclass(frozen=True, slots=True, eq=False)
class Misfit:
    """Value and terms of a misfit, with ``∂𝓛/∂P [D + 1, H, W]``.

    It also has the IoU of ``P ≥ 0.5`` on each scored day.
    """

    loss: float
    terms: Mapping[str, float]
    slopes: NDArray[np.float32]
    iou: tuple[float, ...]


class Target:
    """The perimeters of the scored ``days`` of one event, and that of day 0."""

    def __init__(self, start: NDArray[np.bool_], days: tuple[int, ...], observed: NDArray[np.bool_]) -> None:
        self.days = days
        self._index, self._masks = torch.tensor(days), observed
        self._observed = torch.from_numpy(observed.astype(np.float32))
        self._means = _means(self._observed)
        self._areas = self._observed.sum(dim=(1, 2), dtype=torch.float64)
        self._start = float(start.sum())
        weight = 1.0 + (FRONTIER_WEIGHT - 1.0) * _frontier(self._observed)
        self._weight = weight / weight.mean(dim=(1, 2), keepdim=True)

    def misfit(self, states: NDArray[np.float32]) -> Misfit:
        """Compare the states ``[D + 1, H, W]`` at day boundaries."""
        whole = torch.from_numpy(states).requires_grad_()
        terms = self._terms(whole[self._index])
        loss = torch.stack([WEIGHTS[name] * value for name, value in terms.items()]).sum()
        (slopes,) = torch.autograd.grad(loss, whole)
        overlaps = tuple(iou(states[day] >= LIKELY, mask) for day, mask in zip(self.days, self._masks, strict=True))
        values = {name: float(value.detach()) for name, value in terms.items()}
        return Misfit(float(loss.detach()), values, slopes.numpy(), overlaps)

    def _terms(self, probability: Tensor) -> dict[str, Tensor]:
        observed, bounded = self._observed, probability.clamp(FLOOR, 1.0 - FLOOR)
        entropy = -(observed * torch.log(bounded) + (1.0 - observed) * torch.log(1.0 - bounded))
        area = probability.sum(dim=(1, 2), dtype=torch.float64)
        shared = (probability * observed).sum(dim=(1, 2), dtype=torch.float64)
        # Whatever is divided by is at least a cell, so that an empty perimeter gives a number.
        soft = shared / (area + self._areas - shared).clamp(min=1.0)
        begin = torch.tensor([self._start], dtype=torch.float64)
        grown, spread = torch.cat([begin, area]).diff(), torch.cat([begin, self._areas]).diff()
        return {
            "bce": (entropy * self._weight).mean().double(),
            "mse": ((probability - observed) ** 2).mean().double(),
            "means": ((_means(probability) - self._means) ** 2).mean().double(),
            "area": ((area - self._areas).abs() / self._areas.clamp(min=1.0)).mean(),
            "shape": (1.0 - soft).mean(),
            "growth": (grown - spread).abs().sum() / spread.sum().clamp(min=1.0),
        }


def _means(fields: Tensor) -> Tensor:
    """Return means over 3 × 3 cells; what lies outside the raster is 0."""
    return functional.avg_pool2d(fields[:, None], 3, 1, 1)[:, 0]


def _frontier(masks: Tensor) -> Tensor:
    """Return 1 on cells that have a neighbour on the other side of the perimeter."""
    grown = functional.max_pool2d(masks[:, None], 3, 1, 1)[:, 0]
    shrunk = -functional.max_pool2d(-masks[:, None], 3, 1, 1)[:, 0]
    return grown - shrunk
