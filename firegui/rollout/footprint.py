"""Differentiable drop footprints (paper, step 2): oriented Gaussians, normalised in a window."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

CELL_VARIANCE = 1.0 / 12.0
MINIMUM_EXPONENT = -50.0
NORMALISER_EPSILON = 1e-12
HALF_WIDTH_SIGMAS = 5.0


@dataclass(frozen=True, slots=True)
class FootprintShape:
    """Footprint scales of one aircraft type in cells: ``parallel`` σ∥/Δx and ``perpendicular`` σ⊥/Δx."""

    parallel: float
    perpendicular: float

    @property
    def half_width(self) -> int:
        """``⌈5 σ_max^eff⌉`` cells, with the cell-corrected ``σ^eff = sqrt(σ² + 1/12)``."""
        return math.ceil(HALF_WIDTH_SIGMAS * math.sqrt(max(self.parallel, self.perpendicular) ** 2 + CELL_VARIANCE))


@dataclass(frozen=True, slots=True, eq=False)
class Footprints:
    """Footprints of ``n`` drops of one type.

    ``weight [n, m, m]`` is Ḡ, which sums to 1 over the window, ``m = 2·half_width + 1``; the window of drop ``k``
    starts at raster cell ``(top[k], left[k])``, which may lie outside the raster. ``slope [3, n, m, m]`` holds
    ``∂Ḡ/∂(y, x, θ)`` where it was requested.
    """

    weight: Tensor
    top: Tensor
    left: Tensor
    slope: Tensor | None = None


def windows(landing: Tensor, half_width: int, shape: tuple[int, int]) -> tuple[Tensor, Tensor]:
    """Return the north-west corner ``(top, left)`` of each window.

    A window is centred at the nearest cell inside the raster to ``landing [n, 2]``.
    """
    centre = landing.detach().round()
    top = centre[:, 0].clamp(0, shape[0] - 1).long() - half_width
    left = centre[:, 1].clamp(0, shape[1] - 1).long() - half_width
    return top, left


def footprints(
    landing: Tensor, theta: Tensor, scales: FootprintShape, shape: tuple[int, int], *, slopes: bool = False
) -> Footprints:
    """Evaluate the footprints of ``n`` drops of one type.

    ``Σ = R(θ) diag(σ∥², σ⊥²) Rᵀ + I/12``, ``Q = Σ⁻¹``, ``G = exp(clip(−½ [Δx Δy] Q [Δx Δy]ᵀ, −50, 0))`` and
    ``Ḡ = G / (Σ_W G + 1e-12)`` over the square window ``W``. ``landing [n, 2]`` is ``(y, x)`` in cells, ``theta [n]``
    in radians, both float64 and differentiable by autograd; ``slopes`` adds the closed-form derivatives.
    """
    half = scales.half_width
    top, left = windows(landing, half, shape)
    offset = torch.arange(2 * half + 1, device=landing.device)
    dy = ((top[:, None] + offset).to(landing.dtype) - landing[:, :1])[:, :, None]
    dx = ((left[:, None] + offset).to(landing.dtype) - landing[:, 1:])[:, None, :]
    along, across = (1.0 / (s**2 + CELL_VARIANCE) for s in (scales.parallel, scales.perpendicular))
    cos, sin = torch.cos(theta)[:, None, None], torch.sin(theta)[:, None, None]
    # I/12 commutes with the rotation, so Q has the same axes with 1/(σ² + 1/12) on them.
    qxx, qyy, qxy = cos**2 * along + sin**2 * across, sin**2 * along + cos**2 * across, -cos * sin * (along - across)
    exponent = -0.5 * (qxx * dx**2 + 2.0 * qxy * dx * dy + qyy * dy**2)
    gauss = torch.exp(exponent.clamp(MINIMUM_EXPONENT, 0.0))
    total = gauss.sum(dim=(1, 2), keepdim=True) + NORMALISER_EPSILON
    weight = gauss / total
    if not slopes:
        return Footprints(weight, top, left)
    turn = -0.5 * (along - across) * (-2.0 * cos * sin * (dx**2 - dy**2) - 2.0 * (cos**2 - sin**2) * dx * dy)
    log_slopes = torch.stack([qxy * dx + qyy * dy, qxx * dx + qxy * dy, turn]) * (exponent > MINIMUM_EXPONENT)
    log_slopes *= weight
    return Footprints(weight, top, left, log_slopes - weight * log_slopes.sum(dim=(2, 3), keepdim=True))
