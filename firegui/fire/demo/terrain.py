"""Invented terrain by a spectral method: random phases under a power law, and the slope and aspect that follow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def power_law_field(generator: np.random.Generator, shape: tuple[int, int], exponent: float) -> Floats:
    """A random field ``[H, W]`` with mean 0 and standard deviation 1 whose power falls as ``k^−exponent``.

    White noise is filtered in the frequency domain by ``k^(−exponent/2)``. The field is cut from one of twice the size,
    so that opposite edges do not continue each other.
    """
    size = (2 * shape[0], 2 * shape[1])
    spectrum = np.fft.rfft2(generator.standard_normal(size))
    frequency = np.hypot(np.fft.fftfreq(size[0])[:, None], np.fft.rfftfreq(size[1])[None, :])
    frequency[0, 0] = np.inf
    field: Floats = np.fft.irfft2(spectrum * frequency ** (-exponent / 2.0), s=size)[: shape[0], : shape[1]]
    standard: Floats = (field - field.mean()) / field.std()
    return standard


def ranked(field: Floats) -> Floats:
    """Every cell's rank as a share, 0 for the smallest and just under 1 for the largest; ties by row, then column."""
    order = np.argsort(field, axis=None, kind="stable")
    ranks = np.empty(field.size)
    ranks[order] = np.arange(field.size) / field.size
    return ranks.reshape(field.shape)


@dataclass(frozen=True, slots=True, eq=False)
class Relief:
    """``elevation [H, W]`` m, ``slope`` degrees, ``aspect`` degrees from north, the way it faces, −1 where flat."""

    elevation: Floats
    slope: Floats
    aspect: Floats


def relief_of(elevation: Floats, cell_size_m: float) -> Relief:
    """Slope and aspect by central differences; rows run southward."""
    southward, eastward = np.gradient(elevation, cell_size_m)
    slope = np.rad2deg(np.arctan(np.hypot(southward, eastward)))
    # It faces downhill: against the gradient, whose northward part is −southward.
    aspect = np.rad2deg(np.arctan2(-eastward, southward)) % 360.0
    facing = np.where(slope < 0.05, -1.0, np.rint(aspect) % 360.0)
    return Relief(elevation, np.asarray(slope.round(1), np.float64), facing)


def invent_elevation(generator: np.random.Generator, shape: tuple[int, int]) -> Floats:
    """Elevation in metres, to a decimetre: rough hills on a broad rise toward the north."""
    hills = power_law_field(generator, shape, 3.6)
    rise = np.linspace(1.0, -1.0, shape[0])[:, None]
    return np.round(620.0 + 95.0 * hills + 90.0 * rise, 1)
