"""Correlated Gaussian fields of model errors (paper, section ``uq``, source 2).

The paper's spectral method: the covariance ``K = exp(−‖Δ‖ / ℓ)`` between a cell and every other on a padded periodic
grid is circulant, so its Fourier transform ``S`` holds its eigenvalues, and white noise times ``√S`` has just that
covariance ("circulant embedding") but for two approximations, which the paper makes too. ``S`` below 0, which periodic
distances cause, is cut off, and the rest is scaled back to variance 1. Lags that reach over the padding meet the field
from its other side; with a padding of ``4 ℓ`` that adds at most ``e^{−4} = 1.8 %`` to a correlation that should be next
to nothing. Drawn in the transform's own space and as complex numbers, the noise gives both of the paper's fields, as
real and imaginary part, for one transform instead of four.
"""

from __future__ import annotations

import math

import numpy as np
import torch
from numpy.typing import NDArray

from firegui.domain.uncertainty import ErrorModel, ResidualMode
from firegui.errors import InputError, Problem

Floats = NDArray[np.float64]
Field = NDArray[np.float32]

PADDING = 4.0
"""Correlation lengths between the raster's end and its beginning on the periodic grid."""
MOST_PADDING = 3
"""No grid is padded by more than this many of its longer sides: longer correlations are flat on it anyway."""
SINGULAR = 1e-9

_FIELDS = 0x6669656C
"""Keeps the draws apart from whatever else is drawn from the same seed."""


class FieldSampler:
    """Sampler of the fields of an error model on a raster of ``shape``.

    Raises :class:`~firegui.errors.InputError` for a covariance without an inverse and for numbers that are none.
    """

    def __init__(self, error: ErrorModel, shape: tuple[int, int]) -> None:
        problems = error_problems(error)
        if problems:
            raise InputError(problems, "The model error cannot be sampled")
        self._shape, self._colours = shape, np.linalg.cholesky(np.array(error.covariance)).astype(np.float32)
        self._mean = np.array(error.mean if error.mode is ResidualMode.INCREMENTAL else (0.0, 0.0), np.float32)
        self._scale = torch.from_numpy(_scale(shape, error.correlation_cells))

    def unit(self, seed: int, member: int, day: int) -> Field:
        """Return ``z_1, z_2 [2, H, W]``: independent, of variance 1, correlated over ``ℓ``.

        They are not coloured yet.
        """
        rows, columns = self._shape
        noise = torch.empty((*self._scale.shape, 2), dtype=torch.float32)  # torch's memory: always aligned alike
        generator = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(_FIELDS, member, day)))
        generator.standard_normal(dtype=np.float32, out=noise.numpy())
        waves = torch.fft.fft2(torch.view_as_complex(noise).mul_(self._scale))[:rows, :columns]
        return np.stack([waves.real.numpy(), waves.imag.numpy()])

    def field(self, seed: int, member: int, day: int) -> Field:
        """Return ``η = L z [2, H, W]`` in ILR coordinates, plus ``μ`` in incremental mode; float32.

        The numbers follow from ``seed``, ``member`` and ``day`` alone.
        """
        first, second = self.unit(seed, member, day)
        low = self._colours
        return np.stack(
            [low[0, 0] * first + self._mean[0], low[1, 0] * first + low[1, 1] * second + self._mean[1]]
        )  # fmt: skip


def error_field(error: ErrorModel, shape: tuple[int, int], seed: int, member: int, day: int) -> Field:
    """Return one field of ``error``, ``[2, H, W]``; see :class:`FieldSampler`."""
    return FieldSampler(error, shape).field(seed, member, day)


def error_problems(error: ErrorModel) -> list[Problem]:
    """Return the problems that keep an error model from being sampled."""
    numbers = (*error.mean, error.correlation_cells, error.threshold, error.floor)
    if not all(math.isfinite(number) for number in numbers):
        return [Problem("error model", f"{numbers} has values that are not numbers", "fit it again")]
    return covariance_problems(np.array(error.covariance))


def covariance_problems(covariance: Floats) -> list[Problem]:
    """Return the problems that keep ``Σ [2, 2]`` from having a usable Cholesky factor."""
    remedy = "fit over more days or perimeters that differ more, or use the paper's numbers"
    if not np.isfinite(covariance).all():
        return [Problem("error model", f"Σ = {covariance.tolist()} has values that are not numbers", remedy)]
    low, high = np.linalg.eigvalsh(covariance)
    if high <= 0.0:
        return [Problem("error model", "Σ is 0: the residuals do not vary", remedy)]
    if low <= SINGULAR * high:
        return [Problem("error model", f"Σ = {covariance.tolist()} is singular: one direction never varies", remedy)]
    return []


def _scale(shape: tuple[int, int], length: float) -> Field:
    """Return ``√(S_+ / N)`` on the padded grid of ``N`` cells, scaled so that the field has variance 1."""
    padding = min(math.ceil(PADDING * length), MOST_PADDING * max(shape))
    sizes = tuple(fast_size(size + padding) for size in shape)
    rows, columns = (np.minimum(np.arange(size), size - np.arange(size)).astype(np.float64) for size in sizes)
    spectrum = np.fft.fft2(np.exp(-np.hypot(rows[:, None], columns) / length)).real
    kept = np.maximum(spectrum, 0.0)
    scale: Field = np.sqrt(kept / kept.sum()).astype(np.float32)
    return scale


def fast_size(size: int) -> int:
    """Return the first number from ``size`` on that has no factors but 2, 3 and 5.

    Transforms of this size are fast.
    """
    while True:
        rest = size
        for factor in (2, 3, 5):
            while rest % factor == 0:
                rest //= factor
        if rest == 1:
            return size
        size += 1
